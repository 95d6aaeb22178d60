r"""From a hyperplane between Gaussians, or weights of them, to bounds of the best r: see `linsep.certificates.radius`.

From below, any w gives a bound: `level` finds its best bias, `surely` counts rounding errors too. From above, weights
and a point of each ellipsoid do: `prove` brings their sum to zero and measures the ellipsoids. `certify` does both.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from ...jit import compiled
from ...rows.exact import product
from ...solvers.anderson.gaussians import Gaussians, row_norms
from ..radius import ENDLESS, RadiusCertificate, conclude

U = float(np.finfo(np.float64).eps)
EXTENDED = float(np.finfo(np.longdouble).eps)  # where there is no wider float it is the same
FLAT = 1e-13  # eigenvalues below this part of the largest are zero


class Answer(NamedTuple):
    """A w, and what bounds the best r from above: weights and a point mu_j + F_j v_j of each ellipsoid."""

    w: np.ndarray
    weights: np.ndarray  # empty: there is no bound
    V: np.ndarray
    steps: int
    proof: Proof | None = None  # what they prove of the given Gaussians, if that is known already


class Level(NamedTuple):
    """The best bias for some w."""

    r: float  # the smallest (r_j - c_j) / a_j
    b: float


# ---------------------------------------------------------------- from below


def level(g: Gaussians, w: np.ndarray) -> Level:
    """The b for which the worst Gaussian is as far from the hyperplane as w allows; r = inf if none spreads along w.

    >>> from linsep.solvers.anderson.gaussians import gaussians
    >>> level(gaussians([[0.0], [3.0]], [1.0, 4.0], [-1, 1]), np.array([1.0]))
    Level(r=1.0, b=-1.0)
    """
    return _meet(g, g.sign * (g.means @ w), g.spread(w))


def _meet(g: Gaussians, score: np.ndarray, spread: np.ndarray) -> Level:
    """The least r at which the two sides meet: the sum of two concave functions of r falls to 0."""
    return Level(*_crossing(g.sign, g.scale * spread, score - g.caution * spread))


@compiled
def _crossing(sign, slope, offset):
    """Newton's method for that r, from infinity downwards; and the b half-way between the sides."""
    r, one, two = np.inf, _lowest(sign, slope, offset, 1.0, np.inf), _lowest(sign, slope, offset, -1.0, np.inf)
    while slope[one] + slope[two] > 0:
        meet = (offset[one] + offset[two]) / (slope[one] + slope[two])
        if not meet < r:
            break
        r = meet
        one, two = _lowest(sign, slope, offset, 1.0, r), _lowest(sign, slope, offset, -1.0, r)
    if slope[one] + slope[two] == 0 and not offset[one] + offset[two] > 0:  # two that don't spread are not apart
        r = -np.inf
    at = r if np.isfinite(r) else 0.0
    one, two = _lowest(sign, slope, offset, 1.0, at), _lowest(sign, slope, offset, -1.0, at)
    return r, 0.5 * ((offset[two] - at * slope[two]) - (offset[one] - at * slope[one]))


@compiled
def _lowest(sign, slope, offset, side, r):
    """Who of a side has the least offset - r slope; at r = inf that is the steepest."""
    best = -1
    for j in range(sign.size):
        if sign[j] == side:
            if r == np.inf and slope[j] != slope[best]:
                lower = slope[j] > slope[best]
            else:
                at = r if r < np.inf else 0.0
                lower = offset[j] - at * slope[j] < offset[best] - at * slope[best]
            if best < 0 or lower:
                best = j
    return best


