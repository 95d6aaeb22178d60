"""A schema: how every column of a table is used. It is inferred once, is plain JSON, and applies to any table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...jit import read_only
from ..errors import DataError
from . import cells
from .decide import decide, odd_classes
from .kinds import KINDS, Category, Column, Hashed, Ignore, Number, Text, read_column
from .numbers import Affine, NumberCounts, as_columns, is_counted_here, write_features
from .statistics import CLASSES, Statistics, count_column

FORMAT, VERSION = "linsep schema", 1
TARGETS = ("word", "integer", "number", "boolean")
MOST_COLUMNS = 50_000  # of a table: each is looked at by itself
SPARSE = 200  # features from which a table with words becomes a sparse matrix


@dataclass(frozen=True)
class Schema:
    """How the columns of a table become the columns of X, found by their names.

    >>> import polars as pl
    >>> table = pl.DataFrame({"size": [1.0, 2.0, None, 5.0], "shape": ["o", "x", "x", "o"], "y": ["a", "a", "b", "b"]})
    >>> schema = infer_schema([table], "y")
    >>> schema.feature_names
    ('size', 'size is missing', 'shape=o', 'shape=x')
    >>> X, y, weight = schema.transform(table)
    >>> X[2].tolist(), y.tolist()
    ([0.0, 1.0, 0.0, 1.0], ['a', 'a', 'b', 'b'])
    """

    columns: tuple[Column, ...]
    target: str | None = None
    weight: str | None = None
    target_kind: str = "word"
    noticed: tuple[str, ...] = field(default=(), compare=False)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of X."""
        return tuple(name for column in self.columns for name in column.feature_names())

    @property
    def n_features(self) -> int:
        """The number of columns of X."""
        return sum(len(column.feature_names()) for column in self.columns)

    @property
    def sparse(self) -> bool:
        """Whether X is a CSR matrix: it is wide, and most of it words."""
        wordy = sum(len(c.feature_names()) for c in self.columns if isinstance(c, Category | Hashed | Text))
        return self.n_features >= SPARSE and 2 * wordy >= self.n_features

    def missing_columns(self, names: Iterable[str]) -> list[str]:
        """Columns that are used, and that a table with these names has not: they count as missing in every row."""
        there = set(names)
        return [column.name for column in self.columns if column.name not in there and not isinstance(column, Ignore)]

    def transform(self, batch: Any) -> tuple[Any, np.ndarray | None, np.ndarray | None]:
        """X (C-ordered, or CSR), the labels and the weights of a data frame; None for what it has not."""
        used = [column for column in self.columns if not isinstance(column, Ignore)]
        if used and len(self.missing_columns(batch.columns)) == len(used):
            raise DataError(f"expected the column {used[0].name!r}, found {', '.join(batch.columns[:10])[:200]}.")
        there = set(batch.columns)
        X = self._sparse_features(batch, used) if self.sparse else self._dense_features(batch, used)
        y = self.labels(batch[self.target]) if self.target in there else None
        return X, y, self._weights(batch[self.weight]) if self.weight in there else None

    def _sparse_features(self, batch: Any, used: list[Column]) -> Any:
        blocks = [sp.csr_matrix(_features(column, batch)) for column in used]
        X: Any = sp.csr_matrix(sp.hstack(blocks, format="csr"))
        X.sort_indices()
        return X

    def _dense_features(self, batch: Any, used: list[Column]) -> np.ndarray:
        """X, column by column; numbers that are only shifted and scaled all at once."""
        widths = [len(column.feature_names()) for column in used]
        places = dict(zip((column.name for column in used), np.cumsum([0, *widths]).tolist()))
        X = np.empty((batch.height, sum(widths)))
        kinds = batch.schema
        plain: dict[str, Any] = {}
        for column in used:
            shifted = isinstance(column, Number) and not column.log
            if shifted and column.name in kinds and is_counted_here(kinds[column.name], None):
                plain[column.name] = column
        centre, scale, fill = (
            np.array([getattr(each, name) for each in plain.values()], np.float64)
            for name in ("centre", "scale", "fill")
        )
        indicator = np.array([each.indicator for each in plain.values()], bool)
        at = np.array([places[name] for name in plain], np.int64)
        finite = write_features(
            read_only(as_columns(batch, list(plain))), batch.height, Affine(centre, scale, fill, indicator, at), X
        )
        for column, width in zip(used, widths):
            if column.name not in plain or not finite:  # one that is not finite is refused by its name
                block = _features(column, batch)
                dense = block if isinstance(block, np.ndarray) else block.toarray()
                X[:, places[column.name] : places[column.name] + width] = dense
        return X

    def labels(self, column: Any) -> np.ndarray:
        """The labels, of the kind of the labels that the schema was inferred from."""
        import polars as pl

        if column.dtype.is_nested():
            raise DataError(f"expected labels, got {column.dtype}.", column=column.name)
        if self.target_kind == "word":
            kept = cells.words(column)
            self._refuse_missing(kept.is_null().to_numpy(), column)
            return np.asarray(kept.to_list(), dtype=np.str_)
        if self.target_kind == "boolean" and column.dtype != pl.Boolean:
            values = cells.truth(column, "true")
        else:
            values = cells.numbers(column)
        self._refuse_missing(np.isnan(values), column)
        if self.target_kind == "boolean":
            return values.astype(np.bool_)
        if self.target_kind == "integer" and (values == np.floor(values)).all():
            return values.astype(np.int64)
        return values

    def _refuse_missing(self, missing: np.ndarray, column: Any) -> None:
        if missing.any():
            row = int(np.flatnonzero(missing)[0])
            cell = "" if column[row] is None else str(column[row])[:40]
            error = DataError(f"expected a label, got {cell!r}. Give the row one, or leave it out.", column=column.name)
            error.row = row  # type: ignore[attr-defined]
            raise error

    def _weights(self, column: Any) -> np.ndarray:
        values = cells.numbers(column)
        bad = ~(values >= 0)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            error = DataError(f"expected a weight of 0 or more, got {column[row]!r:.40}.", column=column.name)
            error.row = row  # type: ignore[attr-defined]
            raise error
        return values

    def as_dict(self) -> dict[str, Any]:
        """All decisions, as JSON can hold them."""
        return {
            "format": FORMAT, "version": VERSION, "target": self.target, "target_kind": self.target_kind,
            "weight": self.weight, "columns": [column.as_dict() for column in self.columns],
            "noticed": list(self.noticed),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, plain: Any) -> Schema:
        """The schema that `as_dict` wrote, checked: it may come from a file of anybody's."""
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise DataError(f'schema: expected an object with "format": "{FORMAT}".')
        if plain.get("version") != VERSION:
            raise DataError(f"schema: this linsep reads version {VERSION}, got {plain.get('version')!s:.20}.")
        for name in ("target", "weight"):
            if not isinstance(plain.get(name), str | None):
                raise DataError(f'schema: "{name}": expected the name of a column.')
        kind = plain.get("target_kind", "word")
        if kind not in TARGETS or not isinstance(plain.get("columns"), list):
            raise DataError(f'schema: expected "columns", and a "target_kind" of {", ".join(TARGETS)}.')
        columns = tuple(read_column(each) for each in plain["columns"])
        if len({column.name for column in columns}) != len(columns):
            raise DataError("schema: a column occurs twice.")
        noticed = plain.get("noticed", [])
        notes = tuple(map(str, noticed)) if isinstance(noticed, list) else ()
        return cls(columns, plain.get("target"), plain.get("weight"), kind, notes)

    def __str__(self) -> str:
        return "\n".join(f"{column.name}: {describe(column)}" for column in self.columns)


