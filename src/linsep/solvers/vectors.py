"""The training vectors as a matrix that is never built: products with A and its transpose, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

ROWS = 4096


class Vectors:
    """Rows a_i = sign_i (x_i, bias), for ``A @ w``, ``A.T @ r``, ``A.squares`` and ``A.weight``.

    X is read in place: blocks of rows become float64 one at a time.

    >>> A = Vectors(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, -1]))
    >>> A @ np.array([1.0, 1.0, 0.5])
    array([ 3.5, -7.5])
    >>> A.T @ np.array([1.0, 1.0])
    array([-2., -2.,  0.])
    """

    def __init__(self, X, sign, weight=None, bias: float = 1.0):
        self.X, self.sign, self.bias = X, np.asarray(sign), float(bias)
        self.weight = np.ones(X.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)
        self.shape = (X.shape[0], X.shape[1] + 1)

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Blocks of rows of X as float64 (dense or CSR) with their place."""
        for begin in range(0, self.shape[0], ROWS):
            rows = slice(begin, min(begin + ROWS, self.shape[0]))
            yield rows, self.X[rows].astype(np.float64, copy=False)

    def dense_blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Blocks of the vectors a_i themselves."""
        for rows, X in self.blocks():
            full = np.empty((X.shape[0], self.shape[1]))
            full[:, :-1] = X.toarray() if sp.issparse(X) else X
            full[:, -1] = self.bias
            full *= self.sign[rows, None]
            yield rows, full

    def __matmul__(self, w: np.ndarray) -> np.ndarray:
        scores = np.empty((self.shape[0], *w.shape[1:]))
        for rows, X in self.blocks():
            scores[rows] = (self.sign[rows] * (X @ w[:-1] + self.bias * w[-1]).T).T
        return scores

    @property
    def T(self) -> Transposed:
        """The transpose, for ``A.T @ r``."""
        return Transposed(self)

    @cached_property
    def squares(self) -> np.ndarray:
        """|a_i|^2."""
        squares = np.empty(self.shape[0])
        for rows, X in self.blocks():
            own = X.multiply(X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
            squares[rows] = np.asarray(own).ravel() + self.bias**2
        return squares


class Transposed:
    """A.T, for one product."""

    def __init__(self, vectors: Vectors):
        self.vectors = vectors

    def __matmul__(self, r: np.ndarray) -> np.ndarray:
        A = self.vectors
        total = np.zeros(A.shape[1])
        for rows, X in A.blocks():
            pulls = A.sign[rows] * r[rows]
            total[:-1] += X.T @ pulls
            total[-1] += A.bias * pulls.sum()
        return total
