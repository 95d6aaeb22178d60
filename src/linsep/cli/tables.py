"""Files as rows, labels and weights, by the columns that a schema names."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .output import Problem

SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


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


def fingerprint(parts: Sequence[bytes]) -> str:
    """SHA-256 of the data, file after file."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


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
    """A table that was read: its rows as numbers, and where they come from."""

    X: np.ndarray
    y: np.ndarray | None
    weight: np.ndarray | None
    features: list[str]
    source: dict[str, Any]

    def sample(self) -> Sample:
        """Rows with labels."""
        assert self.y is not None
        return Sample(self.X, self.y, self.weight)


def read_table(
    data: Sequence[str],
    *,
    target: str | None = None,
    weight: str | None = None,
    kind: str | None = None,
    features: list[str] | None = None,
) -> Table:
    """Read files into one table; ``features`` are the columns that a model was fitted to, else all are taken."""
    try:
        import polars as pl
    except ImportError:
        raise Problem("reading tables needs polars: pip install polars") from None
    files = find_files(data)
    parts = [read_bytes(name) for name in files]
    frames = []
    for name, part in zip(files, parts, strict=True):
        how = kind or SUFFIXES.get(Path(name).suffix.lower(), "csv")
        try:
            frames.append(_parse(pl, part, how))
        except Exception as error:  # all that polars raises for bad files
            raise Problem(f"{name}: not a table in {how}: {str(error).splitlines()[0]}") from error
    frame = pl.concat(frames) if len(frames) > 1 else frames[0]
    name = ", ".join(files)
    if target is not None and target not in frame.columns:
        raise Problem(f"{name}: no column {target!r} to be predicted. Its columns: {', '.join(frame.columns)}.")
    chosen = features or [column for column in frame.columns if column not in (target, weight)]
    columns = []
    for column in chosen:
        if column not in frame.columns:
            raise Problem(f"{name}: no column {column!r}, which the model needs.")
        if not frame[column].dtype.is_numeric():
            raise Problem(f"{name}: column {column!r}: expected numbers, got {frame[column].dtype}.")
        columns.append(frame[column].to_numpy().astype(np.float64))
    X = np.column_stack(columns) if columns else np.zeros((frame.height, 0))
    source = {"files": files, "rows": frame.height, "sha256": fingerprint(parts)}
    return Table(
        np.ascontiguousarray(X),
        None if target is None else frame[target].to_numpy(),
        None if weight is None else frame[weight].to_numpy().astype(np.float64),
        chosen,
        source,
    )


def _parse(pl: Any, part: bytes, kind: str) -> Any:
    """A data frame of the bytes of a file."""
    file = io.BytesIO(part)
    if kind in ("csv", "tsv"):
        return pl.read_csv(file, separator="," if kind == "csv" else "\t", infer_schema_length=None)
    readers = {"jsonl": pl.read_ndjson, "parquet": pl.read_parquet}
    if kind not in readers:
        raise Problem(f"format {kind!r}: expected csv, tsv, jsonl or parquet.")
    return readers[kind](file)
