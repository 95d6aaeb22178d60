"""The first principal direction of rows of any width, without what is along w: the second axis of a picture."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

DENSE = 64  # rows, up to which the matrix of all products is made


class Direction(NamedTuple):
    """The direction in which rows spread most, at right angles to w."""

    vector: np.ndarray  # of length 1; zeros if they don't spread
    mean: float  # where the mean of the rows is along it
    share: float  # of the variance that is not along w

    def places(self, X: Any) -> np.ndarray:
        """Where rows are along it, from the mean."""
        return np.asarray(X @ self.vector).ravel() - self.mean


def principal_direction(X: Any, away: np.ndarray) -> Direction:
    """The first principal direction of the rows, at right angles to those of ``away``; no matrix of columns is made.

    >>> X = np.array([[0.0, 1.0, 5.0], [0.0, -1.0, -7.0], [3.0, 0.0, 2.0]])
    >>> found = principal_direction(X, np.array([[0.0, 0.0, 2.0]]))
    >>> (found.vector.round(3) + 0.0).tolist(), found.places(X).round(3).tolist(), round(found.share, 3)
    ([1.0, 0.0, 0.0], [-1.0, -1.0, 2.0], 0.75)
    """
    n, d = X.shape
    most = float(abs(X).max()) if n and (not sp.issparse(X) or X.nnz) else 0.0
    if not most:
        return Direction(np.zeros(d), 0.0, 0.0)
    X = X.astype(np.float64) / most
    mean = np.asarray(X.mean(axis=0)).ravel()
    basis = _basis(away, d)

    def rest(v: np.ndarray) -> np.ndarray:
        return v - basis @ (basis.T @ v)

    def back(u: np.ndarray) -> np.ndarray:  # sums of rows, weighted with u
        return rest(X.T @ u - mean * u.sum())

    def products(u: np.ndarray) -> np.ndarray:
        along = back(np.ravel(u))
        return X @ along - mean @ along

    if n <= DENSE:
        matrix = np.column_stack([products(unit) for unit in np.eye(n)])
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    else:
        start = np.random.default_rng(0).normal(size=n)
        values, vectors = eigsh(LinearOperator((n, n), matvec=products, dtype=np.float64), k=1, v0=start, tol=1e-6)
    direction = back(vectors[:, -1])
    size = float(np.linalg.norm(direction))
    total = _variance(X, mean, basis)
    if not size > 1e-12 * np.sqrt(max(total, 0.0)) or not total > 0:
        return Direction(np.zeros(d), 0.0, 0.0)
    direction /= size
    direction *= np.sign(direction[np.argmax(np.abs(direction))])
    return Direction(direction, float(mean @ direction) * most, float(min(max(values[-1], 0.0) / total, 1.0)))


def _basis(away: np.ndarray, d: int) -> np.ndarray:
    """Orthonormal columns that span the rows of a matrix."""
    size = float(np.abs(away).max(initial=0.0))
    if not size:
        return np.zeros((d, 0))
    left, values, _ = np.linalg.svd((away / size).T, full_matrices=False)
    return left[:, values > 1e-12 * values[0]]


def _variance(X: Any, mean: np.ndarray, basis: np.ndarray) -> float:
    """The sum of squares of the rows from their mean, without what is along the basis."""
    squares = float((X.multiply(X) if sp.issparse(X) else X * X).sum()) - X.shape[0] * float(mean @ mean)
    along = np.asarray(X @ basis) - mean @ basis
    return squares - float((along * along).sum())
