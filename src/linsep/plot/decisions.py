"""What a rule of any number of classes decides, and where: regions of the plane, or densities on a line (A1, A2)."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from .geometry import around
from .sample import table
from .style import INK, NEGATIVE, PALE, POSITIVE, SOLUTION, axes, legend

# Okabe and Ito's palette, the two classes of the other pictures first
CLASSES = (NEGATIVE, POSITIVE, SOLUTION, "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
SHAPES = ("X", "o", "s", "^", "D", "v", "P", "*")
FINE = 240  # points of a side at which the rule is asked
SHADE = 0.2  # of a class's colour in its region


class _Labels(NamedTuple):
    classes: list
    decisions: list  # the classes, and the label of the reject option if there is one

    def colour(self, d: int) -> str:
        return CLASSES[d % len(CLASSES)] if d < len(self.classes) else PALE

    def shape(self, d: int) -> str:
        return SHAPES[(d + d // len(SHAPES)) % len(SHAPES)]

    def name(self, d: int) -> str:
        return f"class {self.classes[d]}" if d < len(self.classes) else "reject"


def strategy(rule: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """The points, and what the rule decides around them; the reject region is hatched.

    ``rule`` is any fitted classifier (``predict``, ``classes_``; ``decisions_`` if it may reject). With two columns the
    plane is shaded in the colours of the decisions. With one column the curves are p(k) p(x|k), which the rule must
    know (`linsep.bayes.Bayes`), above the intervals of the decisions.

    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> rule = SimpleNamespace(predict=lambda X: (X[:, 0] > 1).astype(int), classes_=np.array([0, 1]))
    >>> strategy(rule, [[0.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0, 1, 0], Figure().subplots()).get_title()
    '1 of 3 wrong'
    """
    if not hasattr(rule, "classes_") or not hasattr(rule, "predict"):
        raise ValueError(f"strategy: a fitted classifier is wanted, {type(rule).__name__} has no classes_ or predict.")
    points, truth, names = table(X, y, (1, 2), "strategy")
    classes = np.asarray(rule.classes_).tolist()
    labels = _Labels(classes, np.asarray(getattr(rule, "decisions_", classes)).tolist())
    for label in np.setdiff1d(truth, rule.classes_).tolist():
        raise ValueError(f"strategy: y has the label {label!r}, which is not one of {classes}.")
    ax = axes(ax)
    if points.shape[1] == 2:
        _plane(ax, rule, labels, points, truth, names)
    else:
        _line(ax, rule, labels, points, truth, names)
    ax.set_title(_count(labels, truth, _ask(rule, labels, points)), fontsize=10)
    legend(ax)
    return ax


def _ask(rule: Any, labels: _Labels, X: np.ndarray) -> np.ndarray:
    """The number of the decision for each row."""
    place = {label: d for d, label in enumerate(labels.decisions)}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # nor has a grid
        return np.array([place[label] for label in np.asarray(rule.predict(X)).tolist()])


def _count(labels: _Labels, truth: np.ndarray, decided: np.ndarray) -> str:
    rejected = decided == len(labels.classes)
    right = np.array(
        [labels.classes[d] == k for d, k in zip(decided[~rejected], truth[~rejected].tolist())], dtype=bool
    )
    text = f"{int(np.sum(~right))} of {truth.size} wrong"
    return text + (f", {int(rejected.sum())} rejected" if len(labels.decisions) > len(labels.classes) else "")


def _plane(ax: Axes, rule: Any, labels: _Labels, X: np.ndarray, truth: np.ndarray, names: tuple[str, ...]) -> None:
    box = around(X)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=names[0], ylabel=names[1])
    x, y = (np.linspace(low, high, 2 * FINE + 1)[1::2] for low, high in (box[:2], box[2:]))  # middles of the pixels
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    decided = _ask(rule, labels, grid.reshape(-1, 2)).reshape(FINE, FINE)
    shades = np.array([1 - SHADE * (1 - np.array(to_rgb(labels.colour(d)))) for d in range(len(labels.decisions))])
    ax.imshow(shades[decided], extent=box, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
    for d in np.unique(decided):
        here = (decided == d).astype(float)
        if d == len(labels.classes):
            hatched = ax.contourf(x, y, here, levels=[0.5, 1.5], colors="none", hatches=["///"], zorder=1)
            hatched.set(edgecolor=PALE, linewidth=0)
        if here.min() == 0:
            ax.contour(x, y, here, levels=[0.5], colors=INK, linewidths=0.9, zorder=2)
    size = float(np.clip(4000 / len(X), 12, 64))
    for d, label in enumerate(labels.classes):
        of = X[truth == label]
        marks: dict[str, Any] = {"c": labels.colour(d), "marker": labels.shape(d), "edgecolors": "white"}
        ax.scatter(of[:, 0], of[:, 1], s=size, linewidths=0.8, label=labels.name(d), zorder=3, **marks)
    _reject_in_legend(ax, labels)


def _line(ax: Axes, rule: Any, labels: _Labels, X: np.ndarray, truth: np.ndarray, names: tuple[str, ...]) -> None:
    model: Any = getattr(getattr(rule, "strategy_", None), "model", None)
    if not hasattr(model, "log_joint"):
        raise ValueError(f"strategy: {type(rule).__name__} knows no densities that could be drawn over one column.")
    low, high = X.min(), X.max()
    pad = 0.12 * ((high - low) or 1.0)
    x = np.linspace(low - pad, high + pad, 4 * FINE)
    curves = np.exp(model.log_joint(x[:, None]))
    top = 1.08 * curves.max()
    ax.set(xlim=(x[0], x[-1]), ylim=(-0.12 * top, top), xlabel=names[0], ylabel="p(k) p(x|k)")
    decided = _ask(rule, labels, x[:, None])
    for part in np.split(np.arange(x.size), np.flatnonzero(np.diff(decided)) + 1):
        d = int(decided[part[0]])
        hatch = "///" if d == len(labels.classes) else None
        end = x[min(part[-1] + 1, x.size - 1)]
        shade = (*to_rgb(labels.colour(d)), SHADE)
        ax.axvspan(x[part[0]], end, fc=shade, ec=PALE, hatch=hatch, lw=0, zorder=0)
    for d, label in enumerate(labels.classes):
        ax.plot(x, curves[:, d], color=labels.colour(d), lw=1.8, label=labels.name(d), zorder=2)
        of = X[truth == label, 0]
        marks: dict[str, Any] = {"c": labels.colour(d), "marker": "|", "alpha": 0.7, "linewidths": 0.8}
        ax.scatter(of, np.full(of.size, -0.06 * top), s=60, zorder=3, **marks)
    _reject_in_legend(ax, labels)


def _reject_in_legend(ax: Axes, labels: _Labels) -> None:
    if len(labels.decisions) > len(labels.classes):
        nothing = ax.viewLim.min, 0, 0
        ax.add_patch(Rectangle(*nothing, fc="#E8E8E8", ec=PALE, hatch="///", lw=0, label="reject"))
