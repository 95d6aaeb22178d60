r"""Trees and forests: the best labelling, and the best rival of a given one, by dynamic programming.

From the leaves to the roots every node sends its parent :math:`M(y_p) = \max_y D(y) + \theta(y, y_p)`, where D is its
own table plus the messages of its children; from the roots to the leaves every node takes its best label. The messages
are a proof: their `bound.upper_bound` is the value that was found.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from ..jit import compiled
from .answer import Answer, make_answer
from .bound import upper_bound
from .network import Network, other_end, require_network

FREE, DEVIATE, TRUE = 0, 1, 2  # tasks of a subtree of the rival: any labels, not all true, all true


class Forest(NamedTuple):
    """The nodes of a network without cycles, parents before children."""

    order: np.ndarray  # (n_nodes,) int64: the nodes
    parent: np.ndarray  # (n_nodes,) int64: the edge to the parent of each node, -1 at roots


class RivalScratch(NamedTuple):
    """Memory for `find_forest_rival`, whose result is in ``labels``."""

    gain: np.ndarray  # as ``network.unary``: the best gain over the truth of a subtree with label k at its root
    deviation: np.ndarray  # (n_nodes,): the best gain of a subtree that is not labelled as in truth
    labels: np.ndarray  # (n_nodes,) int64: the rival
    task: np.ndarray  # (n_nodes,) int8


def forest(network: Network) -> Answer:
    """The best labelling of a network without cycles.

    Parameters
    ----------
    network : Network
        A network without cycles.

    Examples
    --------
    >>> chain = Network.from_tables([[0.0, 1.0], [0.0, 0.0], [2.0, 0.0]], [(0, 1), (1, 2)], [[1.0, 0.0], [0.0, 1.0]])
    >>> answer = forest(chain)
    >>> answer.labels, answer.value, answer.status
    (array([0, 0, 0]), 4.0, 'optimal')
    """
    began = time.perf_counter()
    require_network(network)
    tree, finite = find_forest(network), network.make_finite()
    messages, own = np.zeros(network.message_start[-1]), np.empty(network.unary.size)
    labels = np.empty(network.n_nodes, dtype=np.int64)
    send_to_parents(finite, tree, messages, own)
    choose_labels(finite, tree, own, labels)
    up = tree.parent[tree.parent >= 0]
    share = np.zeros(network.n_edges)
    share[up] = np.where(tree.parent[network.head[up]] == up, 1.0, -1.0)
    upper, error = upper_bound(finite, messages, share)
    return make_answer(network, labels, upper, 4.0 * error, "forest", began)


def forest_rival(network: Network, truth: np.ndarray) -> tuple[np.ndarray, float]:
    """The best labelling other than ``truth``, and its value minus that of the truth."""
    n = network.n_nodes
    labels, task = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int8)
    scratch = RivalScratch(np.empty(network.unary.size), np.empty(n), labels, task)
    gain = find_forest_rival(network.make_finite(), find_forest(network), truth.astype(np.int64), scratch)
    return labels, float(gain)


def find_forest(network: Network) -> Forest:
    """The nodes with parents before children; an error if the network has a cycle."""
    tree = Forest(np.empty(network.n_nodes, dtype=np.int64), np.empty(network.n_nodes, dtype=np.int64))
    if not order_nodes(network, tree):
        raise ValueError("forest: expected a network without cycles, got one with a cycle; use another engine.")
    return tree


def is_forest(network: Network) -> bool:
    """Whether the network has no cycle."""
    if network.n_edges >= network.n_nodes:
        return False
    order, parent = np.empty(network.n_nodes, dtype=np.int64), np.empty(network.n_nodes, dtype=np.int64)
    return bool(order_nodes(network, Forest(order, parent)))


@compiled
def order_nodes(network, tree):
    """Write the nodes of each tree, breadth first, and their parents; False if there is a cycle."""
    order, parent = tree.order, tree.parent
    n = network.n_labels.size
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
            for a in range(network.edge_start[v], network.edge_start[v + 1]):
                e = network.node_edges[a]
                if e == parent[v]:
                    continue
                c = other_end(network.tail[e], network.head[e], v)
                if parent[c] != -2:
                    return False
                parent[c] = e
                order[seen] = c
                seen += 1
    return True


@compiled
def send_to_parents(network, tree, messages, own):
    """From the leaves to the roots: ``own`` becomes the table of each node plus its children's messages."""
    for t in range(tree.order.size - 1, -1, -1):
        v = tree.order[t]
        begin, count, up = network.unary_start[v], network.n_labels[v], tree.parent[v]
        for k in range(count):
            own[begin + k] = network.unary[begin + k]
        for a in range(network.edge_start[v], network.edge_start[v + 1]):
            e = network.node_edges[a]
            if e != up:
                at = network.message_start[e] + (0 if network.tail[e] == v else network.n_labels[network.tail[e]])
                for k in range(count):
                    own[begin + k] += messages[at + k]
        if up >= 0:
            rows, columns = network.n_labels[network.tail[up]], network.n_labels[network.head[up]]
            to_head = network.tail[up] == v
            at, most = network.message_start[up] + (rows if to_head else 0), -np.inf
            for j in range(columns if to_head else rows):
                best = -np.inf
                for k in range(count):
                    entry = k * columns + j if to_head else j * columns + k
                    best = max(best, own[begin + k] + network.pairwise[network.pairwise_start[up] + entry])
                messages[at + j] = best
                most = max(most, best)
            for j in range(columns if to_head else rows):
                messages[at + j] -= most


