r"""The classifier `Bayes`: class densities learned from data, decisions of minimal risk (A1, A2)."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..estimators._datasets import RowClassifier
from ..estimators._lazy import row_by_row
from ..estimators._validation import (
    HasMethods,
    StrOptions,
    all_or_nothing,
    as_column,
    check_parameters,
    set_parameters,
)
from ..model_file import Saved
from ..risk.empirical import find_labels
from ._validation import by_label, check_labelled, check_more, check_rows, repeat_rows
from .densities._base import fit_classes
from .densities.gaussian import Gaussian
from .discriminant import Discriminant
from .model import Model, check_priors
from .monte_carlo import RiskEstimate
from .strategy import Strategy


def _can_go_on(rule: Bayes) -> bool:
    """Whether the densities go on with more rows; an error names the one that does not."""
    for model in rule._families():
        if not hasattr(model, "score_samples"):
            raise AttributeError(f"partial_fit: expected densities, got the classifier {type(model).__name__}.")
        _ = model.partial_fit  # its error says why there is none
    if hasattr(rule, "strategy_") and not hasattr(rule, "_totals"):
        raise AttributeError("partial_fit: the model file is older than partial_fit, and has no counts to go on from.")
    return True


class Bayes(Saved, RowClassifier, BaseEstimator):
    r"""Densities of the classes, learned from data, and the strategy of minimal risk for them.

    .. math:: q(x) = \arg\min_d \sum_k \hat p(k)\, \hat p(x|k)\, W(d,k)

    Parameters
    ----------
    model : density, dict of densities or classifier, default=None
        A density (an estimator with ``score_samples``: `Gaussian`, `Uniform`, `Rayleigh`, `Parzen`,
        `PiecewiseConstant`, scikit-learn's ``KernelDensity`` and ``GaussianMixture``, or your own), a copy of which
        is fitted to each class; or a dictionary with one density per label. Or a classifier with ``predict_proba``
        (scikit-learn's LDA and QDA, for example).
        None: ``Gaussian(shared=True)``, which is linear.
    priors : "uniform", dict or array-like of shape (n_classes,), default=None
        p(k), by label or in the order of the sorted labels. None: the frequencies in the data.
    loss : array-like of shape (n_decisions, n_classes), default=None
        ``W[decision, truth]`` as for `Strategy`; one more row than classes is the reject option. None: 0/1 loss.
    reject : float, default=None
        The cost of the reject option. None: no reject option, unless ``loss`` has a row for it.
    reject_label : object, default=None
        What ``predict`` returns for a reject. None: -1, or "reject" if the classes are strings.
    decisions : array-like of shape (n_decisions,), default=None
        The labels of the decisions, if they are not the classes: ``loss`` has one row for each.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    priors_ : ndarray of shape (n_classes,)
        The probabilities of the classes.
    means_ : ndarray of shape (n_classes, n_features)
        The means of Gaussian densities.
    coef_, intercept_, discriminant_
        Where the model has linear discriminants: their weights, their biases, and the functions g_k.
    strategy_ : Strategy
        The learned strategy; ``strategy_.model`` has the densities.
    decisions_ : ndarray
        The labels of the decisions: the classes, and that of the reject option; or ``decisions``.
    loss_ : ndarray of shape (n_decisions, n_classes)
        W.

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
        "model": [None, dict, HasMethods(["fit", "score_samples"]), HasMethods(["fit", "predict_proba"])],
        "priors": [None, StrOptions({"uniform"}), dict, "array-like"],
        "loss": [None, "array-like"],
        "reject": [None, Real],
        "reject_label": "no_validation",
        "decisions": [None, "array-like"],
    }

    classes_: np.ndarray
    _totals: np.ndarray  # weight of the rows of each class so far

    def __init__(self, model=None, *, priors=None, loss=None, reject=None, reject_label=None, decisions=None):
        set_parameters(self, locals())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = any(get_tags(each).input_tags.positive_only for each in self._families())
        return tags

    def _families(self) -> list[Any]:
        """The densities, or the classifier, that are given."""
        if self.model is None:
            return [Gaussian(shared=True)]
        return list(self.model.values()) if isinstance(self.model, dict) else [self.model]

    def _learns_from_parts(self) -> bool:
        return all(isinstance(each, Gaussian) for each in self._families())

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn the densities and priors from rows ``X`` and labels ``y``; rows of weight 0 are absent."""
        check_parameters(self)
        return self._learn(*check_labelled(self, X, y, sample_weight), before=None)

    @available_if(_can_go_on)
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Go on with more rows; the first call needs all ``classes``, and rows of each of them.

        The strategy is that of one `fit` on all rows, to rounding. The densities must be those of the first call, each
        with a ``partial_fit`` of its own; ``priors``, ``loss``, ``reject`` and ``decisions`` may change between calls.

        >>> rule = Bayes().partial_fit([[0.0], [1.0], [4.0]], ["a", "a", "b"], classes=["a", "b"])
        >>> rule.partial_fit([[5.0]], ["b"]).priors_, rule.intercept_ / rule.coef_[0]     # the threshold is 2.5
        (array([0.5, 0.5]), array([-2.5]))
        """
        check_parameters(self)
        before = (self.strategy_.model.densities, self._totals) if hasattr(self, "strategy_") else None
        return self._learn(*check_more(self, X, y, classes, sample_weight), before=before)

    def _learn(self, X, k, weight, before: tuple[list[Any], np.ndarray] | None):
        """Learn from these rows, and go on from the densities and total weights of the classes before."""
        densities, totals = before or (None, 0.0)
        self._totals = totals + np.bincount(k, weight, len(self.classes_))
        model = Gaussian(shared=True) if self.model is None else self.model
        if isinstance(model, dict) or hasattr(model, "score_samples"):
            found: Any = self._fit_densities(model, X, k, weight, densities)
        else:
            found = self._fit_classifier(model, X, k, weight)
        self.strategy_ = Strategy(
            found, self.loss, reject=self.reject, reject_label=self.reject_label, decisions=self.decisions
        )
        self.loss_, self.decisions_ = self.strategy_.loss, self.strategy_.decisions
        return self

    def _fit_densities(self, density, X, k, weight, before: list[Any] | None) -> Model:
        if self.priors is None:
            priors = self._totals / self._totals.sum()
        else:
            given = by_label(self.priors, self.classes_, "priors") if isinstance(self.priors, dict) else self.priors
            priors = check_priors(None if isinstance(given, str) else given, self.classes_)
        if not isinstance(density, dict):
            return Model(fit_classes(density, X, k, weight, self.classes_, before), priors, self.classes_)
        found = []
        for j, each in enumerate(by_label(density, self.classes_, "model")):
            own = None if before is None else before[j : j + 1]
            found += fit_classes(each, X, np.where(k == j, 0, -1), weight, self.classes_[[j]], own)
        return Model(found, priors, self.classes_)

    def _fit_classifier(self, classifier, X, k, weight) -> Any:
        name = type(classifier).__name__
        if self.priors is not None:
            raise ValueError(f"priors: expected None for a classifier, {name} has its own priors.")
        weights: dict[str, np.ndarray] = {}
        present = slice(None) if weight.all() else weight > 0  # a slice makes no copy
        X, k, weight = X[present], k[present], weight[present]
        if not np.all(weight == 1.0):
            if has_fit_parameter(classifier, "sample_weight"):
                weights["sample_weight"] = weight
            else:
                X, k = repeat_rows(name, X, k, weight)
        return clone(classifier).fit(X, self.classes_[k], **weights)

    def _check(self, X) -> np.ndarray:
        check_is_fitted(self)
        return check_rows(self, X, reset=False)

    @row_by_row
    def predict(self, X) -> np.ndarray:
        """Return the decision of least risk for every row: a class, or the label of the reject option."""
        X = self._check(X)
        return self.strategy_.predict(X)

    @row_by_row
    def risks(self, X) -> np.ndarray:
        """Return the conditional risks of the decisions, shape (n_samples, n_decisions)."""
        X = self._check(X)
        return self.strategy_.risks(X)

    @row_by_row
    def decision_function(self, X) -> np.ndarray:
        """Return one score per class, the best class has the greatest; for two classes the difference of theirs.

        With 0/1 loss log p(k|x), or the log odds of two classes; see `Strategy.scores`. The reject option has
        no score: see `risks`. If the decisions are not the classes: minus their risks.
        """
        X = self._check(X)
        scores = self.strategy_.scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @row_by_row
    def predict_proba(self, X) -> np.ndarray:
        """Return p(k|x), shape (n_samples, n_classes)."""
        X = self._check(X)
        return self.strategy_.model.predict_proba(X)

    @row_by_row
    def predict_log_proba(self, X) -> np.ndarray:
        """Return log p(k|x), shape (n_samples, n_classes)."""
        X = self._check(X)
        return self.strategy_.model.predict_log_proba(X)

    def losses(self, X, y) -> np.ndarray:
        """Return the loss of the decision for every row if ``y`` is true; their mean is the empirical risk."""
        X = self._check(X)
        decided, truth = self.strategy_.decide(X), as_column(y)
        if truth.shape != decided.shape:
            raise ValueError(f"y: expected {decided.size} labels, one per row of X, got {truth.size}.")
        return self.loss_[decided, find_labels(truth, self.classes_, "y")]

    def risk(self, n: int = 100_000, random_state=None) -> RiskEstimate:
        """Estimate by Monte Carlo, from n samples, the risk of the strategy if the learned densities were true."""
        check_is_fitted(self)
        return self.strategy_.risk(n, random_state)

    @property
    def priors_(self) -> np.ndarray:
        """p(k) of the densities."""
        check_is_fitted(self)
        return self.strategy_.model.priors

    @property
    def means_(self) -> np.ndarray:
        """The means of the classes, if all densities are `Gaussian`, or those of the classifier."""
        check_is_fitted(self)
        model = self.strategy_.model
        if not isinstance(model, Model):
            return model.means_
        if not all(isinstance(density, Gaussian) for density in model.densities):
            names = sorted({type(density).__name__ for density in model.densities})
            raise AttributeError(f"means_: expected Gaussian densities, got {', '.join(names)}.")
        return np.stack([density.mean_ for density in model.densities])

    @property
    def discriminant_(self) -> Discriminant:
        """One function per class, if the strategy is linear or quadratic."""
        check_is_fitted(self)
        try:
            return self.strategy_.discriminant()
        except ValueError as error:
            raise AttributeError(str(error)) from None

    @property
    def coef_(self) -> np.ndarray:
        """One row w per class, for two classes that of the hyperplane between them, if the strategy is linear."""
        return self.discriminant_.coefficients[0]

    @property
    def intercept_(self) -> np.ndarray:
        """One w0 per class; for two classes that of the hyperplane between them."""
        return self.discriminant_.coefficients[1]
