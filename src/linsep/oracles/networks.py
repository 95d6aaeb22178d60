"""Networks: labelled graphs against their best rivals, with weights that all nodes and all edges share (E3).

`Networks` is compiled, with a search of `inference.rival_search`; `SearchedNetworks` asks any engine of `inference`, in
plain Python. An engine that may miss the best rival proves bounds of the scores instead (`score_bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ..inference.bound import upper_bound
from ..inference.local_search import score_labelling
from ..inference.network import UNIT, Network
from ..inference.rival import best_rival
from ..inference.rival_search import ForestSearch, MessageSearch, make_forest_search, make_message_search
from ..inference.trws import compute_shares
from ..jit import compiled, component, read_only
from .graphs import (
    Graphs,
    add_difference,
    check_arrays,
    difference_terms,
    empty_network,
    fill_tables,
    is_acyclic,
    longest_difference,
    network_along,
    rounding_bounds,
    squared_difference,
)
from .labelling_loss import LabellingLoss, labelling_loss
from .update_log import SparseVectors, UpdateLog, new_log, truth_minus_rival
from .validation import require_scalar, require_weights


@component(LABELLINGS=True, slots=1)
class Networks(NamedTuple):
    """Example i against its best rival, which ``search`` finds; the slot is an entry of the log."""

    graphs: Graphs
    search: ForestSearch | MessageSearch
    room: Network  # for the tables of an example, relative to its truth
    scratch: np.ndarray  # as long as w, zero between calls
    weight: np.ndarray
    sign: np.ndarray
    first: int
    size: int
    loss: float  # by how much the loss of a rival raises the goal
    cost: LabellingLoss  # the loss
    log: UpdateLog
    exact: bool

    def lowest(self, w, i):
        """The least of <w,a> - loss cost(y', y) over all rivals y'."""
        slot, at = self.log.next_slot(), self.log.next_label()
        return find_rival(self, w, i, self.log.label[at:]), slot

    def squared_norm(self, i, slot):
        """|a|^2."""
        return squared_difference(self.graphs, i, self.log.label[self.log.begin[slot] :], self.scratch)

    def add(self, w, i, slot, beta):
        """Add beta a to w."""
        add_difference(self.graphs, i, self.log.label[self.log.begin[slot] :], w, beta)

    def record(self, dual_weights, i, slot, beta):
        """Keep the rival, and remember that beta a was added."""
        dual_weights[self.log.keep(i, slot, self.graphs.node[i + 1] - self.graphs.node[i])] += beta

    def w_changed(self, w):
        """No scores are kept."""

    def difference_vectors(self, log: UpdateLog) -> Iterator[SparseVectors]:
        """The vectors of the entries of ``log``."""
        return truth_minus_rival(difference_terms(self.graphs, log))

    def rounding_bound(self, w: np.ndarray) -> np.ndarray:
        """Bounds of the rounding errors of the scores."""
        return rounding_bounds(self.graphs, w)

    def norm_bound(self) -> float:
        """No vector is longer."""
        return longest_difference(self.graphs)

    def score_bounds(self, w: np.ndarray) -> np.ndarray:
        """Numbers that no score is below, by the messages of TRW-S."""
        assert isinstance(self.search, MessageSearch)  # forests are exact
        longer = self._replace(search=self.search._replace(passes=2 * self.search.passes))
        return _present_bounds(self, w, lambda i: bound_by_messages(longer, w, i))


class SearchedNetworks:
    """Examples against the best rivals that any engine of `inference` finds: `Networks` in plain Python."""

    LABELLINGS, slots = True, 1
    graphs: Graphs
    log: UpdateLog
    loss: float
    cost: LabellingLoss
    engine: str
    seconds: float

    def __init__(self, oracle: Networks, engine: str, seconds: float) -> None:
        vars(self).update(oracle._asdict(), engine=engine, seconds=seconds, exact=engine == "elimination")

    def _replace(self, **fields: Any) -> SearchedNetworks:
        """The same with other fields, as of a NamedTuple."""
        other = copy(self)
        vars(other).update(fields)
        return other

    def lowest(self, w, i):
        """The least of <w,a> - loss cost(y', y) over the rivals y' that the engine finds."""
        network, truth = network_along(self.graphs, w, i), self.graphs.truth(i)
        if self.loss:
            scale = self.loss / truth.size if self.cost.mean else self.loss
            network = network._replace(unary=network.unary + scale * self.cost.table[:, truth].T.ravel())
        found = best_rival(network, truth, self.engine, self.seconds)
        at = self.log.next_label()
        self.log.label[at : at + truth.size] = found.labels
        return network.value(truth) - found.value - self.loss * self.cost.whole, int(self.log.next_slot())

    squared_norm, add, record, w_changed = Networks.squared_norm, Networks.add, Networks.record, Networks.w_changed
    difference_vectors, rounding_bound = Networks.difference_vectors, Networks.rounding_bound
    norm_bound = Networks.norm_bound

    def score_bounds(self, w: np.ndarray) -> np.ndarray:
        """Numbers that no score is below, by the bounds that the engine proves."""
        return _present_bounds(self, w, lambda i: bound_by_engine(self.graphs, w, i, self.engine, seconds=self.seconds))


@compiled
def find_rival(oracle, w, i, rival):
    """Write the best rival into ``rival``; returns the truth's score, 0, less that of the rival."""
    g, room = oracle.graphs, oracle.room
    first, last, begin, end = g.node[i], g.node[i + 1], g.edge[i], g.edge[i + 1]
    n, m = last - first, end - begin
    scale = oracle.loss / n if oracle.cost.mean else oracle.loss
    fill_tables(g, w, i, (scale, oracle.cost.table), room.unary, room.pairwise)
    network = Network(
        room.n_labels[:n], room.unary_start[: n + 1], room.unary, g.tail[begin:end], g.head[begin:end],
        room.pairwise_start[:m], room.pairwise, room.message_start[: m + 1], g.start[first + i : last + i + 1],
        g.arc[2 * begin : 2 * end], 0.0,
    )  # fmt: skip
    oracle.search.find(network, g.label[first:last], rival, first)
    return -score_labelling(network, rival) - oracle.loss * oracle.cost.whole


def _present_bounds(oracle: Any, w: np.ndarray, bound: Callable[[int], float]) -> np.ndarray:
    """The bounds of the examples whose weight is not 0, less the rounding errors of their tables."""
    error = oracle.rounding_bound(w)
    present = range(oracle.sign.size) if oracle.weight.size == 0 else np.flatnonzero(oracle.weight).tolist()
    return np.array([bound(i) - error[i] for i in present])


def bound_by_engine(g: Graphs, w: np.ndarray, i: int, engine: str = "auto", **options: Any) -> float:
    """By how much the truth of example i leads at least, by the upper bound of its rivals that an engine proves."""
    network, truth = network_along(g, w, i), g.truth(i)
    return network.value(truth) - best_rival(network, truth, engine, **options).upper


def bound_by_messages(oracle: Networks, w: np.ndarray, i: int, tries: int = 5) -> float:
    r"""By how much the truth of example i leads at least, by the messages that a search leaves.

    If no labelling exceeds U when every wrong label is raised by delta, then
    :math:`\theta(y') \le U - \delta |y' \ne y| \le U - \delta` for all rivals. Delta is at first half of the lead
    that was found, then a quarter of that, and so on: the bound is not tight, but below the truth where it can be.
    """
    blank, truth, rival = empty_network(oracle.graphs, i), oracle.graphs.truth(i), oracle.log.label
    error = 4.0 * UNIT * truth.size * (oracle.graphs.nodes.shape[1] + 2)  # of adding delta
    oracle = oracle._replace(loss=0.0, cost=labelling_loss("count", oracle.graphs.K))
    delta = 0.5 * find_rival(oracle, w, i, rival)
    for _ in range(tries if 0.0 < delta < math.inf else 0):
        find_rival(oracle._replace(loss=delta), w, i, rival)
        raised = blank._replace(
            unary=oracle.room.unary[: blank.unary.size], pairwise=oracle.room.pairwise[: blank.pairwise.size]
        )
        messages = oracle.search.messages[: blank.message_start[-1]]  # type: ignore[union-attr]
        own, upper = raised.value(truth), upper_bound(raised, messages, compute_shares(raised))[0]
        if upper - delta * (1.0 - error) < own:
            return own - upper + delta * (1.0 - error)
        delta *= 0.25
    return bound_by_engine(oracle.graphs, w, i, seconds=10.0, search=False)


def networks(
    graphs: Graphs, engine: str = "auto", *, loss: float = 0.0, cost: Any = "count", weight: np.ndarray | None = None,
    passes: int = 30, seconds: float = 10.0,
) -> Networks | SearchedNetworks:  # fmt: skip
    """The oracle of labelled graphs.

    Parameters
    ----------
    graphs : Graphs
        The examples, with their true labels (`linsep.oracles.graphs.make_graphs`).
    engine : str, default="auto"
        "forest" (exact) and "trws" are compiled; "auto" is the former where no graph has a cycle; any other engine of
        `linsep.inference` is asked in plain Python.
    loss : float, default=0.0
        By how much the loss of a rival raises the goal.
    cost : {"count", "hamming", "zero-one"} or array-like of shape (K, K), default="count"
        The loss of a rival, of a name or ``W[decision, truth]`` (`linsep.oracles.labelling_loss`).
    weight : array, default=None
        One number per example; None: all weigh 1.
    passes : int, default=30
        The most passes of TRW-S per visit.
    seconds : float, default=10.0
        The most time that another engine may search for one graph.

    Examples
    --------
    >>> from linsep.oracles.graphs import make_graphs
    >>> pair = make_graphs([(np.eye(2), np.array([[1, 0]]), np.ones((1, 1)))], 2, [np.array([0, 1])])
    >>> oracle = networks(pair)
    >>> w = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.0])  # 0 at node 0, 1 at node 1; (0, 1) read back
    >>> score, slot = oracle.lowest(w, 0)
    >>> float(score), oracle.log.label[:2].tolist()
    (1.0, [1, 1])
    """
    g, K = graphs, graphs.K
    check_arrays(g)
    weight, loss = require_weights(weight, g.n_examples, "networks: weight"), require_scalar(loss, "networks: loss")
    n, m = int(np.diff(g.node).max()), int(np.diff(g.edge).max(initial=0))
    search: ForestSearch | MessageSearch | None = None
    if engine in ("auto", "forest"):
        search = make_forest_search([empty_network(g, i) for i in range(g.n_examples)], K) if is_acyclic(g) else None
        if search is None and engine == "forest":
            raise ValueError("engine='forest': expected graphs without a cycle; use 'trws' or 'auto'.")
    room = Network(
        np.full(n, K, dtype=np.int32), np.arange(n + 1) * K, np.zeros(n * K), g.tail, g.head,
        np.arange(m) * K * K, np.zeros(m * K * K), np.arange(m + 1) * 2 * K, g.start, g.arc, 0.0,
    )  # fmt: skip
    oracle = Networks(
        g, search or make_message_search(passes, n, m, K), room, np.zeros(g.n_weights),
        read_only(weight), np.ones(g.n_examples, dtype=np.int8), 0, g.n_weights, loss, labelling_loss(cost, K),
        new_log(g.n_examples, int(g.node[-1]), n), search is not None,
    )  # fmt: skip
    return oracle if engine in ("auto", "forest", "trws") else SearchedNetworks(oracle, engine, float(seconds))
