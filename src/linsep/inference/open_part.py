"""What TRW-S leaves open: labels that its bound excludes are left out, and the rest is a smaller network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .answer import Answer, make_answer
from .bound import label_losses
from .deadline import NEVER, Deadline
from .network import Network
from .trws import MessagePassing


@dataclass(frozen=True)
class OpenPart:
    """The network of the nodes and labels that are left open."""

    network: Network | None  # None if every node has one label left
    nodes: np.ndarray  # the nodes that have more than one label left
    kept: list[np.ndarray]  # the labels left of each node of the whole network
    reduced: bool  # whether any label was left out

    def extend(self, labels: np.ndarray) -> np.ndarray:
        """The labelling of all nodes, given that of the open ones."""
        whole = np.array([kept[0] for kept in self.kept])
        whole[self.nodes] = [self.kept[v][k] for v, k in zip(self.nodes, labels)]
        return whole


def find_open_part(state: MessagePassing, deadline: Deadline = NEVER) -> OpenPart:
    """The nodes and labels that a labelling better than the best one found might have; `OutOfTime` at the deadline."""
    net = state.finite
    losses = label_losses(net, state.proof, state.share)
    is_open = state.upper + losses >= state.value - 8.0 * state.error
    is_open[net.unary_start[:-1] + state.labels] = True
    kept = [np.flatnonzero(part) for part in np.split(is_open, net.unary_start[1:-1])]
    if is_open.all():
        return OpenPart(state.network, np.arange(net.n_nodes), kept, False)
    many = np.array([labels.size > 1 for labels in kept])
    nodes = np.flatnonzero(many)
    return OpenPart(_restrict(net, nodes, kept, deadline) if nodes.size else None, nodes, kept, True)


def _restrict(network: Network, nodes: np.ndarray, kept: list[np.ndarray], deadline: Deadline) -> Network:
    """The network of ``nodes`` with the labels ``kept``; the tables of all others, which keep one label, are added."""
    place = {v: t for t, v in enumerate(nodes.tolist())}
    unary = {v: network.node_table(v)[kept[v]] for v in place}
    fixed = [network.node_table(v)[kept[v][0]] for v in range(network.n_nodes) if v not in place]
    constant = network.constant + float(np.sum(fixed))
    edges, tables = [], []
    for e, (u, v) in enumerate(network.edges.tolist()):
        deadline.check()
        table = network.edge_table(e)[np.ix_(kept[u], kept[v])]
        if u in place and v in place:
            edges.append((place[u], place[v]))
            tables.append(table)
        elif u in place:
            unary[u] = unary[u] + table[:, 0]
        elif v in place:
            unary[v] = unary[v] + table[0]
        else:
            constant += float(table[0, 0])
    return Network.of_any_size([unary[v] for v in place], edges, tables, constant)


def combine(state: MessagePassing, part: OpenPart, answer: Answer | None, began: float) -> Answer:
    """The answer for the whole network, from the answer for its open part (None if nothing is open).

    A labelling with a label that was left out has a value below ``state.value``; any other is one of the open part.
    """
    engine, note = state.engine, f"{state.passes} passes"
    if part.reduced:
        note += f", {part.nodes.size} of {state.network.n_nodes} nodes left open"
    if answer is None:
        return make_answer(state.network, part.extend(np.zeros(0)), state.value, state.rounding, engine, began, note)
    labels = part.extend(answer.labels)
    if answer.note:
        note += f"; {answer.note}"
    if state.network.value(labels) < state.value:
        labels, note = state.labels, note + "; the labelling is that of TRW-S"
    upper = min(state.upper, max(state.value, answer.upper))
    rounding = answer.rounding + (state.rounding if part.reduced else 0.0)
    return make_answer(state.network, labels, upper, rounding, f"{engine} + {answer.engine}", began, note)
