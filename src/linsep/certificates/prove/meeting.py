r"""Ellipsoids that meet: weights and points of them bound the best r from above, see `linsep.certificates.radius`.

`prove_upper` brings the weighted sum of the points near zero, and then bounds by what part :math:`\rho` weights and
points must change for it to be zero. With the sum t and :math:`a_j = y_j(\mu_j + \Sigma_j u_j, 1)`,

.. math:: \rho^2 \le t^T G^{+} t , \qquad G = \sum_j \lambda_j^2\,(a_j a_j^T + q^2\,\Sigma_j) , \qquad q = \max_j q_j ,

if t is in the range of G. Wide floats compute it, with bounds of their rounding; where these fail, because all data
lie in a subspace, exact arithmetic does, for Gaussians that are known exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from ...jit import compiled
from ...rows.exact import product
from ...rows.exact_matrix import squared_length
from ...rows.gaussians import Gaussians, row_norms
from ..radius import EXACT

U = float(np.finfo(np.float64).eps)
EXTENDED = float(np.finfo(np.longdouble).eps)  # where there is no wider float it is the same
FLAT = 1e-13  # eigenvalues below this part of the largest are zero
SMALL = 1e-6  # a sum that needs a larger part of the weights to become zero is not near zero


class Proof(NamedTuple):
    """What bounds r from above: see `linsep.certificates.radius`."""

    rows: np.ndarray
    weights: np.ndarray
    u: np.ndarray
    upper: float = math.inf
    integers: tuple[int, ...] = ()


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

    def gram(self, g: Gaussians, radius: float) -> np.ndarray:
        """What changes of weights and points can do: the sum of lambda^2 (a a' + q^2 Sigma)."""
        G = (self.A * self.weights[:, None] ** 2).T @ self.A
        G[:-1, :-1] += g.weighted_covariance((self.weights * radius) ** 2)
        return G


def prove_upper(g: Gaussians, weights: np.ndarray, V: np.ndarray) -> Proof:
    """The bound that weights and points prove, after their sum has been brought to zero as far as rounding allows."""
    if not np.isfinite(weights).all() or not np.isfinite(V).all() or not (weights > 0).any():
        return NO_PROOF
    rows = np.flatnonzero(weights > 1e-13 * weights.max())
    given, weights, V = g.take(rows), weights[rows], V[rows]
    if np.unique(given.sign).size < 2:
        return NO_PROOF
    g = given._replace(means=given.means - given.means.mean(axis=0))
    points = _Combination.of(g, _halve_per_side(weights, g.sign), _solve_factors(g, V))
    noise = 4 * (len(rows) + 4) * U * (points.weights @ np.abs(_augment(g.means)))  # of the sum, even if it were zero
    for _ in range(3):
        if (np.abs(points.total) <= noise).all():
            break
        radius = float(row_norms(points.V).max())
        x = solve_min_norm(points.gram(g, radius), points.total)
        change = points.weights * (points.A @ x)
        if not np.abs(change).max() < 0.5:
            break
        u = points.u - (g.sign * points.weights * radius**2 / (1.0 - change))[:, None] * x[:-1]
        points = _Combination.of(g, _halve_per_side(points.weights * (1.0 - change), g.sign), u)
    if not np.isfinite(points.total).all():
        return NO_PROOF
    radius, part = _measure(given, points.weights, points.u)
    if not part < SMALL:
        part = _measure_exactly(given, points.weights, points.u, radius)
    return Proof(rows, points.weights, points.u, radius / (1.0 - part) * (1.0 + U)) if part < SMALL else NO_PROOF


def _measure(g: Gaussians, weights: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Above the largest radius q, and above the part by which weights and points must change to sum to zero."""
    (k, d), axes = u.shape, g.axis_deviations() + g.unsure
    image, wide = _multiply(g, u), weights.astype(np.longdouble)
    reach, lacking = np.vecdot(axes, np.abs(u)), np.vecdot(g.unsure, np.abs(u))
    square = np.maximum(np.vecdot(u, image), 0) + 2 * (d + 8) * EXTENDED * reach * reach + lacking * lacking
    radius = (1.0 + 2 * (d + 8) * U) * math.sqrt(float(square.max()))
    means = g.means - g.means[0].astype(np.longdouble)  # a common shift changes nothing: the signed weights sum to zero
    A = g.sign[:, None] * np.column_stack([means + image, np.ones(k)])
    error = EXTENDED * ((k + 4) * np.abs(A[:, :-1]) + np.abs(means) + 2 * (d + 8) * axes * reach[:, None])
    total = np.abs(wide @ A) + np.append(wide @ (error + g.unsure * lacking[:, None]), (k + 4) * EXTENDED * wide.sum())
    A, total = A.astype(np.float64), 2.0 * total.astype(np.float64)
    G = (A * weights[:, None] ** 2).T @ A
    G[:-1, :-1] += g.weighted_covariance((weights * radius) ** 2)
    size = G.diagonal()
    unit = np.exp2(-np.round(0.5 * np.log2(np.where(size > 0, size, 1.0))))
    used = (size > 0) | (total > 0)  # not columns in which all Gaussians are the same
    scaled = (G * unit * unit[:, None])[np.ix_(used, used)]
    lacking = float(np.sum((weights * radius) ** 2 * (g.unsure @ unit[:-1]) ** 2))
    least = np.linalg.eigvalsh(scaled)[0] - 16 * (k + d + 8) * U * (d + 1) - lacking
    return radius, float(np.linalg.norm(unit[used] * total[used])) / math.sqrt(least) if least > 0 else math.inf


def _measure_exactly(g: Gaussians, weights: np.ndarray, u: np.ndarray, radius: float) -> float:
    """Above the part by which weights and points must change to sum to zero, without rounding; or infinity."""
    k, d = u.shape
    if d + 1 > EXACT or g.unsure.any():
        return math.inf
    total, G = np.full(d + 1, Fraction(0)), np.full((d + 1, d + 1), Fraction(0))
    square = _power_below(0.99 * radius * radius) if radius > 0 else Fraction(0)
    for j in range(k):
        covariance = _exact_covariance(g, j)
        image = covariance @ [Fraction(float(x)) for x in u[j]]
        mean = [Fraction(float(x)) for x in g.means[j]]
        a = int(g.sign[j]) * np.array([*(image + mean), Fraction(1)])
        total = total + Fraction(float(weights[j])) * a
        # smaller weights and radii, powers of two, have shorter numbers; they make the bound larger
        share = _power_below(weights[j]) ** 2
        G += share * np.outer(a, a)
        G[:-1, :-1] += share * square * covariance
    found = squared_length(G, total)
    return math.inf if found is None else 2.0 * math.sqrt(float(found))


def _power_below(x: float) -> Fraction:
    """The largest power of two that is not above x."""
    return Fraction(2) ** (math.frexp(x)[1] - 1)


def _exact_covariance(g: Gaussians, j: int) -> np.ndarray:
    """Covariance j as it was given, of fractions."""
    d = g.means.shape[1]
    covariance = np.full((d, d), Fraction(0))
    if g.from_matrix()[j]:
        covariance += [[Fraction(float(x)) for x in row] for row in g.matrices[j]]
    else:
        columns = g.low[j].T
        covariance += [[product(one, two) for two in columns] for one in columns]
    if g.variance.size:
        covariance[np.diag_indices(d)] += [Fraction(float(x)) for x in g.variance[j]]
    return covariance


def _multiply(g: Gaussians, u: np.ndarray) -> np.ndarray:
    """Sigma_j u_j of all j, of wide floats, with the covariances as they were given."""
    wide, matrix = u.astype(np.longdouble), g.from_matrix()
    image = np.zeros(wide.shape, dtype=np.longdouble)
    if matrix.any():
        image[matrix] = np.matmul(g.matrices[matrix], wide[matrix][:, :, None])[:, :, 0]
    if not matrix.all() and g.low.size:
        low = g.low[~matrix]
        image[~matrix] = np.matmul(np.matmul(low, wide[~matrix][:, :, None])[:, None, :, 0], low)[:, 0]
    return image + g.variance * wide if g.variance.size else image


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
