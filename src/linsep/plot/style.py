"""The look of all plots: colours, markers, axes, legends and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..polynomial_function import format_sum

# The palette of Okabe and Ito, which the colour-blind can distinguish; classes have different markers as well.
BLUE, VERMILION, GREEN = "#0072B2", "#D55E00", "#009E73"
INK, GREY = "#222222", "#8A8A8A"
PALETTE = [BLUE, VERMILION, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", INK]  # of the classes, repeated
MARKERS = ["X", "o", "s", "^", "D", "v", "P", "*"]  # crosses and circles first, as in S1
SIGN_COLOURS = {-1: BLUE, 1: VERMILION}


def prepare_axes(ax: Axes | None, size: tuple[float, float] = (6.0, 4.6)) -> Axes:
    """Return ``ax``, or axes of a new figure; without upper and right spine."""
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=INK, color=GREY, labelsize=9)
    return ax


def class_colour(k: int) -> str:
    """Return the colour of the class of index k."""
    return PALETTE[k % len(PALETTE)]


def scatter_classes(ax: Axes, X: np.ndarray, index: np.ndarray, classes: Any) -> None:
    """Draw points of two columns with the colour and marker of their class."""
    size = float(np.clip(4000 / max(len(X), 1), 12, 64))
    for k, label in enumerate(classes):
        of = X[index == k]
        marker = MARKERS[(k + k // len(MARKERS)) % len(MARKERS)]  # shifted where the colours repeat
        look: dict[str, Any] = {"c": class_colour(k), "marker": marker, "edgecolors": "white", "linewidths": 0.8}
        ax.scatter(of[:, 0], of[:, 1], s=size, label=f"class {label}", zorder=3, **look)


def draw_legend(ax: Axes) -> None:
    """Draw a legend below the axes, where it covers nothing."""
    handles, names = ax.get_legend_handles_labels()
    units = ax.get_window_extent().width / ax.figure.dpi * 72 / 9  # the width of the axes in units of the font size
    widths = [0.55 * len(name) + 4 for name in names]
    columns = len(names) if sum(widths) <= 1.25 * units else max(1, int(1.25 * units / max(widths)))
    ax.legend(
        handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=4.2, ncols=columns,
        fontsize=9, frameon=False, handlelength=1.6, columnspacing=1.6,
    )  # fmt: skip


def format_number(value: float) -> str:
    """Format a number with up to four digits.

    >>> format_number(2.50), format_number(-0.0), format_number(1 / 3)
    ('2.5', '0', '0.3333')
    """
    return f"{float(value) + 0.0:.4g}"


def format_vector(values: np.ndarray) -> str:
    """Format a vector as the lectures do.

    >>> format_vector(np.array([-0.5, -3.0, -1.0]))
    '(-0.5, -3, -1)'
    """
    return f"({', '.join(format_number(value) for value in values)})"


def format_linear(w: np.ndarray, w0: float) -> str:
    """Format the linear function <w,x> + w0.

    >>> format_linear(np.array([2.5, -4.5]), -1.0)
    '2.5·x₁ − 4.5·x₂ − 1'
    >>> format_linear(np.array([0.0, -1.0]), 0.0)
    '−x₂'
    """
    return format_sum([*((value, f"x{'₁₂₃₄₅₆₇₈₉'[j]}") for j, value in enumerate(w)), (w0, "")])
