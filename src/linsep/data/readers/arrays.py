"""npy and npz: arrays of NumPy, and CSR matrices as SciPy saves them; read in blocks of rows."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from ...validation import as_canonical_csr
from ..errors import DataError
from ..rows import Rows
from ..sources import Source, describe, open_bytes

SPARSE = {"data", "indices", "indptr", "shape"}
DAMAGED = (ValueError, EOFError, OSError, KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError)


class Stored:
    """An array in a file, read from its first row to its last."""

    def __init__(self, file: IO[bytes], name: str):
        self.file, self.name = file, name
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        self.shape, fortran, self.dtype = read(file)
        if self.dtype.hasobject:
            raise DataError(f"{name}: expected numbers or text, got Python objects, which are not read.")
        if fortran and len(self.shape) > 1:
            raise DataError(f"{name}: expected rows one after the other, got columns. Save numpy.ascontiguousarray(X).")
        self.tail = self.shape[1:]

    def read(self, count: int) -> np.ndarray:
        """The next ``count`` rows."""
        size = count * int(np.prod(self.tail)) * self.dtype.itemsize
        blocks = []
        while size:
            block = self.file.read(min(size, 1 << 24))
            if not block:
                raise DataError(f"{self.name}: the file is cut short.")
            blocks.append(block)
            size -= len(block)
        return np.frombuffer(b"".join(blocks), self.dtype).reshape(count, *self.tail)

    def read_all(self) -> np.ndarray:
        """All of them."""
        return self.read(self.shape[0]) if self.shape else np.frombuffer(self.file.read(), self.dtype).reshape(())


def read_arrays(source: Source, kind: str, target: Any, size: int) -> Iterator[Rows]:
    """Blocks of rows. The target of npy is a file with labels; an npz has X, or the arrays of a CSR matrix, and y."""
    try:
        if kind == "npy":
            yield from _read_npy(source, target, size)
        else:
            yield from _read_npz(source, target or "y", size)
    except DataError:
        raise
    except DAMAGED as error:
        words = (str(error).strip() or "cut short").splitlines()[0]
        raise DataError(f"it is damaged or no {kind} file ({words}).", source.path) from None


def _read_npy(source: Source, target: Any, size: int) -> Iterator[Rows]:
    labels = None
    if target is not None:
        with open_bytes(describe(str(target))) as file:
            labels = Stored(file, str(target)).read_all()
    with open_bytes(source) as file:
        yield from _dense_blocks(Stored(file, "X"), labels, None, size)


def _dense_blocks(X: Stored, y: np.ndarray | None, weight: np.ndarray | None, size: int) -> Iterator[Rows]:
    if len(X.shape) != 2 or X.dtype.kind not in "fiub":
        raise DataError(f"{X.name}: expected a matrix of numbers, got {X.dtype} of shape {X.shape}.")
    _require_lengths(X.shape[0], y, weight)
    step = max(1, size // max(1, X.shape[1] * X.dtype.itemsize))
    for at in range(0, X.shape[0], step):
        rows = slice(at, min(at + step, X.shape[0]))
        yield Rows(X.read(rows.stop - at), None if y is None else y[rows], None if weight is None else weight[rows])


def _require_lengths(count: int, y: np.ndarray | None, weight: np.ndarray | None) -> None:
    for name, values in (("labels", y), ("weights", weight)):
        if values is not None and values.shape != (count,):
            raise DataError(f"{name}: expected one for each of the {count} rows, got shape {values.shape}.")


@contextmanager
def _archive(source: Source) -> Iterator[zipfile.ZipFile]:
    """The zip file; one that is far away or packed is copied first, since a zip is not read from begin to end."""
    if "://" not in source.path and not source.is_packed:
        with zipfile.ZipFile(source.path) as archive:
            yield archive
        return
    with tempfile.TemporaryDirectory(prefix="linsep-") as folder:
        place = Path(folder) / "copy"
        with open_bytes(source) as file, open(place, "wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
        with zipfile.ZipFile(place) as archive:
            yield archive


def _read_npz(source: Source, target: str, size: int) -> Iterator[Rows]:
    with _archive(source) as archive, ExitStack() as stack:
        names = {name.removesuffix(".npy") for name in archive.namelist()}

        def stored(name: str) -> Stored:
            return Stored(stack.enter_context(archive.open(f"{name}.npy")), name)

        y = stored(target).read_all() if target in names else None
        weight = stored("weight").read_all() if "weight" in names else None
        kind = stored("format").read_all().item() if "format" in names else b"csr"
        if kind not in (b"csr", "csr"):
            raise DataError(f"expected a CSR matrix, got {kind!r}. Save X.tocsr().")
        if names >= SPARSE:
            yield from _sparse_blocks({name: stored(name) for name in SPARSE}, y, weight, size)
        elif "X" in names:
            yield from _dense_blocks(stored("X"), y, weight, size)
        else:
            found = ", ".join(sorted(names)[:10])
            raise DataError(f"expected the arrays X and y, or a CSR matrix as SciPy saves it, found {found}.")


def _sparse_blocks(
    arrays: dict[str, Stored], y: np.ndarray | None, weight: np.ndarray | None, size: int
) -> Iterator[Rows]:
    for name, kinds in {"data": "fiub", "indices": "iu", "indptr": "iu", "shape": "iu"}.items():
        if arrays[name].dtype.kind not in kinds:
            wanted = "real numbers" if name == "data" else "integers"
            raise DataError(f"{name}: expected {wanted}, got {arrays[name].dtype}; the sparse matrix is damaged.")
    count, width = arrays["shape"].read_all().tolist()
    pointers = arrays["indptr"].read_all().astype(np.int64)
    entries = min(arrays["indices"].shape[0], arrays["data"].shape[0])
    rising = pointers.size == count + 1 and pointers[0] == 0 and (np.diff(pointers) >= 0).all()
    if not rising or pointers[-1] > entries or not 0 < width <= 2**31:
        raise DataError("expected pointers that rise from 0, one for each row; the sparse matrix is damaged.")
    _require_lengths(count, y, weight)
    at = 0
    while at < count:
        end = max(at + 1, int(np.searchsorted(pointers, pointers[at] + size // 12, "right")) - 1)
        end = min(end, count)
        many = int(pointers[end] - pointers[at])
        data, indices = arrays["data"].read(many), arrays["indices"].read(many)
        own = pointers[at : end + 1] - pointers[at]
        block = as_canonical_csr(sp.csr_array((data, indices.astype(np.int64), own), shape=(end - at, width)))
        yield Rows(block, None if y is None else y[at:end], None if weight is None else weight[at:end])
        at = end
