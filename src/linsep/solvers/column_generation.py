"""The nearest point of a hull of very many vectors, of which an oracle tells the lowest (C10 for D1, E4).

`nearest_of` keeps some vectors, finds the nearest point of their hull with `nearest_point`, asks for the lowest vector
of every set, and takes in those that are lower than the point allows, until none is: column generation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
import scipy.linalg
import scipy.optimize

from ..loop.stop import Rounds
from ..oracles import points
from .nearest_point import nearest_point

U = float(np.finfo(np.float64).eps)
ROUGH = 1e-6  # how far a rough solution is trusted, relative


class Pool(Protocol):
    """Sets of vectors, each of which has a number."""

    size: int  # the length of a vector

    def price(self, w: np.ndarray) -> np.ndarray:
        """The least <w,a> of every set; infinite for one that does not count."""

    def take(self, sets: np.ndarray) -> np.ndarray:
        """The numbers of the lowest vectors of some sets, for the w that was priced last."""

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """The vectors with these numbers, a row each."""


class Found(NamedTuple):
    """The point of least norm; the vectors that it is made of, their convex weights; and the looks it took."""

    w: np.ndarray
    used: np.ndarray
    weights: np.ndarray
    looks: int


def nearest_of(pool: Pool, tol: float, rounds: Iterable[int]) -> Found:
    """The point of least norm in the hull of all vectors of the pool.

    Ends when the two bounds of the margin are a part ``tol`` apart, when the point is the origin (the data are not
    separable), when rounding hides what could still be won, or when ``rounds`` do.
    """
    now = Found(np.zeros(pool.size), np.zeros(0, dtype=np.int64), np.zeros(0), 0)
    best, least, idle, exact = now, np.inf, 0, False
    for look in rounds:
        score = pool.price(now.w)
        norm = float(np.linalg.norm(now.w))
        wanted = norm * norm if look > 1 else np.inf  # no vector of the hull is lower than its nearest point
        if exact:
            idle = 0 if norm < (1.0 - 1e-12) * least else idle + 1
            if norm < least:
                best, least = now, norm
            if score.min() >= (1.0 - tol) * wanted or idle > 3:
                break
        exact = exact or score.min() >= (1.0 - ROUGH) * wanted
        lower = np.flatnonzero(score < wanted)
        lower = lower[np.argsort(score[lower], kind="stable")[: max(100, now.used.size // 2)]]
        used = np.union1d(now.used[now.weights > 0], pool.take(lower))
        B = pool.vectors(used)
        longest = float(np.sqrt(np.einsum("ij,ij->i", B, B).max()))
        w, weights = (now.w, now.weights) if exact else _roughly(B)
        if exact or np.linalg.norm(w) <= ROUGH * longest:
            w, weights = _nearest(B, 0.1 * tol)
        now = Found(w, used, weights, look)
        best = now if least == np.inf else best
        if np.linalg.norm(w) <= 16 * U * longest:  # the origin
            best = now
            break
    return best._replace(looks=now.looks)


def _roughly(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest point of the hull of the rows of B, and its weights, to some digits.

    Non-negative least squares, ``|B'v|^2 + (sum v - 1)^2``, ends at a multiple of the weights.
    """
    R = scipy.linalg.qr(B.T, mode="r", check_finite=False)[0][: len(B)]
    R = R / max(float(np.abs(R).max()), 1e-300)
    try:
        v, _ = scipy.optimize.nnls(np.vstack([R, np.ones(len(B))]), np.append(np.zeros(len(R)), 1.0))
    except RuntimeError:  # no end in sight
        return _nearest(B, ROUGH)
    weights = v / v.sum()
    return B.T @ weights, weights


def _nearest(B: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
    """The same to the last digit: `nearest_point`, in the space that the rows span."""
    Q, R = scipy.linalg.qr(B.T, mode="economic", check_finite=False)
    scale = max(float(np.abs(R).max()), 1e-300)
    rows = points(np.ascontiguousarray(R.T) / scale, np.ones(len(B)), bias=0.0)
    found = nearest_point([rows], "none", tol, Rounds(1000))
    return scale * (Q @ found.w[: Q.shape[1]]), found.dual
