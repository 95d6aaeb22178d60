"""Rows of parts: which of them count, how wide they are, and the vectors they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..oracles import Dense, Sparse
from .sweep import BLOCK

Rows = Dense | Sparse


def live(part: Rows) -> Iterator[np.ndarray]:
    """The rows of a part that weigh anything, in fixed blocks."""
    for begin in range(0, part.sign.size, BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, part.sign.size))
        rows = rows[part.weight[rows] > 0] if part.weight.size else rows
        if rows.size:
            yield rows


def width(part: Rows) -> int:
    """The number of columns."""
    return int(part.X.shape[1]) if isinstance(part, Dense) else part.width


def longest_row(parts: Sequence[Rows]) -> int:
    """The largest number of terms in a scalar product."""
    return max(
        part.X.shape[1] if isinstance(part, Dense) else int(np.diff(part.indptr).max(initial=0)) for part in parts
    )


def augment(parts: Sequence[Rows], bias: str) -> list[Rows]:
    """The rows as vectors of the space in which separability is decided: a free bias is a coordinate there too."""
    return [part._replace(bias=0.0 if bias == "none" else 1.0) for part in parts]


def vectors(parts: Sequence[Rows], rows: np.ndarray) -> np.ndarray:
    """The vectors a_i of some rows as a dense matrix."""
    blocks = []
    for part in parts:
        own = rows[(rows >= part.first) & (rows < part.first + part.sign.size)] - part.first
        if isinstance(part, Dense):
            X = part.X[own].astype(np.float64)
        else:
            X = matrix(part)[own].toarray().astype(np.float64)
        if part.bias:
            X = np.column_stack([X, np.full(own.size, part.bias)])
        blocks.append(X * part.sign[own, None])
    return np.concatenate(blocks)


def blocks(part: Rows) -> Iterator[tuple[np.ndarray, Any]]:
    """The live rows in blocks: their numbers in the part, and X of them as float64, dense or CSR."""
    X = part.X if isinstance(part, Dense) else matrix(part)
    for rows in live(part):
        whole = rows.size == rows[-1] + 1 - rows[0]
        yield rows, (X[rows[0] : rows[-1] + 1] if whole else X[rows]).astype(np.float64, copy=False)


def matrix(part: Sparse) -> sp.csr_array:
    """The rows as SciPy holds them."""
    return sp.csr_array((part.data, part.indices, part.indptr), shape=(part.sign.size, part.width))
