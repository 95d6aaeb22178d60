r"""Any network: sequential tree-reweighted message passing (TRW-S), with an upper bound that never rises.

Nodes are visited in order, forward and backward. A node adds its table and all messages sent to it, D; to each edge
ahead it gives an equal share of D and sends :math:`M(y') = \max_y \gamma D(y) - M_{back}(y) + \theta(y, y')`. Each
backward pass ends with an upper bound no worse than before; labellings are decoded in the forward passes. Where the
shares agree on a labelling, its value meets the bound and it is proved best. Labels that the bound excludes may be left
out (`open_part`), which often leaves a network that elimination can solve.

V. Kolmogorov, *Convergent tree-reweighted message passing for energy minimization*, 2006.
"""

from __future__ import annotations

import time

import numpy as np

from ..jit import compiled
from .answer import Answer, make_answer
from .bound import upper_bound
from .deadline import NEVER, PIECE, Deadline, pieces
from .local_search import improve_labels, perturb_and_improve, score_labelling
from .network import Network, require_network

BATCH = 20  # passes between two computations of the bound
TRIALS = 1000  # trials of the local search between two comparisons
SWEEPS = 100  # calls that improve a labelling
AT_ONCE = 50  # trials between two readings of the clock
WORK = 1e8  # the most additions of the local search, about


class MessagePassing:
    """A run of TRW-S: messages, the best bound proved, the best labelling found."""

    def __init__(self, network: Network) -> None:
        self.network, self.finite = network, network.make_finite()
        self.messages = np.zeros(int(network.message_start[-1]))
        self.share = compute_shares(network)
        self.labels = network.best_unary_labels()
        self.value = network.value(self.labels)
        self.upper, self.error = upper_bound(self.finite, self.messages, self.share)
        self.proof = self.messages.copy()  # the messages of the best bound
        self.passes = 0
        self.engine = "trws"  # the engines that found the labelling and the bound
        self.random = np.random.default_rng(0)
        size = int(network.n_labels.max())
        self._scratch = np.empty(size), np.empty(size)
        self._decoded = np.zeros(network.n_nodes, dtype=np.int64)
        self.decoded, self.decoded_score = self.labels.copy(), -np.inf  # the best labelling decoded by the passes
        rows, columns = (network.n_labels[end].astype(np.float64) for end in (network.tail, network.head))
        self._work = float(rows @ columns) + network.unary.size  # additions of a pass, about
        self._pieces = pieces(network.n_nodes, self._work)

    @property
    def rounding(self) -> float:
        """How far bound and value of one labelling may differ by rounding errors."""
        return 4.0 * self.error

    @property
    def proved(self) -> bool:
        """Whether the best labelling found is proved best."""
        return self.upper - self.value <= self.rounding

    def run(self, passes: int, deadline: Deadline = NEVER) -> float:
        """Some passes forward and backward, fewer at the deadline; returns by how much the bound fell."""
        for _ in range(passes):
            if not self._pass(deadline):
                break
            self.passes += 1
        upper, error = upper_bound(self.finite, self.messages, self.share)
        fell = self.upper - upper
        if fell > 0.0:
            self.upper, self.error = upper, error
            self.proof[:] = self.messages
        return fell

    def _pass(self, deadline: Deadline) -> bool:
        """One pass in short pieces; whether it was finished. Any messages are a proof, so it may end anywhere."""
        for first, last in self._pieces:
            forward_pass(self.finite, self.messages, self._decoded, *self._scratch, first, last)
            if deadline.over:
                return False
        sweeps = max(1, int(PIECE / self._work))
        for _ in range(SWEEPS):  # rounding might let labels change for ever
            if not improve_labels(self.finite, self._decoded, self._scratch[0], sweeps) or deadline.over:
                break
        self._keep_decoded()
        for first, last in reversed(self._pieces):
            backward_pass(self.finite, self.messages, *self._scratch, first, last)
            if deadline.over:
                return False
        return True

    def run_until_stalled(self, passes: int = 1000, deadline: Deadline = NEVER, patience: float = 1e-7) -> None:
        """Run until proved, stalled, or out of passes (counted from the first) or time."""
        batch, stalled = 2, 0
        while not self.proved and self.passes < passes and not deadline.over and stalled < 2:
            fell = self.run(min(batch, passes - self.passes), deadline)
            stalled = 0 if fell > patience * (self.upper - self.value) or batch < BATCH else stalled + 1
            batch = min(2 * batch, BATCH)

    def _keep_decoded(self) -> None:
        """Keep the decoded labelling if it is better than those decoded before, whatever other engines found."""
        score = score_labelling(self.network, self._decoded)
        if score > self.decoded_score:
            self.decoded_score = score
            self.decoded[:] = self._decoded
            self.keep_if_better(self._decoded)

    def keep_if_better(self, labels: np.ndarray) -> None:
        """Keep a labelling if it is better than the best so far."""
        if score_labelling(self.network, labels) > self.value:
            value = self.network.value(labels)
            if value > self.value:
                self.labels, self.value = labels.copy(), value

    def search_locally(self, trials: int, deadline: Deadline = NEVER) -> None:
        """Look for a better labelling around the best one, unless that is proved best."""
        if self.proved or self.network.n_edges == 0:
            return
        labels, n = self.labels.copy(), self.network.n_nodes
        degree = 2.0 * self.network.n_edges / n
        trials = min(trials, int(WORK / (degree * degree * self.network.n_labels.mean() + 50.0)))
        queue, waiting = np.empty(n + 1, dtype=np.int64), np.zeros(n, dtype=np.bool_)
        log = np.empty((4 * n + 16, 2), dtype=np.int64)
        for done in range(0, trials, TRIALS):
            numbers = self.random.integers(0, 2**31, size=(min(TRIALS, trials - done), 8))
            for at in range(0, len(numbers), AT_ONCE):
                if deadline.over:
                    return
                some = numbers[at : at + AT_ONCE]
                perturb_and_improve(self.finite, labels, some, queue, waiting, log, self._scratch[0])
            self.keep_if_better(labels)

    def answer(self, began: float, engine: str = "", note: str = "") -> Answer:
        """The best labelling and the best bound so far."""
        note, engine = note or f"{self.passes} passes", engine or self.engine
        return make_answer(self.network, self.labels, self.upper, self.rounding, engine, began, note)


