r"""Exact arithmetic: every float is an integer times a power of two, so scalar products need not be rounded.

`scored` gives all scores with sound bounds of their rounding error. Where these don't decide, Python's integers do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from ..oracles.elsewhere import are_elsewhere, map_parts
from .matrix import RowOracle, float_blocks, vectors

U = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)
LARGEST = float(np.finfo(np.float64).max)


def dyadic(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Odd integers m (0 for 0) and exponents e with ``x = m * 2**e``.

    >>> dyadic(np.array([0.75, -8.0, 0.0]))
    (array([ 3, -1,  0]), array([-2,  3,  0]))
    """
    fraction, exponent = np.frexp(x)
    m = np.ldexp(fraction, 53).astype(np.int64)
    zeros = np.frexp((m & -m).astype(np.float64))[1] - 1  # of the binary number, at its end
    zero = m == 0
    return m >> np.where(zero, 0, zeros), np.where(zero, 0, exponent.astype(np.int64) - 53 + zeros)


def to_float(number: int, exponent: int) -> float:
    """The float nearest to number times 2^exponent.

    >>> to_float(3, -1), to_float(2**2000 + 1, -2000), to_float(3, -1075)
    (1.5, 1.0, 1e-323)
    """
    size = number.bit_length()
    if size < 1000 and -1000 < size + exponent < 1000:  # nothing but the integer is rounded
        return math.ldexp(number, exponent)
    return float(Fraction(number) * Fraction(2) ** exponent)


def product(a: np.ndarray, w: np.ndarray) -> Fraction:
    """<w,a> without any rounding.

    >>> product(np.array([1e16, 1.0, -1e16]), np.array([1.0, 1.0, 1.0]))
    Fraction(1, 1)
    """
    both = np.flatnonzero((a != 0) & (w != 0))
    (m, e), (n, f) = dyadic(a[both]), dyadic(w[both])
    at = (e + f).tolist()
    base = min(at, default=0)
    total = sum(x * y << k - base for x, y, k in zip(m.tolist(), n.tolist(), at, strict=True))
    return total * Fraction(2) ** base


def down(q: Fraction) -> float:
    """The largest float that is not above q.

    >>> down(Fraction(1, 10)) < Fraction(1, 10) < math.nextafter(down(Fraction(1, 10)), 1)
    True
    """
    if abs(q) > LARGEST:
        return LARGEST if q > 0 else -math.inf
    x = float(q)
    return math.nextafter(x, -math.inf) if x > q else x


def mixture(A: np.ndarray, weights: np.ndarray, groups: Sequence[np.ndarray]) -> list[Fraction]:
    """The mean, over groups (masks), of the weighted means of their rows: a convex combination without rounding.

    >>> mixture(np.array([[1.0], [2.0], [5.0]]), np.array([1.0, 2.0, 9.0]), [np.arange(3) < 2, np.arange(3) == 2])
    [Fraction(10, 3)]
    """
    total = [Fraction(0)] * A.shape[1]
    for group in groups:
        own = weights[group]
        mass = product(own, np.ones(own.size)) * len(groups)
        total = [known + product(column, own) / mass for known, column in zip(total, A[group].T, strict=True)]
    return total


