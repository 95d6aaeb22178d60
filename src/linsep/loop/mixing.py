r"""Sequential rules in parts: every part learns by itself from one w, and what they have learned is mixed.

Iterative parameter mixing (McDonald, Hall and Mann, 2010). In every pass part i starts at the w of all, visits its own
sets, and ends with w_i after k_i updates. Then w is the mean of the w_i, weighed by their updates:

.. math:: w \leftarrow \sum_i \mu_i w_i, \qquad \mu_i = k_i / \sum_j k_j .

A pass without updates is the end: w reaches the target on all sets. For data of margin m, whose longest vector has the
length D, the perceptron of fixed increment has

.. math:: \sum_{passes} \sum_i \mu_i k_i \;\le\; D^2 / m^2 ,

since the sum adds at least m times itself to <w,u>, for the unit vector u of that margin, and, the square being convex,
at most D^2 times itself to |w|^2. Each pass that is not the last adds 1 or more: at most D^2/m^2 passes have
updates. It is not the w of one machine. w is a weighted sum of vectors as ever, and the bounds of certificates hold.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..jit import kernel_for
from ..oracles.update_log import Entries, take_entries
from ..protocols import declared
from .batch import PackedWeights
from .keep import Average, Last
from .order import visits
from .sweep import Counters, Task, sweep


class Change(NamedTuple):
    """A vector by its difference from one that both sides know: what is sparse stays so on the wire.

    >>> change = Change.of(np.array([0.0, 5.0, 0.0, 1.0]), np.array([0.0, 4.0, 0.0, 1.0]))
    >>> change.places, change.apply(np.array([0.0, 4.0, 0.0, 1.0]))
    (array([1]), array([0., 5., 0., 1.]))
    """

    places: np.ndarray  # empty: the values are the whole vector
    values: np.ndarray

    @classmethod
    def of(cls, after: np.ndarray, before: np.ndarray) -> Change:
        """What has changed, or all, if that is shorter."""
        places = np.flatnonzero(after != before)
        few = 0 < 2 * places.size < after.size
        return cls(places, after[places]) if few else cls(places[:0], after)

    def apply(self, before: np.ndarray) -> np.ndarray:
        """The vector."""
        if not self.places.size:
            return self.values
        after = before.copy()
        after[self.places] = self.values
        return after


class Learned(NamedTuple):
    """What a part that made updates has learned in a pass."""

    counters: Counters
    visits: int
    w: Change
    before: float  # how much of the w of all is in w
    weights: PackedWeights  # of the part's own vectors, which are the rest of it
    total: Change  # of w over all visits, where their mean is wanted
    entries: Entries | None  # of labellings: the vectors of the weights


def learn_part(
    part: Any, components: tuple[Any, Any, bool], w: np.ndarray, counters: Counters, order: Any, number: int
) -> Learned | int:
    """Visit every set of a part once, from a w; ``components`` are target, rule, and whether the mean is wanted.

    ``order`` is that of `visits`, or a number that all parts draw theirs from. Without updates it is the visits made.
    """
    target, rule, average = components
    keeper: Last | Average = Average(np.zeros(w.size)) if average else Last(np.zeros(0))
    task, own = Task(part, target, rule, keeper), w.copy()
    weights = np.zeros(part.sign.size * part.slots + 1)
    weights[-1] = 1.0  # that of the w of all, which shrinks as other weights do
    kernel, visited, updates = kernel_for(sweep, *map(type, task)), 0, counters.updates
    for rows in visits(part, np.random.default_rng((order, number)) if isinstance(order, int) else order):
        counters = kernel(task, own, weights, counters, rows, sys.maxsize, -1)
        visited += counters.visited
    if counters.updates == updates:
        return visited
    weights *= counters.scale
    total = Change.of(counters.seen * own - keeper.total, float(visited) * w) if average else Change(w[:0], w[:0])
    own *= counters.scale
    entries = take_entries(part.log) if declared(type(part), "LABELLINGS") else None
    packed = PackedWeights.of(weights[:-1] if entries is None else weights[: entries.example.size])
    return Learned(counters, visited, Change.of(own, w), float(weights[-1]), packed, total, entries)


class Mixed(NamedTuple):
    """The mean of what the parts have learned."""

    w: np.ndarray
    before: float  # how much of the w before is in it
    shares: list[tuple[int, float, Learned]]  # of parts that moved: number, share, and what they learned
    total: float
    seen: np.ndarray  # the sum of w over all visits, where their mean is wanted
    updates: int


def mix(found: Sequence[Learned | int], w: np.ndarray, counters: Counters, average: bool) -> Mixed:
    """The mean of what the parts have learned from w, weighed by their updates, in the order of the parts."""
    moved = [(number, each) for number, each in enumerate(found) if isinstance(each, Learned)]
    updates = [each.counters.updates - counters.updates for _, each in moved]
    made = sum(updates)
    shares = [(number, count / made, each) for (number, each), count in zip(moved, updates, strict=True)]
    seen = np.zeros_like(w if average else w[:0])
    for each in found if average else ():
        seen += float(each) * w if isinstance(each, int) else each.total.apply(float(each.visits) * w)
    if not made:
        return Mixed(w, 1.0, [], counters.total, seen, 0)
    mean = np.zeros_like(w)
    for _, share, each in shares:
        mean += share * each.w.apply(w)
    before = sum(share * each.before for _, share, each in shares)
    return Mixed(mean, before, shares, sum(share * each.counters.total for _, share, each in shares), seen, made)
