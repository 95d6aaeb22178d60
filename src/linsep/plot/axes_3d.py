"""Axes with depth: limits, a plane inside them, vectors from 0."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from .geometry import clip_polygon
from .plot_data import PlotData
from .style import GREY, INK, SIGN_COLOURS, scatter_classes


def prepare_axes_3d(ax: Any, points: np.ndarray, names: tuple[str, ...], pad: float = 0.08) -> None:
    """Set limits and names of axes with depth, so that all points are inside."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    low, high = low - pad * span, high + pad * span
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    ax.set(xlabel=names[0], ylabel=names[1], zlabel=names[2])
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set(facecolor="white", edgecolor="#D0D0D0")
        axis.label.set_color(INK)
    ax.tick_params(labelsize=9, colors=GREY)
    ax.locator_params(nbins=4)


def draw_plane_3d(ax: Any, w: np.ndarray, w0: float, label: str) -> np.ndarray:
    """Draw the plane <w,x> + w0 = 0 inside the limits; returns its corners, none if it is outside."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    corners = cut_box(np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()]), w, w0)
    if len(corners) >= 3:
        plane = Poly3DCollection([corners], facecolor=GREY, edgecolor=INK, alpha=0.25, lw=0.8)
        ax.add_collection3d(plane)
        ax.plot([], [], [], color=INK, lw=6, alpha=0.3, label=label)
    return corners


def cut_box(limits: np.ndarray, w: np.ndarray, w0: float) -> np.ndarray:
    """Return the corners, in order, of the polygon in which a plane cuts a box; no rows if it does not.

    >>> cut_box(np.array([[0.0, 2.0], [0.0, 2.0], [0.0, 2.0]]), np.array([0.0, 0.0, 1.0]), -1.0)[:, 2]
    array([1., 1., 1., 1.])
    """
    if not np.any(w):
        return np.zeros((0, 3))
    axis = int(np.argmax(np.abs(w)))  # the plane is a function of the other two coordinates
    others = [k for k in range(3) if k != axis]
    square = np.array(list(product(*limits[others])))[[0, 2, 3, 1]]
    slope, height = -w[others] / w[axis], -w0 / w[axis]
    square = clip_polygon(square, slope, height - limits[axis, 0])
    square = clip_polygon(square, -slope, limits[axis, 1] - height) if len(square) else square
    corners = np.zeros((len(square), 3))
    corners[:, others], corners[:, axis] = square, square @ slope + height
    return corners


def draw_vectors_3d(ax: Any, vectors: np.ndarray, data: PlotData) -> None:
    """Draw vectors from 0 with the markers of their classes."""
    for k, sign in enumerate((-1, 1)):
        for vector in vectors[data.class_index == k]:
            ax.plot(*np.stack([np.zeros(3), vector]).T, color=SIGN_COLOURS[sign], lw=0.9, alpha=0.45)
    ax.scatter(0, 0, 0, color=INK, s=14)
    scatter_classes(ax, vectors, data.class_index, data.classes, depthshade=False)
