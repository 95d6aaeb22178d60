"""Files as rows, labels and weights, by the columns that a schema names."""

from __future__ import annotations

import hashlib
import io
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..data.errors import DataError
from .output import Problem

SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
SUFFIXES |= {".arrow": "arrow", ".feather": "arrow"}


class Sample(NamedTuple):
    """Rows with their labels and weights, ready for an estimator."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None

    def take(self, rows: np.ndarray) -> Sample:
        """Some of the rows."""
        return Sample(self.X[rows], self.y[rows], None if self.weight is None else self.weight[rows])


def find_files(data: Sequence[str]) -> list[str]:
    """The files that arguments name: paths, patterns, or - for standard input."""
    found: list[str] = []
    for each in data:
        matches = [each] if each == "-" or Path(each).exists() else sorted(glob(each))
        if not matches:
            raise Problem(f"{each}: no such file. Give the path of a table, a pattern in quotes, or - for a pipe.")
        found += matches
    for name in found:
        if name != "-" and Path(name).is_dir():
            raise Problem(f"{name}: is a folder. Give its files, for example '{name}/*.csv'.")
    return found


def read_bytes(name: str) -> bytes:
    """All of a file, or of standard input."""
    return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()


def is_test_row(rows: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    """Which rows are held out: a function of their numbers and the seed alone (splitmix64), so that it can be repeated.

    >>> is_test_row(np.arange(8), 0.5, seed=0).tolist()
    [False, True, True, False, True, True, True, False]
    """
    with np.errstate(over="ignore"):
        z = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z += np.uint64(seed) * np.uint64(0xD1B54A32D192ED03)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53 < fraction


class Table(NamedTuple):
    """A table that was read, with the place of every row."""

    frame: Any  # of polars
    files: list[str]
    ends: list[int]  # rows up to the end of each file
    sha256: str

    @property
    def source(self) -> dict[str, Any]:
        """What a model file says about its data."""
        return {"files": self.files, "rows": self.frame.height, "sha256": self.sha256}

    def sample(self, schema: Any, labels: bool = True) -> Sample:
        """The rows as a schema makes them; labels and weights only if asked for."""
        if labels and schema.target not in self.frame.columns:
            known = ", ".join(self.frame.columns[:20])
            raise Problem(f"{self.files[0]}: no column {schema.target!r} with the labels. Its columns: {known}.")
        with self.named():
            X, y, weight = schema.transform(self.frame if labels else self.frame.drop(schema.target, strict=False))
        return Sample(X, y, weight)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors about data get the name of the file and the row."""
        try:
            yield
        except DataError as error:
            row = getattr(error, "row", None)
            file = bisect_right(self.ends, row) if row is not None else 0
            place = self.files[min(file, len(self.files) - 1)] if row is not None else ", ".join(self.files)
            if row is not None:
                place += f", row {row + 1 - (self.ends[file - 1] if file else 0)}"
            column = f", column {error.column!r}" if error.column is not None else ""
            raise Problem(f"{place}{column}: {error.message}") from error


def read_table(data: Sequence[str], kind: str | None = None) -> Table:
    """Read files into one table: the columns of the first, found by name in the others."""
    try:
        import polars as pl
    except ImportError:
        raise Problem("reading tables needs polars: pip install 'linsep[files]'") from None
    files = find_files(data)
    digest, frames = hashlib.sha256(), []
    for name in files:
        part = read_bytes(name)
        digest.update(part)
        how = kind or SUFFIXES.get(Path(name).suffix.lower(), "csv")
        try:
            frames.append(_parse(pl, part, how))
        except Problem:
            raise
        except BaseException as error:  # all that polars raises for bad files, its panics among it
            if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
                raise
            raise Problem(f"{name}: not a table in {how}: {_first_line(error)}") from error
    for name, frame in zip(files, frames, strict=True):
        if set(frame.columns) != set(frames[0].columns):
            odd = sorted(set(frame.columns) ^ set(frames[0].columns))[0]
            raise Problem(f"{name}: the column {odd!r} is in this file or in {files[0]}, but not in both.")
    if len(frames) > 1:
        frames = [frame.select(frames[0].columns) for frame in frames]
    frame = pl.concat(frames, how="vertical_relaxed")
    return Table(frame, files, np.cumsum([each.height for each in frames]).tolist(), digest.hexdigest())


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:200]


def _parse(pl: Any, part: bytes, kind: str) -> Any:
    """A data frame of the bytes of a file."""
    if not part:
        raise Problem("the file is empty: expected a line with the names of the columns, and rows.")
    file = io.BytesIO(part)
    if kind in ("csv", "tsv"):
        return pl.read_csv(file, separator="," if kind == "csv" else "\t", infer_schema_length=None)
    readers = {"jsonl": pl.read_ndjson, "parquet": pl.read_parquet, "arrow": pl.read_ipc}
    if kind not in readers:
        raise Problem(f"format {kind!r}: expected csv, tsv, jsonl, parquet or arrow.", 2)
    return readers[kind](file)
