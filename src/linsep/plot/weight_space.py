"""The weight space of a problem with two weights: half-planes, the solution cone and the path of w (S1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from ..rules import Increment
from ..targets import Margin
from .geometry import PlotBox, bounding_box, clip_line, clip_polygon
from .labels import write_beside
from .plot_data import PlotData, check_two_classes
from .replay import replay_updates
from .style import GREEN, GREY, INK, SIGN_COLOURS, draw_legend, prepare_axes

MAX_UPDATES, MAX_UPDATES_UNSOLVABLE = 50, 12  # of the path, where there is a solution and where there is none
MAX_NUMBERS = 16  # of the path


def weight_space(X: Any, y: Any, path: Any = None, ax: Axes | None = None) -> Axes:
    r"""Draw the half-plane :math:`\langle w,a_i\rangle > 0` of every vector and their intersection, the solution cone.

    If no w satisfies all vectors the title says "no solution".

    Parameters
    ----------
    X : array-like of shape (n_samples, 2) or (n_samples, 1)
        Points. With two columns w has no bias, with one column w = (w1, w0).
    y : array-like of shape (n_samples,)
        Labels of two classes.
    path : array-like of shape (k, 2), default=None
        Successive w. None: those of the perceptron, from 0 on.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> weight_space([[1.0], [3.0]], [0, 1], ax=Figure().subplots()).get_title()
    'solution cone: ⟨w,a⟩ > 0 for all 2 vectors'
    """
    data = check_two_classes(X, y, "weight_space", columns=(1, 2))
    a = mirror_points(data)
    steps = _compute_path(data) if path is None else np.asarray(path, dtype=np.float64)
    if steps.ndim != 2 or steps.shape[1] != 2 or not len(steps):
        raise ValueError(f"weight_space: expected a path of shape (k, 2), got {steps.shape}.")
    ax = prepare_axes(ax, size=(5.6, 5.2))
    factor = _compute_factor(a, steps)
    extent = ax.get_window_extent()
    box = bounding_box(np.concatenate([np.zeros((1, 2)), steps, factor * a]), ratio=extent.height / extent.width)
    ax.set(xlim=box[:2], ylim=box[2:], xlabel="w₁", ylabel="w₂" if data.X.shape[1] == 2 else "w₀")
    ax.set_aspect("equal", adjustable="box")
    cone = compute_cone(a, box)
    if len(cone):
        ax.fill(*cone.T, color=GREEN, alpha=0.18, lw=0, label="solution cone", zorder=0)
    solved = f"solution cone: ⟨w,a⟩ > 0 for all {len(a)} vectors"
    ax.set_title(solved if len(cone) else "no solution: no w has ⟨w,a⟩ > 0 for all vectors", fontsize=10)
    ax.axhline(0, color=GREY, lw=0.5, zorder=0)
    ax.axvline(0, color=GREY, lw=0.5, zorder=0)
    _draw_half_planes(ax, box, data, a, factor)
    _draw_path(ax, steps)
    draw_legend(ax)
    return ax


def mirror_points(data: PlotData) -> np.ndarray:
    """Return the vectors a = sign x, or sign (x, 1) for one column (B2)."""
    X = data.X if data.X.shape[1] == 2 else np.column_stack([data.X, np.ones(len(data.X))])
    return data.sign[:, None] * X


def find_cone_bounds(a: np.ndarray) -> np.ndarray:
    """Return the two vectors that bound the solution cone, or no rows if it is empty.

    There is a solution iff all vectors lie in an open half-plane, that is, leave a gap of more than pi between
    their directions; the vectors at the two sides of the gap bound the cone.

    >>> find_cone_bounds(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    array([[1., 0.],
           [0., 1.]])
    >>> len(find_cone_bounds(np.array([[1.0, 0.0], [-1.0, 0.0]])))
    0
    """
    if not np.all(np.any(a != 0, axis=1)):  # no w satisfies the zero vector
        return np.zeros((0, 2))
    angle = np.arctan2(a[:, 1], a[:, 0])
    order = np.argsort(angle, kind="stable")
    gaps = np.diff(angle[order], append=angle[order[0]] + 2 * np.pi)
    k = int(np.argmax(gaps))
    if gaps[k] <= np.pi + 1e-12:
        return np.zeros((0, 2))
    return a[[order[(k + 1) % len(a)], order[k]]]


def compute_cone(a: np.ndarray, box: PlotBox) -> np.ndarray:
    """Return the corners of the solution cone inside the box; no rows if it is empty."""
    bounds = find_cone_bounds(a)
    polygon = box.corners if len(bounds) else np.zeros((0, 2))
    for bound in bounds:
        polygon = clip_polygon(polygon, bound) if len(polygon) else polygon
    return polygon


def _compute_path(data: PlotData) -> np.ndarray:
    """Return the successive w of the perceptron, from 0 on."""
    bias = "none" if data.X.shape[1] == 2 else "augmented"
    most = MAX_UPDATES if len(find_cone_bounds(mirror_points(data))) else MAX_UPDATES_UNSOLVABLE
    updates = replay_updates(data.X, data.sign, Margin(0.0), Increment(1.0), bias=bias, max_updates=most)
    return np.array([np.zeros(2), *(update.after for update in updates)])


def _compute_factor(a: np.ndarray, steps: np.ndarray) -> float:
    """Return the factor by which the vectors are shortened, so that a short path is seen among long ones."""
    longest, reach = np.linalg.norm(a, axis=1).max(), np.linalg.norm(steps, axis=1).max()
    return float(min(1.0, 3.0 * reach / longest)) if reach > 0 and longest > 0 else 1.0


def _draw_half_planes(ax: Axes, box: PlotBox, data: PlotData, a: np.ndarray, factor: float) -> None:
    """Draw the line <w,a> = 0 and the arrow of every vector, in the colour of its class."""
    alpha = float(np.clip(12 / len(a), 0.2, 1.0)) ** 0.5  # fainter if many, so that the path stays visible
    for sign, label in zip((-1, 1), data.classes, strict=True):
        of, colour = a[data.sign == sign], SIGN_COLOURS[sign]
        lines = [ends for ends in (clip_line(box, one) for one in of) if len(ends)]
        ax.add_collection(LineCollection(lines, colors=colour, linewidths=0.7, alpha=0.55 * alpha, zorder=1))
        name = f"a of class {label}{' (mirrored)' * (sign < 0)}" + (f" × {factor:.2g}" if factor < 1 else "")
        style = {"color": colour, "width": 0.0045 * alpha, "alpha": 0.9 * alpha, "zorder": 2}
        _draw_arrows(ax, np.zeros_like(of), factor * of, label=name, **style)


def _draw_path(ax: Axes, steps: np.ndarray) -> None:
    """Draw the path w0 -> w1 -> ... with numbers."""
    _draw_arrows(ax, steps[:-1], np.diff(steps, axis=0), color=INK, width=0.006, label="path of w", zorder=4)
    ax.plot(*steps.T, ".", color=INK, ms=5, zorder=4)
    ax.plot(*steps[-1], "o", color=INK, mec="white", ms=7, zorder=5)
    for point, label in number_steps(steps).items():
        write_beside(ax, point, np.array(point), label, size=9.0, color=INK, zorder=6)


def number_steps(steps: np.ndarray) -> dict[tuple[float, ...], str]:
    """Return the numbers of the steps by point, the last one first; a w that recurs has several.

    >>> number_steps(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [2.0, 0.0]]))
    {(2.0, 0.0): '3', (0.0, 0.0): '0, 2', (1.0, 0.0): '1'}
    """
    final = len(steps) - 1
    every = max(1, -(-len(steps) // MAX_NUMBERS))
    numbers: dict[tuple[float, ...], list[int]] = {}
    for k in (final, *range(0, final, every)):
        numbers.setdefault(tuple(steps[k].tolist()), []).append(k)
    return {point: ", ".join(map(str, sorted(found))) for point, found in numbers.items()}


def _draw_arrows(ax: Axes, starts: np.ndarray, moves: np.ndarray, **style: Any) -> None:
    shape: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "headwidth": 4.5, "headlength": 6.0}
    if len(starts):
        ax.quiver(*starts.T, *moves.T, **shape, **style)
