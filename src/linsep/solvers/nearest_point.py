r"""The nearest point (C10): the optimal separating hyperplane, exactly.

The hyperplane of largest margin is the point of least norm in the convex hull of the vectors, or, with a free
bias, in the set of halved differences of two hulls. Both are one problem,

.. math:: \min_\lambda \Big|\sum_i \lambda_i m_i\Big|, \qquad \lambda \ge 0, \qquad
          \sum_{i \in g} \lambda_i = s_g \quad \text{for every group } g ,

with one group of share 1 (augmented vectors) or two of share 1/2 (the mirrored rows of the classes).

`active_set` solves it for some hundred rows, by Wolfe's algorithm. `nearest_point` prices all rows: it solves for the
lowest ones, looks at all, and repeats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..loop.stop import Rounds
from ..loop.sweep import scores
from ..rows.matrix import Rows, live, vectors, width
from .active_set import Factors, active_set

MOST = 1000  # rows of a group that a look may add
INNER = 0.02  # how much better, at most
LEVEL = 1e10  # multiplications that the levelling of w may cost
U = float(np.finfo(np.float64).eps)


class Nearest(NamedTuple):
    """The point of least norm, with its convex weights (by row number) and the looks at all data it took."""

    w: np.ndarray
    dual: np.ndarray
    looks: int


def nearest_point(
    parts: Sequence[Rows], bias: str, tol: float, rounds: Rounds, size: np.ndarray | float = 1.0
) -> Nearest:
    """The nearest point of all rows: solve for the lowest ones, look at all, repeat until none is lower.

    ``size``: what the columns are divided by; the margin is another one then, separability is not.
    Ends when the two bounds of the margin are a part ``tol`` apart, when the point is the origin (the data
    are not separable), when rounding hides what could still be won, or when ``rounds`` do.
    """
    parts = [part._replace(bias=1.0 if bias == "augmented" else 0.0) for part in parts]
    n, d = sum(part.sign.size for part in parts), width(parts[0])
    sign = np.concatenate([part.sign for part in parts])
    alive = np.concatenate([part.first + rows for part in parts for rows in live(part)])
    group = (sign > 0).astype(np.int64) if bias == "free" else np.zeros(n, dtype=np.int64)
    share = np.array([0.5, 0.5]) if bias == "free" else np.array([1.0])
    dual = np.zeros(n)
    for g, part in enumerate(share):
        dual[alive[np.argmax(group[alive] == g)]] = part
    members = [np.flatnonzero(group == g) for g in range(share.size)]
    keep = 100  # rows of a group that a look adds
    w, looks, used = np.zeros(d + 1), 0, np.zeros(0, dtype=np.int64)
    best, least, idle = dual, math.inf, 0
    for look in rounds:
        looks = look
        support = np.flatnonzero(dual)
        w, longest = _point(parts, dual, support, group, share, size)
        price = np.full(n, np.inf)
        for part in parts:
            for rows in live(part):
                scores(part, w / size, rows, price)
        lowest = sum(part * price[own].min() for part, own in zip(share, members, strict=True))
        norm = float(np.linalg.norm(w))
        idle = 0 if norm < (1.0 - 1e-12) * least else idle + 1
        if norm < least:
            best, least = dual, norm
        if lowest >= (1.0 - tol) * norm * norm or norm <= 16 * U * longest or idle > 3:
            break
        some = [_lowest(price, own, keep) for own in members]
        keep = int(np.clip(d // 2, keep, min(2 * keep, MOST)))
        rows = np.unique(np.concatenate([support, *some, used]))
        rows = rows[price[rows] < np.inf]  # not those that are absent
        B, before = _centred(parts, rows, group, share, size), dual[rows]
        if len(B) < B.shape[1]:  # in coordinates of their own span, where they have the same scalar products
            B = scipy.linalg.qr(B.T, mode="r", check_finite=False)[0][: len(B)].T
        dual = np.zeros(n)
        gap = 1.0 - lowest / (norm * norm)  # no need to solve for some rows much better than for all
        dual[rows] = active_set(B, group[rows], share, before, max(1e-12, INNER * gap))
        used = rows[_lowest(B @ (B.T @ dual[rows]), np.arange(rows.size), 4 * keep)]
    return Nearest(_point(parts, best, np.flatnonzero(best), group, share, size)[0], best, looks)


def _lowest(price: np.ndarray, rows: np.ndarray, keep: int) -> np.ndarray:
    """The ``keep`` of some rows that have the lowest price."""
    return rows[np.argpartition(price[rows], keep)[:keep]] if rows.size > keep else rows


def _centred(parts, rows: np.ndarray, group: np.ndarray, share: np.ndarray, size) -> np.ndarray:
    """The vectors of some rows; of two hulls less a common offset, which their differences don't have."""
    B = vectors(parts, rows)
    B /= size if np.ndim(size) == 0 else size[: B.shape[1]]
    if share.size == 2:
        side = 2.0 * group[rows] - 1.0
        middle = (0.5 * side / np.bincount(group[rows])[group[rows]]) @ B
        B -= side[:, None] * middle
    return B


def _point(parts, dual: np.ndarray, support: np.ndarray, group, share, size) -> tuple[np.ndarray, float]:
    """w of these weights, levelled on their rows; and the longest coordinate of those."""
    B = _centred(parts, support, group, share, size)
    w = np.zeros(width(parts[0]) + 1)
    point = B.T @ dual[support]
    w[: point.size] = Factors(B, group[support], share).levelled(point) if B.size * len(B) < LEVEL else point
    return w, float(np.abs(B).max(initial=0.0))
