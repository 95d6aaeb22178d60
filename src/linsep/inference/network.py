r"""A Markov network as plain data: one table per node and one per edge (E3).

A labelling gives every node v a label :math:`y_v`; its value is the sum to be maximised,

.. math:: \sum_v \theta_v(y_v) + \sum_{vv'} \theta_{vv'}(y_v, y_{v'}) .

Nodes may have different numbers of labels. An entry of minus infinity forbids a label or a pair of labels.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled

UNIT = 2.0**-53  # the largest relative error of one rounding
SMALLEST, LARGEST = 2.0**-900, 2.0**1000  # of `Network.magnitude`


class Network(NamedTuple):
    """Tables of nodes and edges as flat arrays; `Network.from_tables` makes one.

    Edges lead from a lower node (``tail``) to a higher one (``head``), are sorted, and no two have the same ends.

    >>> network = Network.from_tables([[0.0, 1.0], [0.0, 0.5, 2.0]], [(0, 1)], [[[3.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> network.n_labels, network.edges
    (array([2, 3], dtype=int32), array([[0, 1]], dtype=int32))
    """

    n_labels: np.ndarray  # (n_nodes,) int32: the number of labels of each node
    unary_start: np.ndarray  # (n_nodes + 1,) int64: where the table of a node begins in ``unary``
    unary: np.ndarray
    tail: np.ndarray  # (n_edges,) int32
    head: np.ndarray  # (n_edges,) int32
    pairwise_start: np.ndarray  # (n_edges,) int64: where the table of an edge begins in ``pairwise``
    pairwise: np.ndarray  # tables have one row per label of the tail
    message_start: np.ndarray  # (n_edges + 1,) int64: where the messages of an edge begin: to its tail, then head
    edge_start: np.ndarray  # (n_nodes + 1,) int64: where the edges of a node begin in ``node_edges``
    node_edges: np.ndarray  # (2 n_edges,) int32: the edges at each node; those to lower nodes come first
    constant: float  # added to every value

    @classmethod
    def from_tables(cls, unary, edges=(), pairwise=(), constant: float = 0.0) -> Network:
        """A network of one table per node and one per edge; tables of the same two nodes are added.

        `linsep.estimators.graphs.grid` has the edges of a picture: docs/networks.md labels one.

        Parameters
        ----------
        unary : array of shape (n_nodes, K), or n_nodes vectors
            The values of the labels of each node.
        edges : array of shape (n_edges, 2), default=()
            Pairs of nodes (u, v).
        pairwise : array of shape (K, K), or n_edges tables, default=()
            One table for all edges, or one per edge; rows are the labels of u, columns those of v.
        constant : float, default=0.0
            Added to every value.

        Examples
        --------
        >>> chain = Network.from_tables([[0.0, 1.0], [0.0, 0.5, 2.0]], [(0, 1)], [[[3.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> chain.value([0, 0]), chain.value([1, 2])
        (3.0, 3.0)
        """
        network = cls.of_any_size(unary, edges, pairwise, constant)
        total = network.magnitude()
        if not (total == 0.0 or SMALLEST <= total <= LARGEST):  # sums would overflow, or their errors underflow
            raise ValueError(
                f"Network: expected the largest entries of all tables to sum to {SMALLEST:.0e} ... {LARGEST:.0e} or "
                f"to 0, got {total:.3g}: multiply all tables by a power of two."
            )
        return network

    @classmethod
    def of_any_size(cls, unary, edges=(), pairwise=(), constant: float = 0.0) -> Network:
        """`from_tables` for parts of a network, whose entries may be as small as they like."""
        n_labels, flat = _check_unary(unary)
        ends = _check_edges(edges, n_labels.size)
        tables = _check_pairwise(pairwise, ends, n_labels)
        if not -np.inf < constant < np.inf:
            raise ValueError(f"constant: expected a finite number, got {constant}.")
        tail, head, start, entries = _merge_edges(n_labels, ends, tables)
        unary_start, message_start = _starts(n_labels), _starts(n_labels[tail].astype(np.int64) + n_labels[head])
        edge_start, node_edges = list_node_edges(n_labels.size, tail, head)
        tail, head = tail.astype(np.int32), head.astype(np.int32)
        nodes, links = (n_labels, unary_start, flat), (tail, head, start, entries)
        return cls(*nodes, *links, message_start, edge_start, node_edges, float(constant))

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return self.n_labels.size

    @property
    def n_edges(self) -> int:
        """The number of edges."""
        return self.tail.size

    @property
    def edges(self) -> np.ndarray:
        """The edges, an array of shape (n_edges, 2)."""
        return np.stack([self.tail, self.head], axis=1)

    def node_table(self, v: int) -> np.ndarray:
        """The table of node v."""
        return self.unary[self.unary_start[v] : self.unary_start[v + 1]]

    def edge_table(self, e: int) -> np.ndarray:
        """The table of edge e, one row per label of its tail."""
        rows, columns = self.n_labels[self.tail[e]], self.n_labels[self.head[e]]
        return self.pairwise[self.pairwise_start[e] : self.pairwise_start[e] + rows * columns].reshape(rows, columns)

    def value(self, labelling) -> float:
        """The value of a labelling: the sum of its entries, rounded once."""
        y = self.check_labelling(labelling)
        entry = self.pairwise_start + y[self.tail] * self.n_labels[self.head].astype(np.int64) + y[self.head]
        entries = np.concatenate([[self.constant], self.unary[self.unary_start[:-1] + y], self.pairwise[entry]])
        return math.fsum(entries.tolist())

    def check_labelling(self, labelling) -> np.ndarray:
        """The labelling as int64, or an error that names the node at fault."""
        y = np.asarray(labelling)
        if y.shape != (self.n_nodes,):
            raise ValueError(f"labelling: expected one label per node, shape ({self.n_nodes},), got {y.shape}.")
        if not np.issubdtype(y.dtype, np.integer):
            raise ValueError(f"labelling: expected integers 0, 1, ..., got {y.dtype}.")
        y = y.astype(np.int64)
        bad = np.flatnonzero((y < 0) | (y >= self.n_labels))
        if bad.size:
            v = bad[0]
            raise ValueError(f"labelling: expected a label 0 ... {self.n_labels[v] - 1} of node {v}, got {y[v]}.")
        return y

    def check(self) -> None:
        """Raise a ValueError if compiled code could not trust the arrays; those of `from_tables` are right."""
        n, m = self.n_labels.size, self.tail.size
        for name, array in self._asdict().items():
            kind = np.floating if name in ("unary", "pairwise") else np.integer
            if name != "constant" and not (
                isinstance(array, np.ndarray) and array.ndim == 1 and np.issubdtype(array.dtype, kind)
            ):
                raise ValueError(f"Network: {name}: expected a vector of {kind.__name__} numbers; use from_tables.")
        if n == 0 or self.head.size != m or (self.n_labels < 1).any() or self.unary_start.size != n + 1:
            raise ValueError("Network: expected nodes with labels, and two ends of every edge; use from_tables.")
        ends = np.stack([self.tail, self.head], axis=1).astype(np.int64)
        if m and not (ends.min() >= 0 and ends.max() < n and (ends[:, 0] < ends[:, 1]).all()):
            raise ValueError(f"Network: expected edges from lower to higher nodes of 0 ... {n - 1}; use from_tables.")
        if (np.diff(ends[:, 0] * n + ends[:, 1]) <= 0).any():
            raise ValueError("Network: expected sorted edges, no two with the same ends; use from_tables.")
        rows, columns = self.n_labels[ends.T].astype(np.int64)
        last = self.pairwise_start + rows * columns if self.pairwise_start.size == m else np.full(1, -1)
        if (self.pairwise_start < 0).any() or (last > self.pairwise.size).any() or (last < 0).any():
            raise ValueError("Network: expected a table of pairwise for every edge; use from_tables.")
        expected = (_starts(self.n_labels), _starts(rows + columns), *list_node_edges(n, *ends.T))
        found = self.unary_start, self.message_start, self.edge_start, self.node_edges
        if self.unary.size != expected[0][-1] or not all(map(np.array_equal, found, expected)):
            raise ValueError("Network: expected starts and lists of edges that agree with the nodes; use from_tables.")
        if not ((self.unary < np.inf).all() and (self.pairwise < np.inf).all() and np.isfinite(self.constant)):
            raise ValueError("Network: expected finite numbers or -inf in all tables, and a finite constant.")

    def magnitude(self) -> float:
        """The sum over all tables of the largest finite entry in absolute value: no partial sum is larger."""
        with np.errstate(over="ignore"):
            total = abs(self.constant) + float(np.sum(_largest_magnitudes(self.unary, self.unary_start[:-1])))
            if self.n_edges == 0:
                return total
            start, index = np.unique(self.pairwise_start, return_inverse=True)  # edges may share a table
            return total + float(np.sum(_largest_magnitudes(self.pairwise, start)[index]))

    def make_finite(self) -> Network:
        """The network with forbidden entries made so low that no best labelling uses one.

        No value gets lower, so an upper bound of the finite network is an upper bound of this network too.
        """
        if not (np.isneginf(self.unary).any() or np.isneginf(self.pairwise).any()):
            return self
        low = -4.0 * self.magnitude() or -1.0
        unary, pairwise = (np.where(np.isneginf(table), low, table) for table in (self.unary, self.pairwise))
        return self._replace(unary=unary, pairwise=pairwise)

    def restrict_node(self, v: int, allowed) -> Network:
        """The network in which node v may take only the ``allowed`` labels (a mask)."""
        unary = self.unary.copy()
        unary[self.unary_start[v] : self.unary_start[v + 1]][~np.asarray(allowed, dtype=bool)] = -np.inf
        return self._replace(unary=unary)

    def best_unary_labels(self) -> np.ndarray:
        """The best label of each node by its own table."""
        first = self.unary_start[:-1]
        best = np.repeat(np.maximum.reduceat(self.unary, first), self.n_labels)
        place = np.where(self.unary == best, np.arange(best.size), best.size)
        return np.minimum.reduceat(place, first) - first


def _starts(sizes: np.ndarray) -> np.ndarray:
    """Where parts of these sizes begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _largest_magnitudes(flat: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The largest finite absolute value of each part of ``flat``; the parts follow each other."""
    size = np.abs(flat)
    return np.maximum.reduceat(np.where(np.isfinite(size), size, 0.0), start)


def _check_unary(unary) -> tuple[np.ndarray, np.ndarray]:
    """The number of labels of each node, and all tables in one vector."""
    if isinstance(unary, np.ndarray) and unary.ndim == 2:
        n_labels = np.full(unary.shape[0], unary.shape[1], dtype=np.int32)
        flat = np.array(unary, dtype=np.float64).ravel()
    else:
        rows = [np.asarray(row, dtype=np.float64) for row in unary]
        for v, row in enumerate(rows):
            if row.ndim != 1:
                raise ValueError(f"unary: expected a vector for node {v}, got shape {row.shape}.")
        n_labels = np.array([row.size for row in rows], dtype=np.int32)
        flat = np.concatenate(rows) if rows else np.zeros(0)
    if (n_labels < 1).any():
        raise ValueError(f"unary: expected at least one label of node {int(np.argmin(n_labels))}, got none.")
    if n_labels.size == 0:
        raise ValueError("unary: expected at least one node, got none.")
    bad = np.flatnonzero(~(flat < np.inf))
    if bad.size:
        v = int(np.searchsorted(np.cumsum(n_labels), bad[0], side="right"))
        raise ValueError(f"unary: expected finite numbers or -inf for node {v}, got {flat[bad[0]]}.")
    return n_labels, flat


def _check_edges(edges, n_nodes: int) -> np.ndarray:
    """The edges as an array of shape (n_edges, 2), int64."""
    ends = np.asarray(edges)
    if ends.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise ValueError(f"edges: expected shape (n_edges, 2), got {ends.shape}.")
    if not np.issubdtype(ends.dtype, np.integer):
        raise ValueError(f"edges: expected pairs of integers, got {ends.dtype}.")
    ends = ends.astype(np.int64)
    for e in np.flatnonzero(((ends < 0) | (ends >= n_nodes)).any(axis=1)):
        raise ValueError(f"edges: expected nodes 0 ... {n_nodes - 1}, got edge {e} = {tuple(ends[e].tolist())}.")
    for e in np.flatnonzero(ends[:, 0] == ends[:, 1]):
        raise ValueError(f"edges: expected two different nodes, got edge {e} = {tuple(ends[e].tolist())}.")
    return ends


def _check_pairwise(pairwise, ends: np.ndarray, n_labels: np.ndarray) -> list[np.ndarray] | np.ndarray:
    """One K x L table for all edges, n_edges tables of one shape as one array, or of several shapes as a list."""
    n_edges = len(ends)
    tables: list[np.ndarray] | np.ndarray
    try:
        tables = np.asarray(pairwise, dtype=np.float64)
    except ValueError:  # of several shapes
        tables = [np.asarray(table, dtype=np.float64) for table in pairwise]
    if n_edges == 0 and len(tables) == 0:
        return np.zeros((0, 1, 1))
    shared = isinstance(tables, np.ndarray) and tables.ndim == 2
    if not shared and len(tables) != n_edges:
        raise ValueError(f"pairwise: expected one table for each of the {n_edges} edges, got {len(tables)}.")
    if isinstance(tables, np.ndarray):
        known = tables.ndim in (2, 3)
        shapes = np.broadcast_to(tables.shape[-2:], (n_edges, 2)) if known else np.zeros((n_edges, 2), dtype=int)
        valid = np.atleast_1d((tables < np.inf).all(axis=tuple(range(tables.ndim))[-2:]))
    else:
        shapes = np.array([table.shape if table.ndim == 2 else (0, 0) for table in tables])
        valid = np.array([(table < np.inf).all() for table in tables])
    for e in np.flatnonzero((shapes != n_labels[ends]).any(axis=1)):
        edge, shape, got = (tuple(part.tolist()) for part in (ends[e], n_labels[ends[e]], shapes[e]))
        raise ValueError(f"pairwise: expected shape {shape} for edge {e} = {edge}, got {got}.")
    for e in np.flatnonzero(~valid):
        raise ValueError(f"pairwise: expected finite numbers or -inf for edge {e}, got NaN or infinity.")
    return tables


def _merge_edges(n_labels, ends, tables) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Tails, heads, starts of tables and all tables; edges are sorted, and those with the same ends are added."""
    reverse = ends[:, 0] > ends[:, 1]
    tail, head = ends.min(axis=1), ends.max(axis=1)
    key = tail * n_labels.size + head
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))  # of each run of edges with the same ends
    shared = isinstance(tables, np.ndarray) and tables.ndim == 2
    if shared and first.size == order.size:
        pairwise = np.concatenate([tables.ravel(), tables.T.ravel()]) if reverse.any() else tables.ravel()
        start = np.where(reverse, tables.size, 0)[order]
    else:
        if shared:
            tables = np.broadcast_to(tables, (len(ends), *tables.shape))
        if isinstance(tables, np.ndarray) and (not reverse.any() or tables.shape[1] == tables.shape[2]):
            turned = np.where(reverse[:, None, None], tables.transpose(0, 2, 1), tables) if reverse.any() else tables
            pairwise = np.add.reduceat(turned[order], first, axis=0).ravel() if len(ends) else np.zeros(0)
        else:
            parts = [tables[e].T if reverse[e] else tables[e] for e in order]
            runs = np.split(np.arange(order.size), first[1:])
            pairwise = np.concatenate([sum(parts[e] for e in run).ravel() for run in runs])
        sizes = n_labels[tail].astype(np.int64) * n_labels[head]
        start = np.concatenate([[0], np.cumsum(sizes[order][first])])[:-1]
    return tail[order][first], head[order][first], start.astype(np.int64), np.ascontiguousarray(pairwise)


def list_node_edges(n_nodes: int, tail: np.ndarray, head: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The edges at each node in one vector, those to lower nodes first, and where each node's begin."""
    node = np.concatenate([head, tail])  # a stable sort keeps the edges in which a node is the head first
    order = np.argsort(node, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(node, minlength=n_nodes))])
    return start.astype(np.int64), (order % max(tail.size, 1)).astype(np.int32)


@compiled
def other_end(tail, head, v):
    """The end of an edge that is not v; it does not take the network: that costs a call some seventy moves."""
    return head if tail == v else tail


def require_network(network: Any) -> None:
    """Refuse what is no network, or one whose arrays compiled code could not trust."""
    if not isinstance(network, Network):
        raise ValueError(f"network: expected a Network, as Network.from_tables makes it, got {type(network).__name__}.")
    network.check()
