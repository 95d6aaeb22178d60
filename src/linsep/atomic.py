"""Files that appear whole or not at all: written beside their place, synced, then renamed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to; it takes the place of ``path`` when the block ends, and vanishes if it fails.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "numbers"
    >>> with replace_file(place) as file:
    ...     _ = file.write(b"1 2 3")
    ...     place.exists()
    False
    >>> place.read_bytes()
    b'1 2 3'
    """
    place = Path(path)
    beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(beside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, place)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    _sync_folder(place.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename last through a power failure, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
