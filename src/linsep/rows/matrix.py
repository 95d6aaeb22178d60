"""Rows of parts: which of them count, how wide they are, and the vectors they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..loop.sweep import BLOCK
from ..oracles import Classes, Dense, Differences, Sparse, rows_of

Rows = Dense | Sparse
Sets = Any  # what a certificate speaks of: Dense, Sparse or Classes


def judged(part) -> Sets:
    """What the certificate of a part speaks of: differences stand for the rows that they are made of."""
    return part.rows if isinstance(part, Differences) else part


def live(part: Sets) -> Iterator[np.ndarray]:
    """The rows of a part that weigh anything, in fixed blocks."""
    part = rows_of(part)
    for begin in range(0, part.sign.size, BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, part.sign.size))
        rows = rows[part.weight[rows] > 0] if part.weight.size else rows
        if rows.size:
            yield rows


def width(part: Sets) -> int:
    """The number of columns."""
    part = rows_of(part)
    return int(part.X.shape[1]) if isinstance(part, Dense) else part.width


def copies(part: Sets) -> int:
    """How many weight vectors w holds: one a class for `Classes`, else one. A row has as many places in `dual`."""
    return part.score.size if isinstance(part, Classes) else 1


def size_of(part: Sets) -> int:
    """How many numbers w has."""
    if hasattr(part, "ledger"):
        return int(part.size)
    return copies(part) * (width(part) + 1)


def longest_row(parts: Sequence[Sets]) -> int:
    """The largest number of terms in a scalar product."""
    return max(
        part.X.shape[1] if isinstance(part, Dense) else int(np.diff(part.indptr).max(initial=0))
        for part in map(rows_of, parts)
    )


def biased(part: Sets, bias: float) -> Sets:
    """The part with rows augmented by ``bias``."""
    if isinstance(part, Classes):
        return part._replace(rows=part.rows._replace(bias=bias))
    return part._replace(bias=bias)


def augment(parts: Sequence[Sets], bias: str) -> list[Sets]:
    """The rows as vectors of the space in which separability is decided: a free bias is a coordinate there too."""
    return [biased(part, 0.0 if bias == "none" else 1.0) for part in parts]


def vectors(parts: Sequence[Sets], rows: np.ndarray) -> np.ndarray:
    """The vectors of some rows (for `Classes`: of some places in `dual`) as a dense matrix, class after class."""
    if isinstance(parts[0], Classes):
        return _pairs([part for part in parts if isinstance(part, Classes)], rows)
    blocks = []
    for part in map(rows_of, parts):
        own = rows[(rows >= part.first) & (rows < part.first + part.sign.size)] - part.first
        if isinstance(part, Dense):
            X = part.X[own].astype(np.float64)
        else:
            X = matrix(part)[own].toarray().astype(np.float64)
        if part.bias:
            X = np.column_stack([X, np.full(own.size, part.bias)])
        blocks.append(X * part.sign[own, None])
    return np.concatenate(blocks)


def _pairs(parts: Sequence[Classes], places: np.ndarray) -> np.ndarray:
    """Kesler's vectors: the row in the place of its class, mirrored in the place of the rival."""
    rows, rivals = np.divmod(places, copies(parts[0]))
    X = vectors([part.rows for part in parts], rows)
    label = np.concatenate([part.label for part in parts])[rows]
    full = np.zeros((len(X), copies(parts[0]), X.shape[1]))
    full[np.arange(len(X)), label] = X
    full[np.arange(len(X)), rivals] = -X
    return full.reshape(len(X), -1)


def blocks(part: Rows) -> Iterator[tuple[np.ndarray, Any]]:
    """The live rows in blocks: their numbers in the part, and X of them as float64, dense or CSR."""
    X = part.X if isinstance(part, Dense) else matrix(part)
    for rows in live(part):
        whole = rows.size == rows[-1] + 1 - rows[0]
        yield rows, (X[rows[0] : rows[-1] + 1] if whole else X[rows]).astype(np.float64, copy=False)


def matrix(part: Sparse) -> sp.csr_array:
    """The rows as SciPy holds them."""
    return sp.csr_array((part.data, part.indices, part.indptr), shape=(part.sign.size, part.width))
