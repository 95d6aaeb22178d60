"""Memory-mapped data within bounds: pages beyond ``memory`` are given back to the system while compiled code runs.

The system keeps them in its file cache as long as there is room, so that to read them again costs little.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE = 0.004  # seconds between two looks: some 30 MB are read meanwhile
STATUS = Path("/proc/self/statm")  # where Linux says how many pages of files are resident


def mapped_bytes() -> int | None:
    """Bytes of files that are resident in this process; None where the system does not say."""
    try:
        return int(STATUS.read_bytes().split()[2]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


@contextmanager
def bounded(limit: int, forget: Callable[[], None]) -> Iterator[None]:
    """While the block runs, call ``forget`` whenever more than ``limit`` bytes have become resident."""
    before = mapped_bytes()
    if before is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(PAUSE):
            now = mapped_bytes()
            if now is not None and now > before + limit:
                forget()

    thread = threading.Thread(target=watch, daemon=True, name="linsep-memory")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
