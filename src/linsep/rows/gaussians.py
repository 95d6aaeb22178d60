r"""Gaussians as arrays: means, and factors of the covariances, :math:`\Sigma_j = F_j F_j^T`, with their products.

A factor is ``F = [low | diag(deviation)]``: a full covariance has a square ``low`` and no deviations, a diagonal one
the reverse, low rank plus diagonal both, and a point neither (F4). No covariance is ever inverted.

Solvers work with the factors. Bounds are of the covariances as they were given: the factor of a matrix is rounded, so
the matrix is kept beside it. Columns are scaled by powers of two, :math:`x_c\,2^{-e_c}`, which rounds nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Gaussians(NamedTuple):
    """k Gaussians of two classes in d dimensions; `linsep.solvers.anderson.gaussians.factorize` builds them."""

    means: np.ndarray  # k x d
    low: np.ndarray  # k x q x d: the transposed low-rank factors
    deviation: np.ndarray  # k x d standard deviations, or k x 0
    sign: np.ndarray  # +1.0 or -1.0
    variance: np.ndarray  # the squares of `deviation`, as they were given
    matrices: np.ndarray  # k x d x d: those that were given as matrices, 0 for the others; or k x 0 x 0
    unsure: np.ndarray  # k x d: w' Sigma_j w of a matrix is known to (unsure_j |w|)^2 only; 0: exactly
    exponent: np.ndarray  # d of int64: the powers of two by which the columns were divided

    def project(self, w: np.ndarray) -> np.ndarray:
        """F_j' w of all j, k x p."""
        k, q, d = self.low.shape
        low = (self.low.reshape(k * q, d) @ w).reshape(k, q)
        return np.hstack([low, self.deviation * w]) if self.deviation.size else low

    def expand(self, V: np.ndarray) -> np.ndarray:
        """F_j v_j of all j, k x d."""
        q = self.low.shape[1]
        out = np.matmul(V[:, None, :q], self.low)[:, 0]
        return out + self.deviation * V[:, q:] if self.deviation.size else out

    def sigma(self, w: np.ndarray) -> np.ndarray:
        r"""The standard deviations :math:`\sigma_j = \sqrt{w^T \Sigma_j w} = |F_j^T w|` along w."""
        return row_norms(self.project(w))

    def axis_deviations(self) -> np.ndarray:
        """The standard deviations along the axes, k x d."""
        square = np.einsum("kqd,kqd->kd", self.low, self.low)
        return np.sqrt(square + self.deviation**2 if self.deviation.size else square)

    def factor(self, j: int) -> np.ndarray:
        """F_j', p x d."""
        return np.vstack([self.low[j], np.diag(self.deviation[j])]) if self.deviation.size else self.low[j]

    def weighted_covariance(self, weights: np.ndarray) -> np.ndarray:
        r"""The sum :math:`\sum \lambda_j \Sigma_j`."""
        _, q, d = self.low.shape
        used = slice(None) if weights.all() else np.flatnonzero(weights)  # often a few of many
        rows = self.low[used]
        rows = rows.reshape(len(rows) * q, d)
        total = (rows * np.repeat(weights[used], q)[:, None]).T @ rows
        if self.deviation.size:
            total[np.diag_indices(d)] += weights @ self.deviation**2
        return total

    def from_matrix(self) -> np.ndarray:
        """Which of them were given as matrices."""
        return np.asarray(self.matrices.any(axis=(1, 2)))

    def take(self, rows: np.ndarray) -> Gaussians:
        """The Gaussians of these numbers."""
        return Gaussians(*(part if name == "exponent" else part[rows] for name, part in self._asdict().items()))

    def transform(self, basis: np.ndarray) -> Gaussians:
        """The Gaussians of x' basis."""
        low = self.low @ basis
        if self.deviation.size:
            low = np.concatenate([low, self.deviation[:, :, None] * basis], axis=1)
        return self.with_factors(self.means @ basis, low, np.zeros((len(low), 0)))

    def with_factors(self, means: np.ndarray, low: np.ndarray, deviation: np.ndarray) -> Gaussians:
        """Other means and factors, which are exactly what they are."""
        k, d = means.shape
        return Gaussians(
            means, low, deviation, self.sign, deviation**2, np.zeros((k, 0, 0)), np.zeros((k, d)),
            np.zeros(d, dtype=np.int64),
        )  # fmt: skip

    def balanced_weights(self) -> np.ndarray:
        """Weights of sum 1/2 for each class, equal within a class."""
        positive = self.sign > 0
        return np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())


def row_norms(V: np.ndarray) -> np.ndarray:
    """The norms of the rows."""
    return np.sqrt(np.vecdot(V, V))
