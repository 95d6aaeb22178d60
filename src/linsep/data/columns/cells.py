"""Cells of a table: which are missing, numbers, yes or no, dates. A column is a `polars.Series` of any type."""

from __future__ import annotations

from typing import Any

import numpy as np

MISSING = ("", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", "?", "-", "--")
YES_NO = {  # words of a boolean column, in lower case
    frozenset({"true", "false"}): "true", frozenset({"yes", "no"}): "yes", frozenset({"t", "f"}): "t",
    frozenset({"y", "n"}): "y", frozenset({"ano", "ne"}): "ano", frozenset({"on", "off"}): "on",
}  # fmt: skip
DATES = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M",
    "%Y/%m/%d",
    "%d.%m.%Y",
)
DAY = 86_400_000_000  # microseconds
SECONDS_OF_2000 = 946_684_800


def words(column: Any, marks: tuple[str, ...] = ()) -> Any:
    """The cells as strings without blanks around them; null for missing ones, ``marks`` among them."""
    import polars as pl

    text = column if column.dtype == pl.String else _as_words(column)
    text = text.str.strip_chars()
    frame = text.alias("x").to_frame()
    return frame.select(pl.when(pl.col("x").is_in([*MISSING, *marks])).then(None).otherwise(pl.col("x")).alias("x"))[
        "x"
    ]


def _as_words(column: Any) -> Any:
    """Other types as strings; 5 and 5.0 are the same word, since a file may have either."""
    import polars as pl

    if not column.dtype.is_float():
        return column.cast(pl.String)
    whole = (column == column.floor()) & (column.abs() < 2.0**53)
    frame = pl.DataFrame({"x": column.fill_nan(None), "whole": whole})
    words = pl.when("whole").then(pl.col("x").cast(pl.Int64, strict=False).cast(pl.String)).otherwise(
        pl.col("x").cast(pl.String)
    )  # fmt: skip
    return frame.select(words.alias("x"))["x"]


def is_number(kind: Any) -> bool:
    """Whether a type of polars holds numbers; true and false are none."""
    return bool(kind.is_numeric())


def numbers(column: Any, marks: tuple[str, ...] = ()) -> np.ndarray:
    """The cells as float64: NaN where missing, or where it is no finite number."""
    import polars as pl

    kind = column.dtype
    if kind == pl.Boolean or is_number(kind):
        found = column.cast(pl.Float64)
    else:
        found = words(column, marks).cast(pl.Float64, strict=False)
    values = found.fill_null(float("nan")).to_numpy().astype(np.float64)
    values[~np.isfinite(values)] = np.nan
    return values


def truth(column: Any, yes: str) -> np.ndarray:
    """1 for yes, 0 for no, NaN for missing or other cells."""
    import polars as pl

    if column.dtype == pl.Boolean or is_number(column.dtype):
        return numbers(column)
    no = next(iter(next(pair for pair, word in YES_NO.items() if word == yes) - {yes}))
    low = words(column).str.to_lowercase()
    return low.replace_strict({yes: 1.0, no: 0.0}, default=None, return_dtype=pl.Float64).fill_null(
        float("nan")
    ).to_numpy().astype(np.float64)  # fmt: skip


def days(column: Any, form: str | None) -> np.ndarray:
    """Days since 2000-01-01 (UTC), with their fraction; NaN for missing cells and those of another form."""
    import polars as pl

    if column.dtype == pl.String:
        found = words(column).str.to_datetime(form, strict=False, time_unit="us", ambiguous="null")
    elif column.dtype in (pl.Date, pl.Datetime):
        found = column.cast(pl.Datetime("us"))
    else:
        return np.full(len(column), np.nan)
    micro = found.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return (micro - SECONDS_OF_2000 * 1e6) / DAY
