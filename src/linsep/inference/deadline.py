"""Budgets in seconds: engines look at the clock between short pieces of work."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from ..interrupt import is_spent

Item = TypeVar("Item")
EACH = 4096  # items of a Python loop between two readings of the clock
PIECE = 1e8  # additions of one compiled call, about: the clock and Ctrl-C are looked at between calls


class OutOfTime(Exception):
    """The budget of seconds is spent; the engine answers with what it has."""


class Deadline:
    """A moment that work should not go beyond; earlier, if Ctrl-C was pressed.

    >>> Deadline(60.0).over, Deadline(math.inf).left
    (False, inf)
    """

    def __init__(self, seconds: float) -> None:
        if not seconds >= 0:
            raise ValueError(f"seconds: expected a number of at least 0, got {seconds!r}.")
        self.until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, not below 0."""
        return max(self.until - time.monotonic(), 0.0)

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return time.monotonic() >= self.until or is_spent()

    def check(self) -> None:
        """Raise `OutOfTime` if nothing is left."""
        if self.over:
            raise OutOfTime

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items; `OutOfTime` as soon as nothing is left."""
        for k, item in enumerate(items):
            if k % EACH == 0:
                self.check()
            yield item


NEVER = Deadline(math.inf)


def pieces(size: int, work: float) -> list[tuple[int, int]]:
    """0 ... ``size`` cut into ranges of at most `PIECE` additions, all together being ``work``.

    >>> pieces(10, 10.0), pieces(10, 4 * PIECE)
    ([(0, 10)], [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)])
    """
    step = max(1, int(size / max(1.0, work / PIECE)))
    return [(at, min(at + step, size)) for at in range(0, size, step)]
