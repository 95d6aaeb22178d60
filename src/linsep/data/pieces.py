"""A file of lines in pieces of whole lines, with the number of their first line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from .errors import DataError
from .sources import Source, open_bytes

BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
PIECE = 1 << 22  # bytes
LONGEST = 1 << 28  # bytes of one line, or of one cell in quotes


class Piece(NamedTuple):
    """Whole lines, the last one with its newline."""

    text: bytes
    line: int  # the number of the first line in the file, from 1

    def place(self, at: int) -> tuple[int, int]:
        """The line and the column, both from 1, of a byte of the piece."""
        before = self.text.rfind(b"\n", 0, at) + 1
        return self.line + self.text.count(b"\n", 0, at), at - before + 1


def read_pieces(
    source: Source, size: int = PIECE, quoted: bool = False, advance: Callable[[int], None] = lambda count: None
) -> Iterator[Piece]:
    """The file in pieces of about ``size`` bytes. ``quoted``: a newline between quotes does not end a line."""
    with open_bytes(source) as file:
        line, rest = 1, b""
        while True:
            block = file.read(size)
            advance(len(block))
            text = rest + block
            if line == 1 and not rest:
                _refuse_wide(text, source)
                text = text.removeprefix(BOM)
            if not block:
                if text:
                    yield Piece(text if text.endswith(b"\n") else text + b"\n", line)
                return
            end = _last_end(text, quoted)
            if not end and len(text) > max(LONGEST, size):
                raise DataError(f"a line of more than {len(text) >> 20} MB{_unclosed(quoted)}.", source.path, line)
            if end:
                yield Piece(text[:end], line)
                line += text.count(b"\n", 0, end)
            rest = text[end:]


def _last_end(text: bytes, quoted: bool) -> int:
    """The place behind the last newline that ends a line."""
    end = text.rfind(b"\n") + 1
    if not quoted or b'"' not in text:
        return end
    while end and text.count(b'"', 0, end) % 2:  # an odd number: the newline is in a cell
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end


def _unclosed(quoted: bool) -> str:
    return ": a quote is opened and never closed" if quoted else ""


def _refuse_wide(text: bytes, source: Source) -> None:
    if text.startswith(WIDE_BOMS):
        raise DataError(
            "expected UTF-8, got UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW.", source.path, 1, 1
        )
