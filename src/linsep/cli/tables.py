"""Files as rows, labels and weights: a dataset, with what a model file says about it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .output import Output, Problem, as_named

if TYPE_CHECKING:
    from ..data import Dataset
    from ..data.columns import HeldOut

SMALL = 64_000_000  # bytes of files that are read again rather than kept in a cache
SLICE = 1 << 16  # rows that are decided at a time


class Sample(NamedTuple):
    """Rows with their labels and weights, ready for an estimator; a weight of 0 leaves a row out."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None

    def present(self) -> np.ndarray:
        """The numbers of the rows that count."""
        return np.arange(self.y.size) if self.weight is None else np.flatnonzero(self.weight)

    def take(self, rows: np.ndarray) -> Sample:
        """A copy of some of the rows."""
        return Sample(self.X[rows], self.y[rows], None if self.weight is None else self.weight[rows])


class Table(NamedTuple):
    """Files that were read."""

    dataset: Dataset
    files: list[str]
    digests: list[str] | None  # SHA-256 of the bytes up to the end of each file; None: not all are local

    @property
    def sha256(self) -> str | None:
        """SHA-256 of all bytes, one file after the other."""
        return self.digests[-1] if self.digests else None

    @property
    def source(self) -> dict[str, Any]:
        """What a model file says about its data."""
        return {"files": self.files, "rows": self.dataset.n_rows, "sha256": self.sha256}

    def sample(self, held_out: HeldOut | None = None) -> Sample:
        """All rows; those that are held out get a weight of 0."""
        X, y, weight = self.dataset.rows
        if y is None:
            target = getattr(self.dataset.schema, "target", None)
            raise Problem(f"{', '.join(self.files)}: there are no labels{f' (column {target!r})' if target else ''}.")
        if held_out is None:
            return Sample(X, y, weight)
        weight = np.ones(y.size) if weight is None else np.array(weight)
        weight[held_out.mask(0, y.size)] = 0.0
        lost = sorted(set(y.tolist()) - set(y[weight > 0].tolist()))
        if lost or not (weight == 0).any():
            what = f"the class {lost[0]!r} is in held-out rows only" if lost else "no row is held out"
            raise Problem(f"--test {held_out.fraction:g}: of {y.size} rows {what}. Take another --test or --seed.")
        return Sample(X, y, weight)


def open_table(
    data: Sequence[str], out: Output, *, kind: str | None = None, schema: Any = None, memory: int = 10**9,
    target: str | None = None, weight: str | None = None, labels: bool = True, separator: str | None = None,
) -> Table:  # fmt: skip
    """Read files: ``schema`` is that of a model, or a plan for a new one; ``labels`` are needed, or not wanted."""
    from dataclasses import replace

    from ..data import DataError, open_dataset
    from ..data.formats import TABLES, format_of
    from ..data.sources import find_sources

    sources = find_sources(data)
    paths = [source.path for source in sources]
    files = [_short(path) for path in paths]
    try:
        form = format_of(sources, kind)
    except DataError as error:
        raise Problem(str(error).replace("format=:", "--format:")) from error
    if form in TABLES:
        known = hasattr(schema, "transform")
        if hasattr(schema, "base"):
            raise Problem(f"{files[0]}: the model was made from {schema.format}, this file is a table.")
        if known and not labels:
            schema = replace(schema, target=None, weight=None)
        if known:
            note_missing(schema, sources, form, out, separator)
        elif target is None:
            raise Problem("--target: which column names the classes? For example: --target species.", 2)
    elif schema is not None and not hasattr(schema, "base"):
        if hasattr(schema, "transform"):
            raise Problem(f"{files[0]}: the model was made from a table, this file is {form}.")
        schema = None  # a plan is for columns with names
    if form not in TABLES and target is not None:
        raise Problem(f"--target {target}: files of the format {form} have their labels in a place of their own.", 2)
    cache = None if sum(source.size for source in sources) > SMALL else False
    with out.reading() as progress:
        dataset = open_dataset(
            paths, target, format=form, schema=schema, weight=weight, memory=max(memory, 1 << 20), cache=cache,
            progress=progress, separator=separator,
        )  # fmt: skip
    return Table(dataset, files, fingerprints(paths))


def _short(path: str) -> str:
    """A path as a user would write it."""
    return as_named(path) if "://" not in path else path


def note_missing(schema: Any, sources: Any, form: str, out: Output, separator: str | None = None) -> None:
    """Say which columns of a model the first file has not; refuse a file with another separator."""
    from ..data.readers.csv import hint_at_separator

    names = column_names(sources, form, separator)
    missing = schema.missing_columns(names) if names else ()
    if missing and (hint := hint_at_separator(names)):
        raise Problem(f"{_short(sources[0].path)}: there is no column {missing[0]!r}. {hint}")
    for name in missing:
        out.note(f"{_short(sources[0].path)}: no column {name!r}; it counts as missing in every row.")


def column_names(sources: Any, form: str, separator: str | None = None) -> list[str]:
    """The columns of the first file, from its beginning."""
    import tempfile

    from ..data.open import Recipe
    from ..data.progress import Progress
    from ..data.readers.csv import Widened
    from ..data.readers.tables import Tables

    options = {"separator": separator or ("\t" if form == "tsv" else ",")}
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(sources[:1], Recipe(form, None, None, None, options, 1 << 16), Progress([], None), Path(folder))
        try:
            first = next(tables.batches(), None)
        except Widened:  # a later piece has wider types: it has the same columns
            return list(tables.types.of)
    return [] if first is None else list(first[1].columns)


def fingerprints(paths: Sequence[str]) -> list[str] | None:
    """SHA-256 of the bytes of local files, one after the other, up to the end of each."""
    digest, found = hashlib.sha256(), []
    for path in paths:
        if "://" in path:
            return None
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        found.append(digest.hexdigest())
    return found


def fingerprint(paths: Sequence[str]) -> str | None:
    """SHA-256 of the bytes of local files, one after the other."""
    found = fingerprints(paths)
    return found[-1] if found else None


def slices(rows: int) -> Iterator[slice]:
    """All rows, some at a time."""
    for begin in range(0, rows, SLICE):
        yield slice(begin, min(begin + SLICE, rows))


def decide(model: Any, dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The class of every row, and its score: g(x), or of more than two classes the lead of the best one."""
    decided, scores = [], []
    with dataset.within_memory() as rows:
        for part in slices(dataset.n_rows):
            X = rows.X[part]
            g = model.decision_function(X)
            decided.append(model.predict(X))
            scores.append(g if g.ndim == 1 else np.diff(np.partition(g, -2, axis=1)[:, -2:], axis=1)[:, 0])
    return np.concatenate(decided), np.concatenate(scores)