def trws(
    network: Network, passes: int = 1000, seconds: float = 60.0, patience: float = 1e-7, trials: int = 20_000
) -> Answer:
    """The best labelling decoded by TRW-S, improved by local search, and an upper bound.

    Parameters
    ----------
    network : Network
        Any network.
    passes : int, default=1000
        The most passes, forward and backward.
    seconds : float, default=60.0
        The most time.
    patience : float, default=1e-7
        Stop after 40 passes that lowered the bound by less than this part of the gap.
    trials : int, default=20_000
        Random changes that local search tries if the labelling is not proved best by then.

    Examples
    --------
    >>> edges = [(0, 1), (1, 2), (2, 0)]
    >>> ring = Network.from_tables([[0.0, 1.0], [0.5, 0.0], [0.0, 0.0]], edges, [[1.0, 0.0], [0.0, 1.0]])
    >>> answer = trws(ring)
    >>> answer.labels, answer.value, answer.status
    (array([1, 1, 1]), 4.0, 'optimal')
    """
    began, deadline = time.perf_counter(), Deadline(seconds)
    require_network(network)
    state = MessagePassing(network)
    state.run_until_stalled(passes, deadline, patience)
    state.search_locally(trials, deadline)
    return state.answer(began)


def answer_late(network: Network, engine: str, began: float) -> Answer:
    """What is known without any search, of an engine that ran out of time."""
    return MessagePassing(network).answer(began, engine, "out of time: the best label of each node, and a weak bound")


