r"""Moments that merge: number, mean and scatter of rows, so that Gaussians can be estimated block by block.

.. math:: n = n_1 + n_2, \qquad m = m_1 + \tfrac{n_2}{n}(m_2 - m_1), \qquad
          S = S_1 + S_2 + \tfrac{n_1 n_2}{n}(m_2 - m_1)(m_2 - m_1)^T

(Chan, Golub and LeVeque). No sum of squares is formed, so a large mean costs no digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BLOCK_ROWS = 8192  # rows that are converted to float64 at a time


class Moments(NamedTuple):
    """Total weight, mean and scatter (the sum of squared deviations) of some rows.

    >>> one, two = Moments.from_rows(np.array([[0.0], [2.0]])), Moments.from_rows(np.array([[4.0]]))
    >>> one.merge(two)
    Moments(weight=3.0, mean=array([2.]), scatter=array([[8.]]))
    """

    weight: float
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def from_rows(cls, X: np.ndarray, weight: np.ndarray | None = None) -> Moments:
        """The moments of all rows of X; weights count as repetitions."""
        d = X.shape[1]
        total = cls(0.0, np.zeros(d), np.zeros((d, d)))
        for start in range(0, len(X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            block = np.asarray(X[rows], dtype=np.float64)
            share = np.ones(len(block)) if weight is None else np.asarray(weight[rows], dtype=np.float64)
            size = float(share.sum())
            if size > 0:
                mean = share @ block / size
                centred = block - mean
                total = total.merge(cls(size, mean, (centred * share[:, None]).T @ centred))
        return total

    def merge(self, other: Moments) -> Moments:
        """The moments of the rows of both."""
        weight = self.weight + other.weight
        if weight == 0:
            return self
        shift = other.mean - self.mean
        scatter = self.scatter + other.scatter + self.weight * other.weight / weight * np.outer(shift, shift)
        return Moments(weight, self.mean + other.weight / weight * shift, scatter)

    def covariance(self) -> np.ndarray:
        """The covariance of largest likelihood: the scatter divided by the weight."""
        return self.scatter / self.weight
