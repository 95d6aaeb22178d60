r"""An upper bound from any messages: the proof that forests, minimum cuts and TRW-S share.

Messages :math:`M_{e\to v}` move parts of the sum from edges to nodes without changing the value of any labelling,

.. math:: \theta_v + \sum_{e \ni v} M_{e\to v}, \qquad \theta_e - M_{e\to u} - M_{e\to v},

so for **any** messages the sum of the maxima of all tables is an upper bound. It gets tighter if a node gives shares
of its own table (minus its maximum, so that nothing is above 0) to some of its edges. Since any messages will do, the
errors of computing them don't matter; those of computing the bound from them are bounded here.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import compiled
from .network import UNIT, Network


def upper_bound(network: Network, messages: np.ndarray, share: np.ndarray) -> tuple[float, float]:
    """An upper bound of all values, rounding errors included, and a bound of these rounding errors.

    Parameters
    ----------
    network : Network
        Its entries must be finite.
    messages : array of shape (network.message_start[-1],)
        Any numbers.
    share : array of shape (n_edges,)
        The part of its own table that the tail (if negative, times -1) or the head (if positive) gives to each edge;
        the shares of a node may not exceed 1 together.

    Examples
    --------
    >>> pair = Network.from_tables([[0.0, 1.0], [1.0, 0.0]], [(0, 1)], [[1.0, 0.0], [0.0, 1.0]])
    >>> upper, error = upper_bound(pair, np.zeros(4), np.zeros(1))
    >>> round(upper, 9), error < 1e-14
    (3.0, True)
    """
    maxima, error_units, _ = _reparametrise(network, messages, share)
    error = UNIT * math.fsum(error_units.tolist())
    error += UNIT * (abs(network.constant) + error)
    total = math.fsum(maxima.tolist()) + network.constant
    return total + error + UNIT * abs(total), error + UNIT * abs(total)


def label_losses(network: Network, messages: np.ndarray, share: np.ndarray) -> np.ndarray:
    """For every node and label, minus how far all labellings with that label are below the bound at least.

    The parameters are those of `upper_bound`; the result is ordered as ``network.unary``.
    """
    maxima, _, relative = _reparametrise(network, messages, share)
    losses = np.empty(network.unary.size)
    add_losses(network, messages, share, relative, maxima, losses)
    return losses


def _reparametrise(network: Network, messages: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, ...]:
    """Maxima of all tables, their errors in units of roundoff, and the tables of nodes minus their maxima."""
    size = network.n_nodes + network.n_edges
    maxima, error_units, relative = np.empty(size), np.empty(size), np.empty(network.unary.size)
    maximise_node_tables(network, messages, relative, maxima, error_units)
    maximise_edge_tables(network, messages, share, relative, maxima, error_units)
    return maxima, error_units, relative


@compiled
def maximise_node_tables(network, messages, relative, maxima, error_units):
    """The maxima of the tables of all nodes, and ``relative``: the tables minus these maxima."""
    for v in range(network.n_labels.size):
        begin, count = network.unary_start[v], network.n_labels[v]
        best, size = -np.inf, 0.0
        for k in range(count):
            total = network.unary[begin + k]
            magnitude = abs(total)
            for a in range(network.edge_start[v], network.edge_start[v + 1]):
                e = network.node_edges[a]
                at = network.message_start[e] + (0 if network.tail[e] == v else network.n_labels[network.tail[e]])
                total += messages[at + k]
                magnitude += abs(messages[at + k])
            relative[begin + k] = total
            best = max(best, total)
            size = max(size, magnitude)
        maxima[v] = best
        error_units[v] = (network.edge_start[v + 1] - network.edge_start[v] + 1) * size
        for k in range(count):
            relative[begin + k] -= best


@compiled
def maximise_edge_tables(network, messages, share, relative, maxima, error_units):
    """The maxima of the tables of all edges, after those of the nodes."""
    n = network.n_labels.size
    for e in range(network.tail.size):
        u, v = network.tail[e], network.head[e]
        rows, columns = network.n_labels[u], network.n_labels[v]
        to_tail = network.message_start[e]
        to_head = to_tail + rows
        tail_share, head_share = max(-share[e], 0.0), max(share[e], 0.0)
        best, size = -np.inf, 0.0
        for j in range(rows):
            own = tail_share * relative[network.unary_start[u] + j] - messages[to_tail + j]
            for k in range(columns):
                entry = network.pairwise[network.pairwise_start[e] + j * columns + k]
                other = head_share * relative[network.unary_start[v] + k]
                best = max(best, own + entry - messages[to_head + k] + other)
                size = max(size, abs(entry))
        for end, to, part in ((u, to_tail, tail_share), (v, to_head, head_share)):
            most = 0.0
            for k in range(network.n_labels[end]):
                most = max(most, abs(messages[to + k]) + 2.0 * part * abs(relative[network.unary_start[end] + k]))
            size += most
        maxima[n + e] = best
        error_units[n + e] = 6.0 * size + 2.0 * max(tail_share, head_share) * max(error_units[u], error_units[v])


@compiled
def add_losses(network, messages, share, relative, maxima, losses):
    """What a node keeps of its own table, plus what its edges lose by label k at this end."""
    n = network.n_labels.size
    for v in range(n):
        kept = 1.0
        for a in range(network.edge_start[v], network.edge_start[v + 1]):
            e = network.node_edges[a]
            kept -= max(share[e], 0.0) if network.head[e] == v else max(-share[e], 0.0)
        for k in range(network.unary_start[v], network.unary_start[v + 1]):
            losses[k] = max(kept, 0.0) * relative[k]
    for e in range(network.tail.size):
        u, v = network.tail[e], network.head[e]
        rows, columns = network.n_labels[u], network.n_labels[v]
        tail_share, head_share = max(-share[e], 0.0), max(share[e], 0.0)
        for at_head in range(2):
            for j in range(columns if at_head else rows):
                best = -np.inf
                for k in range(rows if at_head else columns):
                    y, z = (k, j) if at_head else (j, k)
                    total = network.pairwise[network.pairwise_start[e] + y * columns + z]
                    total += tail_share * relative[network.unary_start[u] + y]
                    total += head_share * relative[network.unary_start[v] + z]
                    total -= messages[network.message_start[e] + y] + messages[network.message_start[e] + rows + z]
                    best = max(best, total)
                losses[network.unary_start[v if at_head else u] + j] += min(best - maxima[n + e], 0.0)
