"""All columns of numbers of a batch at once, by compiled code: what `statistics` counts, and features.

A table of numbers has nothing else, so this is how fast such tables are read.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...jit import borrowed, compiled, read_only
from . import cells
from .batch import Batch
from .exact_sum import DIGITS, DIGITS_OF_SQUARES, LARGEST, Moments, add_moments, new_bins, whole_number
from .statistics import CLASSES, MASK, ClassRange, Statistics

FOLD = 1 << 29  # values that the digits of a sum may take before they are carried
WORDS = ("category", "hashed", "text")  # uses for which numbers are words
BLOCK = 64  # rows that are turned at a time: their features fit the cache
NOTHING = np.uint64(0x7FF8000000000000)  # in the place of all that is missing


class Counts(NamedTuple):
    """One number per column, or one per column and digit, or per column and class."""

    present: np.ndarray
    missing: np.ndarray
    infinite: np.ndarray  # or beyond 1e150
    low: np.ndarray
    high: np.ndarray
    first: np.ndarray
    last: np.ndarray
    whole: np.ndarray
    increasing: np.ndarray
    content: np.ndarray
    total: np.ndarray
    squares: np.ndarray
    class_missing: np.ndarray
    class_low: np.ndarray
    class_high: np.ndarray
    bins: np.ndarray  # room of `add_moments`


@compiled
def count_block(columns, n, label, row, counts):
    """Count the first ``n`` values of each of the ``columns``; ``row`` is the number of their first row."""
    columns, label, counts = borrowed(columns), borrowed(label), borrowed(counts)
    for j in range(columns.shape[0]):
        add_moments(columns[j, :n], counts.bins, counts.total[j], counts.squares[j])
        counts.content[j] += _content(columns[j], n, row)
        _count_column(columns[j], n, label, j, counts)


@compiled
def _content(values, n, row):
    """The sum of the hashes of (value, row): whoever cuts the table in other places gets the same sum."""
    content = np.uint64(0)
    for i in range(n):
        x = values[i]
        h = NOTHING if x != x else np.uint64(np.float64(x + 0.0).view(np.int64))
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        odd = (np.uint64(row + i) * np.uint64(2) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        content += (h ^ (h >> np.uint64(31))) * odd
    return content


@compiled
def _count_column(values, n, label, j, counts):
    """All that is not a sum: cells that are missing, ranges, order."""
    low, high, last = counts.low[j], counts.high[j], counts.last[j]
    whole, increasing, present = counts.whole[j], counts.increasing[j], 0
    for i in range(n):
        x = values[i]
        if not abs(x) <= LARGEST:
            counts.missing[j] += x != x
            counts.infinite[j] += x == x
            if label.size:
                counts.class_missing[j, label[i]] += 1
            continue
        if present == 0 and math.isnan(last):
            counts.first[j] = x
        present += 1
        increasing = increasing and not x <= last
        low, high, last = min(low, x), max(high, x), x
        whole = whole and x == np.floor(x)
        if label.size:
            k = label[i]
            if x < counts.class_low[j, k]:
                counts.class_low[j, k] = x
            if x > counts.class_high[j, k]:
                counts.class_high[j, k] = x
    counts.low[j], counts.high[j], counts.last[j] = low, high, last
    counts.whole[j], counts.increasing[j] = whole, increasing
    counts.present[j] += present


class NumberCounts:
    """Statistics of the columns of numbers of a table, batch after batch, in the order of its rows."""

    def __init__(self, names: Sequence[str], boolean: Sequence[bool]):
        self.names, self.boolean, d = tuple(names), tuple(boolean), len(names)
        self.rows, self.added = 0, 0
        self.class_rows = np.zeros(CLASSES, np.int64)
        self.totals, self.squares = [0] * d, [0] * d
        one, each, low = np.zeros(d, np.int64), np.zeros((d, CLASSES), np.int64), np.full((d, CLASSES), np.inf)
        total, squares = np.zeros((d, DIGITS), np.int64), np.zeros((d, DIGITS_OF_SQUARES), np.int64)
        self.counts = Counts(
            one, one.copy(), one.copy(), np.full(d, np.inf), np.full(d, -np.inf), np.full(d, np.nan),
            np.full(d, np.nan), np.ones(d, bool), np.ones(d, bool), np.zeros(d, np.uint64), total, squares,
            each, low, -low, new_bins(),
        )  # fmt: skip

    def add(self, batch: Any, label: np.ndarray | None, row: int) -> None:
        """Count the rows of a batch, whose first one is row ``row`` of the table; ``label``: class numbers."""
        columns = read_only(as_columns(batch, self.names))
        label = np.zeros(0, np.int64) if label is None else label.astype(np.int64)
        self.class_rows += np.bincount(label, minlength=CLASSES)
        self.rows, self.added = self.rows + batch.height, self.added + batch.height
        count_block(columns, batch.height, label, row, self.counts)
        if self.added > FOLD:
            self._carry()

    def _carry(self) -> None:
        """Turn the digits of sums into whole numbers."""
        for digits, sums in ((self.counts.total, self.totals), (self.counts.squares, self.squares)):
            for j in range(len(self.names)):
                sums[j] += whole_number(digits[j])
            digits[:] = 0
        self.added = 0

    def statistics(self) -> list[Statistics]:
        """Those of each column."""
        self._carry()
        found = []
        plain = {name: array.tolist() for name, array in self.counts._asdict().items() if array.ndim == 1}
        for j, name in enumerate(self.names):
            one = {each: values[j] for each, values in plain.items()}
            ranges = {
                k: ClassRange(
                    rows, int(self.counts.class_missing[j, k]), float(self.counts.class_low[j, k]),
                    float(self.counts.class_high[j, k]),
                )
                for k, rows in enumerate(self.class_rows.tolist()) if rows
            }  # fmt: skip
            found.append(
                Statistics(
                    name, self.rows, one["missing"] + one["infinite"], one["infinite"], self.rows, "",
                    Moments(one["present"], self.totals[j], self.squares[j]), one["low"], one["high"], one["whole"],
                    one["increasing"], one["first"], one["last"], self.boolean[j], classes=ranges,
                    content=one["content"] & MASK,
                )
            )  # fmt: skip
        return found


@functools.cache
def is_counted_here(kind: Any, use: str | None) -> bool:
    """Whether a column of this type of polars is one of numbers (true and false are 1 and 0), and is used as such."""
    import polars as pl

    return (kind == pl.Boolean or cells.is_number(kind)) and use not in WORDS


def as_columns(batch: Any, names: Sequence[str]) -> np.ndarray:
    """Columns of numbers as the rows of a float64 array, which may be longer than the table: NaN for missing cells."""
    import polars as pl

    if not names:
        return np.zeros((0, batch.height))
    if isinstance(batch, Batch):
        return batch.numbers_of(names)
    found = batch.select(pl.col(*names).cast(pl.Float64)).to_numpy(order="fortran")
    return np.ascontiguousarray(found.T)


class Affine(NamedTuple):
    """(x - centre) / scale into the column ``place`` of X; of a missing x ``fill``, and 1 beside it as an indicator."""

    centre: np.ndarray
    scale: np.ndarray
    fill: np.ndarray
    indicator: np.ndarray
    place: np.ndarray


@compiled
def write_features(columns, n, affine, X):
    """Write the features of columns of numbers into X; returns whether all numbers are finite."""
    d = columns.shape[0]
    finite = True
    for begin in range(0, n, BLOCK):
        for j in range(d):
            p = affine.place[j]
            for i in range(begin, min(begin + BLOCK, n)):
                x = columns[j, i]
                finite &= not math.isinf(x)
                if affine.indicator[j]:
                    X[i, p + 1] = 1.0 if x != x else 0.0
                if x != x:
                    x = affine.fill[j]
                X[i, p] = (x - affine.centre[j]) / affine.scale[j]
    return finite
