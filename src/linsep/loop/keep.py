"""Keepers: WHICH of the many w of a run is the answer.

`Last` and `Average` are called inside the sweep (compiled, at every update), `Pocket` after every pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..jit import component


@component
class Last(NamedTuple):
    """The w at the end."""

    total: np.ndarray  # empty

    def update(self, oracle, i, slot, beta):
        """Nothing to keep."""

    def rescale(self, w, seen):
        """Nothing to keep."""

    def result(self, w, seen):
        """The last w."""
        return w


@component
class Average(NamedTuple):
    r"""The mean of w over all visits (averaged perceptron), at the price of a second addition per update.

    With ``w_t = s_t v_t`` (s the lazy scale) and :math:`S_t = \sum_{k \le t} s_k`, the sum of all w is
    :math:`S_T v_T - u`, where every update :math:`v \leftarrow v + \beta a` adds :math:`S\beta a` to u.
    ``total`` is u, ``seen`` is S.
    """

    total: np.ndarray

    def update(self, oracle, i, slot, beta):
        """Add to u."""
        oracle.add(self.total, i, slot, beta)

    def rescale(self, w, seen):
        """v is about to be rescaled: u takes over what S v is, and S starts again at 0."""
        for j in range(w.size):
            self.total[j] -= seen * w[j]

    def result(self, w, seen):
        """The direction of the mean; its length does not matter for a decision."""
        total = seen * w
        total -= self.total
        return total if np.any(total) else w


@dataclass
class Pocket:
    """The w with the fewest errors so far (C3), ties to the earlier one.

    >>> pocket = Pocket()
    >>> pocket.offer(np.array([1.0]), errors=3.0), pocket.offer(np.array([2.0]), errors=3.0)
    (True, False)
    """

    w: np.ndarray | None = None
    errors: float = np.inf

    def offer(self, w: np.ndarray, errors: float) -> bool:
        """Keep a copy of w if it makes fewer errors; returns whether it did."""
        better = errors < self.errors
        if better:
            self.w, self.errors = w.copy(), errors
        return better
