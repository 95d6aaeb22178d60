r"""The certificate of ridge regression on labels (C7 with a short w): how near a w is to the least of J.

.. math:: J(w, w_0) = \sum_i c_i\,(\langle w,x_i\rangle + w_0 - t_i)^2 + \alpha |w|^2

is a parabola that rises by :math:`\alpha|w - w^*|^2` at least. So the residual of the normal equations, half the
gradient :math:`(h, h_0)` at w, bounds what could still be gained, and the distance to the best w:

.. math:: J(w) - \min J \;\le\; \frac{|h - \bar x h_0|^2}{\alpha} + \frac{h_0^2}{\sum c_i}, \qquad
          |w - w^*| \;\le\; \frac{|h - \bar x h_0|}{\alpha} ,

where :math:`\bar x` is the mean row (without a bias :math:`h_0 = 0`). The certificate keeps w; that is all one needs to
compute both sides again.

Where alpha is small beside the rows that proves little. Then the certificate keeps weights u of the rows too, one
column for each w. With a bias they are taken less c times their mean, so that their sum is 0:

.. math:: \min J \;\ge\; D(u) = 2 \langle u,t\rangle - \sum_i \frac{u_i^2}{c_i} - \frac{|X^Tu|^2}{\alpha} , \qquad
          |w - w^*|^2 \le \frac{J(w) - D(u)}{\alpha} .
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .base import Certificate, Status, Verdict, at_least, at_most


@dataclass(frozen=True, kw_only=True)
class RidgeCertificate(Certificate):
    """A learned w with what is proved about its cost: J(w) is at most ``upper``, and no w costs less than ``lower``.

    Of many classes J is the sum over the classes, each with its own w. The status is "optimal" if the relative gap is
    at most ``tol``, "not decided within rounding" if only rounding prevents that, and "budget spent" otherwise.
    """

    violated: int  # so many rows are on the wrong side, as in `MarginCertificate`
    alpha: float
    distance: float  # w, without its bias, is at most so far from the best one
    bias: str = "free"  # not in the norm; or "none"
    margins: np.ndarray = field(default_factory=lambda: np.ones(1), repr=False)  # b of the rows, or one for all
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # u, n x targets; none: as above
    tol: float = 0.0  # the relative gap that was asked for
    rounding: float = 0.0  # how much of the gap may be rounding error of its own computation

    def check(self, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
        """Compute both sides again from the data; ``sample_weight`` as in fit, class weights multiplied in."""
        from .check.ridge import check

        return check(self, X, y, sample_weight)

    def __str__(self) -> str:
        if self.status == Status.INTERRUPTED:
            return self._say_nothing()
        cost = f"with alpha={self.alpha:g} the squared errors of this w cost at most {at_most(self.upper, 9)}"
        bounds = f"{cost}, and none costs less than {at_least(self.lower, 9)}"
        gap = f" (relative gap {at_most(max(self.relative_gap, 0.0), 2)})"
        away = (
            f"w is at most {at_most(self.distance, 3)} from the best, of its length {np.linalg.norm(self._weights):.3g}"
        )
        wrong = f"{self.violated} of {self.size} rows are on the wrong side"
        why = f" The relative gap {self.tol:.2g} was not reached: {self.reason}." if self.reason else ""
        return f"{self.status.capitalize()}: {bounds}{gap}; {away}; {wrong}.{why}"

    @property
    def _weights(self) -> np.ndarray:
        """W without the biases."""
        return self.w[..., :-1]
