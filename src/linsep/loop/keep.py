"""Keepers: WHICH of the many w of a run is the answer.

`Last` and `Average` are met inside the sweep (compiled, at every update), `Pocket` after every pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Last(NamedTuple):
    """The w at the end."""

    total: np.ndarray  # empty

    def moved(self, oracle, i, beta):
        """Nothing to note."""

    def folded(self, w, seen):
        """Nothing to note."""

    def answer(self, w, seen):
        return w


class Average(NamedTuple):
    r"""The mean of w over all visits (averaged perceptron), at the price of a second addition an update.

    With ``w_t = s_t v_t`` (s the lazy scale) and :math:`S_t = \sum_{k \le t} s_k`, the sum of all w is
    :math:`S_T v_T - u`, where every update :math:`v \leftarrow v + \beta a` adds :math:`S\beta a` to u.
    ``total`` is u, ``seen`` is S.
    """

    total: np.ndarray

    def moved(self, oracle, i, beta):
        oracle.add(self.total, i, beta)

    def folded(self, w, seen):
        """v is about to be rescaled: close the account, S starts again at 0."""
        for j in range(w.size):
            self.total[j] -= seen * w[j]

    def answer(self, w, seen):
        """The direction of the mean; its length does not matter for a decision."""
        total = seen * w - self.total
        return total if np.any(total) else w


class Pocket:
    """The w with the fewest errors so far (C3), ties to the earlier one.

    >>> pocket = Pocket()
    >>> pocket.offer(np.array([1.0]), errors=3.0), pocket.offer(np.array([2.0]), errors=3.0)
    (True, False)
    """

    def __init__(self) -> None:
        self.w: np.ndarray | None = None
        self.errors = np.inf

    def offer(self, w: np.ndarray, errors: float) -> bool:
        """Keep a copy of w if it makes fewer errors; says whether it did."""
        better = errors < self.errors
        if better:
            self.w, self.errors = w.copy(), errors
        return better


def keeper(name: str, size: int) -> Last | Average:
    """What the sweep notes for ``keep=name``, for a w of ``size`` numbers."""
    return Average(np.zeros(size)) if name == "average" else Last(np.zeros(0))
