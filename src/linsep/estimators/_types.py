"""Types of parameters that several constructors share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..loop.stop import Progress

Rate = float | str | Callable[[int], float]
Condition = Callable[[Progress], Any]
ClassWeight = Mapping[Any, float] | str
