r"""Certificates for Gaussians: how far they are from a hyperplane, and how far they could be at most.

Gaussian j has the error :math:`\Phi(-r_j)` with :math:`r_j = y_j(\langle w,\mu_j\rangle + b)/\sqrt{w^T\Sigma_j w}`
(F5). Let

.. math:: r(w,b) = \min_j \,(r_j - c_j)/a_j , \qquad a_j = 1,\; c_j = 0 \text{ unless a Gaussian weighs more or less.}

Any w, b bounds the best r from below. From above it is bounded by weights :math:`\lambda_j > 0` and a point
:math:`\mu_j + \Sigma_j u_j` of each ellipsoid such that

.. math:: \sum_j y_j \lambda_j\,(\mu_j + \Sigma_j u_j,\; 1) = 0 :

then the hulls of the two classes' ellipsoids of radii :math:`q_j = \sqrt{u_j^T\Sigma_j u_j}` meet, and no hyperplane
has more than :math:`\max_j (q_j - c_j)/a_j`. A sum that is zero only up to rounding is made zero, without being
computed, by changing the weights and the points a little: by a part :math:`\rho`, so that all radii
:math:`q_j/(1-\rho)` suffice.

Covariances are known up to rounding only, and their smallest eigenvalues not even to one digit: the solver works with
factors. So one that differs from the given by a few units, :math:`|\Delta_{ab}| \le 48 (d+8)\,2^{-52}
\sqrt{\Sigma_{aa}\Sigma_{bb}}`, counts as the same, in both bounds and in the check. Means are taken as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import ndtr

from .base import Plain
from .margin import BUDGET_SPENT, EPS_OPTIMAL, OPTIMAL, SEPARATED, WITHIN_ROUNDING

if TYPE_CHECKING:
    from .check.radius import Verdict

REACHED = "reached"
IMPOSSIBLE = "impossible"
INFEASIBLE = "infeasible"
ENDLESS = 1e6  # an r without bound, as far as rounding lets one see: its error is 0 in floating point
NEAR = 1e-10  # data that must be moved by more than this, relative, are other data


@dataclass(frozen=True)
class RadiusCertificate(Plain):
    """A hyperplane between Gaussians with what is proved about it: plain data, see the module's formulas."""

    status: str
    lower: float  # no larger than r of this w
    upper: float  # no smaller than the best possible r
    w: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # the bias is its last number
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)  # Gaussians in the proof
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # their lambda
    u: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)  # their u_j, one a row
    moved: float = (
        0.0  # upper holds after means have moved by at most this, relative to their distances; 0: as they are
    )
    importance: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # a_j
    caution: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # c_j
    size: int = 0  # Gaussians
    wanted: float | None = None  # the r that was asked for (F3)
    eps: float = 0.0  # how far apart the bounds may be, relative
    steps: int = 0  # Newton steps, directions or updates made
    reason: str = ""  # why learning ended early
    classes: tuple = (-1, 1)  # the labels of the negative and of the positive side

    @property
    def error(self) -> float:
        """No Gaussian (with importance 1 and caution 0) errs more often than this."""
        return float(ndtr(-self.lower))

    @property
    def best_error(self) -> float:
        """Every hyperplane errs at least this often on some Gaussian."""
        return float(ndtr(-self.upper))

    @property
    def any_error(self) -> float:
        """No distribution with these means and covariances errs more often: 1 / (1 + r^2)."""
        return 1.0 / (1.0 + self.lower * abs(self.lower)) if self.lower > 0 else 1.0

    def check(self, means: Any, covariances: Any, labels: Any) -> Verdict:
        """Compute every claim again from the Gaussians, with code of its own; true, or it says what is wrong."""
        from .check.radius import check

        return check(self, means, covariances, labels)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The certificate that `to_dict` wrote; a list of no rows has forgotten how long they are."""
        found = super().from_dict(plain)
        return replace(found, u=found.u.reshape(len(found.rows), -1))

    def __str__(self) -> str:
        here = f"r of this w is at least {self.lower:.9g}, so the worst Gaussian errs at most {self.error:.6g}"
        best = f"no hyperplane has more than r = {self.upper:.9g}, an error of {self.best_error:.6g}"
        moved = f" (after moving the means by a part {self.moved:.1g})" if self.moved else ""
        proof = f"proved by {len(self.rows)} Gaussian{'s' * (len(self.rows) != 1)}{moved}"
        if self.status == INFEASIBLE:
            return f"Infeasible: every hyperplane errs on some Gaussian at least every other time; {proof}."
        if self.status == SEPARATED:
            return f"Separated: no Gaussian spreads towards this hyperplane, or r is at least {self.lower:.9g}."
        if self.wanted is not None:
            asked = f"r = {self.wanted:.9g} (error {ndtr(-self.wanted):.6g}) was wanted"
            if self.status == IMPOSSIBLE:
                return f"Impossible: {asked}, but {best}; {proof}. Here {here}."
            rest = f"; {best}; {proof}" if math.isfinite(self.upper) else ""
            return f"{self.status.capitalize()}: {asked}; {here}{rest}{self._why()}."
        return f"{self.status.capitalize()}: {here}; {best}; {proof}{self._why()}."

    def _why(self) -> str:
        return f"; {self.reason}" if self.reason else ""


def conclude(
    lower: float, upper: float, *, moved: float = 0.0, wanted: float | None = None, eps: float = 0.0, exact: bool = True
) -> str:
    """The status that the numbers allow, and no more.

    >>> conclude(1.0, 1.5, wanted=0.9), conclude(1.0, 1.5, wanted=1.6), conclude(1.0, 1.5, wanted=1.2)
    ('reached', 'impossible', 'budget spent')
    """
    proved = moved <= NEAR
    if upper <= 0.0 and proved:
        return INFEASIBLE if moved == 0.0 else WITHIN_ROUNDING
    if wanted is not None:
        if lower >= wanted:
            return REACHED
        if upper < wanted and proved:
            return IMPOSSIBLE
        near = proved and upper < math.inf and upper - lower <= 1e-9 * upper
        return WITHIN_ROUNDING if near else BUDGET_SPENT
    if upper == math.inf and lower >= ENDLESS:
        return SEPARATED
    if lower > 0 and proved and upper - lower <= eps * upper:
        return OPTIMAL if exact else EPS_OPTIMAL
    return BUDGET_SPENT
