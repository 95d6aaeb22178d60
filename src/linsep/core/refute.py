r"""Refutation: proofs that no hyperplane separates the data.

The data are not separable iff some weights :math:`\lambda \ge 0`, not all 0, make
:math:`\sum \lambda_i a_i = 0`. Weights found by floating-point learning leave a small rest
:math:`z = \sum \lambda_i a_i` instead. Two arguments turn them into a proof all the same:

- the rest is exactly zero, in rational arithmetic;
- **interior**: with :math:`\Lambda A` the matrix of rows :math:`\lambda_i a_i`,

  .. math:: \sigma_{\min}(\Lambda A) > |z| .

  Then some :math:`\mu` with :math:`|\mu| \le |z|/\sigma_{\min} < 1` solves :math:`(\Lambda A)^T\mu = z`, and
  the weights :math:`\lambda_i (1 - \mu_i) > 0` sum to zero exactly, though we never compute them exactly.

Columns may be rescaled by powers of two, and a column that is an integer combination of the others on
these rows (one-hot groups and the bias) may be left out: neither changes the statement.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy.linalg

WORK = 4e9  # floating-point operations that an attempt may cost
EXACT = 20_000  # numbers that the rational test may cost


def refute(A: np.ndarray, weights: np.ndarray) -> np.ndarray | None:
    """Weights that prove rows ``A`` not separable, near the given ones, or None.

    >>> A = np.array([[1.0, 1.0], [-1.0, 1.0], [0.0, -1.0]])
    >>> refute(A, np.array([1.0, 1.0, 1.5]))                # proportional to 1, 1, 2
    array([0.81818182, 0.81818182, 1.63636364])
    >>> refute(A[:2], np.array([1.0, 1.0])) is None
    True
    """
    used = weights > 0
    if not used.any():
        return None
    if A[used].size <= EXACT and _sums_to_zero(A[used], weights[used]):
        return weights
    proof = np.zeros_like(weights)
    proof[used] = weights[used]
    columns = independent(A[used][:, np.any(A[used], axis=0)])
    if columns.shape[0] <= columns.shape[1] or 4.0 * columns.shape[0] * columns.shape[1] ** 2 > WORK:
        return None
    columns *= np.exp2(-np.round(np.log2(np.linalg.norm(columns, axis=0))))
    for _ in range(2):  # the second round removes what rounding left of the rest
        mu = _shift(proof[used, None] * columns)
        if mu is None or np.max(np.abs(mu)) >= 1.0:
            return None
        proof[used] *= 1.0 - mu
    return proof if interior(columns, proof[used]) else None


def _shift(weighted: np.ndarray) -> np.ndarray | None:
    """The shortest mu with ``weighted' mu`` = the sum of the rows."""
    Q, R = scipy.linalg.qr(weighted, mode="economic", check_finite=False)
    diagonal = np.abs(np.diag(R))
    if diagonal.min() <= 1e-13 * diagonal.max():
        return None
    return Q @ scipy.linalg.solve_triangular(R, weighted.sum(axis=0), trans="T", check_finite=False)


def interior(A: np.ndarray, weights: np.ndarray) -> bool:
    """Is the least singular value of the weighted rows above the norm of their sum, rounding included?"""
    weighted = weights[:, None] * A
    sigma = np.linalg.svd(weighted, compute_uv=False)
    rows, columns = A.shape
    u = np.finfo(float).eps
    rest = np.linalg.norm(weighted.sum(axis=0)) + rows * u * np.linalg.norm(weighted, axis=1).sum()
    return bool(sigma[-1] - 10 * max(rows, columns) ** 0.5 * columns * u * sigma[0] > rest)


def independent(A: np.ndarray) -> np.ndarray:
    """A without the columns that are, exactly, integer combinations of other columns."""
    columns = A.shape[1]
    R, pivots = scipy.linalg.qr(A, mode="r", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > 1e-10 * diagonal[0])) if diagonal.size else 0
    if rank in (0, columns):
        return A
    basis, rest = np.sort(pivots[:rank]), pivots[rank:]
    combination = np.round(np.linalg.lstsq(A[:, basis], A[:, rest], rcond=None)[0])
    exact = np.abs(A).max() * (np.abs(combination).sum(axis=0).max() + 1) < 2**52
    whole = exact and np.array_equal(A, np.round(A))
    return A[:, basis] if whole and np.array_equal(A[:, basis] @ combination, A[:, rest]) else A


def _sums_to_zero(A: np.ndarray, weights: np.ndarray) -> bool:
    """Is the weighted sum of the rows zero, exactly?"""
    exact = [Fraction(float(weight)) for weight in weights]
    return all(
        sum(weight * Fraction(float(x)) for weight, x in zip(exact, column, strict=True)) == 0 for column in A.T
    )
