"""A ladder of classes: empirical risk, its bound and the cross-validated risk of every rung (A5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .labels import PAPER
from .style import INK, NEGATIVE, PALE, POSITIVE, SOLUTION, axes, legend, number


def structural_risk(model: Any, ax: Axes | None = None) -> Axes:
    r"""The empirical risk, the bound above it and the cross-validated risk, rung by rung; the choice is marked.

    ``model`` is a fitted `linsep.risk.StructuralRisk`, or its ``table_``. What is shaded is the confidence term,
    which grows with the capacity h. Bounds of 1 and more say nothing, and those with h not much smaller than N
    are not what S0 (1) is for: their points are hollow. Where there is no bound at all, nothing is drawn.

    >>> from matplotlib.figure import Figure
    >>> from sklearn.svm import LinearSVC
    >>> from linsep.risk import StructuralRisk
    >>> X, y = [[float(i)] for i in range(100)], [0] * 50 + [1] * 50
    >>> model = StructuralRisk([("C = 1", LinearSVC(C=1.0)), ("C = 10", LinearSVC(C=10.0))]).fit(X, y)
    >>> ax = structural_risk(model, Figure().subplots())
    >>> [label.get_text().splitlines()[0] for label in ax.get_xticklabels()]
    ['C = 1', 'C = 10']
    """
    table = getattr(model, "table_", model)
    if not (isinstance(table, list) and table and hasattr(table, "best")):
        raise ValueError(f"structural_risk: a fitted StructuralRisk or its table_ is wanted, not {model!r}.")
    ax = axes(ax)
    at = np.arange(len(table))
    empirical, bound = np.array([(rung.empirical, rung.bound.value) for rung in table]).T
    known = np.isfinite(bound)
    solid = np.array([rung.bound.valid and not rung.bound.vacuous for rung in table])
    ax.axvspan(table.best - 0.35, table.best + 0.35, color=PALE, alpha=0.18, lw=0, zorder=0)
    ax.fill_between(at, empirical, bound, where=known, color=POSITIVE, alpha=0.10, lw=0, label="confidence term")
    ax.plot(at[known], bound[known], color=POSITIVE, lw=1.6, zorder=2, label="bound")
    for some, face, name in ((known & solid, POSITIVE, None), (known & ~solid, "white", "vacuous, or h not << N")):
        if some.any():
            ax.plot(at[some], bound[some], "o", ms=6, mfc=face, mec=POSITIVE, zorder=3, label=name)
    _crossed(ax, at, table)
    ax.plot(at, empirical, color=NEGATIVE, lw=1.6, marker="o", ms=5, label="empirical risk", zorder=3)
    for i in at[known]:
        ax.annotate(number(round(bound[i], 3)), (i, bound[i]), (0, 8), textcoords="offset points", **_TEXT)
    for i in at[~known]:
        ax.annotate(
            "no bound", (i, 1), (0, -10), xycoords=ax.get_xaxis_transform(), textcoords="offset points", **_TEXT
        )
    if np.any(bound >= 0.95):
        ax.axhline(1, color=INK, lw=0.9, ls=":", zorder=1)
        ax.annotate("vacuous above", (1, 1), (-2, -9), xycoords=("axes fraction", "data"),
                    textcoords="offset points", ha="right", fontsize=8, color=INK)  # fmt: skip
    _frame(ax, at, table, float(bound[known].max(initial=0.3)))
    return ax


_TEXT: dict[str, Any] = {"ha": "center", "fontsize": 8.5, "color": INK, "bbox": PAPER}


def _crossed(ax: Axes, at: np.ndarray, table: Any) -> None:
    """The cross-validated risk, with the spread of its folds."""
    mean, spread = np.array([(rung.cross_validated, rung.spread) for rung in table]).T
    down = np.minimum(spread, mean)  # no risk below 0
    ax.errorbar(
        at, mean, yerr=[down, spread], color=SOLUTION, lw=1.6, marker="D", ms=4.5, capsize=3, elinewidth=1.0,
        label="cross-validated risk", zorder=4,
    )  # fmt: skip


def _frame(ax: Axes, at: np.ndarray, table: Any, highest: float) -> None:
    """Names and capacities below, the choice above."""
    sizes = [f"h = {number(rung.bound.h)}" if np.isfinite(rung.bound.h) else "h not known" for rung in table]
    names = [f"{rung.name}\n{size}" for rung, size in zip(table, sizes, strict=True)]
    ax.set_xticks(at, names, fontsize=8.5)
    ax.set_xlim(-0.5, len(at) - 0.5)
    top = 1.12 * max(highest, 0.3)
    ax.set_ylim(-0.03 * top, top)  # a risk of 0 is seen whole
    ax.set_ylabel("risk")
    by = "the smallest bound" if table.choose == "bound" else "the smallest cross-validated risk"
    ax.set_title(f"{table[table.best].name}: {by}", fontsize=10)
    ax.grid(axis="y", color=PALE, alpha=0.25, lw=0.6)
    legend(ax)
