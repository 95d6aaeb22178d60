"""What a bound and a labelling leave open: labels that no better labelling can have are left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .bound import losses
from .network import Answer, Network
from .trws import Messages


@dataclass(frozen=True)
class Rest:
    """The open part of a problem: its network, whose nodes and labels are those in ``nodes`` and ``kept``."""

    network: Network | None  # None if nothing is open
    nodes: list[int]
    kept: list[np.ndarray]
    labels: np.ndarray  # of all nodes; right where a node has one label left

    def whole(self, labels: np.ndarray) -> np.ndarray:
        """The labelling of all nodes."""
        out = self.labels.copy()
        out[self.nodes] = [self.kept[v][k] for v, k in zip(self.nodes, labels)]
        return out


def rest(state: Messages) -> Rest | None:
    """What is left of a problem after TRW-S, or None if no label can be left out."""
    net = state.tame
    lost = losses(net, state.proof, state.share)
    open_ = state.upper + lost >= state.value - 8.0 * state.error
    open_[net.node[:-1] + state.best] = True
    if open_.all():
        return None
    kept = [np.flatnonzero(part) for part in np.split(open_, net.node[1:-1])]
    labels = np.array([some[0] for some in kept])
    many = np.array([some.size > 1 for some in kept])
    nodes = np.flatnonzero(many).tolist()
    fixed = np.flatnonzero(~many)
    constant = net.constant + float(np.sum(net.unary[net.node[:-1][fixed] + labels[fixed]]))
    unary = {v: net.node_table(v)[kept[v]] for v in nodes}
    place = {v: t for t, v in enumerate(nodes)}
    edges, tables = [], []
    for e, (u, v) in enumerate(net.edges.tolist()):
        table = net.edge_table(e)[np.ix_(kept[u], kept[v])]
        if many[u] and many[v]:
            edges.append((place[u], place[v]))
            tables.append(table)
        elif many[u]:
            unary[u] = unary[u] + table[:, 0]
        elif many[v]:
            unary[v] = unary[v] + table[0]
        else:
            constant += float(table[0, 0])
    network = Network.of([unary[v] for v in nodes], edges, tables, constant) if nodes else None
    return Rest(network, nodes, kept, labels)


def merged(state: Messages, left: Rest, answer: Answer | None) -> tuple[np.ndarray, float, float]:
    """Labelling, bound and rounding of the whole problem, from the answer to its open part.

    A labelling with a label that was left out is worth less than ``state.value``; any other is one of the open part.
    """
    if answer is None:
        return left.labels, state.value, state.rounding
    labels = left.whole(answer.labels)
    if state.network.value(labels) < state.value:
        labels = state.best
    return labels, max(state.value, answer.upper), answer.rounding + state.rounding
