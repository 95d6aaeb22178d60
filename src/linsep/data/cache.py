"""The binary cache: what the first pass over the files has read, as npy arrays in one folder, for all later passes.

A folder appears whole or not at all, with a checksum for each array. It says of which files, with their sizes and times
of change, and by which preprocessing it was made; if any of these differs it is written again in its place.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import mmap
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from ..validation import IN_PLACE
from .checksum import Checksum, checksum
from .disk import write_array
from .errors import DataError
from .rows import Compressed, Rows

VERSION = 1
HEADER = "dataset.json"
BUFFER = 1 << 22


def cache_folder() -> Path:
    """Where caches are kept: LINSEP_CACHE, or the folder for caches of the user."""
    named = os.environ.get("LINSEP_CACHE")
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "linsep"


def place_of(folder: Path, sources: Iterable[Any], recipe: Any) -> Path:
    """The cache of these files and this recipe: a later version of the same files takes the same place."""
    text = json.dumps([[source.path for source in sources], recipe], sort_keys=True)
    return folder / hashlib.sha256(text.encode()).hexdigest()[:32]


class _Column:
    """An npy file that grows: its header leaves room for any number of rows. Its checksum grows with it."""

    def __init__(self, path: Path, dtype: Any, tail: tuple[int, ...] = ()):
        self.file, self.dtype, self.tail, self.count = open(path, "wb"), np.dtype(dtype), tail, 0  # noqa: SIM115
        self.sums = Checksum()
        self.file.write(self._header())

    def _header(self) -> bytes:
        shape, text = (self.count, *self.tail), io.BytesIO()
        npy.write_array_header_1_0(
            text, {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False, "shape": shape}
        )
        return text.getvalue()

    def append(self, values: np.ndarray) -> None:
        block = np.ascontiguousarray(values, dtype=self.dtype)
        write_array(self.file, block)
        self.sums.add(block.reshape(-1).view(np.uint8))
        self.count += len(values)

    def close(self) -> str:
        """Finish the file; returns its checksum."""
        header = self._header()
        self.file.seek(0)
        self.file.write(header)
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        whole = Checksum()
        whole.add(np.frombuffer(header, np.uint8))
        return str(whole.join(self.sums))


class _Labels:
    """Labels become numbers of classes, in the order in which they come; `sorted_codes` puts that right."""

    def __init__(self) -> None:
        self.known = np.zeros(0)

    def encode(self, y: np.ndarray) -> np.ndarray:
        """The place of each label among those known so far; new ones are added at the end."""
        y = np.asarray(y, dtype=y.dtype if y.dtype.kind != "O" else str)
        if not self.known.size:
            self.known = y[:0]
        order = np.argsort(self.known, kind="stable")
        at = np.searchsorted(self.known, y, sorter=order)
        codes = order[np.minimum(at, order.size - 1)] if order.size else np.zeros(y.size, np.int64)
        new = self.known[codes] != y if order.size else np.ones(y.size, bool)
        if new.any():
            self.known = np.concatenate([self.known, np.unique(y[new])])
            return self.encode(y)
        return codes.astype(np.int32)


class CacheWriter:
    """Appends blocks of rows to the arrays of a cache."""

    def __init__(self, folder: Path):
        self.folder, self.labels = folder, _Labels()
        self.rows, self.entries, self.width = 0, 0, 0
        self.columns: dict[str, _Column] = {}

    def _append(self, name: str, values: np.ndarray, dtype: Any = None) -> None:
        if name not in self.columns:
            self.columns[name] = _Column(self.folder / f"{name}.npy", dtype or values.dtype, values.shape[1:])
        column = self.columns[name]
        if values.shape[1:] != column.tail:
            raise DataError(f"expected {column.tail[0]} columns as before, got {values.shape[1]}.")
        column.append(values)

    def append(self, rows: Rows) -> None:
        """Add a block of rows behind those that are there."""
        X, y, weight = rows
        count = X.shape[0]
        if sp.issparse(X):
            X = Compressed(X.data, X.indices, X.indptr, X.shape[1])
        if self.rows and isinstance(X, Compressed) != ("indptr" in self.columns):
            raise DataError("expected dense files only, or sparse ones only.")
        if isinstance(X, Compressed):
            if not self.rows:
                self._append("indptr", np.zeros(1, np.int64))
            self._append("data", X.data if X.data.dtype in IN_PLACE else X.data.astype(np.float64))
            self._append("indices", X.indices, np.int32)
            self._append("indptr", X.indptr[1:].astype(np.int64) + self.entries)
            self.entries += int(X.indptr[-1])
            self.width = max(self.width, X.shape[1])
        else:
            kind = self.columns["X"].dtype if "X" in self.columns else X.dtype if X.dtype in IN_PLACE else np.float64
            self._append("X", X.astype(kind, copy=False))
            self.width = X.shape[1]
        for name, values in (("y", y), ("weight", weight)):
            if self.rows and (values is None) == (name in self.columns):
                raise DataError(f"expected {'labels' if name == 'y' else 'weights'} for all rows or for none.")
        if y is not None:
            self._append("y", self.labels.encode(y))
        if weight is not None:
            self._append("weight", weight, np.float64)
        self.rows += count

    def finish(self, header: dict[str, Any], width: int | None = None) -> None:
        """Close the arrays and write the header, last."""
        if not self.rows:
            raise DataError("expected rows, found none. Is the file empty?")
        if width is not None and self.width > width:
            raise DataError(f"expected {width} columns, found an entry in column {self.width - 1}, counted from 0.")
        sums = {f"{name}.npy": column.close() for name, column in self.columns.items()}
        again = [*self._sort_classes(), *self._same_indices()]
        arrays = {**sums, **{name: checksum(self.folder / name) for name in again}}
        header = {**header, "version": VERSION, "width": max(self.width, width or 0), "arrays": arrays}
        (self.folder / HEADER).write_text(json.dumps(header, indent=1), encoding="utf-8")

    def _sort_classes(self) -> list[str]:
        """Number the classes in their sorted order; returns the files that are new or others than before."""
        if "y" not in self.columns:
            return []
        known = self.labels.known
        if known.dtype.kind == "f" and np.isfinite(known).all() and (known == np.rint(known)).all():
            known = known.astype(np.int64) if np.abs(known).max() < 2.0**53 else known
        order = np.argsort(known, kind="stable")
        rank = np.empty(order.size, np.int32)
        rank[order] = np.arange(order.size)
        np.save(self.folder / "classes.npy", known[order], allow_pickle=False)
        if (rank == np.arange(rank.size)).all():
            return ["classes.npy"]
        codes = np.load(self.folder / "y.npy", mmap_mode="r+")
        for at in range(0, codes.size, BUFFER):
            codes[at : at + BUFFER] = rank[codes[at : at + BUFFER]]
        codes.flush()
        return ["classes.npy", "y.npy"]

    def _same_indices(self) -> list[str]:
        """SciPy has indices and pointers of one type: 32 bits where the pointers fit, else 64. Returns what changed."""
        if "indptr" not in self.columns:
            return []
        small = self.entries < 2**31
        name, kind = ("indptr", np.int32) if small else ("indices", np.int64)
        old = np.load(self.folder / f"{name}.npy", mmap_mode="r")
        column = _Column(self.folder / "new.npy", kind)
        for at in range(0, old.size, BUFFER):
            column.append(old[at : at + BUFFER])
        column.close()
        os.replace(self.folder / "new.npy", self.folder / f"{name}.npy")
        return [f"{name}.npy"]


@contextlib.contextmanager
def new_cache(place: Path) -> Iterator[CacheWriter]:
    """A cache to write, which takes its place when the block ends, and vanishes if that fails."""
    beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    writer = CacheWriter(beside)
    try:
        beside.mkdir(parents=True)
        yield writer
        if place.exists():
            old = place.with_name(f".{place.name}.{secrets.token_hex(4)}.old")
            os.rename(place, old)
            shutil.rmtree(old, ignore_errors=True)
        os.rename(beside, place)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EFBIG):
            raise
        words = f"{error.strerror} (after {writer.rows} rows)"
        raise DataError(f"the cache can't be written: {words}. Name another folder with cache=.", str(place)) from None
    finally:
        for column in writer.columns.values():
            with contextlib.suppress(OSError):
                column.file.close()
        shutil.rmtree(beside, ignore_errors=True)


def read_header(place: Path, verify: bool = True) -> dict[str, Any] | None:
    """The header of a cache whose checksums are right; None if there is none, or a damaged one."""
    try:
        header = json.loads((place / HEADER).read_text(encoding="utf-8"))
        if header["version"] != VERSION:
            return None
        if verify and any(checksum(place / name) != found for name, found in header["arrays"].items()):
            return None
        return header
    except (OSError, ValueError, KeyError, TypeError):
        return None


class Mapped:
    """The arrays of a cache, mapped into memory: the system reads what is touched, and may forget it again."""

    def __init__(self, place: Path, header: dict[str, Any]):
        self.place, self.header = place, header
        self.maps: list[mmap.mmap] = []
        self.arrays = {name.removesuffix(".npy"): self._map(place / name) for name in header["arrays"]}

    def _map(self, path: Path) -> np.ndarray:
        with open(path, "rb") as file:
            assert npy.read_magic(file) == (1, 0)
            shape, _, dtype = npy.read_array_header_1_0(file)
            if not np.prod(shape):
                return np.zeros(shape, dtype)
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self.maps.append(mapped)
            return np.frombuffer(mapped, dtype, int(np.prod(shape)), file.tell()).reshape(shape)

    def rows(self, begin: int = 0, end: int | None = None) -> Rows:
        """Rows ``begin`` to ``end``; X is read in place."""
        arrays = self.arrays
        if "indptr" in arrays:
            pointers = arrays["indptr"][begin : None if end is None else end + 1]
            first, last = int(pointers[0]), int(pointers[-1])
            pointers = pointers - pointers[0] if first else pointers
            data, indices = arrays["data"][first:last], arrays["indices"][first:last]
            X: Any = sp.csr_array((data, indices, pointers), shape=(pointers.size - 1, self.header["width"]))
        else:
            X = arrays["X"][begin:end]
        codes, weight = arrays.get("y"), arrays.get("weight")
        y = None if codes is None else arrays["classes"][codes[begin:end]]
        return Rows(X, y, None if weight is None else np.array(weight[begin:end]))

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    def forget(self) -> None:
        """Give the memory of the mapped pages back to the system, which reads them again when they are touched."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapped in self.maps:
                mapped.madvise(mmap.MADV_DONTNEED)
