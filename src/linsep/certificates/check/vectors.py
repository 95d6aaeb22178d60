"""For the check of a certificate of labellings: vectors phi(x,y) - phi(x,y') without rounding, and sums of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

Vector = dict[int, list[float]]  # the numbers whose sum is at each index


def difference(truth: Iterable[tuple[int, float]], rival: Iterable[tuple[int, float]]) -> Vector:
    """The terms of phi of the truth less those of the rival.

    >>> difference([(0, 1.0), (2, 0.5)], [(2, 0.25)])
    {0: [1.0], 2: [0.5, -0.25]}
    """
    out: Vector = {}
    for sign, terms in ((1.0, truth), (-1.0, rival)):
        for index, value in terms:
            out.setdefault(index, []).append(sign * value)
    return out


def count_terms(vectors: Sequence[Vector]) -> int:
    """How many numbers the vectors are sums of."""
    return sum(len(terms) for vector in vectors for terms in vector.values())


def rounded(vectors: Sequence[Vector], size: int) -> sp.csr_array:
    """The vectors as rows of a matrix, every number rounded once."""
    indptr = np.cumsum([0, *map(len, vectors)])
    indices = [index for vector in vectors for index in sorted(vector)]
    data = [math.fsum(vector[index]) for vector in vectors for index in sorted(vector)]
    return sp.csr_array(
        (np.array(data, dtype=np.float64), np.array(indices, dtype=np.int64), indptr), (len(vectors), size)
    )


def exact_score(w: np.ndarray, vector: Vector) -> Fraction:
    """<w,a>, of a w of floats or of integers."""
    return sum((Fraction(w[index]) * exact_sum(terms) for index, terms in vector.items()), Fraction(0))


def exact_sum(terms: Iterable[float]) -> Fraction:
    """The sum of floats."""
    return sum(map(Fraction, terms), Fraction(0))


def whole_numbers(*arrays: np.ndarray) -> tuple[list[np.ndarray], int]:
    """Floats as integers, and the number that all of them were multiplied by.

    >>> whole_numbers(np.array([0.5, 3.0]), np.array([[0.25]]))
    ([array([2, 12], dtype=object), array([[1]], dtype=object)], 4)
    """
    ratios = [[float(x).as_integer_ratio() for x in array.ravel().tolist()] for array in arrays]
    unit = max((below for each in ratios for _, below in each), default=1)  # powers of two all
    whole = [np.array([above * (unit // below) for above, below in each], dtype=object) for each in ratios]
    return [each.reshape(array.shape) for each, array in zip(whole, arrays, strict=True)], unit


def weighted_sum(vectors: Sequence[Vector], weights: Iterable[Any]) -> list[Fraction]:
    """The numbers of the sum of the vectors times their weights; those that no vector has are left out.

    >>> weighted_sum([{3: [0.5]}, {3: [-0.25]}], [1, 2])
    [Fraction(0, 1)]
    """
    total: dict[int, Fraction] = {}
    for vector, weight in zip(vectors, weights, strict=True):
        for index, terms in vector.items():
            total[index] = total.get(index, Fraction(0)) + weight * exact_sum(terms)
    return list(total.values())


def exact_norm(numbers: Iterable[Fraction]) -> float:
    """The norm, rounded once or twice.

    >>> exact_norm([Fraction(3, 10**200), Fraction(4, 10**200)])
    5e-200
    """
    square = sum((number * number for number in numbers), Fraction(0))
    even = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(square / Fraction(4) ** even), even)
