"""The optimal separating hyperplane, exactly (C10)."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..core.certificate import Certificate
from ..core.certify import Terms, certify, disprove, free_bias, vectors
from ..core.stop import Rounds
from ..optimum.least_squares import least_squares
from ..optimum.machine import nearest_machine
from ..optimum.nearest_point import nearest_point
from ..optimum.vectors import Vectors
from ..oracles import classes, flat
from ..targets import EpsOptimal
from ._base import BUDGETS, Sample, all_or_nothing, rows
from ._many import MANY, ManyClass, bias_for

WIDEST = 1000  # columns up to which a proof of inseparability is tried


class MaximumMargin(ManyClass):
    r"""The hyperplane of largest margin: the point of least norm in the convex hull of the vectors.

    .. math:: w = \arg\min_{w \in conv\{a_i\}} |w|, \qquad
              \min_i \langle w,a_i\rangle/|w| \;\le\; m \;\le\; |w|

    Wolfe's algorithm on the lowest rows, with a look at all data in between; both bounds meet to a relative
    ``tol``. On data that are not separable the two hulls meet, and the point where they do is the proof; w is
    then that of least squares, so that there is a decision at all.

    Parameters
    ----------
    bias : {"free", "augmented"}, default="free"
        "free": the largest geometric margin. "augmented": the bias counts as a coordinate of w.
        The linear machine of more classes is always "augmented", as its certificate says.
    tol : float, default=1e-9
        How near the two bounds of the margin must be, relative.
    max_passes : int or "auto", default="auto"
        Budget of looks at all data; "auto": 1000.
    max_seconds : float, optional
        A further budget.
    class_weight : dict, "balanced" or None
        Only a weight of 0 matters, which leaves rows out; others count where errors are counted.
    multi_class : {"machine", "one-vs-all", "one-vs-one"}, default="machine"
        As for `Perceptron`.

    Attributes
    ----------
    margin_ : float
        The margin of the hyperplane (its lower bound, if it is not exact).
    support_, support_vectors_, dual_coef_
        The rows that decide, and their weights in w, with the sign of their class; of a machine a row a class.
    coef_, intercept_, classes_, certificate_, n_passes_

    Examples
    --------
    >>> from linsep import MaximumMargin
    >>> rule = MaximumMargin().fit([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0]], [0, 0, 1, 1])
    >>> rule.certificate_.status, round(rule.margin_, 9), rule.support_.tolist()
    ('optimal', 1.58113883, [1, 2])
    """

    _parameter_constraints: dict = {
        **{name: BUDGETS[name] for name in ("max_passes", "max_seconds", "class_weight")},
        "bias": [StrOptions({"free", "augmented"})],
        "multi_class": MANY["multi_class"],
        "tol": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        bias="free",
        *,
        tol=1e-9,
        max_passes="auto",
        max_seconds=None,
        class_weight=None,
        multi_class="machine",
    ):
        self.bias = bias
        self.tol = tol
        self.max_passes = max_passes
        self.max_seconds = max_seconds
        self.class_weight = class_weight
        self.multi_class = multi_class

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn from rows ``X`` and labels ``y``; weights 0 leave a row out."""
        self._validate_params()
        sample = self._sample(X, y, sample_weight)
        committee = self._committee()
        if committee is not None:
            return self._show(committee.fit(sample.X, self.classes_[sample.label], sample.weight))
        self._forget("committee_", "certificates_")
        bias = bias_for(self.bias, self._machine())
        rounds = Rounds(1000 if self.max_passes == "auto" else self.max_passes, self.max_seconds)
        if sample.many:
            return self._fit_machine(sample, rounds)
        part = rows(sample, bias=1.0)
        found = nearest_point([part], bias, 0.1 * self.tol, rounds)
        w = free_bias([part], found.w) if bias == "free" else found.w
        terms = self._terms(bias, found.looks, rounds)
        certificate = certify([part], w, found.dual, terms)
        if not certificate.separates:  # the hulls meet: no such w, and no way for the next one to separate either
            A = Vectors(sample.X, sample.sign, sample.weight)
            w = least_squares(A, np.ones(A.shape[0]))
            certificate = certify([part], w, self._meeting(part, certificate, terms), terms)
        self._publish(w, certificate)
        self.n_passes_ = found.looks
        self.margin_ = self.certificate_.lower
        self.support_ = np.flatnonzero(found.dual)
        self.support_vectors_ = sample.X[self.support_]
        self.dual_coef_ = (found.dual * sample.sign)[None, self.support_]
        self._warn("Scale or centre the columns, or raise max_passes or tol.")
        return self

    def _terms(self, bias: str, looks: int, rounds: Rounds) -> Terms:
        reason = rounds.reason or "rounding hides what could still be won; scale or centre the columns"
        return Terms(EpsOptimal(0.0, self.tol), bias, looks, reason, exact=True, widest=WIDEST)

    def _fit_machine(self, sample: Sample, rounds: Rounds):
        """The same for a linear machine."""
        part = classes(sample.X, sample.label, sample.many, sample.weight)
        found = nearest_machine([part], 0.1 * self.tol, rounds)
        terms = self._terms("augmented", found.looks, rounds)
        W = found.w
        certificate = certify([part], flat(part, W), found.dual, terms)
        if not certificate.separates:
            A = Vectors(sample.X, sample.sign, sample.weight)
            W = least_squares(A, np.eye(sample.many)[sample.label])
            certificate = certify([part], flat(part, W), found.dual, terms)
        self._publish(W, certificate)
        self.n_passes_ = found.looks
        self.margin_ = self.certificate_.lower
        share = found.dual.reshape(-1, sample.many)
        self.support_ = np.flatnonzero(share.any(axis=1))
        self.support_vectors_ = sample.X[self.support_]
        own = np.eye(sample.many)[sample.label[self.support_]]
        self.dual_coef_ = (own * share[self.support_].sum(axis=1, keepdims=True) - share[self.support_]).T
        self._warn("Scale or centre the columns, or raise max_passes or tol.")
        return self

    def _meeting(self, part, certificate: Certificate, terms: Terms) -> np.ndarray:
        """Weights that make the hulls meet; if columns of unlike size hide that, found with columns of like size."""
        dual = np.zeros(part.sign.size)
        dual[certificate.rows] = certificate.weights
        if certificate.refuted:
            return dual
        largest = np.abs(vectors([part], certificate.rows)).max(axis=0)
        size = np.exp2(np.round(np.log2(np.where(largest > 0, largest, 1.0))))
        meeting = nearest_point([part], terms.bias, self.tol, Rounds(100, self.max_seconds), size)
        return meeting.dual if disprove([part], terms.bias, meeting.dual, terms.widest) is not None else dual
