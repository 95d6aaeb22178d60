"""An animation of the updates: the line, the violated point and the formula with its numbers, frame by frame."""

from __future__ import annotations

import os
import secrets
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.animation import PillowWriter
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..rules import Increment
from ..targets import Margin
from .geometry import clip_line
from .labels import BACKGROUND
from .plane import add_near_lines, set_limits, shade_sides
from .plot_data import PlotData, check_two_classes
from .replay import ReplayedUpdate, format_update, replay_updates
from .style import GREY, INK, draw_legend, format_number, format_vector, prepare_axes, scatter_classes

REPEAT_LAST = 3  # the last frame is shown this many times longer
FIGURE_SIZE, DPI = (9.6, 4.6), 96
FONT_SIZE, LINE_LENGTH = 12.0, 41  # of the text on the right, in points and letters


def animate(
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    target: Any = Margin(0.0),  # noqa: B008  (an immutable NamedTuple)
    rule: Any = Increment(1.0),  # noqa: B008
    *,
    max_updates: int = 60,
    seconds_per_frame: float = 0.8,
    bias: str = "augmented",
) -> Path:
    """Write a GIF of the updates on data with two features, and return its path.

    The frames: w = 0, then one per update, then the result, shown longer. The file is written completely or not at all.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    path : str or path
        The file, ending in .gif.
    target : target, default=Margin(0.0)
        When a vector is violated.
    rule : rule, default=Increment(1.0)
        How far w moves.
    max_updates : int, default=60
        Largest number of updates.
    seconds_per_frame : float, default=0.8
        Duration of a frame.
    bias : {"augmented", "free", "none"}, default="augmented"
        The bias; "free": halved differences of the classes (C10).
    """
    data = check_two_classes(X, y, "animate")
    path = Path(path)
    if path.suffix.lower() != ".gif":
        raise ValueError(f"animate: expected a path ending in .gif, got {path.name!r}.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"animate: the folder {str(path.parent)!r} does not exist.")
    if not seconds_per_frame > 0:
        raise ValueError(f"animate: expected seconds_per_frame > 0, got {seconds_per_frame}.")
    updates = list(replay_updates(data.X, data.sign, target, rule, bias=bias, max_updates=max_updates))
    animation = Animation(data, updates, target, bias)
    with write_atomically(path) as partial, mpl.rc_context({"savefig.bbox": None}):
        writer = PillowWriter(fps=1 / seconds_per_frame)  # type: ignore[arg-type]
        writer.setup(animation.figure, str(partial), dpi=DPI)
        for _ in animation.frames():
            writer.grab_frame()
        for _ in range(REPEAT_LAST - 1):
            writer.grab_frame()
        writer.finish()
    return path


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside ``path``; the file gets its name if all went well, and is removed if not."""
    partial = path.with_name(f".{path.stem}-{os.getpid()}-{secrets.token_hex(4)}{path.suffix}")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


class Animation:
    """The figure and its frames: data on the left, text on the right."""

    def __init__(self, data: PlotData, updates: list[ReplayedUpdate], target: Any, bias: str):
        self.data, self.updates, self.target, self.bias = data, updates, target, bias
        self.figure = Figure(figsize=FIGURE_SIZE, dpi=DPI, facecolor="white")
        FigureCanvasAgg(self.figure)
        self.left = self.figure.add_axes((0.08, 0.2, 0.44, 0.76))
        self.right = self.figure.add_axes((0.55, 0.2, 0.44, 0.76))
        self.shown = add_near_lines(data.X, [self.get_line(update.after) for update in updates])

    def frames(self) -> Iterator[int]:
        """Draw the frames one after the other; yields their number."""
        start = np.zeros(2 + (self.bias == "augmented"))
        words = [f"w = {format_vector(start)}", "", "There is no line yet: every point is violated."]
        self._draw(start, "Start", words)
        yield 0
        for k, update in enumerate(self.updates, start=1):
            rival = f" against x{update.rival + 1}" if update.rival >= 0 else ""
            cause = f"x{update.row + 1}{rival}: ⟨w,a⟩ = {format_number(update.wa)} ≤ {format_number(update.goal)}"
            words = [cause, "", *split_formula(update)]
            self._draw(update.after, f"Update {k} of {len(self.updates)}", words, update)
            yield k
        final = self.updates[-1].after if self.updates else start
        self._draw(final, *self.describe_result(final))
        yield len(self.updates) + 1

    def _draw(self, w: np.ndarray, title: str, words: list[str], update: ReplayedUpdate | None = None) -> None:
        """Draw one frame."""
        ax = self.left
        ax.clear()
        prepare_axes(ax)
        box = set_limits(ax, self.data, self.shown)
        line = self.get_line(w)
        shade_sides(ax, box, *line)
        before = np.zeros_like(w) if update is None else update.before
        ax.plot(*clip_line(box, *line).T, color=INK, lw=1.9, label="g(x) = 0", zorder=2)
        dashed = clip_line(box, *self.get_line(before))
        ax.plot(*dashed.T, color=GREY, lw=1.3, ls=(0, (4, 3)), label="before", zorder=1)
        scatter_classes(ax, *self.data[:3])
        for row in [] if update is None else [row for row in (update.row, update.rival) if row >= 0]:
            self._draw_ring(ax, row)
        draw_legend(ax)
        _write(self.right, title, words)

    def _draw_ring(self, ax: Axes, row: int) -> None:
        """Draw a ring around a violated point, with its name; points are counted from 1, as in the lectures."""
        x, y = self.data.X[row]
        ax.scatter(x, y, s=230, facecolors="none", edgecolors=INK, linewidths=1.8, zorder=4)
        beside: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom", "bbox": BACKGROUND}
        ax.annotate(f"x{row + 1}", (x, y), (0, 12), fontsize=10, weight="bold", color=INK, zorder=5, **beside)

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

    def describe_result(self, w: np.ndarray) -> tuple[str, list[str]]:
        """Return title and text of the last frame."""
        total = self.updates[-1].total_weight if self.updates else 0.0
        negative, positive = self._lowest_of_classes(w)
        least = 0.5 * (negative + positive) if self.bias == "free" else min(negative, positive)
        reached = least > self.target.goal(float(w @ w), total)
        count = len(self.updates)
        title = f"{'Done' if reached else 'Stopped'} after {count} update{'s' * (count != 1)}"
        result = "Every vector is satisfied" if reached else "Some vectors are still violated"
        return title, [f"w = {format_vector(w)}", "", f"{result}: the least ⟨w,a⟩ is {format_number(least)}."]


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


def _write(ax: Axes, title: str, words: list[str]) -> None:
    """Write a title and lines on the right; lines that are too long are broken."""
    ax.clear()
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.text(0, 0.88, title, fontsize=17, weight="bold", color=INK, va="baseline")
    lines = [line for text in words for line in textwrap.wrap(text, LINE_LENGTH, drop_whitespace=False) or [""]]
    for k, line in enumerate(lines):
        ax.text(0, 0.76 - 0.085 * k, line, fontsize=FONT_SIZE, family="monospace", color=INK, va="baseline")
