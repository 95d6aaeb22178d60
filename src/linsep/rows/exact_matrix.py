r"""Exact arithmetic of small symmetric matrices: is one positive semidefinite, and how long is a vector in its metric?

Both are one elimination without fractions (Bareiss): all numbers are minors of a matrix of integers. A zero pivot of a
positive semidefinite matrix has a row of zeros, so no row is ever exchanged.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .exact import dyadic, product


def to_integers(A: np.ndarray) -> tuple[np.ndarray, int]:
    """Python's integers m and an exponent e with ``A = m 2^e``.

    >>> to_integers(np.array([0.5, 3.0]))
    (array([1, 6], dtype=object), -1)
    """
    m, e = dyadic(np.ravel(A))
    base = int(e.min(initial=0))
    numbers = np.empty(m.size, dtype=object)
    numbers[:] = [x << k - base for x, k in zip(m.tolist(), e.tolist(), strict=True)]
    return numbers.reshape(np.shape(A)), base


def quadratic_form(M: np.ndarray, w: np.ndarray) -> Fraction:
    """w'Mw without any rounding.

    >>> quadratic_form(np.array([[1.0, -1.0], [-1.0, 1.0 + 2**-52]]), np.array([1.0, 1.0])) == Fraction(1, 2**52)
    True
    """
    return sum((Fraction(float(x)) * product(row, w) for x, row in zip(w, M, strict=True)), Fraction(0))


def is_semidefinite(M: np.ndarray) -> bool:
    """Whether a symmetric matrix is positive semidefinite, exactly.

    >>> is_semidefinite(np.ones((2, 2))), is_semidefinite(np.array([[1.0, 1.0], [1.0, 1.0 - 2**-53]]))
    (True, False)
    """
    n = len(M)
    bordered = np.zeros((n + 1, n + 1), dtype=object)
    bordered[:n, :n] = to_integers(M)[0]
    return eliminate(bordered) is not None


def squared_length(G: np.ndarray, t: np.ndarray) -> Fraction | None:
    """t'x of the x with Gx = t, for a positive semidefinite G; None if there is none. Entries are fractions.

    >>> half = Fraction(1, 2)
    >>> squared_length(np.array([[half, half], [half, half]]), np.array([half, half]))
    Fraction(1, 2)
    >>> squared_length(np.array([[half, half], [half, half]]), np.array([half, Fraction(0)])) is None
    True
    """
    n = len(t)
    below = max((x.denominator for x in (*G.ravel(), *t)), default=1)  # powers of two, so that it is a multiple of all
    bordered = np.zeros((n + 1, n + 1), dtype=object)
    bordered[:n, :n] = [[int(x * below) for x in row] for row in G]
    bordered[:n, n] = bordered[n, :n] = [int(x * below) for x in t]
    rest = eliminate(bordered)
    return None if rest is None else -rest / below


def eliminate(A: np.ndarray) -> Fraction | None:
    """The last diagonal entry after all others were pivots; None if a pivot shows that A is not of that kind."""
    A, before = A.copy(), 1
    for c in range(len(A) - 1):
        pivot, row = A[c, c], A[c, c + 1 :]
        if pivot < 0 or (pivot == 0 and row.any()):
            return None
        if pivot > 0:
            rest = A[c + 1 :, c + 1 :]
            rest[:] = (rest * pivot - np.outer(row, row)) // before
            before = pivot
    return Fraction(int(A[-1, -1]), int(before))
