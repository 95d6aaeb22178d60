"""The updates of a run, one by one, with every number in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ..loop.learn import trace
from ..oracles import differences, points
from ..rules import Scheduled
from .style import number, vector

BIASES = ("augmented", "free", "none")


class Update(NamedTuple):
    """One update, w <- alpha w + beta a. Vectors end in the bias only where it is augmented."""

    row: int  # the violated row
    rival: int  # the row of the other class in the difference a (free bias), or -1
    a: np.ndarray
    wa: float  # <w,a> before
    goal: float  # what it had to exceed
    alpha: float
    beta: float
    before: np.ndarray
    after: np.ndarray
    mass: float  # after


def replay(
    X: np.ndarray, sign: np.ndarray, target: Any, rule: Any, bias: str = "augmented", most: int = 60
) -> Iterator[Update]:
    """Run the single-sample loop from w = 0, at most ``most`` updates.

    >>> from linsep.rules import Increment
    >>> from linsep.targets import Margin
    >>> X, sign = np.array([[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]]), np.array([-1, -1, 1])
    >>> for update in replay(X, sign, Margin(0.0), Increment(1.0)):
    ...     print(formula(update))
    w ← w + 1·(-0.5, -3, -1) = (0, 0, 0) + (-0.5, -3, -1) = (-0.5, -3, -1)
    w ← w + 1·(4.5, 1, 1) = (-0.5, -3, -1) + (4.5, 1, 1) = (4, -2, 0)
    w ← w + 1·(-1.5, -2.5, -1) = (4, -2, 0) + (-1.5, -2.5, -1) = (2.5, -4.5, -1)
    """
    if bias not in BIASES:
        raise ValueError(f"bias={bias!r}: one of {', '.join(map(repr, BIASES))} is wanted.")
    rows = points(X, sign, bias=1.0 if bias == "augmented" else 0.0)
    part: Any = differences([rows])[0] if bias == "free" else rows
    size = X.shape[1] + (bias == "augmented")
    w, mass = np.zeros(size), 0.0
    for t, (row, state) in enumerate(islice(trace([part], target, rule, most=max(most, 1)), most)):
        rival = int(part.row[1 - sign[row]]) if bias == "free" else -1
        a = vector_of(X, sign, row, rival, bias)
        wa, ww, aa = float(w @ a), float(w @ w), float(a @ a)
        goal = target.goal(ww, mass)
        ready = rule.ready(t, 1) if isinstance(rule, Scheduled) else rule
        alpha, beta = ready.step(t, wa, ww, aa, goal)
        after = state.weights[:size]
        mass = state.tick.mass
        yield Update(row, rival, a, wa, goal, float(alpha), float(beta), w, after, mass)
        w = after


def vector_of(X: np.ndarray, sign: np.ndarray, row: int, rival: int = -1, bias: str = "augmented") -> np.ndarray:
    """The vector a of a row: mirrored, and augmented or halved with its rival (B2).

    >>> vector_of(np.array([[0.5, 3.0]]), np.array([-1]), 0)
    array([-0.5, -3. , -1. ])
    """
    a = sign[row] * X[row]
    if bias == "augmented":
        return np.append(a, float(sign[row]))
    return 0.5 * (a + sign[rival] * X[rival]) if rival >= 0 else a


def formula(update: Update) -> str:
    """An update with its numbers.

    >>> a, w = np.array([2.0, 0.0]), np.array([0.0, 2.0])
    >>> formula(Update(0, -1, a, 0.0, 0.0, 0.5, 0.5, w, 0.5 * w + 0.5 * a, 1.0))
    'w ← 0.5·(0, 2) + 0.5·(2, 0) = (1, 1)'
    """
    beta, a, before, after = number(update.beta), vector(update.a), vector(update.before), vector(update.after)
    if update.alpha == 1.0:
        return f"w ← w + {beta}·{a} = {before} + {vector(update.beta * update.a)} = {after}"
    return f"w ← {number(update.alpha)}·{before} + {beta}·{a} = {after}"
