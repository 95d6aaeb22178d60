r"""Rows that are learned in scaled coordinates, without a copy: only the step that an update makes is another one.

Scaling divides column j by its size :math:`s_j` and, of dense rows, moves its mean :math:`m_j` to 0:
:math:`\tilde x = S^{-1}(x - m)`. A rule that moves :math:`\tilde w` by :math:`\beta\,(\tilde x, 1)` moves the weights
of the rows as they are, :math:`w = S^{-1}\tilde w` and :math:`w_0 = \tilde w_0 - \langle w, m\rangle`, by

.. math:: \beta\, S^{-2} (x - m) \qquad\text{and}\qquad \beta\,(1 - \langle S^{-2}(x - m), m\rangle) .

Both give a row the same score, so `lowest` reads rows and w as ever; scaling is a metric. Its ``metric`` has two rows:
:math:`1/s_j^2`, powers of 4, and :math:`m_j`, zero for sparse rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import compiled, component, read_only
from .points import Dense, DenseMethods, Sparse, SparseMethods

LIKE = 32.0  # "auto" scales if the sizes of columns differ by more than this factor
NEAR = 8.0  # or if a dense column is farther from 0 than so many times its size
LOOK = 1 << 20  # numbers that are looked at to find the sizes: rows evenly spread over the data


class _ScaledDenseFields(NamedTuple):
    X: np.ndarray
    sign: np.ndarray
    weight: np.ndarray
    bias: float
    first: int
    metric: np.ndarray  # 2 x d


@component
class ScaledDense(DenseMethods, _ScaledDenseFields):
    """Dense rows, learned as if every column had mean 0 and size 1."""

    __slots__ = ()

    @property
    def certified(self) -> Dense:
        """The rows as they are: a certificate is about them."""
        return Dense(*self[:-1])

    def squared_norm(self, i, slot):
        """The squared length of the scaled row, augmented by 1."""
        i = np.uint64(i)
        xx = 1.0 if self.bias != 0.0 else 0.0
        for j in range(self.X.shape[1]):
            x = np.float64(self.X[i, j]) - self.metric[1, j]
            xx += self.metric[0, j] * x * x
        return xx

    def add(self, w, i, slot, beta):
        """Move w by beta times the scaled vector."""
        self.add_to_class(w, i, 0, 1, beta * self.sign[i])

    def add_to_class(self, w, i, k, classes, step):
        """Move class k of w by step times the scaled row."""
        i = np.uint64(i)
        d = np.uint64(self.X.shape[1])
        p = np.uint64(k) * (d + np.uint64(1))
        shift = 0.0
        for j in range(d):
            x = self.metric[0, j] * (self.X[i, j] - self.metric[1, j])
            w[p + j] += step * x
            shift += self.metric[1, j] * x
        if self.bias != 0.0:
            w[p + d] += step * (1.0 - shift) / self.bias


class _ScaledSparseFields(NamedTuple):
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    sign: np.ndarray
    weight: np.ndarray
    bias: float
    first: int
    width: int
    metric: np.ndarray  # 2 x d


@component
class ScaledSparse(SparseMethods, _ScaledSparseFields):
    """Sparse rows, learned as if every column had size 1; they are not centred, and stay sparse."""

    __slots__ = ()

    @property
    def certified(self) -> Sparse:
        """The rows as they are: a certificate is about them."""
        return Sparse(*self[:-1])

    def squared_norm(self, i, slot):
        """The squared length of the scaled row, augmented by 1."""
        i = np.uint64(i)
        xx = 1.0 if self.bias != 0.0 else 0.0
        for k in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = np.float64(self.data[k])
            xx += self.metric[0, np.uint64(self.indices[k])] * x * x
        return xx

    def add(self, w, i, slot, beta):
        """Move w by beta times the scaled vector."""
        self.add_to_class(w, i, 0, 1, beta * self.sign[i])

    def add_to_class(self, w, i, k, classes, step):
        """Move class k of w by step times the scaled row."""
        i, k, classes = np.uint64(i), np.uint64(k), np.uint64(classes)
        for m in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            j = np.uint64(self.indices[m])
            w[j * classes + k] += step * self.metric[0, j] * self.data[m]
        if self.bias != 0.0:
            w[np.uint64(w.size) - classes + k] += step / self.bias


def with_metric(rows: Dense | Sparse, metric: np.ndarray | None) -> Dense | Sparse | ScaledDense | ScaledSparse:
    """The rows, learned in scaled coordinates if there is a metric.

    >>> from linsep.oracles import points
    >>> rows = with_metric(points(np.array([[3.0, 200.0]]), [1]), np.array([[1.0, 2.0**-12], [1.0, 72.0]]))
    >>> w = np.zeros(3)
    >>> rows.add(w, 0, 0, 1.0)  # the scaled row is (2, 2, 1): w = (2, 2/64), w0 = 1 - 2*1 - 2/64*72
    >>> w, float(rows.lowest(w, 0)[0]), float(rows.squared_norm(0, 0))
    (array([ 2.     ,  0.03125, -3.25   ]), 9.0, 9.0)
    """
    if metric is None:
        return rows
    metric = read_only(metric)
    return ScaledDense(*rows, metric) if isinstance(rows, Dense) else ScaledSparse(*rows, metric)


def column_metric(rows: Dense | Sparse, always: bool, some: np.ndarray | None = None) -> np.ndarray | None:
    r"""The metric of the columns; None if they are of similar size and near 0, unless it is wanted ``always``.

    The size of a column is :math:`s = \sqrt{\sum_i (x_i - m)^2 / \#\{x_i \ne 0\}}`, rounded to a power of two; m is its
    mean, 0 for sparse rows. Of a column without zeros that is the standard deviation; rare entries count as they are,
    whatever their number, so that rare words and rare codes are not magnified.

    >>> from linsep.oracles import points
    >>> column_metric(points(np.array([[1.0, 100.0], [3.0, 300.0]]), [1, -1]), always=False)
    array([[1.00000000e+00, 6.10351562e-05],
           [2.00000000e+00, 2.00000000e+02]])
    """
    squares, mean, nonzeros = column_moments(rows, some)
    size = np.sqrt(squares / np.maximum(nonzeros, 1.0))
    some = size > 2.0**-40 * np.abs(mean)  # else the column is constant, but for rounding
    if not some.any():
        return None
    size = np.where(some, size, 1.0)
    far = np.abs(mean[some]) > NEAR * size[some]
    if not (always or far.any() or size[some].max() > LIKE * size[some].min()):
        return None
    return np.array([np.ldexp(1.0, -2 * np.rint(np.log2(size)).astype(np.int64)), mean])


def looked_at(present: int | np.ndarray, count: int, numbers: int) -> np.ndarray:
    """The rows that tell the sizes of columns, evenly spread over those present: all, or every k-th of them.

    There are ``count`` rows, of ``numbers`` altogether; ``present`` are the numbers of some, or how many all are.

    >>> looked_at(5, 5, 10), looked_at(4, 4, 2**21)
    (array([0, 1, 2, 3, 4]), array([0, 2]))
    """
    present = np.arange(present) if isinstance(present, int) else present
    per_row = max(1, numbers // max(count, 1))
    return present[:: max(1, -(-present.size * per_row // LOOK))]


def column_moments(rows: Dense | Sparse, some: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of every column the sum of squared deviations from its mean, the mean (0 for sparse rows) and the non-zeros.

    Rows, or ``some`` of them, count by their weights. Without a bias nothing can be centred, and the mean is taken for
    0 as well.
    """
    all_rows = np.flatnonzero(rows.weight) if rows.weight.size else rows.sign.size
    present = looked_at(all_rows, rows.sign.size, rows.numbers) if some is None else some
    weight = rows.weight[present] if rows.weight.size else np.ones(present.size)
    if isinstance(rows, Sparse):
        both = np.zeros((rows.width, 2))  # side by side, so that an entry of a row needs one place of memory
        _sum_sparse_columns(rows.data, rows.indices, rows.indptr, present, weight, both)
        return both[:, 0].copy(), np.zeros(rows.width), both[:, 1].copy()
    sums, centred = np.zeros((3, rows.width)), rows.bias != 0.0
    start = rows.X[present[0]].astype(np.float64) if centred else np.zeros(rows.width)
    _sum_dense_columns(rows.X, start, present, weight, sums)
    if not centred:
        return sums[1], start, sums[2]
    moved = sums[0] / weight.sum()
    return np.maximum(sums[1] - moved * sums[0], 0.0), start + moved, sums[2]


@compiled
def _sum_dense_columns(X, start, rows, weight, sums):
    """Add up x - start, its square, and the weight of what is not 0."""
    first, second, nonzeros = sums[0], sums[1], sums[2]
    for i in range(rows.size):
        row, cost = np.uint64(rows[i]), weight[i]
        for j in range(X.shape[1]):
            x = np.float64(X[row, j])
            off = x - start[j]
            first[j] += cost * off
            second[j] += cost * off * off
            nonzeros[j] += cost if x != 0.0 else 0.0


@compiled
def _sum_sparse_columns(data, indices, indptr, rows, weight, sums):
    """Of the entries of sparse rows the squares, and the weight of what is not 0."""
    for i in range(rows.size):
        cost = weight[i]
        for k in range(np.uint64(indptr[rows[i]]), np.uint64(indptr[rows[i] + 1])):
            x = np.float64(data[k])
            j = np.uint64(indices[k])
            sums[j, 0] += cost * x * x
            sums[j, 1] += cost if x != 0.0 else 0.0
