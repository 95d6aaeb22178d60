"""Kinds of malformed rows, labels and weights, beside good ones of unusual form.

Each makes a value from the good one. ``ROWS``, ``LABELS`` and ``WEIGHTS`` must be refused with one sentence;
``GOOD_ROWS`` must be read.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

Make = Callable[[np.ndarray], Any]


def _csr(**arrays: Callable[[np.ndarray], np.ndarray]) -> Make:
    """A CSR matrix whose arrays are replaced after it was made, as a damaged file may have them."""

    def make(X: np.ndarray) -> Any:
        matrix = sp.csr_matrix(X)
        for name, change in arrays.items():
            setattr(matrix, name, change(getattr(matrix, name).copy()))
        return matrix

    return make


def _set(at: int, value: Any) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        array[at] = value
        return array

    return change


def _put(value: Any, dtype: Any = None) -> Make:
    """A dense array with one other number."""

    def make(X: np.ndarray) -> np.ndarray:
        X = X.astype(dtype or X.dtype)
        X[1, 0] = value
        return X

    return make


def _wide(at: int, value: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda array: _set(at, value)(array.astype(np.int64))


def _doubled(value: float) -> Make:
    """A CSR matrix with one place named twice."""

    def make(X: np.ndarray) -> Any:
        n, d = X.shape
        indptr = np.arange(n + 1) * (d + 1)
        indices = np.tile([*range(d), d - 1], n)
        data = np.column_stack([X, np.full(n, value)]).ravel()
        return sp.csr_matrix((data, indices, indptr), shape=X.shape)

    return make


ROWS: dict[str, Make] = {
    "CSR, index too large": _csr(indices=_set(0, 3)),
    "CSR, index far too large": _csr(indices=_set(0, 2**31 - 1)),
    "CSR, index 2^40": _csr(indices=_wide(0, 2**40), indptr=lambda a: a.astype(np.int64)),
    "CSR, index -1": _csr(indices=_set(0, -1)),
    "CSR, index -10^6": _csr(indices=_set(-1, -(10**6))),
    "CSR, last index too large": _csr(indices=_set(-1, 99)),
    "CSR, pointers fall": _csr(indptr=_set(2, 0)),
    "CSR, pointers rise and fall": _csr(indptr=_set(2, 10**6)),
    "CSR, pointer negative": _csr(indptr=_set(1, -5)),
    "CSR, last pointer too far": _csr(indptr=_set(-1, 10**7)),
    "CSR, last pointer 2^40": _csr(indptr=_wide(-1, 2**40), indices=lambda a: a.astype(np.int64)),
    "CSR, first pointer not 0": _csr(indptr=_set(0, 2)),
    "CSR, pointers too few": _csr(indptr=lambda a: a[:-2]),
    "CSR, pointers too many": _csr(indptr=lambda a: np.append(a, a[-1])),
    "CSR, no pointers": _csr(indptr=lambda a: a[:0]),
    "CSR, indices too few": _csr(indices=lambda a: a[:-4]),
    "CSR, no indices": _csr(indices=lambda a: a[:0]),
    "CSR, numbers too few": _csr(data=lambda a: a[:-4]),
    "CSR, no numbers": _csr(data=lambda a: a[:0]),
    "CSR, indices are floats": _csr(indices=lambda a: a.astype(float) + 0.5),
    "CSR, pointers are floats": _csr(indptr=lambda a: a.astype(float)),
    "CSR, numbers are objects": _csr(data=lambda a: np.array(["x"] * a.size, dtype=object)),
    "CSR, numbers are complex": _csr(data=lambda a: a * 1j),
    "CSR, NaN": _csr(data=_set(0, np.nan)),
    "CSR, infinity": _csr(data=_set(0, np.inf)),
    "CSR, doubled entries add to infinity": lambda X: _doubled(1.7e308)(np.full(X.shape, 1.7e308)),
    "CSR, no rows": lambda X: sp.csr_matrix((0, X.shape[1])),
    "CSR, no columns": lambda X: sp.csr_matrix((X.shape[0], 0)),
    "COO, NaN": lambda X: sp.coo_matrix(_put(np.nan)(X)),
    "sparse, one dimension": lambda X: sp.coo_array(X.ravel()),
    "NaN": _put(np.nan),
    "infinity": _put(np.inf),
    "minus infinity, float32": _put(-np.inf, np.float32),
    "NaN, float32": _put(np.nan, np.float32),
    "NaN, float16": _put(np.nan, np.float16),
    "complex": lambda X: X * 1j,
    "words": lambda X: np.full(X.shape, "word"),
    "bytes": lambda X: np.full(X.shape, b"word"),
    "an object None": _put(None, object),
    "an object list": lambda X: np.array([[[1, 2]] * X.shape[1]] * X.shape[0] + [[None] * X.shape[1]], dtype=object)[
        :-1
    ],
    "a number of 400 digits": _put(10**400, object),
    "uneven lists": lambda X: [list(row)[: 1 + i % 2] for i, row in enumerate(X)],
    "one dimension": lambda X: X[:, 0],
    "three dimensions": lambda X: X[:, :, None],
    "no dimension": lambda X: np.float64(1.0),
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "None": lambda X: None,
    "a word": lambda X: "rows",
    "a number": lambda X: 7,
    "a dictionary": lambda X: {"x": X},
    "a set": lambda X: {1.0, 2.0},
    "a generator": lambda X: (row for row in X),
    "a function": lambda X: len,
    "dates": lambda X: np.full(X.shape, np.datetime64("2020-01-01")),
    "times": lambda X: np.full(X.shape, datetime(2020, 1, 1), dtype=object),
    "fields": lambda X: np.zeros(X.shape, dtype=[("a", float), ("b", int)]),
    "frame with words": lambda X: pd.DataFrame(X).assign(name="word"),
    "frame with NaN": lambda X: pd.DataFrame(_put(np.nan)(X)),
    "frame with missing integers": lambda X: (
        pd.DataFrame(X.round().astype(int)).astype("Int64").mask(X.max() - 0.1 < X)
    ),
    "frame without columns": lambda X: pd.DataFrame(index=range(len(X))),
    "a column more": lambda X: np.column_stack([X, X[:, 0]]),  # must be refused after fit only
    "a column fewer": lambda X: X[:, :-1],
}
AFTER_FIT = {"a column more", "a column fewer"}

GOOD_ROWS: dict[str, Make] = {
    "as they are": lambda X: X,
    "Fortran order": np.asfortranarray,
    "negative strides": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "every second": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "float16": lambda X: X.astype(np.float16),
    "float32": lambda X: X.astype(np.float32),
    "long double": lambda X: X.astype(np.longdouble),
    "int8": lambda X: (4 * X).astype(np.int8),
    "uint64": lambda X: (4 * X + 100).astype(np.uint64),
    "objects": lambda X: X.astype(object),
    "not aligned": lambda X: np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape),
    "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    "lists": lambda X: X.tolist(),
    "frame": pd.DataFrame,
}
GOOD_SPARSE: dict[str, Make] = {
    "CSR": sp.csr_matrix,
    "CSR array": sp.csr_array,
    "CSC": sp.csc_matrix,
    "COO": sp.coo_array,
    "BSR": sp.bsr_matrix,
    "LIL": sp.lil_matrix,
    "CSR, unsorted": lambda X: sp.csr_matrix(X)[:, ::-1].tocsr()[:, ::-1],
    "CSR, doubled entries": _doubled(0.5),
    "CSR, more numbers than needed": _csr(data=lambda a: np.append(a, 1e300), indices=lambda a: np.append(a, 10**6)),
    "CSR, int64": _csr(indices=lambda a: a.astype(np.int64), indptr=lambda a: a.astype(np.int64)),
}

LABELS: dict[str, Make] = {
    "one label fewer": lambda y: y[:-1],
    "one label more": lambda y: np.append(y, y[-1]),
    "no labels": lambda y: y[:0],
    "two columns of labels": lambda y: np.column_stack([y, y]),
    "labels NaN": lambda y: np.where(y == 0, np.nan, 1.0),
    "labels infinite": lambda y: np.where(y == 0, np.inf, 1.0),
    "labels continuous": lambda y: y + np.linspace(0.1, 0.9, len(y)),
    "labels complex": lambda y: y + 1j,
    "labels None": lambda y: None,
    "labels of None": lambda y: np.array([None] * len(y), dtype=object),
    "labels of lists": lambda y: [[k, k] for k in y],
    "labels of dictionaries": lambda y: [{"k": k} for k in y],
    "labels mixed": lambda y: np.array(["a" if k else 1 for k in y], dtype=object),
    "a single label": lambda y: 1,
    "one class": lambda y: np.zeros_like(y),
    "sparse labels": lambda y: sp.csr_matrix(y),
}
WEIGHTS: dict[str, Make] = {
    "one weight fewer": lambda y: np.ones(len(y) - 1),
    "one weight more": lambda y: np.ones(len(y) + 1),
    "no weights": lambda y: np.ones(0),
    "weights in two columns": lambda y: np.ones((len(y), 2)),
    "a negative weight": lambda y: np.append(np.ones(len(y) - 1), -1.0),
    "a weight NaN": lambda y: np.append(np.ones(len(y) - 1), np.nan),
    "a weight infinite": lambda y: np.append(np.ones(len(y) - 1), np.inf),
    "weights all zero": lambda y: np.zeros(len(y)),
    "weights zero in a class": lambda y: (y == y[0]).astype(float),
    "weights are words": lambda y: ["heavy"] * len(y),
    "weights complex": lambda y: np.ones(len(y)) * 1j,
    "weights a dictionary": lambda y: {0: 1.0},
}
