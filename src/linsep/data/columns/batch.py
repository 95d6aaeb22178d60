"""Rows of a table whose numbers are an array already: read as a `polars.DataFrame` is, where it is handed on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..disk import save_array


class Batch:
    """Columns of numbers as the rows of an array, NaN for missing ones; the other columns as a data frame.

    The rows of the array may be longer than the table, which has ``height`` rows.

    >>> batch = Batch(dict.fromkeys(["a", "y", "b"]), ["a", "b"], np.array([[1.0, 2.0], [3.0, np.nan]]), None, 2)
    >>> batch.numbers_of(["b"]).tolist(), batch["b"].to_list()
    ([[3.0, nan]], [3.0, None])
    """

    def __init__(self, schema: dict[str, Any], numeric: Sequence[str], numbers: np.ndarray, others: Any, height: int):
        self.schema, self.columns = schema, list(schema)  # the types of the columns; the same for many batches
        self.place = {name: k for k, name in enumerate(numeric)}
        self.numbers, self.others, self.height = numbers, others, height

    @property
    def width(self) -> int:
        """How many columns."""
        return len(self.columns)

    def __len__(self) -> int:
        return self.height

    def __getitem__(self, name: str) -> Any:
        import polars as pl

        if name not in self.place:
            return self.others[name]
        return pl.Series(name, self.numbers[self.place[name], : self.height], nan_to_null=True)

    def numbers_of(self, names: Sequence[str]) -> np.ndarray:
        """Some columns of numbers, as the rows of an array; neighbours are not copied."""
        if not all(name in self.place for name in names):
            return np.array([self[name].cast(float).fill_null(np.nan).to_numpy() for name in names])
        at = [self.place[name] for name in names]
        if at == list(range(at[0], at[0] + len(at))):
            return self.numbers[at[0] : at[0] + len(at)]
        return self.numbers[at]

    def filter(self, kept: np.ndarray) -> Batch:
        """Some of the rows."""
        others = None if self.others is None else self.others.filter(kept)
        numbers = np.ascontiguousarray(self.numbers[:, : self.height][:, kept])
        return Batch(self.schema, list(self.place), numbers, others, numbers.shape[1])

    def estimated_size(self) -> int:
        """The bytes in memory."""
        return self.numbers.nbytes + (0 if self.others is None else self.others.estimated_size())

    def to_file(self, path: Path) -> Batch:
        """The same rows, with the numbers in a file."""
        with open(path, "wb") as file:
            save_array(file, self.numbers)
        return Batch(self.schema, list(self.place), np.load(path, mmap_mode="r"), self.others, self.height)
