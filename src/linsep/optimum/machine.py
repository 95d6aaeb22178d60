r"""The linear machine of largest margin, exactly (C10 for D1): the nearest point of the hull of Kesler's vectors.

There are n (K - 1) of them, and few decide. `nearest_machine` keeps some, finds the nearest point of their hull
with `nearest_point`, asks the oracle for the lowest vector of every row, and takes in those that are lower than
the point allows, until none is: column generation with `Classes` as the oracle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import scipy.linalg
import scipy.optimize

from ..core.jit import compiled
from ..core.rows import copies, live, size_of, vectors
from ..core.stop import Rounds
from ..oracles import Classes, flat, points
from .nearest_point import Nearest, nearest_point

U = float(np.finfo(np.float64).eps)
ROUGH = 1e-6  # how far a rough solution is trusted, relative


@compiled
def _price(part, w, rows, score, place):
    """The lowest vector of each row: its score, and its place in `dual`."""
    for i in rows:
        score[part.rows.first + i] = part.probe(w, i)
        place[part.rows.first + i] = (part.rows.first + i) * part.score.size + part.rival[0]


def nearest_machine(parts: Sequence[Classes], tol: float, rounds: Iterable[int]) -> Nearest:
    """The point of least norm in the hull of all vectors of the parts; w is a matrix, one row a class.

    Ends when the two bounds of the margin are a part ``tol`` apart, when the point is the origin (the data are not
    separable), when rounding hides what could still be won, or when ``rounds`` do.
    """
    n, count = sum(part.label.size for part in parts), copies(parts[0])
    score, place = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    used, dual, W, looks = np.zeros(0, dtype=np.int64), np.zeros(n * count), np.zeros(size_of(parts[0])), 0
    best, least, idle, exact = (W, dual), np.inf, 0, False
    for look in rounds:
        looks = look
        w = flat(parts[0], W.reshape(count, -1))
        for part in parts:
            for rows in live(part):
                _price(part, w, rows, score, place)
        norm = float(np.linalg.norm(W))
        wanted = norm * norm if look > 1 else np.inf  # no vector of the hull is lower than its nearest point
        if exact:
            idle = 0 if norm < (1.0 - 1e-12) * least else idle + 1
            if norm < least:
                best, least = (W, dual), norm
            if score.min() >= (1.0 - tol) * wanted or idle > 3:
                break
        exact = exact or score.min() >= (1.0 - ROUGH) * wanted
        lower = np.flatnonzero(score < wanted)
        lower = lower[np.argsort(score[lower], kind="stable")[: max(100, used.size // 2)]]
        used = np.union1d(used[dual[used] > 0], place[lower])
        B = vectors(parts, used)
        longest = float(np.sqrt(np.einsum("ij,ij->i", B, B).max()))
        W, weights = (W, dual) if exact else _roughly(B)
        if exact or np.linalg.norm(W) <= ROUGH * longest:
            W, weights = _nearest(B, 0.1 * tol)
        dual = np.zeros(n * count)
        dual[used] = weights
        best = (W, dual) if least == np.inf else best
        if np.linalg.norm(W) <= 16 * U * longest:  # the origin
            best = (W, dual)
            break
    W, dual = best
    return Nearest(W.reshape(count, -1), dual, looks)


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
