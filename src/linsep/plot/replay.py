"""The updates of a run, one by one, with all their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ..loop.passes import trace
from ..oracles import differences, points
from .style import format_number, format_vector

BIASES = ("augmented", "free", "none")


class ReplayedUpdate(NamedTuple):
    """One update, w <- alpha w + beta a. Vectors end in the bias only if it is augmented."""

    row: int  # the violated row
    rival: int  # with a free bias the row of the other class in the difference a, otherwise -1
    a: np.ndarray
    wa: float  # <w,a> before
    goal: float  # what <w,a> had to exceed
    alpha: float
    beta: float
    before: np.ndarray
    after: np.ndarray
    total_weight: float  # after


def replay_updates(
    X: np.ndarray, sign: np.ndarray, target: Any, rule: Any, *, bias: str = "augmented", max_updates: int = 60
) -> Iterator[ReplayedUpdate]:
    """Run the single-sample loop from w = 0 and yield its updates; the arguments are those of `animate`.

    >>> from linsep.rules import Increment
    >>> from linsep.targets import Margin
    >>> X, sign = np.array([[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]]), np.array([-1, -1, 1])
    >>> for update in replay_updates(X, sign, Margin(0.0), Increment(1.0)):
    ...     print(format_update(update))
    w ← w + 1·(-0.5, -3, -1) = (0, 0, 0) + (-0.5, -3, -1) = (-0.5, -3, -1)
    w ← w + 1·(4.5, 1, 1) = (-0.5, -3, -1) + (4.5, 1, 1) = (4, -2, 0)
    w ← w + 1·(-1.5, -2.5, -1) = (4, -2, 0) + (-1.5, -2.5, -1) = (2.5, -4.5, -1)
    """
    if bias not in BIASES:
        raise ValueError(f"bias: expected one of {', '.join(map(repr, BIASES))}, got {bias!r}.")
    w, total = np.zeros(X.shape[1] + (bias == "augmented")), 0.0
    for t, (row, rival, after) in enumerate(islice(_trace_rows(X, sign, target, rule, bias, max_updates), max_updates)):
        a = compute_vector(X, sign, row, rival, bias)
        wa, ww, aa = float(w @ a), float(w @ w), float(a @ a)
        goal = target.goal(ww, total)
        alpha, beta = map(float, rule.step(t, wa, ww, aa, goal))
        total = alpha * total + beta
        yield ReplayedUpdate(row, rival, a, wa, goal, alpha, beta, w, after[: w.size], total)
        w = after[: w.size]


def _trace_rows(X, sign, target, rule, bias: str, max_updates: int) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield the row of each update, its rival (-1: none) and the w after it."""
    rows = points(X, sign, bias=1.0 if bias == "augmented" else 0.0)
    part: Any = differences([rows])[0] if bias == "free" else rows
    for row, state in trace([part], target, rule, most=max(max_updates, 1)):
        yield row, int(part.number[1 - sign[row]]) if bias == "free" else -1, state.weights


def compute_vector(X: np.ndarray, sign: np.ndarray, row: int, rival: int = -1, bias: str = "augmented") -> np.ndarray:
    """Return the vector a of a row: mirrored, and augmented, or halved with its rival (B2).

    >>> compute_vector(np.array([[0.5, 3.0]]), np.array([-1]), 0)
    array([-0.5, -3. , -1. ])
    """
    a = sign[row] * X[row]
    if bias == "augmented":
        return np.append(a, float(sign[row]))
    return 0.5 * (a + sign[rival] * X[rival]) if rival >= 0 else a


def format_update(update: ReplayedUpdate) -> str:
    """Format an update with its numbers.

    >>> a, w = np.array([2.0, 0.0]), np.array([0.0, 2.0])
    >>> format_update(ReplayedUpdate(0, -1, a, 0.0, 0.0, 0.5, 0.5, w, 0.5 * w + 0.5 * a, 1.0))
    'w ← 0.5·(0, 2) + 0.5·(2, 0) = (1, 1)'
    """
    alpha, beta = format_number(update.alpha), format_number(update.beta)
    a, before, after = format_vector(update.a), format_vector(update.before), format_vector(update.after)
    if update.alpha == 1.0:
        return f"w ← w + {beta}·{a} = {before} + {format_vector(update.beta * update.a)} = {after}"
    return f"w ← {alpha}·{before} + {beta}·{a} = {after}"
