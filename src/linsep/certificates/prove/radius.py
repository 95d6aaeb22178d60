r"""From a hyperplane between Gaussians, or weights of them, to bounds of the best r: see `linsep.certificates.radius`.

From below, any w gives a bound: `find_best_bias` computes it, `prove_lower` counts rounding errors too. From above,
weights and a point of each ellipsoid do: `prove_upper` (`linsep.certificates.prove.meeting`). `certify` does both.

Gaussians have columns scaled by powers of two (`Gaussians.exponent`); `certify` scales w and the proof back, exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...jit import compiled
from ...rows.exact import product
from ...rows.exact_matrix import quadratic_form
from ...rows.gaussians import Gaussians
from ..base import Status
from ..radius import UNBOUNDED, RadiusCertificate
from .meeting import EXTENDED, NO_PROOF, Proof, U, prove_upper

UNCERTAIN = 1e-11  # a quadratic form that wide floats know to this part needs no exact arithmetic
NEARLY = 1e-11  # the part of r that a distance may cost which computed scores can see
ROUNDED = 1e-5  # bounds that rounding keeps apart by no more than this part are "eps-optimal"


class Rounded(NamedTuple):
    """What `round_hyperplane` makes of w: a hyperplane in the user's coordinates, and an r that it surely reaches."""

    hyperplane: np.ndarray
    r: float
    w: np.ndarray


class Solution(NamedTuple):
    """A w, and what bounds the best r from above: weights and a point mu_j + F_j v_j of each ellipsoid."""

    w: np.ndarray
    weights: np.ndarray = np.zeros(0)  # empty: there is no bound
    V: np.ndarray = np.zeros((0, 0))
    updates: int = 0
    proof: Proof | None = None  # what they prove of the given Gaussians, if it has been computed
    rounded: Rounded | None = None  # of w, if it has been computed

    def round(self, g: Gaussians) -> Rounded:
        """What `round_hyperplane` makes of w."""
        if self.rounded is not None and np.array_equal(self.rounded.w, self.w):
            return self.rounded
        return round_hyperplane(g, self.w)


class BestBias(NamedTuple):
    """The best bias for some w."""

    r: float  # the smallest r_j
    b: float


# ---------------------------------------------------------------- from below


def find_best_bias(g: Gaussians, w: np.ndarray) -> BestBias:
    """The b for which the worst Gaussian is as far from the hyperplane as w allows; r = inf if none spreads along w.

    >>> from linsep.solvers.anderson.gaussians import factorize
    >>> find_best_bias(factorize([[0.0], [3.0]], [1.0, 4.0], [-1, 1]), np.array([1.0]))
    BestBias(r=1.0, b=-0.25)
    """
    return BestBias(*_balance(g.sign, g.sigma(w), g.sign * (g.means @ w)))


@compiled
def _balance(sign, sigma, score):
    """The r at which the two sides meet, by Newton's method from infinity downwards; and the b half-way between them.

    At r the worst of each side has the least score - r sigma; the sum of both is concave in r and falls to 0.
    """
    r, one, two = np.inf, _worst(sign, sigma, score, 1.0, np.inf), _worst(sign, sigma, score, -1.0, np.inf)
    while sigma[one] + sigma[two] > 0:
        meet = (score[one] + score[two]) / (sigma[one] + sigma[two])
        if not meet < r:
            break
        r = meet
        one, two = _worst(sign, sigma, score, 1.0, r), _worst(sign, sigma, score, -1.0, r)
    if sigma[one] + sigma[two] == 0 and not score[one] + score[two] > 0:  # two that don't spread are not apart
        r = -np.inf
    at = r if np.isfinite(r) else 0.0
    one, two = _worst(sign, sigma, score, 1.0, at), _worst(sign, sigma, score, -1.0, at)
    return r, 0.5 * ((score[two] - at * sigma[two]) - (score[one] - at * sigma[one]))


@compiled
def _worst(sign, sigma, score, side, r):
    """The Gaussian of a side with the least score - r sigma; at r = inf the one with the largest sigma."""
    worst = -1
    for j in range(sign.size):
        if sign[j] == side:
            if r == np.inf and sigma[j] != sigma[worst]:
                lower = sigma[j] > sigma[worst]
            else:
                at = r if r < np.inf else 0.0
                lower = score[j] - at * sigma[j] < score[worst] - at * sigma[worst]
            if worst < 0 or lower:
                worst = j
    return worst


