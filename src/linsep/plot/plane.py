"""The decision line of a rule with two features, its margin, w and signed distances (B1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from .geometry import PlotBox, bounding_box, clip_line, clip_polygon, project_on_line
from .labels import write_along, write_beside
from .plot_data import PlotData, check_two_classes
from .style import GREY, INK, SIGN_COLOURS, draw_legend, format_linear, format_number, prepare_axes, scatter_classes

LABELLED = 3  # number of distances written on each side
LARGEST_RATIO = 6.0  # columns whose ranges differ by a larger factor get different scales


def decision(rule: Any, X: Any, y: Any, ax: Axes | None = None, distances: bool = False) -> Axes:
    r"""Draw the points, the line :math:`g(x) = \langle w,x\rangle + w_0 = 0`, its two sides, its margin and w.

    If the rule separates the points, dashed lines show its margin on X, the smallest :math:`|g(x)|/|w|`.

    Parameters
    ----------
    rule : classifier
        Fitted to two features, with ``coef_``, ``intercept_`` and ``classes_``.
    X : array-like of shape (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Labels.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.
    distances : bool, default=False
        Join every point to its foot on the line, and write the signed distance r = g(x)/\|w\| of the nearest points
        of each side.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> rule = SimpleNamespace(coef_=np.array([[1.0, 0.0]]), intercept_=np.array([-2.0]), classes_=np.array([0, 1]))
    >>> ax = decision(rule, [[0.0, 0.0], [5.0, 1.0]], [0, 1], Figure().subplots())
    >>> ax.get_title()
    'g(x) = x₁ − 2'
    """
    w, w0 = get_line(rule, "decision")
    data = check_two_classes(X, y, "decision", classes=getattr(rule, "classes_", None))
    ax = prepare_axes(ax)
    if np.any(w != 0):
        _draw_line(ax, data, w, w0, distances)
    else:
        set_limits(ax, data, data.X)
        scatter_classes(ax, *data[:3])
        ax.set_title("w = 0: there is no decision line", fontsize=10)
    draw_legend(ax)
    return ax


def _draw_line(ax: Axes, data: PlotData, w: np.ndarray, w0: float, distances: bool) -> None:
    norm = float(np.linalg.norm(w))
    r = (data.X @ w + w0) / norm
    box = set_limits(ax, data, add_near_lines(data.X, [(w, w0)]))
    shade_sides(ax, box, w, w0)
    ends = clip_line(box, w, w0)
    ax.plot(*ends.T, color=INK, lw=1.8, label="g(x) = 0", zorder=2)
    if np.all(r * data.sign > 0):
        m = float(np.abs(r).min())
        for side, name in ((-1, f"margin {format_number(m)}"), (1, None)):
            dashed = clip_line(box, w, w0 - side * m * norm)
            ax.plot(*dashed.T, color=INK, lw=1.0, ls=(0, (5, 4)), label=name, zorder=2)
    if distances:
        _draw_distances(ax, data, r, project_on_line(data.X, w, w0))
    scatter_classes(ax, *data[:3])
    _draw_w(ax, box, w / norm, ends, data.X)
    wrong = int(np.sum(r * data.sign <= 0))
    title = f"g(x) = {format_linear(w, w0)}" + ("" if len(ends) else "   (the line is outside the plot)")
    ax.set_title(title + (f"   ({wrong} of {r.size} on the wrong side)" if wrong else ""), fontsize=10)


def get_line(rule: Any, function: str) -> tuple[np.ndarray, float]:
    """Return w and w0 of a fitted rule for two features; ``function`` is named in errors."""
    w = np.asarray(getattr(rule, "coef_", np.zeros(0)), dtype=np.float64)
    if w.size != 2 or w.shape[-1:] != (2,):
        raise ValueError(f"{function}: expected a fitted rule with one w of two numbers, got coef_ of shape {w.shape}.")
    return w.ravel(), float(np.ravel(getattr(rule, "intercept_", 0.0))[0])


def add_near_lines(X: np.ndarray, lines: list[tuple[np.ndarray, float]]) -> np.ndarray:
    """Return the points to be shown: the data, and the nearest point of each line that is not too far off."""
    shown = [X]
    reach = float(np.linalg.norm(X.max(axis=0) - X.min(axis=0))) or 1.0
    for w, w0 in lines:
        if w @ w > 0:
            nearest = project_on_line(X, w, w0)[[np.argmin(np.abs(X @ w + w0))]]
            if np.linalg.norm(nearest - X, axis=1).min() < reach:
                shown.append(nearest)
    return np.concatenate(shown)


def set_limits(ax: Axes, data: PlotData, points: np.ndarray) -> PlotBox:
    """Set limits and names of the axes; equal scales where possible, so that right angles are seen as such."""
    span = np.ptp(points, axis=0)
    to_scale = span.min() == 0 or span.max() / span.min() <= LARGEST_RATIO
    extent = ax.get_window_extent()
    box = bounding_box(points, ratio=extent.height / extent.width if to_scale else None)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=data.names[0], ylabel=data.names[1])
    ax.set_aspect("equal" if to_scale else "auto", adjustable="box")
    return box


def shade_sides(ax: Axes, box: PlotBox, w: np.ndarray, w0: float) -> None:
    """Shade the two sides of the line in the colours of their classes."""
    for side, colour in SIGN_COLOURS.items():
        polygon = clip_polygon(box.corners, side * w, side * w0)
        if len(polygon) and w @ w > 0:
            ax.fill(*polygon.T, color=colour, alpha=0.09, lw=0, zorder=0)


def _draw_distances(ax: Axes, data: PlotData, r: np.ndarray, feet: np.ndarray) -> None:
    segments = np.stack([data.X, feet], axis=1)
    alpha = float(np.clip(40 / len(r), 0.25, 1.0))
    ax.add_collection(LineCollection(list(segments), colors=GREY, linewidths=0.7, alpha=alpha, zorder=1))
    order = np.argsort(np.abs(r), kind="stable")
    names = [format_number(round(value, 3)) for value in r]
    for side in (-1, 1):
        for rank, k in enumerate(order[data.sign[order] == side][:LABELLED]):
            if not write_along(ax, segments[k], names[k], at=0.35 + 0.12 * rank, color=INK, zorder=5):
                write_beside(ax, data.X[k], data.X[k] - feet[k], names[k], color=INK, zorder=5)  # it is too short


def _draw_w(ax: Axes, box: PlotBox, unit: np.ndarray, ends: np.ndarray, X: np.ndarray) -> None:
    """Draw w as an arrow from the line, where the line is farthest from the points."""
    if not len(ends):
        return
    starts = ends[0] + np.linspace(0.12, 0.88, 20)[:, None] * (ends[1] - ends[0])
    tips = starts + 0.13 * float(box.size.min()) * unit
    inside = np.all((tips > np.array(box)[::2]) & (tips < np.array(box)[1::2]), axis=1)
    room = np.linalg.norm((tips[:, None] - X[None]) / box.size, axis=2).min(axis=1)
    best = int(np.argmax(np.where(inside, np.minimum(room, 0.2), -1.0)))
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.4, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 12}
    ax.annotate("", tips[best], starts[best], arrowprops=arrow, zorder=4)
    beside: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "style": "italic"}
    ax.annotate("w", tips[best], tuple(7 * unit), color=INK, zorder=4, **beside)
