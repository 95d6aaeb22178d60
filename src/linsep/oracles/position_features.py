"""Features of positions: dense columns, the numbers of sparse features, or both; read in place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..jit import compiled, read_only, straight_line
from .update_log import concatenate_ranges

ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT = np.arange(1, 9, dtype=np.uint64)  # signed indices cost a check each


class Features(NamedTuple):
    """Features of N positions: dense columns, and the numbers of sparse features."""

    dense: np.ndarray  # N x d of any kind of number; d may be 0
    indptr: np.ndarray  # N + 1 of int64: the sparse features of position t are indptr[t] ... indptr[t + 1] - 1; or empty
    indices: np.ndarray  # int32
    values: np.ndarray  # float64, or empty: all are 1
    width: int  # the number of features, dense and sparse


class Entries(NamedTuple):
    """Sparse features of one position: ``indices[begin:end] + offset`` with ``values[begin:end]``."""

    indices: np.ndarray
    values: np.ndarray  # empty: all are 1
    begin: int
    end: int
    offset: int


class NonZeros(NamedTuple):
    """Scratch: the entries of a dense row that are not 0."""

    column: np.ndarray  # d of int32
    value: np.ndarray  # d of float64
    read_column: np.ndarray  # the same memory, read-only: `add_weights` is compiled once for this and for `Features`
    read_value: np.ndarray


def make_features(X: Any = None, *, n: int | None = None, dense: Any = None, width: int | None = None) -> Features:
    """Features of N positions.

    Parameters
    ----------
    X : CSR matrix or (indptr, indices) or (indptr, indices, values), default=None
        Sparse features; without values all are 1.
    n : int, default=None
        The number of positions, if there are no features at all.
    dense : array of N x d, default=None
        Dense columns; they come first.
    width : int, default=None
        The number of sparse features, if X is not a matrix.
    """
    if sp.issparse(X):
        X = sp.csr_array(X)
        indptr, indices, values = X.indptr, X.indices, np.asarray(X.data, dtype=np.float64)
        width = X.shape[1]
        values = np.zeros(0) if (values == 1.0).all() else values
    else:
        indptr, indices, *rest = X if X is not None else (np.zeros(0, np.int64), np.zeros(0, np.int32))
        values = rest[0] if rest else np.zeros(0)
    n = len(indptr) - 1 if len(indptr) else n if dense is None else len(dense)
    dense = np.zeros((n or 0, 0)) if dense is None else np.ascontiguousarray(dense)
    return Features(
        read_only(dense), read_only(np.asarray(indptr, dtype=np.int64)), read_only(np.asarray(indices, dtype=np.int32)),
        read_only(values), int(width or 0) + dense.shape[1],
    )  # fmt: skip


def new_non_zeros(x: Features) -> NonZeros:
    """Scratch for the dense rows of x."""
    column, value = np.zeros(x.dense.shape[1], dtype=np.int32), np.zeros(x.dense.shape[1])
    return NonZeros(column, value, read_only(column), read_only(value))


def absolute_matrix(x: Features) -> sp.csr_array:
    """The absolute values of all features as one sparse matrix, one row per position."""
    n, d = x.dense.shape
    values = np.abs(x.values) if x.values.size else np.ones(x.indices.size)
    indptr = x.indptr.copy() if x.indptr.size else np.zeros(n + 1, dtype=np.int64)
    sparse = sp.csr_array((values, x.indices.copy(), indptr), shape=(n, x.width - d))
    return sp.csr_array(sp.hstack([np.abs(x.dense.astype(np.float64)), sparse])) if d else sparse


def list_features(x: Features, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The features of some positions one by one: the place in ``positions``, the number of the feature, its value."""
    dense = x.dense[positions]
    place, feature = np.nonzero(dense)
    value = dense[place, feature].astype(np.float64)
    if x.indptr.size == 0:
        return place, feature, value
    first, sizes = x.indptr[positions], x.indptr[positions + 1] - x.indptr[positions]
    at = concatenate_ranges(first, sizes)
    more = x.values[at] if x.values.size else np.ones(at.size)
    return (
        np.concatenate([place, np.repeat(np.arange(positions.size), sizes)]),
        np.concatenate([feature, x.indices[at] + np.int64(dense.shape[1])]), np.concatenate([value, more]),
    )  # fmt: skip


# --- kernels ---------------------------------------------------------------------------------------------------------


@straight_line
def add_weights(w, entries, before, out):
    """out = before + the weights of some features, times their values; eight labels at a time."""
    indices, values, begin, end, offset = entries
    begin, end, offset = np.uint64(begin), np.uint64(end), np.uint64(offset)
    labels, k = np.uint64(out.size), np.uint64(0)
    while labels < EIGHT and k < labels:
        m0 = before[k]
        for p in range(begin, end):
            m0 += (values[p] if values.size else 1.0) * w[(np.uint64(indices[p]) + offset) * labels + k]
        out[k] = m0
        k += ONE
    while k < labels:
        k = min(k, labels - EIGHT)  # the last eight overlap: no slow remainder
        m0, m1, m2, m3 = before[k], before[k + ONE], before[k + TWO], before[k + THREE]
        m4, m5, m6, m7 = before[k + FOUR], before[k + FIVE], before[k + SIX], before[k + SEVEN]
        for p in range(begin, end):
            b = (np.uint64(indices[p]) + offset) * labels + k
            x = values[p] if values.size else 1.0
            m0 += x * w[b]
            m1 += x * w[b + ONE]
            m2 += x * w[b + TWO]
            m3 += x * w[b + THREE]
            m4 += x * w[b + FOUR]
            m5 += x * w[b + FIVE]
            m6 += x * w[b + SIX]
            m7 += x * w[b + SEVEN]
        out[k], out[k + ONE], out[k + TWO], out[k + THREE] = m0, m1, m2, m3
        out[k + FOUR], out[k + FIVE], out[k + SIX], out[k + SEVEN] = m4, m5, m6, m7
        k += EIGHT


@compiled
def find_non_zeros(dense, t, non_zeros):
    """Write the entries of row t that are not 0; returns how many there are."""
    t, count = np.uint64(t), np.uint64(0)
    for j in range(np.uint64(dense.shape[1])):
        x = np.float64(dense[t, j])
        if x != 0.0:
            non_zeros.column[count] = j
            non_zeros.value[count] = x
            count += ONE
    return np.int64(count)
