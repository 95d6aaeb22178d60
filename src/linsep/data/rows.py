"""Rows as readers yield them and datasets give them: X, labels and weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np


class Rows(NamedTuple):
    """X (C-ordered array, or CSR), one label and one weight per row; None for what there is not."""

    X: Any
    y: np.ndarray | None
    weight: np.ndarray | None


class Compressed(NamedTuple):
    """A block of sparse rows: the arrays of a CSR matrix whose width is known at the end only."""

    data: np.ndarray
    indices: np.ndarray  # int32
    indptr: np.ndarray  # from 0
    width: int = 0  # columns, if the file says

    @property
    def shape(self) -> tuple[int, int]:
        """The rows, and the columns: as many as the file says, or up to the last that is not empty."""
        return self.indptr.size - 1, self.width or int(self.indices.max(initial=-1)) + 1


@dataclass(frozen=True)
class RowSchema:
    """What is known of rows that are numbers already: svmlight, Vowpal Wabbit, npy and npz."""

    format: str
    n_features: int
    sparse: bool
    dtype: str
    base: int = 0  # of svmlight: the index of the first column in the file

    @property
    def feature_names(self) -> None:
        """Columns of such files have no names."""
        return None

    def as_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> RowSchema:
        """The schema that `as_dict` gave."""
        return cls(**found)

    def __str__(self) -> str:
        return f"{self.n_features} columns of {self.dtype}{', sparse' if self.sparse else ''}"
