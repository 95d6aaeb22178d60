"""Many classes by two-class rules: one versus all (D2), and one versus one with votes (D3).

Both leave regions in which the members contradict each other; `votes` and `ambiguous` show them.
"""

# long because: two committees that share all but their questions
from __future__ import annotations

import math
from copy import deepcopy
from functools import partial
from itertools import combinations
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ..certificates.base import Certificate, Status, Verdict
from ..certificates.margin import MarginCertificate
from ..interrupt import INTERRUPT, is_spent, side_by_side, why_ended
from ..model_file import Saved
from ..polynomial_function import PolynomialFunction, write_polynomials
from ..proof_file import Member, save_committee_proof
from ._datasets import RowClassifier, takes_dataset
from ._fitted import refuse_changed, remember_parameters
from ._lazy import row_by_row
from ._linear import LinearClassifier
from ._parameters import SHARED
from ._parted import Parted
from ._validation import (
    all_or_nothing,
    check_input,
    check_parameters,
    check_sample_weight,
    finite_scores,
    fit_inner,
    held_warnings,
    require_known_labels,
    warn_user,
)


class Absent:
    """The place of a member that there was no time to learn: it says nothing, and the others decide."""

    n_iter_ = 0

    def __init__(self, width: int, size: int):
        self.coef_, self.intercept_ = np.zeros((1, width)), np.zeros(1)
        self.certificate_ = MarginCertificate(
            status=Status.INTERRUPTED, lower=-math.inf, upper=math.inf, size=size, violated=size, reason=why_ended(),
            w=np.zeros(width + 1), classes=(0, 1), bias="free",
        )  # fmt: skip

    def decision_function(self, X) -> np.ndarray:
        """No number is a score."""
        return np.full(X.shape[0], np.nan)

    def check(self, X, y, sample_weight=None) -> Verdict:
        """Nothing is claimed but the number of rows."""
        return self.certificate_.check(X, y, sample_weight)


