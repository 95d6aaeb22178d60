"""Engines of one machine: one part after the other, or as many at a time as there are threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Serial:
    """One part after the other, in this thread.

    >>> engine = Serial()
    >>> held = engine.hold(lambda numbers: numbers, [([1, 2],), ([3],)])
    >>> engine.map(lambda numbers, factor: factor * sum(numbers), held, (10,), [(), ()])
    [30, 30]
    """

    def hold(self, function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
        """``function`` of every part."""
        return [function(*part) for part in parts]

    def map(self, function: Callable[..., Any], handles: Sequence[Any], shared: tuple, each: Sequence[tuple]) -> list:
        """The answers in the order of the parts."""
        return [function(held, *shared, *own) for held, own in zip(handles, each, strict=True)]


class Threads:
    """Several parts at a time: compiled code lets other threads run. The answers are those of `Serial`, bit for bit.

    >>> engine = Threads(2)
    >>> engine.map(lambda numbers, factor: factor * sum(numbers), [[1, 2], [3]], (10,), [(), ()])
    [30, 30]
    """

    def __init__(self, count: int):
        if count < 1:
            raise ValueError(f"threads: expected 1 or more, got {count}.")
        self.count = count

    def hold(self, function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
        """``function`` of every part."""
        with ThreadPoolExecutor(self.count) as pool:
            return list(pool.map(lambda part: function(*part), parts))

    def map(self, function: Callable[..., Any], handles: Sequence[Any], shared: tuple, each: Sequence[tuple]) -> list:
        """The answers in the order of the parts; no thread is left behind."""
        with ThreadPoolExecutor(self.count) as pool:
            return list(pool.map(lambda held, own: function(held, *shared, *own), handles, each))
