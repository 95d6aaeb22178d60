"""How a column is used: one class for each use, with what `transform` needs. All of it is plain JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ..errors import DataError
from . import cells
from .words import BUCKETS, bucket_of, weigh_words

YEAR, WEEK = 365.2425, 7.0
PERIODS = {"year": YEAR, "week": WEEK, "day": 1.0}  # of dates, in days


@dataclass(frozen=True)
class Column:
    """A column of the table; ``use`` names the class."""

    name: str
    use: ClassVar[str] = ""

    def feature_names(self) -> list[str]:
        """The names of its features."""
        return [self.name]

    def features(self, column: Any) -> np.ndarray | sp.csr_matrix:
        """Its features, one row per cell."""
        raise NotImplementedError

    def absent(self, rows: int) -> np.ndarray | sp.csr_matrix:
        """Its features where the table has no such column: as if every cell were missing."""
        import polars as pl

        return self.features(pl.Series(self.name, [None] * rows, dtype=pl.String))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"name": self.name, "use": self.use, **{k: v for k, v in asdict(self).items() if k != "name"}}

    def _refuse(self, column: Any, bad: np.ndarray, expected: str) -> None:
        """Raise an error about the first bad cell; its row is counted from 0 within the batch."""
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            error = DataError(f"expected {expected}, got {str(column[row])[:40]!r}.", column=self.name)
            error.row = row  # type: ignore[attr-defined]
            raise error


@dataclass(frozen=True)
class Ignore(Column):
    """Left out."""

    why: str = ""
    use: ClassVar[str] = "ignore"

    def feature_names(self) -> list[str]:
        """None."""
        return []

    def features(self, column: Any) -> np.ndarray:
        """None."""
        return np.zeros((len(column), 0))


def _with_indicator(values: np.ndarray, missing: np.ndarray, indicator: bool) -> np.ndarray:
    return np.column_stack([values, missing.astype(np.float64)]) if indicator else values[:, None]


@dataclass(frozen=True)
class Number(Column):
    """(x - centre) / scale, or log(1 + x / scale) of amounts with a long tail; missing cells get ``fill``."""

    centre: float = 0.0
    scale: float = 1.0
    log: bool = False
    fill: float = 0.0
    indicator: bool = False  # a feature that is 1 where the cell is missing
    marks: tuple[str, ...] = ()  # further words that mean a missing cell
    use: ClassVar[str] = "number"

    def feature_names(self) -> list[str]:
        """The number, and whether it is missing."""
        return [self.name, f"{self.name} is missing"][: 1 + self.indicator]

    def features(self, column: Any) -> np.ndarray:
        """One or two columns."""
        values = cells.numbers(column, self.marks)
        missing = np.isnan(values)
        if missing.any():
            self._refuse(column, missing & cells.words(column, self.marks).is_not_null().to_numpy(), "a finite number")
            values = np.where(missing, self.fill, values)
        if self.log:
            shown = np.sign(values) * np.log1p(np.abs(values) / self.scale)
        else:
            shown = (values - self.centre) / self.scale
        return _with_indicator(shown, missing, self.indicator)


@dataclass(frozen=True)
class Boolean(Column):
    """1 for ``yes``, 0 for no; missing cells get ``fill``."""

    yes: str = "true"
    fill: float = 0.5
    indicator: bool = False
    use: ClassVar[str] = "boolean"

    def feature_names(self) -> list[str]:
        """Whether it is so, and whether it is missing."""
        return [self.name, f"{self.name} is missing"][: 1 + self.indicator]

    def features(self, column: Any) -> np.ndarray:
        """One or two columns."""
        values = cells.truth(column, self.yes)
        missing = np.isnan(values)
        if missing.any():
            self._refuse(column, missing & cells.words(column).is_not_null().to_numpy(), f"{self.yes} or its opposite")
        return _with_indicator(np.where(missing, self.fill, values), missing, self.indicator)


@dataclass(frozen=True)
class Date(Column):
    """(days since 2000 - centre) / scale, and the phases of the ``periods`` as cosine and sine."""

    form: str = ""  # of words; "": the column has dates
    centre: float = 0.0
    scale: float = 1.0
    periods: tuple[str, ...] = ()
    fill: float = 0.0
    indicator: bool = False
    use: ClassVar[str] = "date"

    def feature_names(self) -> list[str]:
        """Time, phases, and whether it is missing."""
        phases = [f"{self.name} {part} of the {period}" for period in self.periods for part in ("cosine", "sine")]
        return [self.name, *phases, *[f"{self.name} is missing"] * self.indicator]

    def features(self, column: Any) -> np.ndarray:
        """One column or more."""
        values = cells.days(column, self.form or "%Y-%m-%d")
        missing = np.isnan(values)
        if missing.any():
            form = self.form or "%Y-%m-%d"
            self._refuse(column, missing & cells.words(column).is_not_null().to_numpy(), f"a date as {form}")
        values = np.where(missing, self.fill, values)
        found = [(values - self.centre) / self.scale]
        for period in self.periods:
            phase = 2 * math.pi * (values / PERIODS[period] % 1.0)
            found += [np.where(missing, 0.0, np.cos(phase)), np.where(missing, 0.0, np.sin(phase))]
        return np.column_stack(found + [missing.astype(np.float64)] * self.indicator)


def _one_hot(code: np.ndarray, width: int) -> sp.csr_matrix:
    """A 1 in the column ``code`` of each row; none where it is negative."""
    indptr = np.concatenate([[0], np.cumsum(code >= 0)])
    kept = code[code >= 0]
    return sp.csr_matrix((np.ones(kept.size), kept, indptr), shape=(code.size, width))


@dataclass(frozen=True)
class Category(Column):
    """One feature per level; other levels share one, if some were rare, else they have none; missing may have one."""

    levels: tuple[str, ...] = ()
    other: bool = False
    missing: bool = False
    use: ClassVar[str] = "category"

    def feature_names(self) -> list[str]:
        """``column=level``."""
        more = ["(other)"] * self.other + ["(missing)"] * self.missing
        return [f"{self.name}={level}" for level in (*self.levels, *more)]

    def features(self, column: Any) -> sp.csr_matrix:
        """One-hot."""
        import polars as pl

        said = cells.words(column)
        known = {level: k for k, level in enumerate(self.levels)}
        other = len(known) if self.other else -1
        absent = len(known) + self.other if self.missing else -1
        code = said.replace_strict(known, default=other, return_dtype=pl.Int64) if known else said.cast(pl.Int64) * 0
        code = np.where(said.is_null().to_numpy(), absent, code.fill_null(absent).to_numpy())
        return _one_hot(code, len(self.feature_names()))


@dataclass(frozen=True)
class Hashed(Column):
    """One of ``buckets`` features, by a hash of the cell: for many levels; missing cells have none."""

    buckets: int = 256
    use: ClassVar[str] = "hashed"

    def feature_names(self) -> list[str]:
        """``column#bucket``."""
        return [f"{self.name}#{k}" for k in range(self.buckets)]

    def features(self, column: Any) -> sp.csr_matrix:
        """One-hot."""
        return _one_hot(bucket_of(cells.words(column), self.buckets), self.buckets)


