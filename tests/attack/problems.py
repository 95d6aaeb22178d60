"""Random and degenerate problems of rows: integers, floats, doubled rows, offsets, column scales, powers of two."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

DTYPES = {"float32": np.float32, "uint8": np.uint8, "bool": np.bool_}


class Problem(NamedTuple):
    """Rows as they are given, and what they are in float64."""

    X: Any  # what an estimator gets
    dense: np.ndarray  # the same numbers
    y: np.ndarray
    weight: np.ndarray | None
    words: str
    power: int = 0  # of two, by which all was scaled

    @property
    def kept(self) -> np.ndarray:
        """The rows whose weight is not 0."""
        return np.ones(len(self.y), bool) if self.weight is None else self.weight > 0

    @property
    def wide(self) -> bool:
        """Whether the range of the numbers is one that may be refused."""
        sizes = np.abs(self.dense[self.dense != 0])
        return sizes.size > 0 and bool(np.log2(sizes.max()) - np.log2(sizes.min()) > 200 or sizes.min() < 2.0**-960)

    @property
    def far(self) -> bool:
        """Whether all numbers are far from 1, which augments the rows: that may be refused, too."""
        sizes = np.abs(self.dense[self.dense != 0])
        return sizes.size > 0 and bool(np.log2(sizes.max()) < -200 or np.log2(sizes.min()) > 200)


def labels(rng: np.random.Generator, n: int, count: int) -> np.ndarray:
    """Labels 0, 1, ..., every one at least once."""
    y = rng.integers(0, count, n)
    y[:count] = np.arange(count)
    return rng.permutation(y)


def _base(rng: np.random.Generator, n: int, d: int, y: np.ndarray) -> tuple[np.ndarray, str]:
    """Rows of ordinary size, and words for them."""
    kind = rng.choice(["integers", "binary", "quarters", "normal", "uniform", "line", "lattice"])
    if kind == "integers":
        X = rng.integers(-3, 4, (n, d)).astype(float)
    elif kind == "binary":
        X = rng.integers(0, 2, (n, d)).astype(float)
    elif kind == "quarters":
        X = rng.integers(-20, 21, (n, d)) / 4
    elif kind == "normal":
        X = rng.normal(size=(n, d))
    elif kind == "uniform":
        X = rng.uniform(-1, 1, (n, d)).round(int(rng.integers(1, 17)))
    elif kind == "line":
        X = np.outer(rng.integers(-5, 6, n), rng.integers(-3, 4, d)).astype(float)
    else:
        X = np.stack(np.meshgrid(*[np.arange(3.0)] * d), -1).reshape(-1, d)[rng.integers(0, 3**d, n)]
    words = str(kind)
    if rng.random() < 0.6:
        apart = rng.choice([0.5, 1.0, 2.0, 4.0])
        X = X + apart * np.eye(max(d, int(y.max()) + 1))[y][:, :d]
        words += f", apart by {apart:g}"
    return X, words


def _degrade(rng: np.random.Generator, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, str]:
    """Rows made worse in one or two ways."""
    n, d = X.shape
    words = ""
    for way in rng.choice(["none", "none", "doubled", "offset", "columns", "ulp", "flat", "outlier", "mirror"], 2):
        if way == "doubled":
            to = rng.integers(0, n, max(1, n // 3))
            X = X.copy()
            X[to] = X[rng.integers(0, n, to.size)]
        elif way == "offset":
            X = X + 10.0 ** rng.integers(2, 9) * rng.choice([-1, 0, 1, 1], d)
        elif way == "columns":
            X = X * 2.0 ** rng.integers(-40, 40, d)
        elif way == "ulp":
            X = np.where(rng.random(X.shape) < 0.3, np.nextafter(X, np.inf), X)
        elif way == "flat":
            X = X.copy()
            X[:, rng.integers(d)] = rng.choice([0.0, 1.0])
        elif way == "outlier":
            X = X.copy()
            X[rng.integers(n)] *= 10.0 ** rng.integers(1, 7)
        elif way == "mirror":
            X = np.where(rng.random((n, 1)) < 0.5, -X, X)
        words += "" if way == "none" else f", {way}"
    return X, words


def make(rng: np.random.Generator, count: int = 2, power: int | None = None) -> Problem:
    """A problem of ``count`` classes; ``power`` is the power of two that it is scaled by, None: any."""
    n, d = int(rng.integers(count, 15)), int(rng.integers(1, 5))
    y = labels(rng, n, count)
    X, words = _base(rng, n, d, y)
    X, more = _degrade(rng, X, y)
    words += more
    if power is None:
        power = int(rng.choice([0, 0, 0, int(rng.integers(-60, 60)), int(rng.integers(-900, 901))]))
    X = np.ldexp(X, power)
    X[np.abs(X) < 2.0**-1022] = 0.0  # subnormal numbers have a generator of their own
    words += f", times 2^{power}" if power else ""
    kind = str(rng.choice(["dense", "dense", "dense", "csr", "csr", "dtype"]))
    given: Any = X
    if kind == "dtype" and power == 0:
        kind = str(rng.choice(list(DTYPES)))
        with np.errstate(over="ignore", invalid="ignore"):
            given = (np.abs(X) % 200 if kind == "uint8" else X).astype(DTYPES[kind])
        given = given if np.isfinite(given.astype(float)).all() else X
        X = given.astype(np.float64)
    elif kind == "csr":
        given = sp.csr_matrix(X) if rng.random() < 0.5 else sp.csr_array(X)
        if rng.random() < 0.3:
            given.indices, given.indptr = given.indices.astype(np.int64), given.indptr.astype(np.int64)
        if rng.random() < 0.3:
            given = _uncanonical(rng, given)
    weight = None
    if rng.random() < 0.25:
        weight = rng.choice([0.0, 0.5, 1.0, 2.0, 3.0], n)
        weight[[np.flatnonzero(y == k)[0] for k in range(count)]] = 1.0
    words += f", {kind}" + ", weights" * (weight is not None)
    return Problem(given, X, y, weight, f"{n} x {d} {words}", power)


def _uncanonical(rng: np.random.Generator, X):
    """The same CSR matrix with one entry in two halves, and not sorted."""
    big = np.flatnonzero(np.abs(X.data) > 2.0**-1000)
    if big.size == 0:
        return X
    at = int(rng.choice(big))
    data = np.insert(X.data, at, X.data[at] / 2)
    data[at + 1] /= 2
    indptr = X.indptr.copy()
    indptr[np.searchsorted(X.indptr, at, side="right") :] += 1
    return type(X)((data, np.insert(X.indices, at, X.indices[at]), indptr), shape=X.shape)


def scaled(problem: Problem, power: int) -> Problem:
    """A dense problem times a power of two."""
    X = np.ldexp(problem.dense, power)
    return problem._replace(X=X, dense=X, words=f"{problem.words}, times 2^{power}, dense", power=problem.power + power)
