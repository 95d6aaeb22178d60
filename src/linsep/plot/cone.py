"""The weight space of a problem with two weights: half-planes, the solution cone and the path of w (S1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from ..rules import Increment
from ..targets import Margin
from .geometry import Box, around, chord, clip
from .labels import place
from .replay import replay
from .sample import Sample, sample
from .style import COLOURS, INK, PALE, SOLUTION, axes, legend

MOST, LOST = 50, 12  # updates replayed where there is a solution, and where there is none
NUMBERED = 16  # steps that carry a number


def weight_space(X: Any, y: Any, path: Any = None, ax: Axes | None = None) -> Axes:
    r"""Every vector :math:`a_i` allows the half-plane :math:`\langle w,a_i\rangle > 0`; all of them, the solution cone.

    X has two columns and w no bias, or one column and w = (w1, w0). ``path`` is an array (k, 2) of w's, by
    default the perceptron's, from 0 on. If no w satisfies all vectors the title says "no solution".

    >>> from matplotlib.figure import Figure
    >>> weight_space([[1.0], [3.0]], [0, 1], ax=Figure().subplots()).get_title()
    'solution cone: ⟨w,a⟩ > 0 for all 2 vectors'
    """
    data = sample(X, y, columns=(1, 2), who="weight_space")
    a = vectors(data)
    steps = _path(data) if path is None else np.asarray(path, dtype=np.float64)
    if steps.ndim != 2 or steps.shape[1] != 2 or not len(steps):
        raise ValueError(f"weight_space: path must be an array (k, 2) of w's, its shape is {steps.shape}.")
    ax = axes(ax, size=(5.6, 5.2))
    shrink = _shrink(a, steps)
    extent = ax.get_window_extent()
    box = around(np.concatenate([np.zeros((1, 2)), steps, shrink * a]), ratio=extent.height / extent.width)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel="w₁", ylabel="w₂" if data.X.shape[1] == 2 else "w₀")
    ax.set_aspect("equal", adjustable="box")
    cone = solution_cone(a, box)
    if len(cone):
        ax.fill(*cone.T, color=SOLUTION, alpha=0.18, lw=0, label="solution cone", zorder=0)
    solved = f"solution cone: ⟨w,a⟩ > 0 for all {len(a)} vectors"
    ax.set_title(solved if len(cone) else "no solution: no w has ⟨w,a⟩ > 0 for all vectors", fontsize=10)
    ax.axhline(0, color=PALE, lw=0.5, zorder=0)
    ax.axvline(0, color=PALE, lw=0.5, zorder=0)
    _half_planes(ax, box, data, a, shrink)
    _steps(ax, steps)
    legend(ax)
    return ax


def vectors(data: Sample) -> np.ndarray:
    """The vectors a = sign x, or sign (x, 1) for one column (B2)."""
    X = data.X if data.X.shape[1] == 2 else np.column_stack([data.X, np.ones(len(data.X))])
    return data.sign[:, None] * X


def extremes(a: np.ndarray) -> np.ndarray:
    """The two vectors that bound the solution cone, or no rows if it is empty.

    There is a solution iff all vectors lie in an open half-plane, that is, leave a gap of more than pi between
    their directions; the vectors at the two sides of the gap are the tightest.

    >>> extremes(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    array([[1., 0.],
           [0., 1.]])
    >>> len(extremes(np.array([[1.0, 0.0], [-1.0, 0.0]])))
    0
    """
    if not np.all(np.any(a != 0, axis=1)):  # the zero vector is never satisfied
        return np.zeros((0, 2))
    angle = np.arctan2(a[:, 1], a[:, 0])
    order = np.argsort(angle, kind="stable")
    gaps = np.diff(angle[order], append=angle[order[0]] + 2 * np.pi)
    k = int(np.argmax(gaps))
    if gaps[k] <= np.pi + 1e-12:
        return np.zeros((0, 2))
    return a[[order[(k + 1) % len(a)], order[k]]]


def solution_cone(a: np.ndarray, box: Box) -> np.ndarray:
    """The corners of the solution cone inside the box; no rows if it is empty."""
    bounds = extremes(a)
    polygon = box.corners if len(bounds) else np.zeros((0, 2))
    for bound in bounds:
        polygon = clip(polygon, bound) if len(polygon) else polygon
    return polygon


def _path(data: Sample) -> np.ndarray:
    """The w's of the perceptron, from 0 on."""
    bias = "none" if data.X.shape[1] == 2 else "augmented"
    most = MOST if len(extremes(vectors(data))) else LOST
    updates = replay(data.X, data.sign, Margin(0.0), Increment(1.0), bias=bias, most=most)
    return np.array([np.zeros(2), *(update.after for update in updates)])


def _shrink(a: np.ndarray, steps: np.ndarray) -> float:
    """By how much the vectors are shortened, so that a short path is not lost among long ones."""
    longest, reach = np.linalg.norm(a, axis=1).max(), np.linalg.norm(steps, axis=1).max()
    return float(min(1.0, 3.0 * reach / longest)) if reach > 0 and longest > 0 else 1.0


def _half_planes(ax: Axes, box: Box, data: Sample, a: np.ndarray, shrink: float) -> None:
    """The line <w,a> = 0 and the arrow of every vector, in the colour of its class."""
    many = float(np.clip(12 / len(a), 0.2, 1.0)) ** 0.5  # fainter, so that the path stays visible
    for sign, label in zip((-1, 1), data.classes, strict=True):
        of = a[data.sign == sign]
        lines = [ends for ends in (chord(box, one) for one in of) if len(ends)]
        ax.add_collection(LineCollection(lines, colors=COLOURS[sign], linewidths=0.7, alpha=0.55 * many, zorder=1))
        name = f"a of class {label}{' (mirrored)' * (sign < 0)}"
        name += f" × {shrink:.2g}" if shrink < 1 else ""
        _arrows(ax, np.zeros_like(of), shrink * of, COLOURS[sign], 0.0045 * many, name, alpha=0.9 * many, zorder=2)


def _steps(ax: Axes, steps: np.ndarray) -> None:
    """The path w0 -> w1 -> ... with numbers."""
    _arrows(ax, steps[:-1], np.diff(steps, axis=0), INK, 0.006, "path of w", zorder=4)
    ax.plot(*steps.T, ".", color=INK, ms=5, zorder=4)
    ax.plot(*steps[-1], "o", color=INK, mec="white", ms=7, zorder=5)
    spots = numbered(steps)
    segments = np.stack([steps[:-1], steps[1:]], axis=1)
    place(ax, np.array(list(spots)), list(spots.values()), steps, segments, size=9.0, color=INK, zorder=6)


def numbered(steps: np.ndarray) -> dict[tuple[float, ...], str]:
    """The numbers of the steps by place, the last one first; a w that comes back has several.

    >>> numbered(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [2.0, 0.0]]))
    {(2.0, 0.0): '3', (0.0, 0.0): '0, 2', (1.0, 0.0): '1'}
    """
    last = len(steps) - 1
    every = max(1, -(-len(steps) // NUMBERED))
    spots: dict[tuple[float, ...], list[int]] = {}
    for k in (last, *range(0, last, every)):
        spots.setdefault(tuple(steps[k].tolist()), []).append(k)
    return {spot: ", ".join(map(str, sorted(numbers))) for spot, numbers in spots.items()}


def _arrows(
    ax: Axes, starts: np.ndarray, moves: np.ndarray, colour: str, width: float, label: str, **style: Any
) -> None:
    shape: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "headwidth": 4.5, "headlength": 6.0}
    if len(starts):
        ax.quiver(*starts.T, *moves.T, color=colour, label=label, width=width, **shape, **style)
