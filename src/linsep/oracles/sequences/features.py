"""Features of positions: dense columns, the numbers of sparse features, or both; read in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...jit import compiled, read_only
from ...validation import as_canonical_csr
from ..update_log import concatenate_ranges
from ..validation import first_unusable, require_integers, require_rising, require_within, say_unusable

ONE = np.uint64(1)  # signed indices cost a check each


class Features(NamedTuple):
    """Features of N positions: dense columns, and the numbers of sparse features."""

    dense: np.ndarray  # N x d of any kind of number; d may be 0
    indptr: np.ndarray  # N + 1 of int64: the sparse features of position t are indptr[t] ... indptr[t + 1] - 1
    indices: np.ndarray  # int32
    values: np.ndarray  # float64, one number per feature, or one for all
    width: int  # the number of features, dense and sparse


def features(
    X: Any = None, *, dense: Any = None, width: int | None = None, place: Callable[[int], str] = "position {}".format
) -> Features:
    """Features of N positions, checked.

    Parameters
    ----------
    X : CSR matrix or (indptr, indices) or (indptr, indices, values), default=None
        Sparse features; without values all are 1.
    dense : array of N x d, default=None
        Dense columns; they come first.
    width : int, default=None
        The number of sparse features, if X is not a matrix.
    place : callable, default="position {}".format
        How errors name a position.

    Examples
    --------
    >>> features(([0, 1], [3]), width=2)
    Traceback (most recent call last):
    ValueError: features: indices: expected numbers 0 ... 1, got 3.
    """
    if sp.issparse(X):
        X = as_canonical_csr(X, "features")
        if X.dtype.kind not in "fiub":
            raise ValueError(f"features: expected real numbers, got an array of {X.dtype}.")
        width, size, X = X.shape[1], X.indptr[-1], (X.indptr, X.indices, X.data)
        X = X[0], X[1][:size], X[2][:size]
    n = len(dense) if X is None else len(X[0]) - 1
    indptr, indices, *rest = X if X is not None else (np.zeros(n + 1, np.int64), np.zeros(0, np.int32))
    values = np.asarray(rest[0], dtype=np.float64) if rest else np.ones(1)
    values = np.ones(1) if (values == 1.0).all() else values
    dense = np.zeros((n, 0)) if dense is None else np.ascontiguousarray(dense)
    if dense.ndim != 2 or not (np.issubdtype(dense.dtype, np.number) and np.isrealobj(dense)):
        raise ValueError(f"features: expected dense columns of numbers, got {dense.dtype} of shape {dense.shape}.")
    if dense.dtype in (np.float16, np.longdouble):
        dense = dense.astype(np.float64)
    indptr = require_integers(indptr, "features: indptr").astype(np.int64, copy=False)
    indices = require_integers(indices, "features: indices").astype(np.int32, copy=False)
    width = int(width or 0) + dense.shape[1]
    x = Features(read_only(dense), read_only(indptr), read_only(indices), read_only(values), width)
    check_features(x)
    for array in (dense, values):
        bad = first_unusable(array)
        if bad >= 0 and array is dense:
            t, j = divmod(bad, dense.shape[1])
            raise ValueError(f"X: {place(t)}, column {j}: {say_unusable(dense[t, j])}")
        if bad >= 0:
            t = int(np.searchsorted(indptr, bad, side="right")) - 1
            raise ValueError(f"X: {place(t)}, column {indices[bad]}: {say_unusable(values[bad])}")
    return x


def check_features(x: Features) -> None:
    """Raise a ValueError if indices or pointers lead outside the arrays."""
    dense, indptr, indices, values, width = x
    if dense.ndim != 2 or len(dense) != indptr.size - 1:
        raise ValueError(f"features: expected dense columns of {indptr.size - 1} positions, got shape {dense.shape}.")
    require_rising(indptr, indices.size, "features: indptr")
    require_within(indices, width - dense.shape[1], "features: indices")
    if values.ndim != 1 or values.dtype != np.float64 or values.size not in (1, indices.size):
        raise ValueError(f"features: expected 1 or {indices.size} values of float64, got shape {values.shape}.")


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


def is_whole(x: Features) -> bool:
    """Whether all values are whole numbers."""
    return all(array.dtype.kind in "uib" or bool((array == np.rint(array)).all()) for array in (x.dense, x.values))


# --- kernels ---------------------------------------------------------------------------------------------------------


@compiled
def add_sizes(x, weight, out):
    """out[t] += the sum of |x_tj| weight[j] over all features j of position t."""
    dense, indptr, indices, values, _ = x
    d, step = dense.shape[1], np.uint64(min(values.size - 1, 1))
    for t in range(out.size):
        for j in range(d):
            out[t] += abs(np.float64(dense[t, j])) * weight[j]
        for e in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
            out[t] += abs(values[e * step]) * weight[np.uint64(indices[e]) + np.uint64(d)]


@compiled
def write_squared_sums(x, begin, total, out):
    """out[i] = sum_j (sum_t |x_tj|)^2 over the positions t of sequence i. ``total`` is scratch: one 0 per feature."""
    dense, indptr, indices, values, _ = x
    d, step = dense.shape[1], np.uint64(min(values.size - 1, 1))
    for i in range(out.size):
        out[i] = 0.0
        for t in range(begin[i], begin[i + 1]):
            for j in range(d):
                v = abs(np.float64(dense[t, j]))
                out[i] += v * (2.0 * total[j] + v)
                total[j] += v
            for e in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
                v, place = abs(values[e * step]), np.uint64(indices[e]) + np.uint64(d)
                out[i] += v * (2.0 * total[place] + v)
                total[place] += v
        for t in range(begin[i], begin[i + 1]):
            for j in range(d):
                total[j] = 0.0
            for e in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
                total[np.uint64(indices[e]) + np.uint64(d)] = 0.0


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
