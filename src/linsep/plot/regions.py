"""The regions of many classes in the plane: convex for a linear machine, also ambiguous for a committee (D1-D3)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from .geometry import clip_polygon
from .labels import BACKGROUND
from .plane import set_limits
from .plot_data import check_data
from .style import GREY, INK, class_colour, class_name, draw_legend, prepare_axes, scatter_classes, styled, write_title

AMBIGUOUS = -1
NAMED = 8  # with more classes the names are written into the regions


class Region(NamedTuple):
    """A convex polygon in which the decision is the same."""

    corners: np.ndarray
    label: int  # the index of the class, or AMBIGUOUS


@styled
def regions(rule: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the points, and the region of every class in its colour; ambiguous regions are grey and hatched (S3, S4.7).

    .. math:: \text{class } k \text{ where } \langle w_k,x\rangle + b_k > \langle w_j,x\rangle + b_j
              \text{ for all } j \ne k

    The regions are exact polygons, not pixels. More than eight classes have their names in their regions.

    Parameters
    ----------
    rule : classifier
        Fitted to two features: a linear machine (its regions are convex), `OneVsAll` (ambiguous where not exactly one
        class claims x) or `OneVsOne` (ambiguous where several classes share the most votes), or an estimator with one
        of these as ``committee_``.
    X : array-like of shape (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Labels.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> W = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> rule = SimpleNamespace(coef_=W, intercept_=np.zeros(3), classes_=np.array(["a", "b", "c"]))
    >>> regions(rule, [[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], ["a", "b", "c"], Figure().subplots()).get_title()
    'linear machine: 3 convex regions'
    """
    rule = getattr(rule, "committee_", rule)
    W = _get_lines(rule)
    data = check_data(X, y, "regions", classes=rule.classes_)
    ax = prepare_axes(ax)
    box = set_limits(ax, data, data.X).corners
    committee = hasattr(rule, "votes")
    found = _split_by_members(rule, W, box) if committee else _split_by_classes(W, box)
    for region in found:
        ambiguous = region.label == AMBIGUOUS
        colour = GREY if ambiguous else class_colour(region.label)
        edge: dict[str, Any] = {"edgecolor": GREY, "hatch": "////"} if ambiguous else {"edgecolor": INK}
        ax.fill(*region.corners.T, color=colour, alpha=0.35 if ambiguous else 0.16, lw=0, zorder=0)
        ax.fill(*region.corners.T, facecolor="none", lw=1.0, zorder=1, **edge)
    scatter_classes(ax, *data[:3])
    if len(data.classes) > NAMED and not committee:
        _write_names(ax, found, data.classes)
    if committee:
        share = sum(_area(region.corners) for region in found if region.label == AMBIGUOUS) / _area(box)
        ax.fill([], [], facecolor="none", edgecolor=GREY, hatch="////", label="ambiguous")
        kind = "one versus one" if hasattr(rule, "pairs_") else "one versus all"
        write_title(ax, f"{kind}: {100 * share:.1f} % of the plot is ambiguous")
    else:
        write_title(ax, f"linear machine: {len(found)} convex regions")
    draw_legend(ax)
    return ax


def _write_names(ax: Axes, found: list[Region], classes: list) -> None:
    """Write the name of each class into its region."""
    for corners, label in found:
        name = class_name(classes[label]).removeprefix("class ")
        x, y = corners.mean(axis=0)
        ax.text(x, y, name, ha="center", va="center", weight="bold", bbox=BACKGROUND, zorder=4)


def _get_lines(rule: Any) -> np.ndarray:
    """Return the rows (w, w0) of a rule for two features; one line of two classes is a machine of -w/2 and w/2."""
    coef = np.asarray(getattr(rule, "coef_", np.zeros(0)), dtype=np.float64)
    if coef.ndim != 2 or coef.shape[1] != 2:
        raise ValueError(f"regions: expected a fitted linear rule with coef_ of shape (k, 2), got {coef.shape}.")
    W = np.column_stack([coef, np.broadcast_to(rule.intercept_, len(coef))])
    return W if len(W) > 1 or hasattr(rule, "votes") else np.vstack([-0.5 * W, 0.5 * W])


def _split_by_classes(W: np.ndarray, box: np.ndarray) -> list[Region]:
    """Return the regions of a linear machine: on the side of class k of the line between it and every other class."""
    found = []
    for k, own in enumerate(W):
        corners = box
        for j, other in enumerate(W):
            if j != k and len(corners):
                corners = clip_polygon(corners, (own - other)[:2], float((own - other)[2]))
        if len(corners) > 2:
            found.append(Region(corners, k))
    return found


def _split_by_members(rule: Any, W: np.ndarray, box: np.ndarray) -> list[Region]:
    """Return the polygons into which the lines of a committee's members divide the box; in each the votes are equal."""
    polygons = [box]
    for w in W:
        halves = [clip_polygon(one, side * w[:2], float(side * w[2])) for one in polygons for side in (-1, 1)]
        polygons = [half for half in halves if len(half) > 2 and _area(half) > 1e-12 * _area(box)]
    inside = np.array([one.mean(axis=0) for one in polygons])
    label = np.where(rule.ambiguous(inside), AMBIGUOUS, rule.votes(inside).argmax(axis=1))
    return [Region(one, int(k)) for one, k in zip(polygons, label, strict=True)]


def _area(corners: np.ndarray) -> float:
    """Return the area of a polygon."""
    x, y = corners.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
