r"""Wolfe's algorithm (C10): the nearest point of some hundred rows, a fully corrective Kozinec.

.. math:: \min_\lambda \Big|\sum_i \lambda_i m_i\Big|, \qquad \lambda \ge 0, \qquad
          \sum_{i \in g} \lambda_i = s_g \quad \text{for every group } g .

The rows in use are the columns :math:`(e_g, m_i)` of a matrix with the factors ``Q R``, which grow and shrink by one
column at a time. With ``Z = R^-T E``, E saying which group a row is of, the affine minimiser is

.. math:: \lambda = R^{-1} Z \mu, \qquad Z^T Z \mu = s, \qquad (s, w) = Q Z \mu ,

so that a step costs one product with the rows, one with Q and one triangular solution, and forms no normal equations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..jit import SCALAR_PRODUCTS, compiled_with

U = float(np.finfo(np.float64).eps)
MOVES = 2000  # then all rows are looked at again, and the budgets too
PART = 0.5  # of the lowest price: rows below it are tried before all rows are priced again
DEPENDENT = 1e-12  # a row this near to the span of those in use depends on them

kernel = compiled_with(fastmath=SCALAR_PRODUCTS)


class Face(NamedTuple):
    """The rows in use, their factors (q_j are the rows of Q), weights, and room to work in."""

    rows: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    Z: np.ndarray
    weight: np.ndarray
    wanted: np.ndarray
    mu: np.ndarray
    level: np.ndarray
    column: np.ndarray
    shut: np.ndarray  # by row: in use, or dependent on the rows in use since the last move
    among: np.ndarray  # the rows that were lowest when all were priced
    price: np.ndarray
    best_rows: np.ndarray
    best: np.ndarray


def _face(n: int, d: int, groups: int) -> Face:
    most, size = min(n, d + groups), d + groups
    return Face(
        rows=np.zeros(most, dtype=np.int64), Q=np.zeros((most, size)), R=np.zeros((most, most)),
        Z=np.zeros((most, groups)), weight=np.zeros(most), wanted=np.zeros(most), mu=np.zeros(groups),
        level=np.zeros(groups), column=np.zeros(size), shut=np.zeros(n, dtype=np.int8),
        among=np.zeros(n, dtype=np.int64), price=np.zeros(n),
        best_rows=np.zeros(most, dtype=np.int64), best=np.zeros(most),
    )  # fmt: skip


def active_set(
    B: np.ndarray, group: np.ndarray, share: np.ndarray, start: np.ndarray, tol: float = 1e-12
) -> np.ndarray:
    """Weights of the nearest point of rows ``B``, from feasible weights ``start``.

    >>> B = np.array([[2.0, 1.0], [2.0, -1.0], [5.0, 0.0]])
    >>> active_set(B, np.zeros(3, int), np.ones(1), np.array([0.0, 0.0, 1.0]))
    array([0.5, 0.5, 0. ])
    """
    scale = max(float(np.abs(B).max(initial=0.0)), 1e-300)
    B = np.ascontiguousarray(B / scale)
    face = _face(B.shape[0], B.shape[1], share.size)
    longest = math.sqrt(np.einsum("ij,ij->i", B, B).max(initial=0.0))
    k = wolfe(B, group, share, start, longest, tol, face)
    rows = face.best_rows[:k]
    weight = np.zeros(len(B))
    weight[rows] = Factors(B[rows], group[rows], share).refined(face.best[:k])
    return weight


class Factors:
    """The factors of independent rows, made at once, to take rounding out of their weights and of w."""

    def __init__(self, M: np.ndarray, group: np.ndarray, share: np.ndarray):
        self.M, self.group, self.share = M, group, share
        self.scale = max(float(np.abs(M).max(initial=0.0)), 1e-300)
        self.E = np.zeros((len(M), share.size))
        self.E[np.arange(len(M)), group] = 1.0
        columns = np.vstack([self.E.T, M.T / self.scale])
        self.Q, self.R = scipy.linalg.qr(columns, mode="economic", check_finite=False)

    def refined(self, weight: np.ndarray) -> np.ndarray:
        """Weights nearer to those of the affine minimiser, where all rows of a group have the same score.

        The scores are taken from w itself: the normal equations would lose as many digits again as w is shorter than
        the rows. Weights that this would make negative stay as they are.
        """
        M, E, share = self.M / self.scale, self.E, self.share
        Z = self._solve(E)
        inner = E.T @ Z
        y = weight
        for _ in range(2):
            y = y + self._solve(self._uneven(M @ (M.T @ y)))
            y = y + Z @ np.linalg.solve(inner, share - E.T @ y)
        return y if (y > 0).all() else weight

    def levelled(self, w: np.ndarray) -> np.ndarray:
        """w, changed as little as possible, with the same score for all rows of a group.

        Weights are rounded, and rows much longer than w blow that up; w itself can be better than its weights.
        """
        for _ in range(2):
            move = scipy.linalg.solve_triangular(self.R, self._uneven(self.M @ w), trans="T", check_finite=False)
            w = w + (self.Q @ move)[self.share.size :] / self.scale
        return w

    def _uneven(self, score: np.ndarray) -> np.ndarray:
        """How far each score is below the mean of its group."""
        return (self.E.T @ score / self.E.sum(axis=0))[self.group] - score

    def _solve(self, b: np.ndarray) -> np.ndarray:
        half = scipy.linalg.solve_triangular(self.R, b, trans="T", check_finite=False)
        return scipy.linalg.solve_triangular(self.R, half, check_finite=False)


@kernel
def wolfe(B, group, share, start, longest, tol, face):
    """Run from ``start`` until no row is lower than those in use; the best rows and weights stay in ``face``."""
    n, d = B.shape
    groups = share.size
    k = np.int64(0)  # a plain 0 is a type of its own for Numba, and what is called with it would be compiled twice
    for i in range(n):
        if start[i] > 0.0 and append(B, group, face.Q, face.R, face.Z, k, i):
            face.rows[k], face.weight[k] = i, start[i]
            k += 1
    for g in range(groups):
        total = 0.0
        for j in range(k):
            if group[face.rows[j]] == g:
                total += face.weight[j]
        for j in range(k):
            if group[face.rows[j]] == g:
                face.weight[j] *= share[g] / total
    point = face.column[groups:]
    best, least, idle, hot, before = 0, np.inf, 0, 0, 0.0
    for _ in range(MOVES):
        k = settle(share, face.rows, face.weight, face.wanted, face.Q, face.R, face.Z, face.mu, k)
        combine(face.Q, face.Z, face.mu, face.column, k)
        ww = 0.0
        for j in range(d):
            ww += point[j] * point[j]
        idle = 0 if ww < (1.0 - 1e-12) * least else idle + 1  # every move shortens w, until rounding hides it
        if ww < least:
            best, least = k, ww
            for j in range(k):
                face.best_rows[j] = face.rows[j]
                face.best[j] = face.weight[j]
        norm = math.sqrt(ww)
        if idle > 10 or norm <= 4 * U * longest:
            return best
        enough = -max(tol * ww, 8 * U * longest * norm)
        levels(B, group, face.rows, face.weight, k, point, face.level, face.shut)
        while True:
            low, by = lowest(B, group, face.level, face.shut, point, face.among[:hot])
            if hot == 0 or by > PART * before:  # the rows that were lowest are not low any more: look at all
                hot, low, by = sift(B, group, face.level, face.shut, point, enough, face.price, face.among)
                before = by
            if by >= enough:
                return best
            if append(B, group, face.Q, face.R, face.Z, k, low):
                break
            face.shut[low] = 1  # it depends on those in use: the next one, then
        face.rows[k], face.weight[k] = low, 0.0
        k += 1
        for i in range(n):
            face.shut[i] = 0
    return best


@kernel
def levels(B, group, rows, weight, k, w, level, shut):
    """The score of the rows in use: the same for all of a group, so that of the heaviest is taken."""
    for g in range(level.size):
        heaviest = -1
        for j in range(k):
            shut[rows[j]] = 1
            if group[rows[j]] == g and (heaviest < 0 or weight[j] > weight[heaviest]):
                heaviest = j
        level[g] = score(B, w, rows[heaviest])


@kernel
def score(B, w, i):
    """<w, m_i>."""
    wm = 0.0
    for c in range(w.size):
        wm += B[i, c] * w[c]
    return wm


@kernel
def lowest(B, group, level, shut, w, among):
    """Of some rows the one farthest below the level of its group, and by how much."""
    low, by = -1, 0.0
    for i in among:
        if not shut[i]:
            below = score(B, w, i) - level[group[i]]
            if below < by:
                low, by = i, below
    return low, by


@kernel
def sift(B, group, level, shut, w, enough, price, among):
    """Put the rows at least a part as low as the lowest into ``among``; how many, the lowest, and by how much."""
    low, by = -1, 0.0
    for i in range(B.shape[0]):
        price[i] = 0.0 if shut[i] else score(B, w, i) - level[group[i]]
        if price[i] < by:
            low, by = i, price[i]
    hot = 0
    for i in range(B.shape[0]):
        if price[i] < enough and price[i] <= PART * by:
            among[hot] = i
            hot += 1
    return hot, low, by


@kernel
def append(B, group, Q, R, Z, k, i):
    """Take row i in use as number k; not if it depends on those in use."""
    if k >= Q.shape[0]:
        return False
    v, groups = Q[k], Z.shape[1]
    size = v.size
    square = 1.0
    for c in range(groups):
        v[c] = 0.0
    v[group[i]] = 1.0
    for c in range(groups, size):
        v[c] = B[i, c - groups]
        square += v[c] * v[c]
    for j in range(k):
        R[j, k] = 0.0
    rest = 0.0
    for _ in range(2):  # Gram and Schmidt, twice is enough
        for j in range(k):
            along = 0.0
            for c in range(size):
                along += Q[j, c] * v[c]
            for c in range(size):
                v[c] -= along * Q[j, c]
            R[j, k] += along
        rest = 0.0
        for c in range(size):
            rest += v[c] * v[c]
        if rest > 0.01 * square:  # and once, where little was lost
            break
    if rest <= DEPENDENT * DEPENDENT * square:
        return False
    rest = math.sqrt(rest)
    R[k, k] = rest
    for c in range(size):
        v[c] /= rest
    for g in range(groups):
        z = 1.0 if g == group[i] else 0.0
        for j in range(k):
            z -= R[j, k] * Z[j, g]
        Z[k, g] = z / rest
    return True


@kernel
def remove(rows, weight, Q, R, Z, k, at):
    """No longer use row number ``at``: shift the columns of R, and rotate what sticks out below its diagonal."""
    for j in range(at, k - 1):
        rows[j], weight[j] = rows[j + 1], weight[j + 1]
    for j in range(k):
        for c in range(max(at, j - 1), k - 1):
            R[j, c] = R[j, c + 1]
    for j in range(at, k - 1):
        a, b = R[j, j], R[j + 1, j]
        r = math.hypot(a, b)
        cos, sin = a / r, b / r
        rotate(R, j, j, k - 1, cos, sin)
        rotate(Q, j, 0, Q.shape[1], cos, sin)
        rotate(Z, j, 0, Z.shape[1], cos, sin)
        R[j + 1, j] = 0.0


@kernel
def rotate(A, j, first, last, cos, sin):
    """Turn row j and the next one, in some columns."""
    for c in range(first, last):
        x, y = A[j, c], A[j + 1, c]
        A[j, c] = cos * x + sin * y
        A[j + 1, c] = cos * y - sin * x


@kernel
def settle(share, rows, weight, wanted, Q, R, Z, mu, k):
    """Move to the affine minimiser of the rows in use; drop those that would get a negative weight on the way."""
    while True:
        minimiser(share, R, Z, mu, wanted, k)
        first, theta = np.int64(-1), 1.0
        for j in range(k):
            if wanted[j] <= 0.0:
                part = weight[j] / max(weight[j] - wanted[j], 1e-300)
                if first < 0 or part < theta:
                    first, theta = j, part
        for j in range(k):
            mixed = (1.0 - theta) * weight[j] + theta * wanted[j]
            weight[j] = wanted[j] if first < 0 else max(mixed, 0.0)
        if first < 0:
            return k
        remove(rows, weight, Q, R, Z, k, first)
        k -= 1


@kernel
def minimiser(share, R, Z, mu, wanted, k):
    """The multipliers mu and the wanted weights R^-1 Z mu."""
    multipliers(Z, share, k, mu)
    for j in range(k - 1, -1, -1):
        rest = 0.0
        for g in range(mu.size):
            rest += Z[j, g] * mu[g]
        for c in range(j + 1, k):
            rest -= R[j, c] * wanted[c]
        wanted[j] = rest / R[j, j]


@kernel
def multipliers(Z, share, k, mu):
    """Solve Z'Z mu = share, for one group or two, with the second column of Z made orthogonal to the first."""
    aa, ab = 0.0, 0.0
    for j in range(k):
        aa += Z[j, 0] * Z[j, 0]
    if mu.size == 1:
        mu[0] = share[0] / aa
        return
    for j in range(k):
        ab += Z[j, 0] * Z[j, 1]
    along = ab / aa
    bb = 0.0
    for j in range(k):
        rest = Z[j, 1] - along * Z[j, 0]
        bb += rest * rest
    mu[1] = (share[1] - along * share[0]) / bb
    mu[0] = share[0] / aa - along * mu[1]


@kernel
def combine(Q, Z, mu, v, k):
    """(s, w) = Q Z mu."""
    for c in range(v.size):
        v[c] = 0.0
    for j in range(k):
        p = 0.0
        for g in range(mu.size):
            p += Z[j, g] * mu[g]
        for c in range(v.size):
            v[c] += p * Q[j, c]
