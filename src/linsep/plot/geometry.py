"""Lines and half-planes inside a rectangle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class PlotBox(NamedTuple):
    """The part of the plane that is shown."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def corners(self) -> np.ndarray:
        """The four corners, counter-clockwise."""
        left, right, bottom, top = self
        return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])

    @property
    def size(self) -> np.ndarray:
        """Width and height."""
        return np.array([self.right - self.left, self.top - self.bottom])


def bounding_box(points: np.ndarray, pad: float = 0.12, ratio: float | None = None) -> PlotBox:
    """Return the padded box of all points; with ``ratio`` (height / width) the shorter side is enlarged to fit it.

    >>> bounding_box(np.array([[0.0, 0.0], [10.0, 5.0]]), pad=0.1)
    PlotBox(left=-1.0, right=11.0, bottom=-0.5, top=5.5)
    >>> bounding_box(np.array([[0.0, 0.0], [10.0, 5.0]]), pad=0.0, ratio=1.0)
    PlotBox(left=0.0, right=10.0, bottom=-2.5, top=7.5)
    """
    low, high = points.min(axis=0), points.max(axis=0)
    span = high - low
    span = np.where(span > 0, span, span.max() if span.max() > 0 else 1.0)
    centre, size = (low + high) / 2, span * (1 + 2 * pad)
    if ratio is not None:
        size = np.array([max(size[0], size[1] / ratio), max(size[1], size[0] * ratio)])
    (left, bottom), (right, top) = centre - size / 2, centre + size / 2
    return PlotBox(float(left), float(right), float(bottom), float(top))


def clip_polygon(polygon: np.ndarray, normal: np.ndarray, offset: float = 0.0) -> np.ndarray:
    """Return the part of a convex polygon where <normal, p> + offset >= 0; no rows if it is empty.

    >>> clip_polygon(PlotBox(0.0, 2.0, 0.0, 2.0).corners, np.array([1.0, 0.0]), -1.0)
    array([[1., 0.],
           [2., 0.],
           [2., 2.],
           [1., 2.]])
    """
    g = polygon @ normal + offset
    kept = []
    for p, q, gp, gq in zip(polygon, np.roll(polygon, -1, axis=0), g, np.roll(g, -1), strict=True):
        if gp >= 0:
            kept.append(p)
        if (gp > 0 > gq) or (gp < 0 < gq):
            kept.append(p + gp / (gp - gq) * (q - p))
    return np.array(kept).reshape(-1, 2)


def clip_line(box: PlotBox, normal: np.ndarray, offset: float = 0.0) -> np.ndarray:
    """Return the two ends of the line <normal, p> + offset = 0 inside the box; no rows if it is outside.

    >>> clip_line(PlotBox(0.0, 2.0, 0.0, 2.0), np.array([1.0, 0.0]), -1.0)
    array([[1., 0.],
           [1., 2.]])
    """
    nn = float(normal @ normal)
    if nn == 0:
        return np.zeros((0, 2))
    direction, foot = np.array([-normal[1], normal[0]]), -offset / nn * normal
    begin, end = -np.inf, np.inf
    for at, step, low, high in zip(foot, direction, box[::2], box[1::2], strict=True):
        if step == 0:
            if not low <= at <= high:
                return np.zeros((0, 2))
            continue
        enter, leave = sorted(((low - at) / step, (high - at) / step))
        begin, end = max(begin, enter), min(end, leave)
    return np.array([foot + begin * direction, foot + end * direction]) if begin < end else np.zeros((0, 2))


def project_on_line(points: np.ndarray, normal: np.ndarray, offset: float = 0.0) -> np.ndarray:
    """Return the foot of every point on the line <normal, p> + offset = 0.

    >>> project_on_line(np.array([[3.0, 1.0]]), np.array([2.0, 0.0]), -2.0)
    array([[1., 1.]])
    """
    g = points @ normal + offset
    return points - np.outer(g / (normal @ normal), normal)
