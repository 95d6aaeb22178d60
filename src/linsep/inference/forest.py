r"""Trees and forests: the best labelling by dynamic programming, and the best one besides a given truth.

From the leaves to the roots every node tells its parent :math:`M(y_p) = \max_y D(y) + \theta(y, y_p)`, where D is its
own table and what its children told it; from the roots to the leaves every node takes its best label. The messages
are a proof: `bound.upper_bound` of them is the value that was found.
"""

from __future__ import annotations

import time

import numpy as np

from ..jit import compiled
from .answer import finish
from .bound import upper_bound
from .network import Answer, Network

FREE, DEVIATE, TRUE = 0, 1, 2  # what a node's part of the rival must do


def forest(network: Network) -> Answer:
    """The best labelling of a network without cycles.

    >>> chain = Network.of([[0.0, 1.0], [0.0, 0.0], [2.0, 0.0]], [(0, 1), (1, 2)], [[1.0, 0.0], [0.0, 1.0]])
    >>> answer = forest(chain)
    >>> answer.labels, answer.value, answer.status
    (array([0, 0, 0]), 4.0, 'optimal')
    """
    began = time.perf_counter()
    order, parent = planted(network)
    tame, _ = network.tamed()
    messages, own = np.zeros(network.spot[-1]), np.empty(network.unary.size)
    labels = np.empty(network.n, dtype=np.int64)
    upward(tame, order, parent, messages, own)
    downward(tame, order, parent, own, labels)
    up = parent[order[parent[order] >= 0]]
    share = np.zeros(network.m)
    share[up] = np.where(parent[network.head[up]] == up, 1.0, -1.0)
    upper, error = upper_bound(tame, messages, share)
    return finish(network, labels, upper, 4.0 * error, "forest", began)


def forest_rival(network: Network, truth: np.ndarray) -> tuple[np.ndarray, float]:
    """The best labelling other than ``truth``, and by how much it is better than the truth (ties count as better)."""
    order, parent = planted(network)
    tame, _ = network.tamed()
    gain, deviation = np.empty(network.unary.size), np.empty(network.n)
    labels, task = np.empty(network.n, dtype=np.int64), np.empty(network.n, dtype=np.int8)
    ahead = rival(tame, order, parent, truth.astype(np.int64), gain, deviation, labels, task)
    return labels, float(ahead)


def planted(network: Network) -> tuple[np.ndarray, np.ndarray]:
    """Nodes with parents before children, and the edge to a node's parent (-1 at roots); refuses cycles."""
    order, parent = np.empty(network.n, dtype=np.int64), np.empty(network.n, dtype=np.int64)
    if not plant(network, order, parent):
        raise ValueError("forest: the network has a cycle; take another engine.")
    return order, parent


def is_forest(network: Network) -> bool:
    """Whether the network has no cycle."""
    if network.m >= network.n:
        return False
    return bool(plant(network, np.empty(network.n, dtype=np.int64), np.empty(network.n, dtype=np.int64)))


@compiled
def plant(network, order, parent):
    """Walk through every tree, breadth first; False if there is a cycle."""
    n = network.labels.size
    for v in range(n):
        parent[v] = -2
    done, seen = 0, 0
    for root in range(n):
        if parent[root] != -2:
            continue
        parent[root] = -1
        order[seen] = root
        seen += 1
        while done < seen:
            v = order[done]
            done += 1
            for a in range(network.start[v], network.start[v + 1]):
                e = network.arc[a]
                if e == parent[v]:
                    continue
                c = network.head[e] if network.tail[e] == v else network.tail[e]
                if parent[c] != -2:
                    return False
                parent[c] = e
                order[seen] = c
                seen += 1
    return True


@compiled
def upward(network, order, parent, messages, own):
    """From the leaves to the roots: ``own`` becomes every node's table with its children's messages."""
    for t in range(order.size - 1, -1, -1):
        v = order[t]
        begin, count = network.node[v], network.labels[v]
        for k in range(count):
            own[begin + k] = network.unary[begin + k]
        for a in range(network.start[v], network.start[v + 1]):
            e = network.arc[a]
            if e != parent[v]:
                at = network.spot[e] if network.tail[e] == v else network.spot[e] + network.labels[network.tail[e]]
                for k in range(count):
                    own[begin + k] += messages[at + k]
        e = parent[v]
        if e >= 0:
            rows, columns = network.labels[network.tail[e]], network.labels[network.head[e]]
            down = network.tail[e] == v  # the message goes to the head
            at = network.spot[e] + rows if down else network.spot[e]
            most = -np.inf
            for j in range(columns if down else rows):
                best = -np.inf
                for k in range(count):
                    entry = k * columns + j if down else j * columns + k
                    best = max(best, own[begin + k] + network.pairwise[network.table[e] + entry])
                messages[at + j] = best
                most = max(most, best)
            for j in range(columns if down else rows):
                messages[at + j] -= most


