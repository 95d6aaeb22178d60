r"""From a hyperplane between Gaussians, or weights of them, to bounds of the best r: see `linsep.certificates.radius`.

From below, any w gives a bound: `find_best_bias` computes it, `prove_lower` counts rounding errors too. From above,
weights and a point of each ellipsoid do: `prove_upper` brings their sum to zero and measures the ellipsoids. `certify`
does both.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from ...jit import compiled
from ...rows.exact import product
from ...rows.gaussians import Gaussians, row_norms
from ..base import Status
from ..radius import NEGLIGIBLE, UNBOUNDED, RadiusCertificate

U = float(np.finfo(np.float64).eps)
EXTENDED = float(np.finfo(np.longdouble).eps)  # where there is no wider float it is the same
FLAT = 1e-13  # eigenvalues below this part of the largest are zero


class Solution(NamedTuple):
    """A w, and what bounds the best r from above: weights and a point mu_j + F_j v_j of each ellipsoid."""

    w: np.ndarray
    weights: np.ndarray = np.zeros(0)  # empty: there is no bound
    V: np.ndarray = np.zeros((0, 0))
    updates: int = 0
    proof: Proof | None = None  # what they prove of the given Gaussians, if it has been computed


class BestBias(NamedTuple):
    """The best bias for some w."""

    r: float  # the smallest r_j
    b: float


# ---------------------------------------------------------------- from below


def find_best_bias(g: Gaussians, w: np.ndarray) -> BestBias:
    """The b for which the worst Gaussian is as far from the hyperplane as w allows; r = inf if none spreads along w.

    >>> from linsep.solvers.anderson.gaussians import factorize
    >>> find_best_bias(factorize([[0.0], [3.0]], [1.0, 4.0], [-1, 1]), np.array([1.0]))
    BestBias(r=1.0, b=-1.0)
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


def prove_lower(g: Gaussians, w: np.ndarray) -> BestBias:
    """The best bias, with an r that is at most that of the hyperplane w, b in spite of rounding."""
    d, origin = len(w), g.means[0]
    here = product(origin, w)  # without rounding: far from 0, b is all of that
    noise = np.abs(g.means - origin) @ np.abs(w)
    noise = 2 * (d + 8) * EXTENDED * (noise + noise.max()) + U * U
    means = g.means - origin.astype(np.longdouble)
    score, sigma = g.sign * (means @ w), g.sigma(w)
    room = noise + 2 * U * (float(np.abs(score).max()) + abs(float(here)))  # what b may lose
    found = BestBias(*_balance(g.sign, sigma, (score - room).astype(np.float64)))
    if found.r >= UNBOUNDED:  # nothing spreads but by rounding error, and that should not place the hyperplane
        least = 16 * (d + 8) * U * (g.axis_deviations() @ np.abs(w)) + 8 * U * float(np.abs(score).max())
        real = np.where(sigma > least, sigma, 0.0)
        found = BestBias(*_balance(g.sign, real, (score - room).astype(np.float64)))
    b = float(Fraction(found.b) - here)
    place = Fraction(b) + here
    shift = np.longdouble(float(place)) + np.longdouble(float(place - Fraction(float(place))))
    score = (score + g.sign * shift - noise).astype(np.float64)
    flat = sigma == 0
    radius = np.where(score > 0, np.inf, -np.inf)
    radius[~flat] = score[~flat] / sigma[~flat]
    r = float(radius.min())
    return BestBias(r - 2 * (d + 8) * U * abs(r) if math.isfinite(r) else r, b)


# ---------------------------------------------------------------- from above


class Proof(NamedTuple):
    """What bounds r from above: see `linsep.certificates.radius`."""

    rows: np.ndarray
    weights: np.ndarray
    u: np.ndarray
    upper: float = math.inf
    moved: float = 0.0


NO_PROOF = Proof(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 0)))


