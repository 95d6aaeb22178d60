"""polars, if it is there, and the errors that it may raise."""

from __future__ import annotations

from typing import Any

from ..errors import DataError


def polars() -> Any:
    """The package."""
    try:
        import polars
    except ImportError:
        raise DataError("tables need the package polars: pip install 'linsep[files]'.") from None
    return polars


def polars_errors() -> tuple[type[BaseException], ...]:
    """What polars raises for bad data; a panic of its compiled code is no `Exception`."""
    exceptions = polars().exceptions
    return (exceptions.PolarsError, exceptions.PanicException, OSError, ValueError, TypeError, OverflowError)
