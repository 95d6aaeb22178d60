"""The cones into which Bayes' strategy divides the space of probabilities p(x|k) (A1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .geometry import clip_polygon
from .style import INK, class_colour, class_name, draw_legend, make_axes, prepare_axes, styled, write_title

CORNERS = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])  # (p1, p2) of the corners of p1 + p2 + p3 = 1
HATCHES = ("", "..", "//", "xx", "\\\\", "--")


@styled
def probability_cones(
    loss: Any = None, priors: Any = None, ax: Axes | None = None, *, classes: Any = None, n_classes: int = 3
) -> Axes:
    r"""Draw the cones of Bayes' strategies in the space of the probabilities p(x\|k) of two or three classes (S4.5).

    .. math:: C_d = \Big\{p \ge 0 : \sum_k p_k\, p(k)\, W(d,k) \le \sum_k p_k\, p(k)\, W(d',k)
              \ \text{for all } d'\Big\}, \qquad p_k = p(x|k)

    Every observation x is a point of this space. Its decision depends on the direction of the point only, and the
    points of one decision are a convex cone, bounded by planes through 0: in the space of probabilities every
    Bayesian strategy is a linear classifier.

    Parameters
    ----------
    loss : array-like of shape (n_decisions, n_classes), default=None
        ``W[decision, truth]``; one more row than columns is a reject option. None: 0/1 loss.
    priors : array-like of shape (n_classes,), default=None
        p(k). None: all equal.
    ax : matplotlib Axes, default=None
        Where to draw; with ``projection="3d"`` for three classes. None: a new figure.
    classes : list, default=None
        Labels of the classes. None: 1, 2, ...
    n_classes : {2, 3}, default=3
        Number of classes, where neither ``loss`` nor ``priors`` tells it.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = probability_cones(n_classes=2, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['decide class 1', 'decide class 2']
    """
    W, p, names = _read_problem(loss, priors, classes, n_classes)
    flat = W.shape[1] == 2
    if ax is None:
        ax = make_axes(1, (6.4, 6.0), [None if flat else "3d"])[0]
    if flat == (ax.name == "3d"):
        raise ValueError(f"probability_cones: {W.shape[1]} classes need axes {'without' if flat else 'with'} depth.")
    (_draw_plane if flat else _draw_space)(ax, compute_cones(W * p), names)
    write_title(ax, "every decision has a convex cone of probabilities")
    draw_legend(ax)
    return ax


def _read_problem(loss: Any, priors: Any, classes: Any, count: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return W, p(k) and the names of the decisions."""
    if loss is None:
        count = count if priors is None else len(priors)
        loss = 1.0 - np.eye(count)
    W = np.array(loss, dtype=np.float64)
    if W.ndim != 2 or W.shape[1] not in (2, 3) or len(W) - W.shape[1] not in (0, 1) or not np.isfinite(W).all():
        raise ValueError(f"probability_cones: expected a loss of two or three classes, got shape {W.shape}.")
    p = np.full(W.shape[1], 1.0 / W.shape[1]) if priors is None else np.array(priors, dtype=np.float64)
    if p.shape != W.shape[1:] or not np.all(p > 0) or not np.isfinite(p).all():
        raise ValueError(f"probability_cones: expected {W.shape[1]} positive priors, got {p.tolist()}.")
    labels = list(range(1, W.shape[1] + 1)) if classes is None else list(classes)
    if len(labels) != W.shape[1]:
        raise ValueError(f"probability_cones: expected {W.shape[1]} classes, got {len(labels)}.")
    return W, p, [f"decide {class_name(label)}" for label in labels] + ["reject"] * (len(W) > W.shape[1])


def compute_cones(costs: np.ndarray) -> list[np.ndarray]:
    """Return, for every decision, the corners of its cone where the coordinates sum to 1; no rows if it is never taken.

    ``costs[d, k]`` are p(k) W(d,k).

    >>> [cone.round(3).tolist() for cone in compute_cones(np.array([[0.0, 2.0], [1.0, 0.0]]))]
    [[[1.0, 0.0], [0.667, 0.333]], [[0.667, 0.333], [0.0, 1.0]]]
    """
    cones = []
    for d, cost in enumerate(costs):
        others = np.delete(costs, d, axis=0) - cost  # <= 0 is to be cut off
        if costs.shape[1] == 2:
            low, high = 0.0, 1.0  # of p1
            for at_0, at_1 in others[:, ::-1]:  # of p1 = 0 and p1 = 1
                if at_0 < 0 and at_1 < 0:
                    low, high = 1.0, 0.0
                elif at_0 < 0:
                    low = max(low, at_0 / (at_0 - at_1))
                elif at_1 < 0:
                    high = min(high, at_0 / (at_0 - at_1))
            cones.append(np.array([[high, 1 - high], [low, 1 - low]]) if low < high else np.zeros((0, 2)))
            continue
        polygon = CORNERS
        for other in others:
            polygon = clip_polygon(polygon, other[:2] - other[2], other[2]) if len(polygon) else polygon
        cones.append(np.column_stack([polygon, 1.0 - polygon.sum(axis=1)]) if len(polygon) > 2 else np.zeros((0, 3)))
    return cones


def _draw_plane(ax: Axes, cones: list[np.ndarray], names: list[str]) -> None:
    prepare_axes(ax)
    for k, (cone, name) in enumerate(zip(cones, names, strict=True)):
        if not len(cone):
            continue
        ends = cone / cone.max(axis=1, keepdims=True)  # the rays as far as the sides of the square
        corner = [[1.0, 1.0]] if cone[0, 0] > 0.5 > cone[1, 0] else []
        polygon = np.array([[0.0, 0.0], ends[0], *corner, ends[1]])
        ax.fill(*polygon.T, fc=class_colour(k), alpha=0.3, hatch=HATCHES[k], ec="white", lw=0, label=name, zorder=0)
        ax.plot(*np.array([ends[0], [0.0, 0.0], ends[1]]).T, color=INK, lw=1.2, zorder=2)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="p(x | 1)", ylabel="p(x | 2)", xticks=[], yticks=[])
    ax.set_aspect("equal")


def _draw_space(ax: Any, cones: list[np.ndarray], names: list[str]) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    for k, (cone, name) in enumerate(zip(cones, names, strict=True)):
        if not len(cone):
            continue
        sides = [np.array([np.zeros(3), *pair]) for pair in zip(cone, np.roll(cone, -1, axis=0), strict=True)]
        look = {"facecolor": class_colour(k), "edgecolor": INK}
        ax.add_collection3d(Poly3DCollection(sides, alpha=0.13, lw=0.5, zorder=1, **look))
        ax.add_collection3d(Poly3DCollection([cone], alpha=0.55, lw=1.2, zorder=2, **look))
        ax.plot([], [], [], color=class_colour(k), lw=8, alpha=0.55, label=name)
        name = name.removeprefix("decide class ")
        ax.text(*cone.mean(axis=0), name, fontsize=15, weight="bold", ha="center", va="center", zorder=5)
    for k in range(3):
        end = 1.25 * np.eye(3)[k]
        ax.quiver(0, 0, 0, *end, color=INK, lw=1.4, arrow_length_ratio=0.06, zorder=3)
        ax.text(*(1.1 * end), f"p(x | {k + 1})", ha="center", va="center", zorder=5)
    ax.computed_zorder = False
    ax.set(xlim=(0, 1.4), ylim=(0, 1.4), zlim=(0, 1.4))
    ax.set_axis_off()
    ax.view_init(elev=24, azim=38)
