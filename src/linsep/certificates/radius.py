r"""Certificates for Gaussians: how far they are from a hyperplane, and how far they could be at most.

Gaussian j has the error :math:`\Phi(-r_j)` with :math:`r_j = y_j(\langle w,\mu_j\rangle + b)/\sqrt{w^T\Sigma_j w}`
(F5). Let :math:`r(w,b) = \min_j r_j`.

Any w, b bounds the best r from below. From above it is bounded by weights :math:`\lambda_j > 0` and a point
:math:`\mu_j + \Sigma_j u_j` of each ellipsoid such that

.. math:: \sum_j y_j \lambda_j\,(\mu_j + \Sigma_j u_j,\; 1) = 0 :

then the hulls of the two classes' ellipsoids of radii :math:`q_j = \sqrt{u_j^T\Sigma_j u_j}` meet, and no hyperplane
has more than :math:`\max_j q_j`. A sum that is zero only up to rounding is made zero, without being computed, by
changing the weights by a part :math:`\rho` and the points by as much of the largest radius; then radii of
:math:`\max_j q_j/(1-\rho)` suffice.
Integer weights of the means alone prove that all q_j can be 0.

Both bounds are about the Gaussians as they are given, without any rounding. One exception: a matrix that is not
positive semidefinite in exact arithmetic, or not known to be (more than `EXACT` columns), is no covariance. The bounds
then hold for every covariance that differs from it by

.. math:: |\Delta_{ab}| \le c\,2^{-52} \sqrt{\Sigma_{aa}\Sigma_{bb}}

with c = 4 (d + 8), or as much more as its most negative eigenvalue asks for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtr

from .base import Certificate, Status, Verdict, at_least, at_most

UNBOUNDED = 100.0  # an r from here on needs no upper bound: its error is 0 in floating point
EXACT = 24  # columns up to which a matrix that seems singular is decided to be positive semidefinite or not


@dataclass(frozen=True, kw_only=True)
class RadiusCertificate(Certificate):
    """A hyperplane between Gaussians with what is proved about it: see the formulas of the module.

    ``lower`` is at most r of this w, ``upper`` at least the best possible r. ``updates`` counts Newton steps, improving
    directions or updates of the loop, and ``size`` the Gaussians.
    """

    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)  # Gaussians in the proof
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # their lambda_j
    u: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)  # their u_j, one row per Gaussian
    integers: tuple[int, ...] = field(default=(), repr=False)  # multiples of `weights` that make the means meet exactly
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

    def parts(self) -> dict[str, Any]:
        """As in the base; integers as hex, since JSON readers need not read such long ones."""
        return {**super().parts(), "integers": [hex(number) for number in self.integers]}

    @classmethod
    def _read(cls, plain: dict[str, Any]) -> dict[str, Any]:
        u = np.asarray(plain["u"], dtype=np.float64)  # an empty list does not say that it has two dimensions
        integers = tuple(int(number, 16) for number in plain.get("integers", ()))
        return super()._read({**plain, "u": u if u.ndim == 2 else np.zeros((0, 0)), "integers": integers})

    def __str__(self) -> str:
        here = f"r of this w is at least {at_least(self.lower, 9)}, so no Gaussian errs more than {at_most(self.error)}"
        if self.lower <= 0:
            here = "this w has an error of 1/2 or more on some Gaussian, or that is not excluded"
        best = f"no hyperplane has more than r = {at_most(self.upper, 9)}, an error of {at_least(self.best_error)}"
        proof = f"proved by {len(self.rows)} Gaussian{'s' * (len(self.rows) != 1)}"
        bound = f"{best}; {proof}" if math.isfinite(self.upper) else "how large r can be is not known"
        reason = f"; {self.reason}" if self.reason else ""
        if self.status == Status.INFEASIBLE:
            return f"Infeasible: every hyperplane has an error of at least 1/2 on some Gaussian; {proof}."
        if self.status == Status.SEPARATED:
            flat = "no Gaussian spreads towards this hyperplane, and all means are on their sides"
            return f"Separated: {flat if self.lower == math.inf else here}."
        if self.required is not None:
            asked = f"r = {self.required:.9g} (error {ndtr(-self.required):.6g}) was required"
            if self.status == Status.IMPOSSIBLE:
                return f"Impossible: {asked}, but {bound}. Here {here}."
            return f"{self.status.capitalize()}: {asked}; {here}; {bound}{reason}."
        return f"{self.status.capitalize()}: {here}; {bound}{reason}."


Parts = tuple[np.ndarray | None, np.ndarray, np.ndarray]  # a matrix or None, U (d x rank), and d variances


def covariance_parts(covariances: Any, k: int, d: int) -> list[Parts]:
    """The k covariances, each as a matrix + U U' + diag(variances), whichever way they are written.

    >>> [variance.tolist() for _, _, variance in covariance_parts([2.0, [1.0, 3.0]], 2, 2)]
    [[2.0, 2.0], [1.0, 3.0]]
    """
    if covariances is None or np.isscalar(covariances) or getattr(covariances, "ndim", 1) == 0:
        covariances = [0.0 if covariances is None else covariances] * k
    elif isinstance(covariances, tuple) and len(covariances) == 2 and np.ndim(covariances[0]) == 3:
        covariances = list(zip(*covariances))
    if len(covariances) != k:
        raise ValueError(f"covariances: expected one per mean, that is {k}, got {len(covariances)}.")
    parts: list[Parts] = []
    for j, one in enumerate(covariances):
        low, rest = one if isinstance(one, tuple) and len(one) == 2 else (np.zeros((d, 0)), one)
        low, rest = np.asarray(low, dtype=np.float64), np.asarray(rest, dtype=np.float64)
        if low.ndim != 2 or len(low) != d or rest.shape not in ((), (d,), (d, d)):
            raise ValueError(f"Gaussian {j}: its covariance has shape {rest.shape}, its mean {d} numbers.")
        if not np.isfinite(low).all() or not np.isfinite(rest).all():
            raise ValueError(f"Gaussian {j}: its covariance is not finite.")
        if rest.ndim == 2:
            parts.append((0.5 * rest + 0.5 * rest.T if (rest != rest.T).any() else rest, low, np.zeros(d)))
        else:
            parts.append((None, low, np.broadcast_to(rest, d)))
    return parts


def covariance_matrices(covariances: Any, k: int, d: int) -> np.ndarray:
    """The k covariances as d x d matrices, whichever way they are written.

    >>> covariance_matrices([2.0, [1.0, 3.0]], 2, 2).tolist()
    [[[2.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]]
    """
    parts = covariance_parts(covariances, k, d)
    return np.array([low @ low.T + np.diag(rest) + (0.0 if matrix is None else matrix) for matrix, low, rest in parts])
