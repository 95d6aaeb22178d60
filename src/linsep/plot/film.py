"""The frames of an animation: a picture on the left, the update with its numbers on the right."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .gaussians import ShownGaussians, draw_line_and_ellipses, fit_ellipse_box
from .geometry import clip_line
from .labels import BACKGROUND
from .plane import add_near_lines, set_limits, shade_sides
from .plot_data import PlotData
from .replay import ReplayedUpdate, format_update
from .style import (
    DASHED,
    GREY,
    INK,
    draw_legend,
    draw_rings,
    format_number,
    format_vector,
    prepare_axes,
    scatter_classes,
)
from .weight_space import draw_arrows, draw_weight_space, fit_weight_box

FIGURE_SIZE, DPI = (10.4, 5.4), 96
LINE_LENGTH = 41  # letters of a line on the right


class Film:
    """Frames of the updates of a run: the start, one per update, the result. Subclasses draw the left side."""

    def __init__(self, updates: list[ReplayedUpdate], target: Any, start: np.ndarray):
        self.updates, self.target, self.start = updates, target, start
        self.figure = Figure(figsize=FIGURE_SIZE, dpi=DPI, facecolor="white")
        FigureCanvasAgg(self.figure)
        self.left = self.figure.add_axes((0.08, 0.25, 0.44, 0.71))
        self.right = self.figure.add_axes((0.56, 0.25, 0.43, 0.71))

    def frames(self) -> Iterator[int]:
        """Draw the frames one after the other; yields their number."""
        empty = "There is no line yet: every point is violated." if not self.start.any() else "The initial w."
        self._draw(0, self.start, None, "Start", [f"w = {format_vector(self.start)}", "", empty])
        yield 0
        for k, update in enumerate(self.updates, start=1):
            words = [*self.explain(update), "", *split_formula(update)]
            self._draw(k, update.after, update, f"Update {k} of {len(self.updates)}", words)
            yield k
        final = self.updates[-1].after if self.updates else self.start
        self._draw(len(self.updates), final, None, *self.describe_result(final))
        yield len(self.updates) + 1

    # many arguments because: it is private, and a frame has so many parts
    def _draw(self, k: int, w: np.ndarray, update: ReplayedUpdate | None, title: str, words: list[str]) -> None:
        self.left.clear()
        prepare_axes(self.left)
        self.draw_left(k, w, update)
        self.left.set_title("")
        draw_legend(self.left)
        _write(self.right, title, words)

    def draw_left(self, k: int, w: np.ndarray, update: ReplayedUpdate | None) -> None:
        """Draw the picture of frame k; ``update`` is None at the start and at the end."""
        raise NotImplementedError

    def explain(self, update: ReplayedUpdate) -> list[str]:
        """Say which vector is violated."""
        rival = f" against x{update.rival + 1}" if update.rival >= 0 else ""
        return [f"x{update.row + 1}{rival}: ⟨w,a⟩ = {format_number(update.wa)} ≤ {format_number(update.goal)}"]

    def least_score(self, w: np.ndarray) -> float:
        """Return the least <w,a> of all vectors."""
        raise NotImplementedError

    def describe_result(self, w: np.ndarray) -> tuple[str, list[str]]:
        """Return title and text of the last frame."""
        total, least, count = (
            self.updates[-1].total_weight if self.updates else 0.0,
            self.least_score(w),
            len(self.updates),
        )
        reached = least > self.target.goal(float(w @ w), total)
        title = f"{'Done' if reached else 'Stopped'} after {count} update{'s' * (count != 1)}"
        result = "Every vector is satisfied" if reached else "Some vectors are still violated"
        return title, [f"w = {format_vector(w)}", "", f"{result}: the least ⟨w,a⟩ is {format_number(least)}."]


class DataFilm(Film):
    """The points and the line g(x) = 0."""

    def __init__(self, data: PlotData, updates: list[ReplayedUpdate], target: Any, bias: str, start: np.ndarray):
        super().__init__(updates, target, start)
        self.data, self.bias = data, bias
        self.shown = add_near_lines(data.X, [self.get_line(update.after) for update in updates])

    def draw_left(self, k: int, w: np.ndarray, update: ReplayedUpdate | None) -> None:
        """Draw the points, the line, and the line before."""
        ax = self.left
        box = set_limits(ax, self.data, self.shown)
        line = self.get_line(w)
        shade_sides(ax, box, *line)
        ax.plot(*clip_line(box, *line).T, color=INK, label="g(x) = 0", zorder=2)
        before = clip_line(box, *self.get_line(np.zeros_like(w) if update is None else update.before))
        ax.plot(*before.T, color=GREY, lw=1.5, ls=DASHED, label="before", zorder=1)
        scatter_classes(ax, *self.data[:3])
        for row in [] if update is None else [row for row in (update.row, update.rival) if row >= 0]:
            _ring(ax, self.data.X[row], row)

    def get_line(self, w: np.ndarray) -> tuple[np.ndarray, float]:
        """Return w and w0 of the line; a free bias puts it half-way between the classes."""
        if self.bias != "free":
            return w[:2], float(w[2]) if self.bias == "augmented" else 0.0
        negative, positive = self._lowest_of_classes(w)
        return w, 0.5 * (negative - positive)

    def _lowest_of_classes(self, w: np.ndarray) -> tuple[float, float]:
        """Return the least <w,a> of the rows of the negative and of the positive class."""
        g = self.data.X @ w[:2] + (w[2] if self.bias == "augmented" else 0.0)
        return float(-g[self.data.sign < 0].max()), float(g[self.data.sign > 0].min())

    def least_score(self, w: np.ndarray) -> float:
        """Return the least <w,a>; with a free bias of the halved differences."""
        negative, positive = self._lowest_of_classes(w)
        return 0.5 * (negative + positive) if self.bias == "free" else min(negative, positive)


class WeightFilm(Film):
    """The vectors, the solution cone, the path of w and the line at right angles to w (S0, "Perceptron, Example 2")."""

    def __init__(self, data: PlotData, updates: list[ReplayedUpdate], target: Any, bias: str, start: np.ndarray):
        super().__init__(updates, target, start)
        self.data, self.steps = data, np.array([start, *(update.after for update in updates)])
        self.factor, self.box = fit_weight_box(self.left, data, self.steps)

    def draw_left(self, k: int, w: np.ndarray, update: ReplayedUpdate | None) -> None:
        """Draw the path so far, w, and the violated vector."""
        ax = self.left
        draw_weight_space(ax, self.data, self.steps[: k + 1], self.box, self.factor)
        ax.plot(*clip_line(self.box, w).T, color=INK, lw=1.5, ls=DASHED, label="⟨w,a⟩ = 0", zorder=3)
        draw_arrows(ax, np.zeros((1, 2)), w[None], color=INK, width=0.009, alpha=0.35, zorder=3)
        if update is not None:
            _ring(ax, self.factor * self.data.vectors[update.row], update.row)

    def least_score(self, w: np.ndarray) -> float:
        """Return the least <w,a>."""
        return float((self.data.vectors @ w).min())


class GaussianFilm(Film):
    """Ellipses that grow, and the line that the loop turns away from them (S4.43)."""

    def __init__(self, shown: ShownGaussians, updates: list[ReplayedUpdate], radii: list[float], target: Any):
        super().__init__(updates, target, np.zeros(3))
        self.shown, self.radii = shown, radii  # one radius per update, and that of the end

    def draw_left(self, k: int, w: np.ndarray, update: ReplayedUpdate | None) -> None:
        """Draw the ellipses of the present radius, the line, and the lowest point that was on its wrong side."""
        ax = self.left
        box = fit_ellipse_box(ax, self.shown, max(self.radii))
        r = self.radii[-1] if update is None and k else self.radii[max(k - 1, 0)]
        draw_line_and_ellipses(ax, self.shown, w[:2], float(w[2]), box, np.array([r]))
        if update is not None:
            before = clip_line(box, update.before[:2], float(update.before[2]))
            ax.plot(*before.T, color=GREY, lw=1.5, ls=DASHED, label="before", zorder=1)
            lowest = self.shown.sign[update.row] * update.a[:2]
            ax.plot(*lowest, "D", color=INK, mec="white", ms=9, label="lowest point", zorder=6)

    def explain(self, update: ReplayedUpdate) -> list[str]:
        """Say which ellipse is not on its side."""
        r = format_number(self.radii[next(k for k, one in enumerate(self.updates) if one is update)])
        violated = f"lowest point of Gaussian {update.row + 1}: ⟨w,a⟩ = {format_number(update.wa)} ≤ 0"
        return [f"The ellipses have the radius r = {r}.", "", violated]

    def least_score(self, w: np.ndarray) -> float:
        """Return the least <w,a> of all points of all ellipses."""
        part = self.shown.as_oracle(self.radii[-1])
        return min(float(part.lowest(w, j)[0]) for j in range(len(self.shown.sign)))


def split_formula(update: ReplayedUpdate) -> list[str]:
    """Return the formula of an update in lines: before every equals sign, and before a plus if a line is too long.

    >>> a = np.array([4.5, 1.0, 1.0])
    >>> split_formula(ReplayedUpdate(5, -1, a, 0.0, 0.0, 1.0, 1.0, np.zeros(3), a, 1.0))
    ['w ← w + 1·(4.5, 1, 1)', '  = (0, 0, 0) + (4.5, 1, 1)', '  = (4.5, 1, 1)']
    """
    lines = []
    for line in format_update(update).replace(" = ", "\n  = ").split("\n"):
        lines += [line] if len(line) <= LINE_LENGTH else line.replace(" + ", "\n  + ").split("\n")
    return lines


def _ring(ax: Axes, point: np.ndarray, row: int) -> None:
    """Draw a ring around a violated point, with its name; points are counted from 1, as in the lectures."""
    draw_rings(ax, point[None])
    beside: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom", "bbox": BACKGROUND}
    ax.annotate(f"x{row + 1}", tuple(point), (0, 12), weight="bold", zorder=7, **beside)


def _write(ax: Axes, title: str, words: list[str]) -> None:
    """Write a title and lines on the right; lines that are too long are broken."""
    ax.clear()
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.text(0, 0.88, title, fontsize=17, weight="bold", va="baseline")
    lines = [line for text in words for line in textwrap.wrap(text, LINE_LENGTH, drop_whitespace=False) or [""]]
    for k, line in enumerate(lines):
        ax.text(0, 0.76 - 0.08 * k, line, family="monospace", va="baseline")
