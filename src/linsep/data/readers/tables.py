"""Tables: batches of their rows, and how these come into the cache by a schema of their columns."""

from __future__ import annotations

import difflib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..columns.batch import Batch
from ..columns.schema import MOST_COLUMNS, require_few_columns
from ..errors import DataError
from ..pieces import Piece, read_pieces
from ..progress import Progress
from ..rows import Rows
from ..sources import Source, open_bytes
from .csv import Types, Widened, hint_at_separator, read_csv
from .polars_errors import polars, polars_errors

TEXT = {"csv", "tsv", "jsonl"}


class Tables:
    """All files of a dataset, as batches with the file that each comes from."""

    def __init__(self, sources: list[Source], recipe: Any, progress: Progress, folder: Path):
        self.sources, self.recipe, self.progress, self.folder = sources, recipe, progress, folder
        self.types = Types()

    def batches(self) -> Iterator[tuple[Source, Any]]:
        """Every batch once, in order."""
        for source in self.sources:
            with self.progress.file(source):
                for batch in self._read(source):
                    self._require_columns(batch, source)
                    yield source, batch

    def _read(self, source: Source) -> Iterator[Any]:
        recipe, advance = self.recipe, self.progress.advance
        if recipe.format in ("csv", "tsv"):
            return read_csv(source, recipe.options["separator"], self.types, recipe.piece, advance)
        if recipe.format == "jsonl":
            return read_json_lines(source, self.types, recipe.piece, advance)
        return read_columns(source, recipe.format, recipe.piece, self.folder)

    def _require_columns(self, batch: Any, source: Source) -> None:
        for name in (self.recipe.target, self.recipe.weight):
            if name is not None and name not in batch.columns and not hasattr(self.recipe.schema, "transform"):
                near = difflib.get_close_matches(name, batch.columns, 1)
                names = ", ".join(batch.columns[:10]) + (", ..." if batch.width > 10 else "")
                advice = f"Do you mean {near[0]!r}?" if near else f"The columns are {names}."
                advice = hint_at_separator(batch.columns) or advice
                raise DataError(f"there is no column {name!r}. {advice}", source.path)

    def read_twice(self, most: int) -> tuple[Any, Iterator[tuple[Source, Any]]]:
        """The schema of all batches, and the batches again: ``most`` bytes from memory, the others from the disk."""
        from ..columns import Plan

        plan = self.recipe.schema or Plan()
        while True:
            copies = _Copies(self.folder / "batches", most)
            try:
                seen: Any = self.batches()
                seen = (copies.keep(source, batch) for source, batch in seen) if self.recipe.format in TEXT else seen
                current = self.sources[-1:]
                schema = plan.infer(_noting(seen, current), self.recipe.target, self.recipe.weight)
            except Widened:
                continue
            except DataError as error:
                raise _named(error, current) from None
            return schema, copies.again() if self.recipe.format in TEXT else self.batches()


def _noting(pairs: Iterator[tuple[Source, Any]], current: list[Source]) -> Iterator[Any]:
    """The batches alone; ``current`` holds the file of the last one."""
    for source, batch in pairs:
        current[:] = [source]
        yield batch


def _named(error: DataError, current: list[Source]) -> DataError:
    path = error.path or current[0].path
    return DataError(error.message, path, error.line, error.column)


class _Copies:
    """Batches kept in memory as long as they are few, then in files."""

    def __init__(self, folder: Path, most: int):
        self.folder, self.most, self.size = folder, most, 0
        self.kept: list[tuple[Source, Any]] = []
        shutil.rmtree(folder, ignore_errors=True)

    def keep(self, source: Source, batch: Any) -> tuple[Source, Any]:
        self.size += batch.estimated_size()
        copy = batch
        if self.size > self.most:
            self.folder.mkdir(exist_ok=True)
            copy = self.folder / f"{len(self.kept)}.arrow"
            if isinstance(batch, Batch):
                copy = batch.to_file(copy.with_suffix(".npy"))
            else:
                batch.write_ipc(copy, compression="uncompressed")
        self.kept.append((source, copy))
        return source, batch

    def again(self) -> Iterator[tuple[Source, Any]]:
        for k, (source, copy) in enumerate(self.kept):
            if isinstance(copy, Path):
                yield source, polars().read_ipc(copy)
                copy.unlink()
            else:
                yield source, copy
            self.kept[k] = source, None
        shutil.rmtree(self.folder, ignore_errors=True)


