r"""Parzen's window estimate, on scikit-learn's ``KernelDensity`` (A2)."""

from __future__ import annotations

import copy

import numpy as np
from sklearn.neighbors import KernelDensity
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ...estimators._lazy import row_by_row
from ...estimators._validation import all_or_nothing, check_parameters
from ...model_file import Saved
from .._validation import check_rows, check_weights


class Parzen(Saved, KernelDensity):
    r"""A kernel of width h at every row: :math:`p(x) = \frac1n \sum_i K_h(x - x_i)`.

    Parameters
    ----------
    bandwidth : float, "scott" or "silverman", default="scott"
        h. The rules are scikit-learn's, :math:`n^{-1/(d+4)}` and :math:`(n (d+2)/4)^{-1/(d+4)}`, times the
        spread of the rows (the root of the mean variance of the columns), so that they suit data of any scale.
    kernel : str, default="gaussian"
        Any kernel of ``KernelDensity``; "gaussian" and "tophat" can be sampled.

    Attributes
    ----------
    bandwidth_ : float
        h.

    Examples
    --------
    >>> Parzen(bandwidth=1.0, kernel="tophat").fit([[0.0], [3.0]]).score_samples([[0.5], [2.5], [9.0]]).round(4)
    array([-1.3863, -1.3863,    -inf])
    """

    _weight: np.ndarray  # of all rows so far

    def __init__(self, *, bandwidth="scott", kernel="gaussian"):
        super().__init__(bandwidth=bandwidth, kernel=kernel)

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Store the rows ``X``, except those of weight 0; y is ignored."""
        return self._store(X, sample_weight, more=False)

    @available_if(lambda self: not hasattr(self, "tree_") or hasattr(self, "_weight"))  # old files have no weights
    @all_or_nothing
    def partial_fit(self, X, y=None, sample_weight=None):
        """Store more rows: the same density as by one `fit` to all of them."""
        return self._store(X, sample_weight, more=hasattr(self, "tree_"))

    def _store(self, X, sample_weight, more: bool):
        check_parameters(self)
        X = check_rows(self, X, reset=not more)
        weight = check_weights(sample_weight, X)
        X, weight = X[weight > 0], weight[weight > 0]
        if more:
            X, weight = np.vstack([np.asarray(self.tree_.data), X]), np.append(self._weight, weight)
        self._weight, names = weight, getattr(self, "feature_names_in_", None)
        super().fit(X, sample_weight=None if np.all(weight == weight[0]) else weight)
        if names is not None:  # which scikit-learn forgets, for X is an array here
            self.feature_names_in_ = names
        self._kernel = self.kernel
        if isinstance(self.bandwidth, str):
            mean = np.average(X, axis=0, weights=weight)
            spread = float(np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight).mean()))
            if spread == 0:
                raise ValueError(f"Parzen: the rows are all equal (n_samples={len(X)}), give a number as bandwidth.")
            self.bandwidth_ *= spread * (weight.sum() / len(X)) ** (-1 / (X.shape[1] + 4))  # n is the sum of weights
        return self

    @row_by_row
    def score_samples(self, X) -> np.ndarray:
        """Return log p(x) of every row."""
        check_is_fitted(self)
        return KernelDensity.score_samples(self._as_fitted(), check_rows(self, X, reset=False))

    def sample(self, n_samples: int = 1, random_state=None) -> np.ndarray:
        """Draw rows from p(x)."""
        return KernelDensity.sample(self._as_fitted(), n_samples, random_state)

    def _as_fitted(self) -> Parzen:
        """The density with the kernel of ``fit``, which scikit-learn reads from the parameter."""
        check_is_fitted(self)
        fitted = copy.copy(self)
        fitted.kernel = self._kernel
        return fitted
