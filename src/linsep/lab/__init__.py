"""The lab: recordings of how a rule learned, and one player for browser, notebook and file. See docs/lab.md."""

from __future__ import annotations

from .exercise import Exercise
from .presets import PRESETS
from .record import record
from .recording import Recording
from .rules import RULES
from .show import show

__all__ = ["PRESETS", "RULES", "Exercise", "Recording", "record", "show"]
