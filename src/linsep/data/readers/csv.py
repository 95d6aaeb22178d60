"""CSV and TSV by polars, piece by piece. We cut the pieces, so that memory is bounded and an error has its line.

The types of the columns are those of the first piece. If a later one does not have them, all pieces are looked at, and
reading begins again with types that hold everything: whole numbers, numbers, or text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..columns.batch import Batch
from ..columns.schema import require_few_columns
from ..errors import DataError
from ..pieces import Piece, read_pieces
from ..sources import Source
from .cells import read_cells
from .polars_errors import polars, polars_errors

TAB = "\t"
LARGEST_WHOLE = 2.0**53  # whole numbers up to here are floats
MISSING = ["NA", "N/A", "NaN", "nan", "null", "NULL", "?"]  # beside empty cells


class Widened(Exception):
    """The types of the columns are now wider: begin again."""


class Types:
    """The types of the columns of all files, by name; a column without a value so far has none."""

    def __init__(self) -> None:
        self.of: dict[str, Any] = {}
        self.open: set[str] = set()  # columns that had no value yet
        self.padded: set[str] = set()  # columns of numbers with blanks before or behind them
        self.arrays = True  # whether numbers may come as arrays (`Batch`), rather than all columns as data frames

    def as_text(self) -> str:
        """All that is known, to be compared."""
        return f"{self.of} {sorted(self.open)} {sorted(self.padded)}"

    def include(self, batch: Any) -> bool:
        """Make room for the types of a batch; whether some were not wide enough."""
        if not self.of:
            self.open = {name for name in batch.columns if batch[name].null_count() == len(batch)}
            self.of = dict(batch.schema)
            return False
        wider = False
        for name, kind in batch.schema.items():
            if batch[name].null_count() == len(batch):
                continue
            if name in self.open:
                self.open.remove(name)
                wider |= self.of[name] != kind
                self.of[name] = kind
            elif self.of[name] != kind:
                numbers = self.of[name].is_numeric() and kind.is_numeric()
                wide = polars().Float64 if numbers else polars().String
                wider |= wide != self.of[name]
                self.of[name] = wide
        return wider


def read_csv(source: Source, separator: str, types: Types, size: int, advance: Any) -> Iterator[Any]:
    """Batches of a file, as data frames; raises `Widened` if ``types`` had to change."""
    table = None
    pieces = read_pieces(source, size, quoted=True, advance=advance)
    for piece in pieces:
        if table is None:
            table, piece = _open_table(piece, source, separator, types)
        batch = table.read(piece)
        if batch is None:
            table.look_at_all(piece, pieces)
            raise Widened
        if len(batch):
            yield batch
    if table is None:
        raise DataError("the file is empty. Expected a line with the names of the columns.", source.path)


def _open_table(piece: Piece, source: Source, separator: str, types: Types) -> tuple[_Table, Piece]:
    """The table whose header begins the first piece, and the rest of the piece."""
    end = piece.text.find(b"\n") + 1
    while piece.text.count(b'"', 0, end) % 2 and 0 < end < len(piece.text):
        end = piece.text.find(b"\n", end) + 1 or len(piece.text)
    head = Piece(piece.data[:end], 1)
    names = [name.strip() for name in next(_records(head, source, separator), [])]
    if not any(names):
        raise DataError("expected the names of the columns, got an empty line.", source.path, 1)
    require_few_columns(len(names), source.path)
    names = [name or f"column_{k}" for k, name in enumerate(names)]
    twice = [name for k, name in enumerate(names) if name in names[:k]] if len(set(names)) < len(names) else []
    if twice:
        raise DataError("two columns have this name. Rename one of them.", source.path, 1, twice[0])
    if all(_is_number(name) for name in names):
        raise DataError("expected the names of the columns, got numbers. Add a line with names.", source.path, 1)
    for name in types.of:
        if name not in names:
            raise DataError("the files before have this column. Give this one the same columns.", source.path, 1, name)
    for name in names:
        if types.of and name not in types.of:
            raise DataError("the files before lack this column. Give all the same columns.", source.path, 1, name)
    return _Table(source, separator, names, types), piece.after(end)


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


class _Plain(NamedTuple):
    """How the plain cells of a table are read."""

    numeric: np.ndarray
    numbers: list[str]
    whole: np.ndarray  # places of the whole ones among the numbers
    words: dict[str, Any]
    schema: dict[str, Any]  # of the rows that come out


class _Table:
    """One file, after its header."""

    def __init__(self, source: Source, separator: str, names: list[str], types: Types):
        self.source, self.separator, self.names, self.types = source, separator, names, types

    def read(self, piece: Piece) -> Any:
        """The rows of a piece; None if they don't have the known types."""
        batch = self._read_plain(piece) if self.types.arrays and self.types.of and not self.types.open else None
        if batch is not None:
            return batch
        if piece.text.isspace() or not piece.text:
            return polars().DataFrame()
        if not self.types.of:
            batch = self.infer(piece)
            self.types.include(batch)
            return self.without_open(batch)
        as_text = self.types.padded | self.types.open
        schema = {name: polars().String if name in as_text else self.types.of[name] for name in self.names}
        batch = self._read_as(piece.text, schema)
        if batch is not None and not self._has_whole_rows(piece.text, batch):
            diagnose(piece, self.source, self.separator, self.names)
            text = without_blank_lines(piece.text)
            batch = batch if text is piece.text else self._read_as(text, schema)
        if batch is None:
            return None
        if any(batch[name].null_count() < len(batch) for name in self.types.open):
            return None
        return self.without_open(batch)

    def _read_as(self, text: bytes, schema: dict[str, Any]) -> Any:
        """The rows as these types; None if they have others."""
        options: Any = {"has_header": False, "separator": self.separator, "null_values": MISSING}
        words = [name for name, kind in schema.items() if kind == polars().String and name not in self.types.open]
        try:
            batch = polars().read_csv(text, schema=schema, **options)
            return batch.with_columns(stripped(name).cast(self.types.of[name]) for name in words)
        except polars_errors():
            return None

    def _read_plain(self, piece: Piece) -> Any:
        """The rows, if at least half of the columns are numbers, and all of these are plain; else None."""
        plain = self._plain
        found = read_cells(piece, self.separator, plain.numeric) if 2 * plain.numeric.sum() >= len(self.names) else None
        if found is None:
            return None
        columns, aside, rows = found
        if plain.whole.size and (np.abs(columns[plain.whole, :rows]) > LARGEST_WHOLE).any():
            return None
        others = self._read_as(aside, plain.words) if plain.words else None
        if plain.words and (others is None or len(others) != rows):
            return None
        return Batch(plain.schema, plain.numbers, columns, others, rows)

    @cached_property
    def _plain(self) -> _Plain:
        """The columns of numbers and the others, of the types that the table is read as; these stay what they are."""
        padded = dict.fromkeys(self.types.padded, polars().String)
        schema = {name: padded.get(name, self.types.of[name]) for name in self.names}
        numeric = np.array([kind in (polars().Int64, polars().Float64) for kind in schema.values()])
        numbers = [name for name, number in zip(schema, numeric) if number]
        whole = np.flatnonzero([schema[name] == polars().Int64 for name in numbers])
        words = {name: kind for (name, kind), number in zip(schema.items(), numeric) if not number}
        number = polars().Float64()
        found = {name: self.types.of[name] if name in words else number for name in self.names}
        return _Plain(numeric, numbers, whole, words, found)

    def without_open(self, batch: Any) -> Any:
        """Columns that have no value yet have no type."""
        return batch.with_columns(polars().lit(None).alias(name) for name in self.types.open)

    def infer(self, piece: Piece) -> Any:
        """The rows of a piece, with their own types."""
        text = without_blank_lines(piece.text)
        try:
            batch = polars().read_csv(
                text, has_header=False, separator=self.separator, null_values=MISSING, infer_schema_length=None,
                raise_if_empty=False,
            )  # fmt: skip
        except polars_errors() as error:
            diagnose(piece, self.source, self.separator, self.names)
            words = str(error).splitlines()[0]
            raise DataError(f"the rows can't be read: {words}.", self.source.path, piece.line) from None
        if not len(batch):
            return polars().DataFrame(schema=dict.fromkeys(self.names, polars().Null))
        if batch.width != len(self.names):
            diagnose(piece, self.source, self.separator, self.names)
            raise DataError(f"expected {len(self.names)} cells as in the header.", self.source.path, piece.line)
        batch.columns = self.names
        if not self._has_whole_rows(text, batch):
            diagnose(piece, self.source, self.separator, self.names)
        return self.without_padding(batch)

    def without_padding(self, batch: Any) -> Any:
        """Columns of text without blanks around it; those that are numbers then become numbers."""
        for name in [name for name, kind in batch.schema.items() if kind == polars().String]:
            plain = batch.select(stripped(name))[name]
            for kind in (polars().Int64, polars().Float64):
                numbers = plain.cast(kind, strict=False)
                if numbers.null_count() == plain.null_count() < len(plain):
                    self.types.padded.add(name)
                    plain = numbers
                    break
            batch = batch.with_columns(plain)
        return batch

    def look_at_all(self, piece: Piece, pieces: Iterator[Piece]) -> None:
        """Include the types of this piece and of all after it."""
        before = self.types.as_text()
        self.types.include(self.infer(piece))
        if self.types.as_text() == before:  # to begin again would not help
            raise DataError("the rows can't be read. Are there cells of mixed types?", self.source.path, piece.line)
        for each in pieces:
            if each.text.strip():
                self.types.include(self.infer(each))

    def _has_whole_rows(self, text: bytes, batch: Any) -> bool:
        """Whether surely no row lacks cells, which polars would take for missing values, and no line is blank."""
        if len(self.names) == 1 or b'"' in text:
            return not batch[self.names[-1]].null_count()
        cells = np.count_nonzero(np.frombuffer(text, np.uint8) == ord(self.separator))  # bytes.count is slow if many
        return cells == len(batch) * (len(self.names) - 1)


