"""One problem in its three spaces: as it was given, augmented by 1, and mirrored by the label (B2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .axes_3d import draw_plane_3d, draw_vectors_3d, prepare_axes_3d
from .geometry import bounding_box, clip_line
from .plane import add_near_lines, get_line, set_limits, shade_sides
from .plot_data import PlotData, check_two_classes
from .style import DOTTED, GREY, INK, SIGN_COLOURS, draw_legend, make_axes, prepare_axes, scatter_classes, styled
from .weight_space import draw_arrows

TITLES = ("the points", "augmented by 1", "mirrored by the label")


@styled
def three_spaces(rule: Any, X: Any, y: Any, axes: Sequence[Axes] | None = None) -> list[Axes]:
    r"""Draw a problem three times: as given, augmented by 1, mirrored by the label (S0, S3, S4.26-29).

    .. math:: \langle w,x\rangle + w_0 \gtrless 0, \qquad \langle w',x'\rangle \gtrless 0, \qquad
              \langle w',a\rangle > 0, \quad a = k\,x', \quad x' = (x, 1)

    Points of a line become vectors of the plane, points of the plane vectors of the space. The line (the plane) of the
    rule goes through 0 after augmenting; after mirroring all vectors have to be on one side of it.

    Parameters
    ----------
    rule : classifier or None
        Fitted to one or two features, with ``coef_`` and ``intercept_``. None: the points alone.
    X : array-like of shape (n_samples, 1) or (n_samples, 2)
        Points.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    axes : three matplotlib Axes, default=None
        Where to draw; of points of the plane the second and third have ``projection="3d"``. None: a new figure.

    Examples
    --------
    >>> axes = three_spaces(None, [[1.0], [3.0]], [0, 1])
    >>> [ax.get_title() for ax in axes]
    ['the points', 'augmented by 1', 'mirrored by the label']
    """
    data = check_two_classes(X, y, "three_spaces", columns=(1, 2), classes=getattr(rule, "classes_", None))
    columns = data.X.shape[1]
    depth = "3d" if columns == 2 else None
    if axes is None:
        axes = make_axes(3, (15.0, 5.2), [None, depth, depth])
    if len(axes) != 3 or any((ax.name == "3d") != (depth == "3d") for ax in axes[1:]):
        kind = "the last two with projection='3d'" if depth else "without projection"
        raise ValueError(f"three_spaces: expected three axes, {kind}, got {len(axes)}.")
    w, w0 = (np.zeros(columns), 0.0) if rule is None else get_line(rule, "three_spaces", columns)
    (_draw_line if columns == 1 else _draw_plane)(prepare_axes(axes[0]), data, w, w0)
    for ax, mirror in zip(axes[1:], (False, True), strict=True):
        (_draw_in_space if depth else _draw_in_plane)(ax, data, np.append(w, w0), mirror)
    for ax, title in zip(axes, TITLES, strict=True):
        ax.set_title(title)
        draw_legend(ax)
    return list(axes)


def _draw_line(ax: Axes, data: PlotData, w: np.ndarray, w0: float) -> None:
    """Draw the points on their line, and the threshold."""
    box = bounding_box(np.append(data.X.ravel(), [0.0])[:, None] * [1.0, 0.0])
    ax.axhline(0, color=GREY, lw=1.0, zorder=1)
    if w[0] != 0:
        threshold = -w0 / w[0]
        box = bounding_box(np.array([[box.left, -1.0], [box.right, 1.0], [threshold, 0.0]]), pad=0.0)
        ax.plot([threshold, threshold], [-0.25, 0.25], color=INK, label="⟨w,x⟩ + w₀ = 0", zorder=2)
        for side, colour in SIGN_COLOURS.items():
            edge = box.right if side * w[0] > 0 else box.left
            ax.axvspan(*sorted((threshold, edge)), fc=colour, alpha=0.09, lw=0, zorder=0)
    scatter_classes(ax, np.column_stack([data.X, np.zeros(len(data.X))]), *data[1:3], zorder=4)
    ax.set(xlim=box[:2], ylim=(-1, 1), xlabel=data.names[0], yticks=[])
    ax.spines["left"].set_visible(False)


def _draw_plane(ax: Axes, data: PlotData, w: np.ndarray, w0: float) -> None:
    """Draw the points of the plane, and the line."""
    box = set_limits(ax, data, add_near_lines(data.X, [(w, w0)]))
    shade_sides(ax, box, w, w0)
    if np.any(w != 0):
        ax.plot(*clip_line(box, w, w0).T, color=INK, label="⟨w,x⟩ + w₀ = 0", zorder=2)
    scatter_classes(ax, *data[:3])


def augment(data: PlotData, mirror: bool) -> np.ndarray:
    """Return the vectors (x, 1), mirrored by the label or not."""
    augmented = np.column_stack([data.X, np.ones(len(data.X))])
    return data.sign[:, None] * augmented if mirror else augmented


def _draw_in_plane(ax: Axes, data: PlotData, w: np.ndarray, mirror: bool) -> None:
    """Draw the vectors of one column with its bias, and the line through 0."""
    vectors = augment(data, mirror)
    prepare_axes(ax)
    extent = ax.get_window_extent()
    box = bounding_box(
        np.vstack([vectors, -vectors[:1] * 0.3, [[0, -0.5], [0, 0.5]]]), ratio=extent.height / extent.width
    )
    ax.set(xlim=box[:2], ylim=box[2:], xlabel=data.names[0], ylabel="1 (augmented)")
    ax.set_aspect("equal", adjustable="box")
    ax.axhline(0, color=GREY, lw=0.7, zorder=0)
    ax.axvline(0, color=GREY, lw=0.7, zorder=0)
    if not mirror:
        ax.axhline(1, color=GREY, lw=1.0, ls=DOTTED, zorder=0)
    if np.any(w != 0):
        shade_sides(ax, box, w, 0.0)
        ax.plot(*clip_line(box, w).T, color=INK, label="⟨w′,a⟩ = 0" if mirror else "⟨w′,x′⟩ = 0", zorder=2)
        draw_arrows(ax, np.zeros((1, 2)), (0.3 * box.size.min() * w / np.linalg.norm(w))[None], color=INK,
                    width=0.009, label="w′, shortened", zorder=3)  # fmt: skip
    for k, sign in enumerate((-1, 1)):
        of = vectors[data.class_index == k]
        draw_arrows(ax, np.zeros_like(of), of, color=SIGN_COLOURS[sign], width=0.004, alpha=0.6, zorder=2)
    scatter_classes(ax, vectors, *data[1:3], zorder=4)


def _draw_in_space(ax: Any, data: PlotData, w: np.ndarray, mirror: bool) -> None:
    """Draw the vectors of two columns with their bias, and the plane through 0."""
    vectors = augment(data, mirror)
    prepare_axes_3d(ax, np.vstack([vectors, np.zeros((1, 3))]), (*data.names, "1 (augmented)"))
    draw_plane_3d(ax, w, 0.0, label="⟨w′,a⟩ = 0" if mirror else "⟨w′,x′⟩ = 0")
    draw_vectors_3d(ax, vectors, data)