class Committee(Saved, MetaEstimatorMixin, RowClassifier, BaseEstimator):
    """Two-class rules, each for a question about the classes, that decide together."""

    estimators_: list[Any]
    classes_: np.ndarray
    _before: list[Any]  # members whose weights those of a soft margin begin from

    _parameter_constraints: dict = {"n_jobs": SHARED["n_jobs"].constraint}

    def __init__(self, estimator: Any, *, n_jobs: int | None = None) -> None:
        self.estimator, self.n_jobs = estimator, n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        member = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = member.sparse, member.allow_nan
        return tags

    def _check_rows(self, X, *y, **options):
        """X, or X and y, checked; members that take missing values get them."""
        if is_regressor(self.estimator):
            raise ValueError(f"estimator: expected a classifier, got the regressor {type(self.estimator).__name__}.")
        return check_input(self, X, *y, finite=not get_tags(self.estimator).input_tags.allow_nan, **options)

    def _questions(self) -> list[tuple[Any, Any]]:
        """What each member is asked: the classes of its negative and of its positive side, as numbers."""
        raise NotImplementedError

    def _rows(self, question, label: np.ndarray) -> tuple[np.ndarray | slice, np.ndarray]:
        """The rows that a question is about, and whether each is on its positive side."""
        raise NotImplementedError

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn every member from rows ``X`` and labels ``y``."""
        check_parameters(self)
        X, y = self._check_rows(X, y, reset=True)
        check_classification_targets(y)
        self.classes_, label = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"Expected two classes or more, got one class only: {self.classes_.tolist()[0]!r}.")
        self.estimators_ = self._learn(X, label, check_sample_weight(sample_weight, X))
        if all(hasattr(member, "support_") for member in self.estimators_):
            self._find_support(X, label)
        self._learned_with = remember_parameters(self)
        return self

    def _checks_parts(self) -> bool:
        """Whether ``check`` takes rows that are elsewhere."""
        return self._learns_from_parts() and all(member._checks_parts() for member in self.estimators_)

    def _learns_from_parts(self) -> bool:
        """Whether ``fit`` does."""
        return False

    def _find_support(self, X, label: np.ndarray) -> None:
        """The rows that support any member, and these rows."""
        found = np.zeros(label.size, dtype=bool)
        for member, question in zip(self.estimators_, self._questions(), strict=True):
            found[np.arange(label.size)[self._rows(question, label)[0]][member.support_]] = True
        self.support_ = np.flatnonzero(found)
        if not isinstance(X, Parted):
            self.support_vectors_ = X[self.support_]
        self.n_support_ = np.bincount(label[self.support_], minlength=len(self.classes_))

    def _learn(self, X, label: np.ndarray, weight: np.ndarray | None) -> list[Any]:
        """The members; those that Ctrl-C prevents, or the end of a budget of time, are absent."""
        questions, before = self._questions(), self.__dict__.pop("_before", [])

        def learn(k: int) -> tuple[Any, list[str]]:
            member, fitted = clone(self.estimator), False
            if isinstance(member, LinearClassifier):
                member._members = len(questions)
            if k < len(before) and hasattr(before[k], "_alpha"):
                member._alpha = before[k]._alpha
            data, options = self._ask(questions[k], X, label, weight)
            if isinstance(X, Parted):
                data = X.asked(self.classes_, questions[k][1], weight), data[1]
            with held_warnings() as messages:
                if k == 0 or not is_spent():
                    fitted = fit_inner(member.fit, *data, **options)
            size = int(np.count_nonzero(options.get("sample_weight", np.ones(data[1].size))))
            return member if fitted else Absent(X.shape[1], size), messages

        threads = min(effective_n_jobs(self.n_jobs), len(questions))
        found = side_by_side([partial(learn, k) for k in range(len(questions))], threads)
        for message in dict.fromkeys(message for _, messages in found for message in messages):
            warn_user(message)
        members = [member for member, _ in found]
        if all(isinstance(member, Absent) for member in members):
            raise KeyboardInterrupt
        return members

    @available_if(lambda self: hasattr(self.estimator, "partial_fit"))
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Every member goes on with more rows; the first call needs all ``classes``, and later ones its parameters."""
        first = not hasattr(self, "estimators_")
        if not first:
            refuse_changed(self, self._learned_with)
        self._learned_with = remember_parameters(self)
        if first and classes is None:
            raise ValueError("classes: the first call of partial_fit needs all labels, partial_fit(X, y, [a, b, ...]).")
        X, y = self._check_rows(X, y, reset=first)
        known = np.unique(classes) if first else self.classes_
        if classes is not None and not np.array_equal(np.unique(classes), known):
            raise ValueError(f"classes: expected {known.tolist()} as in the first call, got {list(classes)}.")
        require_known_labels(y, known)
        self.classes_ = known
        members = [clone(self.estimator) for _ in self._questions()] if first else deepcopy(self.estimators_)
        label, weight = np.searchsorted(known, y), check_sample_weight(sample_weight, X)
        for member, question in zip(members, self._questions(), strict=True):
            data, options = self._ask(question, X, label, weight)
            if data[1].size:
                fit_inner(member.partial_fit, *data, classes=[0, 1], **options)
            elif not hasattr(member, "classes_"):
                pair = self.classes_[list(question)].tolist()
                raise ValueError(f"partial_fit: the first part has no row of the classes {pair}.")
            if INTERRUPT.pressed:
                raise KeyboardInterrupt  # a part is learned by all members, or by none
        self.estimators_ = members
        return self

    def _ask(self, question, X, label, weight) -> tuple[tuple[Any, np.ndarray], dict[str, np.ndarray]]:
        """The rows and labels of a question, and their weights, if there are any."""
        rows, positive = self._rows(question, label)
        X = X if isinstance(rows, slice) else X[rows]  # SciPy would copy all rows of a slice
        return (X, positive.astype(np.int64)), {} if weight is None else {"sample_weight": weight[rows]}

    @property
    def n_classes_(self) -> int:
        """How many classes there are."""
        return len(self.classes_)

    @property
    def n_iter_(self) -> int:
        """Passes made by the member that made the most."""
        return max(int(np.max(member.n_iter_)) for member in self.estimators_)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the members, a row each."""
        return np.vstack([member.coef_ for member in self.estimators_])

    @property
    def intercept_(self) -> np.ndarray:
        """Their biases."""
        return np.concatenate([np.atleast_1d(member.intercept_) for member in self.estimators_])

    @property
    def certificates_(self) -> tuple[Certificate, ...]:
        """What the members know for sure, each of its own question (1: the positive side)."""
        return tuple(member.certificate_ for member in self.estimators_)

    @property
    def certificate_(self) -> Certificate:
        """There is none: `certificates_` has one per member, and `check` checks them all."""
        name = type(self).__name__
        raise AttributeError(f"{name} has no certificate_ but certificates_, one per member; check(X, y) checks all.")

    @takes_dataset
    def check(self, X, y, sample_weight=None) -> Verdict:
        """Check the certificates of all members, each against its own question; members need a ``check``.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.
        """
        check_is_fitted(self)
        X, y = self._check_rows(X, y)
        require_known_labels(y, self.classes_)
        label, weight = np.searchsorted(self.classes_, y), check_sample_weight(sample_weight, X)
        found = []
        for member, question in zip(self.estimators_, self._questions(), strict=True):
            data, options = self._ask(question, X, label, weight)
            found.append(member.check(*data, **options))
        failures = tuple(f"member {k}: {failure}" for k, each in enumerate(found) for failure in each.failures)
        lower, upper = (np.array([getattr(each, name) for each in found]) for name in ("lower", "upper"))
        return Verdict(failures, float(lower.min()), float(upper.min()), "least margin of the members")

    def save_proof(self, path, X, y, sample_weight=None, *, data=None, verifier: bool = False) -> None:
        """Write the certificates of all members as one proof file, as `Perceptron.save_proof` does: docs/proofs.md.

        Parameters
        ----------
        path, X, y, sample_weight, data, verifier
            As there.
        """
        verdict = self.check(X, y, sample_weight)
        if not verdict:
            raise ValueError(f"proof: {verdict}")
        X, y = self._check_rows(X, y)
        label, weight, members = np.searchsorted(self.classes_, y), check_sample_weight(sample_weight, X), []
        for k, (member, question) in enumerate(zip(self.estimators_, self._questions(), strict=True)):
            if getattr(member, "class_weight", None) is not None:
                raise ValueError("proof: expected members without class_weight: a proof file has one weight per row.")
            rows, positive = self._rows(question, label)
            numbers = (
                [k for k in range(len(self.classes_)) if k != question[1]] if question[0] is None else question[:1]
            )
            sides = self.classes_[list(numbers)].tolist(), self.classes_[[question[1]]].tolist()
            members.append(Member(self.certificates_[k], rows, positive, sides))
        names = getattr(self, "feature_names_in_", None)
        save_committee_proof(path, members, X, y, weight, features=names, data=data, verifier=verifier)

    def _scores(self, X) -> np.ndarray:
        """One column a member, positive on its positive side."""
        check_is_fitted(self)
        if all(map(_linear, self.estimators_)):
            return finite_scores(self, X, self._member_scores)
        return self._member_scores(self._check_rows(X))  # others might take a NaN for a number

    def _member_scores(self, X) -> np.ndarray:
        """The scores of all members for checked rows."""
        if all(map(_linear, self.estimators_)) and (not isinstance(X, np.ndarray) or X.dtype == np.float64):
            return np.asarray(X @ self.coef_.T) + self.intercept_  # one product for all members
        return np.column_stack([_confidence(member, X) for member in self.estimators_])

    @row_by_row
    def votes(self, X) -> np.ndarray:
        """How many members are for each class, a row for each row of X and a column a class."""
        return self._count(self._scores(X))

    def _count(self, scores: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    @row_by_row
    def predict(self, X) -> np.ndarray:
        """The class of x; where the members don't agree on one, the most confident ones decide."""
        check_is_fitted(self)
        g = self.decision_function(X)
        return self.classes_[g.argmax(axis=1) if g.ndim == 2 else (g > 0).astype(int)]

    @row_by_row
    def decision_function(self, X) -> np.ndarray:
        """One column a class, the largest wins; for two classes one number, positive for ``classes_[1]``."""
        return self._decide(self._scores(X))

    def _decide(self, scores: np.ndarray) -> np.ndarray:
        """What the scores of the members amount to."""
        raise NotImplementedError

    def as_polynomial(self, lift=None) -> PolynomialFunction | tuple[PolynomialFunction, ...]:
        """The g of each class written out, as of any estimator here; one versus one has none."""
        check_is_fitted(self)
        return write_polynomials(self, lift)


