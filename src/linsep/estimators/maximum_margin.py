"""The optimal separating hyperplane, exactly (C10), and with a soft margin (C12)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions

from ..certificates.margin import BUDGET_SPENT, NOT_SEPARABLE, OPTIMAL
from ..certificates.objective import Objective
from ..certificates.prove.margin import Terms, certify, free_bias
from ..loop.stop import HIDDEN, Rounds
from ..oracles import classes, flat
from ..rows.matrix import Rows
from ..solvers.coordinate_ascent import square_rows
from ..solvers.duality import Problem
from ..solvers.least_squares import least_squares
from ..solvers.machine_margin import nearest_machine
from ..solvers.nearest_point import nearest_point
from ..solvers.separability import coinciding, decide
from ..solvers.soft_margin import soft_margin
from ..solvers.vectors import Vectors
from ..solvers.wide_nearest_point import wide_point
from ..targets import EpsOptimal
from ._base import BUDGETS, POSITIVE, Sample, all_or_nothing, rows, tell
from ._many import MANY, ManyClass

WIDEST = 1000  # columns up to which a proof of inseparability is tried
WIDE = 2000  # columns beyond which ascent is quicker than an active set
U = float(np.finfo(np.float64).eps)


class MaximumMargin(ManyClass):
    r"""The hyperplane of largest margin, hard or soft.

    Hard (``C=inf``): w is the point of least norm in the convex hull of the vectors,

    .. math:: w = \arg\min_{w \in conv\{a_i\}} |w|, \qquad
              \min_i \langle w,a_i\rangle/|w| \;\le\; m \;\le\; |w| ,

    by Wolfe's algorithm on the lowest rows, with a look at all data in between; both bounds meet to a relative
    ``tol``. Where there are more than 2,000 columns, dual coordinate ascent without limits does. On data that are not
    separable the two hulls meet, and the point where they do is the proof; w is then that of least squares (of many
    columns: of a soft margin with :math:`C = 1 / \overline{|x|^2}`), so that there is a decision at all.

    Soft (a number for ``C``): w pays for its margin with some errors,

    .. math:: \min_w P(w) = \tfrac12 |w|^2 + \sum_i C_i\, \ell(1 - \langle w,a_i\rangle), \qquad
              P(w) \ge \min P \ge D(\alpha) ,

    by dual coordinate ascent and Newton steps; the certificate is the gap between P(w) and D.

    Parameters
    ----------
    C : float, default=inf
        What an error costs; inf: none is allowed.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Of a soft margin.
    bias : {"free", "augmented"}, default="free"
        "free": the largest geometric margin. "augmented": the bias counts as a coordinate of w (as in LIBLINEAR).
        The linear machine of more classes is always "augmented", as its certificate says.
    tol : float or "auto", default="auto"
        How near the two bounds must be, relative; "auto": 1e-9 of the hard margin, 1e-4 of the soft one's cost.
    method : {"auto", "ascent", "newton"}, default="auto"
        How a soft margin is found: dual coordinate ascent, Newton steps, or one after the other.
    order : {"random", "cyclic"}, default="random"
        In which order the ascent visits the rows.
    max_passes : int or "auto", default="auto"
        Budget of looks at all data ("auto": 1000, or 20,000 of ascent), or, soft, of passes and Newton steps ("auto":
        10,000).
    max_seconds : float, optional
        A further budget.
    class_weight : dict, "balanced" or None
        Soft: C is multiplied by it. Hard: only a weight of 0 matters, which leaves rows out.
    warm_start : bool, default=False
        Soft, two classes: begin from the weights of the last fit, on the same rows, say with another C.
    random_state : int, RandomState or None, default=0
        Seed of the random order.
    verbose : int, default=0
        Soft: tell of both bounds on the way.
    multi_class : {"auto", "machine", "one-vs-all", "one-vs-one"}, default="auto"
        More than two classes, as for `Perceptron`; "auto": a machine if the margin is hard, "one-vs-all" if it is soft.
        There is no machine of soft margin.

    Attributes
    ----------
    margin_ : float
        The margin of the hyperplane (hard: its lower bound, if it is not exact; soft: 1/|w|).
    support_, support_vectors_, dual_coef_
        The rows that decide, and their weights in w, with the sign of their class; of a machine a row a class.
    certificate_ : Certificate (hard) or Objective (soft)
    history_ : list of dict
        Soft: both bounds on the way.
    coef_, intercept_, classes_, n_passes_

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

    _parameter_constraints: dict = {
        **{name: BUDGETS[name] for name in ("max_passes", "max_seconds", "class_weight", "verbose")},
        "C": [POSITIVE, Options(Real, {math.inf})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "bias": [StrOptions({"free", "augmented"})],
        "tol": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="neither")],
        "method": [StrOptions({"auto", "ascent", "newton"})],
        "order": [StrOptions({"random", "cyclic"})],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "multi_class": [StrOptions({"auto"}), *MANY["multi_class"]],
    }

    def __init__(
        self, C=math.inf, *, loss="hinge", bias="free", tol="auto", method="auto", order="random", max_passes="auto",
        max_seconds=None, class_weight=None, warm_start=False, random_state=0, verbose=0, multi_class="auto",
    ):  # fmt: skip
        self.C = C
        self.loss = loss
        self.bias = bias
        self.tol = tol
        self.method = method
        self.order = order
        self.max_passes = max_passes
        self.max_seconds = max_seconds
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.multi_class = multi_class

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn from rows ``X`` and labels ``y``; weights multiply C, and a weight of 0 leaves a row out."""
        self._validate_params()
        sample = self._sample(X, y, sample_weight)
        committee = self._committee()
        if committee is not None:
            self._forget("margin_", "support_", "support_vectors_", "dual_coef_", "_alpha")
            return self._show(committee.fit(sample.X, self.classes_[sample.label], sample.weight))
        self._forget("committee_", "certificates_")
        if sample.many:
            pulls = self._hard_machine(sample)
        else:
            pulls = ((self._hard(sample) if math.inf == self.C else self._soft(sample)) * sample.sign)[:, None]
        self.support_ = np.flatnonzero(pulls.any(axis=1))
        self.support_vectors_ = sample.X[self.support_]
        self.dual_coef_ = pulls[self.support_].T
        return self

    def _way(self) -> str:
        usual = "machine" if math.inf == self.C else "one-vs-all"
        return usual if self.multi_class == "auto" else self.multi_class

    def _takes_many(self) -> bool:
        return math.inf == self.C or self._way() != "machine"

    def path(self, X, y, Cs: Iterable[float], sample_weight=None) -> list[MaximumMargin]:
        """One fitted rule for each C, of two classes begun from the one before: from small to large C that is quick."""
        rules: list[MaximumMargin] = []
        for C in Cs:
            rule = clone(self).set_params(C=C, warm_start=True)
            if rules and hasattr(rules[-1], "_alpha"):
                rule._alpha = rules[-1]._alpha * (C / rules[-1].C)
            rules.append(rule.fit(X, y, sample_weight))
        return rules

    def _hard(self, sample: Sample) -> np.ndarray:
        """Learn a hard margin; returns the convex weights."""
        tol, rounds, terms = self._wanted(self.bias)
        part = rows(sample, bias=1.0)
        if coinciding([part]).size:  # the usual reason why real data are not separable, and seen at once
            certificate, looks = decide([part], terms), 1
        else:
            wide = sample.X.shape[1] > WIDE
            found = (wide_point if wide else nearest_point)([part], self.bias, 0.1 * tol, rounds)
            w, looks = free_bias([part], found.w) if self.bias == "free" else found.w, found.looks
            terms = terms._replace(updates=looks, reason=rounds.reason or terms.reason)
            certificate = certify([part], w, found.dual, terms)
        if certificate.separable is None and not rounds.reason:  # rounding, or columns of unlike size, hide it
            certificate = decide([part], terms, self.max_seconds)
        w, dual = certificate.w, np.zeros(part.sign.size)
        dual[certificate.rows] = certificate.weights
        if certificate.status in (NOT_SEPARABLE, BUDGET_SPENT):  # no w separates: the next one can't either
            w = self._compromise(sample, part)
            certificate = certify([part], w, dual, terms._replace(reason=certificate.reason), certificate.integers)
        self._publish(w, certificate)
        self.n_passes_ = looks
        self.margin_ = self.certificate_.lower
        self._warn("Scale or centre the columns, or raise max_passes or tol.")
        return dual

    def _compromise(self, sample: Sample, part: Rows) -> np.ndarray:
        """The w of least squares, which no scaling of the columns changes; of many columns that of a soft margin."""
        if sample.X.shape[1] <= WIDE:
            A = Vectors(sample.X, sample.sign, sample.weight)
            return least_squares(A, np.ones(A.shape[0]))
        square = np.zeros(part.sign.size)
        square_rows(part._replace(bias=0.0), np.arange(part.sign.size), square)
        weight = part.weight if part.weight.size else np.ones(part.sign.size)
        C = weight / max(float(np.average(square, weights=weight)), 1e-300)  # as SVMlight has it
        return soft_margin(Problem(part, C, False, self.bias), 1e-3, Rounds(200, self.max_seconds)).w

    def _wanted(self, bias: str) -> tuple[float, Rounds, Terms]:
        """How near the bounds of a hard margin must be, the budget, and what the certificate is to be about."""
        tol = 1e-9 if self.tol == "auto" else self.tol
        terms = Terms(EpsOptimal(0.0, tol), bias, 0, HIDDEN, exact=True, widest=WIDEST)
        most = 20_000 if self.n_features_in_ > WIDE else 1000
        return tol, Rounds(most if self.max_passes == "auto" else self.max_passes, self.max_seconds), terms

    def _hard_machine(self, sample: Sample) -> np.ndarray:
        """Learn a linear machine of hard margin; returns how much of each row is in the weights of each class."""
        tol, rounds, terms = self._wanted("augmented")
        part = classes(sample.X, sample.label, sample.many, sample.weight)
        found = nearest_machine([part], 0.1 * tol, rounds)
        terms = terms._replace(updates=found.looks, reason=rounds.reason or terms.reason)
        W = found.w
        certificate = certify([part], flat(part, W), found.dual, terms)
        if not certificate.separates:
            A = Vectors(sample.X, sample.sign, sample.weight)
            W = least_squares(A, np.eye(sample.many)[sample.label])
            certificate = certify([part], flat(part, W), found.dual, terms)
        self._publish(W, certificate)
        self.n_passes_ = found.looks
        self.margin_ = self.certificate_.lower
        self._warn("Scale or centre the columns, or raise max_passes or tol.")
        share = found.dual.reshape(-1, sample.many)
        return np.eye(sample.many)[sample.label] * share.sum(axis=1, keepdims=True) - share

    def _soft(self, sample: Sample) -> np.ndarray:
        """Learn a soft margin; returns alpha."""
        tol = 1e-4 if self.tol == "auto" else self.tol
        C = self.C * (np.ones(sample.sign.size) if sample.weight is None else sample.weight)
        problem = Problem(rows(sample, bias=1.0), C, self.loss == "squared_hinge", self.bias)
        rounds = Rounds(10_000 if self.max_passes == "auto" else self.max_passes, self.max_seconds)
        before = getattr(self, "_alpha", None) if self.warm_start else None
        if before is not None and before.size != C.size:
            raise ValueError(f"warm_start: the last fit had {before.size} rows, X has {C.size}.")
        self.history_: list[dict[str, float]] = []
        bounds = soft_margin(
            problem, tol, rounds, method=self.method, order=self.order, alpha=before,
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            watch=lambda record: self.history_.append(tell(self.verbose, record)),
        )  # fmt: skip
        alpha, w = bounds.alpha, bounds.w
        score, total = problem.scores(w), problem.total(alpha)
        rounding = U * math.sqrt(alpha.size) * (bounds.upper + float(alpha.sum()))
        upper, lower = problem.primal(w, score), problem.dual(alpha, total) - rounding
        near = upper - lower <= tol * upper
        support = np.flatnonzero(alpha)
        certificate = Objective(
            OPTIMAL if near else BUDGET_SPENT, lower, upper, int(np.count_nonzero((score <= 0.0) & (C > 0.0))), self.C,
            self.loss, self.bias, w, support, alpha[support], int(np.count_nonzero(C)), bounds.passes, tol, rounding,
            "" if near else rounds.reason or HIDDEN,
        )  # fmt: skip
        self._publish(w, certificate)
        self._alpha = alpha
        self.n_passes_ = bounds.passes
        norm = float(np.linalg.norm(w[:-1]))
        self.margin_ = 1.0 / norm if norm > 0 else math.inf
        self._warn("Scale or centre the columns, lower C, or raise max_passes or tol.")
        return alpha
