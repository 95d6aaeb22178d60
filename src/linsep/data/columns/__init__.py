"""Columns of a table become features. A batch is a `polars.DataFrame`; columns are found by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..errors import DataError


@dataclass(frozen=True)
class Schema:
    """How the columns of a table become the columns of X: every feature is a number as it is."""

    feature_names: tuple[str, ...]
    target: str | None = None
    weight: str | None = None

    @property
    def n_features(self) -> int:
        """The number of columns of X."""
        return len(self.feature_names)

    def transform(self, batch: Any) -> tuple[Any, np.ndarray | None, np.ndarray | None]:
        """X (C-ordered, or CSR), the labels and the weights of a batch; None for what the batch has not."""
        missing = [name for name in self.feature_names if name not in batch.columns]
        if missing:
            raise DataError(f"expected the column {missing[0]!r}, found {', '.join(batch.columns[:10])}.")
        import polars

        numbers = batch.select(polars.col(name).cast(polars.Float64) for name in self.feature_names)
        y = batch[self.target].to_numpy() if self.target in batch.columns else None
        weight = batch[self.weight].cast(polars.Float64).to_numpy() if self.weight in batch.columns else None
        return numbers.to_numpy(order="c"), y, weight

    def as_dict(self) -> dict[str, Any]:
        """All decisions, as JSON can hold them."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(f"{name}: number" for name in self.feature_names)


def infer_schema(batches: Iterable[Any], target: str | None = None, weight: str | None = None) -> Schema:
    """The schema of all batches, in one pass over them; each is read once, in order."""
    names: tuple[str, ...] = ()
    for batch in batches:
        for name, kind in batch.schema.items():
            if name not in (target, weight) and not (kind.is_numeric() or str(kind) == "Boolean"):
                raise DataError(f"expected numbers, got {kind}. Leave the column out.", column=name)
        names = names or tuple(name for name in batch.columns if name not in (target, weight))
    return Schema(names, target, weight)
