r"""Basic gradient descent (C5) on any criterion J(w): :math:`w \leftarrow w - \eta(k)\,\nabla J(w)`.

The lectures' criteria are functions of the scores :math:`s_i = \langle w,a_i\rangle`, so that
:math:`\nabla J = -A^T r` with the weights :math:`r_i = -\partial J/\partial s_i`:

====================  ==================================================  =============================
``"perceptron"``      :math:`J_p = \sum_{s \le b} (b - s)`                r = 1
``"relaxation"``      :math:`J_r = \frac12\sum_{s \le b} (s-b)^2/|a|^2`   r = :math:`(b-s)/|a|^2`
``"squares"``         :math:`J_s = \sum (s-b)^2`                          r = :math:`2(b-s)`
====================  ==================================================  =============================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..loop.trace import Update
from ..rows.matrix import VectorMatrix
from ..rows.rivals import RivalMatrix
from ..rules import rate_of

Vectors = VectorMatrix | RivalMatrix


class Criterion(NamedTuple):
    """J and its gradient, functions of w and the vectors A; ``row_weights`` r where the gradient is -A'r."""

    value: Callable[[np.ndarray, Vectors], float]
    gradient: Callable[[np.ndarray, Vectors], np.ndarray]
    row_weights: Callable[[np.ndarray, Vectors], np.ndarray] | None = None


def named_criterion(name: str, b: Any) -> Criterion:
    """J_p, J_r or J_s with margin (or margins) b."""

    def short(w, A):  # how far each vector is from its margin, 0 if it is past it
        s = A @ w
        return np.where(s <= b, b - s, 0.0), s <= b

    def squares(A):  # |a|^2; a vector of 0, which no w satisfies, counts for nothing
        return np.where(A.squares > 0, A.squares, math.inf)

    makers: dict[str, tuple[Callable, Callable]] = {
        "perceptron": (
            lambda w, A: float(A.weight @ short(w, A)[0]),
            lambda w, A: A.weight * short(w, A)[1],
        ),
        "relaxation": (
            lambda w, A: 0.5 * float(A.weight @ (short(w, A)[0] ** 2 / squares(A))),
            lambda w, A: A.weight * short(w, A)[0] / squares(A),
        ),
        "squares": (
            lambda w, A: float(A.weight @ (A @ w - b) ** 2),
            lambda w, A: 2.0 * A.weight * (b - A @ w),
        ),
    }
    value, row_weights = makers[name]
    return Criterion(value, lambda w, A: -(A.T @ row_weights(w, A)), row_weights)


class Step(NamedTuple):
    """One step of the descent."""

    w: np.ndarray
    before: np.ndarray
    gradient: np.ndarray
    value: float  # J before the step
    rate: float
    moved: float  # |rate * gradient|
    row_weights: np.ndarray | None


def take_step(A: Vectors, criterion: Criterion, w: np.ndarray, rate: float | None, guess: float = 1.0) -> Step:
    """w - rate * gradient; without a rate, the largest of guess, guess/2, ... that lowers J enough (Armijo)."""
    value = criterion.value(w, A)
    row_weights = None if criterion.row_weights is None else criterion.row_weights(w, A)
    gradient = criterion.gradient(w, A) if row_weights is None else -(A.T @ row_weights)
    gradient = np.asarray(gradient, dtype=np.float64)
    if gradient.shape != w.shape:
        raise ValueError(f"criterion: expected a gradient of shape {w.shape}, got {gradient.shape}.")
    square = float(gradient @ gradient)
    _require_finite(value + square)
    if rate is None:
        rate = guess
        while square > 0 and not criterion.value(w - rate * gradient, A) <= value - 0.5 * rate * square:
            rate *= 0.5
            if rate * square <= 1e-16 * max(abs(value), 1e-300):  # rounding hides any lower value
                return Step(w, w, gradient, value, 0.0, 0.0, row_weights)
    after = w - rate * gradient
    _require_finite(float(after @ after))
    return Step(after, w, gradient, value, rate, rate * square**0.5, row_weights)


def _require_finite(number: float) -> None:
    if not math.isfinite(number):
        raise ValueError(
            "criterion: J or its gradient is not finite. Either w has run away (lower the rate), or they are wrong."
        )


def descend(A: Vectors, criterion: Criterion, w: np.ndarray, schedule: Any = None, first: int = 0) -> Iterator[Step]:
    """Steps without end; ``schedule`` is a rule whose rates are those of steps ``first + 1``, ..., None searches."""
    guess, k = 1.0, first
    while True:
        rate = None if schedule is None else rate_of(schedule, k + 1)
        step = take_step(A, criterion, w, rate, guess)
        yield step
        w, guess, k = step.w, 2.0 * step.rate if step.rate > 0 else guess, k + 1


def trace_descent(steps: Iterator[Step], A: Vectors, short: Callable[[Step], bool]) -> Iterator[Update]:
    """The steps as updates w + rate (-gradient), until one of them is ``short``."""
    for number, step in enumerate(steps, start=1):
        used = np.arange(A.shape[0]) if step.row_weights is None else np.flatnonzero(step.row_weights)
        yield Update(
            number, -1, step.w, step.before, -step.gradient, 1.0, step.rate, 0.0 - float(step.before @ step.gradient),
            math.nan, np.unique(used // A.rivals), passes=number, visits=number * (A.shape[0] // A.rivals),
            value=step.value, state=step,
        )  # fmt: skip
        if short(step):
            return
