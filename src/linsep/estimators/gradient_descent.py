"""Basic gradient descent (C5) on J_p, J_r, J_s or a criterion of your own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..loop.keep import Pocket
from ..loop.stop import Rounds
from ..loop.trace import Update
from ..rows.matrix import VectorMatrix
from ..rows.rivals import RivalMatrix
from ..rules import make_increment
from ..solvers.gradient_descent import Criterion, descend, named_criterion, trace_descent
from ._descent import DescentClassifier
from ._oracles import two_classes
from ._parameters import shared_parameters
from ._types import ClassWeight, Rate
from ._validation import (
    NOT_NEGATIVE,
    POSITIVE,
    Sample,
    StrOptions,
    check_parameters,
    print_record,
    set_parameters,
)


@shared_parameters
class GradientDescent(DescentClassifier):
    r"""Gradient descent: :math:`w \leftarrow w - \eta(k)\,\nabla J(w)` until a step is shorter than theta.

    Of more than two classes a linear machine: J is of Kesler's vectors, by which a row asks for its class to lead each
    other class, :math:`\langle w_y - w_k, (x,1)\rangle`.

    Parameters
    ----------
    criterion : {"perceptron", "relaxation", "squares"} or (function, function), default="relaxation"
        J_p, J_r, J_s, or your own J and its gradient, each called with w (the bias is its last number) and
        the vectors A: use ``A @ w``, ``A.T @ r``, ``A.weight``, ``A.squares`` and ``A.shape``. Of a linear machine w
        has the weights and the bias of one class after the other, A one row for each row of X and other class.
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

    def _needed_by_scaled_rows(self) -> str:
        own = self.rate != "auto" or not isinstance(self.criterion, str)
        return "rate='auto' and a criterion by its name" if own else ""

    def _learns_from_parts(self) -> bool:
        """Whether ``fit`` takes rows that are elsewhere."""
        return True

    def _advice(self) -> str:
        return "Raise max_iter, change the rate, or scale the columns."

    def _updates(self, X, y, sample_weight, most: int, bounds: bool) -> Iterator[Update]:
        """Every step of a fit, for `trace`."""
        check_parameters(self)
        sample = self._sample(X, y, sample_weight)
        A = self._vectors(sample)
        steps = descend(A, self._criterion(), self._start(sample, first=True).ravel(), self._schedule())
        return self._shown(trace_descent(steps, A, lambda step: step.moved < self.theta), most, sample, bounds)

    def _vectors(self, sample: Sample) -> VectorMatrix | RivalMatrix:
        """The rows, or Kesler's vectors, of which the criterion is."""
        parts = two_classes(sample, self.classes_, bias=float(self.fit_intercept))
        return RivalMatrix(*parts) if sample.n_classes else VectorMatrix(*parts)

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

    def _learn(self, sample: Sample, w: np.ndarray) -> None:
        most = 1000 if self.max_iter == "auto" else self.max_iter
        self._descend(sample, w, Rounds(most, self.max_seconds, self._auto_seconds()))

    def _learn_part(self, sample: Sample, w: np.ndarray, first: bool) -> None:
        self._descend(sample, w, None)

    def _descend(self, sample: Sample, start: np.ndarray, rounds: Rounds | None) -> None:
        """Steps until the budget is spent or a step is short; one step without a budget."""
        A = self._vectors(sample)
        w, pocket, dual_weights, first = start.ravel(), Pocket(), np.zeros(A.shape[0]), len(self.history_)
        for k, step in zip(rounds or [1], descend(A, self._criterion(), w, self._schedule(), first), strict=False):
            pocket.offer(w, A.errors(w))
            record = {"pass": first + k, "value": step.value, "errors": pocket.errors}
            self.history_.append(print_record(self.verbose, record))
            w = step.w
            if step.row_weights is not None:
                dual_weights += step.rate * step.row_weights
            if step.moved < self.theta:
                break
        if self.keep == "pocket" or (self.keep == "auto" and self.criterion == "perceptron"):
            pocket.offer(w, A.errors(w))
            w = w if pocket.w is None else pocket.w
        places = A.dual_weights(np.maximum(dual_weights, 0.0))
        self._finish(sample, w.reshape(start.shape), places, len(self.history_), rounds.reason if rounds else "")