def radii(g: Gaussians, at: np.ndarray) -> np.ndarray:
    """(r_j - c_j) / a_j of the hyperplane ``at`` = (w, b)."""
    spread, score = g.spread(at[:-1]), g.sign * (g.means @ at[:-1] + at[-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(spread > 0, score / spread, np.where(score > 0, np.inf, -np.inf))
    return (r - g.caution) / g.scale


def surely(g: Gaussians, w: np.ndarray) -> Level:
    """The same, valid in spite of rounding: r is not larger than that of the hyperplane w, b in floating point."""
    d, origin = len(w), g.means[0]
    here = product(origin, w)  # without rounding: far from 0, b is all of that
    noise = np.abs(g.means - origin) @ np.abs(w)
    noise = 2 * (d + 8) * EXTENDED * (noise + noise.max()) + U * U
    means = g.means - origin.astype(np.longdouble)
    score, spread = g.sign * (means @ w), g.spread(w)
    room = noise + 2 * U * (float(np.abs(score).max()) + abs(float(here)))  # what b may lose
    found = _meet(g, (score - room).astype(np.float64), spread)
    if found.r >= ENDLESS:  # nothing spreads but by rounding error, and that should not place the hyperplane
        least = 16 * (d + 8) * U * (g.deviations() @ np.abs(w)) + 8 * U * float(np.abs(score).max())
        found = _meet(g, (score - room).astype(np.float64), np.where(spread > least, spread, 0.0))
    b = float(Fraction(found.b) - here)
    place = Fraction(b) + here
    shift = np.longdouble(float(place)) + np.longdouble(float(place - Fraction(float(place))))
    score = (score + g.sign * shift - noise).astype(np.float64)
    flat = spread == 0
    radius = np.where(score > 0, np.inf, -np.inf)
    radius[~flat] = (score[~flat] / spread[~flat] - g.caution[~flat]) / g.scale[~flat]
    r = float(radius.min())
    return Level(r - 2 * (d + 8) * U * abs(r) if math.isfinite(r) else r, b)


# ---------------------------------------------------------------- from above


class Proof(NamedTuple):
    """What bounds r from above: see `linsep.certificates.radius`."""

    rows: np.ndarray
    weights: np.ndarray
    u: np.ndarray
    upper: float = math.inf
    moved: float = 0.0


NOTHING = Proof(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 0)))


def prove(g: Gaussians, weights: np.ndarray, V: np.ndarray) -> Proof:
    """The bound that weights and points prove, after their sum has been brought to zero as far as rounding allows."""
    rows = np.flatnonzero(weights > 1e-13 * weights.max())
    g, weights, V = g.some(rows), weights[rows], V[rows]
    places, g = g.means, g._replace(means=g.means - g.means.mean(axis=0))
    u, weights = _pull(g, V), _halves(weights, g.sign)
    V, A, rest = _sum(g, weights, u)
    noise = 4 * (len(rows) + 4) * U * (weights @ np.abs(_augmented(g.means)))  # of the sum, even if it were zero
    for _ in range(3):
        if (np.abs(rest) <= noise).all():
            break
        radius = row_norms(V)
        x = shortest(_gram(g, A, weights, radius), rest)
        change = weights * (A @ x)
        if not np.abs(change).max() < 0.5:
            break
        u = u - (g.sign * weights * radius**2 / (1.0 - change))[:, None] * x[:-1]
        weights = _halves(weights * (1.0 - change), g.sign)
        V, A, rest = _sum(g, weights, u)
    radius, total, part = _measured(g, weights, u, V, A, rest, noise)
    exact = not np.any(V) and _exactly_zero(places, g.sign, weights)
    if part < 1e-6 or exact:
        radius = radius if exact else radius / (1.0 - part)
        return Proof(rows, weights, u, float(np.max((radius - g.caution) / g.scale)))
    # not provable as they are: but after the means of one class have moved a little
    length = float(np.linalg.norm(total[:-1]) + total[-1] * row_norms(A[:, :-1]).max())
    moved = 8.0 * length / max(float(row_norms(g.means).max()), 1e-300)
    return Proof(rows, weights, u, float(np.max((radius - g.caution) / g.scale)), moved)


