"""Basic gradient descent (C5) on J_p, J_r, J_s or a criterion of your own."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..certificates.prove.margin import Terms, certify
from ..loop.keep import Pocket
from ..loop.stop import Rounds
from ..rules import increment
from ..solvers.gradient_descent import Criterion, built_in, descent
from ..solvers.vectors import Vectors
from ..targets import Margin
from ._base import BUDGETS, POSITIVE, Sample, TwoClass, all_or_nothing, rows, tell


class GradientDescent(TwoClass):
    r"""Gradient descent: :math:`w \leftarrow w - \eta(k)\,\nabla J(w)` until a step is shorter than theta.

    Parameters
    ----------
    criterion : {"perceptron", "relaxation", "squares"} or (function, function), default="relaxation"
        J_p, J_r, J_s, or your own J and its gradient, each called with w (the bias is its last number) and
        the vectors A: use ``A @ w``, ``A.T @ r``, ``A.weight``, ``A.squares`` and ``A.shape``.
    margin : float, default=1.0
        The margin b of the built-in criteria ("perceptron": 0 is the lectures' J_p).
    rate : float, "1/k", "1/sqrt(k)", callable or "auto", default="auto"
        :math:`\eta(k)`. "auto": halved until J falls enough (Armijo); 1 for "perceptron", whose J is 0
        at w = 0 already.
    theta : float, default=1e-6
        Ends when :math:`|\eta\nabla J|` is less.
    keep : {"auto", "last", "pocket"}, default="auto"
        "pocket": the w with the fewest errors; "auto": that for "perceptron", else the last.
    fit_intercept : bool, default=True
        Augment rows by 1.
    max_passes : int or "auto", default="auto"
        Budget of steps; "auto": 1000.
    max_seconds, class_weight, warm_start, verbose
        As for `Perceptron`.

    Examples
    --------
    A criterion of your own, the logistic one:

    >>> import numpy as np
    >>> from linsep import GradientDescent
    >>> J = lambda w, A: float(np.sum(np.logaddexp(0, -(A @ w))))
    >>> gradient = lambda w, A: -(A.T @ (1 / (1 + np.exp(A @ w))))
    >>> rule = GradientDescent(criterion=(J, gradient), max_passes=50).fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> rule.predict([[0.5], [2.8]])
    array([0, 1])
    """

    _parameter_constraints: dict = {
        **{name: BUDGETS[name] for name in ("max_passes", "max_seconds", "class_weight", "verbose")},
        "criterion": [StrOptions({"perceptron", "relaxation", "squares"}), tuple],
        "margin": [Interval(Real, 0, None, closed="left")],
        "rate": [POSITIVE, StrOptions({"auto", "1/k", "1/sqrt(k)"}), callable],
        "theta": [POSITIVE],
        "keep": [StrOptions({"auto", "last", "pocket"})],
        "fit_intercept": ["boolean"],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        criterion="relaxation",
        margin=1.0,
        *,
        rate="auto",
        theta=1e-6,
        keep="auto",
        fit_intercept=True,
        max_passes="auto",
        max_seconds=None,
        class_weight=None,
        warm_start=False,
        verbose=0,
    ):
        self.criterion = criterion
        self.margin = margin
        self.rate = rate
        self.theta = theta
        self.keep = keep
        self.fit_intercept = fit_intercept
        self.max_passes = max_passes
        self.max_seconds = max_seconds
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Learn from rows ``X`` and labels ``y``; weights 0 leave a row out."""
        self._validate_params()
        warm = self.warm_start and hasattr(self, "coef_")
        sample = self._sample(X, y, sample_weight, reset=not warm)
        w = self._present(sample.X.shape[1] + 1) if warm else np.zeros(sample.X.shape[1] + 1)
        return self._descend(
            sample, w, Rounds(1000 if self.max_passes == "auto" else self.max_passes, self.max_seconds)
        )

    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """One step of descent on these rows."""
        self._validate_params()
        first = not hasattr(self, "coef_")
        sample = self._part(X, y, classes, sample_weight)
        return self._descend(sample, self._present(sample.X.shape[1] + 1), [1], first=0 if first else self.n_passes_)

    def _criterion(self) -> Criterion:
        if isinstance(self.criterion, str):
            if self.criterion == "relaxation" and self.margin == 0:
                raise ValueError("margin=0: J_r is zero at w = 0 then, and nothing is learned. Give a margin > 0.")
            return built_in(self.criterion, float(self.margin))
        if len(self.criterion) != 2 or not all(map(callable, self.criterion)):
            raise ValueError("criterion: a pair of functions (J, gradient of J), each of (w, A), is wanted.")
        return Criterion(*self.criterion)

    def _schedule(self):
        """The rule that knows the rates, or None for a search."""
        if isinstance(self.rate, str) and self.rate == "auto":
            return increment(1.0) if self.criterion == "perceptron" else None
        return increment(self.rate)

    def _descend(self, sample: Sample, w: np.ndarray, rounds, first: int = 0):
        A = Vectors(sample.X, sample.sign, sample.weight, bias=float(self.fit_intercept))
        pocket, dual = Pocket(), np.zeros(A.shape[0])
        self.history_: list[dict[str, float]] = []
        for k, step in zip(rounds, descent(A, self._criterion(), w, self._schedule(), first), strict=False):
            pocket.offer(w, _errors(A, w))
            record = {"pass": first + k, "value": step.value, "errors": pocket.errors}
            self.history_.append(tell(self.verbose, record))
            w = step.w
            if step.pulls is not None:
                dual += step.rate * step.pulls
            if step.moved < self.theta:
                break
        if self.keep == "pocket" or (self.keep == "auto" and self.criterion == "perceptron"):
            pocket.offer(w, _errors(A, w))
            w = w if pocket.w is None else pocket.w
        self.n_passes_ = first + len(self.history_)
        kind = "augmented" if self.fit_intercept else "none"
        reason = getattr(rounds, "reason", "")
        terms = Terms(Margin(0.0), kind, self.n_passes_, reason, ended=not reason)
        part = rows(sample, bias=float(self.fit_intercept))
        self._publish(w, certify([part], w, np.maximum(dual, 0.0), terms))
        self._warn("Raise max_passes, change the rate, or scale the columns.")
        return self


def _errors(A: Vectors, w: np.ndarray) -> float:
    """The weight of the vectors on the wrong side."""
    return float(A.weight @ ((A @ w) <= 0))
