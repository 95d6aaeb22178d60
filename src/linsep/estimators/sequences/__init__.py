"""The classifier of sequences, and what reads its data."""

from .templates import WINDOW, Templates, shape

__all__ = ["WINDOW", "Templates", "shape"]
