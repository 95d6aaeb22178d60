r"""The nearest point (C10): the optimal separating hyperplane, exactly.

The hyperplane of largest margin is the point of least norm in the convex hull of the vectors, or, with a free
bias, in the set of halved differences of two hulls. Both are one problem,

.. math:: \min_\lambda \Big|\sum_i \lambda_i m_i\Big|, \qquad \lambda \ge 0, \qquad
          \sum_{i \in g} \lambda_i = s_g \quad \text{for every group } g ,

with one group of share 1 (augmented vectors) or two of share 1/2 (the mirrored rows of the classes).

- `nearest_point` solves it with `active_set` for the lowest rows, scores all rows, and repeats.
- `nearest_point_by_ascent`, for tens of thousands of columns, where hundreds or thousands of rows decide and an active
  set of so many is slow: the hard margin is a soft one without limits. What ascent remembers in :math:`\alpha`, divided
  by its sum, are the weights of a point of the hull, and w has a margin of its own: both bounds of the margin close.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from ..certificates.prove.objective import SoftMarginProblem
from ..loop.stop import Rounds
from ..loop.trace import tell
from ..oracles.elsewhere import are_elsewhere, map_parts
from ..rows.matrix import Rows, augmented, scores, vectors
from .active_set import Factors, active_set
from .coordinate_ascent import ascend

WIDE = 2000  # columns beyond which ascent is quicker than an active set, and needs less memory
MOST = 1000  # rows of a group that one pass over all data may add
INNER = 0.02  # how much smaller the gap on some rows is made than the gap on all of them, at most
EQUALISED = 1e10  # multiplications that equal scores of the rows in use may cost
U = float(np.finfo(np.float64).eps)


class NearestPoint(NamedTuple):
    """The point of least norm, with its convex weights (by row number) and the passes over all data it took."""

    w: np.ndarray
    dual_weights: np.ndarray
    passes: int


class Low(NamedTuple):
    """The lowest rows of a hull, in their order."""

    rows: np.ndarray
    score: np.ndarray


class Hulls:
    """The rows as vectors of one hull or of two, whose columns are divided by ``scale``."""

    def __init__(self, parts: Sequence[Rows], bias: str, scale: np.ndarray | float):
        self.parts = augmented(parts, bias == "augmented")
        self.scale = np.broadcast_to(scale, parts[0].size)
        sign = np.concatenate([part.sign for part in parts])
        self.group = (sign > 0).astype(np.int64) if bias == "free" else np.zeros(sign.size, dtype=np.int64)
        self.share = np.array([0.5, 0.5]) if bias == "free" else np.array([1.0])
        self.present = np.concatenate([part.present_places() for part in self.parts])
        self.known, self.vectors = np.zeros(0, dtype=np.int64), np.zeros((0, 0))  # rows that were asked for last

    def first_weights(self) -> np.ndarray:
        """All weight of a hull on its first row that is present."""
        weights = np.zeros(self.group.size)
        for g, share in enumerate(self.share):
            members = np.flatnonzero(self.group == g)
            weights[members[np.argmax(self.present[members])]] = share
        return weights

    def lowest(self, w: np.ndarray, keep: int) -> list[Low]:
        """The ``keep`` rows of every hull with the least <w,m>; those of all parts are found where they are."""
        two = self.share.size == 2
        found = [
            [low._replace(rows=part.first + low.rows) for low in lows]
            for part, lows in zip(self.parts, map_parts(lowest_of_part, self.parts, w, keep, two), strict=True)
        ]
        joined = [Low(*map(np.concatenate, zip(*of_hull, strict=True))) for of_hull in zip(*found, strict=True)]
        return [Low(rows[some], score[some]) for rows, score in joined for some in [lowest_places(score, keep)]]

    def centred_vectors(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of some rows; of two hulls less a common offset, which their differences don't have."""
        new = np.setdiff1d(rows, self.known, assume_unique=True)
        if new.size:
            known = np.concatenate([self.known, new])
            order = np.argsort(known)
            more = vectors(self.parts, new)
            both = np.concatenate([self.vectors, more]) if self.known.size else more
            at = order[np.searchsorted(known, rows, sorter=order)]
            self.known, self.vectors = rows, both[at]
        B = self.vectors[np.searchsorted(self.known, rows)]
        B /= self.scale[: B.shape[1]]
        if self.share.size == 2:
            group = self.group[rows]
            side = 2.0 * group - 1.0
            B -= side[:, None] * ((0.5 * side / np.bincount(group)[group]) @ B)
        return B

    def point(self, weights: np.ndarray) -> tuple[np.ndarray, float]:
        """w of these weights, with equal scores of their rows; and the largest coordinate of those."""
        rows = np.flatnonzero(weights)
        B = self.centred_vectors(rows)
        point = B.T @ weights[rows]
        if B.size * len(B) < EQUALISED:
            point = Factors(B, self.group[rows], self.share).equalise_scores(point)
        return np.append(point, np.zeros(self.scale.size - point.size)), float(np.abs(B).max(initial=0.0))

    def solve(self, rows: np.ndarray, weights: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """The weights of the nearest point of some rows, from ``weights``, and the scores of these rows."""
        B = self.centred_vectors(rows)
        if len(B) < B.shape[1]:  # in coordinates of their own span, where they have the same scalar products
            B = scipy.linalg.qr(B.T, mode="r", check_finite=False)[0][: len(B)].T
        found = active_set(B, self.group[rows], self.share, weights, tol)
        return found, B @ (B.T @ found)


def nearest_point(
    parts: Sequence[Rows], bias: str, tol: float, rounds: Rounds, scale: np.ndarray | float = 1.0
) -> NearestPoint:
    """The nearest point of all rows: solve for the lowest ones, score all, repeat until none is lower.

    ``scale``: what the columns are divided by; the margin is another one then, separability is not.
    Ends when the two bounds of the margin are a part ``tol`` apart, when the point is the origin (the data
    are not separable), when rounding hides what could still be gained, or when ``rounds`` do.
    """
    hulls = Hulls(parts, bias, scale)
    weights = hulls.first_weights()
    keep = 100  # rows of a hull that a pass adds
    used = np.zeros(0, dtype=np.int64)
    best, least, idle = weights, math.inf, 0
    for _ in rounds:
        w, longest = hulls.point(weights)
        some = hulls.lowest(w / hulls.scale, keep)
        lowest = sum(share * low.score.min() for share, low in zip(hulls.share, some, strict=True))
        norm = float(np.linalg.norm(w))
        tell(partial(_told, w, weights, lowest / max(norm, 1e-300), norm))
        idle = 0 if norm < (1.0 - 1e-12) * least else idle + 1
        if norm < least:
            best, least = weights, norm
        if lowest >= (1.0 - tol) * norm * norm or norm <= 16 * U * longest or idle > 3:
            break
        keep = int(np.clip(parts[0].width // 2, keep, min(2 * keep, MOST)))
        rows = np.unique(np.concatenate([np.flatnonzero(weights), *(low.rows for low in some), used]))
        rows = rows[hulls.present[rows]]
        before, weights = weights[rows], np.zeros_like(weights)
        gap = 1.0 - lowest / (norm * norm)  # no need to solve for some rows much better than for all
        weights[rows], score = hulls.solve(rows, before, max(1e-12, INNER * gap))
        used = rows[lowest_places(score, 4 * keep)]
    return NearestPoint(hulls.point(best)[0], best, rounds.count)


def _told(w: np.ndarray, weights: np.ndarray, lower: float, upper: float) -> dict[str, Any]:
    """The nearest point of the rows in use, with the two bounds of the margin that it has."""
    return {"w": w, "rows": np.flatnonzero(weights), "lower": lower, "upper": upper, "state": weights.copy()}


def lowest_places(score: np.ndarray, keep: int) -> np.ndarray:
    """The places of the ``keep`` least numbers, in their order; the first ones of those that are equal.

    >>> lowest_places(np.array([3.0, 1.0, 2.0, 1.0, 2.0]), 3)
    array([1, 2, 3])
    """
    if score.size <= keep:
        return np.arange(score.size)
    bound = np.partition(score, keep - 1)[keep - 1]
    low = score < bound
    low[np.flatnonzero(score == bound)[: keep - np.count_nonzero(low)]] = True
    return np.flatnonzero(low)


def lowest_of_part(part: Rows, w: np.ndarray, keep: int, two: bool) -> list[Low]:
    """The lowest rows of a part, by hull."""
    score = scores([part], w, missing=np.inf)
    hulls = [np.flatnonzero(part.sign == side) for side in (-1, 1)] if two else [np.arange(score.size)]
    some = [own[lowest_places(score[own], keep)] for own in hulls]
    return [Low(rows, score[rows]) for rows in some]


class MarginBounds:
    """The best w and the best weights so far: what `Bounds` is for the soft margin."""

    def __init__(self, problem: SoftMarginProblem):
        self.problem, self.passes = problem, 0
        self.w, self.dual_weights = np.zeros(problem.size), np.zeros(problem.C.size)
        self.lower, self.upper = -math.inf, math.inf
        self.present = problem.C > 0.0

    def update(self, w: np.ndarray, score: np.ndarray, alpha: np.ndarray, total: np.ndarray | float) -> float:
        """Take w or alpha over if it is better; the relative gap of the two bounds."""
        problem = self.problem
        norm = math.sqrt(problem.squared_norm(w))
        lowest = float(score[self.present].min())
        if problem.free:  # the bias that makes the lowest score of both classes the same
            g = score - problem.sign * w[-1]
            lowest = 0.5 * sum(float(g[self.present & (problem.sign == side)].min()) for side in (-1, 1))
            alpha = problem.balance(alpha)
            total = problem.combine(alpha)
        lower = lowest / norm if norm > 0.0 else -math.inf
        upper = math.sqrt(problem.squared_norm(total)) / float(alpha.sum()) if alpha.any() else math.inf
        if lower > self.lower:
            self.w, self.lower = w.copy(), lower
        if upper < self.upper:
            self.dual_weights, self.upper = alpha / float(alpha.sum()), upper
        return 1.0 - self.lower / self.upper if self.upper < math.inf else math.inf


def nearest_point_by_ascent(parts: Sequence[Rows], bias: str, tol: float, rounds: Rounds) -> NearestPoint:
    """The nearest point of one part, up to a relative ``tol``; if the hulls meet, until ``rounds`` end."""
    if are_elsewhere(parts):
        raise ValueError(
            f"X: the margin of rows in parts is decided for at most {WIDE} columns, got {parts[0].width}. "
            "Give it X.compute(), y.compute()."
        )
    (part,) = parts
    limits = np.where(part.present_places(), math.inf, 0.0)
    bounds = MarginBounds(SoftMarginProblem([part], limits, squared=False, bias=bias))
    ascend(bounds, np.zeros(part.sign.size), tol, rounds)
    return NearestPoint(bounds.w, bounds.dual_weights, bounds.passes)
