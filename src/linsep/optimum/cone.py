r"""Separate ellipsoids of given radii as widely as possible: a second-order cone problem, by an interior-point method.

.. math:: \max_{w,b,t} t \quad\text{with}\quad y_j(\langle w,\mu_j\rangle + b) - t \;\ge\; R_j\,|F_j^T w| , \qquad
          \langle w, g\rangle = 1 .

Here g is the difference of the mean means of the two classes: every w that has all means on their sides can be scaled
to :math:`\langle w,g\rangle = 1`, so nothing is lost, and no norm is preferred. The ellipsoids are apart iff t > 0. The
dual has weights :math:`\lambda_j` of sum 1, half of it on each side, and a point in each ellipsoid,

.. math:: \sum_j y_j \lambda_j\,(\mu_j + F_j v_j) = \nu g, \qquad |v_j| \le R_j, \qquad \nu \ge t .

The method is Mehrotra's predictor and corrector in the scaling of Nesterov and Todd. Strictly feasible w, b, t and
:math:`\lambda, v` are known from the start, so both stay feasible. A Newton step needs the d x d sum of weighted
covariances and no more: its cost is that of reading the covariances a few times.

k vectors of second-order cones are the rows of one array, their heads in column 0: inside means head > \|tail\|.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from .gaussians import Gaussians, row_norms

SHORT = 1e-7  # a step shorter than this part of the Newton step wins nothing more


class State(NamedTuple):
    """Where the interior-point method stands."""

    x: np.ndarray  # (w, b, t)
    s: np.ndarray  # k x (1 + p): (score - t, R F' w) of all j
    z: np.ndarray  # the dual: weights lambda, and tails
    nu: float

    @property
    def gap(self) -> float:
        """t is short of the best by at most so much, if the dual is feasible."""
        return float(np.vdot(self.s, self.z))

    @property
    def inside(self) -> bool:
        """Are all vectors inside their cones?"""
        return all((part[:, 0] > row_norms(part[:, 1:])).all() for part in (self.s, self.z))


def dots(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Scalar products, row by row."""
    return np.einsum("ij,ij->i", x, y)


def mirrored(x: np.ndarray) -> np.ndarray:
    """(head, -tail)."""
    out = -x
    out[:, 0] = x[:, 0]
    return out


def depth(x: np.ndarray) -> np.ndarray:
    """head^2 - |tail|^2: how far inside its cone each vector is."""
    head, tail = x[:, 0], row_norms(x[:, 1:])
    return np.maximum((head - tail) * (head + tail), 1e-300)


