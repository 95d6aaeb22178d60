"""What a user says about the columns before they are read: given to `open_dataset` as ``schema``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .kinds import Column
from .schema import Schema, infer_schema


class HeldOut(NamedTuple):
    """Rows that are not learned from: a function of their numbers alone (splitmix64), so that it can be repeated.

    >>> HeldOut(0.5, seed=0).mask(0, 8).tolist()
    [False, True, True, False, True, True, True, False]
    """

    fraction: float
    seed: int

    def mask(self, begin: int, end: int) -> np.ndarray:
        """Which of the rows from ``begin`` up to ``end`` are held out."""
        with np.errstate(over="ignore"):
            z = (np.arange(begin, end, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            z += np.uint64(self.seed) * np.uint64(0xD1B54A32D192ED03)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
        return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53 < self.fraction


@dataclass(frozen=True)
class Plan:
    """Uses of some columns, columns that are decided already, and rows that must not be looked at."""

    uses: tuple[tuple[str, str], ...] = ()
    given: tuple[Column, ...] = ()
    held_out: HeldOut | None = None

    def infer(self, batches: Iterable[Any], target: str | None, weight: str | None) -> Schema:
        """The schema of all batches but for the rows held out."""
        given = {column.name: column for column in self.given}
        return infer_schema(self._rows(batches), target, weight, uses=dict(self.uses), given=given)

    def _rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        row = 0
        for batch in batches:
            held = None if self.held_out is None else self.held_out.mask(row, row + batch.height)
            row += batch.height
            yield batch if held is None else batch.filter(~held)

    def as_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        columns = [column.as_dict() for column in self.given]
        return {"uses": list(self.uses), "given": columns, "held_out": self.held_out}
