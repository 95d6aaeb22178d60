r"""The base class of all lifts: columns phi(x), centred and scaled, and the way back to the original variables (B3).

.. math:: x \leftarrow \phi(x), \qquad \phi: R^D \to R^{D+D'}, \qquad g(x) = \langle w, \phi(x)\rangle + w_0

The columns are centred and scaled, as S0 takes x² - 1 rather than x²: that lowers Novikoff's bound D²/m² and with it
the number of updates (figures in docs/lifting.md).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..estimators._lazy import row_by_row
from ..estimators._validation import (
    all_or_nothing,
    check_feature_names,
    check_input,
    check_parameters,
    check_sample_weight,
)
from ..model_file import Saved
from ..polynomial_function import PolynomialFunction, variable_names


class Lift(Saved, TransformerMixin, BaseEstimator):
    """Transformer to centred and scaled columns phi(x). Subclasses define the columns by the methods below."""

    centre: bool
    scale: bool
    scaler_: StandardScaler  # of the columns of phi

    _parameter_constraints: dict = {"centre": ["boolean"], "scale": ["boolean"]}

    def _fit_columns(self, X, weight) -> None:
        """Learn from the rows what is needed to compute the columns."""

    def _adjust_scaler(self) -> None:
        """Change ``scaler_`` after it was fitted."""

    def _compute_columns(self, X):
        """Compute the columns of phi, neither centred nor scaled."""
        raise NotImplementedError(f"{type(self).__name__} does not define _compute_columns")

    def _expand(self, v: np.ndarray, v0: Fraction) -> PolynomialFunction:
        """Return <v, phi(x)> + v0 as a function of the original variables."""
        raise NotImplementedError(f"{type(self).__name__} does not define _expand")

    def _name_columns(self, names: list[str]) -> list[str]:
        """Return the names of the columns of phi, given the names of the variables."""
        raise NotImplementedError(f"{type(self).__name__} does not define _name_columns")

    def _uses(self) -> np.ndarray:
        """Which variables each column of phi depends on, of shape (columns, variables)."""
        raise AttributeError(f"{type(self).__name__} does not say which variables its columns depend on")

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Learn centre and scale of every column from the rows of ``X``; rows of weight 0 are absent, y is ignored."""
        check_parameters(self)
        X = self._check(X, reset=True)
        weight = check_sample_weight(sample_weight, X)
        if weight is not None:
            if not weight.any():
                raise ValueError("sample_weight: expected a positive weight, all weights are zero.")
            X, weight = X[weight > 0], weight[weight > 0]  # absent rows must not even change the rounding
        self._fit_columns(X, weight)
        self.scaler_ = self._fit_scaler(self._compute_columns(X), weight, self._name_columns(variable_names(self)))
        self._adjust_scaler()
        return self

    @row_by_row
    def transform(self, X):
        """Compute the columns of phi for every row of ``X``, centred and scaled."""
        check_is_fitted(self)
        return self.scaler_.transform(self._compute_columns(self._check(X, reset=False)), copy=False)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Return the names of the columns; as in scikit-learn, variables without a name are x0, x1, ..."""
        check_is_fitted(self)
        return np.array(self._name_columns(check_feature_names(self, input_features)), dtype=object)

    def expand(self, w, w0: float = 0.0) -> PolynomialFunction:
        """Return <w, phi(x)> + w0, with one weight per lifted column, as a function of the original variables."""
        check_is_fitted(self)
        w = np.asarray(w, dtype=np.float64).ravel()
        count = self.scaler_.n_features_in_
        if w.size != count or not np.isfinite([*w, w0]).all():
            raise ValueError(f"w: expected {count} finite numbers, one per lifted column, got {w}.")
        means, sizes = get_affine(self.scaler_)
        v = w / sizes
        shift = sum((Fraction(a) * Fraction(b) for a, b in zip(v.tolist(), means.tolist(), strict=True)), Fraction(0))
        return self._expand(v, Fraction(float(w0)) - shift)

    def _check(self, X, *, reset: bool):
        sparse = get_tags(self).input_tags.sparse
        return check_input(self, X, accept_sparse="csr" if sparse else False, dtype=np.float64, reset=reset)

    def _fit_scaler(self, X, weight, names: list[str]) -> StandardScaler:
        """Learn mean and standard deviation of the columns."""
        with np.errstate(all="ignore"):  # an overflow is reported below
            scaler = StandardScaler(with_mean=self.centre, with_std=self.scale).set_output(transform="default")
            scaler.fit(X, sample_weight=weight)
        variance = scaler.var_ if self.scale else np.zeros(len(names))  # infinite where squares overflow
        for j in np.flatnonzero(~np.isfinite([*get_affine(scaler), variance]).all(axis=0))[:1]:
            raise ValueError(f"{type(self).__name__}: {names[j]} is too large to be scaled; give it in another unit.")
        return scaler


def get_affine(scaler: StandardScaler) -> tuple[np.ndarray, np.ndarray]:
    """Return what a scaler subtracts from each column, and what it divides the column by."""
    count = scaler.n_features_in_
    return (
        scaler.mean_ if scaler.with_mean else np.zeros(count),
        scaler.scale_ if scaler.with_std else np.ones(count),
    )
