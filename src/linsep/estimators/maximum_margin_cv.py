"""The soft margin whose C is chosen by cross-validation (C12, A5)."""

from __future__ import annotations

import inspect
from copy import copy
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets

from ..interrupt import interrupts, is_spent, side_by_side
from ._parameters import shared_parameters
from ._types import ClassWeight
from ._validation import (
    AT_LEAST_ONE,
    Interval,
    all_or_nothing,
    check_input,
    check_parameters,
    check_sample_weight,
    held_warnings,
    set_parameters,
    warn_user,
)
from .maximum_margin import MaximumMargin

RANGE = (-4.0, 4.0)  # powers of ten between which a number of values of C lies, as in scikit-learn
OWN = ("loss", "tol", "method", "visits", "multi_class")  # parameters of `MaximumMargin` that others have not
PASSES = 1000  # of a fold with max_iter="auto": a C that needs more is beyond the best one
PART = 0.75  # of a budget of seconds: the comparison; what is left is for the rule itself
CLOSE = 1e-9  # mean scores that differ by less are equal: folds are summed in floating point


class Fold(NamedTuple):
    """Rows to learn from, as weights, and rows to be judged by."""

    weight: np.ndarray  # 0: held out
    held_out: np.ndarray


@shared_parameters
class MaximumMarginCV(MaximumMargin):
    r"""The hyperplane of soft margin with the best C of several, by the score on held-out rows.

    Each C is learned in every fold to a certified gap of ``cv_tol``, from small to large, begun from the weights that
    the fold had at the C before. What cannot change the choice is left out: a C ends when even perfect scores in its
    other folds would not make it the best. X is not copied: rows that are held out have the weight 0. The rule itself
    is then learned from all rows.

    Parameters
    ----------
    Cs : int or list of float, default=10
        The values of C, or how many, evenly in the logarithm from 1e-4 to 1e4. Of equal scores the smallest wins.
    cv : int, splitter, iterable or None, default=None
        As in scikit-learn; None: 5 stratified folds, in the order of the rows.
    scoring : str, callable or None, default=None
        As in scikit-learn; None: the part of held-out rows that are right, counted by ``sample_weight``.
    refit : bool, default=True
        Learn from all rows with the best C; else ``C_`` and ``scores_`` are all there is.
    cv_tol : float, default=1e-2
        How far apart the bounds may be in the folds; ``tol`` is that of the rule itself.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        What a missing part of the margin costs.
    tol : float or "auto", default="auto"
        How far apart the two bounds may be, relative to the upper one; "auto": 1e-4, 1e-2 of a linear machine.
    method : {"auto", "ascent", "newton"}, default="auto"
        As for `MaximumMargin`.
    visits : {"random", "cyclic"}, default="random"
        In which order the ascent visits the rows.
    max_iter : int or "auto", default="auto"
        Budget of passes and Newton steps of every fit; "auto": 10,000, in the folds 1000, and 5 seconds of work.
    max_seconds : float or None, default=None
        Budget of time of the whole call, three quarters of it for the comparison: values of C that were not learned in
        all folds by then are not chosen.
    multi_class : {"auto", "machine", "one-vs-all", "one-vs-one"}, default="auto"
        As for `MaximumMargin`.

    Attributes
    ----------
    C_ : float
        The C with the best mean score.
    Cs_ : array of float
        All values, from small to large.
    scores_ : array of shape (n_folds, n_Cs)
        The score of every fold; NaN where it could not have changed the choice, or there was no time.
    best_score_ : float
        The mean score of ``C_``.
    coef_, intercept_, classes_, n_iter_, margin_, support_, support_vectors_, n_support_, dual_coef_
        As for `MaximumMargin`.
    certificate_, certificates_, committee_, history_
        As for `MaximumMargin`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from linsep import MaximumMarginCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rule = MaximumMarginCV([1e-6, 1e-1]).fit(X / X.std(axis=0), y)
    >>> rule.C_, round(rule.best_score_, 2), rule.certificate_.status
    (0.1, 0.98, 'optimal')
    """

    C_: float
    warm_start, least_score = False, None
    _parameter_constraints: dict = {
        **{name: MaximumMargin._parameter_constraints[name] for name in OWN},
        "Cs": [AT_LEAST_ONE, "array-like"],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "refit": ["boolean"],
        "cv_tol": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self, Cs: Any = 10, *, cv: Any = None, scoring: Any = None, n_jobs: int | None = None, refit: bool = True,
        cv_tol: float = 1e-2, loss: str = "hinge", bias: str = "free", fit_intercept: bool = True,
        tol: float | str = "auto", method: str = "auto", visits: str = "random", max_iter: int | str = "auto",
        max_seconds: float | None = None, class_weight: ClassWeight | None = None, random_state: Any = 0,
        verbose: int = 0, multi_class: str = "auto",
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def _learns_from_parts(self) -> bool:
        return False

    @property
    def C(self) -> float:
        """What an error costs: the chosen one."""
        return self.C_

    def _like(self, **changes: Any) -> MaximumMargin:
        names = inspect.signature(MaximumMargin).parameters
        shared = {name: value for name, value in self.get_params(deep=False).items() if name in names}
        return clone(MaximumMargin(**{**shared, **changes}))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose C, and learn from rows and labels.

        Parameters
        ----------
        X, y, sample_weight
            As for `MaximumMargin`.

        Returns
        -------
        self
        """
        check_parameters(self)
        self.__dict__.pop("coef_", None)
        self.Cs_ = self._values_of_C()
        with interrupts(None if self.max_seconds is None else PART * self.max_seconds):
            self.scores_ = self._compare(X, y, sample_weight)
        mean = self.scores_.mean(axis=0)  # NaN of those that are out
        if np.isnan(mean).all():
            warn_user("MaximumMarginCV: no C was learned in all folds, so C_ is the smallest. Raise max_seconds.")
        best = int(np.argmax(np.nan_to_num(mean, nan=-np.inf) >= np.nanmax(mean, initial=-np.inf) - CLOSE))
        self.C_, self.best_score_ = float(self.Cs_[best]), float(mean[best])
        return super().fit(X, y, sample_weight) if self.refit else self

    def _updates(self, X: Any, y: Any, sample_weight: Any, most: int, bounds: bool) -> Any:
        raise ValueError("trace: MaximumMarginCV learns many rules; trace MaximumMargin(C=rule.C_), the chosen one.")

    def _values_of_C(self) -> np.ndarray:
        if isinstance(self.Cs, Integral):
            return np.logspace(*RANGE, int(self.Cs))
        values = np.unique(np.asarray(self.Cs, dtype=np.float64).ravel())
        if not values.size or not np.isfinite(values).all() or values[0] <= 0:
            raise ValueError(f"Cs: expected positive numbers, got {self.Cs!r:.80}.")
        return values

    def _folds(self, X: Any, y: np.ndarray, weight: np.ndarray) -> list[Fold]:
        """The splits; rows of weight 0 are in none."""
        there = np.flatnonzero(weight > 0)
        there = there if self.cv is None or isinstance(self.cv, Integral) else np.arange(weight.size)
        splitter = check_cv(self.cv, y[there], classifier=True)
        folds = []
        for k, (train, test) in enumerate(splitter.split(X if there.size == weight.size else X[there], y[there])):
            part = np.zeros(weight.size)
            part[there[train]] = weight[there[train]]
            lost = np.setdiff1d(y[weight > 0], y[part > 0])
            if lost.size:
                name = lost.tolist()[0]
                raise ValueError(f"cv: fold {k} leaves no row of class {name!r} to learn from: expected fewer folds.")
            folds.append(Fold(part, there[test][weight[there[test]] > 0]))
        return folds

    def _compare(self, X: Any, y: Any, sample_weight: Any) -> np.ndarray:
        """The scores of all values of C in all folds; NaN where they do not matter."""
        X, y = check_input(self, X, y, reset=True)
        check_classification_targets(y)
        given = check_sample_weight(sample_weight, X)
        weight = np.ones(y.size) if given is None else given
        folds = self._folds(X, y, weight)
        scorer = None if self.scoring is None else check_scoring(self, scoring=self.scoring)
        last = [self._like(tol=self.cv_tol, warm_start=True, n_jobs=None) for _ in folds]

        def learn(k: int, C: float) -> tuple[MaximumMargin, float]:
            rule, (part, test) = copy(last[k]), folds[k]
            with held_warnings():  # the certificate of the rule itself says what matters
                rule.set_params(C=C).fit(X, y, part)
            if scorer is not None:
                return rule, float(scorer(rule, X[test], y[test]))
            return rule, float(np.average(rule.predict(X[test]) == y[test], weights=weight[test]))

        for rule in last:
            rule._most = PASSES
        scores, best = np.full((len(folds), self.Cs_.size), np.nan), -np.inf
        threads = min(effective_n_jobs(self.n_jobs), len(folds))
        for j, C in enumerate(self.Cs_.tolist()):
            done: list[float] = []
            for begin in range(0, len(folds), threads):
                ahead = range(begin, min(begin + threads, len(folds)))
                found = side_by_side([partial(learn, k, C) for k in ahead], threads)
                if is_spent():
                    return scores
                for k, (rule, score) in zip(ahead, found, strict=True):  # as if they had come one by one
                    if scorer is None and sum(done) + len(folds) - len(done) < best - CLOSE:
                        break
                    done.append(score)
                    last[k] = rule
                if len(done) <= ahead[-1]:
                    break
            scores[: len(done), j] = done
            best = max(best, sum(done)) if len(done) == len(folds) else best
        return scores
