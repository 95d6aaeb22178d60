"""The weight space of a problem with two weights: half-planes, the solution cone and the path of w (S0, S1, S3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from ..rules import Increment
from ..targets import Margin
from .geometry import PlotBox, bounding_box, clip_line, clip_polygon
from .labels import write_along, write_beside
from .plot_data import PlotData, check_two_classes
from .replay import check_start, replay_updates
from .style import (
    DASHED,
    GREEN,
    GREY,
    INK,
    SIGN_COLOURS,
    SMALL,
    class_name,
    draw_legend,
    format_number,
    prepare_axes,
    styled,
    write_title,
)

MAX_UPDATES, MAX_UPDATES_UNSOLVABLE = 50, 12  # of the path, where there is a solution and where there is none
MAX_NUMBERS = 16  # of the path


@styled
def weight_space(
    X: Any, y: Any, path: Any = None, ax: Axes | None = None, *, margin: float = 0.0, start: Any = None,
    limiting_lines: bool = False,
) -> Axes:  # fmt: skip
    r"""Draw the half-plane :math:`\langle w,a_i\rangle > 0` of every vector and their intersection, the solution cone.

    S1 "Convergence Proof" and "Algorithm Illustration", S0 "Perceptron, Example 1 and 2". With a margin b the safe
    region :math:`\langle w,a_i\rangle > b` (S1) is drawn inside the cone. If no w satisfies all vectors the title says
    "no solution".

    Parameters
    ----------
    X : array-like of shape (n_samples, 2) or (n_samples, 1)
        Points. With two columns w has no bias, with one column w = (w1, w0).
    y : array-like of shape (n_samples,)
        Labels of two classes.
    path : array-like of shape (k, 2), default=None
        Successive w. None: those of the perceptron with this margin.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.
    margin : float, default=0.0
        b, the least :math:`\langle w,a\rangle` in the safe region.
    start : array-like of shape (2,), default=None
        The initial w of the perceptron. None: 0.
    limiting_lines : bool, default=False
        Draw the limiting lines l1 and l2 of S1: the decision lines of the two w that bound the cone. Every line
        between them separates the classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> weight_space([[1.0], [3.0]], [0, 1], ax=Figure().subplots()).get_title()
    'solution cone: ⟨w,a⟩ > 0 for all 2 vectors'
    """
    data = check_two_classes(X, y, "weight_space", columns=(1, 2))
    if not 0.0 <= margin < np.inf:
        raise ValueError(f"weight_space: expected a margin >= 0, got {margin}.")
    steps = _compute_path(data, margin, start) if path is None else np.asarray(path, dtype=np.float64)
    if steps.ndim != 2 or steps.shape[1] != 2 or not len(steps):
        raise ValueError(f"weight_space: expected a path of shape (k, 2), got {steps.shape}.")
    ax = prepare_axes(ax, size=(6.4, 6.2))
    factor, box = fit_weight_box(ax, data, steps)
    draw_weight_space(ax, data, steps, box, factor, margin)
    if limiting_lines:
        _draw_limiting_lines(ax, box, data.vectors)
    draw_legend(ax)
    return ax


def fit_weight_box(ax: Axes, data: PlotData, steps: np.ndarray) -> tuple[float, PlotBox]:
    """Return the factor by which the vectors are shortened, and the box that shows them and the path."""
    a = data.vectors
    longest, reach = np.linalg.norm(a, axis=1).max(), np.linalg.norm(steps, axis=1).max()
    factor = float(min(1.0, 3.0 * reach / longest)) if reach > 0 and longest > 0 else 1.0
    extent = ax.get_window_extent()
    shown = np.concatenate([np.zeros((1, 2)), steps, factor * a])
    return factor, bounding_box(shown, ratio=extent.height / extent.width)


def draw_weight_space(
    ax: Axes, data: PlotData, steps: np.ndarray, box: PlotBox, factor: float, margin: float = 0.0
) -> None:
    """Draw vectors, cone, safe region and path inside the box."""
    a = data.vectors
    ax.set(xlim=box[:2], ylim=box[2:], xlabel="w₁", ylabel="w₂" if data.X.shape[1] == 2 else "w₀")
    ax.set_aspect("equal", adjustable="box")
    cone = compute_cone(a, box)
    if len(cone):
        ax.fill(*cone.T, color=GREEN, alpha=0.18, lw=0, label="solution cone", zorder=0)
    safe = compute_safe_region(a, margin, cone)
    if margin > 0 and len(safe) > 2:
        name = f"safe region, ⟨w,a⟩ > {format_number(margin)}"
        look: dict[str, Any] = {"facecolor": GREEN, "edgecolor": "white", "hatch": "//", "lw": 0}
        ax.fill(*safe.T, **look, alpha=0.45, label=name, zorder=0)
    ax.axhline(0, color=GREY, lw=0.7, zorder=0)
    ax.axvline(0, color=GREY, lw=0.7, zorder=0)
    _draw_half_planes(ax, box, data, a, factor)
    _draw_path(ax, steps)
    solved = f"solution cone: ⟨w,a⟩ > 0 for all {len(a)} vectors"
    write_title(ax, solved if len(cone) else "no solution: no w has ⟨w,a⟩ > 0 for all vectors")


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


def compute_safe_region(a: np.ndarray, margin: float, polygon: np.ndarray) -> np.ndarray:
    """Return the part of a polygon in which <w,a> >= margin for all vectors.

    >>> compute_safe_region(np.array([[1.0, 0.0]]), 1.0, PlotBox(0.0, 2.0, 0.0, 1.0).corners)
    array([[1., 0.],
           [2., 0.],
           [2., 1.],
           [1., 1.]])
    """
    for vector in a:
        polygon = clip_polygon(polygon, vector, -margin) if len(polygon) else polygon
    return polygon


def _compute_path(data: PlotData, margin: float, start: Any) -> np.ndarray:
    """Return the successive w of the perceptron."""
    bias = "none" if data.X.shape[1] == 2 else "augmented"
    most = MAX_UPDATES if len(find_cone_bounds(data.vectors)) else MAX_UPDATES_UNSOLVABLE
    first = np.zeros(2) if start is None else check_start(start, 2)
    rule = {"target": Margin(float(margin)), "rule": Increment(1.0)}
    run = replay_updates(data.X, data.sign, **rule, bias=bias, max_updates=most, start=start)
    return np.array([first, *(update.after for update in run)])


def _draw_half_planes(ax: Axes, box: PlotBox, data: PlotData, a: np.ndarray, factor: float) -> None:
    """Draw the line <w,a> = 0 and the arrow of every vector, in the colour of its class."""
    alpha = float(np.clip(12 / len(a), 0.2, 1.0)) ** 0.5  # fainter if many, so that the path stays visible
    for sign, label in zip((-1, 1), data.classes, strict=True):
        of, colour = a[data.sign == sign], SIGN_COLOURS[sign]
        lines = [ends for ends in (clip_line(box, one) for one in of) if len(ends)]
        style = "dashed" if sign < 0 else "solid"  # a shape beside the colour
        look: dict[str, Any] = {"colors": colour, "linewidths": 0.9, "linestyles": style, "alpha": 0.6 * alpha}
        ax.add_collection(LineCollection(lines, **look, zorder=1))
        name = f"a of {class_name(label)}{' (mirrored)' * (sign < 0)}" + (f" × {factor:.2g}" if factor < 1 else "")
        arrows: dict[str, Any] = {"color": colour, "width": 0.005 * alpha, "alpha": 0.9 * alpha, "zorder": 2}
        draw_arrows(ax, np.zeros_like(of), factor * of, label=name, **arrows)


def _draw_path(ax: Axes, steps: np.ndarray) -> None:
    """Draw the path w0 -> w1 -> ... with numbers."""
    draw_arrows(ax, steps[:-1], np.diff(steps, axis=0), color=INK, width=0.007, label="path of w", zorder=4)
    ax.plot(*steps.T, ".", color=INK, ms=6, zorder=4)
    ax.plot(*steps[-1], "o", color=INK, mec="white", ms=8, zorder=5)
    for point, label in number_steps(steps).items():
        write_beside(ax, point, np.array(point), label, size=SMALL, color=INK, zorder=6)


def _draw_limiting_lines(ax: Axes, box: PlotBox, a: np.ndarray) -> None:
    """Draw the decision lines <w,x> = 0 of the two w that bound the cone: w is at right angles to a bounding vector."""
    for name, vector in zip(("l₁", "l₂"), find_cone_bounds(a), strict=False):
        ends = clip_line(box, np.array([-vector[1], vector[0]]))
        ax.plot(*ends.T, color=INK, lw=1.6, ls=DASHED, zorder=3)
        write_along(ax, ends, name, at=0.12, size=SMALL + 2, zorder=6)
    if len(find_cone_bounds(a)):
        ax.plot([], [], color=INK, lw=1.6, ls=DASHED, label="limiting lines l₁, l₂")


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


def draw_arrows(ax: Axes, starts: np.ndarray, moves: np.ndarray, **style: Any) -> None:
    """Draw arrows in the units of the data."""
    shape: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "headwidth": 4.5, "headlength": 6.0}
    if len(starts):
        ax.quiver(*starts.T, *moves.T, **shape, **style)
