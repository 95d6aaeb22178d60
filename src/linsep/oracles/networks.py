r"""Networks: labelled graphs against their best rivals, with weights that all nodes and all edges share (E3).

Node v of an example has features :math:`x_v`, edge vv' has :math:`x_{vv'}` (1, if none are given). With K labels

.. math:: \langle w, \varphi(x,y)\rangle = \sum_v \langle w_{y_v}, x_v\rangle
          + \sum_{vv'} \langle w_{y_v y_{v'}}, x_{vv'}\rangle ,

an edge being read from its first node to its second. ``w`` has K numbers a feature of nodes, then K x K a feature of
edges. `Networks` is compiled, with an engine of `inference.rival_search`; `Searched` asks any engine of `inference`, in
plain Python.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..inference.bound import upper_bound
from ..inference.local_search import score_labelling
from ..inference.network import UNIT, Network, list_node_edges
from ..inference.rival import best_rival
from ..inference.rival_search import ForestSearch, MessageSearch, make_forest_search, make_message_search
from ..inference.trws import compute_shares
from ..jit import compiled, in_place, inlined
from .update_log import Ledger, Touched, ledger, opposed, spans

Probe = Callable[["Networks", int], float]  # of a part and an example, along the w in question


class Graphs(NamedTuple):
    """Examples, one after the other. Nodes and edges are counted within their example."""

    nodes: np.ndarray  # features of all nodes, a row each
    edges: np.ndarray  # features of all edges
    tail: np.ndarray  # int32, the lower node of every edge
    head: np.ndarray
    turned: np.ndarray  # bool: whether the edge was given from its head to its tail
    node: np.ndarray  # int64, n + 1: where the nodes of an example begin
    edge: np.ndarray  # int64, n + 1: where its edges begin
    start: np.ndarray  # int64: where a node's edges begin in ``arc``; one number more than nodes an example
    arc: np.ndarray  # int32: the edges at every node, two places an edge

    @property
    def size(self) -> int:
        """The number of examples."""
        return self.node.size - 1


class Networks(NamedTuple):
    """Example i against its best rival; the engine finds it."""

    graphs: Graphs
    label: np.ndarray  # int64: the labels of all nodes
    K: int
    engine: ForestSearch | MessageSearch
    room: Network  # tables of the example probed last, relative to its truth
    rival: np.ndarray  # int64: its rival
    a: np.ndarray  # as long as w, zero between calls
    weight: np.ndarray
    sign: np.ndarray
    first: int
    size: int
    loss: float
    calm: float  # added to what `probe` returns: infinite for those who only look, nothing is violated then
    ledger: Ledger
    score: np.ndarray  # what `probe` found last, of every example
    exact: bool

    def probe(self, w, i):
        """The least of <w,a> less ``loss`` for every wrong label, over all rivals."""
        self.score[i] = lead(self, w, i)
        return self.score[i] + self.calm

    def square(self, i):
        """|a|^2 of the rival found last."""
        return square(self, i)

    def add(self, w, i, beta):
        """Add beta a to w."""
        add(self, w, i, beta)

    def credit(self, dual, i, beta):
        """Write down that beta a was added."""
        dual[self.ledger.note(i, self.rival, self.graphs.node[i + 1] - self.graphs.node[i])] += beta

    def settle(self, w):
        """Nothing to prepare for a new w."""

    def cost(self, i):
        """The weight of example i."""
        return self.weight[i] if self.weight.size else 1.0

    def side(self, i):
        """Differences know no sign."""
        return 1

    def touched(self, book: Ledger) -> Iterator[Touched]:
        """The vectors of the entries of ``book``."""
        return opposed(differences(self, book))

    def slack(self, w: np.ndarray) -> np.ndarray:
        """Bounds of the rounding errors of the scores."""
        return rounding(self.graphs, w, self.K)

    def reach(self) -> float:
        """No vector is longer."""
        return reach(self.graphs)

    def floors(self, w: np.ndarray, probe: Probe) -> np.ndarray:
        """Numbers that no score is below, by the messages of TRW-S."""
        assert isinstance(self.engine, MessageSearch)  # forests are exact
        engine = self.engine._replace(passes=2 * self.engine.passes)
        return floors(self, w, lambda i: lead_at_least(self._replace(engine=engine), w, i, engine.messages, probe))


class Searched:
    """Examples against the best rivals that any engine of `inference` finds: `Networks` without compiled code."""

    interpreted = True
    first = 0

    def __init__(self, part: Networks, engine: str, seconds: float = 10.0) -> None:
        self.part, self.engine, self.seconds = part, engine, seconds
        self.graphs, self.label, self.K, self.size = part.graphs, part.label, part.K, part.size
        self.sign, self.weight, self.loss, self.calm = part.sign, part.weight, part.loss, part.calm
        self.ledger, self.score, self.rival = part.ledger, part.score, part.rival
        self.exact = engine == "elimination"

    def _replace(self, **fields: Any) -> Searched:
        """The same with other fields, as of a NamedTuple."""
        other = copy.copy(self)
        vars(other).update(fields)
        other.part = other.part._replace(**fields)
        return other

    def probe(self, w, i):
        """The least of <w,a> less ``loss`` for every wrong label, over the rivals that the engine knows."""
        network, truth = tables(self.graphs, w, i, self.K), self._truth(i)
        if self.loss:
            unary = network.unary + self.loss
            unary[network.unary_start[:-1] + truth] -= self.loss
            network = network._replace(unary=unary)
        found = best_rival(network, truth, self.engine, self.seconds)
        self.rival[: truth.size] = found.labels
        self.score[i] = network.value(truth) - found.value
        return self.score[i] + self.calm

    def _truth(self, i: int) -> np.ndarray:
        return self.label[self.graphs.node[i] : self.graphs.node[i + 1]]

    def square(self, i):
        """|a|^2 of the rival found last."""
        return square(self.part, i)

    def add(self, w, i, beta):
        """Add beta a to w."""
        add(self.part, w, i, beta)

    def credit(self, dual, i, beta):
        """Write down that beta a was added."""
        self.part.credit(dual, i, beta)

    def settle(self, w):
        """Nothing to prepare for a new w."""

    def cost(self, i):
        """The weight of example i."""
        return self.part.cost(i)

    def side(self, i):
        """Differences know no sign."""
        return 1

    def touched(self, book: Ledger) -> Iterator[Touched]:
        """The vectors of the entries of ``book``."""
        return self.part.touched(book)

    def slack(self, w: np.ndarray) -> np.ndarray:
        """Bounds of the rounding errors of the scores."""
        return self.part.slack(w)

    def reach(self) -> float:
        """No vector is longer."""
        return self.part.reach()

    def floors(self, w: np.ndarray, probe: Probe) -> np.ndarray:
        """Numbers that no score is below, by the bounds that the engine proves."""
        return floors(self, w, lambda i: lead_proved(self, w, i, self.engine, seconds=self.seconds))


def floors(part: Networks | Searched, w: np.ndarray, lead: Callable[[int], float]) -> np.ndarray:
    """How far the truth of each example that weighs anything leads at least, but for the rounding of its tables."""
    error = rounding(part.graphs, w, part.K)
    return np.array([lead(i) - error[i] for i in range(part.sign.size) if part.cost(i) > 0.0])


def lead_proved(part: Networks | Searched, w: np.ndarray, i: int, engine: str = "auto", **options: Any) -> float:
    """How far the truth of example i leads, by the upper bound of its rivals that an engine of `inference` proves."""
    network, truth = tables(part.graphs, w, i, part.K), part.label[part.graphs.node[i] : part.graphs.node[i + 1]]
    return network.value(truth) - best_rival(network, truth, engine, **options).upper


def lead_at_least(part: Networks, w: np.ndarray, i: int, messages: np.ndarray, probe: Probe, tries: int = 5) -> float:
    r"""How far the truth of example i leads at least, by the ``messages`` that a probe leaves.

    If no labelling exceeds U when every wrong label is raised by delta, then
    :math:`\theta(y') \le U - \delta |y' \ne y| \le U - \delta` for all rivals. Delta is at first half of the lead
    that was found, then a quarter of that, and so on: the bound is not tight, but below the truth where it can be.
    """
    blank = shape(part.graphs, i, part.K)
    truth = part.label[part.graphs.node[i] : part.graphs.node[i + 1]]
    slips = 4.0 * UNIT * truth.size * (part.graphs.nodes.shape[1] + 2)  # of adding delta
    delta = 0.5 * probe(part, i)
    for _ in range(tries if 0.0 < delta < math.inf else 0):
        probe(part._replace(loss=delta), i)
        raised = blank._replace(
            unary=part.room.unary[: blank.unary.size], pairwise=part.room.pairwise[: blank.pairwise.size]
        )
        share = compute_shares(raised)
        own, upper = raised.value(truth), upper_bound(raised, messages[: blank.message_start[-1]], share)[0]
        if upper - delta * (1.0 - slips) < own:
            return own - upper + delta * (1.0 - slips)
        delta *= 0.25
    return lead_proved(part, w, i, seconds=10.0, search=False)


def graphs(nodes: Sequence[np.ndarray], edges: Sequence[np.ndarray], features: Sequence[np.ndarray]) -> Graphs:
    """Examples of node features, edges (m x 2) and edge features, checked by the caller, one after the other."""
    tails, heads, turns, kinds, starts, arcs = [], [], [], [], [], []
    for x, ends, kind in zip(nodes, edges, features, strict=True):
        turned = ends[:, 0] > ends[:, 1]
        low, high = ends.min(axis=1), ends.max(axis=1)
        order = np.lexsort((high, low))
        start, arc = list_node_edges(len(x), low[order], high[order])
        tails.append(low[order].astype(np.int32))
        heads.append(high[order].astype(np.int32))
        turns.append(turned[order])
        kinds.append(kind[order])
        starts.append(start)
        arcs.append(arc)
    count = [np.concatenate([[0], np.cumsum([len(part) for part in parts])]) for parts in (nodes, tails)]
    return Graphs(
        np.ascontiguousarray(np.concatenate(nodes), dtype=np.float64),
        np.ascontiguousarray(np.concatenate(kinds), dtype=np.float64),
        np.concatenate(tails), np.concatenate(heads), np.concatenate(turns), count[0].astype(np.int64),
        count[1].astype(np.int64), np.concatenate(starts), np.concatenate(arcs),
    )  # fmt: skip


def networks(
    examples: Graphs, label: np.ndarray, K: int, engine: str = "auto", *, loss: float = 0.0,
    weight: np.ndarray | None = None, passes: int = 30,
) -> Networks | Searched:  # fmt: skip
    """The oracle of ``examples`` with right labels ``label``, of all nodes one after the other.

    ``engine``: "forest" (exact) and "trws" (``passes`` of it a visit) are compiled; "auto" is the former where no
    graph has a cycle; any other of `inference` is asked in plain Python.

    >>> two = graphs([np.eye(2)], [np.array([[1, 0]])], [np.ones((1, 1))])
    >>> part = networks(two, np.array([0, 1]), 2)
    >>> w = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.0])   # 0 at node 0, 1 at node 1; (0, 1) read back
    >>> float(part.probe(w, 0)), part.rival.tolist()
    (1.0, [1, 1])
    """
    g = examples
    most, links = int(np.diff(g.node).max()), int(np.diff(g.edge).max(initial=0))
    chosen: ForestSearch | MessageSearch | None = None
    if engine in ("auto", "forest"):
        chosen = make_forest_search([shape(g, i, K) for i in range(g.size)], K) if acyclic(g) else None
        if chosen is None and engine == "forest":
            raise ValueError("engine='forest': a graph has a cycle; take 'trws' or 'auto'.")
    exact = chosen is not None
    room = Network(
        np.full(most, K, dtype=np.int32), np.arange(most + 1) * K, np.zeros(most * K), g.tail, g.head,
        np.arange(links) * K * K, np.zeros(links * K * K), np.arange(links + 1) * 2 * K, g.start, g.arc, 0.0,
    )  # fmt: skip
    size = g.nodes.shape[1] * K + g.edges.shape[1] * K * K
    part = Networks(
        g, np.ascontiguousarray(label, dtype=np.int64), int(K),
        chosen or make_message_search(passes, most, links, K), room,
        np.zeros(most, dtype=np.int64), np.zeros(size), np.zeros(0) if weight is None else weight,
        np.ones(g.size, dtype=np.int8), 0, size, float(loss), 0.0, ledger(g.size, int(g.node[-1])), np.zeros(g.size),
        exact,
    )  # fmt: skip
    return part if engine in ("auto", "forest", "trws") else Searched(part, engine)


def acyclic(g: Graphs) -> bool:
    """Whether no graph has a cycle: then and only then there are as many trees as nodes less edges."""
    n, first = int(g.node[-1]), np.repeat(g.node[:-1], np.diff(g.edge))
    links = sp.coo_array((np.ones(g.tail.size, dtype=np.int8), (g.tail + first, g.head + first)), shape=(n, n))
    return bool(connected_components(links, directed=False)[0] == n - g.tail.size)


def shape(g: Graphs, i: int, K: int) -> Network:
    """The network of example i, all tables zero."""
    n, m = int(g.node[i + 1] - g.node[i]), int(g.edge[i + 1] - g.edge[i])
    links = slice(g.edge[i], g.edge[i + 1])
    starts = g.start[g.node[i] + i : g.node[i + 1] + i + 1]
    return Network(
        np.full(n, K, dtype=np.int32), np.arange(n + 1) * K, np.zeros(n * K), g.tail[links], g.head[links],
        np.arange(m) * K * K, np.zeros(m * K * K), np.arange(m + 1) * 2 * K, starts,
        g.arc[2 * g.edge[i] : 2 * g.edge[i + 1]], 0.0,
    )  # fmt: skip


def tables(g: Graphs, w: np.ndarray, i: int, K: int) -> Network:
    """The network of example i along w; parallel edges are one."""
    links = slice(g.edge[i], g.edge[i + 1])
    d = g.nodes.shape[1]
    unary = g.nodes[g.node[i] : g.node[i + 1]] @ w[: d * K].reshape(d, K)
    pairs = (g.edges[links] @ w[d * K :].reshape(-1, K * K)).reshape(-1, K, K)
    pairs = np.where(g.turned[links][:, None, None], pairs.transpose(0, 2, 1), pairs)
    return Network.from_tables(unary, np.stack([g.tail[links], g.head[links]], axis=1), pairs)


def differences(part: Networks, book: Ledger) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """`add` of all entries of ``book``: entry, the places of truth and rival, and the value there."""
    g, k, some = part.graphs, part.K, book.example
    label = book.label.astype(np.int64)
    nodes, edges = (np.diff(begin)[some] for begin in (g.node, g.edge))
    node, edge = spans(g.node[some], nodes), spans(g.edge[some], edges)
    truth, rival = (np.repeat(begin, edges) for begin in (g.node[some], book.begin[:-1]))  # where their labels begin
    u, v = np.where(g.turned[edge], (g.head[edge], g.tail[edge]), (g.tail[edge], g.head[edge]))
    pair = np.stack([part.label[truth + u] * k + part.label[truth + v], label[rival + u] * k + label[rival + v]])
    for x, state, at, sizes, base, stride in (
        (g.nodes, np.stack([part.label[node], label[: node.size]]), node, nodes, 0, k),
        (g.edges, pair, edge, edges, g.nodes.shape[1] * k, k * k),
    ):
        differ = np.flatnonzero(state[0] != state[1])
        rows = x[at[differ]]
        j, feature = np.nonzero(rows)
        own, other = state[:, differ[j]] + (base + feature * stride)
        yield np.repeat(np.arange(sizes.size), sizes)[differ[j]], own, other, rows[j, feature]


def rounding(g: Graphs, w: np.ndarray, K: int) -> np.ndarray:
    """Bounds of the rounding errors of all scores: every sum of an example is of these numbers, in some order.

    32: a score is twice as large as its tables, and a rival may be missed by the errors of finding it, on both sides.
    """
    d = g.nodes.shape[1]
    node = (np.abs(g.nodes) @ np.abs(w[: d * K]).reshape(d, K)).max(axis=1)
    pair = (np.abs(g.edges) @ np.abs(w[d * K :]).reshape(-1, K * K)).max(axis=1, initial=0.0)
    total = np.add.reduceat(node, g.node[:-1]) + np.diff(np.concatenate([[0.0], np.cumsum(pair)])[g.edge])
    terms = np.diff(g.node) + np.diff(g.edge) + d + g.edges.shape[1] + 8
    return 32.0 * UNIT * terms * (total + UNIT * pair.size * float(np.sum(pair)))  # the latter: errors of cumsum


def reach(g: Graphs) -> float:
    """No vector is longer: a node adds at most sqrt(2) |x_v|, an edge sqrt(2) |x_vv'|, in places of their own."""
    node, edge = np.linalg.norm(g.nodes, axis=1), np.linalg.norm(g.edges, axis=1)
    whole = np.concatenate([[0.0], np.cumsum(edge)])
    lengths = np.hypot(np.add.reduceat(node, g.node[:-1]), whole[g.edge[1:]] - whole[g.edge[:-1]])
    return math.sqrt(2.0) * float(lengths.max()) * (1.0 + 1e-12)


