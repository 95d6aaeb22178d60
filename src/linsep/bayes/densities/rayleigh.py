r"""The Rayleigh density, for lengths and amplitudes (A2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._check import numbers
from ..discriminant import Form
from ._base import Density, by_column


class Rayleigh(Density):
    r"""Independent columns, each the length of a plane normal vector: none is negative.

    .. math:: \log p(x) = \sum_j \log x_j - 2 \log\sigma_j - \frac{x_j^2}{2\sigma_j^2}, \qquad
              \hat\sigma_j^2 = \frac{1}{2n} \sum_i x_{ij}^2

    Two of them differ by a quadratic function of x.

    Examples
    --------
    >>> Rayleigh().fit([[1.0], [3.0], [2.0], [4.0]]).scale_.round(4)
    array([1.9365])
    """

    _parameter_constraints: dict = {}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    @classmethod
    def of(cls, scale: Any) -> Rayleigh:
        """The density with known scales, one for each column."""
        scale = numbers(scale, "scale")
        if scale.ndim != 1 or not np.all((scale > 0) & np.isfinite(scale)):
            raise ValueError(f"scale: a vector of numbers > 0 is wanted, not {scale.tolist()}.")
        known = cls()
        known.n_features_in_, known.scale_ = scale.size, scale
        return known

    def _learn(self, X, weight) -> None:
        for i, j in np.argwhere(X < 0)[:1]:
            raise ValueError(
                f"Rayleigh: X[{i}, {j}] = {X[i, j]} is negative. Negative values in data, lengths are wanted."
            )
        by_column("Rayleigh", np.flatnonzero(~X.any(axis=0)), f"is zero throughout (n_samples={len(X)}).")
        self.scale_ = np.sqrt(weight @ X**2 / (2 * weight.sum()))

    def _log(self, X) -> np.ndarray:
        tiny = np.finfo(np.float64).tiny  # for x = 0, where p is 0 but the ratio of two densities is not
        logs = np.where(X < 0, -np.inf, np.log(np.maximum(X, tiny)))
        return np.sum(logs - 2 * np.log(self.scale_) - 0.5 * (X / self.scale_) ** 2, axis=1)

    def _draw(self, n, rng) -> np.ndarray:
        return rng.rayleigh(self.scale_, (n, self.scale_.size))

    def form(self) -> Form:
        """The exponent as coefficients."""
        return Form(np.diag(-0.5 / self.scale_**2), np.zeros(self.scale_.size), 0.0)

    def normaliser(self) -> float:
        """What log p(x) is more than the form, but for the sum of log x_j that all of them have."""
        return -2.0 * float(np.log(self.scale_).sum())
