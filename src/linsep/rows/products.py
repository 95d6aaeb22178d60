"""Products of rows with several columns at once: X W, X'R, and sums over blocks, of rows here or elsewhere.

Rows count as they are, not mirrored. Everything goes by blocks, and sums in the fixed tree of `linsep.rows.tree`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..interrupt import keep_time
from ..oracles.elsewhere import map_parts
from .matrix import RowOracle, add_into, block_numbers, float_rows
from .tree import BlockTree, Node


def sum_blocks(
    parts: Sequence[RowOracle], function: Callable[..., Any], columns: tuple[np.ndarray, ...], *shared: Any,
    merge: Callable[[Any, Any], Any] = add_into,
) -> Any:  # fmt: skip
    """The sum over all blocks of ``function(block, *own, *shared)``, ``own`` what a block has of ``columns``.

    None of a block that adds nothing; None if none does. ``merge`` gives the sum of two.

    >>> from linsep.oracles import points
    >>> some = points(np.array([[1.0, 2.0], [3.0, 4.0]]), [1, -1])
    >>> sum_blocks([some], lambda block, r: block.T @ r, (np.array([1.0, 1.0]),))
    array([4., 6.])
    """
    tree = BlockTree(merge)
    own = [
        (number, *(each[part.first : part.first + part.sign.size] for each in columns))
        for number, part in zip(block_numbers(parts), parts, strict=True)
    ]
    for nodes in map_parts(_sum_part, parts, function, merge, len(shared), *shared, each=own):
        tree.extend(nodes)
    return tree.total()


def _sum_part(part: RowOracle, function: Any, merge: Any, count: int, *arguments: Any) -> list[Node]:
    """The sums of a part, merged as far as they can be; its first block has the number that follows what is shared."""
    shared, number = arguments[:count], arguments[count]
    columns = [np.ascontiguousarray(each) for each in arguments[count + 1 :]]  # as if sent
    tree = BlockTree(merge)
    for k, (rows, block) in enumerate(float_rows(part.matrix)):
        found = function(block, *(each[rows] for each in columns), *shared)
        if found is not None:
            tree.extend([Node(0, number + k, found)])
        keep_time()
    return tree.nodes


def each_block(parts: Sequence[RowOracle], function: Callable[..., np.ndarray], *shared: Any) -> np.ndarray:
    """What ``function(block, *shared)`` says of the rows of all blocks, in their order."""
    return np.concatenate(map_parts(_each_block, parts, function, *shared))


def _each_block(part: RowOracle, function: Any, *shared: Any) -> np.ndarray:
    shared = tuple(np.ascontiguousarray(each) for each in shared)  # as if sent
    return np.concatenate([function(block, *shared) for _, block in float_rows(part.matrix)])


def multiply(parts: Sequence[RowOracle], W: np.ndarray) -> np.ndarray:
    """X W."""
    return each_block(parts, _product, W)


def _product(block: Any, W: np.ndarray) -> np.ndarray:
    return block @ W


def multiply_magnitudes(parts: Sequence[RowOracle], W: np.ndarray) -> np.ndarray:
    """|X| |W|, the numbers of both without their signs."""
    return each_block(parts, _product_of_magnitudes, W)


def _product_of_magnitudes(block: Any, W: np.ndarray) -> np.ndarray:
    return abs(block) @ np.abs(W)


def multiply_transposed(parts: Sequence[RowOracle], R: np.ndarray) -> np.ndarray:
    """X'R."""
    return sum_blocks(parts, _transposed_product, (R,))


def _transposed_product(block: Any, R: np.ndarray) -> np.ndarray:
    return block.T @ R


def column_sums(parts: Sequence[RowOracle], weight: np.ndarray) -> np.ndarray:
    """The weighted sums of the squares of the columns."""
    return sum_blocks(parts, _weighted_squares, (weight,))


def _weighted_squares(block: Any, weight: np.ndarray) -> np.ndarray:
    return _squared(block).T @ weight


def row_squares(parts: Sequence[RowOracle]) -> np.ndarray:
    """|x_i|^2 of all rows."""
    return each_block(parts, _squares_of_rows)


def _squares_of_rows(block: Any) -> np.ndarray:
    return np.asarray(_squared(block).sum(axis=1)).ravel()


def row_terms(parts: Sequence[RowOracle]) -> np.ndarray:
    """How many numbers of each row are stored."""
    return each_block(parts, _terms_of_rows)


def _terms_of_rows(block: Any) -> np.ndarray:
    return np.full(*block.shape) if isinstance(block, np.ndarray) else np.diff(block.indptr)


def _squared(X: Any) -> Any:
    """Every number squared."""
    return X * X if isinstance(X, np.ndarray) else X.power(2)
