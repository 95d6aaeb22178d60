"""A picture of a model and rows: the scores of the classes, and the largest weights."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic import replace_file
from .output import Problem

SHOWN = 14
ENDINGS = (".png", ".svg", ".pdf")


def draw(path: str, rule: Any, sample: Any, names: Sequence[str]) -> None:
    """Write the picture; its kind is the ending of the name."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise Problem(f"--picture {path}: expected a name that ends with {', '.join(ENDINGS)}.", 2)
    try:
        import matplotlib
    except ImportError:
        raise Problem("pictures need matplotlib: pip install 'linsep[plot]'", 2) from None
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    with plt.style.context("linsep.plot.lectures"):
        figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), width_ratios=[1.25, 1], layout="constrained")
        _draw_scores(left, rule, sample)
        _draw_weights(right, rule, names)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=Path(path).suffix[1:].lower(), dpi=110)
        plt.close(figure)
    with replace_file(path) as file:
        file.write(buffer.getvalue())


def _draw_scores(ax: Any, rule: Any, sample: Any) -> None:
    """Histograms of g(x), one per class; of more than two classes by how much the true class leads."""
    g = rule.decision_function(sample.X)
    what = "score g(x)"
    if g.ndim == 2:
        place = np.searchsorted(rule.classes_, sample.y)
        mine = g[np.arange(len(g)), place]
        g = mine - np.where(np.eye(g.shape[1], dtype=bool)[place], -np.inf, g).max(axis=1)
        what = "score of the true class minus that of the best other"
    low, high = np.percentile(g, [0.5, 99.5])
    bins = np.linspace(min(low, 0), max(high, 0), 40)
    for label in rule.classes_[:8]:
        ax.hist(np.clip(g[sample.y == label], bins[0], bins[-1]), bins=bins, alpha=0.6, label=str(label))
    ax.axvline(0, color="0.2", linewidth=1.2)
    for side in (-1, 1) if "C=" in str(rule) and g.ndim == 1 and len(rule.classes_) == 2 else ():
        ax.axvline(side, color="0.2", linestyle="--", linewidth=1)
    ax.set(xlabel=what, ylabel="rows", title="how far the rows are from the border")
    ax.legend()


def _draw_weights(ax: Any, rule: Any, names: Sequence[str]) -> None:
    """Bars of the largest weights."""
    coef = getattr(rule, "coef_", None)
    if not isinstance(coef, np.ndarray) or coef.shape[-1] != len(names):
        ax.set_axis_off()
        return
    size = np.abs(coef).max(axis=0)
    order = np.argsort(-size, kind="stable")[:SHOWN][::-1]
    bars = coef[0, order] if len(coef) == 1 else size[order]
    ax.barh([names[k] for k in order], bars, color=["C0" if w < 0 else "C1" for w in bars])
    ax.axvline(0, color="0.2", linewidth=1)
    side = f"towards {rule.classes_[0]}  ←  weight  →  towards {rule.classes_[1]}"
    ax.set(title="largest weights", xlabel=side if len(coef) == 1 else "largest |weight| of a class")
