"""The updates of a run, one by one, with all their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ..loop.trace import updates
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
    X: np.ndarray, sign: np.ndarray, target: Any, rule: Any, *, bias: str = "augmented", max_updates: int = 60,
    start: Any = None,
) -> Iterator[ReplayedUpdate]:  # fmt: skip
    """Run the single-sample loop from ``start`` (None: 0) and yield its updates; the arguments are those of `animate`.

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
    rows = points(X, sign, bias=1.0 if bias == "augmented" else 0.0)
    part: Any = differences([rows])[0] if bias == "free" else rows
    size = X.shape[1] + (bias == "augmented")
    return _replay(part, target, rule, None if start is None else check_start(start, size), max_updates, size)


def replay_ellipsoids(part: Any, target: Any, rule: Any, start: Any, max_updates: int) -> Iterator[ReplayedUpdate]:
    """Run the loop on ellipsoids (`linsep.oracles.ellipsoids`) and yield its updates; a is the lowest point (F3)."""
    return _replay(part, target, rule, start, max_updates, part.size)


# many arguments because: it is private, and both callers name them
def _replay(part, target, rule, start, most: int, size: int) -> Iterator[ReplayedUpdate]:
    """Run the loop; of its vectors, ``size`` numbers are shown."""
    full = None if start is None else np.append(start, np.zeros(part.size - size))
    for update in islice(updates([part], target, rule, most=max(most, 1), start=full), most):
        a, before, after = (each[:size] for each in (update.a, update.before, update.w))
        rival, total = -1 if update.rival is None else update.rival, update.state.counters.total
        numbers = (update.wa, update.goal, update.alpha, update.beta)
        yield ReplayedUpdate(update.row, rival, a, *numbers, before, after, total)


def check_start(start: Any, size: int) -> np.ndarray:
    """Return an initial w of so many numbers."""
    w = np.array(start, dtype=np.float64)
    if w.shape != (size,) or not np.isfinite(w).all():
        raise ValueError(f"start: expected {size} finite numbers, got {w.tolist()}.")
    return w


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