@compiled
def downward(network, order, parent, own, labels):
    """From the roots to the leaves: the best label given the parent's."""
    for v in order:
        labels[v] = choose(network, parent[v], v, own, labels, -1)


@compiled
def choose(network, e, v, own, labels, banned):
    """The best label of v but ``banned``, given the label at the other end of edge e (none if e < 0)."""
    best, label = -np.inf, -1
    for k in range(network.labels[v]):
        total = own[network.node[v] + k]
        if e >= 0:
            total += entry_at(network, e, v, k, labels)
        if k != banned and (total > best or label < 0):
            best, label = total, k
    return label


@compiled
def entry_at(network, e, v, k, labels):
    """The entry of edge e for label k at v and the other end's in ``labels``."""
    columns = network.labels[network.head[e]]
    if network.tail[e] == v:
        return network.pairwise[network.table[e] + k * columns + labels[network.head[e]]]
    return network.pairwise[network.table[e] + labels[network.tail[e]] * columns + k]


@compiled
def rival(network, order, parent, truth, gain, deviation, labels, task):
    """The best labelling but the truth into ``labels``; returns its value less the truth's.

    All is told relative to the truth, whose value is 0 in every subtree. ``gain`` of (v, k) is the best of v's subtree
    with label k at v; ``deviation`` of v is the best of the subtree that differs from the truth *somewhere*, given
    that the parent keeps its true label.
    """
    for t in range(order.size - 1, -1, -1):
        v = order[t]
        begin = network.node[v]
        for k in range(network.labels[v]):
            gain[begin + k] = network.unary[begin + k] - network.unary[begin + truth[v]]
        total, best = 0.0, -np.inf  # of the children that gain by deviating; the best child
        for a in range(network.start[v], network.start[v + 1]):
            e = network.arc[a]
            if e == parent[v]:
                continue
            c = network.head[e] if network.tail[e] == v else network.tail[e]
            kept = entry_at(network, e, c, truth[c], truth)
            columns = network.labels[network.head[e]]
            for k in range(network.labels[v]):
                most = -np.inf
                for j in range(network.labels[c]):
                    entry = k * columns + j if network.tail[e] == v else j * columns + k
                    found = gain[network.node[c] + j] + (network.pairwise[network.table[e] + entry] - kept)
                    most = max(most, found)
                gain[begin + k] += most
            total += max(deviation[c], 0.0)
            best = max(best, deviation[c])
        below = total if best >= 0.0 else best
        deviation[v] = max(below, aside(network, parent[v], v, gain, truth))
    total, best, first = 0.0, -np.inf, -1
    for v in order:
        if parent[v] < 0:
            total += max(deviation[v], 0.0)
            if deviation[v] > best:
                best, first = deviation[v], v
    for v in order:
        e = parent[v]
        if e < 0:
            task[v] = DEVIATE if (deviation[v] >= 0.0 or (best < 0.0 and v == first)) else TRUE
        if task[v] == FREE:
            labels[v] = choose(network, e, v, gain, labels, -1)
        elif task[v] == TRUE:
            labels[v] = truth[v]
        elif aside(network, e, v, gain, truth) >= deviation[v]:
            labels[v] = choose(network, e, v, gain, truth, truth[v])
        else:
            labels[v] = truth[v]
        pass_on(network, e, v, deviation, labels, truth, task)
    return total if best >= 0.0 else best


@compiled
def aside(network, e, v, gain, truth):
    """The best gain of v's subtree with another label than the true one at v itself, the parent's being true."""
    best = -np.inf
    kept = entry_at(network, e, v, truth[v], truth) if e >= 0 else 0.0
    for k in range(network.labels[v]):
        if k != truth[v]:
            found = gain[network.node[v] + k]
            if e >= 0:
                found += entry_at(network, e, v, k, truth) - kept
            best = max(best, found)
    return best


@compiled
def pass_on(network, up, v, deviation, labels, truth, task):
    """Tell the children of v what their part of the rival must do."""
    best, first = -np.inf, -1
    for a in range(network.start[v], network.start[v + 1]):
        e = network.arc[a]
        if e != up:
            c = network.head[e] if network.tail[e] == v else network.tail[e]
            if task[v] != DEVIATE or labels[v] != truth[v]:
                task[c] = TRUE if task[v] == TRUE else FREE
            else:
                task[c] = DEVIATE if deviation[c] >= 0.0 else TRUE
            if deviation[c] > best:
                best, first = deviation[c], c
    if task[v] == DEVIATE and labels[v] == truth[v] and best < 0.0 and first >= 0:
        task[first] = DEVIATE
