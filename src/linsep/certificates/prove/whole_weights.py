r"""Whole numbers :math:`\lambda_i \ge 0`, not all 0, with :math:`\sum \lambda_i a_i = 0`: nothing is rounded.

Vectors of labellings are sums of features, so they are not floats: their columns are kept as integers, each column in
a unit of its own, a power of two. Non-negative least squares finds which vectors are needed; the weights of these few
are then computed by elimination without fractions (Bareiss).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.optimize

from ...interrupt import keep_time

MOST_VECTORS = 120  # that an elimination may have
MOST_COLUMNS = 1000
LIGHT = 1e-9  # weights below this part of the largest one are taken for 0 by mistake
BITS = 40  # of weights that may be chosen freely


def whole_columns(vector: np.ndarray, index: np.ndarray, value: np.ndarray, count: int) -> list[list[int]]:
    """The columns of ``count`` vectors whose numbers are sums of ``value`` at ``index``, as multiples of powers of two.

    >>> whole_columns(np.array([0, 1, 1]), np.array([3, 3, 3]), np.array([0.5, 0.75, -0.25]), 2)
    [[1, 1]]
    """
    order = np.argsort(index, kind="stable")
    mantissa, exponent = np.frexp(value[order])
    numbers, shift = np.ldexp(mantissa, 53).astype(np.int64).tolist(), exponent.astype(np.int64)
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(index[order])) + 1, [order.size]]).tolist()
    columns = []
    for begin, end in pairwise(cuts):
        if begin == end:
            continue
        column, least = [0] * count, int(shift[begin:end].min())
        for place, number, up in zip(
            vector[order[begin:end]].tolist(), numbers[begin:end], (shift[begin:end] - least).tolist(), strict=True
        ):
            column[place] += number << up
        divisor = math.gcd(*column)
        if divisor:
            columns.append([number // divisor for number in column])
    return columns


def sums_to_zero(columns: Sequence[Sequence[int]], integers: Sequence[int]) -> bool:
    """Whether the vectors times these integers sum to zero."""
    return all(sum(map(int.__mul__, column, integers)) == 0 for column in columns)


def find_whole_weights(columns: Sequence[Sequence[int]], weights: np.ndarray) -> list[int] | None:
    """Whole numbers that prove vectors not separable, found from their columns and from some weights, or None.

    >>> find_whole_weights([[1, -1, 0], [1, 1, -1]], np.array([1.0, 1.0, 1.5]))
    [1, 1, 2]
    >>> find_whole_weights([[1, -1], [1, 1]], np.array([1.0, 1.0])) is None
    True
    """
    if not columns:  # all vectors are zero
        return [1] + [0] * (weights.size - 1)
    if len(columns) > MOST_COLUMNS:
        return None
    for some in (_least_squares(columns), weights):
        used = np.flatnonzero(some > LIGHT * some.max(initial=0.0))
        used = used[np.argsort(-some[used], kind="stable")]
        if 0 < used.size <= MOST_VECTORS:
            found = _kernel([[column[i] for i in used.tolist()] for column in columns], some[used])
            if found is not None:
                whole = [0] * weights.size
                for i, number in zip(used.tolist(), found, strict=True):
                    whole[i] = number
                return whole
    return None


def _least_squares(columns: Sequence[Sequence[int]]) -> np.ndarray:
    """Weights of the vectors whose sum is near 0: ``|A'v|^2 + (sum v - 1)^2`` is least."""
    rows = [[number / max(map(abs, column)) for number in column] for column in columns]
    try:
        return scipy.optimize.nnls(np.array([*rows, [1.0] * len(rows[0])]), np.append(np.zeros(len(rows)), 1.0))[0]
    except RuntimeError:  # no end in sight
        return np.zeros(len(rows[0]))


def _kernel(rows: list[list[int]], weights: np.ndarray) -> list[int] | None:
    """Whole numbers >= 0, not all 0, that are orthogonal to all rows; those that are free are near ``weights``."""
    rows, pivots, divisor = [list(row) for row in rows], list[int](), 1
    for j in range(weights.size):
        keep_time()
        top = len(pivots)
        found = next((i for i in range(top, len(rows)) if rows[i][j]), None)
        if found is None:
            continue
        rows[top], rows[found] = rows[found], rows[top]
        pivot, step = rows[top][j], rows[top]
        for i, row in enumerate(rows):
            if i != top and (row[j] or pivot != divisor):
                factor = row[j]
                rows[i] = [(pivot * x - factor * y) // divisor for x, y in zip(row, step, strict=True)]
        divisor = pivot
        pivots.append(j)
    free = [j for j in range(weights.size) if j not in pivots]
    if not free:
        return None
    chosen = [1] if len(free) == 1 else [max(1, round(math.ldexp(x, BITS))) for x in (weights[free] / weights.max())]
    whole = [0] * weights.size
    for j, number in zip(free, chosen, strict=True):
        whole[j] = number * abs(divisor)
    sign = 1 if divisor > 0 else -1
    for row, j in zip(rows, pivots, strict=False):
        whole[j] = -sign * sum(row[k] * number for k, number in zip(free, chosen, strict=True))
    if min(whole) < 0:
        return None
    divisor = math.gcd(*whole)
    return [number // divisor for number in whole]
