r"""The nearest point of one hull, exactly, and floats for it.

`find_nearest_exactly` is Wolfe's algorithm in integers, as in `exact_nearest_point`, but to the end: until no vector is
lower than the point. `round_point` makes floats of it. Rounded number by number, :math:`\langle w,a\rangle` is off by
some :math:`u\,|w|\,|a|`: too much where vectors are long and their scores small, as with a large offset. So the
numbers are rounded one after the other, first those whose rounding counts most, and what one is off by is made up for
by those that are still to be rounded.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..rows.matrix import Rows
from .exact_nearest_point import IntegerRows, begin_face, heaviest_rows, move_to_minimiser


class ExactPoint(NamedTuple):
    """The nearest point of one hull without rounding, the rows that it is made of, and their convex weights."""

    w: list[Fraction]
    rows: np.ndarray
    weights: list[Fraction]


def find_nearest_exactly(parts: Sequence[Rows], start: np.ndarray, seconds: float = math.inf) -> ExactPoint | None:
    """The nearest point of one hull; None: no time, or it is the origin.

    >>> from linsep.oracles import points
    >>> A = points(np.array([[3.0, 1.0], [3.0, -2.0], [9.0, 0.0]]), np.ones(3), bias=0.0)
    >>> found = find_nearest_exactly([A], np.ones(3))
    >>> [str(x) for x in found.w], found.rows, [str(x) for x in found.weights]
    (['3', '0', '0'], array([0, 1]), ['2/3', '1/3'])
    """
    deadline = time.monotonic() + seconds
    try:
        return _find_nearest(parts, start, deadline)
    except TimeoutError:
        return None


def _find_nearest(parts: Sequence[Rows], start: np.ndarray, deadline: float) -> ExactPoint | None:
    rows = IntegerRows(parts, "augmented" if parts[0].bias else "none", deadline, alike=True)
    face, weights = begin_face(heaviest_rows(rows, start), start, deadline)
    while True:
        weights = move_to_minimiser(face, weights)
        w, total = face.point(weights), sum(weights)
        if not w:
            return None
        low = rows.find_nearer(w, total, face.rows, least_of_all=True)
        if low is None:
            break
        face.add(low, rows.row(low))
        weights = [*weights, 0]
    point = [Fraction(w.get(j, 0), total << int(s)) for j, s in enumerate(rows.scale)]
    return ExactPoint(point, np.array(face.rows), [Fraction(weight, total) for weight in weights])


def round_point(w: Sequence[Fraction], A: np.ndarray) -> np.ndarray:
    """Floats near w, with nearly the same scores of the rows of A.

    >>> w = [Fraction(1, 3), Fraction(1)]
    >>> plain, better = np.array([1 / 3, 1.0]), round_point(w, np.array([[2.0**50, 1.0]]))
    >>> [f"{float(2**50 * (Fraction(v[0]) - w[0]) + Fraction(v[1]) - w[1]):.3f}" for v in (plain, better)]
    ['-0.021', '-0.000']
    """
    left = list(w)
    found = np.array([float(number) for number in left])
    size = np.maximum(np.abs(A).max(axis=0, initial=0.0), 1e-300)
    order = np.argsort(-np.spacing(np.abs(found)) * size, kind="stable")
    for k, j in enumerate(order.tolist()):
        found[j] = float(left[j])
        off = float(left[j] - Fraction(found[j]))
        others = order[k + 1 :]
        others = others[size[others] > 1e-300]
        if off == 0.0 or others.size == 0 or not A[:, j].any():
            continue
        B = A[:, others] / size[others]
        moves = scipy.linalg.lstsq(B, off * A[:, j], check_finite=False)[0] / size[others]
        for i, move in zip(others.tolist(), moves.tolist(), strict=True):
            left[i] += Fraction(move)
    return found
