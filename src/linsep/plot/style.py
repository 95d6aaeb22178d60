"""The look of all pictures: the style file, colours, markers, axes, legends, names of classes and numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from ..polynomial_function import format_sum

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")

STYLE = mpl.rc_params_from_file(Path(__file__).with_name("lectures.mplstyle"), use_default_template=False)
# The palette of Okabe and Ito, which the colour-blind can distinguish; classes have different markers as well.
BLUE, VERMILION, GREEN = "#0072B2", "#D55E00", "#009E73"
INK, GREY = "#222222", "#8A8A8A"
PALETTE = [BLUE, VERMILION, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", INK]  # of the first classes
MARKERS = ["X", "o", "s", "^", "D", "v", "P", "*"]  # crosses and circles first, as in S1
SIGN_COLOURS = {-1: BLUE, 1: VERMILION}
DASHED, DOTTED = (0, (5, 3)), (0, (1, 2))
SMALL = 10.0  # points of the letters inside a picture


def styled(draw: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """Let a function draw in the style of this package, whatever the reader's own is, and leave that as it was."""

    @wraps(draw)
    def draw_in_style(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Drawn:
        with mpl.rc_context(STYLE):
            return draw(*args, **kwargs)

    return draw_in_style


def prepare_axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return ``ax`` in the style of the package, or axes of a new figure."""
    if ax is None:
        return make_axes(1, size)[0]
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(labelcolor=INK, color=GREY, labelsize=STYLE["xtick.labelsize"])
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(fontsize=STYLE["axes.labelsize"], color=INK)
    return ax


def make_axes(
    count: int, size: tuple[float, float] | None = None, projections: Sequence[str | None] = (None,)
) -> list[Axes]:
    """Return axes side by side in a new figure; "3d" is the projection of axes with depth."""
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=size, layout="constrained")
    kinds = [*projections] * count if len(projections) == 1 else [*projections]
    return [figure.add_subplot(1, count, k + 1, projection=kinds[k]) for k in range(count)]


def class_colour(k: int) -> str | tuple[float, ...]:
    """Return the colour of the class of index k: after eight the same ones darker, then lighter."""
    turn, colour = k // len(PALETTE) % 3, PALETTE[k % len(PALETTE)]
    return colour if turn == 0 else mix(colour, 0.6, INK if turn == 1 else "white")


def mix(colour: Any, share: float, other: Any = "white") -> tuple[float, ...]:
    """Return a share of one colour with the rest of another.

    >>> mix("black", 0.25)
    (0.75, 0.75, 0.75)
    """
    return tuple((share * np.array(to_rgb(colour)) + (1 - share) * np.array(to_rgb(other))).tolist())


def class_marker(k: int) -> str:
    """Return the marker of the class of index k; shifted where colours are alike."""
    return MARKERS[(k + k // len(MARKERS)) % len(MARKERS)]


def class_name(label: Any) -> str:
    """Name a class as people do: whole numbers without a point.

    >>> class_name(0.0), class_name(np.float64(2.5)), class_name(np.str_("yes"))
    ('class 0', 'class 2.5', 'class yes')
    """
    whole = isinstance(label, float | np.floating) and float(label).is_integer()
    return f"class {int(label) if whole else label}"


def scatter_classes(ax: Axes, X: np.ndarray, index: np.ndarray, classes: Any, **style: Any) -> None:
    """Draw points of two columns (three, on axes with depth) with the colour and marker of their class."""
    size = float(np.clip(4000 / max(len(X), 1), 16, 80))
    for k, label in enumerate(classes):
        look: dict[str, Any] = {"c": [class_colour(k)], "marker": class_marker(k), "edgecolors": "white", "lw": 0.8}
        look |= {"s": size, "label": class_name(label), "zorder": 3, **style}
        ax.scatter(*X[index == k].T, **look)


def draw_rings(ax: Axes, points: np.ndarray, label: str | None = None) -> None:
    """Draw a ring around each point."""
    look: dict[str, Any] = {"s": 230, "facecolors": "none", "edgecolors": INK, "lw": 1.5, "zorder": 4}
    ax.scatter(*points.T, label=label, **look)


def write_title(ax: Axes, title: str) -> None:
    """Write a title above the axes, in as many lines as it needs at their width."""
    size = float(STYLE["axes.titlesize"])
    letters = int(1.15 * ax.get_window_extent().width / ax.figure.dpi * 72 / (0.52 * size))
    ax.set_title("\n".join(textwrap.fill(line, max(letters, 20)) for line in title.split("\n")))


def draw_legend(ax: Axes) -> None:
    """Draw a legend below the axes, where it covers nothing."""
    handles, names = ax.get_legend_handles_labels()
    size = float(STYLE["legend.fontsize"])
    units = ax.get_window_extent().width / ax.figure.dpi * 72 / size  # the width of the axes in letters
    widths = [0.55 * len(name) + 4 for name in names]
    columns = len(names) if sum(widths) <= 1.25 * units else max(1, int(1.25 * units / max(widths)))
    below = 1.0 if ax.name == "3d" else 4.2 if ax.get_xlabel() else 2.6
    ax.legend(handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=below, ncols=columns)


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


def format_linear(w: np.ndarray, w0: float, names: tuple[str, ...] = ("x₁", "x₂")) -> str:
    """Format the linear function <w,x> + w0.

    >>> format_linear(np.array([2.5, -4.5]), -1.0)
    '2.5·x₁ − 4.5·x₂ − 1'
    >>> format_linear(np.array([0.0, -1.0]), 0.0)
    '−x₂'
    """
    return format_sum([*zip(w.tolist(), names, strict=True), (w0, "")])
