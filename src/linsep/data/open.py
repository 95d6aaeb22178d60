"""Open files as a dataset: the first pass reads them and writes the cache, unless that is there already."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .cache import CacheWriter, cache_folder, new_cache, place_of, read_header
from .dataset import Dataset
from .errors import DataError
from .formats import TABLES, format_of
from .progress import Progress
from .rows import Rows, RowSchema
from .sources import Source, find_sources

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Recipe(NamedTuple):
    """What is done to the files: with their names, the key of the cache."""

    format: str
    target: Any
    weight: Any
    schema: Any  # given by the user; None: found in the data
    options: dict[str, Any]
    piece: int  # bytes that are read at a time: no part of the key

    @property
    def key(self) -> Any:
        """As JSON can hold it."""
        schema = None if self.schema is None else self.schema.as_dict()
        return [self.format, self.target, self.weight, schema, self.options]

    @property
    def arguments(self) -> dict[str, Any]:
        """As `open_dataset` takes them, but for paths and schema."""
        return {"format": self.format, "target": self.target, "weight": self.weight, **self.options}


# long because: its parameters are described
def open_dataset(
    paths: Any, target: Any = None, *, format: str | None = None, schema: Any = None, weight: Any = None,
    memory: int | str = "1GB", cache: Any = None, n_features: int | None = None, zero_based: bool | str = "auto",
    separator: str | None = None, bits: int = 18, progress: Callable[[int, int], None] | None = None,
) -> Dataset:  # fmt: skip
    """Open files of any size as a `Dataset`, which estimators take in place of X and y.

    The files are read once, from the first to the last row, and kept as arrays in a cache on disk; if they and the
    parameters have not changed since, the cache is used and nothing is read. The order of rows is that of the files.

    Parameters
    ----------
    paths : path, glob, or list of these
        Local files, "-" for standard input, or addresses that fsspec knows; ``.gz`` and ``.zst`` are unpacked.
    target : str, default=None
        The column of the labels, of tables; of npy a file with the labels; else the labels are in the format.
    format : str, default=None
        "csv", "tsv", "parquet", "arrow", "jsonl", "svmlight", "vw", "npy" or "npz"; None: by the ending of the names,
        or by the first bytes.
    schema : Schema, RowSchema or Plan, default=None
        How the files become X, such as ``train.schema`` for a file of test rows; None: found in the data, as far as a
        `Plan` of `linsep.data.columns` does not say it.
    weight : str, default=None
        The column of the weights of the rows, of tables.
    memory : int or str, default="1GB"
        How many bytes of the rows may be in memory at a time.
    cache : path or False, default=None
        The folder of the caches; None: that of the variable LINSEP_CACHE, or the user's folder for caches. False: a
        temporary one.
    n_features : int, default=None
        Columns of X, of sparse files; None: as many as the largest index asks for.
    zero_based : bool or "auto", default="auto"
        Whether the first index of svmlight is 0; "auto": if a 0 is found.
    separator : str, default=None
        Between the cells of CSV; None: a comma, or a tab of TSV.
    bits : int, default=18
        Of "vw": names of features are hashed to 2^bits columns.
    progress : function of two int, default=None
        Called with the bytes that are read and with those of all files.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile
    >>> from linsep import Perceptron, open_dataset
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "points.svm"
    >>> _ = path.write_text("-1 1:0.5 2:3\\n-1 1:1.5 2:2.5\\n+1 1:4.5 2:1\\n")
    >>> data = open_dataset(path, cache=False)
    >>> data.n_rows, data.n_features, data.classes.tolist()
    (3, 2, [-1, 1])
    >>> Perceptron().fit(data).score(data)
    1.0
    """
    bound = parse_size(memory)
    sources = find_sources(paths)
    kind = format_of(sources, format)
    target = os.path.abspath(target) if kind == "npy" and target is not None else target
    options: dict[str, Any] = {}
    if kind == "svmlight":
        options = {"n_features": n_features, "zero_based": zero_based}
    elif kind == "vw":
        options = {"bits": bits}
    elif kind in ("csv", "tsv"):
        options = {"separator": separator or ("," if kind == "csv" else "\t")}
        if len(options["separator"]) != 1 or not options["separator"].isascii() or options["separator"] in '"\n\r':
            raise DataError(f"separator: expected one character, such as ';', got {separator!r}.")
    recipe = Recipe(
        kind, target, weight, schema, options, int(np.clip(bound // 64, 1 << 16, 1 << (24 if kind in TABLES else 22)))
    )
    if cache is not False:
        return _open(Path(cache) if cache is not None else cache_folder(), sources, recipe, bound, progress)
    folder = tempfile.mkdtemp(prefix="linsep-")
    try:
        dataset = _open(Path(folder), sources, recipe, bound, progress)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(dataset, shutil.rmtree, folder, ignore_errors=True)
    return dataset


def _open(folder: Path, sources: list[Source], recipe: Recipe, memory: int, report: Callable | None) -> Dataset:
    """The dataset in its cache, which is written first if it is not there or not of these files."""
    place = place_of(folder, sources, recipe.key)
    header = read_header(place)
    if header is None or header["sources"] != [list(source) for source in sources]:
        write_cache(place, sources, recipe, report)
        header = read_header(place, verify=False)
        assert header is not None
    known = hasattr(recipe.schema, "n_features")  # a plan has none
    schema = recipe.schema if known else _schema_class(recipe.format).from_dict(header["schema"])
    return Dataset(place, [source.path for source in sources], schema, memory, recipe.arguments)


def parse_size(memory: int | str) -> int:
    """A number of bytes, given as such or as "64MB".

    >>> parse_size("64MB"), parse_size("1.5G"), parse_size(2097152)
    (67108864, 1610612736, 2097152)
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)(i?B)?\s*", str(memory), re.IGNORECASE)
    try:
        size = int(float(found[1]) * UNITS[found[2].upper()]) if found else 0
    except ValueError:
        size = 0
    if size < 1 << 20:
        raise DataError(f'memory: expected 1 MB or more, such as "512MB", got {memory!r}.')
    return size


