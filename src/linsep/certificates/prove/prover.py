"""Judges: what learning asks about a w, of rows. (`structure.py` has the judge of labellings.)"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...oracles import Classes, Differences, rows_of
from ...rows.matrix import augment, judged
from ..margin import Certificate
from .margin import Terms, certify, disprove, free_bias, free_biases, length, likely, look


def bias_of(parts: Sequence[Any]) -> str:
    """Which margin these oracles speak of: see `Certificate`."""
    return "free" if isinstance(parts[0], Differences) else "augmented" if rows_of(parts[0]).bias else "none"


class OfRows:
    """The judge of rows, and of rows against other classes."""

    def __init__(self, parts: Sequence[Any]):
        self.parts, self.rows, self.kind = parts, [judged(part) for part in parts], bias_of(parts)

    def margin(self, w: np.ndarray) -> float:
        """The margin of w as computed, with the best bias if it is free."""
        seen, norm = look(self.rows, w), length(w)
        lowest = 0.5 * (seen.lowest_negative + seen.lowest_positive) if self.kind == "free" else seen.lowest
        return lowest / norm if norm > 0 else math.nan

    def errors(self, w: np.ndarray) -> float:
        """The weight of the errors of w, with the best bias if it is free."""
        w = free_bias(self.rows, w) if self.kind == "free" else w
        return look(augment(self.rows, self.kind), w).weight

    def refuted(self, state: Any) -> bool:
        """Whether the data are proved not separable."""
        return disprove(self.rows, self.kind, state.dual) is not None

    def finished(self, w: np.ndarray, refit: bool) -> np.ndarray:
        """w with the best bias, if it is free or to be fitted again."""
        refit = refit and self.kind == "augmented"
        if refit and isinstance(self.parts[0], Classes):
            return free_biases(self.rows, w)
        if self.kind == "free":
            return free_bias(self.rows, w, self.parts[0].slots)
        return free_bias(self.rows, w, cut=likely) if refit else w

    def certify(self, w: np.ndarray, state: Any, terms: Terms) -> Certificate:
        """The certificate of w, with what ``state`` holds of the vectors as proof."""
        return certify(self.rows, w, state.dual, terms)
