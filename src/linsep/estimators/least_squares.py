"""Least squares (C7): pseudo-inverse, gradient descent, Widrow-Hoff and Ho-Kashyap."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from ..certificates.prove.margin import Terms, certify
from ..loop.stop import Rounds
from ..oracles import flat, shaped
from ..rules import increment, rate_of
from ..solvers.gradient_descent import built_in, descent
from ..solvers.least_squares import Triangle, averaged, averaged_classes, ho_kashyap, least_squares, small, widrow_hoff
from ..solvers.vectors import Vectors
from ..targets import Margin
from ._base import BUDGETS, POSITIVE, Sample, all_or_nothing, auto_passes, rows, sets, tell
from ._many import MANY, ManyClass


class LeastSquares(ManyClass):
    r"""Minimum squared error: w of least :math:`J_s(w) = \sum_i (\langle w,a_i\rangle - b_i)^2`.

    It uses all rows, not only the violated ones, so that it serves data that are not separable too. It need
    not separate separable data; Ho-Kashyap, which adapts the margins b, does. Of more than two classes each has a
    w of its own, with b for its rows and 0 for all others (one-hot targets); the largest score decides.

    Parameters
    ----------
    method : {"pinv", "gradient", "lms", "ho-kashyap"}, default="pinv"
        "pinv": :math:`w = A^+ b`, the shortest solution, whatever the rank. "gradient": descent on J_s.
        "lms": Widrow-Hoff, row by row. "ho-kashyap": w and b together; decides separability. It knows two
        classes; for more use it with ``multi_class="one-vs-all"`` or "one-vs-one".
    margins : float, array of shape (n_samples,) or "fisher", default=1.0
        The margin vector b. "fisher": n / n_k for a row of class k, which gives Fisher's discriminant of two
        classes.
    rate : float, "1/k", "1/sqrt(k)", callable or None
        Rate of the iterative methods. None: halved until J_s falls enough ("gradient"); 1/(D^2 sqrt(k))
        in pass k, with D the longest vector ("lms"); 0.9, of at most 1 ("ho-kashyap").
    keep : {"last", "average"}, default="last"
        "average", of "lms": the mean of w over all visits, with a constant rate, 1/(2 D^2) if it is None. It needs no
        tuning and few passes (Bach and Moulines, 2013), and serves sparse data of many columns and classes, such as
        texts: ending early keeps w short. Columns of unlike size, a bias beside long rows among them, need many more
        passes, or scaling. There is no ``partial_fit`` then.
    fit_intercept : bool, default=True
        Augment rows by 1.
    max_passes : int or "auto", default="auto"
        Budget of the iterative methods; "auto": 1000, or as many as cost some seconds; 5 of an average.
    tol : float, default=1e-6
        The iterative methods end when a pass moves w by less than this part of |w|.
    max_seconds, class_weight, warm_start, verbose, multi_class, on_new_class
        As for `Perceptron`.

    Examples
    --------
    >>> from linsep import LeastSquares
    >>> rule = LeastSquares().fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> rule.coef_.round(3), rule.intercept_.round(3)
    (array([[0.714]]), array([-1.286]))
    """

    _parameter_constraints: dict = {
        **{name: BUDGETS[name] for name in ("max_passes", "max_seconds", "class_weight", "verbose")},
        "method": [StrOptions({"pinv", "gradient", "lms", "ho-kashyap"})],
        "margins": [StrOptions({"fisher"}), Real, "array-like"],
        "rate": [None, POSITIVE, StrOptions({"1/k", "1/sqrt(k)"}), callable],
        "keep": [StrOptions({"last", "average"})],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        **MANY,
    }

    def __init__(
        self,
        method="pinv",
        margins=1.0,
        *,
        rate=None,
        keep="last",
        fit_intercept=True,
        max_passes="auto",
        max_seconds=None,
        tol=1e-6,
        class_weight=None,
        warm_start=False,
        verbose=0,
        multi_class="machine",
        on_new_class="error",
    ):
        self.method = method
        self.margins = margins
        self.rate = rate
        self.keep = keep
        self.fit_intercept = fit_intercept
        self.max_passes = max_passes
        self.max_seconds = max_seconds
        self.tol = tol
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.multi_class = multi_class
        self.on_new_class = on_new_class

    def _takes_many(self) -> bool:
        return self.method != "ho-kashyap" or self.multi_class != "machine"

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn from rows ``X`` and labels ``y``; weights 0 leave a row out."""
        self._validate_params()
        if self.keep == "average" and self.method != "lms":
            raise ValueError(f"keep='average' is for method='lms', not {self.method!r}.")
        warm = self.warm_start and hasattr(self, "coef_")
        sample = self._sample(X, y, sample_weight, reset=not warm)
        committee = self._committee()
        if committee is not None:
            return self._show(committee.fit(sample.X, self.classes_[sample.label], sample.weight))
        self._forget("committee_", "certificates_")
        A, b = self._vectors(sample), self._margins(sample)
        size = (sample.many, A.shape[1]) if sample.many else A.shape[1]
        start = self._present(A.shape[1]) if warm else np.zeros(size)
        self.history_: list[dict[str, float]] = []
        if self.method == "pinv":
            self._triangle = Triangle.of(A, b) if small(A) else None
            w = least_squares(A, b) if self._triangle is None else self._triangle.solve()
            self.history_.append({"pass": 1, "value": _squares(A, b, w)})
            return self._finish(sample, w, _pulls(sample, A, b, w), 1, "")
        if self.method == "ho-kashyap":
            return self._ho_kashyap(sample, A, b, self._rounds(A))
        if self.keep == "average":
            w, passes, reason = self._averaged(sample, A, b, start)
            return self._finish(sample, w, _pulls(sample, A, b, w), passes, reason)
        step = self._gradient if self.method == "gradient" else self._lms
        if sample.many:  # the classes don't know of each other
            rounds = [self._rounds(A) for _ in b.T]
            w = np.array([step(sample, A, *each) for each in zip(b.T.copy(), start, rounds, strict=True)])
            reason = next((each.reason for each in rounds if each.reason), "")
        else:
            rounds = [self._rounds(A)]
            w, reason = step(sample, A, b, start, rounds[0]), rounds[0].reason
        passes = max(int(record["pass"]) for record in self.history_)
        return self._finish(sample, w, _pulls(sample, A, b, w), passes, reason)

    def _rounds(self, A: Vectors) -> Rounds:
        most = min(1000, auto_passes(A.X)) if self.max_passes == "auto" else self.max_passes
        return Rounds(most, self.max_seconds)

    @available_if(lambda self: self.method in ("pinv", "lms") and self.keep == "last")
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Go on with more rows: merges the triangle of "pinv", or makes one pass of "lms"."""
        self._validate_params()
        first = not hasattr(self, "coef_")
        known = getattr(self, "classes_", None)
        sample = self._part(X, y, classes, sample_weight)
        committee = self._go_on(sample)
        if committee is not None:
            return self._show(committee)
        A, b = self._vectors(sample), self._margins(sample)
        k = 1 if first else self.n_passes_ + 1
        if self.method == "pinv":
            part = Triangle.of(A, b)
            before = part._replace(R=part.R[:0]) if first else self._triangle
            if before is None:
                raise ValueError("partial_fit: fit solved these wide sparse data without a triangle to add to.")
            if before.targets < part.targets:
                before = before.grown(np.searchsorted(self.classes_, known), part.targets)
            self._triangle = before.merge(part)
            w = self._triangle.solve()
        elif sample.many:
            w = np.zeros((sample.many, A.shape[1])) if first else self._grown(self.certificate_.w, known).copy()
            for own, target in zip(w, b.T.copy(), strict=True):
                self._lms_pass(sample, A, target, own, k)
        else:
            w = self._present(A.shape[1])
            self._lms_pass(sample, A, b, w, k)
        self.history_ = [*getattr(self, "history_", []), {"pass": k, "value": _squares(A, b, w)}]
        return self._finish(sample, w, _pulls(sample, A, b, w), k, "")

    def _vectors(self, sample: Sample) -> Vectors:
        return Vectors(sample.X, sample.sign, sample.weight, bias=float(self.fit_intercept))

    def _margins(self, sample: Sample) -> np.ndarray:
        """The margin vector b; for a linear machine the one-hot matrix of them, a column a class."""
        if sample.many:
            if isinstance(self.margins, str):
                raise ValueError("margins='fisher': Fisher's discriminant is for two classes, y has more.")
            b = self._margins(sample._replace(many=0))
            return np.where(sample.label[:, None] == np.arange(sample.many), b[:, None], 0.0)
        n = sample.sign.size
        if isinstance(self.margins, str):
            weight = np.ones(n) if sample.weight is None else sample.weight
            shares = {side: weight[sample.sign == side].sum() for side in (-1, 1)}
            return np.where(sample.sign > 0, weight.sum() / shares[1], weight.sum() / shares[-1])
        b = np.asarray(self.margins, dtype=np.float64)
        if b.ndim not in (0, 1) or (b.ndim == 1 and b.size != n):
            raise ValueError(f"margins: one number, or one for each of the {n} rows is wanted, not shape {b.shape}.")
        if not np.isfinite(b).all():
            raise ValueError("margins: NaN or infinity among them.")
        if self.method == "ho-kashyap" and not (b > 0).all():
            raise ValueError("margins: Ho-Kashyap needs margins > 0.")
        return np.broadcast_to(b, n).copy()

    def _finish(self, sample: Sample, w, dual, passes: int, reason: str):
        """Publish w with its certificate; ``dual`` weighs the rows for the upper bound."""
        part = sets(sample, bias=float(self.fit_intercept))
        kind = "augmented" if self.fit_intercept else "none"
        self.n_passes_ = passes
        terms = Terms(Margin(0.0), kind, passes, reason, ended=not reason)
        self._publish(w, certify([part], flat(part, w), dual, terms))
        self._warn("Raise max_passes, scale the columns, or use method='pinv'.")
        return self

    def _gradient(self, sample: Sample, A: Vectors, b, w, rounds: Rounds) -> np.ndarray:
        schedule = None if self.rate is None else increment(self.rate)
        for k, step in zip(rounds, descent(A, built_in("squares", b), w, schedule), strict=False):
            self.history_.append(tell(self.verbose, {"pass": k, "value": step.value}))
            w = step.w
            if step.moved <= self.tol * np.linalg.norm(w):
                break
        return w

    def _lms(self, sample: Sample, A: Vectors, b, w, rounds: Rounds) -> np.ndarray:
        for k in rounds:
            before = w.copy()
            self.history_.append(tell(self.verbose, {"pass": k, "value": self._lms_pass(sample, A, b, w, k)}))
            if np.linalg.norm(w - before) <= self.tol * np.linalg.norm(w):
                break
        return w

    def _lms_pass(self, sample: Sample, A: Vectors, b, w, k: int) -> float:
        """One pass in place, with one rate for the whole of it."""
        longest = max(float((A.weight * A.squares).max()), 1e-300)
        rate = 1.0 / (math.sqrt(k) * longest) if self.rate is None else rate_of(increment(self.rate), k)
        live = np.arange(b.size) if sample.weight is None else np.flatnonzero(sample.weight)
        squares = widrow_hoff(rows(sample, bias=float(self.fit_intercept)), b, w, live, rate)
        if not np.isfinite(w @ w):
            raise ValueError(f"rate={rate!r}: w has run away after {k} passes. Lower the rate, or leave it None.")
        return float(squares)

    def _averaged(self, sample: Sample, A: Vectors, b, start) -> tuple[np.ndarray, int, str]:
        """The mean w of some passes, how many they were, and why they ended early."""
        part = sets(sample, bias=float(self.fit_intercept))
        visit = averaged_classes if sample.many else averaged
        b = b[np.arange(len(b)), sample.label] if sample.many else b
        longest = max(float((A.weight * A.squares).max()), 1e-300)
        live = np.arange(b.size) if sample.weight is None else np.flatnonzero(sample.weight)
        w, most = flat(part, start), 5 if self.max_passes == "auto" else self.max_passes
        total, rounds, passes = np.zeros(w.size), Rounds(most, self.max_seconds), 0
        for k in rounds:
            rate = 0.5 / longest if self.rate is None else rate_of(increment(self.rate), k)
            squares = visit(part, b, w, total, float(passes * live.size), live, rate)
            if not np.isfinite(w @ w):
                raise ValueError(f"rate={rate!r}: w has run away after {k} passes. Lower the rate, or leave it None.")
            self.history_.append(tell(self.verbose, {"pass": k, "value": float(squares)}))
            passes = k
        w -= total / (passes * live.size)
        return shaped(part, w), passes, "" if passes == most else rounds.reason  # so many were wanted, no more

    def _ho_kashyap(self, sample: Sample, A: Vectors, b, rounds: Rounds):
        rate = 0.9 if self.rate is None else self.rate
        if not isinstance(rate, int | float) or not 0 < rate <= 1:
            raise ValueError(f"rate={rate!r}: Ho-Kashyap needs a number in (0, 1].")
        found = ho_kashyap(A, b, float(rate), rounds)
        self.margins_ = found.b
        dual = A.weight * np.maximum(-found.error, 0.0)
        return self._finish(sample, found.w, dual, found.steps, rounds.reason)


def _squares(A: Vectors, b: np.ndarray, w: np.ndarray) -> float:
    """J_s, of all classes together if there are many."""
    return sum(built_in("squares", target).value(own, A) for own, target in zip(np.atleast_2d(w), np.atleast_2d(b.T)))


def _pulls(sample: Sample, A: Vectors, b: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A' (Aw - b) = 0 at the solution, so rows below their margin nearly balance: weights for an upper bound.

    Of many classes: the errors of a row sum to 0, so what rivals have too much their own class has too little.
    """
    if not sample.many:
        return A.weight * np.maximum(b - A @ w, 0.0)
    excess = A @ w.T  # rivals should score 0
    excess[np.arange(len(excess)), sample.label] = 0.0
    return (A.weight[:, None] * np.maximum(excess, 0.0)).ravel()