@compiled
def choose_labels(network, tree, own, labels):
    """From the roots to the leaves: the best label given that of the parent."""
    for v in tree.order:
        labels[v] = choose_label(network, tree.parent[v], v, own, labels, -1)


@compiled
def choose_label(network, e, v, own, labels, excluded):
    """The best label of v other than ``excluded``, given the label at the other end of edge e (no edge if e < 0)."""
    best, label = -np.inf, -1
    for k in range(network.n_labels[v]):
        total = own[network.unary_start[v] + k]
        if e >= 0:
            total += edge_entry(network, e, v, k, labels)
        if k != excluded and (total > best or label < 0):
            best, label = total, k
    return label


@compiled
def edge_entry(network, e, v, k, labels):
    """The entry of edge e for label k at v and the label of the other end in ``labels``."""
    columns = network.n_labels[network.head[e]]
    if network.tail[e] == v:
        return network.pairwise[network.pairwise_start[e] + k * columns + labels[network.head[e]]]
    return network.pairwise[network.pairwise_start[e] + labels[network.tail[e]] * columns + k]


@compiled
def find_forest_rival(network, tree, truth, scratch):
    """Write the best labelling other than the truth into ``scratch.labels``; returns its value minus the truth's."""
    compute_gains(network, tree, truth, scratch)
    parent, deviation, labels, task = tree.parent, scratch.deviation, scratch.labels, scratch.task
    total, best, first = 0.0, -np.inf, -1
    for v in tree.order:
        if parent[v] < 0:
            total += max(deviation[v], 0.0)
            if deviation[v] > best:
                best, first = deviation[v], v
    for v in tree.order:
        e = parent[v]
        if e < 0:
            task[v] = DEVIATE if (deviation[v] >= 0.0 or (best < 0.0 and v == first)) else TRUE
        if task[v] == FREE:
            labels[v] = choose_label(network, e, v, scratch.gain, labels, -1)
        elif task[v] == DEVIATE and gain_of_change(network, e, v, scratch.gain, truth) >= deviation[v]:
            labels[v] = choose_label(network, e, v, scratch.gain, truth, truth[v])
        else:
            labels[v] = truth[v]
        assign_tasks(network, e, v, truth, scratch)
    return total if best >= 0.0 else best


@compiled
def compute_gains(network, tree, truth, scratch):
    """From the leaves to the roots: ``gain`` and ``deviation``, relative to the truth, whose value is 0.

    The deviation of v is the best gain of its subtree if it differs from the truth *somewhere* and the parent of v has
    its true label.
    """
    gain, deviation = scratch.gain, scratch.deviation
    for t in range(tree.order.size - 1, -1, -1):
        v = tree.order[t]
        begin = network.unary_start[v]
        for k in range(network.n_labels[v]):
            gain[begin + k] = network.unary[begin + k] - network.unary[begin + truth[v]]
        total, best = 0.0, -np.inf  # of the children that gain by deviating; of the best child
        for a in range(network.edge_start[v], network.edge_start[v + 1]):
            e = network.node_edges[a]
            if e == tree.parent[v]:
                continue
            c = other_end(network.tail[e], network.head[e], v)
            true_entry = edge_entry(network, e, c, truth[c], truth)
            columns = network.n_labels[network.head[e]]
            for k in range(network.n_labels[v]):
                most = -np.inf
                for j in range(network.n_labels[c]):
                    entry = k * columns + j if network.tail[e] == v else j * columns + k
                    change = network.pairwise[network.pairwise_start[e] + entry] - true_entry
                    most = max(most, gain[network.unary_start[c] + j] + change)
                gain[begin + k] += most
            total += max(deviation[c], 0.0)
            best = max(best, deviation[c])
        below = total if best >= 0.0 else best
        deviation[v] = max(below, gain_of_change(network, tree.parent[v], v, gain, truth))


@compiled
def gain_of_change(network, e, v, gain, truth):
    """The best gain of the subtree of v with a wrong label at v itself, its parent having the true one."""
    best = -np.inf
    true_entry = edge_entry(network, e, v, truth[v], truth) if e >= 0 else 0.0
    for k in range(network.n_labels[v]):
        if k != truth[v]:
            found = gain[network.unary_start[v] + k]
            if e >= 0:
                found += edge_entry(network, e, v, k, truth) - true_entry
            best = max(best, found)
    return best


@compiled
def assign_tasks(network, up, v, truth, scratch):
    """The tasks of the children of v."""
    deviation, task = scratch.deviation, scratch.task
    deviates_below = task[v] == DEVIATE and scratch.labels[v] == truth[v]
    best, first = -np.inf, -1
    for a in range(network.edge_start[v], network.edge_start[v + 1]):
        e = network.node_edges[a]
        if e != up:
            c = other_end(network.tail[e], network.head[e], v)
            if deviates_below:
                task[c] = DEVIATE if deviation[c] >= 0.0 else TRUE
            else:
                task[c] = TRUE if task[v] == TRUE else FREE
            if deviation[c] > best:
                best, first = deviation[c], c
    if deviates_below and best < 0.0 and first >= 0:
        task[first] = DEVIATE