def compute_radii(g: Gaussians, hyperplane: np.ndarray) -> np.ndarray:
    """r_j of all Gaussians for the hyperplane (w, b)."""
    sigma, score = g.sigma(hyperplane[:-1]), g.sign * (g.means @ hyperplane[:-1] + hyperplane[-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sigma > 0, score / sigma, np.where(score > 0, np.inf, -np.inf))


def bound_sigma(g: Gaussians, hyperplane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Below and above the standard deviations along w, of the covariances as given; close for those that decide r."""
    w, radii = hyperplane[:-1], compute_radii(g, hyperplane)
    least = float(radii.min())
    decide = ~(radii > (least + 0.01 * abs(least) if math.isfinite(least) else least))
    d, size, matrix = len(w), np.abs(w), g.from_matrix()
    down = np.zeros(len(matrix), dtype=np.longdouble)
    up = down.copy()
    if matrix.any():
        given = g if matrix.all() else g.take(np.flatnonzero(matrix))
        down[matrix], up[matrix] = _bound_forms(given, w, decide[matrix])
    if not matrix.all() and g.low.size:
        along = np.abs(g.low[~matrix] @ w.astype(np.longdouble))
        error = 2 * (d + 8) * EXTENDED * (np.abs(g.low[~matrix]) @ size)
        down[~matrix], up[~matrix] = (np.vecdot(v, v) for v in (np.maximum(along - error, 0), along + error))
    if g.variance.size:
        rest = np.vecdot(g.variance * size, size)
        down, up = down + rest, up + rest
    room = 4 * (d + 8) * U
    return (1 - room) * np.sqrt(down).astype(np.float64), (1 + room) * np.sqrt(up).astype(np.float64)


def _bound_forms(g: Gaussians, w: np.ndarray, decide: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Below and above w' Sigma_j w of matrices: floats, wide floats and exact arithmetic, as far as each is needed."""
    reach = (g.axis_deviations() + g.unsure) @ np.abs(w)
    form = ((g.matrices @ w) @ w).astype(np.longdouble)
    error = 4 * (len(w) + 8) * U * (reach * reach).astype(np.longdouble)
    wide = np.flatnonzero((decide & (error > 1e-15 * form)) | (error > 1e-4 * form))
    form[wide] = (g.matrices[wide] @ w.astype(np.longdouble)) @ w
    error[wide] *= EXTENDED / U
    for i in np.flatnonzero((error > UNCERTAIN * form) & (decide | (error > 1e-4 * form)) & ~g.unsure.any(axis=1)):
        form[i] = float(quadratic_form(g.matrices[i], w))
        error[i] = 2 * U * abs(form[i])
    error += (g.unsure @ np.abs(w)) ** 2
    return np.maximum(form - error, 0), form + error


def prove_radii(
    g: Gaussians, hyperplane: np.ndarray, bounds: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """Numbers that the r_j of the hyperplane (w, b) are not below, in spite of rounding; ``bounds`` are of sigma."""
    w, origin = hyperplane[:-1], g.means[0]
    place = Fraction(float(hyperplane[-1])) + product(origin, w)  # without rounding: far from 0, b is all of that
    shift = np.longdouble(float(place)) + np.longdouble(float(place - Fraction(float(place))))
    means = g.means - origin.astype(np.longdouble)
    noise = 2 * (len(w) + 8) * EXTENDED * (np.abs(means) @ np.abs(w) + abs(shift))
    score = (g.sign * (means @ w + shift) - noise).astype(np.float64)
    down, up = bounds or bound_sigma(g, hyperplane)
    sigma = np.where(score > 0, up, down)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(sigma > 0, score / sigma, np.where(score > 0, np.inf, -np.inf))
    return r * (1.0 - np.sign(r) * 2 * (len(w) + 8) * U)


def prove_lower(g: Gaussians, w: np.ndarray) -> BestBias:
    """The best bias, with an r that is at most that of the hyperplane w, b in spite of rounding."""
    size, origin = np.abs(w), g.means[0]
    here = product(origin, w)
    means = (g.means - origin.astype(np.longdouble)) @ w
    score = (g.sign * means).astype(np.float64)
    nominal = float(Fraction(float(_balance(g.sign, g.sigma(w), score)[1])) - here)
    bounds = bound_sigma(g, np.append(w, nominal))
    room = 16 * U * (float(np.abs(score).max()) + abs(float(here)))  # what b may lose
    # where nothing spreads but by rounding error, that does not place the hyperplane
    blur = 8 * (len(w) + 8) * U * ((np.abs(g.means) + g.axis_deviations()) @ size)
    real = g.sigma(w) > blur
    sigma = bounds[1] if real.any() else np.zeros(len(score))
    found = []
    for distance in (np.where(real, 0.0, blur), 0.0):  # the first is one that computed scores can see, if that is free
        b = float(Fraction(float(_balance(g.sign, sigma, score - room - distance)[1])) - here)
        found.append(BestBias(float(prove_radii(g, np.append(w, b), bounds).min()), b))
        if real.all():
            break
    return found[0] if found[0].r >= (1 - NEARLY) * found[-1].r else found[-1]


# ---------------------------------------------------------------- both


def certify(
    g: Gaussians,
    solution: Solution,
    *,
    required: float | None = None,
    eps: float = 1e-9,
    exact: bool = True,
    reason: str = "",
) -> RadiusCertificate:
    """The certificate of a solution: both bounds computed once more, in the user's coordinates.

    ``exact``: bounds that meet are "optimal", not "eps-optimal", and those that don't meet are apart by rounding.
    """
    hyperplane = solution.round(g).hyperplane
    lower = float(prove_radii(g, scale_hyperplane(g, hyperplane)).min())
    proof = solution.proof or (prove_upper(g, solution.weights, solution.V) if solution.weights.size else NO_PROOF)
    if lower > proof.upper:
        raise ArithmeticError(
            f"Anderson: the lower bound {lower!r} of r is above the upper bound {proof.upper!r}, so one of them is "
            "wrong: please report these Gaussians as a bug of linsep."
        )
    status = conclude(lower, proof.upper, required=required, eps=eps, exact=exact, reason=reason)
    near = conclude(lower, proof.upper, required=required, eps=ROUNDED, exact=False)
    if status == Status.WITHIN_ROUNDING and near == Status.EPS_OPTIMAL:
        status, eps = near, ROUNDED
    return RadiusCertificate(
        status=status,
        lower=lower,
        upper=proof.upper,
        updates=solution.updates,
        size=len(g.sign),
        reason=reason,
        w=hyperplane,
        rows=proof.rows,
        weights=proof.weights,
        integers=proof.integers,
        u=np.ldexp(proof.u, -g.exponent[: proof.u.shape[1]].astype(np.int32)),
        required=required,
        eps=eps,
    )


def round_hyperplane(g: Gaussians, w: np.ndarray) -> Rounded:
    """The hyperplane of w, of length 1 in the user's coordinates, with the best bias; and an r that it reaches."""
    if not w.any():
        return Rounded(np.append(w, 0.0), -math.inf, w)
    given, e = w, g.exponent.astype(np.int32)
    w = np.ldexp(w, -e - (np.frexp(w)[1] - e)[w != 0].max())
    w = w / np.linalg.norm(w)  # its length is free
    power = int((np.frexp(w)[1] + e)[w != 0].max())
    r, b = prove_lower(g, np.ldexp(w, e - power))
    hyperplane = np.append(w, math.ldexp(b, power))
    if math.ldexp(hyperplane[-1], -power) != b:  # b is too small, and was rounded
        r = float(prove_radii(g, scale_hyperplane(g, hyperplane)).min())
    return Rounded(hyperplane, r, given)


def scale_hyperplane(g: Gaussians, hyperplane: np.ndarray) -> np.ndarray:
    """A hyperplane (w, b) of the user's coordinates in those of the Gaussians, times a power of two."""
    w, e = hyperplane[:-1], g.exponent.astype(np.int32)
    power = int((np.frexp(w)[1] + e)[w != 0].max(initial=-5000))
    return np.append(np.ldexp(w, e - power), math.ldexp(hyperplane[-1], -power)) if w.any() else hyperplane


def conclude(
    lower: float,
    upper: float,
    *,
    required: float | None = None,
    eps: float = 0.0,
    exact: bool = True,
    reason: str = "",
) -> Status:
    """The status that the numbers allow.

    >>> conclude(1.0, 1.5, required=0.9), conclude(1.0, 1.5, required=1.6), conclude(1.0, 1.5, required=1.2)
    ('reached', 'impossible', 'not decided within rounding')
    """
    undecided = Status.WITHIN_ROUNDING if exact and not reason else Status.BUDGET_SPENT
    if upper <= 0.0:
        return Status.INFEASIBLE
    if required is not None:
        if lower >= required:
            return Status.REACHED
        return Status.IMPOSSIBLE if upper < required else undecided
    if upper == math.inf and lower >= UNBOUNDED:
        return Status.SEPARATED
    if lower > 0 and upper - lower <= eps * upper < math.inf:
        return Status.OPTIMAL if exact else Status.EPS_OPTIMAL
    return undecided
