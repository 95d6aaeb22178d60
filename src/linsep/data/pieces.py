"""A file of lines in pieces of whole lines, with the number of their first line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..jit import compiled
from .errors import DataError
from .sources import Source, open_bytes

BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
PIECE = 1 << 22  # bytes
FIRST = 1 << 20  # bytes of the first piece: it tells the types of a table, which takes longer
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
        line, rest, first = 1, b"", True
        while block := file.read(min(size, FIRST) if first else size):
            advance(len(block))
            if first:
                _refuse_wide(block, source)
                block, first = block.removeprefix(BOM), False
            text, rest = _whole_lines(rest, block, quoted)
            if not text and len(rest) > max(LONGEST, size):
                raise DataError(f"a line of more than {len(rest) >> 20} MB{_unclosed(quoted)}.", source.path, line)
            if text:
                yield Piece(text, line)
                line += count_lines(np.frombuffer(text, np.uint8))
        if rest:
            yield Piece(rest if rest.endswith(b"\n") else rest + b"\n", line)


def _whole_lines(rest: bytes, block: bytes, quoted: bool) -> tuple[bytes, bytes]:
    """All lines that end in ``rest + block``, and what is behind them."""
    end = block.rfind(b"\n") + 1
    if not quoted or (b'"' not in block and b'"' not in rest):
        return (b"".join((rest, memoryview(block)[:end])), block[end:]) if end else (b"", rest + block)
    text = rest + block
    end = text.rfind(b"\n") + 1
    while end and text.count(b'"', 0, end) % 2:  # an odd number: the newline is in a cell
        end = text.rfind(b"\n", 0, end - 1) + 1
    return text[:end], text[end:]


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