def _features(column: Column, batch: Any) -> Any:
    """The features of a column of the schema; where the table lacks it, as if every cell were missing."""
    there = column.name in batch.columns
    return column.features(batch[column.name]) if there else column.absent(batch.height)


def describe(column: Column) -> str:
    """A decision in words."""
    more = " and whether it is missing" if getattr(column, "indicator", False) else ""
    if isinstance(column, Ignore):
        return f"left out, {column.why}"
    if isinstance(column, Category):
        return f"category, {len(column.levels)} levels" + ", others together" * column.other
    count = len(column.feature_names())
    return f"{column.use}{more}" + (f", {count} features" if count > 2 else "")


def infer_schema(
    batches: Iterable[Any],
    target: str | None = None,
    weight: str | None = None,
    *,
    uses: Mapping[str, str] | None = None,
    given: Mapping[str, Column] | None = None,
) -> Schema:
    """The schema of all batches (data frames of polars), in one pass over them; each is looked at once, in order.

    ``uses`` says what is to become of some columns (``{"zip": "category", "note": "text"}``); ``given`` columns are
    taken as they are. The rest follows from the cells: see docs/columns.md.
    """
    uses, given = dict(uses or {}), dict(given or {})
    names, found, kinds = _count(batches, (target, weight), uses)
    _require_known(names, target, weight, [*uses, *given])
    columns: list[Column] = []
    notes = odd_classes(kinds.number, target) if target is not None and 1 < kinds.classes <= CLASSES else []
    same: dict[int, str] = {}
    for name in names:
        if name in (target, weight):
            continue
        if name in given:
            columns.append(given[name])
            continue
        statistics = found[name]
        twin = same.setdefault(statistics.content, name)
        if twin != name and name not in uses:
            columns.append(Ignore(name, f"equal to {twin}"))
            notes.append(f"{name}: equal to {twin}; left out.")
            continue
        column, said = decide(statistics, uses.get(name), kinds.classes, target)
        columns.append(column)
        notes += said
    return Schema(tuple(columns), target, weight, kinds.kind, tuple(notes))