class OneVsAll(Committee):
    """One versus all (D2): member k tells class k from all others; the largest score decides.

    Where not exactly one member claims x, x is `ambiguous`.

    Parameters
    ----------
    estimator : classifier
        A two-class rule with ``decision_function`` or ``predict_proba``, from here or from scikit-learn.
    n_jobs : int or None, default=None
        How many threads learn members side by side; -1: one per core. What is learned is the same.

    Attributes
    ----------
    estimators_ : list of classifiers
        One per class; to member k the rows of class k are 1, all others 0.
    certificates_ : tuple of Certificate
        One per member.
    n_classes_ : int
        Number of classes.
    support_ : array of int
        The rows that support any member, if members have some.
    support_vectors_ : array or sparse matrix
        These rows; not of rows in parts, which stay where they are.
    n_support_ : array of int
        How many of them are of each class.
    coef_, intercept_, classes_, n_iter_
        As for `Perceptron`: one row of ``coef_`` per member; the most passes of a member.

    Examples
    --------
    >>> from linsep import OneVsAll, Perceptron
    >>> X, y = [[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]], ["a", "b", "c"]
    >>> rule = OneVsAll(Perceptron()).fit(X, y)
    >>> rule.predict(X).tolist(), rule.votes(X).tolist()
    (['a', 'b', 'c'], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> rule.ambiguous([[2.0, 1.0]])  # nobody's, or claimed twice
    array([ True])
    """

    def _learns_from_parts(self) -> bool:
        return getattr(self.estimator, "_learns_from_parts", bool)()

    def _questions(self):
        last = len(self.classes_)
        return [(0, 1)] if last == 2 else [(None, k) for k in range(last)]

    def _rows(self, question, label):
        return slice(None), label == question[1]

    def _count(self, scores):
        claims = (scores > 0).astype(np.int64)
        return np.column_stack([1 - claims, claims]) if len(self.classes_) == 2 else claims

    def ambiguous(self, X) -> np.ndarray:
        """Whether no class claims x, or more than one."""
        return self.votes(X).sum(axis=1) != 1

    def _decide(self, scores):
        """The scores themselves, a column a class; 0 of an absent member: its class is what no other one claims."""
        return scores[:, 0] if scores.shape[1] == 1 else np.where(np.isnan(scores), 0.0, scores)


