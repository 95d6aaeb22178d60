"""Points: each set is one point, row i of X, augmented by ``bias`` and mirrored by its label (B2).

``a_i = sign_i * (x_i, bias)`` is never built: X is read in place, whatever its type. ``w`` has one
number more than X has columns; the last one belongs to the bias. Dense and sparse rows are two
oracles with the same methods.

Row numbers are unsigned inside the kernels: for signed ones Numba checks each for negative wrap-around.
"""
# long because: dense and sparse rows are read side by side, method for method

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..jit import component, prefetch, read_only
from ..validation import as_rows, as_vector, require_finite

LINE = 64  # bytes that are fetched together
LINES = 4  # after so many lines in a row the processor fetches the next ones by itself


class RowMethods:
    """What dense and sparse rows share: the contract beside the kernels that read a row."""

    __slots__ = ()
    slots = 1  # places of a row in `dual_weights`

    if TYPE_CHECKING:
        sign: np.ndarray
        weight: np.ndarray
        bias: float
        first: int
        width: Any
        matrix: Any
        _replace: Any

    @property
    def rows(self) -> Any:
        """The rows behind the oracle."""
        return self

    @property
    def certified(self) -> Any:
        """The oracle whose vectors a certificate names."""
        return self

    @property
    def label(self) -> np.ndarray:
        """The class of a row."""
        return self.sign

    @property
    def size(self) -> int:
        """How many numbers w has."""
        return self.width + 1

    @property
    def bias_kind(self) -> str:
        """Which margin the rows are about: see `linsep.MarginCertificate`."""
        return "augmented" if self.bias else "none"

    def record(self, dual_weights, i, slot, beta):
        """Remember that beta a_i was added."""
        dual_weights[self.first + i] += beta

    def w_changed(self, w):
        """No scores are kept."""

    def as_matrix(self, w: np.ndarray) -> np.ndarray:
        """w as users see it: it is itself."""
        return w

    def as_vector(self, w: np.ndarray) -> np.ndarray:
        """w as the kernels hold it."""
        return np.array(w, dtype=np.float64)

    def with_bias(self, bias: float) -> Any:
        """The same rows augmented by ``bias``."""
        return self._replace(bias=bias)

    def present_places(self) -> np.ndarray:
        """Which places of `dual_weights` stand for a vector: those of the rows whose weight is not 0."""
        return self.weight > 0 if self.weight.size else np.ones(self.sign.size, dtype=bool)

    def vectors(self, places: np.ndarray) -> np.ndarray:
        """The vectors at some places of `dual_weights` that belong to these rows, as a dense matrix."""
        own = places[(places >= self.first) & (places < self.first + self.sign.size)] - self.first
        X = self.matrix[own]
        X = (X if isinstance(X, np.ndarray) else X.toarray()).astype(np.float64)
        if self.bias:
            X = np.column_stack([X, np.full(own.size, self.bias)])
        return X * self.sign[own, None]


class _DenseFields(NamedTuple):
    X: np.ndarray  # n x d
    sign: np.ndarray  # n of int8: +1 or -1
    weight: np.ndarray  # n of float64, or empty: every row weighs 1
    bias: float  # what augments a row: 1.0, or 0.0 for a hyperplane through the origin
    first: int  # the number of row 0 in the whole training set


