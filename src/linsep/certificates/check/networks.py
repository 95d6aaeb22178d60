"""The problem of `NetworkClassifier` by its definition, to check certificates: loops and NumPy only."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .vectors import whole_numbers

EPSILON = 2.0**-52  # twice the largest relative error of one rounding
LARGEST_GRAPH = 40  # nodes times labels of a graph whose best rival is found without rounding
LARGEST_TABLE = 1 << 22  # entries of the largest table that `best_value` may need


class NetworkStructure:
    """Examples, their true labels 0 ... K-1, and phi by its definition.

    Parameters
    ----------
    X : sequence of tuples (node features, edges, edge features)
        One tuple per example; edges are pairs of nodes.
    y : sequence of arrays
        The true label of each node.
    K : int
        The number of labels.

    Examples
    --------
    >>> pair = NetworkStructure([(np.eye(2), np.array([[0, 1]]), np.ones((1, 1)))], [np.array([0, 1])], 2)
    >>> pair.phi(0, [0, 1])                        # K numbers per node feature, K x K per edge feature
    array([1., 0., 0., 1., 0., 1., 0., 0.])
    >>> low, high = pair.lead(np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.0]), 0)
    >>> low < 1.5 < high                           # [1, 1] and [0, 0] score 1, the truth scores 2.5
    True
    """

    def __init__(self, X: Sequence[tuple], y: Sequence[np.ndarray], K: int) -> None:
        self.X, self.y, self.K, self.n = X, [np.asarray(labels) for labels in y], K, len(X)
        self.widths = X[0][0].shape[1], X[0][2].shape[1]
        self.size = self.widths[0] * K + self.widths[1] * K * K

    def truth(self, i: int) -> np.ndarray:
        """The true labels of example i."""
        return self.y[i]

    def allowed(self, i: int, labelling) -> bool:
        """Whether ``labelling`` labels every node of example i and differs from the truth."""
        y = np.asarray(labelling)
        return y.shape == self.y[i].shape and bool(((y >= 0) & (y < self.K)).all() and (y != self.y[i]).any())

    def phi(self, i: int, labelling) -> np.ndarray:
        """The sums of node features by label, then of edge features by the labels of both ends."""
        out = np.zeros(self.size)
        for index, value in self.terms(i, labelling):
            out[index] += value
        return out

    def terms(self, i: int, labelling) -> Iterator[tuple[int, float]]:
        """Where the features of nodes and edges stand in phi, and what they are."""
        (nodes, edges, edge_features), K = self.X[i], self.K
        for x, k in zip(nodes, labelling, strict=True):
            yield from ((int(j * K + k), float(x[j])) for j in np.flatnonzero(x))
        for (u, v), x in zip(edges, edge_features, strict=True):
            at = self.widths[0] * K + labelling[u] * K + labelling[v]
            yield from ((int(at + j * K * K), float(x[j])) for j in np.flatnonzero(x))

    def lead(self, w: np.ndarray, i: int) -> tuple[float, float]:
        """A lower and an upper bound of the score of the truth minus that of its best rival."""
        nodes, edges, edge_features = self.X[i]
        split, y = self.widths[0] * self.K, self.y[i]
        lead = float(self._lead(i, *self._tables(w, nodes, edge_features)))
        scale = np.abs(nodes).sum() * np.abs(w[:split]).max(initial=0.0)
        scale += np.abs(edge_features).sum() * np.abs(w[split:]).max(initial=0.0)
        error = 8 * EPSILON * (y.size + len(edges) + sum(self.widths)) * float(scale)
        return lead - error, lead + error

    def exact_lead(self, w: np.ndarray, i: int) -> Fraction | None:
        """The lead of a w of integers without rounding; None of a large graph."""
        nodes, _, edge_features = self.X[i]
        if len(nodes) * self.K > LARGEST_GRAPH:
            return None
        whole, unit = whole_numbers(np.asarray(nodes), np.asarray(edge_features))
        node, pair = self._tables(w, *whole)
        never = -3 * sum(int(np.abs(table).sum()) for table in (node, pair)) - 1
        return Fraction(int(self._lead(i, node, pair, never)), unit)

    def _tables(self, w: np.ndarray, nodes: np.ndarray, edge_features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The scores of labels of nodes, and of pairs of labels of edges."""
        split = self.widths[0] * self.K
        pair = np.tensordot(edge_features, w[split:].reshape(-1, self.K, self.K), 1)
        return nodes @ w[:split].reshape(-1, self.K), pair

    def _lead(self, i: int, node: np.ndarray, pair: np.ndarray, never: Any = -math.inf) -> Any:
        """The score of the truth less that of its best rival; ``never`` is below the values of all labellings.

        The best rival is the best of all labellings in which some node has a wrong label.
        """
        edges, y, best = self.X[i][1], self.y[i], never
        own = sum(node[np.arange(y.size), y]) + sum(pair[e][y[u], y[v]] for e, (u, v) in enumerate(edges))
        for v in range(y.size):
            other = node.copy()
            other[v, y[v]] = never
            best = max(best, best_value(other, edges, pair))
        return own - best

    def reach(self) -> float:
        """An upper bound of the norms of all vectors, by the triangle inequality: a node moves x to another label."""
        longest = 0.0
        for nodes, _, edge_features in self.X:
            node, pair = (sum(math.sqrt(2) * float(np.linalg.norm(x)) for x in rows) for rows in (nodes, edge_features))
            longest = max(longest, math.hypot(node, pair))
        return longest


def best_value(node: np.ndarray, edges: np.ndarray, pair: np.ndarray) -> Any:
    """The best value of a network, by eliminating one node after the other, the one with the smallest table first.

    >>> float(best_value(np.array([[0.0, 1.0], [0.5, 0.0]]), [(0, 1)], [np.eye(2)]))
    2.0
    """
    K = node.shape[1]
    tables: list[tuple[tuple[int, ...], np.ndarray]] = [((v,), table) for v, table in enumerate(node)]
    tables += [((int(u), int(v)), table) for (u, v), table in zip(edges, pair, strict=True)]
    left, total = set(range(len(node))), 0
    while left:
        scopes = {v: set().union(*(scope for scope, _ in tables if v in scope)) for v in left}
        v = min(left, key=lambda v: (len(scopes[v]), v))
        scope = (*sorted(scopes[v] - {v}), v)
        if K ** len(scope) > LARGEST_TABLE:
            raise ValueError(f"check: expected tables of at most {LARGEST_TABLE} entries, got {K}^{len(scope)}.")
        table = np.zeros((K,) * len(scope), dtype=node.dtype)
        for nodes, part in (table for table in tables if v in table[0]):
            order = sorted(range(len(nodes)), key=lambda axis: scope.index(nodes[axis]))
            table = table + part.transpose(order).reshape([K if name in nodes else 1 for name in scope])
        tables = [table for table in tables if v not in table[0]]
        left.remove(v)
        if len(scope) > 1:
            tables.append((scope[:-1], table.max(axis=-1)))
        else:
            total = total + table.max()
    return total
