"""The regions of many classes in the plane: convex ones of a linear machine, ambiguous ones of a committee (D1-D3)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from .geometry import clip
from .plane import frame
from .sample import Sample, table
from .style import INK, MANY, PALE, SHAPES, axes, legend


class Cell(NamedTuple):
    """A convex polygon in which the rule answers alike."""

    corners: np.ndarray
    label: int  # the number of the class, or -1: ambiguous


def regions(rule: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """The points, and the region of every class in its colour; where a committee is ambiguous, grey and hatched.

    ``rule`` is fitted to two features: a linear machine (its regions are convex), `OneVsAll` (ambiguous where not
    exactly one class claims x) or `OneVsOne` (ambiguous where the most votes are shared), or an estimator that
    holds one of these as ``committee_``. Regions are exact polygons, not a raster.

    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> W = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> rule = SimpleNamespace(coef_=W, intercept_=np.zeros(3), classes_=np.array(["a", "b", "c"]))
    >>> regions(rule, [[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], ["a", "b", "c"], Figure().subplots()).get_title()
    'linear machine: 3 convex regions'
    """
    rule = getattr(rule, "committee_", rule)
    points, labels, names = table(X, y, (2,), "regions")
    W = _lines(rule)
    strange = np.setdiff1d(labels, rule.classes_).tolist()
    if strange:
        raise ValueError(f"regions: y has the label {strange[0]!r}, which the rule does not know.")
    number = np.searchsorted(rule.classes_, labels)
    data = Sample(points, number, tuple(rule.classes_.tolist()), names)
    ax = axes(ax)
    box = frame(ax, data, points)
    cells = _committee(rule, W, box.corners) if hasattr(rule, "votes") else _machine(W, box.corners)
    for cell in cells:
        colour = PALE if cell.label < 0 else MANY[cell.label % len(MANY)]
        ax.fill(*cell.corners.T, color=colour, alpha=0.35 if cell.label < 0 else 0.16, lw=0, zorder=0)
        hatch = "////" if cell.label < 0 else None
        ax.fill(*cell.corners.T, facecolor="none", edgecolor=PALE if hatch else INK, hatch=hatch, lw=0.7, zorder=1)
    size = float(np.clip(4000 / max(len(points), 1), 12, 64))
    for k, name in enumerate(data.classes):
        marks: dict[str, Any] = {"c": MANY[k % len(MANY)], "marker": SHAPES[k % len(SHAPES)], "edgecolors": "white"}
        of = points[number == k]
        ax.scatter(of[:, 0], of[:, 1], s=size, label=f"class {name}", linewidths=0.8, zorder=3, **marks)
    if hasattr(rule, "votes"):
        share = sum(_area(cell.corners) for cell in cells if cell.label < 0) / _area(box.corners)
        ax.fill([], [], facecolor="none", edgecolor=PALE, hatch="////", label="ambiguous")
        kind = "one versus one" if hasattr(rule, "pairs_") else "one versus all"
        ax.set_title(f"{kind}: {100 * share:.1f} % of the picture is ambiguous", fontsize=10)
    else:
        ax.set_title(f"linear machine: {len(cells)} convex regions", fontsize=10)
    legend(ax)
    return ax


def _lines(rule: Any) -> np.ndarray:
    """The rows (w, w0) of a rule for two features; one line of two classes is a machine of -w/2 and w/2."""
    coef = np.asarray(getattr(rule, "coef_", np.zeros(0)), dtype=np.float64)
    if coef.ndim != 2 or coef.shape[1] != 2:
        raise ValueError(f"regions: a fitted linear rule of two features is wanted, its coef_ has shape {coef.shape}.")
    W = np.column_stack([coef, np.broadcast_to(rule.intercept_, len(coef))])
    return W if len(W) > 1 or hasattr(rule, "votes") else np.vstack([-0.5 * W, 0.5 * W])


def _machine(W: np.ndarray, box: np.ndarray) -> list[Cell]:
    """The region of class k: on its side of the line between it and every other class."""
    cells = []
    for k, own in enumerate(W):
        corners = box
        for j, other in enumerate(W):
            if j != k and len(corners):
                corners = clip(corners, (own - other)[:2], float((own - other)[2]))
        if len(corners) > 2:
            cells.append(Cell(corners, k))
    return cells


def _committee(rule: Any, W: np.ndarray, box: np.ndarray) -> list[Cell]:
    """The cells into which the members' lines cut the picture; in each the votes are the same."""
    pieces = [box]
    for w in W:
        halves = [clip(piece, side * w[:2], float(side * w[2])) for piece in pieces for side in (-1, 1)]
        pieces = [half for half in halves if len(half) > 2 and _area(half) > 1e-12 * _area(box)]
    inside = np.array([piece.mean(axis=0) for piece in pieces])
    winner = rule.votes(inside).argmax(axis=1)
    ambiguous = rule.ambiguous(inside)
    return [Cell(piece, -1 if lost else int(k)) for piece, k, lost in zip(pieces, winner, ambiguous, strict=True)]


def _area(corners: np.ndarray) -> float:
    """The area of a polygon."""
    x, y = corners.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