class DenseMethods(RowMethods):
    """Rows of a C-ordered array of float64, float32, uint8 or bool."""

    __slots__ = ()
    CLASS_BY_CLASS = True  # how w holds the weights of many classes

    if TYPE_CHECKING:
        X: np.ndarray

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.X.shape[1])

    @property
    def matrix(self) -> np.ndarray:
        """X as NumPy holds it."""
        return self.X

    @property
    def numbers(self) -> int:
        """How many numbers are stored."""
        return int(self.X.size)

    @property
    def row_bytes(self) -> float:
        """The size of a row in memory."""
        return self.X.itemsize * self.X.shape[1]

    @property
    def longest_row(self) -> int:
        """The largest number of terms in a scalar product."""
        return int(self.X.shape[1])

    def lowest(self, w, i):
        """<w, a_i>: the set has one vector, in slot 0."""
        i = np.uint64(i)
        d = self.X.shape[1]
        wx = 0.0
        for j in range(d):
            wx += w[j] * self.X[i, j]
        return self.sign[i] * (wx + self.bias * w[d]), 0

    def squared_norm(self, i, slot):
        """<a_i, a_i>."""
        i = np.uint64(i)
        xx = self.bias * self.bias
        for j in range(self.X.shape[1]):
            x = np.float64(self.X[i, j])
            xx += x * x
        return xx

    def score_and_norm(self, w, i):
        """<w, a_i> and <a_i, a_i> in one pass over the row."""
        i = np.uint64(i)
        d = self.X.shape[1]
        wx, xx = 0.0, self.bias * self.bias
        for j in range(d):
            x = np.float64(self.X[i, j])
            wx += w[j] * x
            xx += x * x
        return self.sign[i] * (wx + self.bias * w[d]), xx

    def add(self, w, i, slot, beta):
        """Add beta a_i to w."""
        i = np.uint64(i)
        d = self.X.shape[1]
        step = beta * self.sign[i]
        for j in range(d):
            w[j] += step * self.X[i, j]
        w[d] += step * self.bias

    def class_scores(self, w, i, out):
        """The scores <w_k, (x_i, bias)> of all K classes; w holds one class after the other.

        Five at a time: the row is converted once for five sums, and these fit into the registers.
        """
        i, one, five = np.uint64(i), np.uint64(1), np.uint64(5)
        d = np.uint64(self.X.shape[1])
        size, classes, k = d + one, np.uint64(out.size), np.uint64(0)
        while k + five <= classes:
            p = k * size
            q, r, s, t = p + size, p + size + size, p + np.uint64(3) * size, p + np.uint64(4) * size
            wp, wq, wr, ws, wt = 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(d):
                x = np.float64(self.X[i, j])
                wp += w[p + j] * x
                wq += w[q + j] * x
                wr += w[r + j] * x
                ws += w[s + j] * x
                wt += w[t + j] * x
            out[k] = wp + self.bias * w[p + d]
            out[k + one] = wq + self.bias * w[q + d]
            out[k + np.uint64(2)] = wr + self.bias * w[r + d]
            out[k + np.uint64(3)] = ws + self.bias * w[s + d]
            out[k + np.uint64(4)] = wt + self.bias * w[t + d]
            k += five
        while k < classes:
            p = k * size
            wp = 0.0
            for j in range(d):
                wp += w[p + j] * self.X[i, j]
            out[k] = wp + self.bias * w[p + d]
            k += one

    def add_to_class(self, w, i, k, classes, step):
        """Add step (x_i, bias) to class k of w."""
        i = np.uint64(i)
        d = np.uint64(self.X.shape[1])
        p = np.uint64(k) * (d + np.uint64(1))
        for j in range(d):
            w[p + j] += step * self.X[i, j]
        w[p + d] += step * self.bias

    def fetch_ahead(self, i):
        """Row i will be visited soon."""
        begin = i * self.X.shape[1]
        for line in range(LINES):
            prefetch(self.X, begin + line * (LINE // self.X.itemsize))

    def add_to_classes(self, w, i, steps):
        """Add steps[k] (x_i, bias) to every class k of w."""
        for k in range(steps.size):
            self.add_to_class(w, i, k, steps.size, steps[k])

    def copy_row(self, place, rows, i):
        """Copy row i of ``rows`` into row ``place``."""
        for j in range(self.X.shape[1]):
            self.X[place, j] = rows.X[i, j]

    def squared_distance(self, i, rows, place):
        """|x_i - x_place|^2."""
        i = np.uint64(i)
        gap = 0.0
        for j in range(self.X.shape[1]):
            x = np.float64(self.X[i, j]) - np.float64(rows.X[place, j])
            gap += x * x
        return gap


@component
class Dense(DenseMethods, _DenseFields):
    """Dense rows as they are."""

    __slots__ = ()


class _SparseFields(NamedTuple):
    data: np.ndarray
    indices: np.ndarray  # int32 or int64
    indptr: np.ndarray
    sign: np.ndarray
    weight: np.ndarray
    bias: float
    first: int
    width: int  # d


class SparseMethods(RowMethods):
    """Rows of a CSR matrix with sorted indices: every method costs the row's non-zeros, never d."""

    __slots__ = ()
    CLASS_BY_CLASS = False  # w holds column after column
    SPARSE = True  # what `linsep.jit` compiles in another way

    if TYPE_CHECKING:
        data: np.ndarray
        indices: np.ndarray
        indptr: np.ndarray

    @property
    def matrix(self) -> sp.csr_array:
        """X as SciPy holds it."""
        return sp.csr_array((self.data, self.indices, self.indptr), shape=(self.sign.size, self.width))

    @property
    def numbers(self) -> int:
        """How many numbers are stored."""
        return int(self.data.size)

    @property
    def row_bytes(self) -> float:
        """The mean size of a row in memory."""
        return 12 * self.data.size / max(self.sign.size, 1)

    @property
    def longest_row(self) -> int:
        """The largest number of terms in a scalar product."""
        return int(np.diff(self.indptr).max(initial=0))

    def lowest(self, w, i):
        """<w, a_i>: the set has one vector, in slot 0."""
        i = np.uint64(i)
        wx = 0.0
        for k in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            wx += w[np.uint64(self.indices[k])] * self.data[k]
        return self.sign[i] * (wx + self.bias * w[w.size - 1]), 0

    def squared_norm(self, i, slot):
        """<a_i, a_i>."""
        i = np.uint64(i)
        xx = self.bias * self.bias
        for k in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = np.float64(self.data[k])
            xx += x * x
        return xx

    def score_and_norm(self, w, i):
        """<w, a_i> and <a_i, a_i> in one pass over the row."""
        i = np.uint64(i)
        wx, xx = 0.0, self.bias * self.bias
        for k in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = np.float64(self.data[k])
            wx += w[np.uint64(self.indices[k])] * x
            xx += x * x
        return self.sign[i] * (wx + self.bias * w[w.size - 1]), xx

    def add(self, w, i, slot, beta):
        """Add beta a_i to w."""
        i = np.uint64(i)
        step = beta * self.sign[i]
        for k in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            w[np.uint64(self.indices[k])] += step * self.data[k]
        w[w.size - 1] += step * self.bias

    def add_outer_product(self, H, i, beta):
        """Add beta a_i a_i' to the upper half of H."""
        i, last = np.uint64(i), np.uint64(H.shape[0] - 1)
        end = np.uint64(self.indptr[i + np.uint64(1)])
        for k in range(np.uint64(self.indptr[i]), end):
            row, step = np.uint64(self.indices[k]), beta * self.data[k]
            for m in range(k, end):
                H[row, np.uint64(self.indices[m])] += step * self.data[m]
            H[row, last] += step * self.bias
        H[last, last] += beta * self.bias * self.bias

    def class_scores(self, w, i, out):
        """The scores <w_k, (x_i, bias)> of all K classes; w holds column after column, K weights each."""
        i = np.uint64(i)
        classes = np.uint64(out.size)
        last = np.uint64(w.size) - classes
        for k in range(classes):
            out[k] = self.bias * w[last + k]
        for m in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = np.float64(self.data[m])
            p = np.uint64(self.indices[m]) * classes
            for k in range(classes):
                out[k] += w[p + k] * x

    def add_to_class(self, w, i, k, classes, step):
        """Add step (x_i, bias) to class k of w."""
        i, k, classes = np.uint64(i), np.uint64(k), np.uint64(classes)
        for m in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            w[np.uint64(self.indices[m]) * classes + k] += step * self.data[m]
        w[np.uint64(w.size) - classes + k] += step * self.bias

    def fetch_ahead(self, i):
        """Row i will be visited soon."""
        begin = self.indptr[i]
        for line in range(LINES):
            prefetch(self.data, begin + line * (LINE // self.data.itemsize))
        for line in range(LINES // 2):
            prefetch(self.indices, begin + line * (LINE // self.indices.itemsize))

    def add_to_classes(self, w, i, steps):
        """Add steps[k] (x_i, bias) to every class k of w."""
        i = np.uint64(i)
        classes = np.uint64(steps.size)
        last = np.uint64(w.size) - classes
        for m in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)])):
            x = np.float64(self.data[m])
            p = np.uint64(self.indices[m]) * classes
            for k in range(classes):
                w[p + k] += steps[k] * x
        for k in range(classes):
            w[last + k] += steps[k] * self.bias

    def copy_row(self, place, rows, i):
        """Copy row i of ``rows`` into row ``place``, which has room for the longest row."""
        begin, source = np.uint64(self.indptr[place]), np.uint64(rows.indptr[i])
        size = np.uint64(rows.indptr[i + 1]) - source
        for k in range(size):
            self.data[begin + k] = rows.data[source + k]
            self.indices[begin + k] = rows.indices[source + k]
        self.indptr[place + 1] = begin + size

    def squared_distance(self, i, rows, place):
        """|x_i - x_place|^2, by merging the two sorted rows."""
        p, p_end = np.uint64(self.indptr[i]), np.uint64(self.indptr[i + 1])
        q, q_end = np.uint64(rows.indptr[place]), np.uint64(rows.indptr[place + 1])
        gap = 0.0
        while p < p_end and q < q_end:
            ahead = np.int64(self.indices[p]) - np.int64(rows.indices[q])
            x = 0.0
            if ahead <= 0:
                x += np.float64(self.data[p])
                p += np.uint64(1)
            if ahead >= 0:
                x -= np.float64(rows.data[q])
                q += np.uint64(1)
            gap += x * x
        for k in range(p, p_end):
            x = np.float64(self.data[k])
            gap += x * x
        for k in range(q, q_end):
            x = np.float64(rows.data[k])
            gap += x * x
        return gap


@component
class Sparse(SparseMethods, _SparseFields):
    """Sparse rows as they are."""

    __slots__ = ()


def points(X, sign, weight=None, bias: float = 1.0, first: int = 0) -> Dense | Sparse:
    """Rows of X, mirrored by ``sign`` and augmented by ``bias``, without a copy.

    >>> a = points(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, -1]))
    >>> w = np.array([1.0, 1.0, 0.5])
    >>> float(a.lowest(w, 0)[0]), float(a.lowest(w, 1)[0])
    (3.5, -7.5)
    """
    X = as_rows(X)
    require_finite(X)
    sign = as_vector(sign, X.shape[0], "sign", np.int8)
    if not (np.abs(sign) == 1).all():
        raise ValueError(f"sign: expected 1 and -1 only, got {sign[np.abs(sign) != 1][0]}.")
    return rows_oracle(X, sign, weight, bias, first)


def rows_oracle(X, sign: np.ndarray, weight=None, bias: float = 1.0, first: int = 0) -> Dense | Sparse:
    """`points` of a matrix and signs that have been checked already."""
    sign = read_only(sign)
    weight = read_only(np.zeros(0) if weight is None else as_vector(weight, sign.size, "weight"))
    if not (weight >= 0).all() or not np.isfinite(weight).all():
        raise ValueError("weight: expected finite numbers that are not negative.")
    if sp.issparse(X):
        parts = read_only(X.data), read_only(X.indices), read_only(X.indptr)
        return Sparse(*parts, sign, weight, float(bias), int(first), int(X.shape[1]))
    return Dense(read_only(X), sign, weight, float(bias), int(first))
