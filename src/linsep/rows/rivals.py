"""Kesler's vectors of a linear machine as a matrix that is never built, like `VectorMatrix` for two classes."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..oracles import Classes
from .matrix import Transposed, dense_vectors
from .products import multiply, multiply_transposed, row_squares


class RivalMatrix:
    """One row per example and rival: ``A @ w`` is by how much its class leads each other class; w is class after class.

    >>> from linsep.oracles import classes
    >>> A = RivalMatrix(classes(np.array([[1.0], [3.0]]), [0, 2], 3))
    >>> w = np.array([1.0, 0.0, 0.0, 2.0, 0.0, 0.0])           # scores x, 2, 0
    >>> A @ w                                                   # 1 - 2, 1 - 0; 0 - 3, 0 - 2
    array([-1.,  1., -3., -2.])
    >>> A.T @ np.array([1.0, 0.0, 0.0, 0.0])                    # (x, 1) in class 0, -(x, 1) in class 1
    array([ 1.,  1., -1., -1.,  0.,  0.])
    """

    def __init__(self, part: Classes):
        self.part, self.parts, self.rivals = part, (part,), part.slots - 1
        n = part.label.size
        self.shape = (n * self.rivals, part.slots * (part.rows.width + 1))
        self.weight = np.repeat(part.weight if part.weight.size else np.ones(n), self.rivals)
        self._constant = float(part.rows.bias)
        self._own = np.arange(n), part.label
        self._others = np.arange(part.slots) != part.label[:, None]

    def _leads(self, w: np.ndarray) -> np.ndarray:
        """By how much the class of each row leads every class."""
        W = np.asarray(w, dtype=np.float64).reshape(self.part.slots, -1)
        scores = multiply([self.part.rows], W[:, :-1].T) + self._constant * W[:, -1]
        return scores[self._own][:, None] - scores

    def __matmul__(self, w: np.ndarray) -> np.ndarray:
        return self._leads(w)[self._others]

    @property
    def T(self) -> Transposed:
        """The transpose, for ``A.T @ r``."""
        return Transposed(self._pull)

    @cached_property
    def squares(self) -> np.ndarray:
        """|a|^2: the row counts twice."""
        return np.repeat(2.0 * (row_squares([self.part.rows]) + self._constant**2), self.rivals)

    def dense(self, rows: np.ndarray) -> np.ndarray:
        """Some rows of A."""
        examples, places = np.divmod(rows, self.rivals)
        label = self.part.label[examples]
        X, every = dense_vectors(self.part.rows, examples), np.arange(rows.size)
        full = np.zeros((rows.size, self.part.slots, X.shape[1]))
        full[every, label] = X
        full[every, places + (places >= label)] = -X
        return full.reshape(rows.size, -1)

    def dual_weights(self, r: np.ndarray) -> np.ndarray:
        """Weights of the rows of A at their places of `dual_weights`, of which each class has one."""
        out = np.zeros(self._others.shape)
        out[self._others] = r
        return out.ravel()

    def errors(self, w: np.ndarray) -> float:
        """The weight of the examples that are not decided for their class."""
        leads = np.where(self._others, self._leads(w), np.inf)
        return float(self.weight[:: self.rivals] @ (leads.min(axis=1) <= 0))

    def _pull(self, r: np.ndarray) -> np.ndarray:
        """The sum of the vectors times r."""
        pulls = np.zeros(self._others.shape)
        pulls[self._others] = -r
        pulls[self._own] = -pulls.sum(axis=1)
        sums = np.vstack([multiply_transposed([self.part.rows], pulls), self._constant * pulls.sum(axis=0)])
        return sums.T.ravel()