class OneVsOne(Committee):
    """One versus one (D3): a member for every pair of classes, each with one vote; most votes win.

    Where the most votes are shared, x is `ambiguous`, and the sum of the scores decides.

    Parameters
    ----------
    estimator : classifier
        A two-class rule with ``decision_function`` or ``predict_proba``, from here or from scikit-learn.
    n_jobs : int or None, default=None
        How many threads learn members side by side; -1: one per core. What is learned is the same.

    Attributes
    ----------
    pairs_ : list of pairs of int
        The classes of each member: (0, 1), (0, 2), ..., (1, 2), ...; the second one is the positive side.
    estimators_, certificates_, n_classes_, support_, support_vectors_, n_support_, coef_, intercept_, classes_, n_iter_
        As for `OneVsAll`: one entry per pair.

    Examples
    --------
    >>> from linsep import OneVsOne, Perceptron
    >>> X, y = [[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]], ["a", "b", "c"]
    >>> rule = OneVsOne(Perceptron()).fit(X, y)
    >>> rule.votes(X).tolist()
    [[2, 1, 0], [0, 2, 1], [0, 1, 2]]
    """

    @property
    def pairs_(self) -> list[tuple[int, int]]:
        """The classes of each member, as numbers."""
        return list(combinations(range(len(self.classes_)), 2))

    def _questions(self):
        return self.pairs_

    def _rows(self, question, label):
        rows = np.flatnonzero(np.isin(label, question))
        return rows, label[rows] == question[1]

    def _count(self, scores):
        votes = np.zeros((len(scores), len(self.classes_)), dtype=np.int64)
        for (p, q), g in zip(self.pairs_, scores.T, strict=True):
            votes[:, p] += g <= 0
            votes[:, q] += g > 0
        return votes

    def ambiguous(self, X) -> np.ndarray:
        """Whether two classes or more share the most votes."""
        votes = self.votes(X)
        return np.sum(votes == votes.max(axis=1, keepdims=True), axis=1) > 1

    def _decide(self, scores):
        """Votes, and a part below 1/3 for the sum of the scores, which so decides between equal votes only."""
        if len(self.classes_) == 2:
            return scores[:, 0]
        sums = np.zeros((len(scores), len(self.classes_)))
        for (p, q), g in zip(self.pairs_, np.where(np.isnan(scores), 0.0, scores).T, strict=True):
            sums[:, p] -= g
            sums[:, q] += g
        return self._count(scores) + sums / (3.0 * (np.abs(sums) + 1.0))


def _linear(member) -> bool:
    """Whether the member's score is <w,x> + w0 with its ``coef_``: ours, and scikit-learn's linear models."""
    names = {kind.__name__ for kind in type(member).__mro__}  # importing sklearn.linear_model would take a while
    return isinstance(member, LinearClassifier) or "LinearClassifierMixin" in names


def _confidence(member, X) -> np.ndarray:
    """The member's score of each row, positive on its positive side."""
    if hasattr(member, "decision_function"):
        return np.ravel(member.decision_function(X))
    return member.predict_proba(X)[:, 1] - 0.5
