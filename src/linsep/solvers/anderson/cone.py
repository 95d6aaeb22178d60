r"""Separate ellipsoids of radius r as widely as possible: a second-order cone problem, by an interior-point method.

.. math:: \max_{w,b,t} t \quad\text{with}\quad y_j(\langle w,\mu_j\rangle + b) - t \;\ge\; r\,|F_j^T w| , \qquad
          \langle w, g\rangle = 1 .

Here g is the difference of the mean means of the two classes: every w that has all means on their sides can be scaled
to :math:`\langle w,g\rangle = 1`, so nothing is lost, and no norm is preferred. The ellipsoids are apart iff t > 0. The
dual has weights :math:`\lambda_j` of sum 1, half of it on each side, and a point in each ellipsoid,

.. math:: \sum_j y_j \lambda_j\,(\mu_j + F_j v_j) = \nu g, \qquad |v_j| \le r, \qquad \nu \ge t .

The method is Mehrotra's predictor and corrector in the scaling of Nesterov and Todd. Strictly feasible w, b, t and
:math:`\lambda, v` are available from the start, so both stay feasible. A Newton step needs the d x d sum of weighted
covariances and no more: its cost is that of reading the covariances a few times.

k vectors of second-order cones are the rows of one array, their heads in column 0: inside means head > \|tail\|.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from ...jit import compiled
from ...rows.gaussians import Gaussians, row_norms

SHORTEST_STEP = 1e-7  # a step shorter than this part of the Newton step gains nothing more


class State(NamedTuple):
    """The iterate of the interior-point method."""

    x: np.ndarray  # (w, b, t)
    s: np.ndarray  # k x (1 + p): (score - t, r F' w) of all j
    z: np.ndarray  # the dual: weights lambda, and tails
    nu: float

    @property
    def gap(self) -> float:
        """t is below the best by at most this, if the dual is feasible."""
        return float(np.vdot(self.s, self.z))

    @property
    def mean_distance(self) -> float:
        """The mean of r sigma_j over the dual weights: the size of the scores that decide."""
        return float(self.z[:, 0] @ row_norms(self.s[:, 1:]))


class Scaling(NamedTuple):
    """Nesterov and Todd's scaling: one symmetric W for each cone, with W z = W^-1 s = ``scaled``.

    W = size (2 h h' - J), with J = diag(1, -1, ..., -1) and ``half`` h; W^2 = size^2 (2 m m' - J) with ``mean`` m.
    """

    size: np.ndarray
    mean: np.ndarray
    half: np.ndarray
    scaled: np.ndarray


class Direction(NamedTuple):
    """A direction of s and z: ``ds_scaled`` = W^-1 ds, ``dz_scaled`` = W dz, and dz."""

    ds_scaled: np.ndarray
    dz_scaled: np.ndarray
    dz: np.ndarray


@compiled
def compute_scaling(s, z, scaling):
    """Fill in the scaling of s and z."""
    size, mean, half, scaled = scaling
    for i in range(s.shape[0]):
        deep_s, deep_z = np.sqrt(cone_depth(s[i])), np.sqrt(cone_depth(z[i]))
        size[i] = np.sqrt(deep_s / deep_z)
        cosine = 1.0
        for c in range(s.shape[1]):
            cosine += (s[i, c] / deep_s) * (z[i, c] / deep_z)
        norm = np.sqrt(2.0 * cosine)
        mean[i, 0] = (s[i, 0] / deep_s + z[i, 0] / deep_z) / norm
        root = np.sqrt(2.0 * (mean[i, 0] + 1.0))
        half[i, 0] = (mean[i, 0] + 1.0) / root
        for c in range(1, s.shape[1]):
            mean[i, c] = (s[i, c] / deep_s - z[i, c] / deep_z) / norm
            half[i, c] = mean[i, c] / root
        dot = 0.0
        for c in range(s.shape[1]):
            dot += half[i, c] * z[i, c]
        scaled[i, 0] = size[i] * (2.0 * dot * half[i, 0] - z[i, 0])
        for c in range(1, s.shape[1]):
            scaled[i, c] = size[i] * (2.0 * dot * half[i, c] + z[i, c])


@compiled
def cone_depth(x):
    """head^2 - |tail|^2 of one vector: how far inside its cone it is."""
    tail = 0.0
    for c in range(1, x.size):
        tail += x[c] * x[c]
    tail = np.sqrt(tail)
    return max((x[0] - tail) * (x[0] + tail), 1e-300)


@compiled
def unscale(size, half, x, out):
    """W^-1 x."""
    for i in range(x.shape[0]):
        dot = half[i, 0] * x[i, 0]
        for c in range(1, x.shape[1]):
            dot -= half[i, c] * x[i, c]
        out[i, 0] = (2.0 * dot * half[i, 0] - x[i, 0]) / size[i]
        for c in range(1, x.shape[1]):
            out[i, c] = (x[i, c] - 2.0 * dot * half[i, c]) / size[i]


@compiled
def jordan_product(x, y, out):
    """The product that is (mu, 0) on the central path."""
    for i in range(x.shape[0]):
        dot = x[i, 0] * y[i, 0]
        for c in range(1, x.shape[1]):
            dot += x[i, c] * y[i, c]
            out[i, c] = x[i, 0] * y[i, c] + y[i, 0] * x[i, c]
        out[i, 0] = dot


@compiled
def jordan_quotient(x, y, out):
    """The v with jordan_product(x, v) = y."""
    for i in range(x.shape[0]):
        dot = x[i, 0] * y[i, 0]
        for c in range(1, x.shape[1]):
            dot -= x[i, c] * y[i, c]
        out[i, 0] = dot / cone_depth(x[i])
        for c in range(1, x.shape[1]):
            out[i, c] = (y[i, c] - out[i, 0] * x[i, c]) / x[i, 0]


@compiled
def find_longest_step(x, move):
    """The longest step along ``move`` that stays inside all cones."""
    longest = np.inf
    for i in range(x.shape[0]):
        square, cross = move[i, 0] * move[i, 0], move[i, 0] * x[i, 0]
        for c in range(1, x.shape[1]):
            square -= move[i, c] * move[i, c]
            cross -= move[i, c] * x[i, c]
        if square < 0.0 or cross < 0.0:
            # the smallest positive zero of room + 2 cross a + square a^2, without cancellation
            room = cone_depth(x[i])
            below = np.sqrt(max(cross * cross - square * room, 0.0)) - cross
            if below > 0.0:
                longest = min(longest, room / below)
    return longest


@compiled
def all_inside(x):
    """Whether all vectors are inside their cones."""
    for i in range(x.shape[0]):
        tail = 0.0
        for c in range(1, x.shape[1]):
            tail += x[i, c] * x[i, c]
        if not x[i, 0] > np.sqrt(tail):
            return False
    return True


@compiled
def complete_direction(scaling, share, ds, s, z, direction):
    """Fill in the direction with W^-1 ds + W dz = ``share``; returns how far s and z can move along it."""
    ds_scaled, dz_scaled, dz = direction
    unscale(scaling.size, scaling.half, ds, ds_scaled)
    for i in range(s.shape[0]):
        for c in range(s.shape[1]):
            dz_scaled[i, c] = share[i, c] - ds_scaled[i, c]
    unscale(scaling.size, scaling.half, dz_scaled, dz)
    return min(find_longest_step(s, ds), find_longest_step(z, dz))


@compiled
def correct_share(scaling, direction, centre, share, unscaled):
    """The ``share`` of a step that is bent towards the central path, where the Jordan product ahead is ``centre``.

    Overwrites ``direction.ds_scaled``; ``unscaled`` becomes W^-1 share.
    """
    ds_scaled, dz_scaled, _ = direction
    scaled = scaling.scaled
    jordan_product(ds_scaled, dz_scaled, unscaled)
    jordan_product(scaled, scaled, ds_scaled)
    for i in range(scaled.shape[0]):
        for c in range(scaled.shape[1]):
            ds_scaled[i, c] = -ds_scaled[i, c] - unscaled[i, c]
        ds_scaled[i, 0] += centre
    jordan_quotient(scaled, ds_scaled, share)
    unscale(scaling.size, scaling.half, share, unscaled)


class Separation:
    """The cone problem of some Gaussians, for any radius r."""

    def __init__(self, g: Gaussians):
        (k, q, d), self.g = g.low.shape, g
        self.balanced = g.balanced_weights()
        self.apart = np.append((self.balanced * g.sign) @ g.means, [0.0, 0.0])
        self.ends = np.zeros((d + 2, 2))  # g, and the axis of t
        self.ends[:, 0], self.ends[-1, 1] = self.apart, 1.0
        self.rows = np.zeros((k, 1 + q, d + 2))  # of each cone: its head, and its low-rank part for radius 1
        self.rows[:, 0] = np.column_stack([g.sign[:, None] * g.means, g.sign, -np.ones(k)])
        self.rows[:, 1:, :d] = g.low
        self.flat = self.rows.reshape(k * (1 + q), d + 2)
        dense = 2 * q >= d  # then a weighted sum is quicker from the covariances than from their factors
        self.covariances = np.matmul(g.low.transpose(0, 2, 1), g.low).reshape(k, d * d) if dense else None

    def weighted_covariance(self, weights: np.ndarray) -> np.ndarray:
        """The weighted sum of covariances."""
        if self.covariances is None:
            return self.g.weighted_covariance(weights)
        d = self.g.means.shape[1]
        total = (weights @ self.covariances).reshape(d, d)
        if self.g.deviation.size:
            total[np.diag_indices(d)] += weights @ self.g.deviation**2
        return total

    def cone_vectors(self, x: np.ndarray, r: float) -> np.ndarray:
        """(score - t, r F' w) of all j, for x = (w, b, t)."""
        out = (self.flat @ x).reshape(self.rows.shape[:2])
        out = np.hstack([out, self.g.deviation * x[:-2]]) if self.g.deviation.size else out
        out[:, 1:] *= r
        return out

    def adjoint(self, z: np.ndarray, r: float) -> np.ndarray:
        """The transpose of `cone_vectors`."""
        scaled, q = z * r, self.rows.shape[1]
        scaled[:, 0] = z[:, 0]
        out = scaled[:, :q].ravel() @ self.flat
        if self.g.deviation.size:
            out[:-2] += np.einsum("ij,ij->j", scaled[:, q:], self.g.deviation)
        return out

    def adjoint_rows(self, z: np.ndarray) -> np.ndarray:
        """The same for radius 1, one row per cone."""
        q = self.rows.shape[1]
        out = np.matmul(z[:, None, :q], self.rows)[:, 0]
        if self.g.deviation.size:
            out[:, :-2] += z[:, q:] * self.g.deviation
        return out

    def newton_solver(self, scaling: Scaling, r: float):
        """Solve A' W^-2 A dx + g nu = rhs, <g, dx> = 0: returns a function of rhs, and its value for the last axis.

        Or None, if rounding allows no solution.
        """
        inverse = scaling.size**-2.0
        mirrored = -r * scaling.mean
        mirrored[:, 0] = scaling.mean[:, 0]
        u, heads = self.adjoint_rows(mirrored), self.rows[:, 0]
        H = (u * (2.0 * inverse)[:, None]).T @ u - (heads * inverse[:, None]).T @ heads
        H[:-2, :-2] += self.weighted_covariance(r * r * inverse)
        unit = 1.0 / np.sqrt(np.maximum(H.diagonal(), 1e-300))
        factor = _cholesky(H * unit * unit[:, None])
        if factor is None:
            return None
        unit = unit[:, None]

        def solve(rhs: np.ndarray) -> np.ndarray:
            x = unit * dpotrs(factor, unit * rhs, lower=1)[0]
            return x + unit * dpotrs(factor, unit * (rhs - H @ x), lower=1)[0]

        along, last = solve(self.ends).T
        length = float(self.apart @ along)
        if length == 0.0:
            return None

        def keep_length(x: np.ndarray) -> tuple[np.ndarray, float]:
            nu = float(self.apart @ x) / length
            return x - nu * along, nu

        return (lambda rhs: keep_length(solve(rhs[:, None])[:, 0])), keep_length(last)

    def begin(self, r: float, w: np.ndarray) -> State:
        """A start inside all cones, from a w with <w, g> > 0 (the mean means have their sides)."""
        x = np.concatenate([w / (w @ self.apart[:-2]), [0.0, 0.0]])
        s = self.cone_vectors(x, r)
        margin = s[:, 0] - row_norms(s[:, 1:])
        positive = self.g.sign > 0
        low, high = margin[positive].min(), margin[~positive].min()
        x[-2:] = 0.5 * (high - low), 0.5 * (low + high) - max(float(np.abs(margin).mean()), 1e-3)
        z = np.zeros_like(s)
        z[:, 0] = self.balanced
        return State(x, self.cone_vectors(x, r), z, 1.0)

    def change_radius(self, state: State, r: float) -> State:
        """The same w, b and dual for another radius; t falls as far as that needs."""
        x, before, s = state.x.copy(), state.s, self.cone_vectors(state.x, r)
        short = float(np.max(row_norms(s[:, 1:]) - row_norms(before[:, 1:])))
        x[-1] -= max(short, 0.0)
        return state._replace(x=x, s=self.cone_vectors(x, r))

    @np.errstate(all="ignore")  # what is not finite is not taken
    def step(self, state: State, r: float) -> State | None:
        """One Newton step, predicted and corrected; None if rounding allows no more."""
        x, s, z, nu = state
        mean, half, scaled, ds_scaled, dz_scaled, dz, share, unscaled = np.empty((8, *s.shape))
        scaling, direction = Scaling(np.empty(len(s)), mean, half, scaled), Direction(ds_scaled, dz_scaled, dz)
        compute_scaling(s, z, scaling)
        found = self.newton_solver(scaling, r)
        if found is None:
            return None
        solve, (dx, dnu) = found
        # predicted: with share = -scaled, z cancels from the right-hand side, and the last axis (t) is left
        far = complete_direction(scaling, -scaled, self.cone_vectors(dx, r), s, z, direction)
        centre = (1.0 - min(1.0, far)) ** 3 * state.gap / len(s)
        correct_share(scaling, direction, centre, share, unscaled)
        rhs = self.adjoint(unscaled + z, r) - nu * self.apart
        rhs[-1] += 1.0
        dx, dnu = solve(rhs)
        far = complete_direction(scaling, share, self.cone_vectors(dx, r), s, z, direction)
        a = min(1.0, 0.99 * far)
        if not a > SHORTEST_STEP:
            return None
        x = x + a * dx
        after = State(x, self.cone_vectors(x, r), z + a * dz, nu + a * dnu)
        return after if math.isfinite(after.gap) and all_inside(after.s) and all_inside(after.z) else None

    def dual_points(self, state: State, r: float) -> tuple[np.ndarray, np.ndarray]:
        """The weights lambda, and v_j: a point mu_j + F_j v_j of each ellipsoid."""
        weights, tail, nu = state.z[:, 0], state.z[:, 1:], state.nu
        if nu < -1e-6:  # the ellipsoids overlap: mixed with the means, to which nu = 1 belongs, the points meet
            weights, tail = (weights - nu * self.balanced) / (1.0 - nu), tail / (1.0 - nu)
        return weights, (self.g.sign * r / weights)[:, None] * tail


def _cholesky(H: np.ndarray) -> np.ndarray | None:
    """Cholesky's factor, if need be of a matrix a little larger: rounding can hide that H is positive definite."""
    ridge = 0.0
    while ridge < 1e-5:
        factor, failed = dpotrf(H + ridge * np.eye(len(H)) if ridge else H, lower=1)
        if not failed:
            return factor
        ridge = max(10.0 * ridge, 1e-15)
    return None
