"""Checkpoints: how far a call has come, in a file, so that work that was cut short goes on where it stood.

Inside of `checkpointing` every piece of work that can go on begins by `Checkpoint.begin`: it is given what the file has
of it, if it has any, and hands out its state whenever `Work.is_due` says so. Pieces are told apart by their number, and
a digest of their data and parameters must be that of the file. Files hold JSON and arrays, no code, and are written
whole or not at all.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .archive import read_archive, write_archive

FORMAT, VERSION = "linsep checkpoint", 1


class Record(NamedTuple):
    """The state of a piece of work: JSON, and arrays by name."""

    plain: dict[str, Any]
    arrays: dict[str, np.ndarray]


class Work:
    """A piece of work inside of `checkpointing`."""

    def __init__(self, checkpoint: Checkpoint, key: dict[str, str], data: Callable[[], str]):
        self.checkpoint, self._key, self._data = checkpoint, key, functools.cache(data)
        self.record: Record | None = None

    @property
    def key(self) -> dict[str, str]:
        """What the work is; its data are looked at only when a checkpoint is written or read."""
        return {**self._key, "data": self._data()}

    def is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return self.checkpoint.is_due()

    def save(self, record: Record) -> None:
        """Write a checkpoint; the arrays may change afterwards."""
        self.record = record
        self.checkpoint.write()

    def finish(self, record: Record) -> None:
        """The last state; the arrays stay as they are, and are written with the checkpoints of later work."""
        self.record = record


class Checkpoint:
    """The checkpoint of a call; `checkpointing` makes one.

    Attributes
    ----------
    about : dict
        Plain JSON about the call, written into the file.
    found : dict or None
        What the file says about the call that wrote it; None: there is no file to go on from.
    keep : bool
        Whether the file stays when the block ends, as after an interruption.
    """

    def __init__(self, path: str | os.PathLike[str], every: float, resume: bool):
        self.path, self.every, self.keep = Path(path), every, False
        self.about: dict[str, Any] = {}
        self._works: list[Work] = []
        self._memory: dict[str, Any] = {}
        self._old: dict[str, Any] = self._read() if resume and self.path.exists() else {}
        self.found: dict[str, Any] | None = self._old.get("about")
        self._written = time.monotonic()
        self._began = self._written - self._old.get("seconds", 0.0)

    @property
    def seconds(self) -> float:
        """Seconds that were spent on the call, those before it was cut short included."""
        return time.monotonic() - self._began

    def is_due(self) -> bool:
        """Whether it is time to write."""
        return time.monotonic() - self._written >= self.every

    def remember(self, name: str, find: Callable[[], Any]) -> Any:
        """What ``find`` returns, plain JSON, or None; what is known from before the call was cut short is not asked."""
        known = self._old.get("memory", {})
        found = known[name] if name in known else find()
        if found is not None:
            self._memory[name] = found
            if self.is_due():
                self.write()
        return found

    def begin(self, kind: str, data: Callable[[], str], parameters: Any) -> Work:
        """The next piece of work; its ``record`` is what the file has of it, or None."""
        from . import __version__

        work = Work(self, {"kind": kind, "parameters": digest(parameters), "linsep": __version__}, data)
        old = self._old.get("works", [])
        if len(self._works) < len(old):
            key, work.record = old[len(self._works)]
            self._compare(key, work)
        self._works.append(work)
        return work

    def _compare(self, key: dict[str, str], work: Work) -> None:
        """Refuse work that is another one than that of the file."""
        what = {
            "linsep": f"it was written by linsep {key['linsep']}, this is {work.key['linsep']}. Use that version, or",
            "kind": "it is of another kind of work. Give the same parameters, or",
            "parameters": "it was written with other parameters. Give the same, or",
            "data": "the data have changed since it was written. Give the same, or",
        }
        for name, said in what.items():
            if key[name] != work.key[name]:
                raise ValueError(f"{self.path}: {said} begin again without the checkpoint.")

    def write(self) -> None:
        """Write the file: all work so far, whole or not at all."""
        arrays: dict[str, np.ndarray] = {}
        works = []
        begun = [(work.key, work.record) for work in self._works if work.record is not None]
        for k, (key, record) in enumerate(begun + self._old.get("works", [])[len(self._works) :]):
            names = {f"{k}.{name}.npy": array for name, array in record.arrays.items()}
            arrays |= names
            works.append({"key": key, "plain": record.plain, "arrays": list(names)})
        memory = {**self._old.get("memory", {}), **self._memory}
        header = {"format": FORMAT, "version": VERSION, "about": self.about, "seconds": self.seconds}
        try:
            write_archive(self.path, {**header, "memory": memory, "works": works}, arrays)
        except OSError as error:
            said = f"the checkpoint can't be written: {error.strerror or error}. What was written before is as it was"
            raise ValueError(f"{self.path}: {said}: make room, then go on from there.") from error
        self._written = time.monotonic()

    def _read(self) -> dict[str, Any]:
        """What the file has, checked."""
        with read_archive(self.path, "checkpoint") as archive:
            header = archive.header
            if header.get("format") != FORMAT or header.get("version") != VERSION:
                found = f"{header.get('format')!s:.40} of version {header.get('version')!s:.20}"
                raise ValueError(f"expected a {FORMAT} of version {VERSION}, got a {found}.")
            seconds, memory, about = header["seconds"], header["memory"], header["about"]
            if not (isinstance(memory, dict) and isinstance(about, dict) and 0.0 <= float(seconds) < math.inf):
                raise ValueError("expected seconds, and objects as memory and about.")
            works = []
            for each in header["works"]:
                arrays = {name.split(".", 1)[1].removesuffix(".npy"): archive.array(name) for name in each["arrays"]}
                key = {name: str(each["key"][name]) for name in ("kind", "parameters", "linsep", "data")}
                works.append((key, Record(dict(each["plain"]), arrays)))
            return {"seconds": float(seconds), "memory": memory, "about": about, "works": works}


_CHECKPOINT: ContextVar[Checkpoint | None] = ContextVar("checkpoint", default=None)


def current() -> Checkpoint | None:
    """The checkpoint of the present call, if it has one."""
    return _CHECKPOINT.get()


@contextmanager
def checkpointing(path: str | os.PathLike[str], every: float = 60.0, *, resume: bool = True) -> Iterator[Checkpoint]:
    """Inside the block fits write how far they are, so that a script that was killed goes on where it stood.

    Run the same script again: fits that were done are not made again, the one that was cut short goes on, and what it
    learns is what it would have learned, bit for bit (docs/checkpoints.md says for which estimators, and what budgets
    of time mean). When the block ends, the file is deleted; after an exception, such as Ctrl-C, it stays.

    Parameters
    ----------
    path : str or path
        The file. If it is there, the fits of the block go on from it.
    every : float, default=60.0
        Seconds between two checkpoints.
    resume : bool, default=True
        False: don't go on from a file that is there; the first checkpoint takes its place.

    Examples
    --------
    >>> import tempfile
    >>> from linsep import Perceptron, checkpointing
    >>> path = tempfile.mkdtemp() + "/run.checkpoint"
    >>> with checkpointing(path, every=60):
    ...     rule = Perceptron().fit([[0.0], [1.0]], ["a", "b"])
    >>> Path(path).exists()
    False
    """
    if not every >= 0:
        raise ValueError(f"every: expected seconds, 0 or more, got {every!r}.")
    if not Path(path).absolute().parent.is_dir():
        raise ValueError(f"{os.fspath(path)}: its folder does not exist.")
    checkpoint = Checkpoint(path, every, resume)
    token = _CHECKPOINT.set(checkpoint)
    try:
        yield checkpoint
    finally:
        _CHECKPOINT.reset(token)
    if not checkpoint.keep:
        with suppress(FileNotFoundError):
            checkpoint.path.unlink()


def digest(value: Any, working: bool = True) -> str:
    """A digest of numbers, arrays and what is made of them; without ``working`` only of arrays that are read-only.

    >>> digest((1.0, np.zeros(3))) == digest((1.0, np.zeros(3))), digest([0.1]) == digest([0.2])
    (True, False)
    """
    found = hashlib.blake2b(digest_size=16)
    _feed(found, value, working)
    return found.hexdigest()


def _feed(found: Any, value: Any, working: bool) -> None:
    """Add a value to a digest."""
    found.update(f"<{type(value).__name__}>".encode())
    if isinstance(value, np.ndarray) and value.dtype != object:
        found.update(f"{value.dtype.str}{value.shape}".encode())
        if working or not value.flags.writeable:
            found.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
    elif isinstance(value, tuple | list):
        for each in value:
            _feed(found, each, working)
    elif isinstance(value, Mapping):
        _feed(found, sorted(value.items(), key=repr), working)
    elif isinstance(value, np.random.Generator):
        found.update(repr(value.bit_generator.state).encode())
    elif callable(value) and hasattr(value, "__qualname__"):
        found.update(f"{value.__module__}.{value.__qualname__}".encode())
        found.update(getattr(getattr(value, "__code__", None), "co_code", b""))
    elif dataclasses.is_dataclass(value) or (hasattr(value, "__dict__") and not isinstance(value, type)):
        _feed(found, vars(value), working)
    else:
        found.update(repr(value).encode())
