"""The lab: recordings of how a rule learned, and one player for browser, notebook and file. See docs/lab.md."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exercise import Exercise as Exercise
    from .ladder import RiskLadder as RiskLadder
    from .ladder import record_risk as record_risk
    from .presets import PRESETS as PRESETS
    from .record import record as record
    from .recording import Recording as Recording
    from .rules import RULES as RULES
    from .show import show as show

# imported when asked for: `linsep lab` answers before scikit-learn and Numba are there
_HOME = {"PRESETS": "presets", "RULES": "rules", "Exercise": "exercise", "Recording": "recording", "record": "record"}
_HOME |= {"RiskLadder": "ladder", "record_risk": "ladder", "show": "show"}
__all__ = ["PRESETS", "RULES", "Exercise", "Recording", "RiskLadder", "record", "record_risk", "show"]


def __getattr__(name: str) -> Any:
    """A name that is asked for the first time."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """All names, asked for or not."""
    return sorted(__all__)
