"""A small ball around all rows: its radius R is compared with the margin (A4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from ..validation import as_finite_rows

BLOCK_SIZE = 2**18  # numbers processed at once
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Ball:
    """A ball that contains all rows, with a lower bound of the smallest one: lower <= smallest radius <= radius."""

    centre: np.ndarray
    radius: float  # contains all rows, rounding included
    lower: float  # no smaller ball contains all rows
    passes: int  # over the data


def enclosing_ball(X: Any, *, tol: float = 1e-3, max_iter: int = 100) -> Ball:
    r"""Return a ball around all rows of X, its radius at most ``1 + tol`` times the smallest R if the budget allows.

    With weights :math:`\lambda \ge 0` of sum 1 and :math:`c = \sum \lambda_i x_i`,

    .. math:: \sum_i \lambda_i |x_i - c|^2 \;\le\; R^2 \;\le\; \max_i |x_i - c|^2 .

    The algorithm of Badoiu and Clarkson: c moves towards the row farthest from it, or away from the nearest row with a
    positive weight (Yildirim 2008), to where the left-hand side is largest. Both sides hold after every pass, so
    ``radius`` is an upper bound of R whenever it stops; after one pass it is at most twice too large.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Dense data are read in place, in blocks; of sparse data the rounding of scalar products is added to R.
    tol : float, default=1e-3
        Largest relative difference of the two bounds.
    max_iter : int, default=100
        Largest number of passes over all rows.

    Examples
    --------
    >>> ball = enclosing_ball([[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]])
    >>> ball.centre.tolist(), round(ball.radius, 9), round(ball.lower, 9)
    ([2.0, 0.0], 2.0, 2.0)
    """
    if not (isinstance(tol, Real) and tol > 0):
        raise ValueError(f"tol: expected a positive number, got {tol!r}.")
    if not (isinstance(max_iter, Integral) and max_iter >= 1):
        raise ValueError(f"max_iter: expected an integer >= 1, got {max_iter!r}.")
    X = as_finite_rows(X)
    rows = _ScaledRows(X)
    weight = np.zeros(X.shape[0])  # lambda
    weight[0] = 1.0
    centre = rows[0]
    best = Ball(centre, math.inf, 0.0, 0)
    for passes in range(1, int(max_iter) + 1):
        square, rounding = rows.squared_distances(centre)
        far, radius = int(square.argmax()), math.sqrt(square.max() + rounding)
        if radius < best.radius:
            best = replace(best, centre=centre, radius=radius)
        drift = 4 * passes * EPS * (float(np.linalg.norm(centre)) + radius)  # of the centre from the weighted sum
        inner = float(weight @ square) / float(weight.sum())
        lower = math.sqrt(max(0.0, inner - rounding - drift * drift))
        lower = max(lower, 0.5 * (math.sqrt(max(0.0, square[far] - rounding)) - drift))  # c is in the hull
        best = replace(best, lower=min(max(best.lower, lower), best.radius), passes=passes)
        if best.radius <= (1 + tol) * best.lower or square[far] <= rounding:
            break
        at, step = _take_step(square, weight, inner, far)
        centre = centre + step * (rows[at] - centre)
    up, down = math.ldexp(best.radius, rows.exponent), math.ldexp(best.lower, rows.exponent)
    up += math.ceil(math.sqrt(X.shape[1])) * math.ulp(0.0)  # the centre is rounded, if numbers are very small
    centre = np.ldexp(best.centre, rows.exponent)
    return Ball(centre, math.nextafter(up, math.inf), math.nextafter(down, 0.0), best.passes)


def _take_step(square: np.ndarray, weight: np.ndarray, inner: float, far: int) -> tuple[int, float]:
    """Return the row to move to (or from, if step < 0) and how far; changes the weights accordingly."""
    support = np.flatnonzero(weight)
    near = int(support[square[support].argmin()])
    if square[far] - inner >= inner - square[near]:
        at, step = far, 0.5 * (1 - inner / square[far])
    else:
        largest = weight[near] / (1 - weight[near])  # the step that makes the row's weight 0
        best = 0.5 * (inner / square[near] - 1) if square[near] > 0 else math.inf
        at, step = near, -min(best, largest)
        if step == -largest:
            weight[at] = 0.0
            weight /= weight.sum()
            return at, step
    weight *= 1 - step
    weight[at] += step
    return at, step


class _ScaledRows:
    """Rows of X times a power of two that makes the largest number about 1, so that squares do not overflow."""

    def __init__(self, X):
        values = X.data if sp.issparse(X) else X
        largest = max(float(values.max()), -float(values.min())) if values.size else 0.0
        self.exponent = math.frexp(largest)[1]
        self.X = X
        if sp.issparse(X):
            self.X = sp.csr_array((self._scale(X.data), X.indices, X.indptr), shape=X.shape)
            self.norms = row_norms(self.X, squared=True)

    def _scale(self, values) -> np.ndarray:
        return np.ldexp(np.asarray(values, dtype=np.float64), -self.exponent)

    def __getitem__(self, i: int) -> np.ndarray:
        return self.X[[i]].toarray()[0] if sp.issparse(self.X) else self._scale(self.X[i])

    def squared_distances(self, centre: np.ndarray) -> tuple[np.ndarray, float]:
        """Return |x - c|^2 of every row, and a bound of their rounding errors."""
        count, width = self.X.shape
        if sp.issparse(self.X):
            length = float(centre @ centre)
            square = np.maximum(self.norms - 2 * (self.X @ centre) + length, 0.0)
            return square, 4 * (width + 4) * EPS * (float(self.norms.max()) + length)
        square = np.empty(count)
        for block in gen_batches(count, max(1, BLOCK_SIZE // width)):
            difference = self._scale(self.X[block]) - centre
            square[block] = np.einsum("ij,ij->i", difference, difference)
        return square, (width + 4) * EPS * float(square.max())
