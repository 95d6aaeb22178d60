"""Structural risk minimisation: a ladder of ever richer classes of rules, and the choice of a rung (A5)."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.utils import assert_all_finite, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .bound import vc_bound
from .capacity import UNKNOWN_CAPACITY, compute_capacity, get_final_classifier
from .empirical import empirical_risk
from .risk_table import BY_BOUND, BY_CROSS_VALIDATION, RiskTable, Rung


class StructuralRisk(ClassifierMixin, BaseEstimator):
    r"""Fits every rung of a ladder of two-class rules and keeps the one with the smallest bound of the risk (A5).

    .. math:: R_{emp} + \sqrt{\tfrac1N \left[h\left(\ln\tfrac{2N}{h} + 1\right) - \ln\tfrac{\eta}{4}\right]}

    The capacity h of a rung is n + 1, with n the number of features of its linear classifier (the last step of a
    pipeline), or :math:`R^2/m^2 + 1` there if it separates the data and this is smaller; `margin_capacity` says what
    that assumes. Each of K rungs gets :math:`\eta/K`, so that all bounds hold together, including the chosen one's.
    Lifts are assumed to be fixed before the data were seen: what a transformer learns from the labels is not counted.
    With many features and few examples every bound is vacuous; then a warning and ``table_`` say so, and ``table_``
    has the cross-validated risk as well.

    Parameters
    ----------
    ladder : list of classifiers or of pairs (name, classifier)
        From poor to rich: pipelines with lifts, or one classifier with growing C. Rungs without a name are
        named by the parameters in which they differ.
    choose : {"bound", "cross-validation"}, default="bound"
        What is minimised; of equal rungs the poorest is chosen. A rung without ``coef_`` has no known capacity and
        needs "cross-validation".
    cv : int, splitter or iterable, default=5
        As in scikit-learn; all rungs get the same folds.
    eta : float, default=0.05
        Probability that any of the bounds fails.

    Attributes
    ----------
    table_ : RiskTable
        A list of `Rung`; ``print(table_)`` shows risks, bounds and why the rung was chosen.
    best_index_ : int
        Index of the chosen rung.
    best_name_ : str
        Name of the chosen rung.
    estimator_ : classifier
        The chosen rung, fitted to all data.
    estimators_ : list of classifiers
        All rungs, fitted to all data.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from linsep import Perceptron
    >>> from linsep.risk import StructuralRisk
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> y = np.hypot(*X.T) < 0.7    # inside a circle
    >>> ladder = [make_pipeline(PolynomialFeatures(d, include_bias=False), Perceptron()) for d in (1, 2, 3)]
    >>> model = StructuralRisk(ladder).fit(X, y)
    >>> model.best_name_, model.table_[1].bound.h
    ('degree=2', 6.0)
    """

    def __init__(self, ladder, *, choose=BY_BOUND, cv=5, eta=0.05):
        self.ladder = ladder
        self.choose = choose
        self.cv = cv
        self.eta = eta

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        rungs = [get_tags(rung).input_tags for _, rung in name_rungs(self.ladder)]
        tags.input_tags.sparse = all(rung.sparse for rung in rungs)
        tags.input_tags.allow_nan = all(rung.allow_nan for rung in rungs)
        return tags

    def fit(self, X, y):
        """Fit every rung, compare them, keep the best; the rows of X are independent examples, all of weight 1."""
        ladder = name_rungs(self.ladder)
        if self.choose not in (BY_BOUND, BY_CROSS_VALIDATION):
            raise ValueError(f"choose: expected {BY_BOUND!r} or {BY_CROSS_VALIDATION!r}, got {self.choose!r}.")
        if not (isinstance(self.eta, Real) and 0 < self.eta < 1):
            raise ValueError(f"eta: expected a probability, 0 < eta < 1, got {self.eta!r}.")
        X, y, classes = _check_examples(X, y)
        folds = _make_folds(self.cv, X, y)
        rungs, models = [], []
        for name, estimator in ladder:
            try:
                rung, model = self._fit_rung(name, estimator, X, y, folds, self.eta / len(ladder))
            except Exception as error:
                error.add_note(f"This happened at rung {name!r} of the ladder.")
                raise
            rungs.append(rung)
            models.append(model)
        self.table_ = RiskTable(rungs, self.choose)
        self.best_index_, self.classes_ = self.table_.best, classes
        self.best_name_, self.estimators_ = rungs[self.best_index_].name, models
        self.estimator_ = models[self.best_index_]
        if self.choose == BY_BOUND and rungs[self.best_index_].bound.vacuous:
            warnings.warn(
                f"StructuralRisk: the smallest bound, of {self.best_name_!r}, is vacuous: "
                f"{rungs[self.best_index_].bound} choose='cross-validation' chooses without it.",
                stacklevel=2,
            )
        return self

    def _fit_rung(self, name: str, estimator: Any, X, y, folds, eta: float) -> tuple[Rung, Any]:
        """Fit one rung to all data for its bound, and without each fold for its cross-validated risk."""
        model = clone(estimator).fit(X, y)
        capacity = compute_capacity(model, X, y)
        if self.choose == BY_BOUND and capacity.source == UNKNOWN_CAPACITY:
            raise ValueError(
                f"{type(get_final_classifier(model)).__name__} has no coef_, so that its capacity is not known: "
                "choose='cross-validation' does not need it."
            )
        bound = vc_bound(empirical_risk(y, model.predict(X)), capacity.h, len(y), eta)
        accuracy = cross_val_score(estimator, X, y, cv=folds, scoring="accuracy", error_score="raise")
        return Rung(name, bound, capacity, tuple((1 - accuracy).tolist())), model

    @property
    def n_features_in_(self) -> int:
        """Number of features of the chosen rung."""
        check_is_fitted(self)
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the features, if they have names."""
        check_is_fitted(self)
        return self.estimator_.feature_names_in_

    def predict(self, X) -> np.ndarray:
        """Return the decisions of the chosen rung."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_if(lambda self: hasattr(self.estimator_, "decision_function"))
    def decision_function(self, X) -> np.ndarray:
        """Return g(x) of the chosen rung."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)


