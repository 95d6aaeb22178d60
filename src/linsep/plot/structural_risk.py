"""Empirical risk, its bound and the cross-validated risk of every rung of a ladder (A5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .labels import BACKGROUND
from .style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    SMALL,
    VERMILION,
    draw_legend,
    format_number,
    prepare_axes,
    styled,
    write_title,
)

LABEL_STYLE: dict[str, Any] = {"ha": "center", "fontsize": SMALL, "color": INK, "bbox": BACKGROUND}


@styled
def structural_risk(model: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the empirical risk, its bound and the cross-validated risk of every rung of a ladder (S0 (1), S4.14).

    .. math:: R \le R_{emp} + \sqrt{\tfrac1N \left[h\left(\ln\tfrac{2N}{h} + 1\right) - \ln\tfrac{\eta}{4}\right]}

    The chosen rung is marked. Shaded is the confidence term, which grows with the capacity h. Vacuous bounds (1 or
    more) and those with h not much smaller than N, for which S0 (1) is not meant, are hollow points. Infinite bounds
    are not drawn.

    Parameters
    ----------
    model : StructuralRisk or RiskTable
        Fitted, or its ``table_``.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
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
        raise ValueError(f"structural_risk: expected a fitted StructuralRisk or its table_, got {model!r}.")
    ax = prepare_axes(ax)
    x = np.arange(len(table))
    ax.axvspan(table.best - 0.35, table.best + 0.35, color=GREY, alpha=0.18, lw=0, zorder=0)
    highest = _draw_bounds(ax, x, table)
    _draw_cross_validated(ax, x, table)
    empirical = [rung.empirical for rung in table]
    ax.plot(x, empirical, color=BLUE, marker="o", ms=5, label="empirical risk", zorder=3)
    _finish_axes(ax, x, table, highest)
    return ax


def _draw_bounds(ax: Axes, x: np.ndarray, table: Any) -> float:
    """Draw the bounds with their numbers; return the greatest finite one."""
    empirical, bound = np.array([(rung.empirical, rung.bound.value) for rung in table]).T
    finite = np.isfinite(bound)
    solid = np.array([rung.bound.valid and not rung.bound.vacuous for rung in table])
    ax.fill_between(x, empirical, bound, where=finite, color=VERMILION, alpha=0.10, lw=0, label="confidence term")
    ax.plot(x[finite], bound[finite], color=VERMILION, zorder=2, label="bound")
    for some, face, name in ((finite & solid, VERMILION, None), (finite & ~solid, "white", "vacuous, or h not << N")):
        if some.any():
            ax.plot(x[some], bound[some], "o", ms=6, mfc=face, mec=VERMILION, zorder=3, label=name)
    for i in x[finite]:
        name = format_number(round(bound[i], 3))
        ax.annotate(name, (i, bound[i]), (0, 8), textcoords="offset points", **LABEL_STYLE)
    for i in x[~finite]:
        at: dict[str, Any] = {"xycoords": ax.get_xaxis_transform(), "textcoords": "offset points"}
        ax.annotate("no bound", (i, 1), (0, -10), **at, **LABEL_STYLE)
    if np.any(bound >= 0.95):
        ax.axhline(1, color=INK, lw=0.9, ls=":", zorder=1)
        ax.annotate("vacuous above", (1, 1), (-2, -9), xycoords=("axes fraction", "data"),
                    textcoords="offset points", ha="right", fontsize=SMALL, color=INK)  # fmt: skip
    return float(bound[finite].max(initial=0.3))


def _draw_cross_validated(ax: Axes, x: np.ndarray, table: Any) -> None:
    """Draw the cross-validated risk, with the standard deviation over the folds."""
    mean, spread = np.array([(rung.cross_validated, rung.spread) for rung in table]).T
    down = np.minimum(spread, mean)  # no risk below 0
    ax.errorbar(
        x, mean, yerr=[down, spread], color=GREEN, marker="D", ms=4.5, capsize=3, elinewidth=1.2,
        label="cross-validated risk", zorder=4,
    )  # fmt: skip


def _finish_axes(ax: Axes, x: np.ndarray, table: Any, highest: float) -> None:
    """Write names and capacities below, the choice above."""
    sizes = [f"h = {format_number(rung.bound.h)}" if np.isfinite(rung.bound.h) else "h not known" for rung in table]
    ax.set_xticks(x, [f"{rung.name}\n{size}" for rung, size in zip(table, sizes, strict=True)])
    ax.set_xlim(-0.5, len(x) - 0.5)
    top = 1.12 * max(highest, 0.3)
    ax.set_ylim(-0.03 * top, top)  # below 0, so that markers at 0 are not cut
    ax.set(xlabel=" ", ylabel="risk")  # room for two lines below the ticks
    by = "the smallest bound" if table.choose == "bound" else "the smallest cross-validated risk"
    write_title(ax, f"{table[table.best].name}: {by}")
    ax.grid(axis="y")
    draw_legend(ax)
