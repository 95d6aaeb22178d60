r"""Labelled graphs as arrays, and what they score along w (E3).

Node v of an example has features :math:`x_v`, edge vv' has :math:`x_{vv'}` (1, if none are given). With K labels

.. math:: \langle w, \varphi(x,y)\rangle = \sum_v \langle w_{y_v}, x_v\rangle
          + \sum_{vv'} \langle w_{y_v y_{v'}}, x_{vv'}\rangle ,

an edge being read from its first node to its second. ``w`` has K numbers per feature of nodes, then K x K per feature
of edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..inference.network import UNIT, Network, list_node_edges
from ..jit import compiled
from .update_log import UpdateLog, concatenate_ranges
from .validation import require_integers, require_memory, require_rising, require_usable, require_within


class Graphs(NamedTuple):
    """Examples, one after the other, with their true labels. Nodes and edges are counted within their example."""

    nodes: np.ndarray  # features of all nodes, one row per node
    edges: np.ndarray  # features of all edges
    tail: np.ndarray  # int32, the lower node of every edge
    head: np.ndarray
    turned: np.ndarray  # bool: whether the edge was given from its head to its tail
    node: np.ndarray  # int64, n + 1: where the nodes of an example begin
    edge: np.ndarray  # int64, n + 1: where its edges begin
    start: np.ndarray  # int64: where a node's edges begin in ``arc``; per example one number more than nodes
    arc: np.ndarray  # int32: the edges at every node, two places per edge
    label: np.ndarray  # int64: the true labels of all nodes; empty: unknown
    K: int  # labels

    @property
    def n_examples(self) -> int:
        """The number of examples."""
        return self.node.size - 1

    @property
    def n_weights(self) -> int:
        """How many numbers w has."""
        return count_weights(self.nodes.shape[1], self.edges.shape[1], self.K)

    def truth(self, i: int) -> np.ndarray:
        """The true labels of example i."""
        return self.label[self.node[i] : self.node[i + 1]]


def count_weights(node_features: int, edge_features: int, K: int) -> int:
    """How many numbers w has."""
    return node_features * K + edge_features * K * K


def make_graphs(examples: Sequence[tuple], K: int, labels: Sequence[np.ndarray] = ()) -> Graphs:
    """Examples (node features, edges, edge features), checked by the caller, one after the other."""
    parts: list[tuple] = []
    for x, ends, kinds in examples:
        low, high = ends.min(axis=1), ends.max(axis=1)
        order = np.lexsort((high, low))
        start, arc = list_node_edges(len(x), low[order], high[order])
        turned = (ends[:, 0] > ends[:, 1])[order]
        parts.append((x, kinds[order], low[order].astype(np.int32), high[order].astype(np.int32), turned, start, arc))
    nodes, edges, tail, head, turned, start, arc = (np.concatenate(each) for each in zip(*parts, strict=True))
    count = [np.cumsum([0, *(len(part[k]) for part in parts)]).astype(np.int64) for k in (0, 1)]
    label = np.concatenate(labels).astype(np.int64) if len(labels) else np.zeros(0, dtype=np.int64)
    nodes, edges = (np.ascontiguousarray(each, dtype=np.float64) for each in (nodes, edges))
    return Graphs(nodes, edges, tail, head, turned, count[0], count[1], start, arc, label, int(K))


def check_arrays(g: Graphs) -> None:
    """Raise a ValueError if compiled code could not trust the arrays."""
    for name in ("tail", "head", "node", "edge", "start", "arc", "label"):
        require_integers(getattr(g, name), f"graphs: {name}")
    for name, rows, start in (("nodes", g.nodes, g.node), ("edges", g.edges, g.edge)):
        if rows.ndim != 2 or rows.dtype != np.float64:
            raise ValueError(f"graphs: {name}: expected a matrix of float64, got {rows.dtype} of shape {rows.shape}.")
        require_usable(rows, f"graphs: {name}")
        require_rising(start, len(rows), f"graphs: {name[:-1]}", least=int(name == "nodes"))
    n, m = np.diff(g.node), np.diff(g.edge)
    if n.size == 0 or m.size != n.size:
        raise ValueError(f"graphs: expected as many examples of edges as of nodes, got {m.size} and {n.size}.")
    sizes = {"tail": m.sum(), "head": m.sum(), "turned": m.sum(), "start": n.sum() + n.size, "arc": 2 * m.sum()}
    for name, size in {**sizes, "label": g.node[-1]}.items():
        if getattr(g, name).shape != (size,):
            raise ValueError(f"graphs: {name}: expected {size} numbers, got shape {getattr(g, name).shape}.")
    last = np.repeat(n, m)  # the number of nodes, for each edge
    if not ((g.tail >= 0) & (g.tail < g.head) & (g.head < last)).all():
        raise ValueError("graphs: expected edges from lower to higher nodes of their example, got others.")
    require_within(g.label, g.K, "graphs: label")
    ends = np.cumsum(n + 1)
    rise = np.delete(np.diff(g.start), ends[:-1] - 1)
    if (g.start[ends - n - 1] != 0).any() or (g.start[ends - 1] != 2 * m).any() or (rise < 0).any():
        raise ValueError("graphs: start: expected where the edges of each node begin, got others.")
    if not ((g.arc >= 0) & (g.arc < np.repeat(m, 2 * m))).all():
        raise ValueError("graphs: arc: expected edges of their example, got others.")
    require_memory(max(g.n_weights, int(m.max()) * g.K**2), "graphs: w and tables")


def is_acyclic(g: Graphs) -> bool:
    """Whether no graph has a cycle: then and only then there are as many trees as nodes less edges."""
    n, first = int(g.node[-1]), np.repeat(g.node[:-1], np.diff(g.edge))
    links = sp.coo_array((np.ones(g.tail.size, dtype=np.int8), (g.tail + first, g.head + first)), shape=(n, n))
    return bool(connected_components(links, directed=False)[0] == n - g.tail.size)


def empty_network(g: Graphs, i: int) -> Network:
    """The network of example i, all tables zero."""
    n, m, K = int(g.node[i + 1] - g.node[i]), int(g.edge[i + 1] - g.edge[i]), g.K
    links = slice(g.edge[i], g.edge[i + 1])
    starts = g.start[g.node[i] + i : g.node[i + 1] + i + 1]
    return Network(
        np.full(n, K, dtype=np.int32), np.arange(n + 1) * K, np.zeros(n * K), g.tail[links], g.head[links],
        np.arange(m) * K * K, np.zeros(m * K * K), np.arange(m + 1) * 2 * K, starts,
        g.arc[2 * g.edge[i] : 2 * g.edge[i + 1]], 0.0,
    )  # fmt: skip


def network_along(g: Graphs, w: np.ndarray, i: int) -> Network:
    """The network of example i along w; parallel edges are one."""
    links, d, K = slice(g.edge[i], g.edge[i + 1]), g.nodes.shape[1], g.K
    unary = g.nodes[g.node[i] : g.node[i + 1]] @ w[: d * K].reshape(d, K)
    pairs = (g.edges[links] @ w[d * K :].reshape(-1, K * K)).reshape(-1, K, K)
    pairs = np.where(g.turned[links][:, None, None], pairs.transpose(0, 2, 1), pairs)
    return Network.from_tables(unary, np.stack([g.tail[links], g.head[links]], axis=1), pairs)


def difference_terms(g: Graphs, log: UpdateLog) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """`add_difference` for all entries of ``log``: entry, index of truth and of rival in w, and the value there."""
    k, some, label = g.K, log.example, log.label.astype(np.int64)
    nodes, edges = (np.diff(begin)[some] for begin in (g.node, g.edge))
    node, edge = concatenate_ranges(g.node[some], nodes), concatenate_ranges(g.edge[some], edges)
    truth, rival = (np.repeat(begin, edges) for begin in (g.node[some], log.begin[:-1]))  # where their labels begin
    u, v = np.where(g.turned[edge], (g.head[edge], g.tail[edge]), (g.tail[edge], g.head[edge]))
    pair = np.stack([g.label[truth + u] * k + g.label[truth + v], label[rival + u] * k + label[rival + v]])
    for x, state, at, sizes, base, stride in (
        (g.nodes, np.stack([g.label[node], label[: node.size]]), node, nodes, 0, k),
        (g.edges, pair, edge, edges, g.nodes.shape[1] * k, k * k),
    ):
        differ = np.flatnonzero(state[0] != state[1])
        rows = x[at[differ]]
        j, feature = np.nonzero(rows)
        own, other = state[:, differ[j]] + (base + feature * stride)
        yield np.repeat(np.arange(sizes.size), sizes)[differ[j]], own, other, rows[j, feature]


def rounding_bounds(g: Graphs, w: np.ndarray) -> np.ndarray:
    """Bounds of the rounding errors of all scores: every sum of an example is of these numbers, in some order.

    32: a score is twice as large as its tables, and a rival may be missed by the errors of finding it, on both sides.
    """
    d, K = g.nodes.shape[1], g.K
    node = (np.abs(g.nodes) @ np.abs(w[: d * K]).reshape(d, K)).max(axis=1)
    pair = (np.abs(g.edges) @ np.abs(w[d * K :]).reshape(-1, K * K)).max(axis=1, initial=0.0)
    total = np.add.reduceat(node, g.node[:-1]) + np.diff(np.concatenate([[0.0], np.cumsum(pair)])[g.edge])
    terms = np.diff(g.node) + np.diff(g.edge) + d + g.edges.shape[1] + 8
    return 32.0 * UNIT * terms * (total + UNIT * pair.size * float(np.sum(pair)))  # the latter: errors of cumsum


def longest_difference(g: Graphs) -> float:
    """No vector is longer: a node adds at most sqrt(2) |x_v|, an edge sqrt(2) |x_vv'|, in places of their own."""
    node, edge = np.linalg.norm(g.nodes, axis=1), np.linalg.norm(g.edges, axis=1)
    whole = np.concatenate([[0.0], np.cumsum(edge)])
    lengths = np.hypot(np.add.reduceat(node, g.node[:-1]), whole[g.edge[1:]] - whole[g.edge[:-1]])
    return math.sqrt(2.0) * float(lengths.max()) * (1.0 + 1e-12)


