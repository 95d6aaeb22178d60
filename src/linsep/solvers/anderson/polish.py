r"""The last digits of the generalised Anderson task (F2): Newton's method on the conditions of optimality.

For the Gaussians that decide, w, b, r and the weights at once are found in

.. math:: \sum_j \lambda_j\,(y_j\mu_j - r \Sigma_j w/\sigma_j,\; y_j) = 0 , \qquad
          y_j(\langle w,\mu_j\rangle + b) = r\sigma_j .

A Gaussian that does not spread along w (a kink) has :math:`F_j^T w = 0` instead, and adds :math:`y_j F_j\zeta_j` to the
sum, with :math:`\zeta_j = \lambda_j v_j` free.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgelsy

from ...certificates.prove.meeting import FLAT
from ...certificates.prove.radius import Solution, find_best_bias
from ...rows.gaussians import Gaussians, row_norms

MAX_STEPS = 8


class _Unknowns(NamedTuple):
    """What the conditions determine."""

    w: np.ndarray
    b: float
    r: float
    weights: np.ndarray
    zeta: np.ndarray  # of all kinks, one after the other


def polish(g: Gaussians, solution: Solution) -> Solution | None:
    """The solution to the last digits, or None if Newton's method fails: the solution was too far off."""
    w, (r, b) = solution.w, find_best_bias(g, solution.w)
    if not (0 < r < math.inf):
        return None
    distance = r * g.sigma(w)
    slack = (g.sign * (g.means @ w + b) - distance) / float(solution.weights @ distance)
    rows = np.flatnonzero(solution.weights > np.maximum(0.1 * slack, 1e-9) * solution.weights.max())
    g, weights, V = g.take(rows), solution.weights[rows], solution.V[rows]
    if np.unique(g.sign).size < 2:
        return None
    conditions = _Conditions(g, w, weights)
    kinks = np.flatnonzero(~conditions.smooth)
    start = _Unknowns(w, b, r, weights, np.concatenate([np.zeros(0), *(weights[j] * V[j] for j in kinks)]))
    end = conditions.solve(start)
    if end is None:
        return None
    better = solution._replace(w=end.w, weights=0 * solution.weights, V=0 * solution.V)
    better.weights[rows], better.V[rows] = end.weights, conditions.points(end)
    return better


class _Conditions:
    """The conditions of optimality of Gaussians that all decide, as a system of equations."""

    def __init__(self, g: Gaussians, w: np.ndarray, weights: np.ndarray):
        k, d = g.means.shape
        axes = g.axis_deviations()
        self.g, self.mirrored = g, g.sign[:, None] * g.means
        self.smooth = g.sigma(w) > 1e-6 * (axes @ np.abs(w))
        self.kinks = np.vstack(
            [np.zeros((0, d)), *(g.sign[j] * g.factor(int(j)) for j in np.flatnonzero(~self.smooth))]
        )
        self.unit = 1.0 / np.sqrt(np.maximum(weights @ (axes**2 + g.means**2), 1e-300))
        size = d + 2 + k + len(self.kinks)  # unknowns, in this order: w, b, r, weights, zeta
        self.of_w, self.of_b, self.of_r = slice(d), d, d + 1
        self.of_weights, self.of_zeta = slice(d + 2, d + 2 + k), slice(d + 2 + k, size)
        # conditions: normals sum to 0, signs too, scores are distances, kinks; lengths of w and of the weights stay
        self.scores, self.flat = slice(d + 1, d + 1 + k), slice(d + 1 + k, size - 1)
        self.K, self.rest = np.zeros((size + 1, size)), np.zeros(size + 1)
        self.K[self.of_w, self.of_zeta], self.K[self.flat, self.of_w] = self.kinks.T, self.kinks
        self.K[d, self.of_weights], self.K[self.scores, self.of_b], self.K[-1, self.of_weights] = g.sign, g.sign, 1.0
        self.column_scale, self.row_scale = np.ones(size), np.ones(size + 1)
        self.column_scale[self.of_w] = self.row_scale[self.of_w] = self.unit

    def solve(self, at: _Unknowns) -> _Unknowns | None:
        """Newton's method; None where it fails."""
        for _ in range(MAX_STEPS):
            move = self._newton_move(at)
            if move is None:
                return None
            at = _Unknowns(
                at.w + move[self.of_w],
                at.b + float(move[self.of_b]),
                at.r + float(move[self.of_r]),
                at.weights + move[self.of_weights],
                at.zeta + move[self.of_zeta],
            )
            if not (np.isfinite(move).all() and (at.weights > 0).all() and at.r > 0):
                return None
            moved, size = np.abs(move[self.of_w] / self.unit).max(), np.abs(at.w / self.unit).max()
            if abs(move[self.of_r]) <= 1e-10 * at.r and moved <= 1e-8 * size:
                break  # Newton's method doubles the digits
        return at

    def _newton_move(self, at: _Unknowns) -> np.ndarray | None:
        """One step for all unknowns; None where a smooth Gaussian has become a kink."""
        g, K, rest = self.g, self.K, self.rest
        along = g.project(at.w)
        sigma = row_norms(along)
        if not (sigma[self.smooth] > 0).all():
            return None
        inverse = np.zeros(len(sigma))
        inverse[self.smooth] = 1.0 / sigma[self.smooth]
        toward = inverse[:, None] * g.expand(along)  # Sigma_j w / sigma_j
        curvature = at.weights * at.r * inverse
        normals = self.mirrored - at.r * toward
        K[self.of_w, self.of_w] = (toward * curvature[:, None]).T @ toward - g.weighted_covariance(curvature)
        K[self.of_w, self.of_r], K[self.scores, self.of_r] = -at.weights @ toward, -np.where(self.smooth, sigma, 0.0)
        K[self.of_w, self.of_weights], K[self.scores, self.of_w], K[-2, self.of_w] = normals.T, normals, at.w
        rest[self.of_w], rest[self.of_b] = at.weights @ normals + at.zeta @ self.kinks, at.weights @ g.sign
        rest[self.scores], rest[self.flat] = normals @ at.w + g.sign * at.b, self.kinks @ at.w
        scaled = K * self.column_scale * self.row_scale[:, None]
        return -self.column_scale * _solve_least_squares(scaled, rest * self.row_scale)

    def points(self, at: _Unknowns) -> np.ndarray:
        """The v_j at which the ellipsoids touch the hyperplane."""
        along = self.g.project(at.w)
        V = -(self.g.sign * at.r / np.where(self.smooth, row_norms(along), 1.0))[:, None] * along
        V[~self.smooth] = at.zeta.reshape(-1, V.shape[1]) / at.weights[~self.smooth, None]
        return V


def _solve_least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest x with A x = b, as far as there is one, by a QR factorisation with pivots."""
    columns = A.shape[1]
    return dgelsy(A, b, np.zeros(columns, dtype=np.int32), FLAT, 64 * (columns + 1))[1][:columns]
