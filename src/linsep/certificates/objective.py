r"""The certificate of a soft margin (C12): how near a w is to the least of P.

.. math:: P(w) = \tfrac12 |w|^2 + \sum_i C_i\, \ell(1 - \langle w,a_i\rangle) \;\ge\; \min P \;\ge\;
          D(\alpha) = \sum \alpha_i - \tfrac12 \Big|\sum \alpha_i a_i\Big|^2

(for the squared hinge less :math:`\sum \alpha_i^2/4C_i`). It keeps w and alpha, so that anyone can compute both sides
again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import Plain

if TYPE_CHECKING:
    from .check.objective import ObjectiveVerdict


@dataclass(frozen=True)
class Objective(Plain):
    """A learned w with what is proved about its cost: plain data, see the module's formula.

    ``bias``: "free" (not in the norm), "augmented" (a coordinate of w) or "none".
    """

    status: str  # "optimal": upper - lower is at most ``relative`` of upper; "budget spent" otherwise
    lower: float  # D(alpha): no w costs less
    upper: float  # P(w)
    violated: int  # training vectors with <w,a> <= 0
    C: float
    loss: str = "hinge"  # or "squared_hinge"
    bias: str = "free"
    w: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # the bias is its last number
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # alpha of `rows`
    size: int = 0  # training vectors
    updates: int = 0  # passes and Newton steps made
    relative: float = 0.0  # the gap that was wanted, relative
    rounding: float = 0.0  # how much of the gap may be rounding error of its own computation
    reason: str = ""  # why learning ended
    classes: tuple = (-1, 1)  # the labels of the negative and of the positive side
    eps: float = 0.0

    @property
    def gap(self) -> float:
        """How far P(w) may be from the least, as a part of it."""
        return (self.upper - self.lower) / self.upper if self.upper > 0 else 0.0

    def check(self, X: Any, y: Any, sample_weight: Any = None) -> ObjectiveVerdict:
        """Compute both sides again from the data; ``sample_weight`` as in fit, class weights multiplied in."""
        from .check.objective import check

        return check(self, X, y, sample_weight)

    def __str__(self) -> str:
        name = {"hinge": "hinge", "squared_hinge": "squared hinge"}[self.loss]
        cost = f"with C={self.C:g} and the {name} this w costs {self.upper:.9g}, and none costs less than"
        bounds = f"{cost} {self.lower:.9g} (a part {max(self.gap, 0.0):.2g} apart)"
        margin = float(np.linalg.norm(self.w[:-1]))
        width = f"its margin is {1.0 / margin:.6g}, " if margin > 0 and math.isfinite(margin) else ""
        wrong = f"{self.violated} of {self.size} vectors are on the wrong side, {self.rows.size} support it"
        why = f" The gap that was wanted, {self.relative:.2g}, was not reached: {self.reason}." if self.reason else ""
        return f"{self.status.capitalize()}: {bounds}; {width}{wrong}.{why}"
