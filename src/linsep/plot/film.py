"""A film of the updates: the line, the violated point and the formula with its numbers, frame by frame."""

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
from .geometry import chord
from .labels import PAPER
from .plane import frame, scatter, seen, sides
from .replay import Update, formula, replay
from .sample import Sample, sample
from .style import INK, PALE, axes, legend, number, vector

HOLD = 3  # the last frame stays so many times longer
SIZE, DPI = (9.6, 4.6), 96
TYPE, WIDE = 12.0, 41  # points, letters of a line on the right


def animate(
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    target: Any = Margin(0.0),  # noqa: B008  (an immutable NamedTuple)
    rule: Any = Increment(1.0),  # noqa: B008
    most: int = 60,
    seconds_per_frame: float = 0.8,
    bias: str = "augmented",
) -> Path:
    """Write a GIF of the updates on two-feature data, and return its path.

    The frames: w = 0, then one an update (at most ``most``), then the result, held longer. ``bias`` is
    "augmented", "free" (halved differences of the classes, C10) or "none". The file appears whole or not at all.
    """
    data = sample(X, y, who="animate")
    goal = Path(path)
    if goal.suffix.lower() != ".gif":
        raise ValueError(f"animate: path must end in .gif, not {goal.name!r}.")
    if not goal.parent.is_dir():
        raise FileNotFoundError(f"animate: the folder {str(goal.parent)!r} does not exist.")
    if not seconds_per_frame > 0:
        raise ValueError(f"animate: seconds_per_frame must be > 0, not {seconds_per_frame}.")
    updates = list(replay(data.X, data.sign, target, rule, bias=bias, most=most))
    film = Film(data, updates, target, bias)
    with whole(goal) as partial, mpl.rc_context({"savefig.bbox": None}):
        writer = PillowWriter(fps=1 / seconds_per_frame)  # type: ignore[arg-type]
        writer.setup(film.figure, str(partial), dpi=DPI)
        for _ in film.frames():
            writer.grab_frame()
        for _ in range(HOLD - 1):
            writer.grab_frame()
        writer.finish()
    return goal


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name beside ``path`` to write to; becomes ``path`` if all went well, and is removed if not."""
    partial = path.with_name(f".{path.stem}-{os.getpid()}-{secrets.token_hex(4)}{path.suffix}")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


class Film:
    """The figure, and what every frame shows: data on the left, words on the right."""

    def __init__(self, data: Sample, updates: list[Update], target: Any, bias: str):
        self.data, self.updates, self.target, self.bias = data, updates, target, bias
        self.figure = Figure(figsize=SIZE, dpi=DPI, facecolor="white")
        FigureCanvasAgg(self.figure)
        self.left = self.figure.add_axes((0.08, 0.2, 0.44, 0.76))
        self.right = self.figure.add_axes((0.55, 0.2, 0.44, 0.76))
        self.shown = seen(data.X, [self.line(update.after) for update in updates])

    def frames(self) -> Iterator[int]:
        """Draw the frames one after the other; yields their number."""
        start = np.zeros(2 + (self.bias == "augmented"))
        yield self.draw(
            0, start, "Start", [f"w = {vector(start)}", "", "There is no line yet: every point is violated."]
        )
        for k, update in enumerate(self.updates, start=1):
            yield self.draw(
                k, update.after, f"Update {k} of {len(self.updates)}", [self.why(update), "", *lines(update)], update
            )
        final = self.updates[-1].after if self.updates else start
        yield self.draw(len(self.updates) + 1, final, *self.verdict(final))

    def draw(self, k: int, w: np.ndarray, title: str, words: list[str], update: Update | None = None) -> int:
        """One frame."""
        ax = self.left
        ax.clear()
        axes(ax)
        box = frame(ax, self.data, self.shown)
        normal, w0 = self.line(w)
        sides(ax, box, normal, w0)
        before = np.zeros_like(w) if update is None else update.before
        ax.plot(*chord(box, normal, w0).T, color=INK, lw=1.9, label="g(x) = 0", zorder=2)
        ax.plot(*chord(box, *self.line(before)).T, color=PALE, lw=1.3, ls=(0, (4, 3)), label="before", zorder=1)
        scatter(ax, self.data)
        if update is not None:
            self._ring(ax, [row for row in (update.row, update.rival) if row >= 0])
        legend(ax)
        _write(self.right, title, words)
        return k

    def _ring(self, ax: Axes, rows: list[int]) -> None:
        """Ring the violated points, and name them; points are counted from 1, as in the lectures."""
        for row in rows:
            x, y = self.data.X[row]
            ax.scatter(x, y, s=230, facecolors="none", edgecolors=INK, linewidths=1.8, zorder=4)
            beside: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom", "bbox": PAPER}
            ax.annotate(f"x{row + 1}", (x, y), (0, 12), fontsize=10, weight="bold", color=INK, zorder=5, **beside)

    def line(self, w: np.ndarray) -> tuple[np.ndarray, float]:
        """w and w0 of the line; a free bias puts it half-way between the classes."""
        if self.bias != "free":
            return w[:2], float(w[2]) if self.bias == "augmented" else 0.0
        lowest = self.lowest(w)
        return w, 0.5 * (lowest[0] - lowest[1])

    def lowest(self, w: np.ndarray) -> tuple[float, float]:
        """The least <w,a> of the rows of the negative and of the positive class."""
        g = self.data.X @ w[:2] + (w[2] if self.bias == "augmented" else 0.0)
        return float(-g[self.data.sign < 0].max()), float(g[self.data.sign > 0].min())

    def why(self, update: Update) -> str:
        """Who was violated, and by how much."""
        rival = f" against x{update.rival + 1}" if update.rival >= 0 else ""
        return f"x{update.row + 1}{rival}: ⟨w,a⟩ = {number(update.wa)} ≤ {number(update.goal)}"

    def verdict(self, w: np.ndarray) -> tuple[str, list[str]]:
        """The words of the last frame."""
        mass = self.updates[-1].mass if self.updates else 0.0
        negative, positive = self.lowest(w)
        least = 0.5 * (negative + positive) if self.bias == "free" else min(negative, positive)
        reached = least > self.target.goal(float(w @ w), mass)
        count = len(self.updates)
        title = f"{'Done' if reached else 'Stopped'} after {count} update{'s' * (count != 1)}"
        seen = "Every vector is satisfied" if reached else "Some vectors are still violated"
        return title, [f"w = {vector(w)}", "", f"{seen}: the least ⟨w,a⟩ is {number(least)}."]


def lines(update: Update) -> list[str]:
    """The formula of an update, broken before every equals sign, and before a plus where it is long.

    >>> a = np.array([4.5, 1.0, 1.0])
    >>> lines(Update(5, -1, a, 0.0, 0.0, 1.0, 1.0, np.zeros(3), a, 1.0))
    ['w ← w + 1·(4.5, 1, 1)', '  = (0, 0, 0) + (4.5, 1, 1)', '  = (4.5, 1, 1)']
    """
    first, *rest = formula(update).split(" = ")
    broken = []
    for line in (first, *(f"  = {part}" for part in rest)):
        broken += [line] if len(line) <= WIDE else line.replace(" + ", "\n  + ").split("\n")
    return broken


def _write(ax: Axes, title: str, words: list[str]) -> None:
    """Words on the right; a line that is too long is broken."""
    ax.clear()
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.text(0, 0.88, title, fontsize=17, weight="bold", color=INK, va="baseline")
    broken = [part for text in words for part in textwrap.wrap(text, WIDE, drop_whitespace=False) or [""]]
    for k, text in enumerate(broken):
        ax.text(0, 0.76 - 0.085 * k, text, fontsize=TYPE, family="monospace", color=INK, va="baseline")