def _measured(
    g: Gaussians, weights: np.ndarray, u: np.ndarray, V: np.ndarray, A: np.ndarray, rest: np.ndarray, noise: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """The radii, the sum, and by what part all must change for it to be zero; with the rounding errors of these."""
    (k, d), axes = u.shape, g.deviations()
    radius = row_norms(V) * (1.0 + 2 * (d + 8) * U)
    same = weights @ (axes * np.vecdot(axes, np.abs(u))[:, None])  # see core.radius
    total = np.abs(rest)
    total[:-1] -= 4 * (d + 8) * U * same
    total = np.maximum(total, 0.0) + noise
    G = _gram(g, A, weights, radius)
    size = G.diagonal()
    unit = np.exp2(-np.round(0.5 * np.log2(np.where(size > 0, size, 1.0))))
    used = (size > 0) | (total > 0)  # not columns in which all Gaussians are the same
    G, unit, left = (G, unit, total) if used.all() else (G[np.ix_(used, used)], unit[used], total[used])
    least = np.linalg.eigvalsh(G * unit * unit[:, None])[0] - 16 * (k + d + 8) * U * (d + 1)
    part = 4.0 * float(np.linalg.norm(unit * left)) / math.sqrt(least) if least > 0 else 1.0
    return radius, total, part


def _exactly_zero(means: np.ndarray, sign: np.ndarray, weights: np.ndarray) -> bool:
    """Do the weighted means sum to zero without any rounding?"""
    share = [Fraction(float(y * weight)) for y, weight in zip(sign, weights)]
    columns = np.column_stack([means, np.ones(len(means))]).T
    return all(sum(s * Fraction(float(x)) for s, x in zip(share, column)) == 0 for column in columns)


def _halves(weights: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """Weights of sum 1/2 on each side."""
    positive = sign > 0
    return np.where(positive, 0.5 * weights / weights[positive].sum(), 0.5 * weights / weights[~positive].sum())


def _pull(g: Gaussians, V: np.ndarray) -> np.ndarray:
    """The shortest u_j with F_j F_j' u_j = F_j v_j, of all j."""
    u, left = np.zeros(g.means.shape), np.ones(len(V), dtype=bool)
    if g.low.shape[1] == g.low.shape[2] and not g.deviation.size:
        _backwards(g.low, V, u, left)
    for j in np.flatnonzero(left):
        rows = g.factor(int(j))
        if rows.any():
            u[j] = np.linalg.lstsq(rows, V[j], rcond=None)[0]
    return u


@compiled
def _backwards(low, V, u, left):
    """F_j' u_j = v_j by substitution where F_j' is an upper triangle of good condition; ``left`` tells where not."""
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


def _augmented(means: np.ndarray) -> np.ndarray:
    """The means with a 1 behind each."""
    out = np.ones((means.shape[0], means.shape[1] + 1))
    out[:, :-1] = means
    return out


def _sum(g: Gaussians, weights: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All v_j = F_j' u_j, the mirrored, augmented points, one a row, and their weighted sum."""
    V = np.matmul(g.low, u[:, :, None])[:, :, 0]
    V = np.hstack([V, g.deviation * u]) if g.deviation.size else V
    A = _augmented(g.means + g.spill(V)) * g.sign[:, None]
    return V, A, weights @ A


def _gram(g: Gaussians, A: np.ndarray, weights: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """What changes of weights and points can do: the sum of lambda^2 (a a' + q^2 Sigma)."""
    G = (A * weights[:, None] ** 2).T @ A
    G[:-1, :-1] += g.pooled((weights * radius) ** 2)
    return G


def shortest(G: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """The shortest x with G x = rest, as far as there is one; columns are brought to like size first."""
    unit = 1.0 / np.sqrt(np.where(np.diag(G) > 0, np.diag(G), 1.0))
    factor, failed = dpotrf(G * unit * unit[:, None], lower=1)
    if not failed and factor.diagonal().min() > 1e-5:
        return unit * dpotrs(factor, unit * rest, lower=1)[0]
    values, vectors = np.linalg.eigh(G * unit * unit[:, None])
    inverse = np.where(values > FLAT * values[-1], 1.0 / np.where(values > 0, values, 1.0), 0.0)
    return unit * (vectors @ (inverse * (vectors.T @ (unit * rest))))


def certify(
    g: Gaussians,
    answer: Answer,
    *,
    wanted: float | None = None,
    eps: float = 1e-9,
    exact: bool = True,
    reason: str = "",
) -> RadiusCertificate:
    """The certificate of an answer: both bounds computed once more, in the user's coordinates."""
    largest = float(np.abs(answer.w).max())
    w = answer.w / largest / np.linalg.norm(answer.w / largest) if largest > 0 else answer.w  # its length is free
    r, b = surely(g, w)
    proof = answer.proof or (prove(g, answer.weights, answer.V) if answer.weights.size else NOTHING)
    w = np.append(w, b)
    status = conclude(r, proof.upper, moved=proof.moved, wanted=wanted, eps=eps, exact=exact)
    return RadiusCertificate(
        status, r, proof.upper, w, proof.rows, proof.weights, proof.u, proof.moved, g.scale, g.caution, len(g.sign),
        wanted, eps, answer.steps, reason,
    )  # fmt: skip
