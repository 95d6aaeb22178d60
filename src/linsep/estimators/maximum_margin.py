"""The optimal separating hyperplane, exactly (C10)."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..core.certificate import BUDGET_SPENT, NOT_SEPARABLE
from ..core.certify import Terms, certify, free_bias
from ..core.stop import Rounds
from ..optimum.decide import decide
from ..optimum.least_squares import least_squares
from ..optimum.nearest_point import nearest_point
from ..optimum.vectors import Vectors
from ..targets import EpsOptimal
from ._base import BUDGETS, TwoClass, all_or_nothing, rows

WIDEST = 1000  # columns up to which a proof of inseparability is tried


class MaximumMargin(TwoClass):
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
    tol : float, default=1e-9
        How near the two bounds of the margin must be, relative.
    max_passes : int or "auto", default="auto"
        Budget of looks at all data; "auto": 1000.
    max_seconds : float, optional
        A further budget.
    class_weight : dict, "balanced" or None
        Only a weight of 0 matters, which leaves rows out; others count where errors are counted.

    Attributes
    ----------
    margin_ : float
        The margin of the hyperplane (its lower bound, if it is not exact).
    support_, support_vectors_, dual_coef_
        The rows that decide, and their weights in w, with the sign of their class.
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
        "tol": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(self, bias="free", *, tol=1e-9, max_passes="auto", max_seconds=None, class_weight=None):
        self.bias = bias
        self.tol = tol
        self.max_passes = max_passes
        self.max_seconds = max_seconds
        self.class_weight = class_weight

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn from rows ``X`` and labels ``y``; weights 0 leave a row out."""
        self._validate_params()
        sample = self._sample(X, y, sample_weight)
        part = rows(sample, bias=1.0)
        rounds = Rounds(1000 if self.max_passes == "auto" else self.max_passes, self.max_seconds)
        found = nearest_point([part], self.bias, 0.1 * self.tol, rounds)
        w = free_bias([part], found.w) if self.bias == "free" else found.w
        reason = rounds.reason or "rounding hides what could still be won; scale or centre the columns"
        terms = Terms(EpsOptimal(0.0, self.tol), self.bias, found.looks, reason, exact=True, widest=WIDEST)
        certificate = certify([part], w, found.dual, terms)
        if certificate.separable is None and not rounds.reason:  # rounding, or columns of unlike size, hide it
            certificate = decide([part], terms, self.max_seconds)
            w = certificate.w
        if certificate.status in (NOT_SEPARABLE, BUDGET_SPENT):  # no w separates: the next one can't either
            A = Vectors(sample.X, sample.sign, sample.weight)
            w, dual = least_squares(A, np.ones(A.shape[0])), np.zeros(A.shape[0])
            dual[certificate.rows] = certificate.weights
            certificate = certify([part], w, dual, terms._replace(reason=certificate.reason), certificate.integers)
        self._publish(w, certificate)
        self.n_passes_ = found.looks
        self.margin_ = self.certificate_.lower
        self.support_ = np.flatnonzero(found.dual)
        self.support_vectors_ = sample.X[self.support_]
        self.dual_coef_ = (found.dual * sample.sign)[None, self.support_]
        self._warn("Scale or centre the columns, or raise max_passes or tol.")
        return self
