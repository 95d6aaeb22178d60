r"""An upper bound from messages, whoever sent them: the proof that forests, cuts and TRW-S share.

Messages :math:`M_{e\to v}` move parts of the sum from edges to nodes without changing any labelling's value,

.. math:: \theta_v + \sum_{e \ni v} M_{e\to v}, \qquad \theta_e - M_{e\to u} - M_{e\to v},

so for **any** messages the sum of the maxima of all tables is an upper bound. It gets tighter if a node hands shares
of its own table (less its maximum, so nothing is above 0) to some of its edges. Since any messages will do, the errors
of computing them don't matter; those of computing the bound from them are bounded here.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import compiled
from .network import UNIT, Network


def upper_bound(network: Network, messages: np.ndarray, share: np.ndarray) -> tuple[float, float]:
    """The bound, rounding included, and how large that rounding may be.

    ``share[e]`` is the part of its own table that the tail gives to edge e if it is negative (times -1), the head if
    it is positive; the shares of a node may not exceed 1 together.
    """
    most, trust = np.empty(network.n + network.m), np.empty(network.n + network.m)
    tables(network, messages, share, np.empty(network.unary.size), most, trust)
    return _summed(network, most, trust)


def even_bound(network: Network, messages: np.ndarray, share: np.ndarray) -> tuple[float, float]:
    """`upper_bound` where all nodes have as many labels, in NumPy: learning need not compile `tables` for it."""
    K, ends = int(network.labels[0]), np.stack([network.tail, network.head], axis=1)
    unary, pairwise, M = network.unary.reshape(-1, K), network.pairwise.reshape(-1, K, K), messages.reshape(-1, 2, K)
    total, magnitude = unary.copy(), np.abs(unary)
    np.add.at(total, ends, M)
    np.add.at(magnitude, ends, np.abs(M))
    best = total.max(axis=1)
    trust = (np.bincount(ends.ravel(), minlength=network.n) + 1) * magnitude.max(axis=1)
    slack, gives = (total - best[:, None])[ends], np.maximum(np.stack([-share, share], axis=1), 0.0)
    own, other = (gives[:, :, None] * slack - M).swapaxes(0, 1)
    most = (pairwise + own[:, :, None] + other[:, None, :]).max(axis=(1, 2))
    size = (np.abs(M) + 2.0 * gives[:, :, None] * np.abs(slack)).max(axis=2).sum(axis=1)
    size += np.abs(pairwise).max(axis=(1, 2))
    doubt = 6.0 * size + 2.0 * gives.max(axis=1) * trust[ends].max(axis=1)
    return _summed(network, np.concatenate([best, most]), np.concatenate([trust, doubt]))


def _summed(network: Network, most: np.ndarray, trust: np.ndarray) -> tuple[float, float]:
    error = UNIT * math.fsum(trust)
    error += UNIT * (abs(network.constant) + error)
    total = math.fsum(most) + network.constant
    return total + error + UNIT * abs(total), error + UNIT * abs(total)


@compiled
def tables(network, messages, share, slack, most, trust):
    """The maxima of all tables of nodes, then of edges; ``trust`` times the unit roundoff bounds their errors.

    ``slack`` becomes the table of every node less its maximum: how much is lost at least by another label there.
    """
    n = network.labels.size
    for v in range(n):
        begin, count = network.node[v], network.labels[v]
        best, size = -np.inf, 0.0
        for k in range(count):
            total = network.unary[begin + k]
            magnitude = abs(total)
            for a in range(network.start[v], network.start[v + 1]):
                e = network.arc[a]
                at = network.spot[e] if network.tail[e] == v else network.spot[e] + network.labels[network.tail[e]]
                total += messages[at + k]
                magnitude += abs(messages[at + k])
            slack[begin + k] = total
            best = max(best, total)
            size = max(size, magnitude)
        most[v] = best
        trust[v] = (network.start[v + 1] - network.start[v] + 1) * size
        for k in range(count):
            slack[begin + k] -= best
    for e in range(network.tail.size):
        u, v = network.tail[e], network.head[e]
        rows, columns = network.labels[u], network.labels[v]
        left, right = max(-share[e], 0.0), max(share[e], 0.0)
        best, size = -np.inf, 0.0
        for j in range(rows):
            own = left * slack[network.node[u] + j] - messages[network.spot[e] + j]
            for k in range(columns):
                entry = network.pairwise[network.table[e] + j * columns + k]
                to_head = messages[network.spot[e] + rows + k]
                best = max(best, own + entry - to_head + right * slack[network.node[v] + k])
                size = max(size, abs(entry))
        size += widest(messages, network.spot[e], slack, network.node[u], rows, left)
        size += widest(messages, network.spot[e] + rows, slack, network.node[v], columns, right)
        most[n + e] = best
        trust[n + e] = 6.0 * size + 2.0 * max(left, right) * max(trust[u], trust[v])


@compiled
def widest(messages, at, slack, begin, count, share):
    """How large what an end of an edge adds to its table may be."""
    most = 0.0
    for k in range(count):
        most = max(most, abs(messages[at + k]) + 2.0 * share * abs(slack[begin + k]))
    return most


def losses(network: Network, messages: np.ndarray, share: np.ndarray) -> np.ndarray:
    """How far below the bound every labelling with label k at node v is at least: minus that, for all (v, k)."""
    most, trust = np.empty(network.n + network.m), np.empty(network.n + network.m)
    slack, out = np.empty(network.unary.size), np.empty(network.unary.size)
    tables(network, messages, share, slack, most, trust)
    lose(network, messages, share, slack, most, out)
    return out


@compiled
def lose(network, messages, share, slack, most, out):
    """``out`` of (v, k): what the node keeps of its own table, and what its edges lose by label k at this end."""
    n = network.labels.size
    for v in range(n):
        keeps = 1.0
        for a in range(network.start[v], network.start[v + 1]):
            e = network.arc[a]
            keeps -= max(share[e], 0.0) if network.head[e] == v else max(-share[e], 0.0)
        for k in range(network.labels[v]):
            out[network.node[v] + k] = max(keeps, 0.0) * slack[network.node[v] + k]
    for e in range(network.tail.size):
        u, v = network.tail[e], network.head[e]
        rows, columns = network.labels[u], network.labels[v]
        left, right = max(-share[e], 0.0), max(share[e], 0.0)
        for side in range(2):
            for j in range(columns if side else rows):
                best = -np.inf
                for k in range(rows if side else columns):
                    y, z = (k, j) if side else (j, k)
                    total = network.pairwise[network.table[e] + y * columns + z]
                    total += left * slack[network.node[u] + y] + right * slack[network.node[v] + z]
                    total -= messages[network.spot[e] + y] + messages[network.spot[e] + rows + z]
                    best = max(best, total)
                out[network.node[v if side else u] + j] += min(best - most[n + e], 0.0)