def scored_blocks(parts: Sequence[RowOracle], w: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The places of all present vectors, their scores <w,a>, and what these are wrong by at most, by blocks of rows.

    The bound also covers a w that was itself rounded, each component to the nearest float.
    """
    if are_elsewhere(parts):
        for part, found in zip(parts, map_parts(_scored_part, parts, w), strict=True):
            yield from ((part.first * part.slots + places, score, error) for places, score, error in found)
        return
    for part in parts:
        W = np.atleast_2d(part.as_matrix(w))
        size = np.abs(W) + TINY
        for own, X in float_blocks(part.rows):
            terms = np.diff(X.indptr)[:, None] if sp.issparse(X) else X.shape[1]
            score = X @ W[:, :-1].T + part.rows.bias * W[:, -1]
            error = (terms + 4) * (U * (abs(X) @ size[:, :-1].T + part.rows.bias * size[:, -1]) + TINY * U)
            if part.slots == 1:
                yield part.first + own, part.sign[own] * score[:, 0], error[:, 0]
                continue
            label, every = part.label[own], np.arange(own.size)
            rivals = np.arange(part.slots) != label[:, None]
            score, error = score[every, label][:, None] - score, error[every, label][:, None] + error
            places = (part.first + own)[:, None] * part.slots + np.arange(part.slots)
            yield places[rivals], score[rivals], (error + U * np.abs(score))[rivals]


def _scored_part(part: RowOracle, w: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    with np.errstate(over="ignore", invalid="ignore"):
        return list(scored_blocks([part], w))


def scored(parts: Sequence[RowOracle], w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The places of all present vectors, their scores, and what these are wrong by at most."""
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite error bound decides nothing
        places, score, error = zip(*scored_blocks(parts, w), strict=True)
    return np.concatenate(places), np.concatenate(score), np.concatenate(error)


def decisive(parts: Sequence[RowOracle], w: np.ndarray) -> np.ndarray:
    """The places one of which has the least score of all, as far as floating point can tell."""
    most, found = math.inf, list[tuple[np.ndarray, np.ndarray]]()
    with np.errstate(over="ignore", invalid="ignore"):
        for places, score, error in scored_blocks(parts, w):
            most = np.fmin(most, np.fmin.reduce(score + error))
            low = ~(score - error > most)
            found.append((places[low], (score - error)[low]))
        return np.concatenate([places[~(low > most)] for places, low in found])


def least(parts: Sequence[RowOracle], w: np.ndarray, rows: np.ndarray | None = None) -> Fraction:
    """The least score of ``rows`` (of all of them) without rounding.

    >>> from linsep.oracles import points
    >>> part = points(np.array([[1.0], [1.0 + U]]), np.array([-1, 1]))
    >>> float(least([part], np.array([1.5, -1.5 - U])) / Fraction(U))        # computed: -1.5 + 1.5 + U
    0.5
    """
    rows = decisive(parts, w) if rows is None else rows
    step = max(1, 2**22 // w.size)  # rows that are dense at a time
    some = (vectors(parts, rows[at : at + step]) for at in range(0, rows.size, step))
    W = np.atleast_2d(parts[0].as_matrix(w))
    return min(product(a, W[:, : a.size // len(W)].ravel()) for A in some for a in A)


def count_violated(parts: Sequence[RowOracle], w: np.ndarray, most: float) -> int:
    """How many sets have a vector with <w,a> <= 0, without rounding.

    If exact arithmetic would need more than ``most`` numbers, sets that floating point can't tell are left out.

    >>> from linsep.oracles import points
    >>> part = points(np.array([[1.0], [1.0 + U]]), np.array([-1, 1]))
    >>> count_violated([part], np.array([1.5, -1.5 - U]), 100)                # <w,a> = U and U / 2
    0
    """
    places, score, error = scored(parts, w)
    sets = places // parts[0].slots
    found = np.unique(sets[score < -error])
    doubtful = ~(np.abs(score) > error) & ~np.isin(sets, found)
    return found.size + np.unique(sets[doubtful][_at_most_zero(parts, w, places[doubtful], most)]).size


def _at_most_zero(parts: Sequence[RowOracle], w: np.ndarray, places: np.ndarray, most: float) -> np.ndarray:
    """Whether the vectors at some places have <w,a> <= 0, without rounding; False where nobody can tell that.

    Floating point does not round whole multiples of one power of two, if they are small: ties are mostly such.
    """
    W, out = np.atleast_2d(parts[0].as_matrix(w)), np.zeros(places.size, dtype=bool)
    step = max(1, 2**22 // w.size)
    for at in range(0, places.size, step):
        A = vectors(parts, places[at : at + step])
        v = W[:, : A.shape[1] // len(W)].ravel()
        grain = np.where(A != 0, dyadic(A)[1], 2000).min(axis=1) + dyadic(v)[1][v != 0].min(initial=2000)
        unrounded = np.abs(A) @ np.abs(v) <= np.ldexp(1.0, np.clip(52 + grain, -1074, 1000))
        out[at : at + step] = unrounded & (A @ v <= 0)
        for i in np.flatnonzero(~unrounded).tolist():
            most -= v.size
            out[at + i] = most >= 0 and product(A[i], v) <= 0
    return out
