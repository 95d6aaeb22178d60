"""The order in which nodes are eliminated: the cheapest of several greedy orders.

Eliminating a node links its neighbours, and costs the product of their numbers of labels and its own; so the order
decides the cost. Tried are: fewest new links, smallest table, the order of the nodes, and that of a band matrix.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .deadline import NEVER, Deadline
from .network import Network

BITS = 22.0  # the default limit of the size of a table: 2^22 sums, 32 MB
ATTEMPT = 1e7  # sums that take as long as trying one more order


@dataclass(frozen=True)
class EliminationOrder:
    """An order of elimination, and what it costs."""

    nodes: list[int]
    scopes: list[list[int]]  # the neighbours of each node when it is eliminated
    bits: float  # log2 of the largest number of sums of one elimination
    work: float  # the number of all sums
    choices: float  # the number of choices to store


def find_elimination_order(
    network: Network, tries: int = 8, seed: int = 0, bits: float = BITS, deadline: Deadline = NEVER
) -> EliminationOrder | None:
    """The cheapest of several orders, or None if all of them have a table of more than ``2^bits`` sums.

    `OutOfTime` if the deadline comes first.
    """
    neighbours: list[set[int]] = [set() for _ in deadline.watch(range(network.n_nodes))]
    for u, v in deadline.watch(network.edges.tolist()):
        neighbours[u].add(v)
        neighbours[v].add(u)
    size = np.log2(network.n_labels).tolist()
    best: EliminationOrder | None = None
    for attempt, (rank, criterion) in enumerate(_list_criteria(network, tries, seed)):
        if best is not None and best.work < attempt * ATTEMPT:
            break
        found = _find_greedy_order(neighbours, size, criterion, rank, bits, deadline)
        if found is None:
            continue
        nodes, scopes = found
        inside = [sum(size[u] for u in scope) for scope in scopes]
        sums = [2.0 ** (part + size[v]) for part, v in zip(inside, nodes)]
        choices = sum(2.0**part for part in inside)
        candidate = EliminationOrder(nodes, scopes, math.log2(max(sums)), sum(sums), choices)
        if best is None or candidate.work < best.work:
            best = candidate
    return best


def _list_criteria(network: Network, tries: int, seed: int) -> Iterator[tuple[list[float], str]]:
    """Ranks of nodes and criteria for `_find_greedy_order`; ties are broken at random."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # here, because chains never need it

    random, n = np.random.default_rng(seed), network.n_nodes
    yield random.random(n).tolist(), "table"
    yield list(range(n)), "rank"
    links = sp.csr_array((np.ones(network.n_edges, dtype=np.int8), (network.tail, network.head)), shape=(n, n))
    band = np.empty(n)
    band[reverse_cuthill_mckee(links + links.T, symmetric_mode=True)] = np.arange(n)
    yield band.tolist(), "rank"
    for attempt in range(tries):
        yield random.random(n).tolist(), "links" if attempt % 2 == 0 else "table"


def _find_greedy_order(
    neighbours: list[set[int]], size: list[float], criterion: str, rank: list[float], bits: float, deadline: Deadline
) -> tuple[list[int], list[list[int]]] | None:
    """Nodes and scopes by fewest new "links", smallest "table", or "rank"; None once a table is too large."""
    near = [set(nodes) for nodes in deadline.watch(neighbours)]

    def price(v: int) -> tuple[float, float, float]:
        if criterion == "rank":
            return (rank[v], 0.0, v)
        table = size[v] + sum(size[u] for u in near[v])
        if criterion == "table":
            return (table, rank[v], v)
        missing = sum(len(near[v] - near[u]) - 1 for u in near[v])
        return (missing, table + rank[v], v)

    heap = [(price(v), v) for v in deadline.watch(range(len(near)))]
    current = [entry[0] for entry in heap]
    heapq.heapify(heap)
    done, nodes, scopes = [False] * len(near), [], []
    while heap:
        found, v = heapq.heappop(heap)
        if done[v] or found != current[v]:
            continue
        if size[v] + sum(size[u] for u in near[v]) > bits + 1e-9:
            return None
        deadline.check()
        done[v] = True
        scope = sorted(near[v])
        nodes.append(v)
        scopes.append(scope)
        touched = set(scope)
        for u in scope:
            near[u] |= near[v]
            near[u] -= {u, v}
            if criterion == "links":
                touched |= near[u]
        for u in touched if criterion != "rank" else ():
            current[u] = price(u)
            heapq.heappush(heap, (current[u], u))
    return nodes, scopes
