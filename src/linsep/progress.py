"""How far learning is: loops `report`, whoever `watched` them is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[int, int | None], None]  # passes made, and the most that will be made, if there is a limit
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def report(done: int, most: int | None) -> None:
    """Tell the watcher, if there is one."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(done, most)


@contextmanager
def watched(watcher: Watcher | None) -> Iterator[None]:
    """Inside the block ``watcher`` is called after every pass over the data, of whatever learns.

    >>> from linsep import Perceptron
    >>> seen = []
    >>> with watched(lambda done, most: seen.append(done)):
    ...     _ = Perceptron().fit([[0.0], [1.0]], ["a", "b"])
    >>> seen[:2]
    [1, 2]
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)
