"""svmlight and LIBSVM text: ``label index:value index:value ... # comment``, one row per line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...jit import borrowed, compiled, load_byte
from ..decimal import BAD, ODD, read_number, read_whole
from ..errors import DataError
from ..pieces import Piece, read_pieces
from ..rows import Compressed, Rows
from ..sources import Source

LABEL, INDEX, VALUE, ORDER, NOUGHT, LARGE = 1, 2, 3, 4, 5, 6
SPACE, NEWLINE, HASH, COLON = 32, 10, 35, 58
WHAT = {
    LABEL: "expected a number as label, then index:value for every feature, got {got!r}",
    INDEX: "expected index:value, got {got!r}",
    VALUE: "expected a number, got {got!r}",
    ORDER: "expected indices in rising order, got {got!r}. Sort the features of every row",
    NOUGHT: "expected indices from 1, got 0. Number the features of all files alike (in Python: zero_based=True)",
    LARGE: "expected an index below 2147483648, got {got!r}",
}


class CountsFromZero(DataError):
    """An index is 0 where the first one was taken to be 1."""


class Room(NamedTuple):
    """Arrays that are written again for every piece."""

    y: np.ndarray
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    odd: np.ndarray  # numbers to be read by Python: their place in data (or -1 - row), first byte, last byte

    @classmethod
    def for_text(cls, size: int) -> Room:
        """Room for the rows of so many bytes: a row has 2 or more, an entry 4 or more."""
        rows, entries = size // 2 + 1, size // 4 + 1
        return cls(
            np.empty(rows), np.empty(entries), np.empty(entries, np.int32), np.zeros(rows + 1, np.int64),
            np.empty((rows + entries, 3), np.int64),
        )  # fmt: skip


# long because: a parser in one function keeps its place in a register
@compiled
def parse(text, room, base):
    """Write the rows of the text, whole lines, into ``room``: (rows, entries, odd ones, error, its place)."""
    text, room = borrowed(text), borrowed(room)
    p, row, k, odd, end = 0, 0, 0, 0, text.size
    while p < end:
        while load_byte(text, p) <= SPACE and load_byte(text, p) != NEWLINE:
            p += 1
        if load_byte(text, p) == NEWLINE or load_byte(text, p) == HASH:
            while load_byte(text, p) != NEWLINE:
                p += 1
            p += 1
            continue
        begin = p
        value, p, state = read_number(text, p)
        if state == BAD or (load_byte(text, p) > SPACE and load_byte(text, p) != HASH):
            return row, k, odd, LABEL, begin
        if state == ODD:
            room.odd[odd] = -1 - row, begin, p
            odd += 1
        room.y[row] = value
        last = -1
        while True:
            while load_byte(text, p) <= SPACE and load_byte(text, p) != NEWLINE:
                p += 1
            if load_byte(text, p) == NEWLINE or load_byte(text, p) == HASH:
                break
            begin = p
            index, p = read_whole(text, p, 1 << 31)
            if load_byte(text, p) != COLON or p == begin:
                if (
                    last < 0 and load_byte(text, p) == 113 and load_byte(text, p + 1) == 105
                ):  # qid:3, of ranking: no feature
                    while load_byte(text, p) > SPACE:
                        p += 1
                    continue
                return row, k, odd, INDEX, begin
            if index >= 1 << 31:
                return row, k, odd, LARGE, begin
            if index < base:
                return row, k, odd, NOUGHT, begin
            if index <= last and last >= 0:
                return row, k, odd, ORDER, begin
            last = index
            begin = p + 1
            value, p, state = read_number(text, begin)
            if state == BAD or (load_byte(text, p) > SPACE and load_byte(text, p) != HASH):
                return row, k, odd, VALUE, begin
            if state == ODD:
                room.odd[odd] = k, begin, p
                odd += 1
            room.data[k] = value
            room.indices[k] = index - base
            k += 1
        while load_byte(text, p) != NEWLINE:
            p += 1
        p += 1
        row += 1
        room.indptr[row] = k
    return row, k, odd, 0, 0


def read_svmlight(source: Source, base: int, size: int, advance: Callable[[int], None]) -> Iterator[Rows]:
    """Blocks of sparse rows, whose arrays are used again. ``base``: the number of the first column."""
    room = Room.for_text(0)
    for piece in read_pieces(source, size, advance=advance):
        if piece.data.size // 2 + 1 > room.y.size:
            room = Room.for_text(piece.data.size + (piece.data.size >> 3))
        rows, entries, odd, error, at = parse(piece.data, room, base)
        if error:
            _raise(error, at, piece, source)
        for place, begin, end in room.odd[:odd].tolist():
            value = float(piece.data[begin:end].tobytes())
            (room.data if place >= 0 else room.y)[place if place >= 0 else -1 - place] = value
        if rows:
            yield Rows(
                Compressed(room.data[:entries], room.indices[:entries], room.indptr[: rows + 1]), room.y[:rows], None
            )


def _raise(error: int, at: int, piece: Piece, source: Source) -> None:
    got = (piece.data[at : at + 40].tobytes().split() or [b""])[0].decode("utf-8", "replace")
    message = WHAT[error].format(got=got)
    if error == LABEL and "," in got:
        message = f"expected one label per row, got several: {got!r}"
    kind = CountsFromZero if error == NOUGHT else DataError
    raise kind(f"{message}.", source.path, *piece.place(at))
