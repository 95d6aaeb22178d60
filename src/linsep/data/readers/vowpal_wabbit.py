"""Vowpal Wabbit's text: ``[label [importance]] ['tag]|[namespace[:weight]] name[:value] ... |namespace ...``.

Names are hashed, together with that of their namespace, to 2^bits columns; values of names that meet are added. The
hash is ours, not that of Vowpal Wabbit: models can't be exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...jit import compiled
from ..decimal import BAD, read_number
from ..errors import DataError
from ..pieces import read_pieces
from ..rows import Compressed, Rows
from ..sources import Source
from .svmlight import NEWLINE, SPACE, Room

LABEL, BAR, VALUE = 1, 2, 3
PIPE, COLON, QUOTE = 124, 58, 39
WHAT = {
    LABEL: "expected a label, and perhaps its importance, before the first |, got {got!r}",
    BAR: "expected a | before the features, found none",
    VALUE: "expected a number behind the colon, got {got!r}",
}
START, PRIME, MIX = np.uint64(14695981039346656037), np.uint64(1099511628211), np.uint64(0xFF51AFD7ED558CCD)
HALF = np.uint64(33)


@compiled
def _hash_word(text, p, seed):
    """The hash (FNV-1a) of the word at text[p], and the place behind it."""
    while text[p] > SPACE and text[p] != COLON and text[p] != PIPE:
        seed = (seed ^ np.uint64(text[p])) * PRIME
        p += 1
    return seed, p


@compiled
def _sort_entries(indices, data, begin, end):
    """Sort the entries of a row by column and add those of equal column; returns the new end."""
    gap = 1
    while gap < (end - begin) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(begin + gap, end):
            index, value, at = indices[k], data[k], k
            while at - gap >= begin and indices[at - gap] > index:
                indices[at], data[at] = indices[at - gap], data[at - gap]
                at -= gap
            indices[at], data[at] = index, value
        gap //= 3
    last = begin
    for k in range(begin, end):
        if k > begin and indices[k] == indices[last - 1]:
            data[last - 1] += data[k]
        else:
            indices[last], data[last] = indices[k], data[k]
            last += 1
    return last


@compiled
def _parse_head(text, p):
    """What is before the first bar: (label, importance, place of the bar, error). NaN: no label."""
    label, weight, count = np.nan, 1.0, 0
    while True:
        while text[p] <= SPACE and text[p] != NEWLINE:
            p += 1
        if text[p] == PIPE:
            return label, weight, p, 0
        if text[p] == NEWLINE:
            return label, weight, p, BAR
        value, end, state = read_number(text, p)
        if text[p] == QUOTE or ((state == BAD or text[end] > SPACE) and count > 0):  # a tag
            while text[p] > SPACE and text[p] != PIPE:
                p += 1
            if text[p] > SPACE and text[p] != PIPE:
                return label, weight, p, BAR
            continue
        if state != 0 or text[end] > SPACE or count > 1:
            return label, weight, p, LABEL
        if count == 0:
            label = value
        else:
            weight = value
        count += 1
        p = end


@compiled
def _parse_features(text, p, room, k, mask):
    """All namespaces of a line: (place of the newline, entries, error)."""
    seed, weight = START, 1.0
    while text[p] != NEWLINE:
        if text[p] == PIPE:
            seed, p = _hash_word(text, p + 1, START)
            weight = 1.0
            if text[p] == COLON:
                weight, p, state = read_number(text, p + 1)
                if state != 0 or text[p] > SPACE:
                    return p, k, VALUE
        elif text[p] <= SPACE:
            p += 1
        else:
            word, p = _hash_word(text, p, seed)
            value = 1.0
            if text[p] == COLON:
                begin = p + 1
                value, p, state = read_number(text, begin)
                if state != 0 or (text[p] > SPACE and text[p] != PIPE):
                    return begin, k, VALUE
            word = (word ^ (word >> HALF)) * MIX
            room.indices[k] = np.int32((word ^ (word >> HALF)) & mask)
            room.data[k] = value * weight
            k += 1
    return p, k, 0


@compiled
def parse(text, room, weights, mask):
    """Write the rows of the text, whole lines, into ``room``: (rows, entries, error, its place)."""
    p, row, k, end = 0, 0, 0, text.size
    while p < end:
        while text[p] <= SPACE and text[p] != NEWLINE:
            p += 1
        if text[p] != NEWLINE:
            room.y[row], weights[row], at, error = _parse_head(text, p)
            if error:
                return row, k, error, p
            first = k
            p, k, error = _parse_features(text, at, room, k, mask)
            if error:
                return row, k, error, p
            k = _sort_entries(room.indices, room.data, first, k)
            row += 1
            room.indptr[row] = k
        p += 1
    return row, k, 0, 0


def read_vowpal_wabbit(source: Source, bits: int, size: int, advance: Callable[[int], None]) -> Iterator[Rows]:
    """Blocks of sparse rows, whose arrays are used again."""
    if not 1 <= bits <= 31:
        raise DataError(f"bits: expected 1 to 31, got {bits}.")
    room, weights, width = Room.for_text(0), np.empty(1), 1 << bits
    for piece in read_pieces(source, size, advance=advance):
        if piece.data.size // 2 + 1 > room.y.size:
            room = Room.for_text(2 * piece.data.size + 8)  # an entry has 2 bytes or more
            weights = np.empty(room.y.size)
        text = piece.data
        rows, entries, error, at = parse(text, room, weights, np.uint64(width - 1))
        if error:
            got = (piece.text[at : at + 40].split() or [b""])[0].decode("utf-8", "replace")
            raise DataError(f"{WHAT[error].format(got=got)}.", source.path, *piece.place(at))
        if rows:
            unlabelled = np.isnan(room.y[:rows])
            if unlabelled.any() and not unlabelled.all():
                raise DataError("expected a label in all rows or in none.", source.path)
            block = Compressed(room.data[:entries], room.indices[:entries], room.indptr[: rows + 1], width)
            yield Rows(block, None if unlabelled.all() else room.y[:rows], weights[:rows])
