"""How much of the files has been read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .sources import Source


class Progress:
    """Counts bytes and reports them.

    >>> progress = Progress([Source("a", 10, ""), Source("b", 30, "")], lambda done, size: print(done, size))
    >>> with progress.file(Source("a", 10, "")):
    ...     progress.advance(4)
    4 40
    10 40
    """

    def __init__(self, sources: list[Source], report: Callable[[int, int], None] | None):
        self.report, self.size = report, sum(source.size for source in sources)
        self.done = self.end = 0

    @contextmanager
    def file(self, source: Source) -> Iterator[None]:
        """While a file is read; at the end all of it is done."""
        self.end = self.done + source.size
        yield
        self.advance(self.end - self.done)

    def advance(self, count: int) -> None:
        """So many bytes more; of a compressed file at most as many as it has."""
        self.done = min(self.done + count, self.end)
        if self.report is not None:
            self.report(self.done, self.size)
