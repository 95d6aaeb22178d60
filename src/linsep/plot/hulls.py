"""The hulls of two classes, the points where they are nearest, and the optimal hyperplane half-way between (C10)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.spatial import ConvexHull, QhullError

from .geometry import chord
from .plane import frame, line_of, scatter, seen
from .sample import sample
from .style import COLOURS, INK, axes, legend, number


def hulls(rule: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """The convex hulls of both classes, their nearest points joined, and the line that halves the way at right angles.

    ``rule`` is a fitted `MaximumMargin` for two features with a free bias. The nearest points are the convex
    combinations of the support vectors with the weights ``dual_coef_``. Where the hulls meet, that point is drawn, with
    the few points that prove it.

    >>> from matplotlib.figure import Figure
    >>> from linsep import MaximumMargin
    >>> X, y = [[0.0, 0.0], [0.0, 2.0], [3.0, 1.0], [5.0, 0.0]], [0, 0, 1, 1]
    >>> hulls(MaximumMargin().fit(X, y), X, y, Figure().subplots()).get_title()
    'nearest points (0, 1) and (3, 1): margin 1.5'
    """
    if not hasattr(rule, "support_vectors_"):
        raise ValueError("hulls: a fitted MaximumMargin is wanted, with support_vectors_ and dual_coef_.")
    w, w0 = line_of(rule)
    data = sample(X, y, classes=rule.classes_, who="hulls")
    ax = axes(ax)
    box = frame(ax, data, seen(data.X, [(w, w0)]))
    for sign in (-1, 1):
        corners = _corners(data.X[data.sign == sign])
        ax.fill(*corners.T, facecolor=COLOURS[sign], alpha=0.15, lw=0, zorder=1)
        ax.plot(*np.vstack([corners, corners[:1]]).T, color=COLOURS[sign], lw=1.2, zorder=2)
    scatter(ax, data)
    claim = rule.certificate_
    if claim.status == "not separable":
        rows, weights = claim.rows, claim.weights
        positive = data.sign[rows] > 0
        meeting = weights[positive] @ data.X[rows][positive] / weights[positive].sum()
        for row in rows:
            ax.plot(*np.stack([data.X[row], meeting]).T, color=INK, lw=0.8, ls=":", zorder=4)
        ax.plot(*meeting, "X", color=INK, ms=10, label="where the hulls meet", zorder=5)
        title = f"not separable: the hulls meet at {_pair(meeting)}, by {rows.size} points"
    else:
        near = np.stack([_nearest(rule, data.X, sign) for sign in (-1, 1)])
        ax.plot(*chord(box, w, w0).T, color=INK, lw=1.8, label="g(x) = 0", zorder=2)
        ax.plot(*near.T, color=INK, lw=1.2, marker="o", ms=5, label="nearest points", zorder=5)
        support = np.asarray(rule.support_vectors_, dtype=np.float64)
        ax.scatter(
            support[:, 0],
            support[:, 1],
            s=160,
            facecolors="none",
            edgecolors=INK,
            lw=1.2,
            label="support vectors",
            zorder=4,
        )
        title = f"nearest points {_pair(near[0])} and {_pair(near[1])}: margin {number(rule.margin_)}"
    ax.set_title(title, fontsize=10)
    legend(ax)
    return ax


def _corners(X: np.ndarray) -> np.ndarray:
    """The corners of a hull in order; points on a line, or fewer than three, are their own."""
    try:
        return X[ConvexHull(X).vertices]
    except (QhullError, ValueError):
        along = X - X.mean(axis=0)
        t = along @ np.linalg.svd(along, full_matrices=False)[2][0]
        return X[[np.argmin(t), np.argmax(t)]]


def _nearest(rule: Any, X: np.ndarray, sign: int) -> np.ndarray:
    """The point of one hull that is nearest to the other."""
    weights = np.maximum(sign * rule.dual_coef_[0], 0.0)
    return weights @ X[rule.support_] / weights.sum()


def _pair(point: np.ndarray) -> str:
    return f"({', '.join(number(round(float(x), 3)) for x in point)})"