@inlined
def lead(part, w, i):
    """The truth's score, 0, less its best rival's, as the engine finds it, with ``loss`` for every wrong label."""
    g, room = part.graphs, part.room
    fill(part, w, i)
    first, last = g.node[i], g.node[i + 1]
    begin, end = g.edge[i], g.edge[i + 1]
    n, m = last - first, end - begin
    whole = Network(
        room.n_labels[:n], room.unary_start[: n + 1], room.unary, g.tail[begin:end], g.head[begin:end],
        room.pairwise_start[:m], room.pairwise, room.message_start[: m + 1],
        g.start[first + i : last + i + 1], g.arc[2 * begin : 2 * end], 0.0,
    )  # fmt: skip
    network, truth = in_place(whole), part.label[first:last]
    part.engine.find(network, truth, part.rival, first)
    return -score_labelling(network, part.rival)


@inlined
def fill(part, w, i):
    """The tables of example i along w, wrong labels raised by the loss, all relative to the truth, which scores 0."""
    g, K, unary, pairwise, first = part.graphs, part.K, part.room.unary, part.room.pairwise, part.graphs.node[i]
    for v in range(g.node[i + 1] - first):
        y = part.label[first + v]
        weighted(g.nodes, first + v, w, 0, unary, v * K, K, y)
        for k in range(K):
            unary[v * K + k] += part.loss if k != y else 0.0
    for e in range(g.edge[i + 1] - g.edge[i]):
        row, table = g.edge[i] + e, e * K * K
        u, v = (g.head[row], g.tail[row]) if g.turned[row] else (g.tail[row], g.head[row])
        own = part.label[first + u] * K + part.label[first + v]
        weighted(g.edges, row, w, g.nodes.shape[1] * K, pairwise, table, K * K, own)
        if g.turned[row]:
            for j in range(K):
                for k in range(j):
                    one, two = table + j * K + k, table + k * K + j
                    pairwise[one], pairwise[two] = pairwise[two], pairwise[one]


