"""The convex hulls of two classes, their nearest points, and the optimal hyperplane half-way between (C10)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.spatial import ConvexHull, QhullError

from .geometry import clip_line
from .plane import add_near_lines, draw_support, get_line, is_soft, set_limits
from .plot_data import PlotData, check_two_classes
from .style import (
    DOTTED,
    INK,
    SIGN_COLOURS,
    draw_legend,
    format_number,
    prepare_axes,
    scatter_classes,
    styled,
    write_title,
)


@styled
def hulls(rule: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the hulls of both classes, their nearest points joined, and the line half-way between these (S0, S4.23).

    .. math:: w = \tfrac12 (x_+ - x_-), \qquad (x_+, x_-) = \arg\min_{x_\pm \in conv X_\pm} |x_+ - x_-|

    The nearest points are the convex combinations of the support vectors with the weights ``dual_coef_``. Where the
    hulls intersect, a common point is drawn, with the few rows that prove it. Of a soft margin the two combinations
    need not be the nearest points: w points from one to the other, and that is what the title says.

    Parameters
    ----------
    rule : MaximumMargin
        Fitted to two features, with a free bias.
    X : array-like of shape (n_samples, 2)
        The training points.
    y : array-like of shape (n_samples,)
        Their labels.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from linsep import MaximumMargin
    >>> X, y = [[0.0, 0.0], [0.0, 2.0], [3.0, 1.0], [5.0, 0.0]], [0, 0, 1, 1]
    >>> hulls(MaximumMargin().fit(X, y), X, y, Figure().subplots()).get_title()
    'nearest points (0, 1) and (3, 1): margin 1.5'
    """
    if not hasattr(rule, "support_vectors_"):
        raise ValueError("hulls: expected a fitted MaximumMargin, with support_vectors_ and dual_coef_.")
    if getattr(rule, "bias", "free") != "free":
        raise ValueError(f"hulls: expected a MaximumMargin with bias='free', got bias={rule.bias!r}.")
    w, w0 = get_line(rule, "hulls")
    data = check_two_classes(X, y, "hulls", classes=rule.classes_)
    if abs(data.sign.sum()) == data.sign.size:
        raise ValueError("hulls: expected rows of both classes, got those of one only.")
    ax = prepare_axes(ax)
    box = set_limits(ax, data, add_near_lines(data.X, [(w, w0)]))
    for sign, colour in SIGN_COLOURS.items():
        corners = find_corners(data.X[data.sign == sign])
        ax.fill(*corners.T, facecolor=colour, alpha=0.15, lw=0, zorder=1)
        ax.plot(*np.vstack([corners, corners[:1]]).T, color=colour, lw=1.4, zorder=2)
    scatter_classes(ax, *data[:3])
    if rule.certificate_.status == "not separable":
        title = _draw_common_point(ax, rule.certificate_, data)
    else:
        title = _draw_nearest_points(ax, rule, data, clip_line(box, w, w0))
    write_title(ax, title)
    draw_legend(ax)
    return ax


def _draw_common_point(ax: Axes, certificate: Any, data: PlotData) -> str:
    """Draw the common point of the hulls, joined to the rows that prove it; return the title."""
    rows, weights = certificate.rows, certificate.weights
    positive = data.sign[rows] > 0
    common = weights[positive] @ data.X[rows][positive] / weights[positive].sum()
    for row in rows:
        ax.plot(*np.stack([data.X[row], common]).T, color=INK, lw=1.2, ls=DOTTED, zorder=4)
    ax.plot(*common, "X", color=INK, ms=10, label="common point of the hulls", zorder=5)
    return f"not separable: the hulls intersect at {_format_point(common)}, by {rows.size} points"


def _draw_nearest_points(ax: Axes, rule: Any, data: PlotData, ends: np.ndarray) -> str:
    """Draw the line, the nearest points of the hulls and the support vectors; return the title."""
    weights = np.maximum(np.outer([-1, 1], rule.dual_coef_[0]), 0.0)
    near = weights @ data.X[rule.support_] / weights.sum(axis=1, keepdims=True)
    ax.plot(*ends.T, color=INK, label="g(x) = 0", zorder=2)
    name = "weighted support vectors" if is_soft(rule) else "nearest points"
    ax.plot(*near.T, color=INK, lw=1.5, marker="o", ms=6, label=name, zorder=5)
    draw_support(ax, rule)
    margin, pair = format_number(rule.margin_), f"{_format_point(near[0])} and {_format_point(near[1])}"
    if is_soft(rule):
        return f"soft margin: w points from {pair.replace(' and ', ' to ')}; g(x) = ±1 at {margin}"
    return f"nearest points {pair}: margin {margin}"


def find_corners(X: np.ndarray) -> np.ndarray:
    """Return the corners of a hull in order; of points on a line the two ends."""
    try:
        return X[ConvexHull(X).vertices]
    except (QhullError, ValueError):
        centred = X - X.mean(axis=0)
        t = centred @ np.linalg.svd(centred, full_matrices=False)[2][0]
        return X[[np.argmin(t), np.argmax(t)]]


def _format_point(point: np.ndarray) -> str:
    return f"({', '.join(format_number(round(float(x), 3)) for x in point)})"
