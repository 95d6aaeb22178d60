"""Labels of points and segments, placed where they cover neither each other nor the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation

# right, left, above, below, and the diagonals
LABEL_DIRECTIONS = np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]], dtype=float)
GAPS = (6.0, 11.0, 17.0)  # between an anchor and its label, in points
BACKGROUND: dict[str, Any] = {"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.75}


def place_labels(
    ax: Axes,
    anchors: np.ndarray,
    labels: Sequence[str],
    avoid: np.ndarray,
    lines: np.ndarray,
    *,
    size: float = 8.0,
    **style: Any,
) -> list[Annotation]:
    """Write each label near its anchor, where it covers least.

    ``avoid`` are points that should not be covered, ``lines`` are segments (k, 2, 2) that should not be covered
    either, with less priority. The limits of ``ax`` must be final. Greedy: earlier labels get the better places.
    """
    ax.apply_aspect()
    scale = 72.0 / ax.figure.dpi  # from pixels to points
    anchors_in_points, marks, strokes = (
        ax.transData.transform(p) * scale for p in (anchors, avoid, points_on_segments(lines, 30))
    )
    frame = np.array(ax.get_window_extent().extents).reshape(2, 2) * scale
    taken: list[tuple[np.ndarray, np.ndarray]] = []
    written = []
    for anchor, at, label in zip(anchors, anchors_in_points, labels, strict=True):
        half = np.array([0.31 * size * len(label), 0.6 * size])
        offsets = np.concatenate([LABEL_DIRECTIONS * (half + gap) for gap in GAPS])
        near = np.repeat(np.arange(len(GAPS)), len(LABEL_DIRECTIONS))
        costs = [_cost(at + offset, half, taken, marks, strokes, frame) for offset in offsets] + 2.0 * near
        offset = offsets[int(np.argmin(costs))]
        taken.append((at + offset, half))
        where: dict[str, Any] = {"ha": "center", "va": "center", "textcoords": "offset points"}
        written.append(ax.annotate(label, anchor, tuple(offset), fontsize=size, bbox=BACKGROUND, **where, **style))
    return written


def _cost(centre, half, taken, marks, strokes, frame) -> float:
    """What a label would cover: earlier labels count most, then the edge of the plot, points, lines."""
    over = sum(bool(np.all(np.abs(centre - other) < half + room + 3.0)) for other, room in taken)
    outside = bool(np.any(centre - half < frame[0]) or np.any(centre + half > frame[1]))
    points = np.all(np.abs(marks - centre) < half + 5.0, axis=1).sum()
    crossed = np.all(np.abs(strokes - centre) < half, axis=1).sum()
    return 1000.0 * over + 100.0 * outside + 10.0 * float(points) + 0.3 * float(crossed)


def write_along(ax: Axes, segment: np.ndarray, label: str, at: float = 0.5, size: float = 8.0, **style: Any) -> bool:
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


def points_on_segments(segments: np.ndarray, count: int) -> np.ndarray:
    """Return ``count`` points on every segment of an array (k, 2, 2).

    >>> points_on_segments(np.array([[[0.0, 0.0], [1.0, 2.0]]]), count=3).tolist()
    [[0.0, 0.0], [0.5, 1.0], [1.0, 2.0]]
    """
    t = np.linspace(0, 1, count)[None, :, None]
    return (segments[:, None, 0] * (1 - t) + segments[:, None, 1] * t).reshape(-1, 2)
