"""Local search: change one node at a time; then change a few at random and improve around them."""

from __future__ import annotations

import numpy as np

from ..jit import compiled
from .network import other_end


@compiled
def score_labels(network, labels, v, scores):
    """What each label of node v adds to the value, all other labels being kept."""
    count = network.n_labels[v]
    for k in range(count):
        scores[k] = network.unary[network.unary_start[v] + k]
    for a in range(network.edge_start[v], network.edge_start[v + 1]):
        e = network.node_edges[a]
        if network.head[e] == v:
            row = network.pairwise_start[e] + labels[network.tail[e]] * count
            for k in range(count):
                scores[k] += network.pairwise[row + k]
        else:
            columns = network.n_labels[network.head[e]]
            column = network.pairwise_start[e] + labels[network.head[e]]
            for k in range(count):
                scores[k] += network.pairwise[column + k * columns]


@compiled
def score_labelling(network, labels):
    """The value of a labelling, summed in order: fast, for comparisons."""
    total = network.constant
    for v in range(network.n_labels.size):
        total += network.unary[network.unary_start[v] + labels[v]]
    for e in range(network.tail.size):
        columns = network.n_labels[network.head[e]]
        entry = labels[network.tail[e]] * columns + labels[network.head[e]]
        total += network.pairwise[network.pairwise_start[e] + entry]
    return total


@compiled
def choose_better_label(scores, label, count):
    """The best of ``count`` labels by their scores; ``label`` unless the gain exceeds rounding errors.

    It does not take the network: that costs a call some seventy moves.
    """
    best = label
    for k in range(count):
        if scores[k] > scores[best]:
            best = k
    return best if scores[best] > scores[label] + 1e-12 * abs(scores[best]) else label


@compiled
def improve_labels(network, labels, scores, sweeps):
    """Change one node at a time to its best label, until nothing changes (then False) or so many times all nodes."""
    for _ in range(sweeps):
        changed = False
        for v in range(network.n_labels.size):
            score_labels(network, labels, v, scores)
            best = choose_better_label(scores, labels[v], network.n_labels[v])
            if best != labels[v]:
                labels[v] = best
                changed = True
        if not changed:
            return False
    return True


@compiled
def find_best_single_change(network, truth, labels, scores):
    """The best labelling that differs from ``truth`` in one node; returns by how much it is better."""
    best, node, label = -np.inf, -1, -1
    for v in range(network.n_labels.size):
        labels[v] = truth[v]
        score_labels(network, truth, v, scores)
        for k in range(network.n_labels[v]):
            gain = scores[k] - scores[truth[v]]
            if k != truth[v] and (gain > best or node < 0):
                best, node, label = gain, v, k
    if node >= 0:
        labels[node] = label
    return best


@compiled
def perturb_and_improve(network, labels, random_numbers, queue, waiting, log, scores):
    """Change up to three linked nodes at random and improve around them; undo it if the value got lower.

    One row of ``random_numbers`` is one trial; ``queue`` and ``waiting`` hold the nodes to improve, ``log`` the changes
    to undo.
    """
    for t in range(random_numbers.shape[0]):
        last, logged, gain = perturb(network, labels, random_numbers[t], queue, waiting, log, scores)
        first = 0
        while first != last and logged < log.shape[0]:
            v = queue[first]
            first = (first + 1) % queue.size
            waiting[v] = False
            score_labels(network, labels, v, scores)
            best = choose_better_label(scores, labels[v], network.n_labels[v])
            if best != labels[v]:
                gain += scores[best] - scores[labels[v]]
                log[logged, 0], log[logged, 1] = v, labels[v]
                logged += 1
                labels[v] = best
                last = enqueue_neighbours(network, v, queue, waiting, last)
        while first != last:
            waiting[queue[first]] = False
            first = (first + 1) % queue.size
        if gain < 0.0:
            for c in range(logged - 1, -1, -1):
                labels[log[c, 0]] = log[c, 1]


@compiled
def perturb(network, labels, numbers, queue, waiting, log, scores):
    """Change up to three linked nodes at random; returns where the queue ends, the number of changes and their gain."""
    last, logged, gain = 0, 0, 0.0
    v = numbers[0] % labels.size
    for s in range(1 + numbers[1] % 3):
        k = numbers[2 + s] % network.n_labels[v]
        if k != labels[v]:
            score_labels(network, labels, v, scores)
            gain += scores[k] - scores[labels[v]]
            log[logged, 0], log[logged, 1] = v, labels[v]
            logged += 1
            labels[v] = k
            last = enqueue_neighbours(network, v, queue, waiting, last)
        degree = network.edge_start[v + 1] - network.edge_start[v]
        if degree == 0:
            break
        e = network.node_edges[network.edge_start[v] + numbers[5 + s] % degree]
        v = other_end(network.tail[e], network.head[e], v)
    return last, logged, gain


@compiled
def enqueue_neighbours(network, v, queue, waiting, last):
    """Put the neighbours of v into the queue, then v itself; returns where the queue ends."""
    for a in range(network.edge_start[v], network.edge_start[v + 1] + 1):
        j = v
        if a < network.edge_start[v + 1]:
            e = network.node_edges[a]
            j = other_end(network.tail[e], network.head[e], v)
        if not waiting[j]:
            waiting[j] = True
            queue[last] = j
            last = (last + 1) % queue.size
    return last
