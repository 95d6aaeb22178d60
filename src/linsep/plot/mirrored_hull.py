"""The hull of the mirrored vectors of a problem with two weights: its nearest point is the best w (C8-C11)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from ..rules import Nearest
from ..targets import EpsOptimal
from .geometry import PlotBox, bounding_box, clip_line
from .hulls import find_corners
from .labels import write_beside
from .plot_data import PlotData, check_two_classes
from .replay import replay_updates
from .style import (
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    INK,
    SIGN_COLOURS,
    SMALL,
    class_colour,
    class_marker,
    class_name,
    draw_legend,
    format_number,
    prepare_axes,
    styled,
    write_title,
)
from .weight_space import draw_arrows, number_steps


@styled
def mirrored_hull(X: Any, y: Any, ax: Axes | None = None, *, updates: int = 0) -> Axes:
    r"""Draw the hull of the mirrored vectors, its point nearest to 0, and the steps of Kozinec (S0 (34), S4.34-39).

    .. math:: \min_i \langle w,a_i\rangle/|w| \;\le\; m \;\le\; |w|, \qquad w \in conv\{a_i\}

    The point nearest to 0 is the optimal w, and its length is the largest margin m. With ``updates`` the path of
    Kozinec's rule is drawn, and the title has both bounds for its last w.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2) or (n_samples, 1)
        Points. With two columns w has no bias, with one column w = (w1, w0).
    y : array-like of shape (n_samples,)
        Labels of two classes.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.
    updates : int, default=0
        Largest number of updates of Kozinec's rule, the first of which puts w on the first vector.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> X, y = [[2.0, 1.0], [2.0, -1.0], [-3.0, 0.0]], [1, 1, 0]
    >>> mirrored_hull(X, y, Figure().subplots()).get_title()
    'nearest point w* = (2, 0): margin m = |w*| = 2'
    """
    data = check_two_classes(X, y, "mirrored_hull", columns=(1, 2))
    ax = prepare_axes(ax, size=(6.6, 6.2))
    a = data.vectors
    corners = find_corners(a)
    nearest = find_nearest(corners)
    box = _show(ax, data, a)
    ax.fill(*corners.T, fc=GREEN, alpha=0.15, lw=0, zorder=0, label="hull of the vectors")
    ax.plot(*np.vstack([corners, corners[:1]]).T, color=GREEN, lw=1.4, zorder=1)
    _scatter_mirrored(ax, data, a)
    if np.linalg.norm(nearest) <= 1e-12 * np.abs(a).max():
        write_title(ax, "not separable: the hull of the vectors contains 0")
    else:
        m = float(np.linalg.norm(nearest))
        draw_arrows(
            ax, np.zeros((1, 2)), nearest[None], color=INK, width=0.009, label="w*, the nearest point", zorder=4
        )
        ax.plot(*clip_line(box, nearest).T, color=INK, label="⟨w*,a⟩ = 0", zorder=2)
        ax.plot(*clip_line(box, nearest, -m * m).T, color=INK, lw=1.3, ls=DASHED, label="⟨w*,a⟩ = m|w*|", zorder=2)
        title = f"nearest point w* = ({', '.join(format_number(round(x, 3)) for x in nearest)}): margin m = |w*|"
        write_title(ax, f"{title} = {format_number(m)}")
    if updates > 0:
        _draw_kozinec(ax, data, updates)
    draw_legend(ax)
    return ax


@styled
def longest_vector(X: Any, y: Any, ax: Axes | None = None) -> Axes:
    r"""Draw the figure of Novikoff's theorem: the longest vector D and the largest margin m (S4.33, S0 (8)-(10)).

    .. math:: D = \max_i |a_i|, \qquad m = \max_{|u|=1} \min_i \langle u,a_i\rangle, \qquad t^* \le D^2/m^2

    Parameters
    ----------
    X : array-like of shape (n_samples, 2) or (n_samples, 1)
        Separable points. With two columns w has no bias, with one column w = (w1, w0).
    y : array-like of shape (n_samples,)
        Labels of two classes.
    ax : matplotlib Axes, default=None
        Where to draw. None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> longest_vector([[2.0, 1.0], [-4.0, 0.0]], [1, 0], Figure().subplots()).get_title()
    'D = 4, m = 2.236: at most D²/m² = 3.2 updates'
    """
    data = check_two_classes(X, y, "longest_vector", columns=(1, 2))
    a = data.vectors
    nearest = find_nearest(find_corners(a))
    m, D = float(np.linalg.norm(nearest)), float(np.linalg.norm(a, axis=1).max())
    if m <= 1e-12 * D:
        raise ValueError("longest_vector: expected separable points, no w has ⟨w,a⟩ > 0 for all vectors.")
    ax = prepare_axes(ax, size=(6.6, 6.2))
    box = _show(ax, data, np.vstack([a, [[-D, -D], [D, D]]]))
    ax.add_patch(Circle((0, 0), D, fc="none", ec=GREY, lw=1.3, ls=DOTTED, label="|a| = D"))
    ax.plot(*clip_line(box, nearest).T, color=INK, label="⟨u,a⟩ = 0", zorder=2)
    ax.plot(*clip_line(box, nearest, -m * m).T, color=INK, lw=1.3, ls=DASHED, label="⟨u,a⟩ = m", zorder=2)
    longest = a[np.argmax(np.linalg.norm(a, axis=1))]
    for name, end in (("D", longest), ("m", nearest)):
        draw_arrows(ax, np.zeros((1, 2)), end[None], color=INK, width=0.007, zorder=4)
        aside = np.array([-end[1], end[0]]) if end[0] > 0 else np.array([end[1], -end[0]])
        write_beside(ax, 0.6 * end, aside, name, size=SMALL + 4, style="italic", zorder=6)
    _scatter_mirrored(ax, data, a)
    bound = format_number(round(D * D / (m * m), 3))
    write_title(ax, f"D = {format_number(D)}, m = {format_number(m)}: at most D²/m² = {bound} updates")
    draw_legend(ax)
    return ax


def find_nearest(corners: np.ndarray) -> np.ndarray:
    """Return the point of a convex polygon (corners in order) that is nearest to 0.

    >>> find_nearest(np.array([[2.0, 1.0], [2.0, -1.0], [3.0, 0.0]]))
    array([2., 0.])
    >>> find_nearest(np.array([[2.0, 1.0], [-2.0, 1.0], [0.0, -3.0]]))
    array([0., 0.])
    """
    begin, end = corners, np.roll(corners, -1, axis=0)
    turn = begin[:, 0] * end[:, 1] - begin[:, 1] * end[:, 0]
    if len(corners) > 2 and (np.all(turn >= 0) or np.all(turn <= 0)):
        return np.zeros(2)  # 0 is on the same side of every edge
    along = end - begin
    length = np.maximum(np.einsum("ij,ij->i", along, along), 1e-300)
    share = np.clip(-np.einsum("ij,ij->i", begin, along) / length, 0.0, 1.0)
    feet = begin + share[:, None] * along
    return feet[np.argmin(np.linalg.norm(feet, axis=1))]


def _show(ax: Axes, data: PlotData, shown: np.ndarray) -> PlotBox:
    """Set limits that show 0 and these points."""
    extent = ax.get_window_extent()
    box = bounding_box(np.vstack([shown, np.zeros((1, 2))]), ratio=extent.height / extent.width)
    names = data.names if data.X.shape[1] == 2 else (*data.names, "1")
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=f"k · {names[0]}", ylabel=f"k · {names[1]}")
    ax.set_aspect("equal", adjustable="box")
    ax.plot(0, 0, "+", color=INK, ms=11, mew=1.5, zorder=3)
    return box


def _scatter_mirrored(ax: Axes, data: PlotData, a: np.ndarray) -> None:
    """Draw the vectors as points; those of the mirrored class are hollow."""
    for k, sign in enumerate((-1, 1)):
        name = f"a of {class_name(data.classes[k])}" + " (mirrored)" * (sign < 0)
        look: dict[str, Any] = {"s": 70, "fc": "white" if sign < 0 else class_colour(k), "marker": class_marker(k)}
        ax.scatter(*a[data.sign == sign].T, ec=SIGN_COLOURS[sign], lw=1.6, label=name, zorder=3, **look)


def _draw_kozinec(ax: Axes, data: PlotData, updates: int) -> None:
    """Draw the path of Kozinec's rule, and the bounds of the margin of its last w in the title."""
    bias = "none" if data.X.shape[1] == 2 else "augmented"
    run = list(replay_updates(data.X, data.sign, EpsOptimal(1e-9), Nearest(), bias=bias, max_updates=updates))
    path = np.array([update.after for update in run])
    ax.plot(*path.T, color=INK, lw=1.2, marker="D", ms=5, label="w of Kozinec", zorder=5)
    for point, label in number_steps(path).items():
        numbers = ", ".join(str(int(number) + 1) for number in label.split(", "))
        write_beside(ax, point, np.array(point), numbers, size=SMALL, color=INK, zorder=6)
    for update in run[1:]:
        ax.plot(*np.stack([update.before, update.a]).T, color=GREY, lw=1.0, ls=DOTTED, zorder=2)
    norm = float(np.linalg.norm(path[-1]))
    lower = float((data.vectors @ path[-1]).min()) / norm
    both = f"min ⟨w,a⟩/|w| = {format_number(lower)} ≤ m ≤ |w| = {format_number(norm)}"
    write_title(ax, f"{ax.get_title()}\nafter {len(run)} update{'s' * (len(run) > 1)}: {both}")
