"""Least squares (C7): ridge regression, pseudo-inverse, gradient descent, Widrow-Hoff and Ho-Kashyap."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from ..certificates.prove.ridge import RidgeProblem, prove_ridge
from ..loop.stop import HIDDEN, Rounds
from ..loop.trace import Update
from ..rows.matrix import VectorMatrix
from ..rows.rivals import RivalMatrix
from ..rules import make_increment, rate_of
from ..solvers.gradient_descent import Step, descend, named_criterion, trace_descent
from ..solvers.least_squares import (
    Triangle,
    averaged_lms_pass,
    averaged_lms_pass_of_classes,
    has_triangle,
    ho_kashyap,
    least_squares,
    lms_pass,
    trace_ho_kashyap,
    trace_in_turn,
    trace_lms,
)
from ..solvers.ridge import NormalEquations, pays, solve_ridge
from ._descent import DescentClassifier, row_weights
from ._linear import auto_passes, set_oracle
from ._oracles import set_oracles, two_classes
from ._parameters import shared_parameters
from ._types import ClassWeight, Rate
from ._validation import (
    NOT_NEGATIVE,
    POSITIVE,
    Interval,
    Sample,
    StrOptions,
    check_parameters,
    print_record,
    set_parameters,
)


@shared_parameters
class LeastSquares(DescentClassifier):
    r"""Minimum squared error: w of least :math:`J_s(w) = \sum_i (\langle w,a_i\rangle - b_i)^2`, and short if you like.

    It uses all rows, not only the violated ones, so that it serves data that are not separable too. It need
    not separate separable data; Ho-Kashyap, which adapts the margins b, does. Of more than two classes each has a
    w of its own, with b for its rows and 0 for all others (one-hot targets); the largest score decides.

    The default adds :math:`\alpha|w|^2` with the bias left out (ridge regression). It takes sparse and wide data, by
    conjugate gradients, and its `RidgeCertificate` bounds how far J, and w, are from the best ones. The lectures' C7 is
    ``LeastSquares("pinv")``.

    Parameters
    ----------
    method : {"ridge", "pinv", "gradient", "lms", "ho-kashyap"}, default="ridge"
        "ridge": J_s and alpha times the squared length of w. "pinv": :math:`w = A^+ b`, the shortest solution, whatever
        the rank (C7). "gradient": descent on J_s. "lms": Widrow-Hoff, row by row. "ho-kashyap": w and b together;
        decides separability, of many classes by Kesler's vectors.
    margins : float, array of shape (n_samples,) or "fisher", default=1.0
        The margin vector b > 0. "fisher": n / n_k for a row of class k, which gives Fisher's discriminant of two
        classes, exactly with "pinv".
    alpha : float, default=1.0
        Of "ridge": what the squared length of w costs, > 0. The other methods have no such term.
    tol : float, default=1e-3
        Of "ridge": end when J is proved to be within this part of the least. Small data are solved far better.
    rate : float, "1/k", "1/sqrt(k)", callable or None, default=None
        Rate of the iterative methods. None: halved until J_s falls enough ("gradient"); 1/(D^2 sqrt(k))
        in pass k, with D the longest vector ("lms"); 0.9, of at most 1 ("ho-kashyap").
    keep : {"last", "average"}, default="last"
        "average", of "lms": the mean of w over all visits, with a constant rate, 1/(2 D^2) if it is None. It needs no
        tuning and few passes (Bach and Moulines, 2013), and serves sparse data of many columns and classes, such as
        documents: ending early keeps w short. Columns of very different sizes, a bias beside long rows among them, need
        many more passes, or scaling. There is no ``partial_fit`` then.
    max_iter : int or "auto", default="auto"
        Budget of the iterative methods, and of the steps of "ridge"; "auto": 1000, or 5 of an average, and no more than
        5 seconds of work, counted from the end of the first pass, but 3 passes at least.
    step_tol : float, default=1e-6
        The iterative methods end when a pass moves w by less than this part of its length.

    Attributes
    ----------
    margins_ : array of shape (n_samples,) or (n_samples, n_classes)
        Of "ho-kashyap": the margins b that were learned; of many classes against each rival, 0 for the row's own class.
    coef_, intercept_, classes_, certificate_, history_, n_iter_
        As for `Perceptron`; the certificate of "ridge" is a `RidgeCertificate`; after ``partial_fit`` of a margin.

    Examples
    --------
    >>> from linsep import LeastSquares
    >>> X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    >>> rule = LeastSquares().fit(X, y)
    >>> rule.coef_.round(3), rule.certificate_.status, bool(rule.check(X, y))
    (array([[0.588]]), 'optimal', True)
    >>> rule = LeastSquares("pinv").fit(X, y)
    >>> rule.coef_.round(3), rule.intercept_.round(3)
    (array([[0.714]]), array([-1.286]))
    """

    _parameter_constraints: dict = {
        "method": [StrOptions({"ridge", "pinv", "gradient", "lms", "ho-kashyap"})],
        "margins": [StrOptions({"fisher"}), Real, "array-like"],
        "alpha": [NOT_NEGATIVE],
        "tol": [Interval(Real, 0, 1, closed="neither")],
        "rate": [None, POSITIVE, StrOptions({"1/k", "1/sqrt(k)"}), callable],
        "keep": [StrOptions({"last", "average"})],
        "step_tol": [NOT_NEGATIVE],
    }

    def __init__(
        self, method: str = "ridge", margins: Any = 1.0, *, alpha: float = 1.0, tol: float = 1e-3,
        rate: Rate | None = None, keep: str = "last", fit_intercept: bool = True, max_iter: int | str = "auto",
        max_seconds: float | None = None, start: Any = None, step_tol: float = 1e-6,
        class_weight: ClassWeight | None = None, warm_start: bool = False, verbose: int = 0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def _bias_of_rows(self) -> str:
        return "free" if self.method == "ridge" and self.fit_intercept else super()._bias_of_rows()

    def _needed_by_scaled_rows(self) -> str:
        return "rate=None" if self.rate is not None and self.method in ("lms", "gradient") else ""

    def _advice(self) -> str:
        if self.method == "ridge":
            return "Raise max_iter, tol or alpha, or scale the columns."
        return "Raise max_iter, scale the columns, or use method='pinv'."

    def _takes_many(self) -> bool:
        return not isinstance(self.margins, str)

    def _advice_for_many(self) -> str:
        return "Give margins as numbers, or use OneVsAll(LeastSquares(margins='fisher'))."

    def _learns_from_parts(self) -> bool:
        return self.method != "lms"  # row by row

    def _takes_parts(self) -> bool:
        return self.method in ("ridge", "pinv", "lms") and self.keep == "last"

    def _learn(self, sample: Sample, w: np.ndarray) -> None:
        if self.keep == "average" and self.method != "lms":
            raise ValueError(f"keep='average': expected method='lms', got {self.method!r}.")
        self._refuse_start()
        if self.method == "ridge":
            return self._ridge(sample, w)
        if self.method == "ho-kashyap":
            return self._ho_kashyap(sample)
        A, b = self._matrix(sample), self._margins(sample)
        if self.method == "pinv":
            self._triangle = Triangle.of(A, b) if has_triangle(A) else None
            w = least_squares(A, b) if self._triangle is None else self._triangle.solve()
            self.history_.append({"pass": 1, "value": _squares(A, b, w)})
            return self._finish(sample, w, row_weights(self._sets(sample), sample, A, b, w), 1, "")
        if self.keep == "average":
            w, passes, reason = self._average(sample, A, b, w)
            return self._finish(sample, w, row_weights(self._sets(sample), sample, A, b, w), passes, reason)
        step = self._gradient if self.method == "gradient" else self._lms
        if sample.n_classes:  # each class by itself
            rounds = [self._rounds(A, b.shape[1]) for _ in b.T]
            w = np.array([step(A, *each) for each in zip(b.T.copy(), w, rounds, strict=True)])
            reason = next((each.reason for each in rounds if each.reason), "")
        else:
            rounds = [self._rounds(A)]
            w, reason = step(A, b, w, rounds[0]), rounds[0].reason
        passes = max(int(record["pass"]) for record in self.history_)
        return self._finish(sample, w, row_weights(self._sets(sample), sample, A, b, w), passes, reason)

    def _refuse_start(self) -> None:
        if self.start is not None and self.method in ("ridge", "pinv", "ho-kashyap"):
            raise ValueError(f"start: method={self.method!r} computes w from the margins: expected None.")

    def _learn_part(self, sample: Sample, w: np.ndarray, first: bool) -> None:
        A, b = self._matrix(sample), self._margins(sample)
        k = 1 if first else self.n_iter_ + 1
        if self.method == "lms":
            for own, target in zip(np.atleast_2d(w), np.atleast_2d(b.T.copy()), strict=True):
                self._lms_pass(A, target, own, k)
        elif self.method == "pinv":
            self._triangle = self._added(None if first else self._triangle, Triangle.of(A, b), first)
            w = self._triangle.solve()
        else:
            if sample.scale.exponent:
                raise ValueError("partial_fit: values so far from 1 are for fit only. Scale the columns.")
            problem = self._problem(sample)
            part = NormalEquations.of(problem)
            self._equations: Any = self._added(None if first else self._equations, part, first)
            W, bias = self._equations.solve(problem.alpha)
            w = _joined(W, bias, sample)
        self.history_.append({"pass": k, "value": _squares(A, b, w)})
        self._finish(sample, w, row_weights(self._sets(sample), sample, A, b, w), k, "")

    @staticmethod
    def _added(before: Any, part: Any, first: bool) -> Any:
        """What was known before merged with that of a part."""
        if before is None and not first:
            raise ValueError("partial_fit: fit solved these wide or sparse data without equations to add to.")
        return part if first else before.merge(part)

    def _updates(self, X, y, sample_weight, most: int, bounds: bool) -> Iterator[Update]:
        """Every update of a fit, for `trace`."""
        check_parameters(self)
        self._refuse_start()
        if self.method in ("ridge", "pinv"):
            raise ValueError(
                f"trace: method={self.method!r} solves its equations as a whole, without steps: "
                "trace method='gradient', 'lms' or 'ho-kashyap'."
            )
        sample = self._sample(X, y, sample_weight)
        if self.method == "ho-kashyap":
            A, b = self._ho_kashyap_task(sample)
            found = trace_ho_kashyap(A, b, self._ho_kashyap_rate())
        else:
            runs = [self._trace_class(sample, k) for k in range(sample.n_classes)] or [self._trace_class(sample)]
            found = trace_in_turn(self._start(sample, first=True), runs, self.classes_) if runs[1:] else runs[0]
        return self._shown(found, most, sample, bounds)

    def _trace_class(self, sample: Sample, k: int | None = None) -> Iterator[Update]:
        """The updates of two classes, or of the w of class k."""
        A, b, w = self._matrix(sample), self._margins(sample), self._start(sample, first=True)
        b, w = (b, w) if k is None else (b[:, k].copy(), w[k])
        if self.method == "lms":
            mean = self.keep == "average"
            rate = self._mean_rate if mean else self._lms_rate
            return trace_lms(A, b, w, lambda t: rate(A, t), -1.0 if mean else self.step_tol)
        schedule = None if self.rate is None else make_increment(self.rate)
        steps = descend(A, named_criterion("squares", b), w, schedule)
        return trace_descent(steps, A, partial(_is_short, step_tol=self.step_tol))

    # --- ridge -------------------------------------------------------------------------------------------------------

    def _problem(self, sample: Sample) -> RidgeProblem:
        """The rows as they are, not mirrored: their targets are b and -b, or those of each class."""
        if self.alpha == 0:
            raise ValueError("alpha=0: use method='pinv', which takes the shortest of all solutions then.")
        alpha = sample.scale.over_square(float(self.alpha), "alpha")
        b = self._margins(sample)
        T = b if sample.n_classes else (sample.sign * b)[:, None]
        return RidgeProblem([part.rows for part in self._sets(sample)], T, sample.weight, alpha, self.fit_intercept)

    def _sets(self, sample: Sample) -> list[Any]:
        return set_oracles(sample, self.classes_, bias=float(self.fit_intercept))

    def _ridge(self, sample: Sample, start: np.ndarray) -> None:
        """Ridge regression on the targets, with the proof of how near its cost is to the least."""
        problem = self._problem(sample)
        self._equations = NormalEquations.of(problem) if pays(problem) else None
        most = 1000 if self.max_iter == "auto" else self.max_iter
        rounds = Rounds(most, self.max_seconds, self._auto_seconds())
        begin = np.atleast_2d(start)[:, :-1].T
        found = solve_ridge(problem, self._equations, begin, self.tol, rounds)
        w = _joined(found.W, found.bias, sample)
        b = np.array([self.margins], dtype=np.float64) if isinstance(self.margins, Real) else self._row_margins(sample)
        reason = rounds.reason or HIDDEN
        sets = self._sets(sample)
        certificate = prove_ridge(
            problem, sets, w, margins=b, tol=self.tol, passes=found.steps, reason=reason, weights=found.weights
        )
        self.n_iter_ = max(found.steps, 1)
        self.history_.append(print_record(self.verbose, {"pass": self.n_iter_, "value": certificate.upper}))
        self._publish(certificate)
        self._warn()

    # --- the other methods -------------------------------------------------------------------------------------------

    def _rounds(self, A: VectorMatrix | RivalMatrix, classes: int = 1) -> Rounds:
        numbers = sum(part.rows.numbers for part in A.parts)
        most = min(1000, auto_passes(numbers)) if self.max_iter == "auto" else self.max_iter
        return Rounds(most, self.max_seconds, self._auto_seconds(classes))

    def _matrix(self, sample: Sample) -> VectorMatrix:
        return VectorMatrix(*(part.rows for part in self._sets(sample)))

    def _margins(self, sample: Sample) -> np.ndarray:
        """The margin vector b; for a linear machine the one-hot matrix of them, one column per class."""
        b = self._row_margins(sample)
        if not sample.n_classes:
            return b
        return np.where(sample.label[:, None] == np.arange(sample.n_classes), b[:, None], 0.0)

    def _row_margins(self, sample: Sample) -> np.ndarray:
        """The margin vector b."""
        n = sample.sign.size
        if isinstance(self.margins, str):
            weight = np.ones(n) if sample.weight is None else sample.weight
            shares = {side: weight[sample.sign == side].sum() for side in (-1, 1)}
            return np.where(sample.sign > 0, weight.sum() / shares[1], weight.sum() / shares[-1])
        b = np.asarray(self.margins, dtype=np.float64)
        if b.ndim not in (0, 1) or (b.ndim == 1 and b.size != n):
            raise ValueError(f"margins: expected one number, or one for each of the {n} rows, got shape {b.shape}.")
        if not np.isfinite(b).all():
            raise ValueError("margins: expected finite numbers, got NaN or infinity.")
        if not (b > 0).all():
            raise ValueError(f"margins: expected numbers > 0, got {b.min():g}.")
        return np.broadcast_to(b, n).copy()

    def _gradient(self, A: VectorMatrix, b, w, rounds: Rounds) -> np.ndarray:
        schedule = None if self.rate is None else make_increment(self.rate)
        for k, step in zip(rounds, descend(A, named_criterion("squares", b), w, schedule), strict=False):
            self.history_.append(print_record(self.verbose, {"pass": k, "value": step.value}))
            w = step.w
            if _is_short(step, self.step_tol):
                break
        return w

    def _lms(self, A: VectorMatrix, b, w, rounds: Rounds) -> np.ndarray:
        for k in rounds:
            before = w.copy()
            self.history_.append(print_record(self.verbose, {"pass": k, "value": self._lms_pass(A, b, w, k)}))
            if np.linalg.norm(w - before) <= self.step_tol * np.linalg.norm(w):
                break
        return w

    def _lms_pass(self, A: VectorMatrix, b, w, k: int) -> float:
        """One pass in place, with one rate for the whole of it."""
        rate = self._lms_rate(A, k)
        squares = lms_pass(A.part, b, w, np.flatnonzero(A.weight), rate)
        self._require_finite(w, rate, k)
        return float(squares)

    def _lms_rate(self, A: VectorMatrix, k: int) -> float:
        """The rate of pass k."""
        if self.rate is not None:
            return rate_of(make_increment(self.rate), k)
        return 1.0 / (math.sqrt(k) * max(float((A.weight * A.squares).max()), 1e-300))

    def _mean_rate(self, A: VectorMatrix, k: int) -> float:
        """The rate of pass k, if the answer is the mean of all w."""
        longest = max(float((A.weight * A.squares).max()), 1e-300)
        return 0.5 / longest if self.rate is None else rate_of(make_increment(self.rate), k)

    def _average(self, sample: Sample, A: VectorMatrix, b, start) -> tuple[np.ndarray, int, str]:
        """The mean w of some passes, how many they were, and why they ended early."""
        part = set_oracle(sample, bias=float(self.fit_intercept))
        run = averaged_lms_pass_of_classes if sample.n_classes else averaged_lms_pass
        b = b[np.arange(len(b)), sample.label] if sample.n_classes else b
        present = np.flatnonzero(A.weight)
        w, most = part.as_vector(start), 5 if self.max_iter == "auto" else self.max_iter
        total, rounds, passes = np.zeros(w.size), Rounds(most, self.max_seconds, self._auto_seconds()), 0
        for k in rounds:
            rate = self._mean_rate(A, k)
            squares = run(part, b, w, total, float(passes * present.size), present, rate)
            self._require_finite(w, rate, k)
            self.history_.append(print_record(self.verbose, {"pass": k, "value": float(squares)}))
            passes = k
        w -= total / (passes * present.size)
        return part.as_matrix(w), passes, "" if passes == most else rounds.reason  # as many as asked for

    def _require_finite(self, w: np.ndarray, rate: float, k: int) -> None:
        if not np.isfinite(w @ w):
            raise ValueError(f"rate={rate!r}: w is infinite after {k} passes. Lower the rate, or leave it None.")

    def _ho_kashyap_rate(self) -> float:
        rate = 0.9 if self.rate is None else self.rate
        if not isinstance(rate, int | float) or not 0 < rate <= 1:
            raise ValueError(f"rate: Ho-Kashyap needs a number in (0, 1], got {rate!r}.")
        return float(rate)

    def _ho_kashyap_task(self, sample: Sample) -> tuple[VectorMatrix | RivalMatrix, np.ndarray]:
        """The rows, or Kesler's vectors, with their first margins b."""
        parts = two_classes(sample, self.classes_, bias=float(self.fit_intercept))
        A = RivalMatrix(*parts) if sample.n_classes else VectorMatrix(*parts)
        return A, np.repeat(self._row_margins(sample), A.rivals)

    def _ho_kashyap(self, sample: Sample) -> None:
        A, b = self._ho_kashyap_task(sample)
        rounds = self._rounds(A)
        found = ho_kashyap(A, b, self._ho_kashyap_rate(), rounds)
        dual_weights = A.dual_weights(A.weight * np.maximum(-found.error, 0.0))
        self.margins_, w = found.b, found.w
        if sample.n_classes:
            self.margins_ = A.dual_weights(found.b).reshape(-1, sample.n_classes)
            w = w.reshape(sample.n_classes, -1)
        self._finish(sample, w, dual_weights, found.steps, rounds.reason)


def _is_short(step: Step, step_tol: float) -> bool:
    """Whether a step of descent moved w by a small part of its length only."""
    return bool(step.moved <= step_tol * np.linalg.norm(step.w))


def _joined(W: np.ndarray, bias: np.ndarray, sample: Sample) -> np.ndarray:
    """One row per target, the bias last; of two classes a vector."""
    w = np.column_stack([W.T, bias])
    return w if sample.n_classes else w[0]


def _squares(A: VectorMatrix, b: np.ndarray, w: np.ndarray) -> float:
    """J_s, of all classes together if there are many."""
    pairs = zip(np.atleast_2d(w), np.atleast_2d(b.T), strict=True)
    return sum(named_criterion("squares", target).value(own, A) for own, target in pairs)
