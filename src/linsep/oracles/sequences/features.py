"""Features of positions: dense columns, the numbers of sparse features, or both; read in place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...jit import compiled, read_only
from ..update_log import concatenate_ranges

ONE = np.uint64(1)  # signed indices cost a check each


class Features(NamedTuple):
    """Features of N positions: dense columns, and the numbers of sparse features."""

    dense: np.ndarray  # N x d of any kind of number; d may be 0
    indptr: np.ndarray  # N + 1 of int64: the sparse features of position t are indptr[t] ... indptr[t + 1] - 1
    indices: np.ndarray  # int32
    values: np.ndarray  # float64, one number per feature, or one for all
    width: int  # the number of features, dense and sparse


def features(X: Any = None, *, dense: Any = None, width: int | None = None) -> Features:
    """Features of N positions.

    Parameters
    ----------
    X : CSR matrix or (indptr, indices) or (indptr, indices, values), default=None
        Sparse features; without values all are 1.
    dense : array of N x d, default=None
        Dense columns; they come first.
    width : int, default=None
        The number of sparse features, if X is not a matrix.
    """
    if sp.issparse(X):
        X = sp.csr_array(X)
        indptr, indices, values = X.indptr, X.indices, np.asarray(X.data, dtype=np.float64)
        width = X.shape[1]
        values = np.ones(1) if (values == 1.0).all() else values
    else:
        indptr, indices, *rest = X if X is not None else (np.zeros(len(dense) + 1), np.zeros(0))
        values = rest[0] if rest else np.ones(1)
    dense = np.zeros((len(indptr) - 1, 0)) if dense is None else np.ascontiguousarray(dense)
    return Features(
        read_only(dense), read_only(np.asarray(indptr, dtype=np.int64)), read_only(np.asarray(indices, dtype=np.int32)),
        read_only(values), int(width or 0) + dense.shape[1],
    )  # fmt: skip


def absolute_matrix(x: Features) -> sp.csr_array:
    """The absolute values of all features as one sparse matrix, one row per position."""
    n, d = x.dense.shape
    values = np.abs(np.broadcast_to(x.values, x.indices.size))
    sparse = sp.csr_array((values, x.indices.copy(), x.indptr.copy()), shape=(n, x.width - d))
    return sp.csr_array(sp.hstack([np.abs(x.dense.astype(np.float64)), sparse])) if d else sparse


def list_features(x: Features, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The features of some positions one by one: the place in ``positions``, the number of the feature, its value."""
    dense = x.dense[positions]
    place, feature = np.nonzero(dense)
    value = dense[place, feature].astype(np.float64)
    first, sizes = x.indptr[positions], x.indptr[positions + 1] - x.indptr[positions]
    at = concatenate_ranges(first, sizes)
    more = np.broadcast_to(x.values, x.indices.size)[at]
    return (
        np.concatenate([place, np.repeat(np.arange(positions.size), sizes)]),
        np.concatenate([feature, x.indices[at] + np.int64(dense.shape[1])]), np.concatenate([value, more]),
    )  # fmt: skip


# --- kernels ---------------------------------------------------------------------------------------------------------


@compiled(inline=True)
def write_scores(w, x, begin, bias, out):
    """out[t] = the scores of all K labels at position begin + t, the biases included."""
    dense, indptr, indices, values, width = x
    begin, labels, d = np.uint64(begin), np.uint64(out.shape[1]), np.uint64(dense.shape[1])
    step = np.uint64(min(values.size - 1, 1))
    for t in range(np.uint64(out.shape[0])):
        for k in range(labels):
            out[t, k] = bias * w[np.uint64(width) * labels + k]
        for j in range(d):
            v = np.float64(dense[begin + t, j])
            for k in range(labels):
                out[t, k] += v * w[j * labels + k]
        for e in range(np.uint64(indptr[begin + t]), np.uint64(indptr[begin + t + ONE])):
            v = values[e * step]
            b = (np.uint64(indices[e]) + d) * labels
            for k in range(labels):
                out[t, k] += v * w[b + k]
