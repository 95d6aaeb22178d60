r"""Narrow networks: nodes are eliminated one after the other, exactly.

Eliminating v adds up all tables that speak of v and takes the maximum over its labels: the result speaks of v's
neighbours, which become linked. The work is the size of the largest such table, so the order decides: `plan` tries
several (fewest new links, fewest neighbours, ties broken at random) and says what the best one costs.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from ..jit import compiled
from .answer import finish, summing
from .network import Answer, Network

BITS = 22.0  # the default limit of a table's size: 2^22 sums, 32 MB
ATTEMPT = 1e7  # sums that take as long as trying one more order
MEMORY = 2**30  # bytes that all choices together may take


@dataclass(frozen=True)
class Plan:
    """An order of elimination, and what it costs."""

    order: list[int]
    scopes: list[list[int]]  # the neighbours of a node when its turn comes
    bits: float  # log2 of the largest number of sums of one elimination
    work: float  # all sums
    choices: float  # places of choices to remember


def plan(network: Network, tries: int = 8, seed: int = 0, bits: float = BITS) -> Plan | None:
    """The cheapest of several orders, or None if none keeps its tables below ``2^bits`` sums."""
    near: list[set[int]] = [set() for _ in range(network.n)]
    for u, v in network.edges.tolist():
        near[u].add(v)
        near[v].add(u)
    size = np.log2(network.labels).tolist()
    best: Plan | None = None
    for attempt, (rank, fill) in enumerate(_ranks(network, tries, seed)):
        if best is not None and best.work < attempt * ATTEMPT:
            break
        found = _order(near, size, fill, rank, bits)
        if found is None:
            continue
        order, scopes = found
        inside = [sum(size[u] for u in scope) for scope in scopes]
        whole = [2.0 ** (part + size[v]) for part, v in zip(inside, order)]
        candidate = Plan(order, scopes, math.log2(max(whole)), sum(whole), sum(2.0**part for part in inside))
        if best is None or candidate.work < best.work:
            best = candidate
    return best


def _ranks(network: Network, tries: int, seed: int) -> Iterator[tuple[list[float], float]]:
    """What `_order` is to go by: smallest table, the nodes' own order, a band; then fewest links and smallest table."""
    random = np.random.default_rng(seed)
    yield random.random(network.n).tolist(), -1.0
    yield list(range(network.n)), 0.0
    links = sp.csr_array((np.ones(network.m, dtype=np.int8), (network.tail, network.head)), shape=(network.n,) * 2)
    band = np.empty(network.n)
    band[reverse_cuthill_mckee(links + links.T, symmetric_mode=True)] = np.arange(network.n)
    yield band.tolist(), 0.0
    for attempt in range(tries):
        yield random.random(network.n).tolist(), 1.0 if attempt % 2 == 0 else -1.0


def _order(near, size, fill: float, rank: list[float], bits: float):
    """Greedy order: fewest new links (fill > 0), smallest table (< 0), or by rank; None once a table is too large."""
    near = [set(some) for some in near]

    def price(v: int) -> tuple[float, float, float]:
        if fill == 0.0:
            return (rank[v], 0.0, v)
        table = size[v] + sum(size[u] for u in near[v])
        if fill < 0.0:
            return (table, rank[v], v)
        missing = sum(len(near[v] - near[u]) - 1 for u in near[v])
        return (missing, table + rank[v], v)

    heap = [(price(v), v) for v in range(len(near))]
    current = [entry[0] for entry in heap]
    heapq.heapify(heap)
    gone, order, scopes = [False] * len(near), [], []
    while heap:
        found, v = heapq.heappop(heap)
        if gone[v] or found != current[v]:
            continue
        if size[v] + sum(size[u] for u in near[v]) > bits + 1e-9:
            return None
        gone[v] = True
        scope = sorted(near[v])
        order.append(v)
        scopes.append(scope)
        touched = set(scope)
        for u in scope:
            near[u] |= near[v]
            near[u] -= {u, v}
            if fill > 0.0:
                touched |= near[u]
        for u in touched if fill != 0.0 else ():
            current[u] = price(u)
            heapq.heappush(heap, (current[u], u))
    return order, scopes


def elimination(
    network: Network, bits: float = BITS, tries: int = 8, seed: int = 0, chosen: Plan | None = None
) -> Answer:
    """The best labelling of a narrow network.

    >>> ring = Network.of(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], [[0.0, 1.0], [1.0, 0.0]])
    >>> answer = elimination(ring)
    >>> answer.value, answer.status
    (2.0, 'optimal')
    """
    began = time.perf_counter()
    best = chosen or plan(network, tries, seed, bits)
    if best is None:
        raise ValueError(f"elimination: no order found whose tables stay below 2^{bits:g} sums; take another engine.")
    buckets = _eliminate(network, best)
    labels = np.zeros(network.n, dtype=np.int64)
    for bucket in reversed(buckets):
        labels[bucket.node] = bucket.chosen(labels)
    upper = network.constant + math.fsum(bucket.table[0] for bucket in buckets if not bucket.scope)
    rounding = summing(network)
    note = f"width {best.bits:.1f} bits, {best.work:.3g} sums"
    return finish(network, labels, upper + rounding, 3.0 * rounding, "elimination", began, note)


