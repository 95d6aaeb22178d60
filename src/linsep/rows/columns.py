"""What is known of every column: where its values are, and how fine they are. Parts are looked at where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..oracles.elsewhere import map_parts
from .exact import dyadic
from .matrix import Rows, add_into, block_numbers, count_present, float_blocks, numbered_blocks
from .tree import BlockTree, Node

COARSE = 2**20  # an exponent that no float has


def column_ranges(parts: Sequence[Rows], bias: str) -> tuple[np.ndarray, np.ndarray]:
    """For each column a value of it near its mean, and the largest distance from it.

    That value is 0 for sparse rows, which would not be sparse any more, and where there is no bias to make up for it.
    """
    d = parts[0].width
    centre = np.zeros(d)
    if bias != "none" and parts[0].CLASS_BY_CLASS:
        tree = BlockTree(add_into)
        for nodes in map_parts(_column_sums, parts, each=[(number,) for number in block_numbers(parts)]):
            tree.extend(nodes)
        total: Any = tree.total()
        mean, near = total / count_present(parts), np.full(d, np.inf)
        for found in map_parts(_values_near, parts, mean):
            centre = np.where(np.abs(found - mean) < near, found, centre)
            near = np.minimum(near, np.abs(found - mean))
    return centre, np.max(map_parts(_largest_distances, parts, centre), axis=0)


def _column_sums(part: Rows, number: int) -> list[Node]:
    """The sums of the columns by blocks, merged as far as they can be; the first block has this number."""
    tree = BlockTree(add_into)
    with np.errstate(over="ignore"):
        blocks = zip(numbered_blocks(part), float_blocks(part), strict=True)
        tree.extend(Node(0, number + k, X.sum(axis=0)) for (k, _), (_, X) in blocks)
    return tree.nodes


def _values_near(part: Rows, mean: np.ndarray) -> np.ndarray:
    """For each column the first value nearest to the mean."""
    found = np.full(mean.size, np.inf)
    for _, X in float_blocks(part):
        own = X[np.abs(X - mean).argmin(axis=0), np.arange(mean.size)]
        found = np.where(np.abs(own - mean) < np.abs(found - mean), own, found)
    return found


def _largest_distances(part: Rows, centre: np.ndarray) -> np.ndarray:
    """The largest distance of each column from its centre."""
    largest = np.zeros(centre.size)
    for _, X in float_blocks(part):
        if sp.issparse(X):
            np.maximum.at(largest, X.indices, np.abs(X.data))
        else:
            np.maximum(largest, np.abs(X - centre).max(axis=0), out=largest)
    return largest


def finest_exponents(parts: Sequence[Rows]) -> np.ndarray:
    """The exponent of the last bit of each column, `COARSE` where it is 0."""
    return np.min(map_parts(_finest_exponents, parts), axis=0)


def _finest_exponents(part: Rows) -> np.ndarray:
    """The exponent of the last bit of each column."""
    finest = np.full(part.width, COARSE)
    for _, X in float_blocks(part):
        m, e = dyadic(X.data if sp.issparse(X) else X)
        e[m == 0] = COARSE
        if sp.issparse(X):
            np.minimum.at(finest, X.indices, e)
        else:
            np.minimum(finest, e.min(axis=0), out=finest)
    return finest
