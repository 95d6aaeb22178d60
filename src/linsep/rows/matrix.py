"""Rows in fixed blocks, and products with them: A w, A'r, and what one pass over every vector tells of a w.

Sums go by blocks, and blocks are merged in order: parts cut at multiples of `BLOCK` give the bits of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..interrupt import keep_time
from ..jit import at_speed, borrowed, compiled
from ..oracles import Classes, Dense, Sparse
from ..oracles.elsewhere import are_elsewhere, map_parts
from ..protocols import declared
from .tree import BlockTree, Node

BLOCK = 4096  # rows of one sum
LENGTHS = 1 << 12  # rows whose lengths are looked at to find their mean
AHEAD = 8  # rows
U = float(np.finfo(np.float64).eps)

Rows = Dense | Sparse
RowOracle = Any  # Dense, Sparse or Classes: oracles whose vectors are rows, by class and rival


@compiled
def weight_of(weight, i):
    """The weight of set i; an empty array says that all weigh 1."""
    return weight[i] if weight.size else 1.0


@compiled
def squared_length(w):
    """<w,w>, summed in order: interpreted and compiled code agree to the bit."""
    ww = 0.0
    for j in range(w.size):
        ww += w[j] * w[j]
    return ww


def length(v: np.ndarray) -> float:
    """|v| to a unit in the last place or two, for any v: squares of very small or large numbers would be lost.

    >>> length(np.array([3e-200, 4e-200]))
    5e-200
    """
    if v.size < 2**12:
        return math.hypot(*v.tolist())
    largest = max(float(v.max()), -float(v.min()))
    if not 0 < largest < math.inf:
        return largest
    unit = math.ldexp(1.0, math.frexp(largest)[1])
    return unit * math.sqrt(_sum_of_squares(np.ascontiguousarray(v), 1.0 / unit))


@compiled
def _sum_of_squares(v, factor):
    """The sum of (factor v)^2, compensated (Neumaier): its error does not grow with the number of terms."""
    total, lost = np.zeros(4), np.zeros(4)
    for j in range(v.size):
        lane = j & 3  # four sums side by side
        x = factor * v[j]
        if x != 0.0:
            square = x * x
            more = total[lane] + square
            lost[lane] += total[lane] - more + square if total[lane] >= square else square - more + total[lane]
            total[lane] = more
    return ((total[0] + total[1]) + (total[2] + total[3])) + ((lost[0] + lost[1]) + (lost[2] + lost[3]))


def present_blocks(part: Any) -> Iterator[np.ndarray]:
    """The sets of a part whose weight is not 0, in fixed blocks."""
    return (rows for _, rows in numbered_blocks(part))


def numbered_blocks(part: Any) -> Iterator[tuple[int, np.ndarray]]:
    """`present_blocks` with their numbers; blocks without such sets are left out."""
    for begin in range(0, part.sign.size, BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, part.sign.size))
        rows = rows[part.weight[rows] > 0] if part.weight.size else rows
        if begin:
            keep_time()
        if rows.size:
            yield begin // BLOCK, rows


def at_once(part: Any) -> int:
    """How many examples one call may look at where each is a search for the best rival; 0: sets are rows."""
    if not declared(type(part), "LABELLINGS"):
        return 0
    return getattr(part, "at_once", 64) if isinstance(part, tuple) else 1  # interpreted ones may take long


def count_present(parts: Sequence[Any]) -> int:
    """How many sets have a weight that is not 0."""
    return int(sum(np.count_nonzero(part.weight) if part.weight.size else part.sign.size for part in parts))


def float_blocks(part: Rows) -> Iterator[tuple[np.ndarray, Any]]:
    """The present rows in blocks: their numbers in the part, and X of them as float64, dense or CSR."""
    X = part.matrix
    for rows in present_blocks(part):
        whole = rows.size == rows[-1] + 1 - rows[0]
        yield rows, (X[rows[0] : rows[-1] + 1] if whole else X[rows]).astype(np.float64, copy=False)


def vectors(parts: Sequence[RowOracle], places: np.ndarray) -> np.ndarray:
    """The vectors at some places of `dual_weights`, part by part, as a dense matrix."""
    if not are_elsewhere(parts):
        return np.concatenate([part.vectors(places) for part in parts])
    own = [places - part.first * part.slots for part in parts]
    own = [some[(some >= 0) & (some < part.sign.size * part.slots)] for part, some in zip(parts, own)]
    used = [(part, (some,)) for part, some in zip(parts, own) if some.size] or [(parts[0], (own[0],))]
    return np.concatenate(map_parts(_vectors_of_part, [part for part, _ in used], each=[some for _, some in used]))


def _vectors_of_part(part: RowOracle, places: np.ndarray) -> np.ndarray:
    return part.vectors(places)


def dense_vectors(part: Rows, rows: np.ndarray) -> np.ndarray:
    """The vectors of some rows of a part, with their last number even where the bias is 0."""
    A = part.vectors(part.first + rows)
    return A if part.bias else np.column_stack([A, np.zeros(rows.size)])


def augmented(parts: Sequence[RowOracle], bias: bool) -> Sequence[RowOracle]:
    """The rows augmented by 1, or, without a bias, by 0."""
    return parts if bool(parts[0].rows.bias) == bias else [part.with_bias(float(bias)) for part in parts]


# --- products --------------------------------------------------------------------------------------------------------


@compiled
def write_scores(oracle, w, rows, out):
    """Write <w,a> of the lowest vectors of ``rows`` into ``out``, by their number."""
    oracle, w, out = borrowed((oracle, w, out))
    for i in rows:
        out[oracle.first + i] = oracle.lowest(w, i)[0]


@compiled
def write_squared_norms(oracle, rows, out):
    """Write <a,a> of ``rows`` into ``out``, by their number."""
    for i in rows:
        out[oracle.first + i] = oracle.squared_norm(i, 0)


def mean_squared_length(parts: Sequence[Any]) -> float:
    """The mean of <a,a> over rows evenly spread over the data, in scaled coordinates if they are scaled.

    >>> from linsep.oracles import points
    >>> mean_squared_length([points(np.array([[1.0, 2.0], [3.0, 0.0]]), [1, -1])])
    8.0
    """
    present = np.flatnonzero(np.concatenate([part.present_places() for part in parts]))
    some = present[:: -(-present.size // LENGTHS)]
    ends = [np.searchsorted(some, (part.first, part.first + part.sign.size)) for part in parts]
    own = [(some[a:b] - part.first,) for part, (a, b) in zip(parts, ends, strict=True)]
    return float(np.concatenate(map_parts(_some_squared_norms, parts, each=own)).mean())


def _some_squared_norms(part: Any, rows: np.ndarray) -> np.ndarray:
    squares = np.zeros(part.sign.size)
    write_squared_norms(part, rows, squares)
    return squares[rows]


def _squared_norms(part: Any) -> np.ndarray:
    out = np.empty(part.sign.size)
    write_squared_norms(part, np.arange(out.size), out)
    return out


@compiled
def write_class_scores(rows, w, out):
    """Write the scores of all classes of all rows into ``out``, one row per row."""
    for i in range(out.shape[0]):
        rows.class_scores(w, i, out[i])


@compiled
def add_weighted_vectors(oracle, dual_weights, rows, slots, total):
    """Add the vectors of ``rows`` times their weights to ``total``."""
    oracle, dual_weights, total = borrowed((oracle, dual_weights, total))
    for k in range(rows.size):
        i = rows[k]
        if k + AHEAD < rows.size:  # rows with a weight may be few and far between
            oracle.fetch_ahead(rows[k + AHEAD])
        for slot in range(slots):
            beta = dual_weights[(oracle.first + i) * slots + slot]
            if beta != 0.0:
                oracle.add(total, i, slot, beta)


@compiled
def sum_weighted_lengths(oracle, dual_weights, rows, slots):
    """The sum of the lengths of the vectors of ``rows`` times their weights."""
    lengths = 0.0
    for i in rows:
        for slot in range(slots):
            beta = dual_weights[(oracle.first + i) * slots + slot]
            if beta != 0.0:
                lengths += beta * np.sqrt(oracle.squared_norm(i, slot))
    return lengths


def scores(parts: Sequence[Any], w: np.ndarray, missing: float = np.nan) -> np.ndarray:
    """A w: the lowest score of every set; ``missing`` for those whose weight is 0."""
    if are_elsewhere(parts):
        return np.concatenate(map_parts(_scores_of_part, parts, w, missing))
    out = np.full(sum(part.sign.size for part in parts), missing)
    for part in parts:
        step = at_once(part) or BLOCK
        for rows in present_blocks(part):
            for at in range(0, rows.size, step):
                at_speed(write_scores, part)(part, w, rows[at : at + step], out)
                if at + step < rows.size:
                    keep_time()
    return out


def _scores_of_part(part: Any, w: np.ndarray, missing: float) -> np.ndarray:
    return scores([part], w, missing)


def all_class_scores(parts: Sequence[Classes], w: np.ndarray) -> np.ndarray:
    """The scores of all classes, one row per row of all parts."""
    return np.concatenate(map_parts(class_scores, parts, w))


def class_scores(part: Classes, w: np.ndarray) -> np.ndarray:
    """The scores of all classes, one row per row; those of absent rows too."""
    out = np.empty((part.label.size, part.slots))
    write_class_scores(part.rows, w, out)
    return out


def block_numbers(parts: Sequence[Any]) -> list[int]:
    """The number of the first block of every part."""
    return [0, *accumulate(-(-part.sign.size // BLOCK) for part in parts[:-1])]


def combine(parts: Sequence[RowOracle], dual_weights: np.ndarray) -> np.ndarray:
    """A'r: the weighted sum of the vectors, by blocks, in a fixed tree."""
    tree = BlockTree(add_into)
    own = [
        (number, dual_weights[part.first * part.slots : (part.first + part.sign.size) * part.slots])
        for number, part in zip(block_numbers(parts), parts, strict=True)
    ]
    for nodes in map_parts(combine_part, parts, each=own):
        tree.extend(nodes)
    total = tree.total()
    return np.zeros(parts[0].size) if total is None else total


