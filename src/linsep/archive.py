"""The zip file of a model or a checkpoint: JSON and arrays, without compression, every length checked before use.

Members are not compressed, and their lengths must add up to no more than the file has: what is read into memory is
bounded by the size of the file, whatever its headers say.
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
from numpy.lib import format as npy

from .atomic import replace_file

HEADER = "model.json"
KINDS_OF_ARRAYS = "biufUSmM"  # bool, integers, floats, strings, bytes, times


def write_archive(path: str | os.PathLike[str], header: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write the members of a file; equal ones give equal files."""
    text = json.dumps(header, allow_nan=False, ensure_ascii=True, separators=(",", ":")).encode()
    with replace_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as members:
        members.writestr(zipfile.ZipInfo(HEADER), text)
        for name, array in arrays.items():
            with members.open(zipfile.ZipInfo(name), "w", force_zip64=array.nbytes > 1 << 30) as member:
                npy.write_array(member, array, version=(1, 0), allow_pickle=False)


@contextmanager
def read_archive(path: str | os.PathLike[str], what: str = "model file") -> Iterator[Archive]:
    """The members of a file; whatever is wrong with it, inside the block too, is a ValueError that names it."""
    with open(path, "rb") as file:
        try:
            yield Archive(file, os.fstat(file.fileno()).st_size)
        except Exception as error:  # all that zipfile, json and NumPy raise for damaged files
            if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno != errno.EINVAL):
                raise  # EINVAL: a place before the beginning of the file
            said = " ".join(str(error).split())
            raise ValueError(f"{os.fspath(path)}: not a {what} that can be used: {said:.300}") from error


class Archive:
    """An open file."""

    def __init__(self, file: Any, size: int):
        self._members = zipfile.ZipFile(file)
        infos = self._members.infolist()
        names = {info.filename for info in infos}
        if len(names) != len(infos) or any(info.compress_type != zipfile.ZIP_STORED for info in infos):
            raise ValueError("expected members of different names without compression.")
        if any(info.file_size != info.compress_size for info in infos) or sum(i.file_size for i in infos) > size:
            raise ValueError("its members claim to be larger than the file.")
        self._arrays: dict[str, np.ndarray] = {}
        self.header = parse_json(self._members.read(HEADER).decode("ascii"))
        if not isinstance(self.header, dict):
            raise ValueError(f"{HEADER}: expected an object.")

    def array(self, name: str) -> np.ndarray:
        """The array of a member; the same one if it is asked for again."""
        if name not in self._arrays:
            self._arrays[name] = parse_array(self._members.read(name), name)
        return self._arrays[name]


def parse_json(text: str) -> Any:
    """JSON as its standard has it: no NaN, no infinity, no name twice in an object.

    >>> parse_json('{"a": 1e999}')
    Traceback (most recent call last):
    ValueError: JSON: expected finite numbers, got 1e999.
    """
    return json.loads(text, parse_constant=_refuse_number, parse_float=_finite, object_pairs_hook=_different_names)


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"JSON: expected finite numbers, got {text:.20}.")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_number(text)


def _different_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("JSON: a name occurs twice in an object.")
    return found


def parse_array(raw: bytes, name: str) -> np.ndarray:
    """An array from the bytes of an npy file of version 1.0, which must have exactly the length that its header says.

    >>> file = io.BytesIO()
    >>> np.save(file, np.eye(2))
    >>> parse_array(file.getvalue(), "a").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> parse_array(file.getvalue()[:-1], "a")
    Traceback (most recent call last):
    ValueError: a: expected 32 bytes of numbers, got 31.
    """
    file = io.BytesIO(raw)
    if npy.read_magic(file) != (1, 0):
        raise ValueError(f"{name}: expected version 1.0 of npy.")
    shape, fortran, dtype = npy.read_array_header_1_0(file)
    if dtype.kind not in KINDS_OF_ARRAYS or dtype.itemsize == 0 or dtype.subdtype is not None:
        raise ValueError(f"{name}: expected numbers or strings, got an array of {dtype}.")
    found, expected = len(raw) - file.tell(), math.prod(shape) * dtype.itemsize
    if expected != found or min(shape, default=0) < 0 or len(shape) > 16:
        raise ValueError(f"{name}: expected {expected} bytes of numbers, got {found}.")
    if dtype.kind == "U" and found and np.frombuffer(raw, f"{dtype.str[0]}u4", offset=file.tell()).max() > 0x10FFFF:
        raise ValueError(f"{name}: expected strings, got numbers that are no characters.")
    array = np.frombuffer(raw, dtype, offset=file.tell()).reshape(shape, order="F" if fortran else "C")
    return array.astype(dtype if dtype.isnative else dtype.newbyteorder("="), order="K")  # a copy, to be written to
