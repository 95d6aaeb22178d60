r"""Any network: sequential tree-reweighted messages (TRW-S), a bound that falls, and labellings decoded on the way.

Nodes are visited in order, forth and back. A node adds up its table and all messages it has got, D; to each edge ahead
it gives an equal share of D and sends :math:`M(y') = \max_y \gamma D(y) - M_{back}(y) + \theta(y, y')`. Each pass back
ends with an upper bound no worse than before; where the shares agree on a labelling it is met and the labelling is
proved best. Labels that the bound excludes may be left out (`prune`), which often leaves a problem that elimination
finishes.

V. Kolmogorov, *Convergent tree-reweighted message passing for energy minimization*, 2006.
"""

from __future__ import annotations

import time

import numpy as np

from ..jit import compiled
from .answer import finish
from .bound import upper_bound
from .local import improve, score, wander
from .network import Answer, Network

BATCH = 20  # passes between two looks at the bounds
KICKS = 1000  # of the local search between two looks
WORK = 1e8  # sums that it may cost


class Messages:
    """TRW-S under way: messages, the best bound proved, the best labelling decoded."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.tame, self.forbids = network.tamed()
        self.messages = np.zeros(int(network.spot[-1]))
        self.share = shares(network)
        self.best = network.unary_best()
        self.value = network.value(self.best)
        self.upper, self.error = upper_bound(self.tame, self.messages, self.share)
        self.proof = self.messages.copy()
        self.passes = 0
        self.random = np.random.default_rng(0)
        room = int(network.labels.max())
        self._scratch = np.empty(room), np.empty(room)
        self._labels = np.empty(network.n, dtype=np.int64)

    @property
    def rounding(self) -> float:
        """How far bound and value may be apart by rounding."""
        return 4.0 * self.error

    @property
    def proved(self) -> bool:
        """Whether the best labelling is known to be best."""
        return self.upper - self.value <= self.rounding

    def run(self, passes: int) -> float:
        """Some passes forth and back; returns by how much the bound fell."""
        for _ in range(passes):
            forth(self.tame, self.messages, self._labels, *self._scratch)
            improve(self.tame, self._labels, self._scratch[0])
            self.offer(self._labels)
            back(self.tame, self.messages, *self._scratch)
        self.passes += passes
        upper, error = upper_bound(self.tame, self.messages, self.share)
        fell = self.upper - upper
        if fell > 0.0:
            self.upper, self.error = upper, error
            self.proof[:] = self.messages
        return fell

    def offer(self, labels: np.ndarray) -> None:
        """Take a labelling if it is better than the best so far."""
        value = score(self.network, labels)
        if value > self.value:
            exact = self.network.value(labels)
            if exact > self.value:
                self.best, self.value = labels.copy(), exact

    def wander(self, kicks: int) -> None:
        """Look for a better labelling around the best one, if it is not proved to be that."""
        if self.proved or self.network.m == 0:
            return
        labels, n = self.best.copy(), self.network.n
        degree = 2.0 * self.network.m / n
        kicks = min(kicks, int(WORK / (degree * degree * self.network.labels.mean() + 50.0)))
        room = np.empty(n + 1, dtype=np.int64), np.zeros(n, dtype=np.bool_), np.empty((4 * n + 16, 2), dtype=np.int64)
        for done in range(0, kicks, KICKS):
            dice = self.random.integers(0, 2**31, size=(min(KICKS, kicks - done), 8))
            wander(self.tame, labels, dice, *room, self._scratch[0])
            self.offer(labels)

    def answer(self, began: float, note: str = "") -> Answer:
        """What is known now."""
        note = ", ".join(part for part in (f"{self.passes} passes", note) if part)
        return finish(self.network, self.best, self.upper, self.rounding, "trws", began, note)


def trws(
    network: Network, passes: int = 1000, seconds: float = 60.0, patience: float = 1e-7, kicks: int = 20_000
) -> Answer:
    """The best labelling decoded within a number of ``passes`` or ``seconds``, and a bound.

    Ends early when both meet, or when 40 passes lowered the bound by less than ``patience`` times the gap; then
    ``kicks`` of a local search look for a better labelling.

    >>> ring = Network.of([[0.0, 1.0], [0.5, 0.0], [0.0, 0.0]], [(0, 1), (1, 2), (2, 0)], [[1.0, 0.0], [0.0, 1.0]])
    >>> answer = trws(ring)
    >>> answer.labels, answer.value, answer.status
    (array([1, 1, 1]), 4.0, 'optimal')
    """
    began = time.perf_counter()
    state = refine(Messages(network), passes, seconds, patience)
    state.wander(kicks)
    return state.answer(began)


def refine(state: Messages, passes: int = 1000, seconds: float = 60.0, patience: float = 1e-7) -> Messages:
    """Run until proved, stalled, or out of passes or time."""
    until = time.perf_counter() + seconds
    batch, stalled = 2, 0
    while not state.proved and state.passes < passes and time.perf_counter() < until and stalled < 2:
        fell = state.run(min(batch, passes - state.passes))
        stalled = 0 if fell > patience * (state.upper - state.value) or batch < BATCH else stalled + 1
        batch = min(2 * batch, BATCH)
    return state


def shares(network: Network) -> np.ndarray:
    """What the head of every edge gives to it on the way back: 1 / the larger of its edges ahead and behind."""
    degree = 1.0 / np.maximum(crossing(network), 1)
    return degree[network.head]


def crossing(network: Network) -> np.ndarray:
    """The number of monotone chains through every node: the larger of its edges to lower and to higher nodes."""
    below = np.bincount(network.head, minlength=network.n)
    above = np.bincount(network.tail, minlength=network.n)
    return np.maximum(below, above)


@compiled
def forth(network, messages, labels, own, decode):
    """One pass in the order of the nodes; decodes a labelling on the way.

    A node takes the label that is best with the labels already chosen and the messages from those to come.
    """
    for v in range(network.labels.size):
        begin, count = network.node[v], network.labels[v]
        for k in range(count):
            own[k] = network.unary[begin + k]
            decode[k] = own[k]
        below = 0
        for a in range(network.start[v], network.start[v + 1]):
            e = network.arc[a]
            if network.head[e] == v:
                below += 1
                at = network.spot[e] + network.labels[network.tail[e]]
                row = network.table[e] + labels[network.tail[e]] * count
                for k in range(count):
                    own[k] += messages[at + k]
                    decode[k] += network.pairwise[row + k]
            else:
                at = network.spot[e]
                for k in range(count):
                    own[k] += messages[at + k]
                    decode[k] += messages[at + k]
        best = 0
        for k in range(1, count):
            if decode[k] > decode[best]:
                best = k
        labels[v] = best
        above = network.start[v + 1] - network.start[v] - below
        gamma = 1.0 / max(below, above, 1)
        for a in range(network.start[v] + below, network.start[v + 1]):
            e = network.arc[a]
            columns = network.labels[network.head[e]]
            at = network.spot[e]
            to = at + count
            out = messages[to : to + columns]  # slices: an index that can't be negative need not be checked
            for j in range(columns):
                out[j] = -np.inf
            for k in range(count):
                mine = gamma * own[k] - messages[at + k]
                row = network.table[e] + k * columns
                line = network.pairwise[row : row + columns]
                for j in range(columns):
                    found = mine + line[j]
                    out[j] = found if found > out[j] else out[j]
            level(messages, to, columns)


@compiled
def back(network, messages, own, other):
    """One pass against the order of the nodes; returns the bound, but for its rounding."""
    bound = network.constant
    for v in range(network.labels.size - 1, -1, -1):
        begin, count = network.node[v], network.labels[v]
        for k in range(count):
            own[k] = network.unary[begin + k]
        below = 0
        for a in range(network.start[v], network.start[v + 1]):
            e = network.arc[a]
            if network.head[e] == v:
                below += 1
                at = network.spot[e] + network.labels[network.tail[e]]
            else:
                at = network.spot[e]
            for k in range(count):
                own[k] += messages[at + k]
        gamma = 1.0 / max(below, network.start[v + 1] - network.start[v] - below, 1)
        bound += level(own, 0, count)
        for a in range(network.start[v], network.start[v] + below):
            e = network.arc[a]
            rows = network.labels[network.tail[e]]
            to = network.spot[e]
            at = to + rows
            for k in range(count):
                other[k] = gamma * own[k] - messages[at + k]
            for j in range(rows):
                row = network.table[e] + j * count
                line = network.pairwise[row : row + count]
                best = -np.inf
                for k in range(count):
                    found = other[k] + line[k]
                    best = found if found > best else best
                messages[to + j] = best
            bound += level(messages, to, rows)
    return bound


@compiled
def level(messages, begin, count):
    """Subtract the largest of some messages, so that they stay small; returns it."""
    most = messages[begin]
    for k in range(1, count):
        most = max(most, messages[begin + k])
    for k in range(count):
        messages[begin + k] -= most
    return most
