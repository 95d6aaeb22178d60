"""A rule with one column: the points on their line, g above it, and the thresholds where g is 0 (S0, B1, B3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from scipy.optimize import brentq

from .plot_data import PlotData
from .style import DASHED, DOTTED, GREY, INK, SIGN_COLOURS, format_number, scatter_classes, write_title

POINTS = 601  # of the curve


def draw_threshold(
    ax: Axes, data: PlotData, g: Callable[[np.ndarray], np.ndarray], formula: str, norm: float = 0.0
) -> None:
    """Draw g over the line of the points, its two sides, and the thresholds; ``norm`` is |w| where g is linear."""
    low, high = data.X.min(), data.X.max()
    pad = 0.15 * ((high - low) or 1.0)
    x = np.linspace(low - pad, high + pad, POINTS)
    values = np.asarray(g(x[:, None]), dtype=np.float64)
    roots = find_thresholds(lambda at: float(g(np.array([[at]]))[0]), x, values)
    for begin, end in zip([x[0], *roots], [*roots, x[-1]], strict=True):
        side = np.sign(g(np.array([[0.5 * (begin + end)]]))[0])
        if side:
            ax.axvspan(begin, end, fc=SIGN_COLOURS[int(side)], alpha=0.09, lw=0, zorder=0)
    ax.axhline(0, color=GREY, lw=1.0, zorder=1)
    ax.plot(x, values, color=INK, label="g(x)", zorder=2)
    for k, root in enumerate(roots):
        ax.axvline(root, color=INK, lw=1.3, ls=DOTTED, label="threshold, g(x) = 0" if k == 0 else None, zorder=2)
        ax.annotate(format_number(root), (root, 1), (4, -12), xycoords=ax.get_xaxis_transform(),
                    textcoords="offset points", fontsize=11)  # fmt: skip
    scores = np.asarray(g(data.X))
    if norm > 0 and roots and np.all(scores * data.sign > 0):
        m = float(np.abs(scores).min()) / norm
        for side, name in ((-1, f"margin {format_number(m)}"), (1, None)):
            ax.axvline(roots[0] + side * m, color=INK, lw=1.3, ls=DASHED, label=name, zorder=2)
    scatter_classes(ax, np.column_stack([data.X, np.zeros(len(data.X))]), *data[1:3], zorder=4, clip_on=False)
    ax.set(xlim=(x[0], x[-1]), xlabel=data.names[0], ylabel="g(x)")
    write_title(ax, f"g(x) = {formula}{data.count_wrong(scores)}")


def find_thresholds(g: Callable[[float], float], x: np.ndarray, values: np.ndarray) -> list[float]:
    """Return where g changes its sign between successive x.

    >>> x = np.array([0.0, 1.0, 2.5])
    >>> [round(root, 6) for root in find_thresholds(lambda at: at * at - 2, x, x * x - 2)]
    [1.414214]
    """
    changes = np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0)
    exact = x[values == 0].tolist()
    return sorted([*exact, *(float(brentq(g, x[k], x[k + 1])) for k in changes)])
