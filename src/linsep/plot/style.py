"""How all pictures look: colours, markers, axes and numbers."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..discriminant import written

# Okabe and Ito's palette: told apart by the colour-blind too; the classes differ in their markers as well.
NEGATIVE, POSITIVE = "#0072B2", "#D55E00"  # blue, vermilion
SOLUTION = "#009E73"  # green
INK, PALE = "#222222", "#8A8A8A"
MANY = [NEGATIVE, POSITIVE, SOLUTION, "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", INK]  # of many classes, in turn
SHAPES = ["X", "o", "s", "^", "D", "v", "P", "*"]
COLOURS = {-1: NEGATIVE, 1: POSITIVE}
MARKERS = {-1: "X", 1: "o"}  # crosses and circles, as S1 draws them


def axes(ax: Axes | None, size: tuple[float, float] = (6.0, 4.6)) -> Axes:
    """``ax``, or axes of a new figure; without the frame's upper and right edge."""
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(PALE)
    ax.tick_params(colors=INK, color=PALE, labelsize=9)
    return ax


def legend(ax: Axes) -> None:
    """A legend below the axes, where it can hide nothing."""
    handles, names = ax.get_legend_handles_labels()
    units = ax.get_window_extent().width / ax.figure.dpi * 72 / 9  # the width of the axes in units of the type size
    widths = [0.55 * len(name) + 4 for name in names]
    columns = len(names) if sum(widths) <= 1.25 * units else max(1, int(1.25 * units / max(widths)))
    ax.legend(
        handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=4.2, ncols=columns,
        fontsize=9, frameon=False, handlelength=1.6, columnspacing=1.6,
    )  # fmt: skip


def number(value: float) -> str:
    """A number as short as it can be written with four digits.

    >>> number(2.50), number(-0.0), number(1 / 3)
    ('2.5', '0', '0.3333')
    """
    return f"{float(value) + 0.0:.4g}"


def vector(values: np.ndarray) -> str:
    """A vector as the lectures write it.

    >>> vector(np.array([-0.5, -3.0, -1.0]))
    '(-0.5, -3, -1)'
    """
    return f"({', '.join(number(value) for value in values)})"


def polynomial(w: np.ndarray, w0: float, name: str = "x") -> str:
    """The linear form <w,x> + w0 written out.

    >>> polynomial(np.array([2.5, -4.5]), -1.0)
    '2.5·x₁ − 4.5·x₂ − 1'
    >>> polynomial(np.array([0.0, -1.0]), 0.0)
    '−x₂'
    """
    return written([*((value, f"{name}{'₁₂₃₄₅₆₇₈₉'[j]}") for j, value in enumerate(w)), (w0, "")])
