"""Is an export the same rule? Its decisions are compared with those of the model, on rows of the user or made up.

A sum has another rounding in another order. Rows whose g, or whose lead, is below a bound of that rounding are *near
ties*: both answers are right, so they are counted and not compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .lift import magnitudes
from .rule import columns_of

MADE_UP = 1000
ROUNDING = 64 * np.finfo(np.float64).eps  # of a feature and of each addition, in units of the sum of all |terms|

Run = Callable[[Any], Sequence[Any]]  # a data frame of polars in, decisions out


class Comparison(NamedTuple):
    """How many rows were compared, how many of them were made up, and how many were near ties."""

    rows: int
    made_up: int
    near_ties: int
    differences: int
    first: str = ""

    def __str__(self) -> str:
        given = self.rows - self.made_up
        parts = [f"{given} of your rows"] * bool(given) + [f"{self.made_up} made-up rows"] * bool(self.made_up)
        ties = f"; {self.near_ties} are nearer to the border than rounding, where both answers are right"
        ties *= bool(self.near_ties)
        if self.differences:
            return f"{self.differences} decisions differ from the model's on {' and '.join(parts)}. {self.first}"
        return f"same decisions as the model on {' and '.join(parts)}{ties}."


def compare(model: Any, schema: Any, run: Run, frames: Sequence[Any], made_up: int) -> Comparison:
    """Compare the decisions of an export with the model's, frame by frame; the last frame is the one made up."""
    rows = ties = differences = 0
    first = ""
    for frame in frames:
        X = transform(schema, frame)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            expected, near = model.predict(X), near_ties(model, X)
        got = list(run(frame))
        if len(got) != len(expected):
            raise ValueError(f"export: expected {len(expected)} decisions, got {len(got)}.")
        wrong = [k for k, (a, b) in enumerate(zip(expected.tolist(), got, strict=True)) if a != b and not near[k]]
        if wrong and not first:
            k = wrong[0]
            cells = str(frame.row(k, named=True))[:300]
            first = f"The first: {cells}: expected {expected.tolist()[k]!r}, got {got[k]!r}."
        rows, ties, differences = rows + len(got), ties + int(near.sum()), differences + len(wrong)
    return Comparison(rows, made_up, ties, differences, first)


def transform(schema: Any, frame: Any) -> Any:
    """The features of a data frame."""
    from dataclasses import replace

    from ..data.columns import Schema

    if hasattr(schema, "columns"):
        return replace(schema, target=None, weight=None).transform(frame)[0]
    return Schema(tuple(columns_of(schema))).transform(frame)[0]


def near_ties(model: Any, X: Any) -> np.ndarray:
    """Rows that rounding may decide."""
    coef, bias = np.asarray(model.coef_), np.broadcast_to(model.intercept_, len(model.coef_))
    size = (magnitudes(model, X) if hasattr(model, "lift_") else abs(X)) @ np.abs(coef.T)
    size = np.asarray(size.todense() if sp.issparse(size) else size) + np.abs(bias)
    g = model.decision_function(X)
    bound = ROUNDING * (1 + np.log2(coef.shape[1] + 1)) * size.max(axis=1)
    if g.ndim == 1:
        return np.abs(g) <= bound
    return np.diff(np.partition(g, -2, axis=1)[:, -2:], axis=1)[:, 0] <= 2 * bound


def make_rows(schema: Any, rows: int = MADE_UP, seed: int = 0) -> Any:
    """Made-up rows: numbers near those of the table and far away, all levels and unknown ones, missing cells."""
    import polars as pl

    rng = np.random.RandomState(seed)
    return pl.DataFrame(
        {column.name: _make_cells(column, rows, rng) for column in columns_of(schema) if column.use != "ignore"}
    )


def _make_cells(column: Any, rows: int, rng: np.random.RandomState) -> Any:
    """Cells of one column, a tenth of them missing."""
    import polars as pl

    there = rng.uniform(size=rows) >= 0.1
    if column.use == "number":
        far = rng.choice([1.0, 1.0, 1.0, 30.0], rows)
        centre = column.fill if column.log else column.centre
        values = (np.abs if column.log else np.asarray)(centre + column.scale * far * rng.standard_normal(rows))
        cells: list[Any] = [float(f"{value:.6g}") for value in values]
        return pl.Series(column.name, [v if t else None for v, t in zip(cells, there)], dtype=pl.Float64)
    if column.use == "boolean":
        from .rule import YES_NO

        no = next(iter(next(pair for pair, yes in YES_NO.items() if yes == column.yes) - {column.yes}))
        words = [column.yes, no, column.yes.upper(), no.capitalize()]
    elif column.use == "date":
        return _make_dates(column, there, rng)
    elif column.use == "category":
        words = [*column.levels, *column.levels, "never seen", "Ž neviděná"]
    elif column.use == "text":
        seen = [word for word in column.words if word] or ["word"]
        words = [" ".join(rng.choice(seen, size)) for size in rng.randint(1, 9, 200)] + ["a never-seen text, čeština"]
    else:
        words = [f"word {k}" for k in range(300)] + ["příliš žluťoučký", "a", "ab", "abc", "abcd"]
    return pl.Series(column.name, [words[k] if t else None for k, t in zip(rng.randint(0, len(words), rows), there)])


def _make_dates(column: Any, there: np.ndarray, rng: np.random.RandomState) -> Any:
    import polars as pl

    form = column.form or "%Y-%m-%d"
    offsets = np.clip(column.centre + column.scale * 2 * rng.standard_normal(there.size), -36000, 36000)
    made = []
    for offset, t in zip(offsets, there):
        day = date(2000, 1, 1) + timedelta(days=int(offset))
        text = day.strftime(form.replace("%Y", f"{day.year:04d}"))
        for part, most in (("00:00:00", 3600 * 24), ("00:00", 60 * 24)):
            if part in text:
                n = rng.randint(most)
                clock = (
                    f"{n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}" if most > 5000 else f"{n // 60:02d}:{n % 60:02d}"
                )
                text = text.replace(part, clock)
        made.append(text if t else None)
    return pl.Series(column.name, made, dtype=pl.String)
