"""What is counted about a column: exact, in one pass, and mergeable: parts of a table in any grouping, one result."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import cells
from .exact_sum import LARGEST, Moments
from .words import count_documents, name_buckets

LEVELS = 20_000  # different words of a column that are counted one by one
CLASSES = 50  # classes for which columns are looked at class by class
MASK = (1 << 64) - 1


@dataclass
class ClassRange:
    """Of the rows of one class: how many, how many are missing, least and largest number."""

    rows: int = 0
    missing: int = 0
    low: float = math.inf
    high: float = -math.inf


@dataclass
class Statistics:
    """Counts of one column."""

    name: str
    rows: int = 0
    missing: int = 0
    infinite: int = 0  # cells that are numbers, but not finite, or beyond 1e150
    typed: int = 0  # cells that came as numbers, true or false, or dates: not as words
    other: str = ""  # a type that is not for features, such as lists
    numbers: Moments = field(default_factory=Moments)
    low: float = math.inf
    high: float = -math.inf
    whole: bool = True  # all numbers are whole
    increasing: bool = True  # the numbers grow from row to row
    first: float = math.nan
    last: float = math.nan
    boolean: bool = True  # the column came as true and false
    dates: dict[str, Moments] = field(default_factory=dict)  # by form: cells that are dates, as days
    date_range: dict[str, list[float]] = field(default_factory=dict)
    times: bool = False  # some dates have a time of day
    spaces: int = 0  # blanks inside of the words: a text has many
    levels: Counter | None = field(default_factory=Counter)  # (word, class) → rows; None: more than LEVELS words
    documents: np.ndarray | None = None  # of a text: rows that have a word of each bucket
    words: dict[int, str] = field(default_factory=dict)  # and the first word of each, in the order of the alphabet
    classes: dict[Any, ClassRange] = field(default_factory=dict)
    content: int = 0  # a hash of all cells and their rows: equal columns have equal ones

    @property
    def present(self) -> int:
        """Cells that are not missing."""
        return self.rows - self.missing

    def count_levels(self) -> Counter:
        """How many rows have each word."""
        found: Counter = Counter()
        for (word, _), count in (self.levels or {}).items():
            found[word] += count
        return found

    def merge(self, other: Statistics) -> None:
        """Add the counts of the rows that follow."""
        joined = math.isnan(self.last) or math.isnan(other.first) or self.last < other.first
        self.increasing = self.increasing and other.increasing and joined
        self.first = other.first if math.isnan(self.first) else self.first
        self.last = self.last if math.isnan(other.last) else other.last
        for name in ("rows", "missing", "infinite", "typed", "spaces"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.other = self.other or other.other
        self.numbers.merge(other.numbers)
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.whole, self.boolean = self.whole and other.whole, self.boolean and other.boolean
        self.times = self.times or other.times
        for form, moments in other.dates.items():
            self.dates.setdefault(form, Moments()).merge(moments)
            low, high = other.date_range[form]
            before = self.date_range.setdefault(form, [low, high])
            self.date_range[form] = [min(low, before[0]), max(high, before[1])]
        if self.levels is not None:
            self.levels = None if other.levels is None else self.levels + other.levels
            self._bound_levels()
        if other.documents is not None:
            self.documents = other.documents if self.documents is None else self.documents + other.documents
        for bucket, word in other.words.items():
            self.words[bucket] = min(word, self.words.get(bucket, word))
        for label, more in other.classes.items():
            had = self.classes.setdefault(label, ClassRange())
            had.rows, had.missing = had.rows + more.rows, had.missing + more.missing
            had.low, had.high = min(had.low, more.low), max(had.high, more.high)
        self.content = (self.content + other.content) & MASK

    def _bound_levels(self) -> None:
        if self.levels is not None and len({word for word, _ in self.levels}) > LEVELS:
            self.levels = None


def count_column(column: Any, label: np.ndarray | None, first: int, use: str | None = None) -> Statistics:
    """The statistics of a part of a column, whose first row is row ``first`` of the table; ``label``: class numbers.

    ``use`` is what the user wants, if it is known: words of a text are counted only then. Numbers are counted as words
    here; those that are to be numbers are counted by `NumberCounts`, all columns at once.
    """
    import polars as pl

    found, kind = Statistics(column.name, rows=len(column)), column.dtype
    found.content = _hash(column, first)
    if kind == pl.Null:
        found.missing, found.boolean = len(column), True
        return found
    if kind in (pl.Date, pl.Datetime):
        _count_dates(found, column, "")
        found.typed, found.boolean = len(column), False
        return found
    if not (kind in (pl.String, pl.Boolean, pl.Categorical, pl.Enum) or cells.is_number(kind)):
        found.other, found.boolean = str(kind), False
        return found
    said = cells.words(column)
    found.missing, found.boolean = int(said.is_null().sum()), False
    _count_numbers(found, cells.numbers(said), label)
    _count_words(found, said, label)
    if use == "text":
        found.documents, found.words = count_documents(said), name_buckets(said)
    elif found.numbers.count < found.present:
        for form in cells.DATES:
            _count_dates(found, said, form)
    return found


def _count_numbers(found: Statistics, values: np.ndarray, label: np.ndarray | None) -> int:
    """Count the numbers of a part; returns how many cells hold none."""
    usable = np.abs(values) <= LARGEST  # NaN is not
    kept = values[usable]
    found.numbers = Moments.of(kept)
    if kept.size:
        found.low, found.high = float(kept.min()), float(kept.max())
        found.whole = bool((kept == np.floor(kept)).all())
        found.increasing = bool((kept[1:] > kept[:-1]).all())
        found.first, found.last = float(kept[0]), float(kept[-1])
    for k in np.unique(label) if label is not None else ():
        mine = label == k
        inside = values[mine & usable]
        found.classes[int(k)] = ClassRange(
            int(mine.sum()), int((mine & ~usable).sum()), float(inside.min(initial=math.inf)),
            float(inside.max(initial=-math.inf)),
        )  # fmt: skip
    return int(values.size - kept.size)


def _count_words(found: Statistics, said: Any, label: np.ndarray | None) -> None:
    """Count words, and words by class."""
    import polars as pl

    found.spaces = int(said.str.count_matches(r"\s+").sum() or 0)
    y = np.zeros(len(said), dtype=np.int64) if label is None else label.astype(np.int64)
    grouped = pl.DataFrame({"word": said, "y": y}).drop_nulls("word").group_by("word", "y").len()
    if grouped["word"].n_unique() > LEVELS:
        found.levels = None
    else:
        found.levels = Counter(
            dict(zip(zip(grouped["word"].to_list(), grouped["y"].to_list()), grouped["len"].to_list()))
        )


def _count_dates(found: Statistics, column: Any, form: str) -> None:
    """Count the cells that are dates of a form; "" is the type of the column itself."""
    values = cells.days(column, form or None)
    kept = values[np.isfinite(values)]
    if form == "":
        found.missing = int(values.size - kept.size)
    if kept.size:
        found.dates[form] = Moments.of(kept)
        found.date_range[form] = [float(kept.min()), float(kept.max())]
        found.times = found.times or bool((kept != np.floor(kept)).any())


def _hash(column: Any, first: int) -> int:
    """The sum of hashes of (cell, row): whoever cuts the table in other places gets the same."""
    import polars as pl

    if column.dtype.is_nested():
        return hash((column.name, first))
    number = column.dtype == pl.Boolean or cells.is_number(column.dtype)
    cell = (column.cast(pl.Float64) if number else column.cast(pl.String)).hash(seed=1).to_numpy()
    with np.errstate(over="ignore"):
        row = (np.arange(first, first + len(column), dtype=np.uint64) * np.uint64(2) + np.uint64(1)) * np.uint64(
            0x9E3779B97F4A7C15
        )
        return int(((cell ^ (cell >> np.uint64(31))) * row).sum(dtype=np.uint64))
