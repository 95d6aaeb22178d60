r"""The uniform density on a box (A2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._validation import as_float_array
from ._base import Density, refuse_columns


class Uniform(Density):
    r"""The density :math:`\prod_j 1/(high_j - low_j)` inside the box, 0 outside; the box is that of the rows.

    Attributes
    ----------
    low_ : ndarray of shape (n_features,)
        Lower corner of the box.
    high_ : ndarray of shape (n_features,)
        Upper corner of the box.

    Examples
    --------
    >>> Uniform().fit([[0.0], [1.0], [4.0]]).score_samples([[2.0], [4.0], [5.0]]).round(4)
    array([-1.3863, -1.3863,    -inf])
    """

    _parameter_constraints: dict = {}

    @classmethod
    def from_parameters(cls, low: Any, high: Any) -> Uniform:
        """Return the density on a known box."""
        low, high = as_float_array(low, "low"), as_float_array(high, "high")
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ValueError("low, high: expected finite numbers, got NaN or infinity.")
        if low.ndim != 1 or low.shape != high.shape:
            raise ValueError(f"low, high: expected two vectors of equal length, got shapes {low.shape}, {high.shape}.")
        known = cls()
        known.n_features_in_ = low.size
        known._set(low, high)
        return known

    def _fit(self, X, weight, more) -> None:
        origin = f" (n_samples={len(X)})"
        if more:  # the earlier rows as two rows
            X = np.vstack([X, self.low_, self.high_])
        self._set(X.min(axis=0), X.max(axis=0), origin)

    def _set(self, low, high, origin: str = "") -> None:
        refuse_columns("Uniform", ~(high > low), f"has zero width{origin}.")
        self.low_, self.high_ = low, high

    def _log_density(self, X) -> np.ndarray:
        inside = np.all((self.low_ <= X) & (self.high_ >= X), axis=1)
        return np.where(inside, -np.log(self.high_ - self.low_).sum(), -np.inf)

    def _sample(self, n_samples, rng) -> np.ndarray:
        return rng.uniform(self.low_, self.high_, (n_samples, self.low_.size))
