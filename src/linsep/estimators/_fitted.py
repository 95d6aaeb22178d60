"""What was fitted is what is used: parameters that `partial_fit` goes on with must be those of the first call."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import numpy as np


def remember_parameters(estimator: Any, names: Iterable[str] | None = None) -> dict[str, Any]:
    """The values of some parameters; by default of all, and of an estimator's parts, which count by their class."""
    found = estimator.get_params(deep=names is None)
    return {name: _copy(value) for name, value in found.items() if names is None or name in names}


def _copy(value: Any) -> Any:
    """A value that does not change with what the user has."""
    if hasattr(value, "get_params"):
        return type(value)
    return deepcopy(value) if isinstance(value, dict | list | tuple | np.ndarray) else value


def refuse_changed(estimator: Any, before: dict[str, Any]) -> None:
    """Raise a ValueError that names the first parameter with another value than ``before``.

    A name that is not in ``before`` is that of a parameter younger than a model file; it counts as unchanged.
    """
    now = remember_parameters(estimator, None if any("__" in name for name in before) else before)
    for name in sorted(before):
        if name not in now or not _same(before[name], now[name]):
            raise ValueError(
                f"{name}: expected {before[name]!r} as in the first call of partial_fit, got {now.get(name)!r}. "
                "Call fit, or learn with a clone, to change it."
            )


def _same(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are the same, arrays included."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    return type(one) is type(other) and bool(one == other)