def add_into(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sum, in the place of the first."""
    one += other
    return one


def combine_part(part: RowOracle, number: int, own: np.ndarray) -> list[Node]:
    """The sums of the blocks of a part, merged as far as they can be; its first block has this number."""
    rows = np.flatnonzero(own) if part.slots == 1 else np.flatnonzero(own.reshape(-1, part.slots).any(axis=1))
    rows = rows[part.weight[rows] > 0] if part.weight.size else rows
    tree = BlockTree(add_into)
    for k, some in enumerate(np.split(rows, np.searchsorted(rows, np.arange(BLOCK, part.sign.size, BLOCK)))):
        if some.size:
            block = np.zeros(part.size)
            add_weighted_vectors(part, own, some, part.slots, block)
            tree.extend([Node(0, number + k, block)])
            keep_time()
    return tree.nodes


def weighted_length(parts: Sequence[RowOracle], dual_weights: np.ndarray) -> float:
    """The sum of the lengths of the weighted vectors."""
    own = [(dual_weights[part.first * part.slots : (part.first + part.sign.size) * part.slots],) for part in parts]
    return math.fsum(chain.from_iterable(map_parts(_weighted_lengths, parts, each=own)))


def _weighted_lengths(part: RowOracle, own: np.ndarray) -> list[float]:
    return [sum_weighted_lengths(part, own, rows, part.slots) for rows in present_blocks(part)]


def float_rows(X: Any) -> Iterator[tuple[slice, Any]]:
    """X as float64, by blocks of rows: only numbers are copied."""
    for begin in range(0, X.shape[0], BLOCK):
        rows = slice(begin, min(begin + BLOCK, X.shape[0]))
        if isinstance(X, np.ndarray):
            yield rows, X[rows].astype(np.float64, copy=False)
        else:
            at = slice(X.indptr[rows.start], X.indptr[rows.stop])
            parts = (
                X.data[at].astype(np.float64, copy=False),
                X.indices[at],
                X.indptr[rows.start : rows.stop + 1] - at.start,
            )
            yield rows, sp.csr_array(parts, shape=(rows.stop - rows.start, X.shape[1]))


class VectorMatrix:
    """The vectors of a part as a matrix A that is never built, for ``A @ w``, ``A.T @ r``, ``A.weight``, ``A.squares``.

    >>> from linsep.oracles import points
    >>> A = VectorMatrix(points(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, -1])))
    >>> A @ np.array([1.0, 1.0, 0.5])
    array([ 3.5, -7.5])
    >>> A.T @ np.array([1.0, 1.0])
    array([-2., -2.,  0.])
    """

    rivals = 1  # vectors of a row

    def __init__(self, *parts: Rows):
        self.parts, self.part = parts, parts[0]
        self.all_rows = [part._replace(weight=part.weight[:0]) for part in parts]  # absent rows are rows of A too
        self.weight = np.concatenate([part.weight if part.weight.size else np.ones(part.sign.size) for part in parts])
        self.shape = (self.weight.size, parts[0].size)

    def __matmul__(self, w: np.ndarray) -> np.ndarray:
        return scores(self.all_rows, np.ascontiguousarray(w, dtype=np.float64))

    @property
    def T(self) -> Transposed:
        """The transpose, for ``A.T @ r``."""
        return Transposed(lambda r: combine(self.all_rows, r))

    @cached_property
    def squares(self) -> np.ndarray:
        """|a_i|^2."""
        return np.concatenate(map_parts(_squared_norms, self.all_rows))

    def dense(self, rows: np.ndarray) -> np.ndarray:
        """Some rows of A."""
        A = vectors(self.parts, self.part.first + rows)
        return A if self.part.bias else np.column_stack([A, np.zeros(rows.size)])

    def dual_weights(self, r: np.ndarray) -> np.ndarray:
        """Weights of the rows of A at their places of `dual_weights`: one place each."""
        return r

    def errors(self, w: np.ndarray) -> float:
        """The weight of the vectors on the wrong side."""
        return float(self.weight @ ((self @ w) <= 0))


class Transposed:
    """A.T, for products ``A.T @ r``, and multiples of it."""

    def __init__(self, product: Callable[[np.ndarray], np.ndarray], factor: float = 1.0):
        self.product, self.factor = product, factor

    def __matmul__(self, r: np.ndarray) -> np.ndarray:
        found = self.product(np.ascontiguousarray(r, dtype=np.float64))
        return found if self.factor == 1.0 else self.factor * found

    def __mul__(self, number: float) -> Transposed:
        return Transposed(self.product, self.factor * float(number))

    __rmul__ = __mul__

    def __neg__(self) -> Transposed:
        return self * -1.0
