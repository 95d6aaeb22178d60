r"""Moments that merge: number, mean and scatter of rows, so that Gaussians can be estimated part by part.

.. math:: n = n_1 + n_2, \qquad m = m_1 + \tfrac{n_2}{n}(m_2 - m_1), \qquad
          S = S_1 + S_2 + \tfrac{n_1 n_2}{n}(m_2 - m_1)(m_2 - m_1)^T

(Chan, Golub and LeVeque). No sum of squares is formed, so a large mean costs no digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ROWS = 8192  # rows that are converted to float64 at a time


class Moments(NamedTuple):
    """Total weight, mean and scatter (the sum of squared deviations) of some rows.

    >>> one, two = Moments.of(np.array([[0.0], [2.0]])), Moments.of(np.array([[4.0]]))
    >>> one.merge(two)
    Moments(weight=3.0, mean=array([2.]), scatter=array([[8.]]))
    """

    weight: float
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def none(cls, d: int) -> Moments:
        """Of no rows."""
        return cls(0.0, np.zeros(d), np.zeros((d, d)))

    @classmethod
    def of(cls, X: np.ndarray, weight: np.ndarray | None = None) -> Moments:
        """Of all rows of X, in blocks; weights count as repetitions."""
        total = cls.none(X.shape[1])
        for at in range(0, len(X), ROWS):
            block = np.asarray(X[at : at + ROWS], dtype=np.float64)
            share = np.ones(len(block)) if weight is None else np.asarray(weight[at : at + ROWS], dtype=np.float64)
            size = float(share.sum())
            if size > 0:
                mean = share @ block / size
                rest = block - mean
                total = total.merge(cls(size, mean, (rest * share[:, None]).T @ rest))
        return total

    def merge(self, other: Moments) -> Moments:
        """The moments of both."""
        weight = self.weight + other.weight
        if weight == 0:
            return self
        apart = other.mean - self.mean
        scatter = self.scatter + other.scatter + self.weight * other.weight / weight * np.outer(apart, apart)
        return Moments(weight, self.mean + other.weight / weight * apart, scatter)

    def covariance(self) -> np.ndarray:
        """The scatter for one row: the covariance of largest likelihood."""
        return self.scatter / self.weight
