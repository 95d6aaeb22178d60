"""Numbers as JSON holds them: floats round-trip bit for bit, infinite ones are words, NaN is null."""

from __future__ import annotations

import math
from typing import Any


def plain(value: Any) -> Any:
    """Lists, dictionaries, strings and numbers only.

    >>> plain({"a": (1.5, float("inf"), float("nan"))})
    {'a': [1.5, 'inf', None]}
    """
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value.item() if hasattr(value, "item") else value


def number(value: Any) -> float:
    """The float that `plain` wrote."""
    if value is None:
        return math.nan
    if value in ("inf", "-inf"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected a number, got {str(value)[:60]!r}")
    return float(value)