def name_rungs(ladder: Any) -> list[tuple[str, Any]]:
    """Return pairs (name, classifier); rungs without a name are named by the parameters in which they differ.

    >>> from sklearn.svm import LinearSVC
    >>> [name for name, _ in name_rungs([LinearSVC(C=0.1), LinearSVC(C=1.0), ("rich", LinearSVC(C=10.0))])]
    ['C=0.1', 'C=1.0', 'rich']
    """
    if not isinstance(ladder, list | tuple) or len(ladder) == 0:
        raise ValueError(f"ladder: expected a list of at least one classifier, got {ladder!r}.")
    given = [one if isinstance(one, tuple) and len(one) == 2 else (None, one) for one in ladder]
    for i, (name, rung) in enumerate(given):
        if not hasattr(rung, "get_params") or isinstance(rung, type) or not is_classifier(rung):
            raise ValueError(f"ladder: expected a classifier or a pair (name, classifier) as rung {i}, got {rung!r}.")
        if not (name is None or isinstance(name, str)):
            raise ValueError(f"ladder: expected a string as name of rung {i}, got {name!r}.")
    made = iter(_describe_differences([rung for name, rung in given if name is None]))
    names = [next(made) if name is None else name for name, _ in given]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"ladder: expected different names, got {name!r} twice.")
    return [(name, rung) for name, (_, rung) in zip(names, given, strict=True)]


def _describe_differences(rungs: list[Any]) -> list[str]:
    """Return one name per rung: the simple parameters in which the rungs differ, or else its number and type."""
    settings = [rung.get_params() for rung in rungs]
    shared = [key for key in (settings or [{}])[0] if all(key in one for one in settings)]
    simple = [key for key in shared if all(isinstance(one[key], str | Real | None) for one in settings)]
    different = [key for key in simple if len({repr(one[key]) for one in settings}) > 1]
    names = [", ".join(f"{key.split('__')[-1]}={one[key]}" for key in different) for one in settings]
    if len(set(names)) == len(names) and different:
        return names
    return [f"{i + 1} {type(get_final_classifier(rung)).__name__}" for i, rung in enumerate(rungs)]


def _check_examples(X, y) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return X as it is (the rungs check it), y checked, and its two labels."""
    if y is None:
        raise ValueError("StructuralRisk requires y to be passed, but the target y is None.")
    try:
        X, y = indexable(X, y)
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "c":
            raise ValueError("y: expected labels, got complex numbers.")
    except (TypeError, ValueError) as error:
        raise ValueError(str(error).partition("\n")[0]) from error
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: the bound S0 (1) is "
            f"for two-class rules, and y has {len(classes)} classes."
        )
    if len(classes) < 2:
        found = f"one class only: {classes.tolist()[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"Expected two classes, y has {found}.")
    return X, y, classes


def _make_folds(cv, X, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the folds, the same for all rungs; each leaves both classes to learn from."""
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    for i, (train, _) in enumerate(folds):
        if len(np.unique(y[train])) < 2:
            raise ValueError(f"cv={cv!r}: without fold {i} the training rows have one class only: too few rows.")
    return folds
