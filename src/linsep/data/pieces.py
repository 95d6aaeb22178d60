"""A file of lines in pieces of whole lines, with the number of their first line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..jit import compiled, read_only
from .errors import DataError
from .sources import Source, open_bytes

NEWLINE = 10
BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
PIECE = 1 << 22  # bytes
FIRST = 1 << 20  # bytes of the first piece: it tells the types of a table, which takes longer
LONGEST = 1 << 28  # bytes of one line, or of one cell in quotes


@dataclass
class Piece:
    """Whole lines, the last one with its newline. The bytes are there until the next piece is asked for."""

    data: np.ndarray  # uint8
    line: int  # the number of the first line in the file, from 1

    @cached_property
    def lines(self) -> int:
        """How many."""
        return int(count_lines(self.data))

    @cached_property
    def text(self) -> bytes:
        """A copy of the bytes."""
        return self.data.tobytes()

    def place(self, at: int) -> tuple[int, int]:
        """The line and the column, both from 1, of a byte of the piece."""
        before = self.text.rfind(b"\n", 0, at) + 1
        return self.line + self.text.count(b"\n", 0, at), at - before + 1

    def after(self, at: int) -> Piece:
        """The lines that begin with this byte."""
        return Piece(self.data[at:], self.line + Piece(self.data[:at], 1).lines)


def read_pieces(
    source: Source, size: int = PIECE, quoted: bool = False, advance: Callable[[int], None] = lambda count: None
) -> Iterator[Piece]:
    """The file in pieces of about ``size`` bytes. ``quoted``: a newline between quotes does not end a line.

    All pieces stand in one buffer: memory that is new for every piece costs as much time as to copy it.
    """
    with open_bytes(source) as file:
        buffer, kept, line = bytearray(2 * size), 0, 1  # the first `kept` bytes begin a line that goes on
        first = True
        while True:
            if kept + size >= len(buffer):
                buffer = buffer + bytes(len(buffer))
            room = min(size, FIRST) if first else size
            count = file.readinto(memoryview(buffer)[kept : kept + room])  # type: ignore[attr-defined]
            have = kept + count
            advance(count)
            begin = 0
            if first:
                _refuse_wide(bytes(buffer[:2]), source)
                begin, first = len(BOM) * buffer.startswith(BOM), False
            if not count and have and buffer[have - 1] != NEWLINE:
                buffer[have] = NEWLINE
                have += 1
            end = _end_of_lines(buffer, begin, kept, have, quoted) if count else have
            if end > begin:
                yield (piece := Piece(read_only(np.frombuffer(buffer, np.uint8, end - begin, begin)), line))
                line += piece.lines
            elif have > max(LONGEST, size):
                raise DataError(f"a line of more than {have >> 20} MB{_unclosed(quoted)}.", source.path, line)
            if not count:
                return
            end = max(end, begin)
            memoryview(buffer)[: have - end] = bytes(memoryview(buffer)[end:have])
            kept = have - end


def _end_of_lines(buffer: bytearray, begin: int, kept: int, have: int, quoted: bool) -> int:
    """Where the last whole line ends; the first ``kept`` bytes have no end of a line that counts."""
    end = buffer.rfind(b"\n", kept, have) + 1
    if not quoted or buffer.find(b'"', 0, have) < 0:
        return end
    while end and buffer.count(b'"', begin, end) % 2:  # an odd number: the newline is in a cell
        end = buffer.rfind(b"\n", begin, end - 1) + 1
    return end


@compiled
def count_lines(text):
    """How many newlines; ``bytes.count`` takes a tenth of the time of reading svmlight."""
    count = 0
    for k in range(text.size):
        count += text[k] == 10
    return count


def _unclosed(quoted: bool) -> str:
    return ": a quote is opened and never closed" if quoted else ""


def _refuse_wide(text: bytes, source: Source) -> None:
    if text.startswith(WIDE_BOMS):
        raise DataError(
            "expected UTF-8, got UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW.", source.path, 1, 1
        )