def fill_from_tables(writer: Any, sources: list[Source], recipe: Any, progress: Progress) -> Any:
    """Write the rows of all tables into the cache; returns the schema."""
    from ..columns import Plan
    from ..open import said_of

    tables = Tables(sources, recipe, progress, writer.folder)
    schema = recipe.schema
    if schema is None or isinstance(schema, Plan):
        schema, pairs = tables.read_twice(16 * recipe.piece)
    else:
        pairs = _with_known_types(tables, 16 * recipe.piece)
    first: dict[str, int] = {}
    for source, batch in pairs:
        with said_of(source, first.setdefault(source.path, 0)):
            writer.append(Rows(*schema.transform(batch)))
        first[source.path] += len(batch)
    return schema


def _with_known_types(tables: Tables, most: int) -> Iterator[tuple[Source, Any]]:
    """All batches, in types that hold all of them: if the first are too narrow, reading begins again."""
    copies = _Copies(tables.folder / "batches", most)
    while True:
        try:
            for source, batch in tables.batches():
                copies.keep(source, batch)
            return copies.again()
        except Widened:
            copies = _Copies(tables.folder / "batches", most)


def read_json_lines(source: Source, types: Types, size: int, advance: Any) -> Iterator[Any]:
    """Batches of a file with one JSON object per line."""
    for piece in read_pieces(source, size, advance=advance):
        for line in piece.text.split(b"\n") if piece.data.size > MOST_COLUMNS * piece.lines else ():
            if line.count(b":") > MOST_COLUMNS:
                _require_few_keys(line, source)
        try:
            batch = polars().read_ndjson(piece.text, infer_schema_length=None)
        except polars_errors() as error:
            _diagnose_json(piece, source)
            raise DataError(f"{str(error).splitlines()[0]}.", source.path, piece.line) from None
        known = types.of and set(types.of) == set(batch.columns)
        batch = batch if known else batch.select(_names_in_order(piece, batch.columns))
        missing = [name for name in types.of if name not in batch.columns]
        batch = batch.with_columns(polars().lit(None, dtype=types.of[name]).alias(name) for name in missing)
        new = [name for name in batch.columns if name not in types.of] if types.of and not known else []
        for name in new:
            types.of[name] = batch.schema[name]
        if types.include(batch) or new:
            raise Widened
        yield batch.select(polars().col(name).cast(kind) for name, kind in types.of.items())


def _require_few_keys(line: bytes, source: Source) -> None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return  # it will be said what is wrong
    require_few_columns(len(found) if isinstance(found, dict) else 0, source.path)


def _names_in_order(piece: Piece, names: list[str]) -> list[str]:
    """The names as they first come in the lines; polars has them in any order."""
    found: dict[str, None] = {}
    for line in piece.text.split(b"\n"):
        found |= dict.fromkeys(json.loads(line) if line.strip() else ())
        if len(found) == len(names):
            break
    return list(found)


def _diagnose_json(piece: Piece, source: Source) -> None:
    for k, line in enumerate(piece.text.split(b"\n")):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except json.JSONDecodeError as error:
            message = f"expected a JSON object, got {line[:30].decode('utf-8', 'replace')!r} ({error.msg})."
            raise DataError(message, source.path, piece.line + k, error.colno) from None
        except (UnicodeDecodeError, RecursionError) as error:
            raise DataError(f"expected a JSON object in UTF-8 ({error}).", source.path, piece.line + k) from None
        if not isinstance(found, dict):
            raise DataError(f"expected a JSON object, got {found!r:.30}.", source.path, piece.line + k)


def read_columns(source: Source, kind: str, size: int, folder: Path) -> Iterator[Any]:
    """Batches of a Parquet or Arrow file."""
    path = Path(source.path)
    if "://" in source.path or source.is_packed:  # these are not read from begin to end
        path = folder / "copy"
        with open_bytes(source) as file, open(path, "wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
    try:
        scan = (polars().scan_parquet if kind == "parquet" else polars().scan_ipc)(path)
        width = len(scan.collect_schema())
        require_few_columns(width, source.path)
        rows = max(256, 2 * size // (8 * max(1, width)))
        yield from scan.collect_batches(chunk_size=rows, maintain_order=True, lazy=True)
    except polars_errors() as error:
        name = "a Parquet file" if kind == "parquet" else "an Arrow file"
        message = f"it is damaged, cut short, or not {name} ({str(error).splitlines()[0][:200]})."
        raise DataError(message, source.path) from None
    finally:
        if path != Path(source.path):
            path.unlink(missing_ok=True)
