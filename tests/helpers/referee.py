"""Referees for Gaussians: cvxpy with Clarabel, and brute force over directions. They share no code with linsep."""

import warnings

import cvxpy as cp
import numpy as np


def roots(covariances):
    """F_j' of dense covariances, by eigenvectors."""
    found = []
    for covariance in covariances:
        values, vectors = np.linalg.eigh(covariance)
        found.append((vectors * np.sqrt(np.maximum(values, 0.0))).T)
    return found


class Bisection:
    """The generalised Anderson task as a feasibility problem for each r, in cvxpy."""

    def __init__(self, means, covariances, sign):
        means = np.asarray(means, dtype=float)
        self.w, b, self.t = cp.Variable(means.shape[1]), cp.Variable(), cp.Variable()
        self.r = cp.Parameter(nonneg=True)
        wide = float(np.linalg.norm(means - means.mean(axis=0), axis=1).max())
        means = (means - means.mean(axis=0)) / wide
        constraints = [cp.norm(self.w) <= 1]
        for mean, root, side in zip(means, roots(np.asarray(covariances)), sign):
            constraints.append(side * (mean @ self.w + b) - self.t >= self.r * cp.norm(root / wide @ self.w))
        self.problem = cp.Problem(cp.Maximize(self.t), constraints)

    def gap(self, r):
        """How widely the ellipsoids of radius r can be separated; negative or 0 if they can't."""
        self.r.value = r
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "may be inaccurate", where t is 0
            self.problem.solve(solver=cp.CLARABEL)
        return float(self.t.value)

    def solve(self, high, tol=1e-7):
        """The largest r, between 0 and high."""
        low = 0.0
        while high - low > tol * high:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.gap(middle) > 1e-10 else (low, middle)
        return low


def try_directions(means, covariances, sign, angles=200_000):
    """The best r in the plane, over a grid of directions, with the best bias for each: brute force."""
    phi = np.linspace(0.0, 2 * np.pi, angles, endpoint=False)
    W = np.column_stack([np.cos(phi), np.sin(phi)])
    score = W @ np.asarray(means, dtype=float).T * np.asarray(sign)
    spread = np.sqrt(np.einsum("ni,kij,nj->nk", W, np.asarray(covariances, dtype=float), W))
    low, high = np.full(angles, -50.0), np.full(angles, 50.0)
    positive = np.asarray(sign) > 0
    for _ in range(60):
        r = 0.5 * (low + high)
        edge = score - r[:, None] * spread
        apart = edge[:, positive].min(axis=1) + edge[:, ~positive].min(axis=1) > 0
        low, high = np.where(apart, r, low), np.where(apart, high, r)
    return float(low.max())
