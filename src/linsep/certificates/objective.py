r"""The certificate of a soft margin (C12): how near a w is to the least of P.

.. math:: P(w) = \tfrac12 |w|^2 + \sum_i C_i\, \ell(1 - \langle w,a_i\rangle) \;\ge\; \min P \;\ge\;
          D(\alpha) = \sum \alpha_i - \tfrac12 \Big|\sum \alpha_i a_i\Big|^2

(for the squared hinge less :math:`\sum \alpha_i^2/4C_i`). It keeps w and alpha, so that anyone can compute both sides
again. Of a linear machine :math:`\langle w,a_i\rangle` is the score of the row's class less that of its best rival, and
alpha has a number for each of its rivals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .base import Certificate, Status, Verdict, at_least, at_most


@dataclass(frozen=True, kw_only=True)
class ObjectiveCertificate(Certificate):
    """A learned w with what is proved about its cost: P(w) is at most ``upper``, and no w costs less than ``lower``.

    The status is "optimal" if the relative gap of these is at most ``tol``, and "budget spent" otherwise; "interrupted"
    if there was no time to compute them.
    """

    violated: int  # so many training vectors have <w,a> <= 0, as in `MarginCertificate`
    C: float
    loss: str = "hinge"  # or "squared_hinge"
    bias: str = "free"  # not in the norm; "augmented": a coordinate of w; or "none"
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # alpha of `rows`
    rivals: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)  # of a machine
    tol: float = 0.0  # the relative gap that was asked for
    rounding: float = 0.0  # how much of the gap may be rounding error of its own computation

    def check(self, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
        """Compute both sides again from the data; ``sample_weight`` as in fit, class weights multiplied in."""
        from .check.objective import check

        return check(self, X, y, sample_weight)

    def __str__(self) -> str:
        if self.status == Status.INTERRUPTED:
            return self._say_nothing()
        name = {"hinge": "hinge", "squared_hinge": "squared hinge"}[self.loss]
        cost = (
            f"with C={self.C:g} and the {name} this w costs at most {at_most(self.upper, 9)}, and none costs less than"
        )
        bounds = f"{cost} {at_least(self.lower, 9)} (relative gap {at_most(max(self.relative_gap, 0.0), 2)})"
        machine = self.w.ndim == 2
        norm = float(np.linalg.norm(self.w if machine else self.w[:-1]))
        margin = f"its margin is {1.0 / norm:.6g}, " if norm > 0 and math.isfinite(norm) else ""
        wrong = f"{self.violated} of {self.size} {'rows' if machine else 'vectors'} are on the wrong side"
        wrong += f", {np.unique(self.rows).size} support it"
        why = f" The relative gap {self.tol:.2g} was not reached: {self.reason}." if self.reason else ""
        return f"{self.status.capitalize()}: {bounds}; {margin}{wrong}.{why}"
