r"""Wolfe's algorithm (C10): the nearest point of some hundred rows, a fully corrective Kozinec.

.. math:: \min_\lambda \Big|\sum_i \lambda_i m_i\Big|, \qquad \lambda \ge 0, \qquad
          \sum_{i \in g} \lambda_i = s_g \quad \text{for every group } g .

The rows in use are the columns :math:`(e_g, m_i)` of a matrix with the factors ``Q R``, which grow and shrink by one
column at a time. With Z the first rows of Q, those of the groups, transposed, the affine minimiser is

.. math:: \lambda = R^{-1} Z \mu, \qquad Z^T Z \mu = s, \qquad (s, w) = Q Z \mu ,

so that a step costs one product with the rows, one with Q and one triangular solution, and forms no normal equations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..jit import SCALAR_PRODUCTS, compiled

U = float(np.finfo(np.float64).eps)
MOVES = 2000  # then all rows are scored again, and the budgets are checked
PART = 0.5  # of the largest violation: rows with at least this part are tried before all rows are scored again
ROUNDING = 8.0  # units in the last place by which scores of rows of length 1 are wrong, if w is not refined
DEPENDENT = 1e-12  # a row this near to the span of those in use depends on them

kernel = compiled(fastmath=SCALAR_PRODUCTS)


class Hulls(NamedTuple):
    """The rows, their groups, and the sum of the weights of each group."""

    B: np.ndarray
    group: np.ndarray
    share: np.ndarray


class Face(NamedTuple):
    """The rows in use: their numbers, weights and factors (Q is held transposed), and the affine minimiser."""

    rows: np.ndarray
    weight: np.ndarray
    minimiser: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    along: np.ndarray  # Z mu
    point: np.ndarray  # (s, w) of the affine minimiser
    residual: np.ndarray  # by row in use: how far its score is below the mean of its group


class Candidates(NamedTuple):
    """The rows that may be taken in use."""

    level: np.ndarray  # by group: the score of its rows in use
    excluded: np.ndarray  # by row: in use, or dependent on the rows in use since the last move
    violation: np.ndarray  # by row: its score less the level of its group, below 0 if it is lower
    low_rows: np.ndarray  # the rows that were lowest when all were scored


class Best(NamedTuple):
    """The rows in use and their weights at the shortest w so far."""

    rows: np.ndarray
    weight: np.ndarray


def active_set(
    B: np.ndarray, group: np.ndarray, share: np.ndarray, start: np.ndarray, tol: float = 1e-12
) -> np.ndarray:
    """Weights of the nearest point of rows ``B``, from feasible weights ``start``: at least one row of each group.

    >>> B = np.array([[2.0, 1.0], [2.0, -1.0], [5.0, 0.0]])
    >>> active_set(B, np.zeros(3, int), np.ones(1), np.array([0.0, 0.0, 1.0]))
    array([0.5, 0.5, 0. ])
    """
    scale = max(float(np.abs(B).max(initial=0.0)), 1e-300)
    B = np.ascontiguousarray(B / scale)
    (n, d), groups = B.shape, share.size
    most, size = min(n, d + groups), d + groups
    face = Face(
        rows=np.zeros(most, dtype=np.int64), weight=np.zeros(most), minimiser=np.zeros(most), Q=np.zeros((most, size)),
        R=np.zeros((most, most)), along=np.zeros(most), point=np.zeros(size), residual=np.zeros(most),
    )  # fmt: skip
    candidates = Candidates(np.zeros(groups), np.zeros(n, dtype=np.int8), np.zeros(n), np.zeros(n, dtype=np.int64))
    best = Best(np.zeros(most, dtype=np.int64), np.zeros(most))
    k = find_nearest_point(Hulls(B, group, share), start, tol, face, candidates, best)
    rows = best.rows[:k]
    weight = np.zeros(n)
    weight[rows] = Factors(B[rows], group[rows], share).refine_weights(best.weight[:k])
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

    def refine_weights(self, weight: np.ndarray) -> np.ndarray:
        """Weights nearer to those of the affine minimiser, where all rows of a group have the same score.

        The scores are taken from w itself: the normal equations would lose as many digits again as w is shorter than
        the rows. Weights that this would make negative stay as they are.
        """
        M, E, share = self.M / self.scale, self.E, self.share
        Z = self._solve(E)
        inner = E.T @ Z
        y = weight
        for _ in range(2):
            y = y + self._solve(self._below_mean(M @ (M.T @ y)))
            y = y + Z @ np.linalg.solve(inner, share - E.T @ y)
        return y if (y > 0).all() else weight

    def equalise_scores(self, w: np.ndarray) -> np.ndarray:
        """w, changed as little as possible, with the same score for all rows of a group.

        Weights are rounded, and rows much longer than w blow that up; w itself can be better than its weights.
        """
        for _ in range(2):
            move = scipy.linalg.solve_triangular(self.R, self._below_mean(self.M @ w), trans="T", check_finite=False)
            w = w + (self.Q @ move)[self.share.size :] / self.scale
        return w

    def _below_mean(self, score: np.ndarray) -> np.ndarray:
        """How far each score is below the mean of its group."""
        return (self.E.T @ score / self.E.sum(axis=0))[self.group] - score

    def _solve(self, b: np.ndarray) -> np.ndarray:
        half = scipy.linalg.solve_triangular(self.R, b, trans="T", check_finite=False)
        return scipy.linalg.solve_triangular(self.R, half, check_finite=False)


@kernel
def find_nearest_point(hulls, start, tol, face, candidates, best):
    """Run from ``start`` until no row is lower than those in use; returns how many rows ``best`` has."""
    B, group, share = hulls
    rows, weight, _, Q, R, _, point, residual = face
    level, excluded, _, low_rows = candidates
    longest = 0.0
    for i in range(B.shape[0]):
        longest = max(longest, squared_norm(B[i]))
    longest = math.sqrt(longest)
    k = np.int64(0)  # a plain 0 is a type of its own for Numba, and what is called with it would be compiled twice
    for i in range(start.size):
        if start[i] > 0.0 and append(B, group, Q, R, k, i):
            rows[k], weight[k] = i, start[i]
            k += 1
    w = point[share.size :]
    size, low = np.int64(0), np.int64(0)
    least, idle, before = np.inf, 0, 0.0
    for _ in range(MOVES):
        k = move_to_minimiser(share, face, k)
        ww = squared_norm(w)
        idle = 0 if ww < (1.0 - 1e-12) * least else idle + 1  # every move shortens w, until rounding hides it
        if ww < least:
            size, least = k, ww
            for j in range(k):
                best.rows[j], best.weight[j] = rows[j], weight[j]
        norm = math.sqrt(ww)
        if idle > 10 or norm <= 4 * U * longest:
            return size
        enough = -max(tol * ww, 8 * U * longest * norm)
        if enough > -ROUNDING * U * longest:
            equalise_scores(hulls, rows, Q, R, w, residual, k)
        write_levels(hulls, rows, weight, w, level, excluded, k)
        while True:
            row, by = find_lowest(hulls, level, excluded, w, low_rows[:low])
            if low == 0 or by > PART * before:  # the rows that were lowest are not low any more: score all
                low, row, by = select_lowest(hulls, candidates, w, enough)
                before = by
            if by >= enough:
                return size
            if append(B, group, Q, R, k, row):
                break
            excluded[row] = 1  # it depends on those in use: the next one, then
        rows[k], weight[k] = row, 0.0
        k += 1
        for i in range(B.shape[0]):
            excluded[i] = 0
    return size


@kernel
def squared_norm(w):
    """<w,w>."""
    ww = 0.0
    for c in range(w.size):
        ww += w[c] * w[c]
    return ww


@kernel
def score(B, w, i):
    """<w, m_i>."""
    wm = 0.0
    for c in range(w.size):
        wm += B[i, c] * w[c]
    return wm


@kernel
def equalise_scores(hulls, rows, Q, R, w, residual, k):
    """Take rounding out of w: change it as little as possible, so that all rows of a group have the same score.

    (s, w) is rounded as a vector of length 1 is. Where w is much shorter, the scores of all rows drown in that.
    """
    B, group, share = hulls
    for g in range(share.size):
        total, count = 0.0, 0
        for j in range(k):
            if group[rows[j]] == g:
                residual[j] = -score(B, w, rows[j])
                total += residual[j]
                count += 1
        for j in range(k):
            if group[rows[j]] == g:
                residual[j] -= total / count
    for j in range(k):
        step = residual[j] / R[j, j]
        for c in range(j + 1, k):
            residual[c] -= step * R[j, c]
        for c in range(w.size):
            w[c] += step * Q[j, share.size + c]


@kernel
def write_levels(hulls, rows, weight, w, level, excluded, k):
    """The score of the rows in use: the same for all of a group, so that of the heaviest is taken."""
    for g in range(level.size):
        heaviest = -1
        for j in range(k):
            excluded[rows[j]] = 1
            if hulls.group[rows[j]] == g and (heaviest < 0 or weight[j] > weight[heaviest]):
                heaviest = j
        level[g] = score(hulls.B, w, rows[heaviest])


@kernel
def find_lowest(hulls, level, excluded, w, low_rows):
    """Of some rows the one farthest below the level of its group, and by how much."""
    B, group, _ = hulls
    row, by = -1, 0.0
    for i in low_rows:
        if not excluded[i]:
            below = score(B, w, i) - level[group[i]]
            if below < by:
                row, by = i, below
    return row, by


@kernel
def select_lowest(hulls, candidates, w, enough):
    """Make the rows that are at least a part as low as the lowest one candidates; how many, which, and by how much."""
    B, group, _ = hulls
    level, excluded, violation, low_rows = candidates
    row, by = -1, 0.0
    for i in range(B.shape[0]):
        violation[i] = 0.0 if excluded[i] else score(B, w, i) - level[group[i]]
        if violation[i] < by:
            row, by = i, violation[i]
    low = np.int64(0)
    for i in range(B.shape[0]):
        if violation[i] < enough and violation[i] <= PART * by:
            low_rows[low] = i
            low += 1
    return low, row, by


@kernel
def append(B, group, Q, R, k, i):
    """Take row i in use as number k; not if it depends on those in use."""
    if k >= Q.shape[0]:
        return False
    v = Q[k]
    size, groups = v.size, v.size - B.shape[1]
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
        rest = squared_norm(v)
        if rest > 0.01 * square:  # and once, where little was lost
            break
    if rest <= DEPENDENT * DEPENDENT * square:
        return False
    rest = math.sqrt(rest)
    R[k, k] = rest
    for c in range(size):
        v[c] /= rest
    return True


@kernel
def remove(rows, weight, Q, R, k, at):
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
        rotate(Q, j, np.int64(0), Q.shape[1], cos, sin)
        R[j + 1, j] = 0.0


@kernel
def rotate(A, j, first, last, cos, sin):
    """Turn row j and the next one, in some columns."""
    for c in range(first, last):
        x, y = A[j, c], A[j + 1, c]
        A[j, c] = cos * x + sin * y
        A[j + 1, c] = cos * y - sin * x


@kernel
def move_to_minimiser(share, face, k):
    """Move to the affine minimiser of the rows in use; drop those that would get a negative weight on the way."""
    rows, weight, minimiser, Q, R, along, point, _ = face
    while True:
        write_multipliers(share, Q, along, k)
        first, theta = np.int64(-1), 1.0
        for j in range(k - 1, -1, -1):  # the weights of the minimiser, R^-1 Z mu
            rest = along[j]
            for c in range(j + 1, k):
                rest -= R[j, c] * minimiser[c]
            minimiser[j] = rest / R[j, j]
        for j in range(k):
            if minimiser[j] <= 0.0:
                part = weight[j] / max(weight[j] - minimiser[j], 1e-300)
                if first < 0 or part < theta:
                    first, theta = j, part
        for j in range(k):
            mixed = (1.0 - theta) * weight[j] + theta * minimiser[j]
            weight[j] = minimiser[j] if first < 0 else max(mixed, 0.0)
        if first < 0:
            break
        remove(rows, weight, Q, R, k, first)
        k -= 1
    for c in range(point.size):
        point[c] = 0.0
    for j in range(k):
        for c in range(point.size):
            point[c] += along[j] * Q[j, c]
    return k


@kernel
def write_multipliers(share, Q, along, k):
    """Solve Z'Z mu = share, for one group or two, with the second column of Z made orthogonal to the first; Z mu."""
    aa, ab, bb = 0.0, 0.0, 0.0
    for j in range(k):
        aa += Q[j, 0] * Q[j, 0]
    mu, nu = share[0] / aa, 0.0
    if share.size == 2:
        for j in range(k):
            ab += Q[j, 0] * Q[j, 1]
        for j in range(k):
            rest = Q[j, 1] - ab / aa * Q[j, 0]
            bb += rest * rest
        nu = (share[1] - ab / aa * share[0]) / bb
        mu -= ab / aa * nu
    for j in range(k):
        along[j] = Q[j, 0] * mu
        if share.size == 2:
            along[j] += Q[j, 1] * nu
