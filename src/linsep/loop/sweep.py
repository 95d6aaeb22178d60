"""The loop: visit a set, take its lowest vector, and move w if it is violated.

This is the page to read first. `sweep` repairs each violated set at once (single sample); `batch_pass` sums the
repairs of a whole pass while w is fixed. Both are ordinary Python that Numba compiles; ``sweep.py_func`` is the
interpreted reference.

Three things make an update cheap. The kernel holds w as ``scale * w``, so that ``alpha w`` costs one
multiplication. ``ww = <w,w>`` follows w by a recurrence, now and then refreshed, and only for those who need
it. And ``dual_weights`` count how much of each vector is in w (in units of ``scale``): the proof of every upper bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowed, compiled, component, constant
from ..rows.matrix import squared_length, weight_of

TINY = 1e-100  # a scale below this is multiplied out
REFRESH = 1024  # updates after which <w,w> is computed again; as many as w has numbers, if that is more


class Task(NamedTuple):
    """What is to be learned, and how."""

    oracle: tuple
    target: tuple
    rule: tuple
    keeper: tuple


class Counters(NamedTuple):
    """Where a sweep stands."""

    updates: int = 0  # updates made
    satisfied: int = 0  # sets found satisfied in a row since the last update
    visited: int = 0  # visits made in the last sweep
    total: float = 0.0  # w / total lies in the convex hull of the vectors
    scale: float = 1.0  # the true w is scale * w
    seen: float = 0.0  # the sum of all scales: what an average divides by
    ww: float = 0.0  # <w,w>, for those who need it


@compiled
def sweep(task, w, dual_weights, counters, order, enough, budget):
    """Visit the sets in ``order``; repair each violated one at once.

    Ends early after ``enough`` satisfied sets in a row, or at ``budget`` updates in all.
    """
    (oracle, target, rule, keeper), w, dual_weights = borrowed((task, w, dual_weights))
    updates, satisfied, visited, total, scale, seen, ww = counters
    norms = constant(rule, "NEEDS_NORM", True) or constant(target, "NEEDS_NORM", True)
    oracle.w_changed(w)
    visited = 0
    while visited < order.size and satisfied < enough and updates != budget:
        i = order[visited]
        visited += 1
        score, slot = oracle.lowest(w, i)
        wa = scale * score
        goal = target.goal(ww, total)
        if wa > goal:
            satisfied += 1
        else:
            aa = oracle.squared_norm(i, slot) if norms else 0.0
            alpha, beta = rule.step(updates, wa, ww, aa, goal)
            if constant(rule, "WEIGHTED", True):
                beta *= weight_of(oracle.weight, i)
            if alpha != 1.0:
                scale *= alpha
                if scale < TINY:
                    keeper.rescale(w, seen)
                    w *= scale
                    dual_weights *= scale
                    seen, scale = 0.0, 1.0
            keeper.update(oracle, i, slot, seen * beta / scale)
            oracle.add(w, i, slot, beta / scale)
            oracle.record(dual_weights, i, slot, beta / scale)
            oracle.w_changed(w)
            total = alpha * total + beta
            updates += 1
            if norms:
                largest = alpha * alpha * ww + beta * beta * aa
                ww = largest + 2.0 * alpha * beta * wa
                if updates % max(REFRESH, w.size) == 0 or ww < 1e-6 * largest:  # drift, or cancellation
                    ww = scale * scale * squared_length(w)
            satisfied = 0
        seen += scale
    return Counters(updates, satisfied, visited, total, scale, seen, ww)


@component
class BatchSums(NamedTuple):
    """What a pass with w fixed found. The sums of blocks are merged: sums, counts, a minimum."""

    violated: int  # vectors with <w,a> <= goal
    weight: float  # their weight
    errors: float  # the weight of vectors with <w,a> <= 0
    total: float  # the sum of the weights in the batch sum
    lowest: float  # the least <w,a>

    def merge(self, other):
        """The sums of both."""
        return BatchSums(
            self.violated + other.violated, self.weight + other.weight, self.errors + other.errors,
            self.total + other.total, min(self.lowest, other.lowest),
        )  # fmt: skip


@compiled
def batch_pass(task, w, rows, goal, batch_sum, dual_weights):
    """Visit ``rows``, at most one block, with w fixed; add the violated vectors to ``batch_sum``."""
    (oracle, target, rule, _), w, batch_sum, dual_weights = borrowed((task, w, batch_sum, dual_weights))
    norms = constant(rule, "NEEDS_NORM", True) or constant(target, "NEEDS_NORM", True)
    violated, weight, errors, total, lowest = 0, 0.0, 0.0, 0.0, np.inf
    for i in rows:
        wa, slot = oracle.lowest(w, i)
        lowest = min(lowest, wa)
        if wa <= goal:
            own = weight_of(oracle.weight, i)
            if wa <= 0.0:
                errors += own
            beta = own * rule.batch_weight(wa, oracle.squared_norm(i, slot) if norms else 0.0, goal)
            oracle.add(batch_sum, i, slot, beta)
            oracle.record(dual_weights, i, slot, beta)
            violated += 1
            weight += own
            total += beta
    return BatchSums(violated, weight, errors, total, lowest)
