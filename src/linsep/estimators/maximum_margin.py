"""The optimal separating hyperplane, exactly (C10), and with a soft margin (C12)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from copy import copy
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..certificates.base import Verdict
from ..certificates.prove.margin import Outcome, prove_margin
from ..certificates.prove.objective import SoftMarginProblem, prove_objective
from ..loop.stop import HIDDEN, Rounds
from ..loop.trace import Update, collect_updates, retold
from ..oracles import Classes
from ..rows.bias import place_bias
from ..rows.matrix import Rows, VectorMatrix, length
from ..solvers.least_squares import least_squares
from ..solvers.machine_margin import machine_margin
from ..solvers.nearest_point import WIDE
from ..solvers.separability import decide_separability, find_coinciding
from ..solvers.soft_margin import soft_margin
from ..targets import EpsOptimal
from ._datasets import takes_dataset
from ._hard_margin import compromise, find_nearest_point, needs_compromise, prove_shortest
from ._lazy import row_by_row
from ._linear import LinearClassifier, has_unlike_columns
from ._oracles import in_classes, two_classes
from ._parameters import shared_parameters
from ._parted import Parted
from ._scale import NEAR, SAFE, require_costs
from ._types import ClassWeight
from ._validation import (
    POSITIVE,
    Interval,
    Options,
    Sample,
    StrOptions,
    all_or_nothing,
    check_input,
    check_parameters,
    print_record,
    require_known_labels,
    set_parameters,
)
from .one_vs import Committee, OneVsAll, OneVsOne

MACHINE_TOL = 1e-2  # of a linear machine of soft margin: less changes no held-out accuracy
WIDEST = 1000  # columns up to which a proof of inseparability is tried
OF_OTHER_FITS = "committee_", "certificates_", "certificate_", "history_", "margin_", "support_vectors_"
COMMITTEES = {"one-vs-all": OneVsAll, "one-vs-one": OneVsOne}


@shared_parameters
class MaximumMargin(LinearClassifier):
    r"""The hyperplane of largest margin, hard or soft.

    Hard (``C=inf``): w is the point of least norm in the convex hull of the vectors,

    .. math:: w = \arg\min_{w \in conv\{a_i\}} |w|, \qquad
              \min_i \langle w,a_i\rangle/|w| \;\le\; m \;\le\; |w| ,

    by Wolfe's algorithm on the lowest rows, with a pass over all data in between; both bounds meet to a relative
    ``tol``. Where there are more than 2,000 columns, by dual coordinate ascent without limits. On data that are not
    separable the two hulls meet, and the point where they do is the proof; w is then that of least squares (of many
    columns: of a soft margin with :math:`C = 1 / \overline{|x|^2}`), and a warning says that C is needed. Of more
    than two classes it is the linear machine of largest margin.

    Soft (a number for ``C``): w pays for its margin with some errors,

    .. math:: \min_w P(w) = \tfrac12 |w|^2 + \sum_i C_i\, \ell(1 - \langle w,a_i\rangle), \qquad
              P(w) \ge \min P \ge D(\alpha) ,

    by dual coordinate ascent and Newton steps; the certificate is the gap between P(w) and D. Of more than two classes
    it is the linear machine of Crammer and Singer, with :math:`\min_{k \ne y_i} \langle w_{y_i} - w_k, (x_i, 1)\rangle`
    in the place of :math:`\langle w,a_i\rangle`, or a committee of two-class rules.

    Parameters
    ----------
    C : float, default=inf
        What an error costs; inf: none is allowed.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Of a soft margin.
    least_score : float or None, default=None
        Hard: a number b; w is then the shortest with <w,a> >= b for every a (S3's example 2): none is shorter than
        ``b / certificate_.upper``, as the certificate says. None: w is the nearest point.
    tol : float or "auto", default="auto"
        How far apart the two bounds may be, relative to the upper one; "auto": 1e-9 of the hard margin, 1e-4 of the
        soft one's cost, 1e-2 of that of a linear machine.
    method : {"auto", "ascent", "newton"}, default="auto"
        How a soft margin is found: dual coordinate ascent, Newton steps, or one after the other. A linear machine is
        found by ascent, dask collections by Newton steps; there "auto" is that, and the other is refused.
    visits : {"random", "cyclic"}, default="random"
        In which order the ascent visits the rows.
    max_iter : int or "auto", default="auto"
        Budget of passes over all data ("auto": 1000, or 20,000 of ascent), or, soft, of passes and Newton steps
        ("auto": 10,000, and 5 seconds of work).
    class_weight : dict, "balanced" or None, default=None
        Soft: C is multiplied by it. Hard: only a weight of 0 matters, which leaves rows out.
    warm_start : bool, default=False
        Soft: begin from the weights of the last fit, on the same rows, say with another C.
    multi_class : {"auto", "machine", "one-vs-all", "one-vs-one"}, default="auto"
        More than two classes: one linear machine, whose biases are always in the norm, or a committee of rules. "auto":
        the machine; a soft margin one-vs-all if columns are of very different sizes, where ascent to a machine is slow.

    Attributes
    ----------
    margin_ : float
        The margin of the hyperplane (hard: its lower bound, if it is not exact; soft: 1/|w|).
    support_ : array of int
        The rows that decide.
    support_vectors_ : array or sparse matrix
        These rows of X; not of a soft margin of rows in parts, which stay where they are.
    n_support_ : array of int
        How many of them each class has.
    dual_coef_ : array of shape (1, n_support), (n_classes, n_support) or (n_members, n_support)
        Their weights in w, with the sign of their class: ``dual_coef_ @ support_vectors_`` is ``coef_``.
    certificate_ : MarginCertificate (hard) or ObjectiveCertificate (soft)
        What is proved about w.
    history_ : list of dict
        Soft: both bounds on the way.
    committee_ : OneVsAll or OneVsOne
        Of a committee: the rules that decide together.
    certificates_ : tuple of Certificate
        Of a committee: one per member of ``committee_``, in place of ``certificate_``.
    coef_, intercept_, classes_, n_iter_
        As for `Perceptron`.

    Examples
    --------
    >>> from linsep import MaximumMargin
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0]], [0, 0, 1, 1]
    >>> rule = MaximumMargin().fit(X, y)
    >>> rule.certificate_.status, round(rule.margin_, 9), rule.support_.tolist()
    ('optimal', 1.58113883, [1, 2])
    >>> soft = MaximumMargin(C=0.1, tol=1e-9).fit(X, y)
    >>> soft.certificate_.status, round(soft.certificate_.upper, 6), round(soft.certificate_.lower, 6)
    ('optimal', 0.156923, 0.156923)
    """

    _most = 10_000  # passes and Newton steps of a soft margin with max_iter="auto"
    _way = "machine"  # to learn many classes: what "auto" chose
    _parameter_constraints: dict = {
        "C": [POSITIVE, Options(Real, {math.inf})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "least_score": [None, POSITIVE],
        "tol": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="neither")],
        "method": [StrOptions({"auto", "ascent", "newton"})],
        "visits": [StrOptions({"random", "cyclic"})],
        "multi_class": [StrOptions({"auto", "machine", *COMMITTEES})],
    }

    def __init__(
        self, C: float = math.inf, *, loss: str = "hinge", bias: str = "free", fit_intercept: bool = True, tol: float |
        str = "auto", method: str = "auto", visits: str = "random", max_iter: int | str = "auto", max_seconds: float |
        None = None, class_weight: ClassWeight | None = None, warm_start: bool = False, random_state: Any = 0, verbose:
        int = 0, multi_class: str = "auto", least_score: float | None = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def _bias_of_rows(self) -> str:
        if not self.fit_intercept:
            return "none"
        return "augmented" if self._machine() else self.bias

    def _learns_from_parts(self) -> bool:
        return True

    def _safe(self) -> int:
        return SAFE if math.isinf(self.C) else NEAR

    def _advice_if_inseparable(self) -> str:
        return "For a margin that may cost errors use MaximumMarginCV(), or give C." if math.isinf(self.C) else ""

    def _advice(self) -> str:
        return "Scale or centre the columns, lower C, or raise max_iter or tol."

    def _machine(self) -> bool:
        return len(self.classes_) > 2 and self._way == "machine"

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and labels.

        Parameters
        ----------
        X, y
            As for `Perceptron`.
        sample_weight : array of n numbers, default=None
            Soft: C is multiplied by them. A weight of 0 leaves a row out.

        Returns
        -------
        self
        """
        sample = self._checked_sample(X, y, sample_weight)
        before = getattr(self, "committee_", None) if self.warm_start else None
        for name in OF_OTHER_FITS:
            self.__dict__.pop(name, None)
        committee = len(self.classes_) > 2 and not sample.n_classes
        weights = self._fit_committee(sample, before) if committee else self._learn(sample)
        self.support_ = np.flatnonzero(weights.any(axis=1))
        if not (isinstance(sample.X, Parted) and math.isfinite(self.C)):  # those of a soft margin are many
            self.support_vectors_ = sample.scale.rows(sample.X[self.support_], back=True)
        self.n_support_ = np.bincount(sample.label[self.support_], minlength=len(self.classes_))
        self.dual_coef_ = weights[self.support_].T
        if not hasattr(self, "committee_"):  # whose members have warned
            self._warn()
        return self

    def _checked_sample(self, X: Any, y: Any, sample_weight: Any) -> Sample:
        """Check the parameters and the data, and choose how many classes are learned."""
        check_parameters(self)
        if self.least_score is not None and math.isfinite(self.C):
            raise ValueError(f"least_score: expected None with a soft margin (C={self.C:g}), whose scores are about 1.")
        self._way = self.multi_class if self.multi_class != "auto" else "machine"
        sample = self._sample(X, y, sample_weight)
        if self.multi_class == "auto" and sample.n_classes and math.isfinite(self.C) and has_unlike_columns(sample):
            self._way = "one-vs-all"
            return self._sample(X, y, sample_weight)
        return sample

    def _updates(self, X: Any, y: Any, sample_weight: Any, most: int, bounds: bool) -> Iterator[Update]:
        """Every step of a fit, for `trace`: nearest points of more and more rows; soft: passes and Newton steps."""
        sample = self._checked_sample(X, y, sample_weight)
        if len(self.classes_) > 2 and not sample.n_classes:
            raise ValueError("trace: a committee has a w for each member: trace two classes, or multi_class='machine'.")
        return self._shown(collect_updates(lambda: self._learn(sample), most), most, sample, bounds)

    def _learn(self, sample: Sample) -> np.ndarray:
        """Learn one w, or one linear machine; returns how much of each row is in it."""
        if math.isfinite(self.C):
            return self._fit_soft(sample)
        return self._fit_machine(sample) if sample.n_classes else self._fit_hard(sample)

    @takes_dataset
    def path(self, X, y, Cs: Iterable[float], sample_weight=None) -> list[MaximumMargin]:
        """One fitted rule for each C, each begun from the one before: from small to large C that is quick.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.
        Cs : iterable of float
            What an error costs.
        """
        rules: list[MaximumMargin] = []
        for C in Cs:
            rule = copy(rules[-1]) if rules else self._like(warm_start=True)
            rules.append(rule.set_params(C=C).fit(X, y, sample_weight))
        return rules

    def _like(self, **changes: Any) -> MaximumMargin:
        """A rule with these parameters, but for changes, not fitted."""
        return clone(self).set_params(**changes)

    # --- hard margin -------------------------------------------------------------------------------------------------

    def _asked_for(self, bias: str) -> tuple[float, Rounds, Outcome]:
        """How near the bounds of a hard margin must be, the budget, and what the certificate is about."""
        tol = 1e-9 if self.tol == "auto" else self.tol
        most = self.max_iter if self.max_iter != "auto" else 20_000 if self.n_features_in_ > WIDE else 1000
        rounds = Rounds(most, self.max_seconds, verbose=self.verbose)
        return tol, rounds, Outcome(EpsOptimal(0.0, tol), bias, 0, HIDDEN, exact=True, widest=WIDEST)

    def _fit_hard(self, sample: Sample) -> np.ndarray:
        """Learn a hard margin; returns the convex weights of the rows, with the sign of their class."""
        bias = self._bias_of_rows()
        tol, rounds, outcome = self._asked_for(bias)
        parts: list[Rows] = two_classes(sample, self.classes_, bias=float(self.fit_intercept))
        if find_coinciding(parts).size:  # the usual reason why real data are not separable, and seen at once
            certificate, passes = decide_separability(parts, outcome), 1
        else:
            found = find_nearest_point(parts, bias, tol, rounds)
            w, passes = place_bias(parts, found.w) if bias == "free" else found.w, found.passes
            outcome = outcome._replace(updates=passes, reason=rounds.reason or outcome.reason)
            certificate = prove_margin(parts, w, found.dual_weights, outcome)
        if certificate.separable is None and not rounds.reason:  # rounding, or columns of very different sizes, hide it
            with retold():
                certificate = decide_separability(parts, outcome, self.max_seconds)
        w, dual_weights = certificate.w, np.zeros(sample.sign.size)
        dual_weights[certificate.rows] = certificate.weights
        if needs_compromise(certificate, parts[0].size):
            w, outcome = compromise(parts, bias, self.max_seconds), outcome._replace(reason=certificate.reason)
            certificate = prove_margin(parts, w, dual_weights, outcome, certificate.integers)
        if certificate.separates and self.least_score is not None:
            certificate = prove_shortest(parts, certificate, dual_weights, outcome, self.least_score)
            dual_weights = dual_weights * (length(certificate.w) / length(w))
        self._publish(certificate)
        self.n_iter_, self.margin_ = passes, self.certificate_.lower
        return (dual_weights * sample.sign)[:, None]

    def _fit_machine(self, sample: Sample) -> np.ndarray:
        """Learn a linear machine of hard margin; returns how much of each row is in the weights of each class."""
        tol, rounds, outcome = self._asked_for(self._bias_of_rows())
        part: Classes = two_classes(sample, self.classes_, bias=float(self.fit_intercept))[0]
        certificate = machine_margin(part, tol, rounds, outcome)
        W, one_hot, passes = certificate.w, np.eye(sample.n_classes)[sample.label], certificate.updates
        share = np.zeros((sample.sign.size, sample.n_classes))
        share[certificate.rows, certificate.rivals] = certificate.weights
        if share.any():  # they make W
            share *= (length(W.ravel()) / certificate.upper if certificate.separates else 1.0) / share.sum()
        if needs_compromise(certificate, part.rows.size):
            W = least_squares(VectorMatrix(part.rows), one_hot)
            outcome = outcome._replace(updates=passes, reason=certificate.reason)
            certificate = prove_margin([part], part.as_vector(W), share.ravel(), outcome, certificate.integers)
        if certificate.separates and self.least_score is not None:
            certificate = prove_shortest([part], certificate, share.ravel(), outcome, self.least_score)
            share = share * (length(certificate.w.ravel()) / length(W.ravel()))
        self._publish(certificate)
        self.n_iter_, self.margin_ = passes, self.certificate_.lower
        return in_classes(share, sample.label)

    # --- soft margin -------------------------------------------------------------------------------------------------

    def _fit_soft(self, sample: Sample) -> np.ndarray:
        """Learn a soft margin; returns how much of each row is in w, or in the weights of each class."""
        if (machine := sample.n_classes > 0) and self.method == "newton":
            raise ValueError("method: expected 'auto' or 'ascent' for a linear machine, got 'newton'.")
        if self.method == "ascent" and isinstance(sample.X, Parted):
            raise ValueError("method: expected 'auto' or 'newton' for rows in parts, got 'ascent'.")
        tol = (MACHINE_TOL if machine else 1e-4) if self.tol == "auto" else self.tol
        cost = sample.scale.times_square(self.C, "C")  # in the units of the scaled rows
        C = cost * (np.ones(sample.sign.size) if sample.weight is None else sample.weight)
        require_costs(C)
        parts = two_classes(sample, self.classes_, bias=float(self.fit_intercept))
        problem = SoftMarginProblem(parts, C, squared=self.loss == "squared_hinge", bias=self._bias_of_rows())
        most = self._most if self.max_iter == "auto" else self.max_iter
        rounds = Rounds(most, self.max_seconds, self._auto_seconds())
        before = getattr(self, "_alpha", None) if self.warm_start else None
        if before is not None and before.size != C.size * problem.slots:
            rows = before.size // problem.slots
            raise ValueError(f"warm_start: expected {rows} rows as in the last fit, got {C.size}.")
        self.history_: list[dict[str, float]] = []
        found = soft_margin(
            problem, tol, rounds, method=self.method, visits=self.visits,
            alpha=None if before is None else sample.scale.alpha(before),
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            watch=lambda record: self.history_.append(print_record(self.verbose, sample.scale.costs(record))),
        )  # fmt: skip
        alpha = found.alpha
        certificate = prove_objective(
            problem, found.w, alpha, C=cost, tol=tol, passes=found.passes, reason=rounds.reason or HIDDEN
        )
        self._publish(certificate)
        self._alpha = sample.scale.alpha(alpha, back=True)
        self.n_iter_ = found.passes
        norm = math.hypot(*map(length, self.coef_), *(self.intercept_ if machine else ()))
        self.margin_ = 1.0 / norm if norm > 0 else math.inf
        share = self._alpha.reshape(-1, problem.slots)
        return in_classes(share, sample.label) if machine else share * sample.sign[:, None]

    def _fit_committee(self, sample: Sample, before: Committee | None) -> np.ndarray:
        """Learn one rule per class, or per pair of classes; returns how much of each row is in each of them."""
        self.__dict__.pop("_alpha", None)
        member = self._like(C=self.C, class_weight=None, n_jobs=None)  # weights of the rows have those of classes
        committee = COMMITTEES[self._way](member, n_jobs=self.n_jobs)
        committee._before = [] if before is None else before.estimators_
        committee.fit(sample.scale.rows(sample.X, back=True), self.classes_[sample.label], sample.weight)
        self.committee_, self.certificates_ = committee, committee.certificates_
        self.coef_, self.intercept_ = committee.coef_, committee.intercept_
        self.n_iter_ = max(each.n_iter_ for each in committee.estimators_)
        weights = np.zeros((sample.label.size, len(committee.estimators_)))
        for k, (rule, question) in enumerate(zip(committee.estimators_, committee._questions(), strict=True)):
            rows = np.arange(sample.label.size)[committee._rows(question, sample.label)[0]]
            weights[rows[getattr(rule, "support_", [])], k] = getattr(rule, "dual_coef_", np.zeros((1, 0)))[0]
        return weights

    def _scores(self, X) -> np.ndarray:
        if hasattr(self, "committee_"):
            return self.committee_._decide(self.committee_._member_scores(X))
        return super()._scores(X)

    @takes_dataset
    def check(self, X, y, sample_weight=None) -> Verdict:
        """Compute every claim of the certificate, or of all of a committee's, again from the data.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.
        """
        if not hasattr(self, "committee_"):
            return super().check(X, y, sample_weight)
        X, y = check_input(self, X, y)
        require_known_labels(y, self.classes_)
        return self.committee_.check(X, y, self._weights(X, np.searchsorted(self.classes_, y), sample_weight, False))

    @row_by_row
    def distance(self, X) -> np.ndarray:
        """Signed distance g(x) / |w| from the hyperplane (B1); of many classes that from the border of x's region."""
        if hasattr(self, "committee_"):
            raise ValueError("distance: the regions of a committee are not convex; ask its members (committee_).")
        return super().distance(X)