def compute_shares(network: Network) -> np.ndarray:
    """The share of its table that the head of each edge gives to it in backward passes.

    That is 1 / the number of monotone chains through the head: the larger of its edges to lower and to higher nodes.
    """
    lower = np.bincount(network.head, minlength=network.n_nodes)
    higher = np.bincount(network.tail, minlength=network.n_nodes)
    return (1.0 / np.maximum(np.maximum(lower, higher), 1))[network.head]


@compiled
def forward_pass(network, messages, labels, own, decode, first, last):
    """One pass over nodes ``first`` ... ``last`` - 1 in their order, which decodes a labelling.

    A node takes the label that is best with the labels of lower nodes and the messages from higher ones.
    """
    for v in range(first, last):
        begin, count = network.unary_start[v], network.n_labels[v]
        for k in range(count):
            own[k] = network.unary[begin + k]
            decode[k] = own[k]
        lower = 0
        for a in range(network.edge_start[v], network.edge_start[v + 1]):
            e = network.node_edges[a]
            if network.head[e] == v:
                lower += 1
                at = network.message_start[e] + network.n_labels[network.tail[e]]
                row = network.pairwise_start[e] + labels[network.tail[e]] * count
                for k in range(count):
                    own[k] += messages[at + k]
                    decode[k] += network.pairwise[row + k]
            else:
                at = network.message_start[e]
                for k in range(count):
                    own[k] += messages[at + k]
                    decode[k] += messages[at + k]
        best = 0
        for k in range(1, count):
            if decode[k] > decode[best]:
                best = k
        labels[v] = best
        higher = network.edge_start[v + 1] - network.edge_start[v] - lower
        gamma = 1.0 / max(lower, higher, 1)
        for a in range(network.edge_start[v] + lower, network.edge_start[v + 1]):
            e = network.node_edges[a]
            columns = network.n_labels[network.head[e]]
            at = network.message_start[e]
            to = at + count
            out = messages[to : to + columns]  # slices: an index that can't be negative need not be checked
            for j in range(columns):
                out[j] = -np.inf
            for k in range(count):
                sent = gamma * own[k] - messages[at + k]
                row = network.pairwise_start[e] + k * columns
                entries = network.pairwise[row : row + columns]
                for j in range(columns):
                    found = sent + entries[j]
                    out[j] = found if found > out[j] else out[j]
            subtract_maximum(messages, to, columns)


@compiled
def backward_pass(network, messages, own, other, first, last):
    """One pass over nodes ``last`` - 1 ... ``first``; returns the bound, if these are all, without rounding errors."""
    bound = network.constant
    for v in range(last - 1, first - 1, -1):
        begin, count = network.unary_start[v], network.n_labels[v]
        for k in range(count):
            own[k] = network.unary[begin + k]
        lower = 0
        for a in range(network.edge_start[v], network.edge_start[v + 1]):
            e = network.node_edges[a]
            lower += network.head[e] == v
            at = network.message_start[e] + (0 if network.tail[e] == v else network.n_labels[network.tail[e]])
            for k in range(count):
                own[k] += messages[at + k]
        gamma = 1.0 / max(lower, network.edge_start[v + 1] - network.edge_start[v] - lower, 1)
        bound += subtract_maximum(own, 0, count)
        for a in range(network.edge_start[v], network.edge_start[v] + lower):
            e = network.node_edges[a]
            rows = network.n_labels[network.tail[e]]
            to = network.message_start[e]
            at = to + rows
            for k in range(count):
                other[k] = gamma * own[k] - messages[at + k]
            for j in range(rows):
                row = network.pairwise_start[e] + j * count
                entries = network.pairwise[row : row + count]
                best = -np.inf
                for k in range(count):
                    found = other[k] + entries[k]
                    best = found if found > best else best
                messages[to + j] = best
            bound += subtract_maximum(messages, to, rows)
    return bound


@compiled
def subtract_maximum(messages, begin, count):
    """Subtract the largest of some messages from them, so that they stay small; returns it."""
    most = messages[begin]
    for k in range(1, count):
        most = max(most, messages[begin + k])
    for k in range(count):
        messages[begin + k] -= most
    return most
