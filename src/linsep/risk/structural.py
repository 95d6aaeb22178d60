r"""Structural risk minimisation: a ladder of ever richer classes, and which rung to stand on (A5).

.. math:: \text{rung}^* = \arg\min_k \; R_{emp}(q_k) + \text{confidence}(h_k, N, \eta)
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.utils import get_tags, indexable
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_is_fitted

from .bound import vc_bound
from .capacity import UNKNOWN, capacity_of, last
from .empirical import empirical_risk
from .table import BOUND, CROSS_VALIDATION, Rung, Table


def _estimator_has(name: str):
    return lambda self: hasattr(self.estimator_, name)


class StructuralRisk(ClassifierMixin, BaseEstimator):
    r"""Fits every rung of a ladder of two-class rules and keeps the one whose bound of the risk is smallest (A5).

    .. math:: R_{emp} + \sqrt{\tfrac1N \left[h\left(\ln\tfrac{2N}{h} + 1\right) - \ln\tfrac{\eta}{4}\right]}

    The capacity h of a rung is n + 1, with n the number of features that its linear classifier (the last step
    of a pipeline) sees, or :math:`R^2/m^2 + 1` there if it separates the data and this is smaller: see
    `margin_capacity` for what that assumes. Each of K rungs gets :math:`\eta/K`, so that all bounds hold
    together, the chosen one's too. Lifts are taken as fixed before the data were seen: what a transformer learns
    from the labels is not counted. Where features are many and examples few every bound is vacuous; a
    warning and ``table_`` say so, and the cross-validated risk stands beside it.

    Parameters
    ----------
    ladder : list of classifiers, or of (name, classifier)
        From poor to rich: pipelines with lifts, or one classifier with growing C. Rungs without a name are
        called by the parameters in which they differ.
    choose : {"bound", "cross-validation"}, default="bound"
        Whose minimum is taken; of equals the poorest rung. A rung without ``coef_`` has no known capacity, so
        that only "cross-validation" takes it.
    cv : int, splitter or iterable, default=5
        As in scikit-learn; all rungs see the same folds.
    eta : float, default=0.05
        The bounds may fail with this probability, all of them together.

    Attributes
    ----------
    table_ : Table
        A list of `Rung`; ``print(table_)`` shows risks, bounds and why the rung was chosen.
    best_index_, best_name_
        The chosen rung.
    estimator_ : estimator
        The chosen rung, fitted to all data.
    classes_ : array
        The two labels.
    n_features_in_, feature_names_in_
        Those of ``estimator_``.

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

    _parameter_constraints: dict = {
        "ladder": [list, tuple],
        "choose": [StrOptions({BOUND, CROSS_VALIDATION})],
        "cv": ["cv_object"],
        "eta": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(self, ladder, *, choose=BOUND, cv=5, eta=0.05):
        self.ladder = ladder
        self.choose = choose
        self.cv = cv
        self.eta = eta

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        rungs = [get_tags(rung).input_tags for _, rung in named(self.ladder)]
        tags.input_tags.sparse = all(rung.sparse for rung in rungs)
        tags.input_tags.allow_nan = all(rung.allow_nan for rung in rungs)
        return tags

    def fit(self, X, y):
        """Fit every rung, compare them, keep the best; rows of X are independent examples, all of weight 1."""
        self._validate_params()
        ladder = named(self.ladder)
        X, y, classes = _examples(X, y)
        folds = _folds(self.cv, X, y)
        rungs, models = [], []
        for name, estimator in ladder:
            try:
                rung, model = self._climb(name, estimator, X, y, folds, self.eta / len(ladder))
            except Exception as error:
                error.add_note(f"This happened at rung {name!r} of the ladder.")
                raise
            rungs.append(rung)
            models.append(model)
        self.table_ = Table(rungs, self.choose)
        self.best_index_, self.classes_ = self.table_.best, classes
        self.best_name_, self.estimator_ = rungs[self.best_index_].name, models[self.best_index_]
        if self.choose == BOUND and rungs[self.best_index_].bound.vacuous:
            warnings.warn(
                f"StructuralRisk: the smallest bound, of {self.best_name_!r}, is vacuous: "
                f"{rungs[self.best_index_].bound} choose='cross-validation' chooses without it.",
                stacklevel=2,
            )
        return self

    def _climb(self, name: str, estimator: Any, X, y, folds, eta: float) -> tuple[Rung, Any]:
        """Fit one rung to all data for its bound, and to all but a fold in turn for its cross-validated risk."""
        model = clone(estimator).fit(X, y)
        capacity = capacity_of(model, X, y)
        if self.choose == BOUND and capacity.source == UNKNOWN:
            raise ValueError(
                f"{type(last(model)).__name__} has no coef_, so that its capacity is not known: "
                "choose='cross-validation' can do without."
            )
        bound = vc_bound(empirical_risk(y, model.predict(X)), capacity.h, len(y), eta)
        right = cross_val_score(estimator, X, y, cv=folds, scoring="accuracy", error_score="raise")
        return Rung(name, bound, capacity, tuple((1 - right).tolist())), model

    @property
    def n_features_in_(self) -> int:
        """Number of columns the ladder was fitted to."""
        check_is_fitted(self)
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the columns, if they had any."""
        check_is_fitted(self)
        return self.estimator_.feature_names_in_

    def predict(self, X) -> np.ndarray:
        """The decisions of the chosen rung."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X) -> np.ndarray:
        """g(x) of the chosen rung."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)


def named(ladder: Any) -> list[tuple[str, Any]]:
    """The rungs with their names, given or made of the parameters in which they differ.

    >>> from sklearn.svm import LinearSVC
    >>> [name for name, _ in named([LinearSVC(C=0.1), LinearSVC(C=1.0), ("rich", LinearSVC(C=10.0))])]
    ['C=0.1', 'C=1.0', 'rich']
    """
    if len(ladder) == 0:
        raise ValueError("ladder: it is empty, at least one classifier is wanted.")
    given = [one if isinstance(one, tuple) and len(one) == 2 else (None, one) for one in ladder]
    for i, (name, rung) in enumerate(given):
        if not hasattr(rung, "get_params") or isinstance(rung, type) or not is_classifier(rung):
            raise ValueError(f"ladder: rung {i} is {rung!r}: a classifier or a pair (name, classifier) is wanted.")
        if not (name is None or isinstance(name, str)):
            raise ValueError(f"ladder: rung {i} is called {name!r}: a string is wanted.")
    made = iter(_differences([rung for name, rung in given if name is None]))
    names = [next(made) if name is None else name for name, _ in given]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"ladder: two rungs are called {twice[0]!r}.")
    return [(name, rung) for name, (_, rung) in zip(names, given, strict=True)]


def _differences(rungs: list[Any]) -> list[str]:
    """A name for each: the plain parameters in which they differ, or its place and type."""
    settings = [rung.get_params() for rung in rungs]
    shared = [key for key in (settings or [{}])[0] if all(key in one for one in settings)]
    plain = [key for key in shared if all(isinstance(one[key], str | Real | None) for one in settings)]
    telling = [key for key in plain if len({repr(one[key]) for one in settings}) > 1]
    names = [", ".join(f"{key.split('__')[-1]}={one[key]}" for key in telling) for one in settings]
    if len(set(names)) == len(names) and telling:
        return names
    return [f"{i + 1} {type(last(rung)).__name__}" for i, rung in enumerate(rungs)]


def _examples(X, y) -> tuple[Any, np.ndarray, np.ndarray]:
    """X as it came (the rungs look into it), y checked, and its two labels."""
    if y is None:
        raise ValueError("StructuralRisk requires y to be passed, but the target y is None.")
    X, y = indexable(X, y)
    y = _check_y(y)
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: the bound S0 (1) is "
            f"one of two-class rules, and y has {len(classes)} classes."
        )
    if len(classes) < 2:
        found = f"one class only: {classes.tolist()[0]!r}" if len(classes) else "no label at all"
        raise ValueError(f"Two classes are needed, but y has {found}.")
    return X, y, classes


def _folds(cv, X, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same folds for all rungs; each leaves both classes to learn from."""
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    for i, (train, _) in enumerate(folds):
        if len(np.unique(y[train])) < 2:
            raise ValueError(f"cv={cv!r}: without fold {i} only one class is left to learn from: too few rows.")
    return folds