# --- kernels ---------------------------------------------------------------------------------------------------------


@compiled
def fill_tables(g, w, i, raised, unary, pairwise):
    """The tables of example i along w plus scale * W[label, truth], relative to the truth, which scores 0.

    ``raised`` is (scale, W).
    """
    K, first, (scale, W) = g.K, g.node[i], raised
    for v in range(g.node[i + 1] - first):
        y = g.label[first + v]
        weigh_features(g.nodes[first + v], w[: g.nodes.shape[1] * K], unary[v * K : v * K + K], y)
        for k in range(K):
            unary[v * K + k] += scale * W[k, y]
    for e in range(g.edge[i + 1] - g.edge[i]):
        row, table = g.edge[i] + e, pairwise[e * K * K : (e + 1) * K * K]
        u, v = (g.head[row], g.tail[row]) if g.turned[row] else (g.tail[row], g.head[row])
        own = g.label[first + u] * K + g.label[first + v]
        weigh_features(g.edges[row], w[g.nodes.shape[1] * K :], table, own)
        if g.turned[row]:
            for j in range(K):
                for k in range(j):
                    one, two = j * K + k, k * K + j
                    table[one], table[two] = table[two], table[one]


@compiled
def weigh_features(features, w, out, own):
    """``out`` = features times as many weights each as ``out`` has numbers, less that of ``own``."""
    count = out.size
    for k in range(count):
        out[k] = 0.0
    for f in range(features.size):
        x = features[f]
        if x != 0.0:
            for k in range(count):
                out[k] += x * w[f * count + k]
    less = out[own]
    for k in range(count):
        out[k] -= less


