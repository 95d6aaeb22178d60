r"""Classifiers by the distance from the class means: `NearestMean` and `Mahalanobis` (A2)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..estimators._datasets import RowClassifier
from ..estimators._lazy import row_by_row
from ..estimators._oracles import plain_rows
from ..estimators._validation import StrOptions, all_or_nothing, check_parameters
from ..model_file import Saved
from ..rows.products import sum_blocks
from ._validation import check_labelled, check_more, check_rows
from .densities._base import fit_classes
from .densities.gaussian import Gaussian
from .discriminant import CentredDiscriminant, Discriminant


class _NearestMeanClassifier(Saved, ClassNamePrefixFeaturesOutMixin, RowClassifier, TransformerMixin, BaseEstimator):
    """Decides for the class of the nearest mean; as a transformer, one distance per class."""

    classes_: np.ndarray
    means_: np.ndarray
    discriminant_: Discriminant

    _accept_sparse: Any = False

    def _learns_from_parts(self) -> bool:
        return True

    def _check(self, X) -> Any:
        return check_rows(self, X, reset=False, accept_sparse=self._accept_sparse)

    @row_by_row
    @row_by_row
    def distance(self, X) -> np.ndarray:
        """Return the distances of the rows from the classes, shape (n_samples, n_classes)."""
        raise NotImplementedError

    @row_by_row
    def transform(self, X) -> np.ndarray:
        """Return `distance`, one column per class, for the next step of a pipeline; as ``KMeans`` does."""
        return self.distance(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.classes_)

    def _scores(self, X: Any) -> np.ndarray:
        """Return minus half the squared distances, up to a number common to all classes."""
        raise NotImplementedError

    @row_by_row
    def predict(self, X) -> np.ndarray:
        """Return the class of the nearest mean; of equally near ones the first."""
        check_is_fitted(self)
        return self.classes_[np.argmax(self._scores(self._check(X)), axis=1)]

    @row_by_row
    def decision_function(self, X) -> np.ndarray:
        """Return minus half the squared distances, up to a common number; for two classes their difference."""
        check_is_fitted(self)
        g = self._scores(self._check(X))
        return g[:, 1] - g[:, 0] if len(self.classes_) == 2 else g

    @property
    def coef_(self) -> np.ndarray:
        """One row w per class, for two classes that of the hyperplane between them, if the rule is linear."""
        check_is_fitted(self)
        return self.discriminant_.coefficients[0]

    @property
    def intercept_(self) -> np.ndarray:
        """One w0 per class; for two classes that of the hyperplane between them."""
        check_is_fitted(self)
        return self.discriminant_.coefficients[1]


class NearestMean(_NearestMeanClassifier):
    r"""The class of the nearest mean; a linear rule, :math:`g_k(x) = \langle\mu_k,x\rangle - |\mu_k|^2/2`.

    It is Bayes' strategy for spherical Gaussians of one variance and equal priors. It decides as scikit-learn's
    ``NearestCentroid`` does, and also has sample weights and coefficients.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    coef_, intercept_
        The weights and biases of the functions g_k, one row per class.
    means_ : ndarray of shape (n_classes, n_features)
        The means.
    discriminant_ : Discriminant
        The functions g_k.

    Examples
    --------
    >>> from linsep import NearestMean
    >>> rule = NearestMean().fit([[0.0, 0.0], [2.0, 0.0], [1.0, 4.0]], [0, 0, 1])
    >>> rule.coef_, rule.intercept_                         # the line y = 2
    (array([[0., 4.]]), array([-8.]))
    """

    _parameter_constraints: dict = {}

    _accept_sparse = "csr"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn the means; rows of weight 0 are absent."""
        X, k, weight = check_labelled(self, X, y, sample_weight, accept_sparse="csr")
        return self._add(X, k, weight, 0.0, 0.0)

    @available_if(lambda self: not hasattr(self, "means_") or hasattr(self, "_totals"))  # old files have no totals
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Go on with more rows; the first call needs all ``classes``, and rows of each of them."""
        before = (self._totals, self.means_) if hasattr(self, "means_") else (0.0, 0.0)
        X, k, weight = check_more(self, X, y, classes, sample_weight, accept_sparse="csr")
        return self._add(X, k, weight, *before)

    def _add(self, X, k: np.ndarray, weight: np.ndarray, totals: np.ndarray | float, means: np.ndarray | float):
        """The means of these rows and of those before, by their weights."""
        count = len(self.classes_)
        sums = sum_blocks(plain_rows(X), _class_sums, (k.astype(np.int32), weight), count)
        own = np.bincount(k, weight, count)
        self._totals = totals + own
        part = sums - own[:, None] * means
        self.means_ = means + part / self._totals[:, None]
        self.discriminant_ = Discriminant(None, self.means_, -0.5 * np.sum(self.means_**2, axis=1))
        return self

    def _scores(self, X) -> np.ndarray:
        if sp.issparse(X):
            return X @ self.means_.T + self.discriminant_.constant
        return CentredDiscriminant.from_means(self.means_)(X)

    @row_by_row
    @row_by_row
    def distance(self, X) -> np.ndarray:
        """Return the distances of the rows from the means, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = check_rows(self, X, reset=False, accept_sparse="csr")
        if sp.issparse(X):  # without making it dense
            squares = np.asarray(X.multiply(X).sum(axis=1)).reshape(-1, 1) - 2 * self._scores(X)
            return np.sqrt(np.maximum(squares, 0.0))
        return np.stack([np.linalg.norm(X - mean, axis=1) for mean in self.means_], axis=1)