class _Combination(NamedTuple):
    """Points mu_j + Sigma_j u_j of ellipsoids, mirrored and augmented, and their weighted sum."""

    weights: np.ndarray
    u: np.ndarray
    V: np.ndarray  # v_j = F_j' u_j
    A: np.ndarray  # the points, one row per Gaussian
    total: np.ndarray  # their sum

    @classmethod
    def of(cls, g: Gaussians, weights: np.ndarray, u: np.ndarray) -> _Combination:
        V = np.matmul(g.low, u[:, :, None])[:, :, 0]
        V = np.hstack([V, g.deviation * u]) if g.deviation.size else V
        A = _augment(g.means + g.expand(V)) * g.sign[:, None]
        return cls(weights, u, V, A, weights @ A)

    def gram(self, g: Gaussians, radius: np.ndarray) -> np.ndarray:
        """What changes of weights and points can do: the sum of lambda^2 (a a' + q^2 Sigma)."""
        G = (self.A * self.weights[:, None] ** 2).T @ self.A
        G[:-1, :-1] += g.weighted_covariance((self.weights * radius) ** 2)
        return G


def prove_upper(g: Gaussians, weights: np.ndarray, V: np.ndarray) -> Proof:
    """The bound that weights and points prove, after their sum has been brought to zero as far as rounding allows."""
    rows = np.flatnonzero(weights > 1e-13 * weights.max())
    g, weights, V = g.take(rows), weights[rows], V[rows]
    places, g = g.means, g._replace(means=g.means - g.means.mean(axis=0))
    points = _Combination.of(g, _halve_per_side(weights, g.sign), _solve_factors(g, V))
    noise = 4 * (len(rows) + 4) * U * (points.weights @ np.abs(_augment(g.means)))  # of the sum, even if it were zero
    for _ in range(3):
        if (np.abs(points.total) <= noise).all():
            break
        radius = row_norms(points.V)
        x = solve_min_norm(points.gram(g, radius), points.total)
        change = points.weights * (points.A @ x)
        if not np.abs(change).max() < 0.5:
            break
        u = points.u - (g.sign * points.weights * radius**2 / (1.0 - change))[:, None] * x[:-1]
        points = _Combination.of(g, _halve_per_side(points.weights * (1.0 - change), g.sign), u)
    radius, total, part = _measure(g, points, noise)
    exact = not np.any(points.V) and _sums_to_zero(places, g.sign, points.weights)
    if part < 1e-6 or exact:
        radius = radius if exact else radius / (1.0 - part)
        return Proof(rows, points.weights, points.u, float(np.max(radius)))
    # not provable as they are: but after the means of one class have moved a little
    length = float(np.linalg.norm(total[:-1]) + total[-1] * row_norms(points.A[:, :-1]).max())
    moved = 8.0 * length / max(float(row_norms(g.means).max()), 1e-300)
    return Proof(rows, points.weights, points.u, float(np.max(radius)), moved)


