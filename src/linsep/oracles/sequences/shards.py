"""Sequences in shards that an engine holds: one oracle stands for all of them, and asks where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..update_log import Entries, SparseVectors, UpdateLog, new_log, select_entries
from .oracle import Sequences, with_new_scratch

LABELS = 1 << 12  # of entries whose vectors come at a time


class _ShardsFields(NamedTuple):
    engine: Any
    handles: Sequence[Any]  # of `Sequences`
    starts: np.ndarray
    size: int  # how many numbers w has
    sign: np.ndarray  # all 1
    weight: np.ndarray  # empty
    loss: float
    first: int = 0


class Shards(_ShardsFields):
    """Sequences ``starts[k]`` ... ``starts[k + 1] - 1`` are those of shard k; nobody visits them here."""

    __slots__ = ()
    LABELLINGS = True
    IN_SHARDS = True
    slots = 1
    exact = True
    at_once = 1

    @property
    def log(self) -> UpdateLog:
        """Rivals are written down where the sequences are."""
        return new_log(0, 0)

    def map(
        self, function: Callable[..., Any], *shared: Any, each: Sequence[tuple] | None = None, which: Any = None
    ) -> list[Any]:
        """``function(sequences, *shared, *own)`` of every shard, or of ``which``, in their order."""
        handles = self.handles if which is None else [self.handles[k] for k in which]
        own = [()] * len(handles) if each is None else each
        return self.engine.map(_call, handles, (function, self.loss, *shared), own)

    def split(self, entries: Entries) -> list[tuple[int, np.ndarray, Entries]]:
        """The entries of every shard that has some, and which they are; their examples are numbered as there."""
        shard = np.searchsorted(self.starts, entries.example, side="right") - 1
        found = []
        for k in np.unique(shard).tolist():
            own = np.flatnonzero(shard == k)
            some = select_entries(entries, own)
            found.append((k, own, some._replace(example=some.example - self.starts[k])))
        return found

    def difference_vectors(self, log: UpdateLog) -> Iterator[SparseVectors]:
        """The vectors of the entries of ``log``, some at a time."""
        entries, first = Entries(log.example, log.begin, log.label), 0
        while first < entries.example.size:
            last = int(np.searchsorted(entries.begin, entries.begin[first] + LABELS, side="right")) - 1
            chosen = np.arange(first, max(last, first + 1))
            asked = self.split(select_entries(entries, chosen))
            found = self.map(_vectors, each=[(some,) for _, _, some in asked], which=[k for k, _, _ in asked])
            for (_, own, _), each in zip(asked, found, strict=True):
                for vector, index, value in each:
                    yield SparseVectors(chosen[own[vector]], index, value)
            first += chosen.size

    def has_whole_numbers(self) -> bool:
        """Whether all vectors are of whole numbers."""
        return all(self.map(Sequences.has_whole_numbers))

    def rounding_bound(self, w: np.ndarray) -> np.ndarray:
        """Bounds of the rounding errors of the scores."""
        return np.concatenate(self.map(Sequences.rounding_bound, w))

    def norm_bound(self) -> float:
        """No vector is longer."""
        return max(self.map(Sequences.norm_bound))

    def lowest(self, w, i):
        """Refused, as are the other methods that look at one sequence."""
        raise TypeError("The sequences are elsewhere: expected a pass over shards, got a visit of one sequence.")

    def squared_norm(self, i, slot):
        """Refused."""
        self.lowest(None, i)

    def add(self, w, i, slot, beta):
        """Refused."""
        self.lowest(w, i)

    def record(self, dual_weights, i, slot, beta):
        """Refused."""
        self.lowest(None, i)

    def w_changed(self, w):
        """Nothing is kept."""


def shards(engine: Any, handles: Sequence[Any], loss: float) -> Shards:
    """Shards of `Sequences` that an engine holds."""
    sizes = engine.map(_size, handles, (), [()] * len(handles))
    starts = np.concatenate([[0], np.cumsum([n for n, _ in sizes])]).astype(np.int64)
    sign = np.ones(int(starts[-1]), dtype=np.int8)
    return Shards(engine, list(handles), starts, sizes[0][1], sign, np.zeros(0), loss)


# --- where the sequences are -----------------------------------------------------------------------------------------


def _size(held: Sequences) -> tuple[int, int]:
    return held.sign.size, held.size


def _call(held: Sequences, function: Callable[..., Any], loss: float, *arguments: Any) -> Any:
    """The function of the sequences, with room of its own for what it writes."""
    longest = int(np.diff(held.begin).max())
    log = new_log(held.sign.size, held.label.size, longest)
    return function(with_new_scratch(held)._replace(loss=loss, log=log), *arguments)


def _vectors(oracle: Sequences, entries: Entries) -> list[SparseVectors]:
    return list(oracle.difference_vectors(UpdateLog(*entries, np.zeros(2, dtype=np.int64))))
