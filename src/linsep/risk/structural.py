r"""Structural risk minimisation: a ladder of ever richer classes, and which rung to stand on (A5).

.. math:: \text{rung}^* = \arg\min_k \; R_{emp}(q_k) + \text{confidence}(h_k, N, \eta)
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags, indexable
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import row_norms
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_is_fitted

from .ball import EPS, enclosing_ball
from .bound import VCBound, dimension_capacity, margin_capacity, vc_bound
from .empirical import empirical_risk

DIMENSION, MARGIN, UNKNOWN = "n+1", "R²/m²+1", "unknown"
BOUND, CROSS_VALIDATION = "bound", "cross-validation"


class Capacity(NamedTuple):
    """The capacity of the class one rung chose from, and what it was taken from."""

    h: float
    source: str  # "n+1", "R²/m²+1" or "unknown"
    n: int | None = None  # features the linear classifier sees
    radius: float | None = None  # of a ball around the rows it sees, if it separates them
    margin: float | None = None  # m, likewise


@dataclass(frozen=True)
class Rung:
    """What is known of one rung."""

    name: str
    bound: VCBound  # with the empirical risk in it
    capacity: Capacity
    folds: tuple[float, ...]  # the risk on each fold that was left out

    @property
    def empirical(self) -> float:
        """The mean 0/1 loss on the training data."""
        return self.bound.empirical

    @property
    def cross_validated(self) -> float:
        """The mean 0/1 loss on the folds left out."""
        return float(np.mean(self.folds))

    @property
    def spread(self) -> float:
        """The standard deviation of the risk from fold to fold."""
        return float(np.std(self.folds))

    def to_dict(self) -> dict[str, Any]:
        """One flat row: name, numbers and flags, ready for a data frame."""
        bound = self.bound
        return {
            "rung": self.name, **self.capacity._asdict(), "N": bound.N, "eta": bound.eta, "empirical": bound.empirical,
            "confidence": bound.confidence, "bound": bound.value, "vacuous": bound.vacuous, "valid": bound.valid,
            "cross_validated": self.cross_validated, "spread": self.spread,
        }  # fmt: skip


class Table(list):
    """The rungs, from poor to rich, and which one was chosen; ``print`` shows it as a table with its reasons."""

    def __init__(self, rungs: list[Rung], choose: str):
        super().__init__(rungs)
        self.choose = choose

    def criterion(self, rung: Rung) -> float:
        """The number that the chosen rung has the smallest of."""
        return rung.bound.value if self.choose == BOUND else rung.cross_validated

    @property
    def best(self) -> int:
        """The rung of the smallest criterion; of equals (up to rounding) the poorest."""
        return int(np.argmin([round(self.criterion(rung), 12) for rung in self]))

    def __str__(self) -> str:
        head = ["", "rung", "capacity h", "from", "R_emp", "+ confidence", "= bound", "", "cross-validated"]
        lines = [head] + [self._line(rung, chosen=i == self.best) for i, rung in enumerate(self)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
        return "\n".join([*rows, "", *self.reasons()])

    def _line(self, rung: Rung, chosen: bool) -> list[str]:
        bound = rung.bound
        doubt = "vacuous" if bound.vacuous else "" if bound.valid else "h not << N"
        crossed = f"{rung.cross_validated:.4f} ± {rung.spread:.4f}"
        numbers = [f"{bound.empirical:.4f}", f"{bound.confidence:.4f}", f"{bound.value:.4f}"]
        return [">" if chosen else "", rung.name, f"{bound.h:.4g}", rung.capacity.source, *numbers, doubt, crossed]

    def reasons(self) -> list[str]:
        """Why this rung, and what the numbers are worth: one sentence a line."""
        best = self[self.best]
        said = [f"Chosen by {'the ' * (self.choose == BOUND)}{self.choose}: {best.name}, {self._sum(best)}."]
        for place, others in (("poorer", self[: self.best]), ("richer", self[self.best + 1 :])):
            if others:
                rival = min(others, key=self.criterion)
                said.append(f"The best {place} rung: {rival.name}, {self._sum(rival)}.")
        sure, count = len(self) * best.bound.eta, f"all {len(self)} bounds hold" if len(self) > 1 else "the bound holds"
        said.append(f"With probability at least {1 - sure:.4g} {count} on {best.bound.N} independent examples.")
        if any(rung.capacity.source == MARGIN for rung in self):
            said.append("But a capacity R²/m²+1 was read off the data, which S0 (1) does not cover: a guide, no proof.")
        if all(rung.bound.vacuous for rung in self):
            said.append("Every bound is vacuous (1 or more): it proves nothing here. Look at the cross-validated risk.")
        elif self.choose == BOUND and not best.bound.valid:
            said.append("The chosen bound is not what S0 (1) is for: h is not much smaller than N.")
        return said

    def _sum(self, rung: Rung) -> str:
        bound = rung.bound
        if self.choose == BOUND:
            return f"{bound.value:.4f} = {bound.empirical:.4f} + {bound.confidence:.4f}"
        return f"{rung.cross_validated:.4f} on the folds left out, {bound.empirical:.4f} on the training data"


def _estimator_has(name: str):
    return lambda self: hasattr(self.estimator_, name)


class StructuralRisk(ClassifierMixin, BaseEstimator):
    r"""Fits every rung of a ladder of two-class rules and keeps the one whose bound of the risk is smallest (A5).

    .. math:: R_{emp} + \sqrt{\tfrac1N \left[h\left(\ln\tfrac{2N}{h} + 1\right) - \ln\tfrac{\eta}{4}\right]}

    The capacity h of a rung is n + 1, with n the number of features that its linear classifier (the last step
    of a pipeline) sees, or :math:`R^2/m^2 + 1` there if it separates the data and this is smaller: see
    `margin_capacity` for what that assumes. Each of K rungs gets :math:`\eta/K`, so that all bounds hold
    together, the chosen one's too. Lifts are taken as fixed before the data were seen: what a transformer learns
    from the labels is not counted. On small data every bound is vacuous; this is said by a warning and in
    ``table_``, which has the cross-validated risk beside it.

    Parameters
    ----------
    ladder : list of estimators, or of (name, estimator)
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
        for name, rung in ladder:
            try:
                model = clone(rung).fit(X, y)
                empirical, capacity = empirical_risk(y, model.predict(X)), capacity_of(model, X, y)
                if self.choose == BOUND and capacity.source == UNKNOWN:
                    raise ValueError(
                        f"{type(_last(model)).__name__} has no coef_, so that its capacity is not known: "
                        "choose='cross-validation' can do without."
                    )
                right = cross_val_score(rung, X, y, cv=folds, scoring="accuracy", error_score="raise")
            except Exception as error:
                error.add_note(f"This happened at rung {name!r} of the ladder.")
                raise
            bound = vc_bound(empirical, capacity.h, len(y), self.eta / len(ladder))
            rungs.append(Rung(name, bound, capacity, tuple((1 - right).tolist())))
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
        raise ValueError("ladder: it is empty, at least one estimator is wanted.")
    given = [one if isinstance(one, tuple) and len(one) == 2 else (None, one) for one in ladder]
    for i, (name, rung) in enumerate(given):
        if not (hasattr(rung, "fit") and hasattr(rung, "get_params")) or isinstance(rung, type):
            raise ValueError(f"ladder: rung {i} is {rung!r}: an estimator or a pair (name, estimator) is wanted.")
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
    return [f"{i + 1} {type(_last(rung)).__name__}" for i, rung in enumerate(rungs)]


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


