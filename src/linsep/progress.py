"""How far learning is: loops `report`; a `watched` function receives it, otherwise a bar or the log shows it.

On a terminal a bar appears when a call has taken two seconds; elsewhere the logger "linsep" gets a line (INFO) every
two seconds.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[int, int | None], None]  # passes made, and the most that will be made, if there is a limit
QUIET = 2.0  # seconds before anything is shown, and between two lines of the log
WIDTH = 24  # of the bar
LOG = logging.getLogger("linsep")


class Bar:
    """Which part of a budget is spent, and the time left if all of it is needed.

    >>> Bar.draw(0.25, 3.0, 50)
    '[######                  ]  25%, pass 50, at most 9 s left'
    """

    def __init__(self) -> None:
        self.began = self.shown = time.monotonic()
        self.drawn = False

    def show(self, done: int, part: float) -> None:
        """Show how far learning is, if it is time to."""
        now = time.monotonic()
        if now - self.began < QUIET:
            return
        if sys.stderr.isatty():
            if now - self.shown >= 0.1:
                line = self.draw(part, now - self.began, done)
                print(f"\rlinsep: {line}\x1b[K", end="", file=sys.stderr, flush=True)
                self.shown, self.drawn = now, True
        elif now - self.shown >= QUIET:
            LOG.info(self.draw(part, now - self.began, done))
            self.shown = now

    def close(self) -> None:
        """Wipe the bar."""
        if self.drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    @staticmethod
    def draw(part: float, seconds: float, done: int) -> str:
        """The bar as it is printed."""
        part = min(max(part, 0.0), 1.0)
        left = f", at most {seconds * (1 - part) / part:.0f} s left" if part > 0 else ""
        return f"[{'#' * int(WIDTH * part):<{WIDTH}}] {100 * part:3.0f}%, pass {done}{left}"


_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_BAR: ContextVar[Bar | None] = ContextVar("bar", default=None)


def report(done: int, most: int | None, part: float = 0.0) -> None:
    """Tell the watcher; without one show which ``part`` of the budget is spent."""
    watcher, bar = _WATCHER.get(), _BAR.get()
    if watcher is not None:
        watcher(done, most)
    elif bar is not None:
        bar.show(done, part)


@contextmanager
def shown() -> Iterator[None]:
    """A call of the library: the outermost one has the bar."""
    if _BAR.get() is not None:
        yield
        return
    bar = Bar()
    token = _BAR.set(bar)
    try:
        yield
    finally:
        _BAR.reset(token)
        bar.close()


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
