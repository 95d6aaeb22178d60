"""In which order sets are visited: the data's own, shuffled by blocks that fit the cache, or the classes in turns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..protocols import ROW_BYTES
from ..rows.matrix import BLOCK, at_once

VISITS = 16 * BLOCK  # visits of one compiled call: Ctrl-C and the clock are looked at between calls
READ = 1 << 28  # bytes that one compiled call reads: a small part of a second
CACHE = 1 << 21  # bytes of rows that are shuffled together


def visits(part: Any, rng: np.random.Generator | str | None) -> Iterator[np.ndarray]:
    """The sets of a part in the order of their visits: the data's own, shuffled, or "interleaved".

    A random order over all rows would miss the cache at every visit; shuffled blocks that fit the cache, and rows
    shuffled inside a block, cost next to nothing.
    """
    n, row_bytes = part.sign.size, getattr(part, "row_bytes", ROW_BYTES)
    order = np.flatnonzero(part.weight) if part.weight.size and not part.weight.all() else None
    if isinstance(rng, str):
        order = interleave(part.label, np.arange(n) if order is None else order)
    elif rng is not None:
        order = np.arange(n) if order is None else order
        blocks = np.array_split(order, max(1, math.ceil(order.size * row_bytes / CACHE)))
        order = np.concatenate([rng.permutation(blocks[b]) for b in rng.permutation(len(blocks))])
    size = getattr(getattr(part, "rows", part), "row_bytes", ROW_BYTES)
    step = at_once(part) or int(np.clip(READ / max(size, 1.0), 1, VISITS))
    for at in range(0, n if order is None else order.size, step):
        yield np.arange(at, min(at + step, n)) if order is None else order[at : at + step]


def interleave(label: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """``rows`` with the classes taking turns, each in its own order and evenly spread.

    >>> interleave(np.array([-1, -1, -1, -1, 1, 1]), np.arange(6))
    array([0, 4, 1, 2, 5, 3])
    """
    place = np.empty(rows.size)
    for side in np.unique(label):
        own = np.flatnonzero(label[rows] == side)
        place[own] = (np.arange(own.size) + 0.5) / max(own.size, 1)
    return rows[np.argsort(place, kind="stable")]
