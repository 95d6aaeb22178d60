"""What a hard margin needs besides its solver: a w without rounding noise, and the shortest w of given scores (S3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..certificates.base import Status
from ..certificates.margin import MarginCertificate
from ..certificates.prove.margin import Outcome, prove_margin
from ..certificates.prove.objective import SoftMarginProblem
from ..interrupt import is_spent
from ..loop.stop import Rounds
from ..loop.trace import retold
from ..rows.exact import least
from ..rows.matrix import RowOracle, Rows, VectorMatrix
from ..solvers.least_squares import least_squares
from ..solvers.nearest_point import WIDE, NearestPoint, nearest_point, nearest_point_by_ascent
from ..solvers.soft_margin import soft_margin

QUICK = 1e9  # multiplications of least squares, for which there is always time
NOISE = 1e-9  # of scores that should be 1 and -1


def needs_compromise(found: MarginCertificate, size: int) -> bool:
    """Whether w should be another one, which can't separate either; not if there is no time for that."""
    if found.status not in (Status.NOT_SEPARABLE, Status.BUDGET_SPENT):
        return False
    return not is_spent() or found.size * size**2 <= QUICK


def find_nearest_point(parts: Sequence[Rows], bias: str, tol: float, rounds: Rounds) -> NearestPoint:
    """The nearest point, by the method that is quicker for as many columns."""
    solve = nearest_point_by_ascent if parts[0].width > WIDE else nearest_point
    return solve(parts, bias, 0.1 * tol, rounds)


def compromise(parts: Sequence[Rows], bias: str, max_seconds: float | None) -> np.ndarray:
    """The w of least squares, which no scaling of the columns changes; of many columns that of a soft margin."""
    A = VectorMatrix(*parts)
    if parts[0].width <= WIDE:
        return without_noise(parts, least_squares(A, np.ones(A.shape[0])))
    (part,) = parts
    A = VectorMatrix(part.with_bias(0.0))
    C = A.weight / max(float(np.average(A.squares, weights=A.weight)), 1e-300)  # as SVMlight has it
    problem = SoftMarginProblem([part], C, squared=False, bias=bias)
    with retold():
        return soft_margin(problem, 1e-3, Rounds(200, max_seconds)).w


def without_noise(parts: Sequence[Rows], w: np.ndarray) -> np.ndarray:
    """The w of least squares; where no column tells the classes apart, and w is rounding error, 0 and the best bias."""
    A = VectorMatrix(*(part.with_bias(0.0) for part in parts))
    sign = np.concatenate([part.sign for part in parts])
    g = sign * (A @ w)
    if np.ptp(g[A.weight > 0]) > NOISE:
        return w
    return np.append(np.zeros(w.size - 1), np.average(sign, weights=A.weight) if parts[0].bias else 0.0)


def stretch(parts: Sequence[RowOracle], w: np.ndarray, b: float) -> np.ndarray:
    """The multiple of a w that separates whose lowest score is b: no less in exact arithmetic, and hardly more.

    >>> from linsep.oracles import points
    >>> part = points(np.array([[3.0], [1.0]]), np.array([1, -1]))
    >>> stretch([part], np.array([1.0, -2.0]), 5.0)
    array([  5., -10.])
    """
    factor = float(Fraction(b) / least(parts, w))
    while least(parts, factor * w) < b:
        factor = math.nextafter(factor * (1.0 + 2.0**-52), math.inf)
    return factor * w


def prove_shortest(
    parts: Sequence[RowOracle], found: MarginCertificate, dual_weights: np.ndarray, outcome: Outcome, b: float
) -> MarginCertificate:
    """The certificate of the shortest w with scores of at least b, from that of the largest margin."""
    w = stretch(parts, parts[0].as_vector(found.w), b)
    return replace(prove_margin(parts, w, dual_weights, outcome, found.integers), least_score=b)