def deviating(network: Network, best: Plan, truth: np.ndarray) -> tuple[np.ndarray, float]:
    """The best labelling other than ``truth``, and its value as summed here.

    Every bucket's table is known for all labels of its scope. Only if these are the true ones does it matter whether
    something *below* deviates: one number a bucket, the best value that does.
    """
    buckets = _eliminate(network, best, truth)
    roots = [bucket for bucket in buckets if not bucket.scope]
    base = math.fsum(root.true for root in roots)
    labels = truth.copy()
    task = {id(root): "true" for root in roots}
    for root in _who_deviates(roots):
        task[id(root)] = "deviate"
    for bucket in reversed(buckets):
        bucket.follow(task, labels, truth)
    return labels, network.constant + base + _gain(roots)


def _gain(buckets: list[Bucket]) -> float:
    """The best that some of ``buckets`` gain over the truth if at least one deviates."""
    gains = [bucket.deviant - bucket.true if bucket.deviant > -math.inf else -math.inf for bucket in buckets]
    most = max(gains, default=-math.inf)
    return math.fsum(gain for gain in gains if gain >= 0.0) if most >= 0.0 else most


def _who_deviates(buckets: list[Bucket]) -> list[Bucket]:
    """Those that gain by deviating; if none does, the one that loses least."""
    ahead = [bucket for bucket in buckets if bucket.deviant >= bucket.true]
    some = [bucket for bucket in buckets if bucket.deviant > -math.inf]
    return ahead or ([max(some, key=lambda bucket: bucket.deviant - bucket.true)] if some else [])


