"""The decision line of a rule with two features, its margin, its w and signed distances (B1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from .geometry import Box, around, chord, clip, feet
from .labels import place, write_on
from .sample import Sample, sample
from .style import COLOURS, INK, MARKERS, NEGATIVE, PALE, POSITIVE, axes, legend, number, polynomial

NEAREST = 3  # distances written on each side
FAR = 6.0  # columns whose ranges differ by more than this are not drawn to one scale


def decision(rule: Any, X: Any, y: Any, ax: Axes | None = None, distances: bool = False) -> Axes:
    r"""The points, the line :math:`g(x) = \langle w,x\rangle + w_0 = 0`, its two sides, its margin and w.

    ``rule`` is a fitted rule for two features (``coef_``, ``intercept_``, ``classes_``). If it separates the
    points, dashed lines show its margin on X, the smallest :math:`|g(x)|/|w|`. With ``distances`` every point
    is joined to its foot on the line, and the nearest of each side carry their signed distance r = g(x)/\|w\|.

    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> rule = SimpleNamespace(coef_=np.array([[1.0, 0.0]]), intercept_=np.array([-2.0]), classes_=np.array([0, 1]))
    >>> ax = decision(rule, [[0.0, 0.0], [5.0, 1.0]], [0, 1], Figure().subplots())
    >>> ax.get_title()
    'g(x) = x₁ − 2'
    """
    w, w0 = line_of(rule)
    data = sample(X, y, classes=getattr(rule, "classes_", None), who="decision")
    ax = axes(ax)
    norm = float(np.linalg.norm(w))
    if norm == 0:
        frame(ax, data, data.X)
        scatter(ax, data)
        ax.set_title("w = 0: there is no decision line", fontsize=10)
        legend(ax)
        return ax
    r = (data.X @ w + w0) / norm
    box = frame(ax, data, seen(data.X, [(w, w0)]))
    sides(ax, box, w, w0)
    ends = chord(box, w, w0)
    ax.plot(*ends.T, color=INK, lw=1.8, label="g(x) = 0", zorder=2)
    if np.all(r * data.sign > 0):
        _margin(ax, box, w, w0, float(np.abs(r).min()))
    if distances:
        _distances(ax, data, r, feet(data.X, w, w0), ends)
    scatter(ax, data)
    _arrow(ax, box, w / norm, ends, data.X)
    wrong = int(np.sum(r * data.sign <= 0))
    title = f"g(x) = {polynomial(w, w0)}" + ("" if len(ends) else "   (the line is far off)")
    ax.set_title(title + (f"   ({wrong} of {r.size} on the wrong side)" if wrong else ""), fontsize=10)
    legend(ax)
    return ax


def line_of(rule: Any) -> tuple[np.ndarray, float]:
    """w and w0 of a fitted rule for two features."""
    w = np.asarray(getattr(rule, "coef_", np.zeros(0)), dtype=np.float64)
    if w.size != 2 or w.shape[-1:] != (2,):
        raise ValueError(f"decision: a fitted rule with one w of two numbers is wanted, its coef_ has shape {w.shape}.")
    return w.ravel(), float(np.ravel(getattr(rule, "intercept_", 0.0))[0])


def seen(X: np.ndarray, lines: list[tuple[np.ndarray, float]]) -> np.ndarray:
    """The points to be shown: the data, and of each line that passes them by the place where it is nearest."""
    shown = [X]
    reach = float(np.linalg.norm(X.max(axis=0) - X.min(axis=0))) or 1.0
    for w, w0 in lines:
        if w @ w > 0:
            nearest = feet(X, w, w0)[[np.argmin(np.abs(X @ w + w0))]]
            if np.linalg.norm(nearest - X, axis=1).min() < reach:
                shown.append(nearest)
    return np.concatenate(shown)


def frame(ax: Axes, data: Sample, points: np.ndarray) -> Box:
    """Fix the limits and name the axes; one scale for both where that is possible, so that angles are true."""
    span = np.ptp(points, axis=0)
    to_scale = span.min() == 0 or span.max() / span.min() <= FAR
    extent = ax.get_window_extent()
    box = around(points, ratio=extent.height / extent.width if to_scale else None)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=data.names[0], ylabel=data.names[1])
    ax.set_aspect("equal" if to_scale else "auto", adjustable="box")
    return box


def scatter(ax: Axes, data: Sample) -> None:
    """The points of both classes."""
    for sign, label in zip((-1, 1), data.classes, strict=True):
        of = data.X[data.sign == sign]
        marks: dict[str, Any] = {"c": COLOURS[sign], "marker": MARKERS[sign], "edgecolors": "white", "linewidths": 0.8}
        size = float(np.clip(4000 / max(len(data.X), 1), 12, 64))
        ax.scatter(of[:, 0], of[:, 1], s=size, label=f"class {label}", zorder=3, **marks)


def sides(ax: Axes, box: Box, w: np.ndarray, w0: float) -> None:
    """Shade the two sides of the line in the colours of their classes."""
    for side, colour in ((-1, NEGATIVE), (1, POSITIVE)):
        polygon = clip(box.corners, side * w, side * w0)
        if len(polygon) and w @ w > 0:
            ax.fill(*polygon.T, color=colour, alpha=0.09, lw=0, zorder=0)


def _margin(ax: Axes, box: Box, w: np.ndarray, w0: float, m: float) -> None:
    norm = float(np.linalg.norm(w))
    for side in (-1, 1):
        name = f"margin {number(m)}" if side < 0 else None
        ax.plot(*chord(box, w, w0 - side * m * norm).T, color=INK, lw=1.0, ls=(0, (5, 4)), label=name, zorder=2)


def _distances(ax: Axes, data: Sample, r: np.ndarray, foot: np.ndarray, ends: np.ndarray) -> None:
    segments = np.stack([data.X, foot], axis=1)
    faint = float(np.clip(40 / len(r), 0.25, 1.0))
    ax.add_collection(LineCollection(list(segments), colors=PALE, linewidths=0.7, alpha=faint, zorder=1))
    order = np.argsort(np.abs(r), kind="stable")
    chosen = [order[data.sign[order] == sign][:NEAREST] for sign in (-1, 1)]
    short = []
    for rank, k in ((rank, k) for side in chosen for rank, k in enumerate(side)):
        if not write_on(ax, segments[k], number(round(r[k], 3)), at=0.35 + 0.12 * rank, color=INK, zorder=5):
            short.append(k)
    lines = np.concatenate([segments, ends[None]]) if len(ends) else segments
    place(ax, data.X[short], [number(round(r[k], 3)) for k in short], data.X, lines, color=INK, zorder=5)


def _arrow(ax: Axes, box: Box, unit: np.ndarray, ends: np.ndarray, X: np.ndarray) -> None:
    """w as an arrow from the line, where the line is farthest from the points."""
    if not len(ends):
        return
    length = 0.13 * float(box.size.min())
    starts = ends[0] + np.linspace(0.12, 0.88, 20)[:, None] * (ends[1] - ends[0])
    tips = starts + length * unit
    inside = np.all((tips > np.array(box)[::2]) & (tips < np.array(box)[1::2]), axis=1)
    room = np.linalg.norm((tips[:, None] - X[None]) / box.size, axis=2).min(axis=1)
    best = int(np.argmax(np.where(inside, np.minimum(room, 0.2), -1.0)))
    style: dict[str, Any] = {
        "arrowstyle": "-|>",
        "color": INK,
        "lw": 1.4,
        "shrinkA": 0,
        "shrinkB": 0,
        "mutation_scale": 12,
    }
    ax.annotate("", tips[best], starts[best], arrowprops=style, zorder=4)
    beside: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "style": "italic"}
    ax.annotate("w", tips[best], tuple(7 * unit), color=INK, zorder=4, **beside)