def _class_sums(block: Any, k: np.ndarray, weight: np.ndarray, count: int) -> np.ndarray:
    """The weighted sums of the rows of each class."""
    sums = sp.csr_array((weight, (k, np.arange(k.size))), shape=(count, k.size)) @ block
    return sums.toarray() if sp.issparse(sums) else sums


class Mahalanobis(_NearestMeanClassifier):
    r"""The class of least Mahalanobis distance :math:`(x-\mu_k)^T C_k^{-1} (x-\mu_k)`.

    Parameters
    ----------
    covariance : {"shared", "own"}, default="shared"
        "shared": one covariance for all classes; a linear rule, LDA with equal priors. "own": one per class; a
        quadratic rule, without QDA's :math:`\log\det C_k`, so that wide classes win far away.
    shrinkage : "auto" or float in [0, 1], default="auto"
        As for `Gaussian`.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    coef_, intercept_
        The weights and biases of the functions g_k, one row per class.
    means_ : ndarray of shape (n_classes, n_features)
        The means.
    densities_ : list of Gaussian
        One per class, with the covariances.
    discriminant_ : Discriminant
        The functions g_k.

    Examples
    --------
    >>> from linsep import Mahalanobis
    >>> X = [[0.0, 0.0], [4.0, 0.0], [2.0, 1.0], [2.0, -1.0], [0.0, 3.0], [4.0, 3.0], [2.0, 4.0], [2.0, 2.0]]
    >>> rule = Mahalanobis().fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> rule.distance([[4.0, 0.0]]).round(4)
    array([[1.4142, 4.4721]])
    """

    _parameter_constraints: dict = {
        "covariance": [StrOptions({"shared", "own"})],
        "shrinkage": Gaussian._parameter_constraints["shrinkage"],
    }

    def __init__(self, covariance="shared", *, shrinkage="auto"):
        self.covariance = covariance
        self.shrinkage = shrinkage

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn means and covariances; rows of weight 0 are absent."""
        check_parameters(self)
        return self._learn(*check_labelled(self, X, y, sample_weight), before=None)

    @available_if(lambda self: all(hasattr(one, "partial_fit") for one in getattr(self, "densities_", ())))
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Go on with more rows; the first call needs all ``classes``, and rows of each of them.

        The result is that of one `fit` on all rows, to rounding. The parameters must be those of the first call.
        """
        check_parameters(self)
        before = getattr(self, "densities_", None)
        return self._learn(*check_more(self, X, y, classes, sample_weight), before=before)

    def _learn(self, X, k, weight, before: list[Gaussian] | None):
        gaussian = Gaussian(shared=self.covariance == "shared", shrinkage=self.shrinkage)
        self.densities_ = fit_classes(gaussian, X, k, weight, self.classes_, before)
        self.means_ = np.stack([density.mean_ for density in self.densities_])
        self.discriminant_ = Discriminant.from_functions([density.log_kernel() for density in self.densities_])
        return self

    def _scores(self, X) -> np.ndarray:
        if self.discriminant_.quadratic is None:
            return CentredDiscriminant.from_means(self.means_, self.densities_[0].solve)(X)
        return -0.5 * np.stack([density.mahalanobis(X) for density in self.densities_], axis=1)

    @row_by_row
    @row_by_row
    def distance(self, X) -> np.ndarray:
        """Return the Mahalanobis distances of the rows from the classes, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        return np.sqrt(np.stack([density.mahalanobis(X) for density in self.densities_], axis=1))