class Bucket:
    """One node's elimination: the tables that spoke of it, and the maximum over its labels."""

    def __init__(self, node: int, scope: list[int], labels: np.ndarray, parts: list, children: list[Bucket]) -> None:
        self.node, self.scope = node, scope
        self.shape = [int(labels[u]) for u in scope]
        self.stride = _strides(self.shape)
        self.count = int(labels[node])
        self.parts = parts  # (scope, strides, table) each
        self.given = parts[: len(parts) - len(children)]  # tables of the network itself
        self.children = children
        self.choice, self.table = self._maximum()
        self.true = self.deviant = 0.0  # values below of the truth, and of the best labelling that deviates: `compare`
        self.other, self.aside = -1, False  # the best other label, and whether to deviate by it

    def at(self, labels: np.ndarray) -> int:
        """The place of a labelling in the table."""
        return _at(self.scope, self.stride, labels)

    def chosen(self, labels: np.ndarray) -> int:
        """The best label, given those of the scope."""
        place = self.at(labels)
        if self.count == 2:
            return int(self.choice[place >> 3] >> (place & 7)) & 1
        return int(self.choice[place])

    def sums(self, labels: np.ndarray) -> np.ndarray:
        """What each label of the node is worth, given those of the scope."""
        total = np.zeros(self.count)
        for scope, strides, table in self.parts:
            at = _at(scope, strides, labels) - _at([self.node], [strides[scope.index(self.node)]], labels)
            step = strides[scope.index(self.node)]
            total += table[at + step * np.arange(self.count)]
        return total

    def compare(self, truth: np.ndarray) -> None:
        """The value below of the truth, and the best one that deviates from it, the scope having its true labels."""
        own = int(truth[self.node])
        sums = self.sums(truth)  # children count with their best, deviating or not
        kept = math.fsum(float(table[_at(scope, strides, truth)]) for scope, strides, table in self.given)
        self.true = kept + math.fsum(child.true for child in self.children)
        below = self.true + _gain(self.children)
        sums[own] = -math.inf
        self.other = int(np.argmax(sums)) if self.count > 1 else -1
        aside = float(sums[self.other]) if self.count > 1 else -math.inf
        self.aside = aside >= below and self.count > 1
        self.deviant = max(aside, below)

    def follow(self, task: dict[int, str], labels: np.ndarray, truth: np.ndarray) -> None:
        """Take the node's label as its task says, and tell the children theirs."""
        mine = task[id(self)]
        if mine == "free":
            labels[self.node] = self.chosen(labels)
        elif mine == "deviate" and self.aside:
            labels[self.node] = self.other
            mine = "free"
        else:
            labels[self.node] = truth[self.node]
        for child in self.children:
            task[id(child)] = "free" if mine == "free" else "true"
        if mine == "deviate":
            for child in _who_deviates(self.children):
                task[id(child)] = "deviate"

    def _maximum(self) -> tuple[np.ndarray, np.ndarray]:
        """Add up all parts, low digits of the scope in one go, and take the maximum over the node's labels."""
        low = len(self.shape)  # digits low ... of the scope are the inner loop
        inner = 1
        while low > 0 and inner * self.shape[low - 1] <= 4096:
            low -= 1
            inner *= self.shape[low]
        outer = math.prod(self.shape[:low])
        tables = np.concatenate([table for _, _, table in self.parts])
        count = len(self.parts)
        high_at, low_at = np.zeros((count, outer), dtype=np.int64), np.zeros((count, inner), dtype=np.int64)
        step, begin = np.zeros(count, dtype=np.int64), 0
        for p, (scope, strides, table) in enumerate(self.parts):
            stride = dict(zip(scope, strides))
            steps = [stride.get(u, 0) for u in self.scope]
            high_at[p] = begin + _places(self.shape[:low], steps[:low])
            low_at[p] = _places(self.shape[low:], steps[low:])
            step[p] = stride.get(self.node, 0)
            begin += table.size
        size = outer * inner
        table = np.empty(size)
        choice = np.zeros(-(-size // 8) if self.count == 2 else size, dtype=np.uint8 if self.count <= 256 else np.int32)
        maximum(tables, high_at, low_at, step, self.count, table, choice, np.empty(inner))
        return choice, table


def _at(scope: list[int], strides: list[int], labels: np.ndarray) -> int:
    """The place of a labelling in a table."""
    return int(sum(step * labels[u] for step, u in zip(strides, scope)))


def _strides(shape: list[int]) -> list[int]:
    """Row-major strides."""
    out, step = [0] * len(shape), 1
    for d in range(len(shape) - 1, -1, -1):
        out[d] = step
        step *= shape[d]
    return out


def _places(shape: list[int], steps: list[int]) -> np.ndarray:
    """The places of all combinations of digits, the last digit running fastest."""
    at = np.zeros(1, dtype=np.int64)
    for count, step in zip(shape, steps):
        at = (at[:, None] + step * np.arange(count)).ravel()
    return at


def _eliminate(network: Network, best: Plan, truth: np.ndarray | None = None) -> list[Bucket]:
    """All buckets, in order; each hands its table to the bucket of its first neighbour in the order."""
    if best.choices > MEMORY:
        raise ValueError(f"elimination: {best.choices:.3g} choices would have to be remembered; take another engine.")
    turn = np.empty(network.n, dtype=np.int64)
    turn[best.order] = np.arange(network.n)
    inbox: list[list] = [[([v], [1], network.node_table(v))] for v in range(network.n)]
    for e, (u, v) in enumerate(network.edges.tolist()):
        rows = inbox[u if turn[u] < turn[v] else v]
        rows.append(([u, v], [int(network.labels[v]), 1], network.edge_table(e).ravel()))
    children: list[list[Bucket]] = [[] for _ in range(network.n)]
    buckets = []
    for v, scope in zip(best.order, best.scopes):
        scope = sorted(scope, key=lambda u: -turn[u])  # what is eliminated next runs fastest
        bucket = Bucket(v, scope, network.labels, inbox[v], children[v])
        if truth is not None:
            bucket.compare(truth)
        bucket.parts = bucket.given = inbox[v] = []  # what was told is told: only choices are remembered
        buckets.append(bucket)
        if scope:
            after = scope[-1]
            inbox[after].append((bucket.scope, bucket.stride, bucket.table))
            children[after].append(bucket)
            bucket.table = bucket.table[:0]
    return buckets


@compiled
def maximum(tables, high_at, low_at, step, count, table, choice, total):
    """table = the largest sum over the labels, choice = which; of two labels one bit a choice, else a number."""
    parts, outer = high_at.shape
    inner = low_at.shape[1]
    for high in range(outer):
        begin = high * inner
        for k in range(count):
            for t in range(inner):
                total[t] = 0.0
            for p in range(parts):
                base = high_at[p, high] + k * step[p]
                for t in range(inner):
                    total[t] += tables[base + low_at[p, t]]
            if k == 0:
                for t in range(inner):
                    table[begin + t] = total[t]
            elif count == 2:
                for t in range(inner):
                    if total[t] > table[begin + t]:
                        table[begin + t] = total[t]
                        choice[(begin + t) >> 3] |= 1 << ((begin + t) & 7)
            else:
                for t in range(inner):
                    if total[t] > table[begin + t]:
                        table[begin + t] = total[t]
                        choice[begin + t] = k
