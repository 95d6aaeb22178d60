"""The decision border of a two-class rule in the plane: its line or curve, margin, w and signed distances (B1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from ..certificates.objective import ObjectiveCertificate
from .geometry import PlotBox, bounding_box, clip_line, clip_polygon, project_on_line
from .labels import write_along, write_beside
from .plot_data import PlotData, check_two_classes
from .style import (
    DASHED,
    GREY,
    INK,
    SIGN_COLOURS,
    draw_legend,
    draw_rings,
    format_linear,
    format_number,
    prepare_axes,
    scatter_classes,
    styled,
    write_title,
)
from .threshold import draw_threshold

LABELLED = 3  # number of distances written on each side
LARGEST_RATIO = 6.0  # columns whose ranges differ by a larger factor get different scales
GRID = 300  # points per side at which a curved border is computed


@styled
def decision(rule: Any, X: Any, y: Any, ax: Axes | None = None, distances: bool = False) -> Axes:
    r"""Draw the points, the border :math:`g(x) = 0`, its two sides, its margin and w (S0 (3), S1, S3, S4.8).

    .. math:: g(x) = \langle w,x\rangle + w_0, \qquad r = g(x)/|w|

    If the line separates the points, dashed lines show its margin on X, the smallest :math:`|r|`; of a soft margin
    they are :math:`g(x) = \pm 1`. Support vectors have rings. The border of a lifted rule is a curve (S0 (33)). With
    one column g is drawn above the points on their line; the thresholds are where it is 0.

    Parameters
    ----------
    rule : classifier
        Fitted to one or two features, with ``classes_``, and ``coef_`` and ``intercept_``, or ``decision_function``
        (`linsep.Lifted`).
    X : array-like of shape (n_samples, 2) or (n_samples, 1)
        Points.
    y : array-like of shape (n_samples,)
        Labels.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.
    distances : bool, default=False
        Join every point to its foot on the line, and write the signed distance r = g(x)/\|w\| of the nearest points
        of each side. For lines in the plane only.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> rule = SimpleNamespace(coef_=np.array([[1.0, 0.0]]), intercept_=np.array([-2.0]), classes_=np.array([0, 1]))
    >>> ax = decision(rule, [[0.0, 0.0], [5.0, 1.0]], [0, 1], Figure().subplots())
    >>> ax.get_title()
    'g(x) = x₁ − 2'
    """
    curved = hasattr(rule, "lift_") or not hasattr(rule, "coef_")  # the coef_ of a lifted rule is about lifted columns
    linear = not (curved and hasattr(rule, "decision_function"))
    data = check_two_classes(X, y, "decision", columns=(1, 2), classes=getattr(rule, "classes_", None))
    columns = data.X.shape[1]
    if distances and not (linear and columns == 2):
        raise ValueError("decision: expected distances=False, distances are drawn from a line in the plane only.")
    w, w0 = get_line(rule, "decision", columns) if linear else (np.zeros(columns), 0.0)
    ax = prepare_axes(ax)
    if columns == 1:
        g = (lambda x: x @ w + w0) if linear else rule.decision_function
        formula = format_linear(w, w0, ("x",)) if linear else get_formula(rule)
        draw_threshold(ax, data, g, formula, float(abs(w[0])))
    elif not linear:
        _draw_curve(ax, data, rule)
    elif np.any(w != 0):
        _draw_line(ax, data, rule, w, w0, distances)
    else:
        set_limits(ax, data, data.X)
        scatter_classes(ax, *data[:3])
        write_title(ax, "w = 0: there is no decision line")
    draw_legend(ax)
    return ax


def _draw_line(ax: Axes, data: PlotData, rule: Any, w: np.ndarray, w0: float, distances: bool) -> None:
    norm = float(np.linalg.norm(w))
    r = (data.X @ w + w0) / norm
    box = set_limits(ax, data, add_near_lines(data.X, [(w, w0)]))
    shade_sides(ax, box, w, w0)
    ends = clip_line(box, w, w0)
    ax.plot(*ends.T, color=INK, label="g(x) = 0", zorder=2)
    soft = is_soft(rule)
    if soft or np.all(r * data.sign > 0):
        m = 1.0 / norm if soft else float(np.abs(r).min())
        name = f"g(x) = ±1, at {format_number(m)}" if soft else f"margin {format_number(m)}"
        for side, label in ((-1, name), (1, None)):
            dashed = clip_line(box, w, w0 - side * m * norm)
            ax.plot(*dashed.T, color=INK, lw=1.3, ls=DASHED, label=label, zorder=2)
    if distances:
        _draw_distances(ax, data, r, project_on_line(data.X, w, w0))
    scatter_classes(ax, *data[:3])
    draw_support(ax, rule)
    _draw_w(ax, box, w / norm, ends, data.X)
    outside = "" if len(ends) else "   (the line is outside the plot)"
    write_title(ax, f"g(x) = {format_linear(w, w0)}{outside}{data.count_wrong(r)}")


def _draw_curve(ax: Axes, data: PlotData, rule: Any) -> None:
    """Draw where the g of a rule that is not linear in x is 0, of a soft margin also where it is ±1."""
    box = set_limits(ax, data, data.X)
    x, y = np.linspace(*box[:2], GRID), np.linspace(*box[2:], GRID)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    g = np.asarray(rule.decision_function(grid.reshape(-1, 2))).reshape(GRID, GRID)
    ax.contourf(x, y, g, levels=[-np.inf, 0, np.inf], colors=list(SIGN_COLOURS.values()), alpha=0.09, zorder=0)
    if g.min() < 0 < g.max():
        ax.contour(x, y, g, levels=[0], colors=INK, linewidths=2.0, zorder=2)
        ax.plot([], [], color=INK, label="g(x) = 0")
    if is_soft(rule):
        ax.contour(x, y, g, levels=[-1, 1], colors=INK, linewidths=1.3, linestyles="dashed", zorder=2)
        ax.plot([], [], color=INK, lw=1.3, ls=DASHED, label="g(x) = ±1")
    scatter_classes(ax, *data[:3])
    write_title(ax, f"g(x) = {get_formula(rule)}{data.count_wrong(rule.decision_function(data.X))}")


def is_soft(rule: Any) -> bool:
    """Whether a rule has a soft margin: then a certificate of its cost."""
    return isinstance(getattr(rule, "certificate_", None), ObjectiveCertificate)


def get_formula(rule: Any) -> str:
    """Return g in the original variables, where the rule can write it."""
    return rule.as_polynomial().to_string() if hasattr(rule, "as_polynomial") else "⟨w,φ(x)⟩ + w₀"


def draw_support(ax: Axes, rule: Any) -> None:
    """Draw rings around the support vectors of a rule that has some."""
    if hasattr(rule, "support_vectors_"):
        found = rule.support_vectors_
        draw_rings(ax, np.asarray(found.toarray() if hasattr(found, "toarray") else found, float), "support vectors")


def get_line(rule: Any, function: str, columns: int = 2) -> tuple[np.ndarray, float]:
    """Return w and w0 of a fitted rule for one or two features; ``function`` is named in errors."""
    w = np.asarray(getattr(rule, "coef_", np.zeros(0)), dtype=np.float64)
    if w.size != columns or w.shape[-1:] != (columns,):
        count = "two numbers" if columns == 2 else "one number"
        raise ValueError(f"{function}: expected a fitted rule with one w of {count}, got coef_ of shape {w.shape}.")
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
    ax.add_collection(LineCollection(list(segments), colors=GREY, linewidths=0.9, alpha=alpha, zorder=1))
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
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.8, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 15}
    ax.annotate("", tips[best], starts[best], arrowprops=arrow, zorder=4)
    beside: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "style": "italic"}
    ax.annotate("w", tips[best], tuple(9 * unit), color=INK, zorder=4, **beside)
