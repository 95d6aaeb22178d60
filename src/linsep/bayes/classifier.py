r"""The estimator: class densities learned from data, decided with minimal risk (A1, A2)."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter

from ..estimators._validation import all_or_nothing
from ._check import checked, labelled, repeated
from .densities._base import fit_classes
from .densities.gaussian import Gaussian
from .discriminant import Discriminant
from .model import Model, check_priors
from .risk import Risk
from .strategy import Strategy


class Bayes(ClassifierMixin, BaseEstimator):
    r"""Densities of the classes, learned, and the strategy of minimal risk over them.

    .. math:: q(x) = \arg\min_d \sum_k \hat p(k)\, \hat p(x|k)\, W(d,k)

    Parameters
    ----------
    model : density or classifier, optional
        A density (an estimator with ``score_samples``: `Gaussian`, `Uniform`, `Rayleigh`, `Parzen`,
        `PiecewiseConstant`, scikit-learn's ``KernelDensity`` and ``GaussianMixture``, or your own), a copy of which
        is fitted to each class. Or a classifier with ``predict_proba`` (scikit-learn's LDA and QDA, say), fitted as
        it is. None: ``Gaussian(shared=True)``, which is linear.
    priors : None, "uniform" or sequence
        p(k) in the order of the sorted labels; None: the frequencies in the data.
    loss, reject, reject_label
        As for `Strategy`: ``W[decision, truth]``, the cost of the reject option and what it is called.

    Attributes
    ----------
    strategy_ : Strategy
        What was learned; ``strategy_.model`` holds the densities.
    decisions_, loss_ : arrays
        The labels of the decisions, and what they cost.
    coef_, intercept_, discriminant_
        The discriminants, where the strategy is linear (the first two), or linear or quadratic.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linsep.bayes import Bayes, Gaussian
    >>> X, y = load_iris(return_X_y=True)
    >>> Bayes(Gaussian()).fit(X, y).score(X, y)
    0.98
    >>> rule = Bayes(Gaussian(), reject=0.1).fit(X, y)
    >>> rule.predict(X[[0, 70, 77]])
    array([ 0, -1, -1])
    """

    _parameter_constraints: dict = {
        "model": [None, HasMethods(["fit", "score_samples"]), HasMethods(["fit", "predict_proba"])],
        "priors": [None, StrOptions({"uniform"}), "array-like"],
        "loss": [None, "array-like"],
        "reject": [None, Real],
        "reject_label": "no_validation",
    }

    classes_: np.ndarray

    def __init__(self, model=None, *, priors=None, loss=None, reject=None, reject_label=None):
        self.model = model
        self.priors = priors
        self.loss = loss
        self.reject = reject
        self.reject_label = reject_label

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.model is not None:
            tags.input_tags.positive_only = get_tags(self.model).input_tags.positive_only
        return tags

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn the densities and priors from rows ``X`` and labels ``y``; rows of weight 0 are absent."""
        self._validate_params()
        X, k, weight = labelled(self, X, y, sample_weight)
        model = Gaussian(shared=True) if self.model is None else self.model
        learn = self._densities if hasattr(model, "score_samples") else self._classifier
        terms: dict[str, Any] = {"reject": self.reject, "reject_label": self.reject_label}
        self.strategy_ = Strategy(learn(model, X, k, weight), self.loss, **terms)
        self.loss_, self.decisions_ = self.strategy_.loss, self.strategy_.decisions
        return self

    def _densities(self, density, X, k, weight) -> Model:
        if self.priors is None:
            priors = np.bincount(k, weight) / weight.sum()
        else:
            priors = check_priors(None if isinstance(self.priors, str) else self.priors, self.classes_)
        return Model(fit_classes(density, X, k, weight, self.classes_), priors, self.classes_)

    def _classifier(self, rule, X, k, weight):
        name = type(rule).__name__
        if self.priors is not None:
            raise ValueError(f"priors: they are for densities, {name} has its own.")
        if np.all(weight == 1.0):
            return clone(rule).fit(X, self.classes_[k])
        if has_fit_parameter(rule, "sample_weight"):
            return clone(rule).fit(X, self.classes_[k], sample_weight=weight)
        X, k = repeated(name, X, k, weight)
        return clone(rule).fit(X, self.classes_[k])

    def _ask(self, what: str, X) -> np.ndarray:
        check_is_fitted(self)
        return getattr(self.strategy_, what)(checked(self, X, reset=False))

    def predict(self, X) -> np.ndarray:
        """The decision of least risk: a class, or the label of the reject option."""
        return self._ask("predict", X)

    def risks(self, X) -> np.ndarray:
        """The conditional risk of each decision: rows x decisions."""
        return self._ask("risks", X)

    def decision_function(self, X) -> np.ndarray:
        """One score for each class, the greatest is the best one; for two classes the difference of theirs.

        With 0/1 loss log p(k|x), or the log odds of two classes; see `Strategy.scores`. The reject option has
        no score: see `risks`.
        """
        scores = self._ask("scores", X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X) -> np.ndarray:
        """p(k|x): rows x classes."""
        check_is_fitted(self)
        return self.strategy_.model.predict_proba(checked(self, X, reset=False))

    def predict_log_proba(self, X) -> np.ndarray:
        """log p(k|x): rows x classes."""
        check_is_fitted(self)
        return self.strategy_.model.predict_log_proba(checked(self, X, reset=False))

    def losses(self, X, y) -> np.ndarray:
        """What the decision for each row costs if ``y`` is true; their mean is the empirical risk."""
        decided = self._ask("decide", X)
        truth = column_or_1d(y)
        if truth.shape != decided.shape:
            raise ValueError(f"y has {truth.size} labels, X has {decided.size} rows.")
        for label in np.setdiff1d(truth, self.classes_).tolist():
            raise ValueError(f"y has the label {label!r}, which is not one of the classes {self.classes_.tolist()}.")
        return self.loss_[decided, np.searchsorted(self.classes_, truth)]

    def risk(self, n: int = 100_000, random_state=None) -> Risk:
        """The risk that the strategy would have if the learned densities were true, by Monte Carlo."""
        check_is_fitted(self)
        return self.strategy_.risk(n, random_state)

    @property
    def priors_(self) -> np.ndarray:
        """p(k) of the densities."""
        check_is_fitted(self)
        return self.strategy_.model.priors

    @property
    def discriminant_(self) -> Discriminant:
        """The linear or quadratic functions that decide."""
        check_is_fitted(self)
        try:
            return self.strategy_.discriminant()
        except ValueError as error:
            raise AttributeError(str(error)) from None

    @property
    def coef_(self) -> np.ndarray:
        """w of each class, or of the one hyperplane between two."""
        return self.discriminant_.coefficients[0]

    @property
    def intercept_(self) -> np.ndarray:
        """w0 of each class, or of the one hyperplane between two."""
        return self.discriminant_.coefficients[1]
