"""The loop: visit a set, take its lowest vector, and move w if it is violated.

This is the page to read first. `sweep` repairs each violated set at once (single sample), `tally` sums
the repairs of a whole pass while w stands still (batch), `survey` only looks. All three are ordinary
Python that Numba compiles; ``sweep.py_func`` is the interpreted reference.

Three things make an update cheap. The kernel holds w as ``scale * w``, so that ``alpha w`` costs one
multiplication. ``ww = <w,w>`` follows w by a recurrence, now and then refreshed, and only for those who use
it. And ``dual[i]`` counts how much of row i is in w (in units of ``scale``): the proof of every upper bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import compiled, in_place, norm

TINY = 1e-100  # a scale below this is multiplied out
BLOCK = 4096  # rows of one sum: chunks cut at its multiples give the bits of the whole
REFRESH = 1024  # updates after which <w,w> is computed anew; as many as w has numbers, if that is more


class Task(NamedTuple):
    """What is to be learned, and how."""

    oracle: tuple
    target: tuple
    rule: tuple
    keep: tuple


class Tick(NamedTuple):
    """Where a sweep stands."""

    updates: int = 0  # updates made
    clean: int = 0  # sets found satisfied in a row since the last update
    at: int = 0  # visits made in the last sweep
    mass: float = 0.0  # w / mass lies in the convex hull of the vectors
    scale: float = 1.0  # the true w is scale * w
    seen: float = 0.0  # the sum of all scales: what an average divides by
    ww: float = 0.0  # <w,w>, for those who use it


@compiled
def sweep(task, w, dual, tick, rows, enough, budget):
    """Visit the sets in ``rows``; repair each violated one at once.

    Ends early after ``enough`` satisfied sets in a row, or at ``budget`` updates in all.
    """
    oracle, target, rule, keep = in_place(task.oracle), task.target, task.rule, task.keep
    updates, clean, at, mass, scale, seen, ww = tick
    norms = rule.uses_norms() or target.uses_norms()
    oracle.settle(w)
    at = 0
    while at < rows.size and clean < enough and updates != budget:
        i = rows[at]
        at += 1
        wa = scale * oracle.probe(w, i)
        goal = target.goal(ww, mass)
        if wa > goal:
            clean += 1
        else:
            aa = norm(oracle, rule, target, i)
            alpha, beta = rule.step(updates, wa, ww, aa, goal)
            beta *= rule.weigh(oracle.cost(i))
            if alpha != 1.0:
                scale *= alpha
                if scale < TINY:
                    keep.folded(w, seen)
                    w *= scale
                    dual *= scale
                    seen, scale = 0.0, 1.0
            keep.moved(oracle, i, seen * beta / scale)
            oracle.add(w, i, beta / scale)
            oracle.credit(dual, i, beta / scale)
            oracle.settle(w)
            mass = alpha * mass + beta
            updates += 1
            if norms:
                largest = alpha * alpha * ww + beta * beta * aa
                ww = largest + 2.0 * alpha * beta * wa
                if updates % max(REFRESH, w.size) == 0 or ww < 1e-6 * largest:  # drift, or cancellation
                    ww = scale * scale * square(w)
            clean = 0
        seen += scale
    return Tick(updates, clean, at, mass, scale, seen, ww)


class Tally(NamedTuple):
    """What a whole pass with w at rest found. Tallies of blocks merge: sums, counts, a minimum."""

    violated: int  # vectors with <w,a> <= goal
    weight: float  # their weight
    errors: float  # the weight of vectors with <w,a> <= 0
    mass: float  # sum of the pulls
    lowest: float  # the least <w,a>

    def merge(self, other: Tally) -> Tally:
        """The tally of both."""
        return Tally(
            self.violated + other.violated,
            self.weight + other.weight,
            self.errors + other.errors,
            self.mass + other.mass,
            min(self.lowest, other.lowest),
        )


@compiled
def tally(task, w, rows, goal, total, pulls):
    """Look at ``rows``, at most one `BLOCK`, with w at rest; sum the repairs of the violated ones into ``total``."""
    oracle, target, rule = in_place(task.oracle), task.target, task.rule
    violated, weight, errors, mass, lowest = 0, 0.0, 0.0, 0.0, np.inf
    for i in rows:
        wa = oracle.probe(w, i)
        lowest = min(lowest, wa)
        if wa <= goal:
            cost = oracle.cost(i)
            if wa <= 0.0:
                errors += cost
            pull = cost * rule.pull(wa, norm(oracle, rule, target, i), goal)
            oracle.add(total, i, pull)
            oracle.credit(pulls, i, pull)
            violated += 1
            weight += cost
            mass += pull
    return Tally(violated, weight, errors, mass, lowest)


class Survey(NamedTuple):
    """What can be said of a w by looking at every row once."""

    violated: int  # rows with <w,a> <= 0
    weight: float  # their weight
    lowest: float  # the least <w,a> as computed
    sure: float  # a number that no <w,a> is below, rounding included
    longest: float  # the largest <a,a>
    lowest_negative: float  # the least <w,a> of the negative class
    lowest_positive: float  # the least <w,a> of the positive class


@compiled
def survey(oracle, w, rows, slack):
    """Look at ``rows``; a scalar product is trusted to ``slack * |a|``."""
    violated, weight, sure, longest = 0, 0.0, np.inf, 0.0
    negative, positive = np.inf, np.inf
    for i in rows:
        wa = oracle.probe(w, i)
        aa = oracle.square(i)
        if wa <= 0.0:
            violated += 1
            weight += oracle.cost(i)
        sure = min(sure, wa - slack * np.sqrt(aa))
        longest = max(longest, aa)
        if oracle.side(i) < 0:
            negative = min(negative, wa)
        else:
            positive = min(positive, wa)
    return Survey(violated, weight, min(negative, positive), sure, longest, negative, positive)


@compiled
def scores(oracle, w, rows, out):
    """Write <w,a> of ``rows`` into ``out``, by row number."""
    for i in rows:
        out[oracle.first + i] = oracle.probe(w, i)


@compiled
def profiles(rows, w, out):
    """Write the scores of all classes of all rows into ``out``, a row a row."""
    for i in range(out.shape[0]):
        rows.profile(w, i, out[i])


@compiled
def compose(oracle, dual, rows, total):
    """Add what ``dual`` holds of ``rows`` to ``total``; returns the sum of the lengths in it."""
    length = 0.0
    for i in rows:
        length += oracle.recall(dual, i, total)
    return length


@compiled
def square(w):
    """<w,w>, summed in order: the interpreted and the compiled text agree to the bit."""
    ww = 0.0
    for j in range(w.size):
        ww += w[j] * w[j]
    return ww
