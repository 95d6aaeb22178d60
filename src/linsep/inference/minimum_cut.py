r"""Two labels: the best labelling as a minimum cut.

An edge whose table prefers equal labels, :math:`\theta(0,0) + \theta(1,1) \ge \theta(0,1) + \theta(1,0)`, is a
capacity. Where an edge prefers different labels, the labels of one end are exchanged, if that is possible for all of
them. The flow becomes messages, so that value and bound meet by the same proof as elsewhere (`bound.upper_bound`);
capacities are floats, and the proof includes their rounding errors.
"""

from __future__ import annotations

import time

import numpy as np

from ..jit import compiled
from .answer import Answer, make_answer
from .bound import upper_bound
from .deadline import NEVER, Deadline
from .maximum_flow import Flow, make_flow, maximise_flow
from .network import UNIT, Network, other_end, require_network

ENTRIES = np.arange(4)  # of a 2 x 2 table


def cut(network: Network, seconds: float = 60.0) -> Answer:
    """The best labelling of a network of two labels whose edges can all be made to prefer equal labels.

    Parameters
    ----------
    network : Network
        Two labels per node; `find_exchanged_nodes` must find an exchange of labels.
    seconds : float, default=60.0
        The most time; a flow that is not the largest by then proves a weaker bound.

    Examples
    --------
    >>> edges = [(0, 1), (1, 2), (2, 0)]
    >>> ring = Network.from_tables([[0.0, 1.0], [0.5, 0.0], [0.0, 0.0]], edges, [[1.0, 0.0], [0.0, 1.0]])
    >>> answer = cut(ring)
    >>> answer.labels, answer.value, answer.status
    (array([1, 1, 1]), 4.0, 'optimal')
    """
    began, deadline = time.perf_counter(), Deadline(seconds)
    require_network(network)
    finite = network.make_finite()
    exchanged = find_exchanged_nodes(finite)
    if exchanged is None:
        raise ValueError("cut: expected two labels per node and edges that prefer equal labels; use another engine.")
    labels, messages = find_minimum_cut(finite, exchanged, deadline)
    upper, error = upper_bound(finite, messages, np.zeros(network.n_edges))
    note = f"labels of {exchanged.sum()} nodes exchanged" if exchanged.any() else ""
    return make_answer(network, labels, upper, 4.0 * error, "cut", began, note)


def find_exchanged_nodes(network: Network) -> np.ndarray | None:
    """The nodes whose labels must be exchanged for every edge to prefer equal labels; None if that is impossible."""
    if (network.n_labels != 2).any():
        return None
    table = network.pairwise[network.pairwise_start[:, None] + ENTRIES]
    preference = table[:, 0] + table[:, 3] - table[:, 1] - table[:, 2]
    preference[np.abs(preference) <= 8.0 * UNIT * np.abs(table).max(axis=1, initial=0.0)] = 0.0
    exchanged = np.full(network.n_nodes, -1, dtype=np.int8)
    possible = colour_nodes(network, preference, exchanged, np.empty(network.n_nodes, dtype=np.int64))
    return exchanged.astype(bool) if possible else None


def find_minimum_cut(
    network: Network, exchanged: np.ndarray, deadline: Deadline = NEVER
) -> tuple[np.ndarray, np.ndarray]:
    """The labelling of the minimum cut, and the flow as messages; at the deadline those of a smaller flow."""
    t, h = exchanged[network.tail], exchanged[network.head]
    table = network.pairwise[network.pairwise_start[:, None] + (ENTRIES ^ (2 * t + h)[:, None])]
    gain = (network.unary[1::2] - network.unary[0::2]) * np.where(exchanged, -1.0, 1.0)  # of label 1 over label 0
    flow = make_flow(network)
    capacity = set_capacities(flow, gain, table)
    maximise_flow(flow, deadline)
    sent = capacity - flow.residual[0::2]
    messages, edge = np.zeros((network.n_edges, 4)), np.arange(network.n_edges)
    messages[edge, 1 - t] = (table[:, 2] - table[:, 0]) + sent
    messages[edge, 3 - h] = (table[:, 3] - table[:, 2]) - sent
    return (flow.sink ^ exchanged).astype(np.int64), messages.ravel()


def set_capacities(flow: Flow, gain: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Set the capacities of a flow whose minimum cut maximises the sum of these tables; returns those of the edges.

    ``gain`` is that of label 1 over label 0, per node; ``table`` has one row of 4 entries per edge.
    """
    capacity = np.maximum(table[:, 0] + table[:, 3] - table[:, 1] - table[:, 2], 0.0)
    linear = np.bincount(flow.tail, table[:, 2] - table[:, 0], minlength=gain.size)
    linear += np.bincount(flow.head, table[:, 3] - table[:, 2], minlength=gain.size)
    flow.excess[:] = -(gain + linear)
    flow.residual[0::2], flow.residual[1::2] = capacity, 0.0
    return capacity


@compiled
def colour_nodes(network, preference, colour, stack):
    """Two colours such that edges that prefer different labels join different colours; False if there are none."""
    for root in range(network.n_labels.size):
        if colour[root] >= 0:
            continue
        colour[root] = 0
        stack[0] = root
        size = 1
        while size > 0:
            size -= 1
            v = stack[size]
            for a in range(network.edge_start[v], network.edge_start[v + 1]):
                e = network.node_edges[a]
                if preference[e] == 0.0:
                    continue
                j = other_end(network.tail[e], network.head[e], v)
                needed = colour[v] if preference[e] > 0.0 else 1 - colour[v]
                if colour[j] < 0:
                    colour[j] = needed
                    stack[size] = j
                    size += 1
                elif colour[j] != needed:
                    return False
    return True
