r"""The Rayleigh density, for lengths and amplitudes (A2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._validation import as_float_array
from ..discriminant import QuadraticFunction
from ._base import Density, refuse_columns


class Rayleigh(Density):
    r"""Independent non-negative columns, each the length of a normal vector in the plane.

    .. math:: \log p(x) = \sum_j \log x_j - 2 \log\sigma_j - \frac{x_j^2}{2\sigma_j^2}, \qquad
              \hat\sigma_j^2 = \frac{1}{2n} \sum_i x_{ij}^2

    The difference of two log densities is a quadratic function of x.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,)
        sigma.

    Examples
    --------
    >>> Rayleigh().fit([[1.0], [3.0], [2.0], [4.0]]).scale_.round(4)
    array([1.9365])
    """

    _parameter_constraints: dict = {}

    scale_: np.ndarray

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    @classmethod
    def from_parameters(cls, scale: Any) -> Rayleigh:
        """Return the density with known scales, one per column."""
        scale = as_float_array(scale, "scale")
        if scale.ndim != 1 or not np.all((scale > 0) & np.isfinite(scale)):
            raise ValueError(f"scale: expected a vector of numbers > 0, got {scale.tolist()}.")
        known = cls()
        known.n_features_in_, known.scale_ = scale.size, scale
        return known

    def _fit(self, X, weight, more) -> None:
        for i, j in np.argwhere(X < 0)[:1]:
            raise ValueError(f"Rayleigh: Negative values in data, X[{i}, {j}] = {X[i, j]} is negative.")
        if more:  # the earlier rows as one row
            X = np.vstack([X, np.sqrt(2) * self.scale_])
            weight = np.append(weight, self._total)
        refuse_columns("Rayleigh", ~X.any(axis=0), f"is zero in all rows (n_samples={len(X)}).")
        self.scale_ = np.sqrt(weight @ X**2 / (2 * weight.sum()))

    def _log_density(self, X) -> np.ndarray:
        tiny = np.finfo(np.float64).tiny  # for x = 0, where p is 0 but the ratio of two densities is not
        logs = np.where(X < 0, -np.inf, np.log(np.maximum(X, tiny)))
        return np.sum(logs - 2 * np.log(self.scale_) - 0.5 * (X / self.scale_) ** 2, axis=1)

    def _sample(self, n_samples, rng) -> np.ndarray:
        return rng.rayleigh(self.scale_, (n_samples, self.scale_.size))

    def log_kernel(self) -> QuadraticFunction:
        """Return the exponent as coefficients."""
        return QuadraticFunction(np.diag(-0.5 / self.scale_**2), np.zeros(self.scale_.size), 0.0)

    def log_constant(self) -> float:
        """Return log p(x) - `log_kernel`, up to the sum of log x_j that all Rayleigh densities have."""
        return -2.0 * float(np.log(self.scale_).sum())
