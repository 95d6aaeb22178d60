r"""Narrow networks: nodes are eliminated one after the other, exactly.

Eliminating v adds all tables that depend on v and takes the maximum over its labels: a table of the neighbours of v.
The work is the size of the largest such table; `elimination_order` finds an order that keeps it small.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from ..jit import compiled
from .answer import Answer, bound_summation_error, make_answer
from .deadline import NEVER, Deadline, OutOfTime, pieces
from .elimination_order import BITS, EliminationOrder, find_elimination_order
from .network import Network, require_network
from .trws import answer_late

MEMORY = 2**30  # bytes that all choices together may take
INNER = 4096  # sums that are computed in one inner loop


def elimination(network: Network, bits: float = BITS, tries: int = 8, seed: int = 0, seconds: float = 60.0) -> Answer:
    """The best labelling of a narrow network.

    Parameters
    ----------
    network : Network
        Any network for which there is an order of elimination with small tables.
    bits : float, default=22.0
        The limit of the size of a table: 2^bits sums.
    tries : int, default=8
        The number of random orders that are tried, besides the usual ones.
    seed : int, default=0
        Of these random orders.
    seconds : float, default=60.0
        The most time; then the answer is the best label of each node, which proves nothing.

    Examples
    --------
    >>> ring = Network.from_tables(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], [[0.0, 1.0], [1.0, 0.0]])
    >>> answer = elimination(ring)
    >>> answer.value, answer.status
    (2.0, 'optimal')
    """
    began, deadline = time.perf_counter(), Deadline(seconds)
    require_network(network)
    try:
        order = find_elimination_order(network, tries, seed, bits, deadline)
        if order is not None:
            return eliminate_all(network, order, deadline)
    except OutOfTime:
        return answer_late(network, "elimination", began)
    raise ValueError(f"elimination: expected tables of at most 2^{bits:g} sums, got larger ones; use another engine.")


def eliminate_all(network: Network, order: EliminationOrder, deadline: Deadline) -> Answer:
    """The best labelling by this order of elimination; `OutOfTime` at the deadline."""
    began = time.perf_counter()
    buckets = _eliminate(network, order, deadline)
    labels = np.zeros(network.n_nodes, dtype=np.int64)
    for bucket in reversed(buckets):
        labels[bucket.node] = bucket.best_label(labels)
    upper = network.constant + math.fsum(bucket.maximum[0] for bucket in buckets if not bucket.scope)
    rounding = bound_summation_error(network)
    note = f"width {order.bits:.1f} bits, {order.work:.3g} sums"
    return make_answer(network, labels, upper + rounding, 3.0 * rounding, "elimination", began, note)


def elimination_rival(
    network: Network, order: EliminationOrder, truth: np.ndarray, deadline: Deadline = NEVER
) -> tuple[np.ndarray, float]:
    """The best labelling other than ``truth``, and its value as summed here.

    The table of a bucket holds the best value below it for all labels of its scope. Only if these are the true ones
    does it matter whether something *below* deviates: one number per bucket, the best value that does.
    """
    buckets = _eliminate(network, order, deadline, truth)
    roots = [bucket for bucket in buckets if not bucket.scope]
    labels = truth.copy()
    task = {id(root): "true" for root in roots}
    for root in _find_deviating(roots):
        task[id(root)] = "deviate"
    for bucket in reversed(buckets):
        bucket.label_rival(task, labels, truth)
    return labels, network.constant + math.fsum(root.true_value for root in roots) + _best_gain(roots)


class Bucket:
    """The elimination of one node: the tables that depend on it, and their maximum over its labels.

    ``tables`` are tuples (scope, strides, entries); those of ``children`` come last.
    """

    def __init__(
        self,
        node: int,
        scope: list[int],
        n_labels: np.ndarray,
        tables: list,
        children: list[Bucket],
        deadline: Deadline,
    ) -> None:
        self.node, self.scope, self.children = node, scope, children
        self.shape = [int(n_labels[u]) for u in scope]
        self.strides = [math.prod(self.shape[d + 1 :]) for d in range(len(self.shape))]
        self.n_labels = int(n_labels[node])
        self.tables = tables
        self.choice, self.maximum = self._maximise(deadline)
        self.true_value = self.deviating_value = 0.0  # see `compare_with_truth`
        self.other_label, self.changes = -1, False  # the best wrong label, and whether to deviate by it

    def best_label(self, labels: np.ndarray) -> int:
        """The best label of the node, given those of its scope."""
        place = _table_index(self.scope, self.strides, labels)
        if self.n_labels == 2:
            return int(self.choice[place >> 3] >> (place & 7)) & 1
        return int(self.choice[place])

    def compare_with_truth(self, truth: np.ndarray) -> None:
        """The value below of the truth, and the best that deviates from it, the scope having its true labels."""
        sums, own = np.zeros(self.n_labels), int(truth[self.node])
        for scope, strides, entries in self.tables:
            step = strides[scope.index(self.node)]
            sums += entries[_table_index(scope, strides, truth) + step * (np.arange(self.n_labels) - own)]
        given = self.tables[: len(self.tables) - len(self.children)]
        entry = math.fsum(float(entries[_table_index(scope, strides, truth)]) for scope, strides, entries in given)
        self.true_value = entry + math.fsum(child.true_value for child in self.children)
        below = self.true_value + _best_gain(self.children)
        sums[own] = -math.inf
        self.other_label = int(np.argmax(sums)) if self.n_labels > 1 else -1
        changed = float(sums[self.other_label]) if self.n_labels > 1 else -math.inf
        self.changes = changed >= below and self.n_labels > 1
        self.deviating_value = max(changed, below)

    def label_rival(self, task: dict[int, str], labels: np.ndarray, truth: np.ndarray) -> None:
        """Set the label of the node as its task requires, and the tasks of its children."""
        mine = task[id(self)]
        if mine == "free":
            labels[self.node] = self.best_label(labels)
        elif mine == "deviate" and self.changes:
            labels[self.node] = self.other_label
            mine = "free"
        else:
            labels[self.node] = truth[self.node]
        for child in self.children:
            task[id(child)] = "free" if mine == "free" else "true"
        if mine == "deviate":
            for child in _find_deviating(self.children):
                task[id(child)] = "deviate"

    def _maximise(self, deadline: Deadline) -> tuple[np.ndarray, np.ndarray]:
        """The best label and the largest sum of all tables, for all labels of the scope."""
        split, inner = len(self.shape), 1  # the nodes split ... of the scope are the inner loop
        while split > 0 and inner * self.shape[split - 1] <= INNER:
            split -= 1
            inner *= self.shape[split]
        outer, count = math.prod(self.shape[:split]), len(self.tables)
        outer_index, inner_index = np.zeros((count, outer), dtype=np.int64), np.zeros((count, inner), dtype=np.int64)
        label_stride, begin = np.zeros(count, dtype=np.int64), 0
        for p, (scope, strides, entries) in enumerate(self.tables):
            stride = dict(zip(scope, strides))
            steps = [stride.get(u, 0) for u in self.scope]
            outer_index[p] = begin + _all_indices(self.shape[:split], steps[:split])
            inner_index[p] = _all_indices(self.shape[split:], steps[split:])
            label_stride[p] = stride.get(self.node, 0)
            begin += entries.size
        size, two = outer * inner, self.n_labels == 2
        maximum = np.empty(size)
        choice = np.zeros(-(-size // 8) if two else size, dtype=np.uint8 if self.n_labels <= 256 else np.int32)
        entries = np.concatenate([entries for _, _, entries in self.tables])
        tables = StackedTables(entries, outer_index, inner_index, label_stride)
        for first, last in pieces(outer, float(size) * count * self.n_labels):
            deadline.check()
            maximise_sums(tables, self.n_labels, maximum, choice, np.empty(inner), first, last)
        return choice, maximum


def _eliminate(
    network: Network, order: EliminationOrder, deadline: Deadline, truth: np.ndarray | None = None
) -> list[Bucket]:
    """All buckets, in order; the maximum of each is a table of the bucket of its neighbour that comes first."""
    if order.choices > MEMORY:
        raise ValueError(f"elimination: expected at most {MEMORY} choices to store, got {order.choices:.3g}.")
    turn = np.empty(network.n_nodes, dtype=np.int64)
    turn[order.nodes] = np.arange(network.n_nodes)
    tables: list[list] = [[([v], [1], network.node_table(v))] for v in range(network.n_nodes)]
    for e, (u, v) in enumerate(network.edges.tolist()):
        strides = [int(network.n_labels[v]), 1]
        tables[u if turn[u] < turn[v] else v].append(([u, v], strides, network.edge_table(e).ravel()))
    children: list[list[Bucket]] = [[] for _ in range(network.n_nodes)]
    buckets = []
    for v, neighbours in zip(order.nodes, order.scopes):
        scope = sorted(neighbours, key=lambda u: -turn[u])  # what is eliminated next changes fastest
        bucket = Bucket(v, scope, network.n_labels, tables[v], children[v], deadline)
        if truth is not None:
            bucket.compare_with_truth(truth)
        bucket.tables = tables[v] = []  # only the choices are needed from now on
        buckets.append(bucket)
        if scope:
            tables[scope[-1]].append((bucket.scope, bucket.strides, bucket.maximum))
            children[scope[-1]].append(bucket)
            bucket.maximum = bucket.maximum[:0]
    return buckets


def _best_gain(buckets: list[Bucket]) -> float:
    """The best that ``buckets`` gain over the truth if at least one of them deviates."""
    gains = [bucket.deviating_value - bucket.true_value for bucket in buckets if bucket.deviating_value > -math.inf]
    most = max(gains, default=-math.inf)
    return math.fsum(gain for gain in gains if gain >= 0.0) if most >= 0.0 else most


def _find_deviating(buckets: list[Bucket]) -> list[Bucket]:
    """The buckets that gain by deviating; if there are none, the one that loses least."""
    gaining = [bucket for bucket in buckets if bucket.deviating_value >= bucket.true_value]
    able = [bucket for bucket in buckets if bucket.deviating_value > -math.inf]
    return gaining or ([max(able, key=lambda bucket: bucket.deviating_value - bucket.true_value)] if able else [])


def _table_index(scope: list[int], strides: list[int], labels: np.ndarray) -> int:
    """The place of a labelling in a table."""
    return int(sum(step * labels[u] for step, u in zip(strides, scope)))


def _all_indices(shape: list[int], steps: list[int]) -> np.ndarray:
    """The places of all combinations of labels, the last label changing fastest."""
    index = np.zeros(1, dtype=np.int64)
    for count, step in zip(shape, steps):
        index = (index[:, None] + step * np.arange(count)).ravel()
    return index


class StackedTables(NamedTuple):
    """Tables to be added: entry (label k, outer o, inner i) of table p is at outer_index + inner_index + k stride."""

    entries: np.ndarray  # of all tables
    outer_index: np.ndarray  # (tables, outer)
    inner_index: np.ndarray  # (tables, inner)
    label_stride: np.ndarray  # (tables,)


@compiled
def maximise_sums(tables, n_labels, maximum, choice, total, first, last):
    """The largest sum over the labels, and which label has it: one bit each if there are two labels."""
    parts, inner = tables.inner_index.shape
    for o in range(first, last):
        begin = o * inner
        for k in range(n_labels):
            for t in range(inner):
                total[t] = 0.0
            for p in range(parts):
                base = tables.outer_index[p, o] + k * tables.label_stride[p]
                for t in range(inner):
                    total[t] += tables.entries[base + tables.inner_index[p, t]]
            if k == 0:
                for t in range(inner):
                    maximum[begin + t] = total[t]
            elif n_labels == 2:
                for t in range(inner):
                    if total[t] > maximum[begin + t]:
                        maximum[begin + t] = total[t]
                        choice[(begin + t) >> 3] |= 1 << ((begin + t) & 7)
            else:
                for t in range(inner):
                    if total[t] > maximum[begin + t]:
                        maximum[begin + t] = total[t]
                        choice[begin + t] = k
