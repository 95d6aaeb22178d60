"""Fetching ahead: compiled code asks the processor for memory that it will need soon (`core/jit.py`)."""

from __future__ import annotations


def fetch(array, at) -> None:
    """Ask for ``array.ravel()[at]``. Nothing is read, so interpreted code has nothing to do."""
