"""Sums over blocks of rows in a fixed tree: where the rows are cut into parts does not change a bit.

Blocks 2k and 2k + 1 are added first, then pairs of pairs, as far as both halves are there; what is left is added in
order. The tree depends on the number of blocks only. A part of the rows sends at most two nodes of each level, whatever
its length, and whoever has the nodes of all parts gets the sum that one machine would get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

Sum = TypeVar("Sum")


class Node(NamedTuple):
    """The sum of the blocks ``number * 2**level``, ..., ``(number + 1) * 2**level - 1``."""

    level: int
    number: int
    value: Any


class BlockTree(Generic[Sum]):
    """Blocks come in their order; ``merge`` gives the sum of two neighbours.

    >>> whole, left, right = (BlockTree(lambda one, other: one + other) for _ in range(3))
    >>> numbers = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    >>> whole.extend(Node(0, *block) for block in enumerate(numbers))
    >>> left.extend(Node(0, k, numbers[k]) for k in range(3))
    >>> right.extend(Node(0, k, numbers[k]) for k in range(3, 7))
    >>> left.extend(right.nodes)
    >>> left.total() == whole.total(), [node.level for node in right.nodes]
    (True, [0, 1, 0])
    """

    def __init__(self, merge: Callable[[Sum, Sum], Sum]):
        self.merge = merge
        self.nodes: list[Node] = []

    def extend(self, nodes: Iterable[Node]) -> None:
        """Add what comes next."""
        for node in nodes:
            self.nodes.append(node)
            while len(self.nodes) > 1:
                left, right = self.nodes[-2:]
                if left.level != right.level or left.number % 2 or right.number != left.number + 1:
                    break
                merged = Node(left.level + 1, left.number // 2, self.merge(left.value, right.value))
                self.nodes[-2:] = [merged]

    def total(self) -> Sum | None:
        """The sum of all; None if nothing came."""
        if not self.nodes:
            return None
        total: Any = self.nodes[0].value
        for node in self.nodes[1:]:
            total = self.merge(total, node.value)
        return total
