r"""Certificates for Gaussians: how far they are from a hyperplane, and how far they could be at most.

Gaussian j has the error :math:`\Phi(-r_j)` with :math:`r_j = y_j(\langle w,\mu_j\rangle + b)/\sqrt{w^T\Sigma_j w}`
(F5). Let :math:`r(w,b) = \min_j r_j`.

Any w, b bounds the best r from below. From above it is bounded by weights :math:`\lambda_j > 0` and a point
:math:`\mu_j + \Sigma_j u_j` of each ellipsoid such that

.. math:: \sum_j y_j \lambda_j\,(\mu_j + \Sigma_j u_j,\; 1) = 0 :

then the hulls of the two classes' ellipsoids of radii :math:`q_j = \sqrt{u_j^T\Sigma_j u_j}` meet, and no hyperplane
has more than :math:`\max_j q_j`. A sum that is zero only up to rounding is made zero, without being computed, by
changing the weights and the points a little: by a part :math:`\rho`, so that all radii :math:`q_j/(1-\rho)` suffice.

Covariances are known up to rounding only, and their smallest eigenvalues not even to one digit: the solver works with
factors. So one that differs from the given by a few units, :math:`|\Delta_{ab}| \le 48 (d+8)\,2^{-52}
\sqrt{\Sigma_{aa}\Sigma_{bb}}`, counts as the same, in both bounds and in the check. Means are taken as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtr

from .base import Certificate, Status, Verdict

UNBOUNDED = 1e6  # an r from here on counts as infinite: its error is 0 in floating point
NEGLIGIBLE = 1e-10  # a proof after moving the means by more than this, relative, is about other Gaussians


@dataclass(frozen=True, kw_only=True)
class RadiusCertificate(Certificate):
    """A hyperplane between Gaussians with what is proved about it: see the formulas of the module.

    ``lower`` is at most r of this w, ``upper`` at least the best possible r. ``updates`` counts Newton steps, improving
    directions or updates of the loop, and ``size`` the Gaussians.
    """

    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)  # Gaussians in the proof
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # their lambda_j
    u: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)  # their u_j, one row per Gaussian
    moved: float = 0.0  # upper holds after the means have moved by at most this, relative; 0: as they are
    required: float | None = None  # the r that was asked for (F3)
    eps: float = 0.0  # how far apart the bounds may be, relative

    @property
    def error(self) -> float:
        """No Gaussian has a larger error than this."""
        return float(ndtr(-self.lower))

    @property
    def best_error(self) -> float:
        """Every hyperplane has at least this error on some Gaussian."""
        return float(ndtr(-self.upper))

    @property
    def any_error(self) -> float:
        """No distribution with these means and covariances has a larger error: 1 / (1 + r^2)."""
        return 1.0 / (1.0 + self.lower * self.lower) if self.lower > 0 else 1.0

    def check(self, means: Any, covariances: Any, labels: Any) -> Verdict:
        """Compute every claim again from the Gaussians, with code that the solver does not use."""
        from .check.radius import check

        return check(self, means, covariances, labels)

    @classmethod
    def _read(cls, plain: dict[str, Any]) -> dict[str, Any]:
        u = np.asarray(plain["u"], dtype=np.float64)  # an empty list does not say that it has two dimensions
        return super()._read({**plain, "u": u if u.ndim == 2 else np.zeros((0, 0))})

    def __str__(self) -> str:
        here = f"r of this w is at least {self.lower:.9g}, so no Gaussian has a larger error than {self.error:.6g}"
        best = f"no hyperplane has more than r = {self.upper:.9g}, an error of {self.best_error:.6g}"
        moved = f" (after moving the means by a part {self.moved:.1g})" if self.moved else ""
        proof = f"proved by {len(self.rows)} Gaussian{'s' * (len(self.rows) != 1)}{moved}"
        reason = f"; {self.reason}" if self.reason else ""
        if self.status == Status.INFEASIBLE:
            return f"Infeasible: every hyperplane has an error of at least 1/2 on some Gaussian; {proof}."
        if self.status == Status.SEPARATED:
            return f"Separated: no Gaussian spreads towards this hyperplane, or r is at least {self.lower:.9g}."
        if self.required is not None:
            asked = f"r = {self.required:.9g} (error {ndtr(-self.required):.6g}) was required"
            if self.status == Status.IMPOSSIBLE:
                return f"Impossible: {asked}, but {best}; {proof}. Here {here}."
            bound = f"; {best}; {proof}" if math.isfinite(self.upper) else ""
            return f"{self.status.capitalize()}: {asked}; {here}{bound}{reason}."
        return f"{self.status.capitalize()}: {here}; {best}; {proof}{reason}."


def covariance_matrices(covariances: Any, k: int, d: int) -> np.ndarray:
    """The k covariances as d x d matrices, whichever way they are written.

    >>> covariance_matrices([2.0, [1.0, 3.0]], 2, 2).tolist()
    [[[2.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]]
    """
    if covariances is None or np.isscalar(covariances):
        covariances = [covariances or 0.0] * k
    elif isinstance(covariances, tuple) and len(covariances) == 2 and np.ndim(covariances[0]) == 3:
        covariances = list(zip(*covariances, strict=True))
    matrices = np.zeros((k, d, d))
    for j, one in enumerate(covariances):
        U, rest = one if isinstance(one, tuple) else (np.zeros((d, 0)), one)
        U, rest = np.asarray(U, dtype=np.float64), np.asarray(rest, dtype=np.float64)
        matrices[j] = U @ U.T + (rest if rest.ndim == 2 else np.diag(np.broadcast_to(rest, d)))
    return 0.5 * (matrices + matrices.transpose(0, 2, 1))