@compiled
def weighted(features, row, w, base, out, at, count, own):
    """``count`` numbers of ``out``: a row of features times as many weights each, from ``base`` on; less ``own``'s."""
    for k in range(count):
        out[at + k] = 0.0
    for f in range(features.shape[1]):
        x = features[row, f]
        if x != 0.0:
            for k in range(count):
                out[at + k] += x * w[base + f * count + k]
    less = out[at + own]
    for k in range(count):
        out[at + k] -= less


@compiled
def add(part, w, i, beta):
    """Add beta (phi(x,y) - phi(x,y')) to w, y' being the rival found last."""
    g, K, label, rival, first = part.graphs, part.K, part.label, part.rival, part.graphs.node[i]
    for v in range(g.node[i + 1] - first):
        move(g.nodes, first + v, w, 0, K, label[first + v], rival[v], beta)
    for e in range(g.edge[i], g.edge[i + 1]):
        u, v = (g.head[e], g.tail[e]) if g.turned[e] else (g.tail[e], g.head[e])
        own, other = label[first + u] * K + label[first + v], rival[u] * K + rival[v]
        move(g.edges, e, w, g.nodes.shape[1] * K, K * K, own, other, beta)


@compiled
def move(features, row, w, base, count, own, other, beta):
    """Add beta times a row of features to the weights ``own``, and subtract it from ``other``."""
    if own != other:
        for f in range(features.shape[1]):
            x = beta * features[row, f]
            if x != 0.0:
                w[base + f * count + own] += x
                w[base + f * count + other] -= x


@compiled
def square(part, i):
    """|a|^2 of the rival found last."""
    add(part, part.a, i, 1.0)
    total = 0.0
    for j in range(part.a.size):
        total += part.a[j] * part.a[j]
        part.a[j] = 0.0
    return total
