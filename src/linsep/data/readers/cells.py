"""Plain cells of CSV by compiled code: numbers, and other cells, put aside. Whatever else there is, polars reads."""

from __future__ import annotations

import numpy as np

from ...jit import borrowed, compiled, load_byte, read_only
from ..decimal import FINE, read_number
from ..pieces import Piece

QUOTE, NEWLINE, RETURN = 34, 10, 13


# long because: a parser in one function keeps its place in a register
@compiled
def parse_cells(text, separator, numeric, columns, aside):
    """Write the numbers of the text, whole lines, into ``columns``, one row per column; the cells of other columns into
    ``aside``, as lines of CSV: (rows, or -1 if a cell is not plain, bytes of ``aside``). An empty cell is NaN.
    """
    text, columns, aside = borrowed(text), borrowed(columns), borrowed(aside)
    p, row, kept, last = 0, 0, 0, numeric.size - 1
    while p < text.size:
        place = 0
        for j in range(numeric.size):
            if numeric[j]:
                if load_byte(text, p) == separator or load_byte(text, p) == NEWLINE or load_byte(text, p) == RETURN:
                    columns[place, row] = np.nan
                else:
                    value, p, state = read_number(text, p)
                    if state != FINE:
                        return -1, 0
                    columns[place, row] = value
                place += 1
            else:
                while (
                    load_byte(text, p) != separator and load_byte(text, p) != NEWLINE and load_byte(text, p) != RETURN
                ):
                    if load_byte(text, p) == QUOTE:
                        return -1, 0
                    aside[kept] = load_byte(text, p)
                    p, kept = p + 1, kept + 1
                aside[kept] = separator
                kept += 1
            if j < last:
                if load_byte(text, p) != separator:
                    return -1, 0
                p += 1
        if kept:
            aside[kept - 1] = NEWLINE
        if load_byte(text, p) == RETURN:
            p += 1
        if load_byte(text, p) != NEWLINE:
            return -1, 0
        p += 1
        row += 1
    return row, kept


def read_cells(piece: Piece, separator: str, numeric: np.ndarray) -> tuple[np.ndarray, bytes, int] | None:
    """The columns of numbers, the other cells as CSV, and how many rows; None if there is more to them."""
    cells, rows = piece.data, piece.lines
    if numeric.size == 1 or rows * numeric.size > cells.size:  # an empty line may be a row, or is none
        return None
    columns = np.empty((int(numeric.sum()), rows | 1))  # odd: columns of a power of two share places of the cache
    aside = np.empty(0 if numeric.all() else cells.size, np.uint8)
    rows, kept = parse_cells(cells, ord(separator), read_only(numeric), columns, aside)
    return None if rows < 0 else (columns, aside[:kept].tobytes(), rows)