def stripped(name: str) -> Any:
    """A column of text without blanks around it."""
    plain = polars().col(name).str.strip_chars()
    return polars().when(plain.is_in(["", *MISSING])).then(None).otherwise(plain).alias(name)


def without_blank_lines(text: bytes) -> bytes:
    """The text without lines that have nothing in them, but for those inside of quotes."""
    if b"\n\n" not in text and b"\n\r\n" not in text and not text.startswith((b"\n", b"\r\n")):
        return text
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        if inside or line.strip(b"\r\n"):
            kept.append(line)
        inside ^= bool(line.count(b'"') % 2)
    return b"".join(kept)


def _records(piece: Piece, source: Source, separator: str) -> Iterator[list[str]]:
    """The rows of a piece as lists of cells, by Python's reader; the line of a wrong one is named."""
    try:
        text = piece.text.decode("utf-8")
    except UnicodeDecodeError as error:
        wrong = f"expected UTF-8, got the byte 0x{piece.text[error.start]:02x}"
        message = f"{wrong}. Convert it, for example: iconv -f LATIN1 -t UTF-8 OLD > NEW."
        raise DataError(message, source.path, *piece.place(error.start)) from None
    csv.field_size_limit(1 << 30)
    begun = 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for record in reader:
            begun = reader.line_num
            yield record
    except csv.Error as error:
        unclosed = "unexpected end" in str(error)
        message = "a quote is opened and not closed" if unclosed else str(error)
        raise DataError(f"{message}.", source.path, piece.line + (begun if unclosed else reader.line_num - 1)) from None


def hint_at_separator(names: list[str]) -> str:
    """A sentence about a header of one cell that another separator would cut; or nothing.

    >>> hint_at_separator(["a;b"])
    "The only column is 'a;b': are its cells separated by ';'? Then add --separator ';' (Python: separator=';')."
    """
    found = [mark for mark in ";\t|" if len(names) == 1 and mark in names[0]]
    if not found:
        return ""
    asked = f"The only column is {names[0][:80]!r}: are its cells separated by {found[0]!r}?"
    return (
        f"{asked} Then add --separator {'tab' if found[0] == TAB else repr(found[0])} (Python: separator={found[0]!r})."
    )


def diagnose(piece: Piece, source: Source, separator: str, names: list[str]) -> None:
    """Raise an error that says which line is wrong, if one is."""
    line = piece.line
    for record in _records(piece, source, separator):
        if record and len(record) != len(names):
            many = f"expected {len(names)} cells as in the header, got {len(record)}"
            advice = "Is a quote not closed?" if any("\n" in cell for cell in record) else hint_at_separator(names)
            raise DataError(f"{many}. {advice}".rstrip(), source.path, line)
        line += sum(cell.count("\n") for cell in record) + 1
