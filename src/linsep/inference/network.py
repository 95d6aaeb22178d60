r"""A Markov network as plain data: tables of nodes and edges, and what an engine answers (E3).

A labelling gives every node v a label :math:`y_v`; its value is the sum to be maximised,

.. math:: \sum_v \theta_v(y_v) + \sum_{vv'} \theta_{vv'}(y_v, y_{v'}) .

Nodes may differ in their number of labels. An entry of minus infinity forbids a label or a pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

UNIT = 2.0**-53  # the largest relative error of one rounding


class Network(NamedTuple):
    """Tables of nodes and edges, as flat arrays. `Network.of` makes one.

    Edges lead from a lower node (``tail``) to a higher one (``head``), sorted; no two have the same ends.
    """

    labels: np.ndarray  # n of int32: the number of labels of a node
    node: np.ndarray  # n + 1 of int64: where a node's table begins in ``unary``
    unary: np.ndarray
    tail: np.ndarray  # m of int32
    head: np.ndarray  # m of int32
    table: np.ndarray  # m of int64: where an edge's table begins in ``pairwise``; one row a label of the tail
    pairwise: np.ndarray
    spot: np.ndarray  # m + 1 of int64: where an edge's messages begin: one number a label of the tail, then of the head
    start: np.ndarray  # n + 1 of int64: where a node's edges begin in ``arc``
    arc: np.ndarray  # 2 m of int32: the edges at a node; those to lower nodes come first
    constant: float  # added to every value

    @classmethod
    def of(cls, unary, edges=(), pairwise=(), constant: float = 0.0) -> Network:
        """A network of ``unary`` (n x K, or n vectors) and ``pairwise`` (one K x K table for all edges, or m tables).

        ``edges`` are pairs (u, v); the rows of their tables speak of u. Tables of the same two nodes are added.

        >>> chain = Network.of([[0.0, 1.0], [0.0, 0.5, 2.0]], [(0, 1)], [[[3.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> chain.value([0, 0]), chain.value([1, 2])
        (3.0, 3.0)
        """
        labels, flat = _unary(unary)
        ends = _edges(edges, labels.size)
        tables = _tables(pairwise, ends, labels)
        return _assemble(labels, flat, ends, tables, float(constant))

    @property
    def n(self) -> int:
        """The number of nodes."""
        return self.labels.size

    @property
    def m(self) -> int:
        """The number of edges."""
        return self.tail.size

    @property
    def edges(self) -> np.ndarray:
        """The edges, an m x 2 array."""
        return np.stack([self.tail, self.head], axis=1)

    def node_table(self, v: int) -> np.ndarray:
        """The table of a node."""
        return self.unary[self.node[v] : self.node[v + 1]]

    def edge_table(self, e: int) -> np.ndarray:
        """The table of an edge, a row a label of its tail."""
        rows, columns = self.labels[self.tail[e]], self.labels[self.head[e]]
        return self.pairwise[self.table[e] : self.table[e] + rows * columns].reshape(rows, columns)

    def value(self, labelling) -> float:
        """The value of a labelling: the sum of its entries, rounded once."""
        y = self.checked(labelling)
        parts = self.unary[self.node[:-1] + y], self.pairwise[self.table + y[self.tail] * self.width() + y[self.head]]
        return math.fsum([self.constant, *parts[0], *parts[1]])

    def checked(self, labelling) -> np.ndarray:
        """The labelling as int64, or an error that names the node at fault."""
        y = np.asarray(labelling)
        if y.shape != (self.n,):
            raise ValueError(f"A labelling needs one label for each of the {self.n} nodes, not an array of {y.shape}.")
        if not np.issubdtype(y.dtype, np.integer):
            raise ValueError(f"Labels must be whole numbers 0, 1, ..., not {y.dtype}.")
        y = y.astype(np.int64)
        bad = np.flatnonzero((y < 0) | (y >= self.labels))
        if bad.size:
            v = bad[0]
            raise ValueError(f"Node {v} has no label {y[v]}: its labels are 0 ... {self.labels[v] - 1}.")
        return y

    def width(self) -> np.ndarray:
        """The width of every edge's table: the number of labels of its head."""
        return self.labels[self.head].astype(np.int64)

    def sizes(self) -> np.ndarray:
        """The number of entries of every edge's table."""
        return self.labels[self.tail].astype(np.int64) * self.labels[self.head]

    def scale(self) -> float:
        """The sum over all tables of the largest finite entry in absolute value: no partial sum is larger."""
        unary = largest(self.unary, self.node[:-1], self.labels)
        return abs(self.constant) + float(np.sum(unary)) + float(np.sum(self._per_edge(largest)))

    def tamed(self) -> tuple[Network, bool]:
        """The network with forbidden entries made so low that no best labelling uses one, and whether there were any.

        Every value is at least what it was, so an upper bound of the tamed network is one of this network too.
        """
        if not (np.isneginf(self.unary).any() or np.isneginf(self.pairwise).any()):
            return self, False
        low = -1.0 - 2.0 * self.scale()
        tame = [np.where(np.isneginf(part), low, part) for part in (self.unary, self.pairwise)]
        return self._replace(unary=tame[0], pairwise=tame[1]), True

    def clamped(self, v: int, allowed) -> Network:
        """The network in which node v may take the ``allowed`` labels (a mask) only."""
        unary = self.unary.copy()
        unary[self.node[v] : self.node[v + 1]][~np.asarray(allowed, dtype=bool)] = -np.inf
        return self._replace(unary=unary)

    def unary_best(self) -> np.ndarray:
        """The best label of every node alone."""
        tables = np.full((self.n, int(self.labels.max())), -np.inf)
        tables[np.arange(tables.shape[1]) < self.labels[:, None]] = self.unary
        return np.argmax(tables, axis=1)

    def _per_edge(self, reduce) -> np.ndarray:
        """``reduce`` of every edge's table; tables that edges share are looked at once."""
        if self.m == 0:
            return np.zeros(0)
        begin, first, back = np.unique(self.table, return_index=True, return_inverse=True)
        return reduce(self.pairwise, begin, self.sizes()[first])[back]


@dataclass(frozen=True, eq=False)
class Answer:
    """What an engine found: a labelling, its value, and a number that no labelling's value exceeds.

    ``rounding`` is how far value and bound of one and the same labelling may be apart by the engine's own arithmetic.
    """

    labels: np.ndarray
    value: float
    upper: float
    engine: str
    seconds: float
    rounding: float
    note: str = ""

    def __post_init__(self) -> None:
        if not self.upper >= self.value - self.rounding:
            raise RuntimeError(f"{self.engine}: the bound {self.upper!r} is below the value {self.value!r}: a bug.")
        object.__setattr__(self, "upper", max(self.upper, self.value))

    @property
    def gap(self) -> float:
        """How much better another labelling might be."""
        return self.upper - self.value if self.upper > self.value else 0.0

    @property
    def optimal(self) -> bool:
        """Whether value and bound meet within the rounding of the engine's arithmetic."""
        return self.gap <= self.rounding

    @property
    def status(self) -> str:
        """``optimal``, ``not proved``, or ``impossible`` where every labelling is forbidden."""
        if self.upper == -math.inf:
            return "impossible"
        return "optimal" if self.optimal else "not proved"

    def __str__(self) -> str:
        text = f"{self.engine}: {self.status}, value {self.value:.10g} <= {self.upper:.10g}, {self.seconds:.3g} s"
        return f"{text} ({self.note})" if self.note else text


def largest(flat: np.ndarray, begin: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The largest finite absolute value of each run ``flat[begin : begin + size]``; runs in order, side by side."""
    if begin.size == 0:
        return np.zeros(0)
    found = np.abs(flat)
    return np.maximum.reduceat(np.where(np.isfinite(found), found, 0.0), begin)


def _unary(unary) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of labels, and the tables one after the other."""
    if isinstance(unary, np.ndarray) and unary.ndim == 2:
        labels = np.full(unary.shape[0], unary.shape[1], dtype=np.int32)
        flat = np.array(unary, dtype=np.float64).ravel()
    else:
        rows = [np.asarray(row, dtype=np.float64) for row in unary]
        for v, row in enumerate(rows):
            if row.ndim != 1:
                raise ValueError(f"Node {v}: its table must be a vector, one number a label, not of shape {row.shape}.")
        labels = np.array([row.size for row in rows], dtype=np.int32)
        flat = np.concatenate(rows) if rows else np.zeros(0)
    if (labels < 1).any():
        raise ValueError(f"Node {int(np.argmin(labels))} has no label.")
    if labels.size == 0:
        raise ValueError("A network needs at least one node.")
    bad = np.flatnonzero(~(flat < np.inf))
    if bad.size:
        v = int(np.searchsorted(np.cumsum(labels), bad[0], side="right"))
        raise ValueError(f"Node {v}: {flat[bad[0]]} in its table; finite numbers or minus infinity are needed.")
    return labels, flat


def _edges(edges, n: int) -> np.ndarray:
    """The edges as an m x 2 array of int64, checked."""
    ends = np.asarray(edges)
    if ends.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise ValueError(f"Edges must be pairs of nodes, an m x 2 array, not of shape {ends.shape}.")
    if not np.issubdtype(ends.dtype, np.integer):
        raise ValueError(f"Edges must be pairs of whole numbers, not {ends.dtype}.")
    ends = ends.astype(np.int64)
    wrong = np.flatnonzero(((ends < 0) | (ends >= n)).any(axis=1))
    if wrong.size:
        e = wrong[0]
        raise ValueError(f"Edge {e} = ({ends[e, 0]}, {ends[e, 1]}) is out of range: the nodes are 0 ... {n - 1}.")
    loops = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if loops.size:
        raise ValueError(f"Edge {loops[0]} = ({ends[loops[0], 0]}, {ends[loops[0], 0]}) is a loop.")
    return ends


def _tables(pairwise, ends: np.ndarray, labels: np.ndarray) -> list[np.ndarray] | np.ndarray:
    """One K x L table for all edges, m of one shape as one array, or m of several shapes as a list; checked."""
    m = len(ends)
    tables: list[np.ndarray] | np.ndarray
    try:
        tables = np.asarray(pairwise, dtype=np.float64)
    except ValueError:  # of several shapes
        tables = [np.asarray(part, dtype=np.float64) for part in pairwise]
    if m == 0 and len(tables) == 0:
        return np.zeros((0, 1, 1))
    one = isinstance(tables, np.ndarray) and tables.ndim == 2
    if not one and len(tables) != m:
        raise ValueError(f"{m} edges, but {len(tables)} pairwise tables.")
    if isinstance(tables, np.ndarray):
        shapes = np.broadcast_to(tables.shape[-2:], (m, 2)) if tables.ndim in (2, 3) else np.zeros((m, 2), dtype=int)
        sound = np.atleast_1d((tables < np.inf).all(axis=tuple(range(tables.ndim))[-2:]))
    else:
        shapes = np.array([table.shape if table.ndim == 2 else (0, 0) for table in tables])
        sound = np.array([(table < np.inf).all() for table in tables])
    for e in np.flatnonzero((shapes != labels[ends]).any(axis=1)):
        (u, v), want = ends[e].tolist(), tuple(labels[ends[e]].tolist())
        raise ValueError(f"Edge {e} = ({u}, {v}): its table must be of {want}, not {tuple(shapes[e].tolist())}.")
    for e in np.flatnonzero(~sound):
        raise ValueError(f"Edge {e}: NaN or infinity in its table; finite numbers or minus infinity are needed.")
    return tables


def _assemble(labels, unary, ends, tables, constant) -> Network:
    """Edges from lower to higher nodes, sorted, doubled ones added; their tables one after the other."""
    if not -np.inf < constant < np.inf:
        raise ValueError(f"The constant must be finite, not {constant}.")
    n = labels.size
    turned = ends[:, 0] > ends[:, 1]
    tail, head = np.where(turned, ends[:, 1], ends[:, 0]), np.where(turned, ends[:, 0], ends[:, 1])
    key = tail * n + head
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))  # of runs with the same ends
    if isinstance(tables, np.ndarray) and tables.ndim == 2 and first.size == order.size:  # one table, shared
        pairwise = np.concatenate([tables.ravel(), tables.T.ravel()]) if turned.any() else tables.ravel()
        table = np.where(turned, tables.size, 0)[order]
    else:
        if isinstance(tables, np.ndarray) and tables.ndim == 2:
            tables = np.broadcast_to(tables, (len(ends), *tables.shape))
        whole = isinstance(tables, np.ndarray) and (not turned.any() or tables.shape[1] == tables.shape[2])
        if whole:
            turn = np.where(turned[:, None, None], tables.transpose(0, 2, 1), tables) if turned.any() else tables
            pairwise = np.add.reduceat(turn[order], first, axis=0).ravel() if len(ends) else np.zeros(0)
        else:
            parts = [tables[e].T if turned[e] else tables[e] for e in order]
            runs = np.split(np.arange(order.size), first[1:])
            pairwise = np.concatenate([sum(parts[e] for e in run).ravel() for run in runs])
        sizes = labels[tail].astype(np.int64) * labels[head]
        table = np.concatenate([[0], np.cumsum(sizes[order][first])])[:-1]
    tail, head = tail[order][first], head[order][first]
    return connect(labels, unary, tail, head, table.astype(np.int64), np.ascontiguousarray(pairwise), constant)


def connect(labels, unary, tail, head, table, pairwise, constant: float = 0.0) -> Network:
    """The network of these tables, with the places of messages and the edges at every node."""
    node = np.concatenate([[0], np.cumsum(labels, dtype=np.int64)])
    spot = np.concatenate([[0], np.cumsum(labels[tail].astype(np.int64) + labels[head])])
    start, arc = adjacency(labels.size, tail, head)
    tail, head = tail.astype(np.int32), head.astype(np.int32)
    return Network(labels, node, unary, tail, head, table, pairwise, spot, start, arc, constant)


def adjacency(n: int, tail: np.ndarray, head: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The edges at every node, one node after the other; those to lower nodes come first."""
    m = tail.size
    at = np.concatenate([head, tail])  # a stable sort keeps the edges in which a node is the head first
    order = np.argsort(at, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=n))])
    return start.astype(np.int64), (order % max(m, 1)).astype(np.int32)
