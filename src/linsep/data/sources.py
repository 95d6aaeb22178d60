"""Which files are meant, and their bytes: local paths, globs, "-" and addresses that fsspec knows; gzip and zstd."""

from __future__ import annotations

import atexit
import glob
import gzip
import io
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import DataError

PACKED = {".gz": "gzip", ".zst": "zstd"}
SPOOL = "linsep-stdin-"  # begins the name of the folder that holds standard input


class Source(NamedTuple):
    """A file as it was when the dataset was opened."""

    path: str
    size: int
    modified: str  # time of the last change, or what the file system has for it

    @property
    def ending(self) -> str:
        """The ending of the name that tells the format, such as ".csv" of data.csv.gz."""
        path = Path(self.path)
        return (Path(path.stem) if path.suffix.lower() in PACKED else path).suffix.lower()

    @property
    def is_packed(self) -> bool:
        """Whether the file is compressed as a whole."""
        return Path(self.path).suffix.lower() in PACKED

    def require_unchanged(self) -> None:
        """Refuse a file that is another one than when the dataset was opened."""
        if describe(self.path) != self:
            raise DataError("it has changed since the dataset was opened. Open it again.", self.path)


def find_sources(paths: Any) -> list[Source]:
    """The files that ``paths`` names, in its order; those of a glob in the order of their names."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        raise DataError("paths: expected a path, a glob, or a list of them, got an empty list.")
    found = [describe(path) for each in given for path in _expand(os.fspath(each))]
    twice = [source.path for k, source in enumerate(found) if source in found[:k]]
    if twice:
        raise DataError("it is named twice. Name every file once.", twice[0])
    return found


def _expand(path: str) -> list[str]:
    if path == "-":
        return [_spool(sys.stdin.buffer)]
    if "://" in path:
        system, _ = _remote(path)
        if not glob.has_magic(path):
            return [path]
        names = [system.unstrip_protocol(name) for name in sorted(system.glob(path))]
    elif not glob.has_magic(path) or os.path.exists(path):
        return [os.path.abspath(path)]
    else:
        names = [os.path.abspath(name) for name in sorted(glob.glob(path, recursive=True)) if os.path.isfile(name)]
    if not names:
        raise DataError("no file has such a name.", path)
    return names


def describe(path: str) -> Source:
    """A file with its size and time of change."""
    try:
        if "://" in path:
            info = _remote(path)[0].info(path)
            marks = (info.get(name) for name in ("ETag", "etag", "mtime", "LastModified", "last_modified"))
            return Source(path, int(info.get("size") or 0), str(next((mark for mark in marks if mark), "")))
        found = os.stat(path)
    except OSError as error:
        raise DataError(f"{_reason(error)}. Check the path.", path) from None
    if os.path.isdir(path):
        raise DataError("it is a folder. Name its files, for example with /*.csv at the end.", path)
    return Source(path, found.st_size, str(found.st_mtime_ns))


def _remote(path: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise DataError("addresses need the package fsspec: pip install 'linsep[files]'.", path) from None
    try:
        return fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise DataError(f"{_reason(error)}.", path) from None


def _spool(stream: BinaryIO) -> str:
    """Standard input in a temporary file, which lives as long as the process: it is read more than once."""
    folder = tempfile.mkdtemp(prefix=SPOOL)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    place = os.path.join(folder, "stdin")
    with open(place, "wb") as file:
        while block := stream.read(1 << 20):
            file.write(block)
    return place


@contextmanager
def open_bytes(source: Source) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked; what goes wrong while they are read is said about the file."""
    packing = PACKED.get(Path(source.path).suffix.lower())
    try:
        with _open(source.path) as file:
            yield file if packing is None else _unpack(file, packing, source.path)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"the compressed file is damaged or cut short ({_reason(error)}).", source.path) from None
    except OSError as error:
        raise DataError(f"{_reason(error)}.", source.path) from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise DataError(f"the compressed file is damaged ({_reason(error)}).", source.path) from None


def _open(path: str) -> Any:
    return _remote(path)[0].open(path, "rb") if "://" in path else open(path, "rb")


def _unpack(file: BinaryIO, packing: str, path: str) -> Any:
    if packing == "gzip":
        return gzip.GzipFile(fileobj=file)
    try:
        import zstandard
    except ImportError:
        raise DataError("zstd needs the package zstandard: pip install 'linsep[files]'.", path) from None
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True))


def _reason(error: Exception) -> str:
    """The words of an error, without a path or a full stop at its end."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    return words.strip().rstrip(".").splitlines()[0]