def _measure(g: Gaussians, points: _Combination, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The radii, the sum, and by what part all must change for it to be zero; with the rounding errors of these."""
    (k, d), axes = points.u.shape, g.axis_deviations()
    radius = row_norms(points.V) * (1.0 + 2 * (d + 8) * U)
    same = points.weights @ (axes * np.vecdot(axes, np.abs(points.u))[:, None])  # covariances that count as the same
    total = np.abs(points.total)
    total[:-1] -= 4 * (d + 8) * U * same
    total = np.maximum(total, 0.0) + noise
    G = points.gram(g, radius)
    size = G.diagonal()
    unit = np.exp2(-np.round(0.5 * np.log2(np.where(size > 0, size, 1.0))))
    used = (size > 0) | (total > 0)  # not columns in which all Gaussians are the same
    G, unit, left = (G, unit, total) if used.all() else (G[np.ix_(used, used)], unit[used], total[used])
    least = np.linalg.eigvalsh(G * unit * unit[:, None])[0] - 16 * (k + d + 8) * U * (d + 1)
    part = 4.0 * float(np.linalg.norm(unit * left)) / math.sqrt(least) if least > 0 else 1.0
    return radius, total, part


def _sums_to_zero(means: np.ndarray, sign: np.ndarray, weights: np.ndarray) -> bool:
    """Whether the weighted means sum to zero without any rounding."""
    share = [Fraction(float(y * weight)) for y, weight in zip(sign, weights)]
    return all(sum(s * Fraction(float(x)) for s, x in zip(share, column)) == 0 for column in _augment(means).T)


def _halve_per_side(weights: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """Weights of sum 1/2 on each side."""
    positive = sign > 0
    return np.where(positive, 0.5 * weights / weights[positive].sum(), 0.5 * weights / weights[~positive].sum())


def _solve_factors(g: Gaussians, V: np.ndarray) -> np.ndarray:
    """The shortest u_j with F_j F_j' u_j = F_j v_j, of all j."""
    u, left = np.zeros(g.means.shape), np.ones(len(V), dtype=bool)
    if g.low.shape[1] == g.low.shape[2] and not g.deviation.size:
        _substitute_back(g.low, V, u, left)
    for j in np.flatnonzero(left):
        rows = g.factor(int(j))
        if rows.any():
            u[j] = np.linalg.lstsq(rows, V[j], rcond=None)[0]
    return u


@compiled
def _substitute_back(low, V, u, left):
    """F_j' u_j = v_j by substitution where F_j' is a well-conditioned upper triangle; ``left`` marks the others."""
    d = u.shape[1]
    for j in range(u.shape[0]):
        good = True
        for c in range(d):
            square = 0.0
            for r in range(d):
                good = good and (r <= c or low[j, r, c] == 0.0)
                square += low[j, r, c] * low[j, r, c]
            good = good and abs(low[j, c, c]) > 1e-6 * np.sqrt(square)
        left[j] = not good
        for r in range(d - 1, -1 if good else d - 1, -1):
            rest = V[j, r]
            for c in range(r + 1, d):
                rest -= low[j, r, c] * u[j, c]
            u[j, r] = rest / low[j, r, r]


def _augment(means: np.ndarray) -> np.ndarray:
    """The means, each followed by a 1."""
    out = np.ones((means.shape[0], means.shape[1] + 1))
    out[:, :-1] = means
    return out


def solve_min_norm(G: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """The shortest x with G x = rhs, as far as there is one; columns are scaled to similar size first."""
    unit = 1.0 / np.sqrt(np.where(np.diag(G) > 0, np.diag(G), 1.0))
    factor, failed = dpotrf(G * unit * unit[:, None], lower=1)
    if not failed and factor.diagonal().min() > 1e-5:
        return unit * dpotrs(factor, unit * rhs, lower=1)[0]
    values, vectors = np.linalg.eigh(G * unit * unit[:, None])
    inverse = np.where(values > FLAT * values[-1], 1.0 / np.where(values > 0, values, 1.0), 0.0)
    return unit * (vectors @ (inverse * (vectors.T @ (unit * rhs))))


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

    ``exact``: bounds that meet are "optimal" rather than "eps-optimal".
    """
    largest = float(np.abs(solution.w).max())
    w = solution.w / largest / np.linalg.norm(solution.w / largest) if largest > 0 else solution.w  # its length is free
    r, b = prove_lower(g, w)
    proof = solution.proof or (prove_upper(g, solution.weights, solution.V) if solution.weights.size else NO_PROOF)
    return RadiusCertificate(
        status=conclude(r, proof.upper, moved=proof.moved, required=required, eps=eps, exact=exact),
        lower=r,
        upper=proof.upper,
        updates=solution.updates,
        size=len(g.sign),
        reason=reason,
        w=np.append(w, b),
        rows=proof.rows,
        weights=proof.weights,
        u=proof.u,
        moved=proof.moved,
        required=required,
        eps=eps,
    )


def conclude(
    lower: float, upper: float, *, moved: float = 0.0, required: float | None = None, eps: float = 0.0, exact=True
) -> Status:
    """The status that the numbers allow.

    >>> conclude(1.0, 1.5, required=0.9), conclude(1.0, 1.5, required=1.6), conclude(1.0, 1.5, required=1.2)
    ('reached', 'impossible', 'budget spent')
    """
    proved = moved <= NEGLIGIBLE
    if upper <= 0.0 and proved:
        return Status.INFEASIBLE if moved == 0.0 else Status.WITHIN_ROUNDING
    if required is not None:
        if lower >= required:
            return Status.REACHED
        if upper < required and proved:
            return Status.IMPOSSIBLE
        near = proved and upper < math.inf and upper - lower <= 1e-9 * upper
        return Status.WITHIN_ROUNDING if near else Status.BUDGET_SPENT
    if upper == math.inf and lower >= UNBOUNDED:
        return Status.SEPARATED
    if lower > 0 and proved and upper - lower <= eps * upper:
        return Status.OPTIMAL if exact else Status.EPS_OPTIMAL
    return Status.BUDGET_SPENT
