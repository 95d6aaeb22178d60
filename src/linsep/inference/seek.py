"""Engines for learning: each finds the best rival of a truth inside compiled code, with room of its own.

``find(network, truth, rival, at)`` writes the rival and returns its score; tables are relative to the truth, which
scores 0. ``at`` is where the nodes of the network begin among all nodes of all examples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import compiled
from .forest import planted, rival
from .local import beside, improve, score
from .network import Network
from .trws import back, forth


class ByForest(NamedTuple):
    """The best rival in a forest, exactly."""

    order: np.ndarray  # of all nodes of all examples: parents before children, counted within the example
    parent: np.ndarray  # the edge to the parent, counted within the example
    gain: np.ndarray
    deviation: np.ndarray
    labels: np.ndarray
    task: np.ndarray

    def find(self, network, truth, rival, at):
        """Dynamic programming, relative to the truth."""
        n = network.labels.size
        ahead = _in_forest(self, network, truth, n, at)
        for v in range(n):
            rival[v] = self.labels[v]
        return ahead


class ByMessages(NamedTuple):
    """A good rival by some passes of TRW-S; the best one, as a rule, but nobody knows."""

    passes: int
    messages: np.ndarray
    labels: np.ndarray
    own: np.ndarray
    other: np.ndarray

    def find(self, network, truth, rival, at):
        """The best labelling met but the truth."""
        return _by_messages(self, network, truth, rival)


@compiled
def _in_forest(engine, network, truth, n, at):
    order, parent = engine.order[at : at + n], engine.parent[at : at + n]
    return rival(network, order, parent, truth, engine.gain, engine.deviation, engine.labels, engine.task)


@compiled
def _by_messages(engine, network, truth, found):
    n = network.labels.size
    for j in range(network.spot[network.tail.size]):
        engine.messages[j] = 0.0
    best = one_change(network, truth, found, engine.own)
    for _ in range(engine.passes):
        forth(network, engine.messages, engine.labels, engine.own, engine.other)
        improve(network, engine.labels, engine.own)
        same = True
        for v in range(n):
            same = same and engine.labels[v] == truth[v]
        if not same:
            value = score(network, engine.labels)
            if value > best:
                best = value
                for v in range(n):
                    found[v] = engine.labels[v]
        bound = back(network, engine.messages, engine.own, engine.other)
        if bound <= max(best, 0.0) + 1e-9 * (abs(bound) + 1.0):
            break
    return best


@compiled
def one_change(network, truth, found, total):
    """The best labelling that differs from the truth in one node; returns by how much it is better than the truth."""
    best, where, label = -np.inf, -1, -1
    for v in range(network.labels.size):
        found[v] = truth[v]
        beside(network, v, truth, total)
        for k in range(network.labels[v]):
            if k != truth[v] and (total[k] - total[truth[v]] > best or where < 0):
                best, where, label = total[k] - total[truth[v]], v, k
    if where >= 0:
        found[where] = label
    return best


def by_forest(networks: list[Network], K: int) -> ByForest:
    """The engine for these graphs, none of which has a cycle."""
    orders, parents = zip(*map(planted, networks), strict=True)
    most = max(network.n for network in networks)
    whole = np.empty(most * K), np.empty(most), np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int8)
    return ByForest(np.concatenate(orders), np.concatenate(parents), *whole)


def by_messages(passes: int, nodes: int, edges: int, K: int) -> ByMessages:
    """The engine for graphs of up to so many nodes and edges."""
    return ByMessages(passes, np.zeros(2 * edges * K), np.zeros(nodes, dtype=np.int64), np.zeros(K), np.zeros(K))