def _schema_class(kind: str) -> Any:
    if kind not in TABLES:
        return RowSchema
    from .columns import Schema

    return Schema


def write_cache(place: Path, sources: list[Source], recipe: Recipe, report: Callable | None) -> None:
    """The first pass: read all files into the cache."""
    from .readers.svmlight import CountsFromZero

    given, auto = recipe.schema, recipe.options.get("zero_based") == "auto"
    base = given.base if isinstance(given, RowSchema) else int(not recipe.options.get("zero_based"))
    for first in (1, 0) if auto and given is None else (base,):
        try:
            with new_cache(place) as writer:
                schema = _fill(writer, sources, recipe, first, Progress(sources, report))
                for source in sources:
                    source.require_unchanged()
                header = {"sources": [list(source) for source in sources], "schema": schema.as_dict()}
                with said_of(sources[-1]):
                    writer.finish(header, schema.n_features)
            return
        except CountsFromZero:
            if not (auto and given is None):
                raise


def _fill(writer: CacheWriter, sources: list[Source], recipe: Recipe, base: int, progress: Progress) -> Any:
    """Write all rows; returns the schema."""
    if recipe.format in TABLES:
        from .readers.tables import fill_from_tables

        return fill_from_tables(writer, sources, recipe, progress)
    for source in sources:
        with said_of(source), progress.file(source):
            for rows in read_rows(source, recipe, base, progress):
                require_labels(rows.y, writer.rows)
                writer.append(rows)
    return _row_schema(writer, sources, recipe, base)


def read_rows(source: Source, recipe: Recipe, base: int, progress: Progress) -> Iterator[Rows]:
    """Blocks of rows of a file that holds numbers."""
    if recipe.format == "svmlight":
        from .readers.svmlight import read_svmlight

        return read_svmlight(source, base, recipe.piece, progress.advance)
    if recipe.format == "vw":
        from .readers.vowpal_wabbit import read_vowpal_wabbit

        return read_vowpal_wabbit(source, recipe.options["bits"], recipe.piece, progress.advance)
    from .readers.arrays import read_arrays

    return read_arrays(source, recipe.format, recipe.target, recipe.piece)


def _row_schema(writer: CacheWriter, sources: list[Source], recipe: Recipe, base: int) -> RowSchema:
    if not writer.rows:
        raise DataError("expected rows, found none. Is the file empty?", sources[-1].path)
    sparse = "indptr" in writer.columns
    width = recipe.options.get("n_features") or (1 << recipe.options["bits"] if recipe.format == "vw" else writer.width)
    if isinstance(recipe.schema, RowSchema):
        width = recipe.schema.n_features
    dtype = str(writer.columns["data" if sparse else "X"].dtype)
    return RowSchema(recipe.format, width, sparse, dtype, base if recipe.format == "svmlight" else 0)


@contextmanager
def said_of(source: Source, first: int = 0) -> Iterator[None]:
    """An error about data gets the name of the file, and the number of its row; ``first`` rows were before."""
    try:
        yield
    except DataError as error:
        if error.path:
            raise
        row = getattr(error, "row", None)  # of the batch
        message = error.message if row is None else f"row {first + row + 1}: {error.message}"
        raise DataError(message, source.path, error.line, error.column) from None


def require_labels(y: np.ndarray | None, first: int) -> None:
    """Refuse rows without a label."""
    if y is None or y.dtype.kind not in "fO":
        return
    missing = np.flatnonzero(np.isnan(y) if y.dtype.kind == "f" else [label is None for label in y])
    if missing.size:
        raise DataError(f"the label of row {first + missing[0] + 1} is missing. Give it one, or leave the row out.")