@dataclass(frozen=True)
class Text(Column):
    """Hashed words, weighed by tf-idf, of norm 1: ``documents`` of ``rows`` cells have words of each bucket."""

    rows: int = 0
    buckets: tuple[int, ...] = ()  # those that were met
    documents: tuple[int, ...] = ()
    words: tuple[str, ...] = ()  # one of each bucket, as its name
    use: ClassVar[str] = "text"

    def feature_names(self) -> list[str]:
        """``column~word``; of a bucket without one ``column~number``."""
        words = self.words or ("",) * len(self.buckets)
        return [f"{self.name}~{word or bucket}" for bucket, word in zip(self.buckets, words)]

    def features(self, column: Any) -> sp.csr_matrix:
        """Sparse."""
        return weigh_words(
            cells.words(column), self.rows, np.array(self.buckets, dtype=np.int64), np.array(self.documents)
        )


KINDS = {kind.use: kind for kind in (Ignore, Number, Boolean, Date, Category, Hashed, Text)}


def read_column(plain: Any) -> Column:
    """The column that JSON describes, checked."""
    if not isinstance(plain, dict) or not isinstance(plain.get("name"), str) or plain.get("use") not in KINDS:
        raise DataError(f'schema: expected columns with "name" and "use" ({", ".join(KINDS)}), got {plain!s:.80}.')
    kind, name = KINDS[plain["use"]], plain["name"]
    given = {key: value for key, value in plain.items() if key not in ("name", "use")}
    declared = {each.name: each for each in fields(kind) if each.name != "name"}
    for key, value in given.items():
        if key not in declared:
            raise DataError(f'schema: column {name!r}: a {kind.use} has no "{key}", only {", ".join(declared)}.')
        given[key] = _checked(name, key, value, str(declared[key].type))
    made: Any = kind(name, **given)
    _check_values(made)
    return made


def _checked(name: str, key: str, value: Any, kind: str) -> Any:
    """A value of the declared type."""
    tests = {
        "str": lambda v: isinstance(v, str),
        "bool": lambda v: isinstance(v, bool),
        "int": lambda v: isinstance(v, int) and not isinstance(v, bool),
        "float": lambda v: isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v),
    }
    if kind.startswith("tuple"):
        inner = kind.removeprefix("tuple[").split(",")[0]
        if isinstance(value, list | tuple) and all(map(tests[inner], value)):
            return tuple(value)
    elif tests[kind](value):
        return float(value) if kind == "float" else value
    raise DataError(f'schema: column {name!r}, "{key}": expected {kind}, got {value!s:.40}.')


def _check_values(column: Any) -> None:
    """Refuse what `transform` could not use."""
    problem = ""
    if getattr(column, "scale", 1.0) <= 0:
        problem = '"scale": expected a number above 0'
    elif isinstance(column, Boolean) and column.yes not in cells.YES_NO.values():
        problem = f'"yes": expected one of {", ".join(cells.YES_NO.values())}'
    elif isinstance(column, Date) and not set(column.periods) <= set(PERIODS):
        problem = f'"periods": expected some of {", ".join(PERIODS)}'
    elif isinstance(column, Date) and column.form not in ("", *cells.DATES):
        problem = f'"form": expected one of {", ".join(cells.DATES)}'
    elif isinstance(column, Hashed) and not 1 <= column.buckets <= 1 << 20:
        problem = '"buckets": expected 1 to 1048576'
    elif isinstance(column, Category) and len(set(column.levels)) != len(column.levels):
        problem = '"levels": a level occurs twice'
    elif isinstance(column, Text) and not (
        len(column.documents) == len(column.buckets) == len(set(column.buckets))
        and all(0 <= bucket < BUCKETS for bucket in column.buckets)
        and all(0 < count <= column.rows for count in column.documents)
        and len(column.words) in (0, len(column.buckets))
    ):
        problem = f'"documents": expected a count for each of the "buckets", which are different and below {BUCKETS}'
    if problem:
        raise DataError(f"schema: column {column.name!r}, {problem}.")
