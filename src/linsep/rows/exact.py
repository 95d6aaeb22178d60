r"""Exact arithmetic: every float is an integer times a power of two, so scalar products need not be rounded.

`scored` gives all scores with sound bounds of their rounding error. Where these don't decide, Python's integers do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from .matrix import Rows, float_blocks, vectors

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


def scored(parts: Sequence[Rows], w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers of all live rows, their scores <w,a>, and what these are wrong by at most.

    The bound also covers a w that was itself rounded, each component to the nearest float.
    """
    rows, score, error = [], [], []
    size = np.abs(w) + TINY
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite error bound decides nothing
        for part in parts:
            for own, X in float_blocks(part):
                terms = np.diff(X.indptr) if sp.issparse(X) else X.shape[1]
                rows.append(part.first + own)
                score.append(part.sign[own] * (X @ w[:-1] + part.bias * w[-1]))
                error.append((terms + 4) * (U * (abs(X) @ size[:-1] + part.bias * size[-1]) + TINY * U))
    return np.concatenate(rows), np.concatenate(score), np.concatenate(error)


def decisive(parts: Sequence[Rows], w: np.ndarray) -> np.ndarray:
    """The rows one of which has the least score of all, as far as floating point can tell."""
    rows, score, error = scored(parts, w)
    with np.errstate(over="ignore", invalid="ignore"):
        return rows[~(score - error > np.fmin.reduce(score + error))]


def least(parts: Sequence[Rows], w: np.ndarray, rows: np.ndarray | None = None) -> Fraction:
    """The least score of ``rows`` (of all of them) without rounding.

    >>> from linsep.oracles import points
    >>> part = points(np.array([[1.0], [1.0 + U]]), np.array([-1, 1]))
    >>> float(least([part], np.array([1.5, -1.5 - U])) / Fraction(U))        # computed: -1.5 + 1.5 + U
    0.5
    """
    rows = decisive(parts, w) if rows is None else rows
    step = max(1, 2**22 // w.size)  # rows that are dense at a time
    some = (vectors(parts, rows[at : at + step]) for at in range(0, rows.size, step))
    return min(product(a, w[: a.size]) for A in some for a in A)
