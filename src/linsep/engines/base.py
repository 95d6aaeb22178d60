"""The contract of engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class EngineError(RuntimeError):
    """An engine is gone, or could not finish; the message names the part, if it is one."""


class Engine(Protocol):
    """Map over the parts of the data, results in the order of the parts."""

    def hold(self, function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
        """``function(*part)`` of every part, each to stay where it is made; returns handles, for `map` and `hold`.

        A member of a part may be a handle itself, which then stands for what it holds.
        """

    def map(self, function: Callable[..., Any], handles: Sequence[Any], shared: tuple, each: Sequence[tuple]) -> list:
        """``function(held, *shared, *own)`` for every handle and its own arguments in ``each``, in their order."""
