"""Rows of tables as the files have them: cells by row number, and what is in each column. One pass over the files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from .errors import DataError
from .formats import TABLES, format_of
from .open import Recipe
from .progress import Progress
from .sources import find_sources

LEVELS = 5  # of a column of words that are named
PIECE = 1 << 22  # bytes that are read at a time


def _batches(paths: Sequence[str], form: str, separator: str | None) -> Iterator[Any]:
    """The batches of all files, in order, in types that hold all of them."""
    from .readers.csv import Widened
    from .readers.tables import Tables

    options = {"separator": separator or ("\t" if form == "tsv" else ",")}
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(
            find_sources(list(paths)), Recipe(form, None, None, None, options, PIECE), Progress([], None), Path(folder)
        )
        tables.types.arrays = False
        given = 0
        while True:
            try:
                for k, (_, batch) in enumerate(tables.batches()):
                    if k >= given:  # those before were given with narrower types
                        given += 1
                        yield batch
                return
            except Widened:
                continue


def read_batches(paths: Sequence[str], *, format: str | None = None, separator: str | None = None) -> Iterator[Any]:
    """The rows of tables as data frames of polars, in order."""
    form = format_of(find_sources(list(paths)), format)
    if form not in TABLES:
        raise DataError(f"expected a table, got {form}.", str(paths[0]))
    return _batches(paths, form, separator)


def look_up(
    paths: Sequence[str], rows: Iterable[int], *, format: str | None = None, separator: str | None = None
) -> dict[int, dict[str, Any]] | None:
    """The cells of some rows, numbered from 0 over all files, by the names of the columns; None: files without cells.

    >>> folder = tempfile.mkdtemp()
    >>> _ = Path(folder, "t.csv").write_text("a,b\\n1,x\\n2,y\\n3,z\\n")
    >>> look_up([f"{folder}/t.csv"], [2, 0])
    {0: {'a': 1, 'b': 'x'}, 2: {'a': 3, 'b': 'z'}}
    """
    form = format_of(find_sources(list(paths)), format)
    wanted = sorted(set(rows))
    if form not in TABLES:
        return None
    found: dict[int, dict[str, Any]] = {}
    first = 0
    for batch in _batches(paths, form, separator) if wanted else ():
        inside = [row for row in wanted if first <= row < first + batch.height]
        for row, cells in zip(inside, batch[[row - first for row in inside]].to_dicts() if inside else []):
            found[row] = cells
        first += batch.height
        if first > wanted[-1]:
            break
    return found


def describe_columns(
    paths: Sequence[str], *, format: str | None = None, separator: str | None = None
) -> list[dict[str, Any]] | None:
    """For each column its missing cells, the range and mean of numbers, the most frequent words; None: no table."""
    from .columns.statistics import Statistics, count_column

    form = format_of(find_sources(list(paths)), format)
    if form not in TABLES:
        return None
    found: dict[str, Statistics] = {}
    row = 0
    for batch in _batches(paths, form, separator):
        for name in batch.columns:
            more = count_column(batch[name], None, row)
            if name in found:
                found[name].merge(more)
            else:
                found[name] = more
        row += batch.height
    return [{"name": name, **_describe(each)} for name, each in found.items()]


def _describe(found: Any) -> dict[str, Any]:
    """The statistics of a column as plain data."""
    facts: dict[str, Any] = {"missing": found.missing}
    if found.present and found.numbers.count == found.present and not found.boolean:
        return facts | {"low": found.low, "high": found.high, "mean": float(found.numbers.mean)}
    dates = [form for form, each in found.dates.items() if found.present and each.count == found.present]
    if dates:
        low, high = found.date_range[dates[0]]
        return facts | {"from": _date(low), "to": _date(high)}
    levels = found.count_levels()
    if levels:
        ranked = sorted(levels, key=lambda word: (-levels[word], word))
        return facts | {"levels": len(levels), "most": [[word, levels[word]] for word in ranked[:LEVELS]]}
    return facts


def _date(days: float) -> str:
    """A number of days since 2000 as a date."""
    return (datetime(2000, 1, 1) + timedelta(days=days)).date().isoformat()
