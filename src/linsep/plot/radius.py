"""The figure of the capacity: a ball of radius R around the points, and the margin m between them (A4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from ..rows.ball import enclosing_ball
from .geometry import clip_line, project_on_line
from .labels import write_along
from .plane import get_line, set_limits, shade_sides
from .plot_data import check_two_classes
from .style import (
    DASHED,
    DOTTED,
    GREY,
    INK,
    SMALL,
    draw_legend,
    format_number,
    prepare_axes,
    scatter_classes,
    styled,
    write_title,
)


@styled
def radius_and_margin(rule: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the smallest ball around the points and the margin of a line: R and m of the capacity (S0, S4.15).

    .. math:: h \le R^2/m^2 + 1

    Parameters
    ----------
    rule : classifier
        Fitted to two features, with ``coef_`` and ``intercept_``; it must separate the points.
    X : array-like of shape (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Labels.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from linsep import MaximumMargin
    >>> X, y = [[0.0, 0.0], [0.0, 2.0], [4.0, 1.0]], [0, 0, 1]
    >>> radius_and_margin(MaximumMargin().fit(X, y), X, y, Figure().subplots()).get_title()
    'R = 2.125, m = 2: h ≤ R²/m² + 1 = 2.129'
    """
    w, w0 = get_line(rule, "radius_and_margin")
    data = check_two_classes(X, y, "radius_and_margin", classes=getattr(rule, "classes_", None))
    norm = float(np.linalg.norm(w))
    r = (data.X @ w + w0) / norm if norm > 0 else np.zeros(len(data.X))
    if not np.all(r * data.sign > 0):
        raise ValueError("radius_and_margin: expected a rule that separates the points, others have no margin.")
    m, ball = float(np.abs(r).min()), enclosing_ball(data.X, tol=1e-9, max_iter=10_000)
    c, R = ball.centre, ball.radius
    ax = prepare_axes(ax, size=(6.8, 6.2))
    box = set_limits(ax, data, np.vstack([data.X, c - R, c + R]))
    shade_sides(ax, box, w, w0)
    ax.add_patch(Circle(tuple(c), R, fc="none", ec=GREY, lw=1.5, ls=DOTTED, label="smallest ball"))
    ax.plot(*clip_line(box, w, w0).T, color=INK, label="g(x) = 0", zorder=2)
    for side in (-1, 1):
        ax.plot(*clip_line(box, w, w0 - side * m * norm).T, color=INK, lw=1.3, ls=DASHED, zorder=2)
    scatter_classes(ax, *data[:3])
    along = np.array([-w[1], w[0]]) / norm
    _measure(ax, np.stack([c, c - R * along]), "R")
    foot = project_on_line(c[None], w, w0)[0] + 0.75 * R * along
    _measure(ax, np.stack([foot, foot + m * w / norm]), "m")
    bound = format_number(R * R / (m * m) + 1)
    write_title(ax, f"R = {format_number(R)}, m = {format_number(m)}: h ≤ R²/m² + 1 = {bound}")
    draw_legend(ax)
    return ax


def _measure(ax: Axes, segment: np.ndarray, name: str) -> None:
    """Draw a segment with arrows at both ends and its name."""
    arrow = {"arrowstyle": "<|-|>", "color": INK, "lw": 1.5, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 12}
    ax.annotate("", segment[1], segment[0], arrowprops=arrow, zorder=4)
    if not write_along(ax, segment, name, size=SMALL + 4, style="italic", zorder=6):
        where: dict[str, Any] = {"textcoords": "offset points", "style": "italic", "fontsize": SMALL + 4}
        ax.annotate(name, segment.mean(axis=0), (8, 8), zorder=6, **where)
