"""Labels beside points and along segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .style import SMALL

BACKGROUND: dict[str, Any] = {"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.75}


def write_beside(ax: Axes, point: Any, direction: np.ndarray, label: str, size: float = SMALL, **style: Any) -> None:
    """Write a label beside a point, in the given direction; to its left if that is 0."""
    norm = float(np.linalg.norm(direction))
    half = np.array([0.31 * size * len(label), 0.6 * size])  # of the label, in points
    offset = (half + 6.0) * (direction / norm if norm > 0 else np.array([-1.0, 0.0]))
    where: dict[str, Any] = {"ha": "center", "va": "center", "textcoords": "offset points", "bbox": BACKGROUND}
    ax.annotate(label, tuple(point), tuple(offset), fontsize=size, **where, **style)


def write_along(ax: Axes, segment: np.ndarray, label: str, at: float = 0.5, size: float = SMALL, **style: Any) -> bool:
    """Write a label along a segment (2, 2), at this share of its length.

    Returns False, and writes nothing, if the segment is too short for it or the place is outside the plot.
    """
    ax.apply_aspect()
    x, y = segment[0] + at * (segment[1] - segment[0])
    if not (ax.viewLim.x0 < x < ax.viewLim.x1 and ax.viewLim.y0 < y < ax.viewLim.y1):
        return False
    (x0, y0), (x1, y1) = ax.transData.transform(segment) * 72.0 / ax.figure.dpi
    if np.hypot(x1 - x0, y1 - y0) < 1.6 * 0.62 * size * len(label):
        return False
    dx, dy = segment[1] - segment[0]
    angle = (np.degrees(np.arctan2(dy, dx)) + 90.0) % 180.0 - 90.0  # never upside down
    turned: dict[str, Any] = {"rotation": angle, "rotation_mode": "anchor", "transform_rotates_text": True}
    ax.text(x, y, label, fontsize=size, ha="center", va="center", bbox=BACKGROUND, **turned, **style)
    return True
