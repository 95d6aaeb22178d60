"""Products with some of the rows, here or elsewhere: which rows travels as one bit per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..oracles.elsewhere import map_parts
from .matrix import RowOracle, add_into, block_numbers, combine_part, write_scores
from .tree import BlockTree, Node


def share_out(parts: Sequence[RowOracle], rows: np.ndarray, *columns: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """Which of ``rows``, numbers in order, each part has, as bits; and its share of what is given for these rows.

    >>> from linsep.oracles import points
    >>> some = [points(np.eye(3), [1, 1, 1]), points(np.eye(3), [1, 1, 1], first=3)]
    >>> shares = share_out(some, np.array([1, 3, 5]), np.arange(3.0))
    >>> [(rows_of(bits, 3).tolist(), rate.tolist()) for bits, rate in shares]
    [([1], [0.0]), ([0, 2], [1.0, 2.0])]
    """
    firsts = [part.first for part in parts]
    chosen = np.zeros(firsts[-1] + parts[-1].sign.size, dtype=bool)
    chosen[rows] = True
    cuts = np.searchsorted(rows, firsts[1:])
    shares = [np.split(each, cuts) for each in columns]
    bits = [np.packbits(chosen[at : at + part.sign.size]) for at, part in zip(firsts, parts, strict=True)]
    return list(zip(bits, *shares, strict=True))


def rows_of(bits: np.ndarray, size: int) -> np.ndarray:
    """The numbers of the rows that `share_out` has marked, in a part of ``size`` rows."""
    return np.flatnonzero(np.unpackbits(bits, count=size))


def scores_of(parts: Sequence[RowOracle], w: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """<w, a_i> of some rows, whose numbers are in order."""
    return np.concatenate(map_parts(_scores_of, parts, w, each=share_out(parts, rows)))


def _scores_of(part: Any, w: np.ndarray, bits: np.ndarray) -> np.ndarray:
    rows, out = rows_of(bits, part.sign.size), np.empty(part.sign.size)
    write_scores(part, w, rows, out)
    return out[rows]


def combine_curved(parts: Sequence[RowOracle], w: np.ndarray, rate: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The sum of rate_i <w, a_i> a_i of some rows, by blocks, in a fixed tree."""
    tree = BlockTree(add_into)
    shares = share_out(parts, rows, rate)
    own = [(number, *share) for number, share in zip(block_numbers(parts), shares, strict=True)]
    for nodes in map_parts(_combine_curved, parts, w, each=own):
        tree.extend(nodes)
    total = tree.total()
    return np.zeros(parts[0].size) if total is None else total


def _combine_curved(part: Any, w: np.ndarray, number: int, bits: np.ndarray, rate: np.ndarray) -> list[Node]:
    rows, out = rows_of(bits, part.sign.size), np.empty(part.sign.size)
    write_scores(part, w, rows, out)
    weights = np.zeros(part.sign.size)
    weights[rows] = rate * out[rows]
    return combine_part(part, number, weights)
