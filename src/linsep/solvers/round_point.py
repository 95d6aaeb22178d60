r"""Floats for a w that is known exactly, with the scores of some vectors nearly as exact as w itself.

Rounded number by number, :math:`\langle w,a\rangle` is off by some :math:`u\,|w|\,|a|`: too much where vectors are long
and their scores small, as with a large offset. So the numbers are rounded one after the other, first those whose
rounding counts most, and what one is off by is made up for by those that are still to be rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import scipy.linalg


def round_point(w: Sequence[Fraction], A: np.ndarray) -> np.ndarray:
    """Floats near w, with nearly the same scores of the rows of A.

    >>> third, A = Fraction(1, 3), np.array([[2.0**50, 1.0]])
    >>> plain, better = np.array([float(third), 1.0]), round_point([third, Fraction(1)], A)
    >>> exact = 2**50 * third + 1
    >>> [float(Fraction(2.0**50 * v[0]) + Fraction(v[1]) - exact) for v in (plain, better)]
    [-0.020833333333333332, 0.0]
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