def require_few_columns(count: int, path: str = "") -> None:
    """Refuse a table that is too wide. Readers ask this of its names: its rows would take too much memory."""
    if count > MOST_COLUMNS:
        advice = "Write such rows as svmlight."
        raise DataError(f"a table may have {MOST_COLUMNS} columns, got {count}. {advice}", path)


def _require_known(names: list[str], target: str | None, weight: str | None, more: list[str]) -> None:
    """Refuse names of columns that the table has not."""
    for name in (target, weight, *more):
        if name is not None and name not in names:
            near = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
            raise DataError(f"no column {name!r}. Its columns: {near}.")


@dataclass
class _Labels:
    """The labels met so far, numbered, and whether all of them are numbers."""

    number: dict[str, int] = field(default_factory=dict)
    whole: bool = True
    numeric: bool = True
    boolean: bool = True

    @property
    def classes(self) -> int:
        return len(self.number)

    @property
    def kind(self) -> str:
        if self.boolean and self.number:
            return "boolean"
        return "word" if not self.numeric else "integer" if self.whole else "number"

    def code(self, column: Any) -> np.ndarray | None:
        """The numbers of a batch's labels; None if there are too many classes to look at them one by one."""
        import polars as pl

        if column.dtype.is_nested():
            raise DataError(f"expected labels, got {column.dtype}.", column=column.name)
        said = cells.words(column).fill_null("")
        for word in said.unique().to_list():
            self.number.setdefault(word, len(self.number))
        values = cells.numbers(column)
        self.boolean = self.boolean and column.dtype == pl.Boolean
        self.numeric = self.numeric and not np.isnan(values).any()
        self.whole = self.whole and bool((values == np.floor(values)).all())
        if self.classes > CLASSES:
            return None
        return said.replace_strict(self.number, return_dtype=pl.Int64).to_numpy()


def _count(
    batches: Iterable[Any], special: tuple[str | None, ...], uses: Mapping[str, str]
) -> tuple[list[str], dict[str, Statistics], _Labels]:
    """The statistics of all columns, over all batches."""
    found: dict[str, Statistics] = {}
    names: list[str] = []
    labels, row = _Labels(), 0
    numbers: NumberCounts | None = None
    schema: Any = None
    wrong = [use for use in uses.values() if use not in KINDS]
    if wrong:
        raise DataError(f"expected one of {', '.join(KINDS)} as the use of a column, got {wrong[0]!r}.")
    for batch in batches:
        names = names or list(batch.columns)
        require_few_columns(batch.width)
        code = labels.code(batch[special[0]]) if special[0] in batch.columns else None
        if batch.schema is not schema:  # batches of numbers share one
            schema = batch.schema
            kinds = {name: kind for name, kind in schema.items() if name not in special}
            these = [name for name, kind in kinds.items() if is_counted_here(kind, uses.get(name))]
        if numbers is None or numbers.names != tuple(these):
            _take(found, numbers)
            numbers = NumberCounts(these, [str(kinds[name]) == "Boolean" for name in these])
        numbers.add(batch, code, row)
        for name in kinds.keys() - set(these):
            _add(found, count_column(batch[name], code, row, uses.get(name)))
        row += batch.height
    if not row:
        raise DataError("expected rows, found none. Is the file empty?")
    _take(found, numbers)
    return names, found, labels


def _add(found: dict[str, Statistics], more: Statistics) -> None:
    """Add the counts of rows that follow."""
    if more.name in found:
        found[more.name].merge(more)
    else:
        found[more.name] = more


def _take(found: dict[str, Statistics], numbers: NumberCounts | None) -> None:
    """Add all counts of columns of numbers."""
    for more in () if numbers is None else numbers.statistics():
        _add(found, more)
