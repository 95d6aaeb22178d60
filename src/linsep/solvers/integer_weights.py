r"""Integer weights of zero sum, by p-adic lifting (Dixon): exact, and far cheaper than elimination.

Rows :math:`a_i` are integers, and so are to be the weights of :math:`\sum \lambda_i a_i = 0`. With the last of them set
to 1 this is a linear system :math:`Bx = b`. It is inverted modulo a prime p once; then each product with the inverse
yields one more digit of x to the base p. Enough digits determine the fractions x.
"""

from __future__ import annotations

import math

import numpy as np

from ..interrupt import is_spent

P = 2**31 - 1  # a prime: products of two remainders fit into 64 bits
LIMB = 20  # bits of a part of a number
MOST = 2**11  # rows: with these two, sums of products fit into 64 bits
FEW = 8  # digits after which the fractions are first tried; then after twice as many


def find_integer_weights(A: np.ndarray, deadline: float = math.inf) -> list[int] | None:
    """Integers that make the rows of A (two or more, of Python's integers) sum to zero; None if not unique, or none.

    >>> find_integer_weights(np.array([[2, 0], [0, 3], [-1, -1]], dtype=object))
    [3, 2, 6]
    >>> find_integer_weights(np.array([[1, 0], [0, 1]], dtype=object)) is None
    True
    """
    A = A[:, [column.any() for column in A.T]]
    if not 1 < len(A) <= min(MOST, A.shape[1] + 1):  # too many to be unique
        return None
    A = np.array([column // math.gcd(*column) for column in A.T], dtype=object).T
    equations = _equations((A.T % P).astype(np.int64), deadline)
    if equations is None:
        return None
    B, b = A[:-1, equations].T, -A[-1, equations]
    inverse = _inverse((B % P).astype(np.int64), deadline)
    limbs = _limbs(B)
    bound = math.prod(math.isqrt(int(row @ row)) + 1 for row in np.column_stack([B, b]))  # Hadamard: of any minor
    digits: list[np.ndarray] = []
    rest, tried = b, FEW
    while True:
        if is_spent(deadline):
            raise TimeoutError
        digit = _times(inverse, (rest % P).astype(np.int64))
        rest = (rest - sum((limb @ digit).astype(object) << LIMB * k for k, limb in enumerate(limbs))) // P
        digits.append(digit)
        enough = P ** len(digits) > 2 * bound * bound
        if len(digits) == tried or enough:
            tried *= 2
            found = _fractions(digits)
            if found is not None and not (np.array(found, dtype=object) @ A).any():
                return found
            if enough:
                return None


def _equations(T: np.ndarray, deadline: float) -> np.ndarray | None:
    """Rows of T that determine all unknowns but the last, given that one, modulo P; None if the only solution is 0."""
    T, order, n = T.copy(), np.arange(len(T)), T.shape[1] - 1
    for c in range(n):
        pivots = np.flatnonzero(T[c:, c])
        if pivots.size == 0:
            return None
        if is_spent(deadline):
            raise TimeoutError
        r = c + int(pivots[0])
        T[[c, r]], order[[c, r]] = T[[r, c]], order[[r, c]]
        below = c + 1 + np.flatnonzero(T[c + 1 :, c])
        factor = T[below, c] * pow(int(T[c, c]), -1, P) % P
        T[below, c:] = (T[below, c:] - factor[:, None] * T[c, c:]) % P
    return None if T[n:, n].any() else np.sort(order[:n])


def _inverse(B: np.ndarray, deadline: float) -> np.ndarray:
    """The inverse modulo P."""
    n = len(B)
    T = np.hstack([B, np.eye(n, dtype=np.int64)])
    for c in range(n):
        if is_spent(deadline):
            raise TimeoutError
        r = c + int(np.argmax(T[c:, c] != 0))
        T[[c, r]] = T[[r, c]]
        T[c] = T[c] * pow(int(T[c, c]), -1, P) % P
        others = np.flatnonzero(T[:, c])
        others = others[others != c]
        T[others, c:] = (T[others, c:] - T[others, c, None] * T[c, c:]) % P
    return T[:, n:]


def _times(inverse: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The product modulo P: in two halves of x, so that sums stay within 64 bits."""
    low, high = x & 0xFFFF, x >> 16
    return (inverse @ low % P + (inverse @ high % P << 16)) % P


def _limbs(B: np.ndarray) -> list[np.ndarray]:
    """B as a sum of matrices of small numbers, times powers of 2^LIMB."""
    size, sign = np.abs(B), np.where(B < 0, -1, 1).astype(np.int64)
    most = max((int(x).bit_length() for x in size.ravel()), default=0)
    mask = 2**LIMB - 1
    return [sign * (size >> k & mask).astype(np.int64) for k in range(0, max(most, 1), LIMB)]


def _fractions(digits: list[np.ndarray]) -> list[int] | None:
    """Numbers given by their digits to the base P, as fractions: numerators over one denominator, which comes last."""
    modulus = P ** len(digits)
    most = math.isqrt(modulus // 2)
    total = _join(digits)
    below, above = 1, list[int]()
    for x in total:
        y = x * below % modulus
        y = y - modulus if 2 * y > modulus else y
        if abs(y) > most:
            y, factor = _fraction(y % modulus, modulus, most)
            below *= factor
            above = [known * factor for known in above]
            if below > most:
                return None
        above.append(y)
    factor = math.gcd(below, *above)
    return [number // factor for number in (*above, below)]


def _join(digits: list[np.ndarray]) -> np.ndarray:
    """The numbers with these digits; by halves, so that few long products are needed."""
    if len(digits) == 1:
        return digits[0].astype(object)
    half = len(digits) // 2
    return _join(digits[:half]) + _join(digits[half:]) * P**half


def _fraction(x: int, modulus: int, most: int) -> tuple[int, int]:
    """n, d with d x = n modulo the modulus and |n| <= most: Euclid's algorithm, stopped half-way."""
    before, now, known, new = modulus, x, 0, 1
    while now > most:
        times = before // now
        before, now, known, new = now, before - times * now, new, known - times * new
    return (now, new) if new > 0 else (-now, -new)
