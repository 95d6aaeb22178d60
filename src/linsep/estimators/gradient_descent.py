"""Basic gradient descent (C5) on J_p, J_r, J_s or a criterion of your own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from ..certificates.prove.margin import Outcome, prove_margin
from ..door import Magnitudes
from ..loop.keep import Pocket
from ..loop.stop import Rounds
from ..loop.trace import Update
from ..rows.matrix import VectorMatrix
from ..rules import make_increment
from ..solvers.gradient_descent import Criterion, descend, named_criterion, trace_descent
from ..targets import Margin
from ._linear import LinearClassifier, row_oracle
from ._parameters import shared_parameters
from ._types import ClassWeight, Rate
from ._validation import (
    NOT_NEGATIVE,
    POSITIVE,
    Sample,
    StrOptions,
    all_or_nothing,
    check_parameters,
    print_record,
    set_parameters,
)


@shared_parameters
class GradientDescent(LinearClassifier):
    r"""Gradient descent: :math:`w \leftarrow w - \eta(k)\,\nabla J(w)` until a step is shorter than theta.

    Parameters
    ----------
    criterion : {"perceptron", "relaxation", "squares"} or (function, function), default="relaxation"
        J_p, J_r, J_s, or your own J and its gradient, each called with w (the bias is its last number) and
        the vectors A: use ``A @ w``, ``A.T @ r``, ``A.weight``, ``A.squares`` and ``A.shape``.
    margin : float or None, default=None
        The margin b of the named criteria. None: 0 for "perceptron", the lectures' J_p, and 1 for the others.
    rate : float, "1/k", "1/sqrt(k)", callable or "auto", default="auto"
        :math:`\eta(k)`. "auto": halved until J falls enough (Armijo); 1 for "perceptron", whose J is 0
        at w = 0 already.
    theta : float, default=1e-6
        End when a step, :math:`|\eta\nabla J|`, is shorter than this.
    keep : {"auto", "last", "pocket"}, default="auto"
        "pocket": the w with the fewest errors; "auto": that for "perceptron", else the last.
    max_iter : int or "auto", default="auto"
        Budget of steps; "auto": 1000, and no more than 5 seconds of work, counted from the end of the first step, but
        3 steps at least.

    Attributes
    ----------
    coef_, intercept_, classes_, certificate_, history_, n_iter_
        As for `Perceptron`.

    Examples
    --------
    A criterion of your own, the logistic one:

    >>> import numpy as np
    >>> from linsep import GradientDescent
    >>> J = lambda w, A: float(np.sum(np.logaddexp(0, -(A @ w))))
    >>> gradient = lambda w, A: -(A.T @ (1 / (1 + np.exp(A @ w))))
    >>> rule = GradientDescent(criterion=(J, gradient), max_iter=50).fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    >>> rule.predict([[0.5], [2.8]])
    array([0, 1])
    """

    _parameter_constraints: dict = {
        "criterion": [StrOptions({"perceptron", "relaxation", "squares"}), tuple],
        "margin": [None, NOT_NEGATIVE],
        "rate": [POSITIVE, StrOptions({"auto", "1/k", "1/sqrt(k)"}), callable],
        "theta": [POSITIVE],
        "keep": [StrOptions({"auto", "last", "pocket"})],
    }

    def __init__(
        self, criterion: Any = "relaxation", margin: float | None = None, *, rate: Rate = "auto", theta: float = 1e-6,
        keep: str = "auto", fit_intercept: bool = True, max_iter: int | str = "auto", max_seconds: float | None = None,
        start: Any = None, class_weight: ClassWeight | None = None, warm_start: bool = False, verbose: int = 0,
    ) -> None:  # fmt: skip
        set_parameters(self, locals())

    def _bias_of_rows(self) -> str:
        return "augmented" if self.fit_intercept else "none"

    def _scaled(self, sample: Sample, magnitudes: Magnitudes, partial: bool) -> Sample:
        sample = super()._scaled(sample, magnitudes, partial)
        if sample.scale.exponent and (self.rate != "auto" or not isinstance(self.criterion, str)):
            size = f"{2.0**sample.scale.exponent:.3g}"
            raise ValueError(
                f"X: values of about {size} need rate='auto' and a criterion by its name. Or scale the columns."
            )
        return sample

    def _advice(self) -> str:
        return "Raise max_iter, change the rate, or scale the columns."

    def _takes_many(self) -> bool:
        return False

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and labels.

        Parameters
        ----------
        X, y, sample_weight
            As for `Perceptron`.

        Returns
        -------
        self
        """
        check_parameters(self)
        warm = self.warm_start and hasattr(self, "coef_")
        sample = self._sample(X, y, sample_weight, reset=not warm)
        w = self._present_w(0) if warm else self._first_w((sample.X.shape[1] + 1,))
        self.history_: list[dict[str, float]] = []
        most = 1000 if self.max_iter == "auto" else self.max_iter
        return self._descend(sample, w, Rounds(most, self.max_seconds, self._auto_seconds()))

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One step of descent on these rows.

        Parameters
        ----------
        X, y, classes, sample_weight
            As for `Perceptron`.

        Returns
        -------
        self
        """
        check_parameters(self)
        sample = self._partial_sample(X, y, classes, sample_weight)
        first = not hasattr(self, "coef_")
        if first:
            self.history_ = []
        return self._descend(sample, self._present_w(sample.X.shape[1] + 1), None)

    def _updates(self, X, y, sample_weight, most: int, bounds: bool) -> Iterator[Update]:
        """Every step of a fit, for `trace`."""
        check_parameters(self)
        sample = self._sample(X, y, sample_weight)
        part = row_oracle(sample, bias=float(self.fit_intercept))
        steps = descend(VectorMatrix(part), self._criterion(), self._first_w((part.size,)), self._schedule())
        return self._shown(
            trace_descent(steps, part.sign.size, lambda step: step.moved < self.theta), most, part if bounds else None
        )

    def _criterion(self) -> Criterion:
        if isinstance(self.criterion, str):
            if self.criterion != "perceptron" and self.margin == 0:
                name = {"relaxation": "J_r", "squares": "J_s"}[self.criterion]
                raise ValueError(f"margin=0: {name} is zero at w = 0 then, and nothing is learned. Give a margin > 0.")
            margin = float(self.criterion != "perceptron") if self.margin is None else float(self.margin)
            return named_criterion(self.criterion, margin)
        if len(self.criterion) != 2 or not all(map(callable, self.criterion)):
            raise ValueError(f"criterion: expected two functions, J(w, A) and its gradient, got {self.criterion!r}.")
        return Criterion(*self.criterion)

    def _schedule(self):
        """The rule that has the rates, or None for a search."""
        if isinstance(self.rate, str) and self.rate == "auto":
            return make_increment(1.0) if self.criterion == "perceptron" else None
        return make_increment(self.rate)

    def _descend(self, sample: Sample, w: np.ndarray, rounds: Rounds | None):
        """Steps until the budget is spent or a step is short; one step without a budget."""
        part = row_oracle(sample, bias=float(self.fit_intercept))
        A = VectorMatrix(part)
        pocket, dual_weights, first = Pocket(), np.zeros(A.shape[0]), len(self.history_)
        for k, step in zip(rounds or [1], descend(A, self._criterion(), w, self._schedule(), first), strict=False):
            pocket.offer(w, _errors(A, w))
            record = {"pass": first + k, "value": step.value, "errors": pocket.errors}
            self.history_ = [*self.history_, print_record(self.verbose, record)]
            w = step.w
            if step.row_weights is not None:
                dual_weights += step.rate * step.row_weights
            if step.moved < self.theta:
                break
        if self.keep == "pocket" or (self.keep == "auto" and self.criterion == "perceptron"):
            pocket.offer(w, _errors(A, w))
            w = w if pocket.w is None else pocket.w
        self.n_iter_ = len(self.history_)
        reason = rounds.reason if rounds else ""
        outcome = Outcome(Margin(0.0), part.bias_kind, self.n_iter_, reason, ended=not reason)
        self._publish(w, prove_margin([part], w, np.maximum(dual_weights, 0.0), outcome))
        self._warn()
        return self


def _errors(A: VectorMatrix, w: np.ndarray) -> float:
    """The weight of the vectors on the wrong side."""
    return float(A.weight @ ((A @ w) <= 0))