def _last(model: Any) -> Any:
    """The classifier itself: the last step of a pipeline, or the model."""
    return _last(model.steps[-1][1]) if isinstance(model, Pipeline) else model


def _seen(model: Any, X: Any) -> Any:
    """X as the classifier sees it, after all lifts."""
    if not isinstance(model, Pipeline):
        return X
    return _seen(model.steps[-1][1], model[:-1].transform(X) if len(model) > 1 else X)


def capacity_of(model: Any, X: Any, y: np.ndarray) -> Capacity:
    """The capacity of the class that a fitted rung was chosen from: n+1, or R²/m²+1 if that is smaller."""
    classifier = _last(model)
    coef = getattr(classifier, "coef_", None)
    if coef is None:
        return Capacity(math.inf, UNKNOWN)
    w = np.asarray(coef.toarray() if sp.issparse(coef) else coef, dtype=np.float64).ravel()
    flat = Capacity(dimension_capacity(w.size), DIMENSION, w.size)
    Z = check_array(_seen(model, X), accept_sparse="csr")
    w0 = float(np.ravel(getattr(classifier, "intercept_", 0.0))[0])
    m = _margin(Z, np.where(y == classifier.classes_[1], 1, -1), w, w0)
    if m <= 0:
        return flat
    radius = enclosing_ball(Z, tol=1e-2).radius
    h = margin_capacity(radius, m)
    if h >= flat.h:
        return flat._replace(radius=radius, margin=m)
    return Capacity(h, MARGIN, w.size, radius, m)


def _margin(Z, sign: np.ndarray, w: np.ndarray, w0: float) -> float:
    """The smallest signed distance of the rows, less what rounding may have added; -inf at w = 0."""
    norm = float(np.linalg.norm(w))
    if norm == 0:
        return -math.inf
    u, u0 = w / norm, w0 / norm
    rounding = (w.size + 4) * EPS * (math.sqrt(float(row_norms(Z, squared=True).max())) + abs(u0))
    return float(np.min(sign * (Z @ u + u0))) - rounding
