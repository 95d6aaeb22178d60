"""Batch passes over one part: the sums of its blocks, here or where its rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..jit import kernel_for
from ..rows.matrix import add_into, numbered_blocks
from ..rows.tree import BlockTree, Node
from .sweep import BatchSums, Task, batch_pass

Sums = tuple[np.ndarray, BatchSums]


def merge_sums(one: Sums, other: Sums) -> Sums:
    """What two neighbours found."""
    return add_into(one[0], other[0]), one[1].merge(other[1])


def visit_blocks(
    part: Any, task: Task, w: np.ndarray, goal: float, number: int, weights: np.ndarray
) -> Iterator[Callable[[], Node]]:
    """Functions that visit the sets of a part with w fixed, one for each block; the first one has this number.

    ``weights``, of all sets, get those of the vectors in the sums.
    """
    task = task._replace(oracle=part)
    kernel = kernel_for(batch_pass, *map(type, task))

    def visit(number: int, rows: np.ndarray) -> Node:
        block = np.zeros_like(w)
        return Node(0, number, (block, kernel(task, w, rows, goal, block, weights)))

    return (partial(visit, number + k, rows) for k, rows in numbered_blocks(part))


class PackedWeights(NamedTuple):
    """Weights that are mostly 0 or 1: one bit each, and numbers only where some are neither.

    >>> PackedWeights.of(np.array([0.0, 0.5, 0.0, 1.0])).unpack()
    array([0. , 0.5, 0. , 1. ])
    """

    size: int
    bits: np.ndarray  # whether a weight is not 0
    values: np.ndarray  # those; empty: all are 1

    @classmethod
    def of(cls, weights: np.ndarray) -> PackedWeights:
        """Pack weights."""
        some = weights != 0
        values = weights[some]
        return cls(weights.size, np.packbits(some), values[:0] if (values == 1.0).all() else values)

    def unpack(self) -> np.ndarray:
        """The weights."""
        weights = np.unpackbits(self.bits, count=self.size).astype(np.float64)
        if self.values.size:
            weights[weights != 0] = self.values
        return weights


def visit_elsewhere(part: Any, task: Task, w: np.ndarray, goal: float, number: int) -> tuple[list[Node], PackedWeights]:
    """`visit_blocks` where the rows are: the sums, merged as far as they can be, and the weights of the part."""
    weights, tree = np.zeros(part.sign.size * part.slots), BlockTree(merge_sums)
    tree.extend(visit() for visit in visit_blocks(part, task, w, goal, number, weights))
    return tree.nodes, PackedWeights.of(weights)