def jordan(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The product that is (mu, 0) on the central path."""
    out = x[:, :1] * y + y[:, :1] * x
    out[:, 0] = dots(x, y)
    return out


def divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The v with jordan(x, v) = y."""
    head = dots(mirrored(x), y) / depth(x)
    out = (y - head[:, None] * x) / x[:, :1]
    out[:, 0] = head
    return out


def reach(x: np.ndarray, move: np.ndarray) -> float:
    """The longest step along ``move`` that stays inside all cones."""
    mirror, room = mirrored(move), depth(x)
    square, cross = dots(mirror, move), dots(mirror, x)
    # the smallest positive zero of room + 2 cross a + square a^2, if any, without cancellation
    root = np.sqrt(np.maximum(cross * cross - square * room, 0.0))
    below = np.where((square < 0) | (cross < 0), root - cross, 0.0)
    return float(np.min(room / np.maximum(below, 1e-300)))


class _Scaling:
    """Nesterov and Todd's: one symmetric W for each cone with W z = W^-1 s."""

    def __init__(self, s: np.ndarray, z: np.ndarray):
        deep_s, deep_z = np.sqrt(depth(s)), np.sqrt(depth(z))
        s, z = s / deep_s[:, None], z / deep_z[:, None]
        self.size = np.sqrt(deep_s / deep_z)[:, None]
        self.mean = (s + mirrored(z)) / np.sqrt(2.0 * (1.0 + dots(s, z)))[:, None]
        half = self.mean.copy()
        half[:, 0] += 1.0
        self.half = half / np.sqrt(2.0 * half[:, :1])
        self.other = mirrored(self.half)

    def apply(self, x: np.ndarray) -> np.ndarray:
        """W x."""
        return self.size * ((2.0 * dots(self.half, x))[:, None] * self.half - mirrored(x))

    def undo(self, x: np.ndarray) -> np.ndarray:
        """W^-1 x."""
        return ((2.0 * dots(self.other, x))[:, None] * self.other - mirrored(x)) / self.size


class Separation:
    """The cone problem of some Gaussians, for any radii."""

    def __init__(self, g: Gaussians):
        (k, q, d), self.g = g.low.shape, g
        self.uniform = g.uniform()
        self.apart = np.append((self.uniform * g.sign) @ g.means, [0.0, 0.0])
        self.rows = np.zeros((k, 1 + q, d + 2))  # of each cone: its head, and its low part for radius 1
        self.rows[:, 0] = np.column_stack([g.sign[:, None] * g.means, g.sign, -np.ones(k)])
        self.rows[:, 1:, :d] = g.low
        self.flat = self.rows.reshape(k * (1 + q), d + 2)
        dense = 2 * q >= d  # then a weighted sum is quicker from the covariances than from their factors
        self.covariances = np.matmul(g.low.transpose(0, 2, 1), g.low).reshape(k, d * d) if dense else None

    def pooled(self, alpha: np.ndarray) -> np.ndarray:
        """The weighted sum of covariances."""
        if self.covariances is None:
            return self.g.pooled(alpha)
        d = self.g.means.shape[1]
        total = (alpha @ self.covariances).reshape(d, d)
        if self.g.deviation.size:
            total[np.diag_indices(d)] += alpha @ self.g.deviation**2
        return total

    def vectors(self, x: np.ndarray, radii: np.ndarray) -> np.ndarray:
        """(score - t, R F' w) of all j, for x = (w, b, t)."""
        out = (self.flat @ x).reshape(self.rows.shape[:2])
        out = np.hstack([out, self.g.deviation * x[:-2]]) if self.g.deviation.size else out
        out[:, 1:] *= radii[:, None]
        return out

    def adjoint(self, z: np.ndarray, radii: np.ndarray) -> np.ndarray:
        """The transpose of `vectors`."""
        z, q = self._with(z, radii), self.rows.shape[1]
        out = z[:, :q].ravel() @ self.flat
        if self.g.deviation.size:
            out[:-2] += np.einsum("ij,ij->j", z[:, q:], self.g.deviation)
        return out

    def adjoints(self, z: np.ndarray, radii: np.ndarray) -> np.ndarray:
        """The same, one row for each cone."""
        z, q = self._with(z, radii), self.rows.shape[1]
        out = np.matmul(z[:, None, :q], self.rows)[:, 0]
        if self.g.deviation.size:
            out[:, :-2] += z[:, q:] * self.g.deviation
        return out

    def _with(self, z: np.ndarray, radii: np.ndarray) -> np.ndarray:
        out = z * radii[:, None]
        out[:, 0] = z[:, 0]
        return out

    def newton(self, scaling: _Scaling, radii: np.ndarray):
        """Solve A' W^-2 A dx + g nu = rhs, <g, dx> = 0: returns a function of rhs, or None."""
        inverse = scaling.size**-2.0
        u, heads = self.adjoints(mirrored(scaling.mean), radii), self.rows[:, 0]
        H = (u * (2.0 * inverse)).T @ u - (heads * inverse).T @ heads
        H[:-2, :-2] += self.pooled(radii**2 * inverse[:, 0])
        unit = 1.0 / np.sqrt(np.maximum(np.diag(H), 1e-300))
        factor = _cholesky(H * unit * unit[:, None])
        if factor is None:
            return None

        def solve(rhs: np.ndarray) -> np.ndarray:
            x = unit * dpotrs(factor, unit * rhs, lower=1)[0]
            return x + unit * dpotrs(factor, unit * (rhs - H @ x), lower=1)[0]

        along = solve(self.apart)
        length = float(self.apart @ along)

        def bordered(rhs: np.ndarray) -> tuple[np.ndarray, float]:
            x = solve(rhs)
            nu = float(self.apart @ x) / length
            return x - nu * along, nu

        return bordered

    def begin(self, radii: np.ndarray, w: np.ndarray) -> State:
        """A start inside all cones, from a w with <w, g> > 0 (the mean means have their sides)."""
        x = np.concatenate([w / (w @ self.apart[:-2]), [0.0, 0.0]])
        s = self.vectors(x, radii)
        margin = s[:, 0] - row_norms(s[:, 1:])
        positive = self.g.sign > 0
        low, high = margin[positive].min(), margin[~positive].min()
        x[-2:] = 0.5 * (high - low), 0.5 * (low + high) - max(float(np.abs(margin).mean()), 1e-3)
        z = np.zeros_like(s)
        z[:, 0] = self.uniform
        return State(x, self.vectors(x, radii), z, 1.0)

    def resume(self, state: State, radii: np.ndarray) -> State:
        """The same w, b and dual under other radii; t moves out of the way."""
        x, before, s = state.x.copy(), state.s, self.vectors(state.x, radii)
        short = float(np.max(row_norms(s[:, 1:]) - row_norms(before[:, 1:])))
        x[-1] -= max(short, 0.0)
        return state._replace(x=x, s=self.vectors(x, radii))

    @np.errstate(all="ignore")  # what is not finite is not taken
    def step(self, state: State, radii: np.ndarray) -> State | None:
        """One Newton step, predicted and corrected; None if rounding allows no more."""
        x, s, z, nu = state
        rest = self.adjoint(z, radii) - nu * self.apart
        rest[-1] += 1.0
        scaling = _Scaling(s, z)
        solve = self.newton(scaling, radii)
        if solve is None:
            return None
        scaled = scaling.apply(z)

        def direction(wish: np.ndarray):
            share = divide(scaled, wish)
            dx, dnu = solve(self.adjoint(scaling.undo(share), radii) + rest)
            ds = self.vectors(dx, radii)
            ds_scaled = scaling.undo(ds)
            dz_scaled = share - ds_scaled
            return dx, dnu, ds, scaling.undo(dz_scaled), ds_scaled, dz_scaled

        both = np.concatenate([s, z])
        short = -jordan(scaled, scaled)
        _, _, ds, dz, ds_scaled, dz_scaled = direction(short)
        centring = (1.0 - min(1.0, reach(both, np.concatenate([ds, dz])))) ** 3
        short -= jordan(ds_scaled, dz_scaled)
        short[:, 0] += centring * state.gap / len(s)
        dx, dnu, ds, dz, _, _ = direction(short)
        a = min(1.0, 0.99 * reach(both, np.concatenate([ds, dz])))
        if not a > SHORT:
            return None
        x = x + a * dx
        after = State(x, self.vectors(x, radii), z + a * dz, nu + a * dnu)
        return after if math.isfinite(after.gap) and after.inside else None

    def dual(self, state: State, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights lambda, and v_j: a point mu_j + F_j v_j of each ellipsoid."""
        weights, tail, nu = state.z[:, 0], state.z[:, 1:], state.nu
        if nu < -1e-6:  # the ellipsoids overlap: mixed with the means, to which nu = 1 belongs, the points meet
            weights, tail = (weights - nu * self.uniform) / (1.0 - nu), tail / (1.0 - nu)
        return weights, (self.g.sign * radii / weights)[:, None] * tail


def _cholesky(H: np.ndarray) -> np.ndarray | None:
    """Cholesky's factor, if need be of a matrix a little larger: rounding can hide that H is positive definite."""
    ridge = 0.0
    while ridge < 1e-5:
        factor, failed = dpotrf(H + ridge * np.eye(len(H)) if ridge else H, lower=1)
        if not failed:
            return factor
        ridge = max(10.0 * ridge, 1e-15)
    return None
