"""The problem of `NetworkClassifier`, stated plainly, for the check of its certificates: loops and NumPy only."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .rows import U

MOST = 1 << 22  # entries of a table of the check


class Graph:
    """Examples (node features, edges, edge features), right labels 0 ... K-1, and phi by its definition.

    >>> pair = Graph([(np.eye(2), np.array([[0, 1]]), np.ones((1, 1)))], [np.array([0, 1])], 2)
    >>> pair.phi(0, [0, 1])                       # K numbers a feature of nodes, K x K a feature of edges
    array([1., 0., 0., 1., 0., 1., 0., 0.])
    >>> low, high = pair.lead(np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.0]), 0)
    >>> low < 1.5 < high                           # [1, 1] and [0, 0] have 1, the truth has 2.5
    True
    """

    def __init__(self, X: Sequence[tuple], y: Sequence[np.ndarray], K: int) -> None:
        self.X, self.y, self.K, self.n = X, [np.asarray(labels) for labels in y], K, len(X)
        self.widths = X[0][0].shape[1], X[0][2].shape[1]
        self.size = self.widths[0] * K + self.widths[1] * K * K

    def truth(self, i: int) -> np.ndarray:
        """The right labels."""
        return self.y[i]

    def allowed(self, i: int, labelling) -> bool:
        """Whether it labels every node, and not all as in truth."""
        y = np.asarray(labelling)
        return y.shape == self.y[i].shape and bool(((y >= 0) & (y < self.K)).all() and (y != self.y[i]).any())

    def phi(self, i: int, labelling) -> np.ndarray:
        """Features of nodes by label, and of edges by both labels."""
        nodes, edges, kinds = self.X[i]
        node, pair = np.zeros((self.widths[0], self.K)), np.zeros((self.widths[1], self.K, self.K))
        for x, k in zip(nodes, labelling, strict=True):
            node[:, k] += x
        for (u, v), x in zip(edges, kinds, strict=True):
            pair[:, labelling[u], labelling[v]] += x
        return np.concatenate([node.ravel(), pair.ravel()])

    def lead(self, w: np.ndarray, i: int) -> tuple[float, float]:
        """The truth's score less the best of all labellings in which some node has another label."""
        nodes, edges, kinds = self.X[i]
        cut = self.widths[0] * self.K
        node = nodes @ w[:cut].reshape(-1, self.K)
        pair = np.tensordot(kinds, w[cut:].reshape(-1, self.K, self.K), 1)
        y = self.y[i]
        own = math.fsum(node[np.arange(y.size), y]) + math.fsum(pair[e][y[u], y[v]] for e, (u, v) in enumerate(edges))
        best = -math.inf
        for v in range(y.size):
            other = node.copy()
            other[v, y[v]] = -math.inf
            best = max(best, best_value(other, edges, pair))
        scale = np.abs(nodes).sum() * np.abs(w[:cut]).max(initial=0.0) + np.abs(kinds).sum() * np.abs(w[cut:]).max(
            initial=0.0
        )
        error = 8 * U * (y.size + len(edges) + sum(self.widths)) * float(scale)
        return own - best - error, own - best + error

    def reach(self) -> float:
        """No vector is longer, by the triangle inequality: a node moves x from one label to another."""
        longest = 0.0
        for nodes, _, kinds in self.X:
            node, pair = (sum(math.sqrt(2) * float(np.linalg.norm(x)) for x in part) for part in (nodes, kinds))
            longest = max(longest, math.hypot(node, pair))
        return longest


def best_value(node: np.ndarray, edges: np.ndarray, pair: np.ndarray) -> float:
    """The best value of a network, by eliminating one node after the other, the one with the smallest table first."""
    factors: list[tuple[tuple[int, ...], np.ndarray]] = [((v,), table) for v, table in enumerate(node)]
    factors += [((int(u), int(v)), table) for (u, v), table in zip(edges, pair, strict=True)]
    left, total = set(range(len(node))), 0.0
    while left:
        scopes = {v: set().union(*(scope for scope, _ in factors if v in scope)) for v in left}
        v = min(left, key=lambda v: (len(scopes[v]), v))
        scope = (*sorted(scopes[v] - {v}), v)
        if node.shape[1] ** len(scope) > MOST:
            raise ValueError(
                f"check: a table of {node.shape[1]}^{len(scope)} numbers is needed; the graph is too wide."
            )
        table = np.zeros((node.shape[1],) * len(scope))
        for names, part in (factor for factor in factors if v in factor[0]):
            order = sorted(range(len(names)), key=lambda axis: scope.index(names[axis]))
            shape = [node.shape[1] if name in names else 1 for name in scope]
            table = table + part.transpose(order).reshape(shape)
        factors = [factor for factor in factors if v not in factor[0]]
        left.remove(v)
        if len(scope) > 1:
            factors.append((scope[:-1], table.max(axis=-1)))
        else:
            total += float(table.max())
    return total