@compiled
def add_difference(g, i, rival, w, beta):
    """Add beta (phi(x,y) - phi(x,y')) to w, y' being ``rival``."""
    K, first, split = g.K, g.node[i], g.nodes.shape[1] * g.K
    for v in range(g.node[i + 1] - first):
        move_features(g.nodes[first + v], w[:split], K, g.label[first + v], rival[v], beta)
    for e in range(g.edge[i], g.edge[i + 1]):
        u, v = (g.head[e], g.tail[e]) if g.turned[e] else (g.tail[e], g.head[e])
        own, other = g.label[first + u] * K + g.label[first + v], rival[u] * K + rival[v]
        move_features(g.edges[e], w[split:], K * K, own, other, beta)


@compiled
def move_features(features, w, count, own, other, beta):
    """Add beta times the features to the weights ``own``, and subtract it from ``other``."""
    if own != other:
        for f in range(features.size):
            x = beta * features[f]
            if x != 0.0:
                w[f * count + own] += x
                w[f * count + other] -= x


@compiled
def squared_difference(g, i, rival, scratch):
    """|phi(x,y) - phi(x,y')|^2; ``scratch`` is as long as w, and 0 between calls."""
    add_difference(g, i, rival, scratch, 1.0)
    total = 0.0
    for j in range(scratch.size):
        total += scratch[j] * scratch[j]
        scratch[j] = 0.0
    return total
