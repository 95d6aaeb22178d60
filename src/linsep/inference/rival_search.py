"""Searches for the best rival that run inside compiled code, for learning.

``find(network, truth, rival, at)`` writes the rival and returns its value; tables are relative to the truth, whose
value is 0. ``at`` is where the nodes of the network begin among the nodes of all examples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import compiled, component
from .forest import Forest, RivalScratch, find_forest, find_forest_rival
from .local_search import find_best_single_change, improve_labels, score_labelling
from .network import Network
from .trws import backward_pass, forward_pass

SWEEPS = 1000  # over all nodes, to improve a labelling


@component
class ForestSearch(NamedTuple):
    """The best rival in a forest, exactly."""

    order: np.ndarray  # of all nodes of all examples, parents before children, counted within the example
    parent: np.ndarray  # the edge to the parent, counted within the example
    gain: np.ndarray
    deviation: np.ndarray
    labels: np.ndarray
    task: np.ndarray

    def find(self, network, truth, rival, at):
        """Dynamic programming, relative to the truth."""
        return search_forest(self, network, truth, rival, at)


@component
class MessageSearch(NamedTuple):
    """A good rival by some passes of TRW-S; usually the best one, but that is not proved."""

    passes: int
    messages: np.ndarray
    labels: np.ndarray
    own: np.ndarray
    other: np.ndarray

    def find(self, network, truth, rival, at):
        """The best labelling met other than the truth."""
        return search_by_messages(self, network, truth, rival)


@compiled(inline=True)
def search_forest(search, network, truth, rival, at):
    """Copy the best rival into ``rival``; returns its value."""
    n = network.n_labels.size
    tree = Forest(search.order[at : at + n], search.parent[at : at + n])
    scratch = RivalScratch(search.gain, search.deviation, search.labels, search.task)
    gain = find_forest_rival(network, tree, truth, scratch)
    for v in range(n):
        rival[v] = search.labels[v]
    return gain


@compiled(inline=True)
def search_by_messages(search, network, truth, rival):
    """Write the best labelling met other than the truth into ``rival``; returns its value."""
    n = network.n_labels.size
    for j in range(network.message_start[network.tail.size]):
        search.messages[j] = 0.0
    best, largest = find_best_single_change(network, truth, rival, search.own), 0.0
    for j in range(network.unary_start[n]):
        largest = max(largest, abs(network.unary[j]))
    for _ in range(search.passes):
        forward_pass(network, search.messages, search.labels, search.own, search.other, 0, n)
        improve_labels(network, search.labels, search.own, SWEEPS)
        same = True
        for v in range(n):
            same = same and search.labels[v] == truth[v]
        if not same:
            value = score_labelling(network, search.labels)
            if value > best:
                best = value
                for v in range(n):
                    rival[v] = search.labels[v]
        bound = backward_pass(network, search.messages, search.own, search.other, 0, n)
        if bound <= max(best, 0.0) + 1e-9 * max(abs(bound), largest):
            break
    return best


def make_forest_search(networks: list[Network], K: int) -> ForestSearch:
    """The search for these networks of K labels, none of which has a cycle."""
    orders, parents = zip(*map(find_forest, networks), strict=True)
    n = max(network.n_nodes for network in networks)
    scratch = RivalScratch(np.empty(n * K), np.empty(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int8))
    return ForestSearch(np.concatenate(orders), np.concatenate(parents), *scratch)


def make_message_search(passes: int, nodes: int, edges: int, K: int) -> MessageSearch:
    """The search for networks of K labels and up to so many nodes and edges."""
    return MessageSearch(passes, np.zeros(2 * edges * K), np.zeros(nodes, dtype=np.int64), np.zeros(K), np.zeros(K))
