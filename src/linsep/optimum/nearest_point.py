r"""The nearest point (C10): the optimal separating hyperplane, exactly.

The hyperplane of largest margin is the point of least norm in the convex hull of the vectors, or, with a free
bias, in the set of halved differences of two hulls. Both are one problem,

.. math:: \min_\lambda \Big|\sum_i \lambda_i m_i\Big|, \qquad \lambda \ge 0, \qquad
          \sum_{i \in g} \lambda_i = s_g \quad \text{for every group } g ,

with one group of share 1 (augmented vectors) or two of share 1/2 (the mirrored rows of the classes).

`active_set` solves it for some hundred rows: Wolfe's algorithm, a fully corrective Kozinec. It keeps a
QR factorisation of the rows in use, which grows and shrinks by one column at a time. `nearest_point` prices
all rows: it solves for the lowest ones, looks at all, and repeats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..core.certify import Rows, live, vectors, width
from ..core.stop import Rounds
from ..core.sweep import scores

U = float(np.finfo(np.float64).eps)


class Nearest(NamedTuple):
    """The point of least norm, with its convex weights (by row number) and the looks at all data it took."""

    w: np.ndarray
    dual: np.ndarray
    looks: int


class _Face:
    """Rows in use: the affine minimiser of their hull, by a QR factorisation that follows every change.

    The factorised columns are ``(e_g, m_i)``, with the unit vector of the row's group on top of it.
    """

    def __init__(self, B: np.ndarray, group: np.ndarray, share: np.ndarray):
        self.B, self.group, self.share = B, group, share
        self.scale = max(float(np.abs(B).max(initial=0.0)), 1e-300)
        self.rows: list[int] = []
        self.Q = np.zeros((B.shape[1] + share.size, 0))
        self.R = np.zeros((0, 0))

    def column(self, i: int) -> np.ndarray:
        """(e_g, m_i), the vector scaled to the size of the unit vector."""
        top = np.zeros(self.share.size)
        top[self.group[i]] = 1.0
        return np.concatenate([top, self.B[i] / self.scale])

    def add(self, i: int) -> bool:
        """Take row i in use; not if it depends on those in use."""
        k = len(self.rows)
        if k >= self.Q.shape[0]:
            return False
        v = self.column(i)
        rest = v - self.Q @ (self.Q.T @ v)
        rest -= self.Q @ (self.Q.T @ rest)
        if np.linalg.norm(rest) <= 1e-12 * np.linalg.norm(v):
            return False
        if k == 0:
            norm = float(np.linalg.norm(v))
            self.Q, self.R = (v / norm)[:, None], np.array([[norm]])
        else:
            self.Q, self.R = scipy.linalg.qr_insert(self.Q, self.R, v, k, which="col", check_finite=False)
        self.rows.append(i)
        return True

    def drop(self, at: int) -> None:
        """No longer use the row at place ``at``."""
        self.Q, self.R = scipy.linalg.qr_delete(self.Q, self.R, at, which="col", check_finite=False)
        k = len(self.rows) - 1
        self.Q, self.R = self.Q[:, :k], self.R[:k, :k]
        del self.rows[at]

    def minimiser(self) -> np.ndarray:
        """The weights of the affine minimiser: all rows of a group have the same score there.

        Refined by that very condition, with scores taken from w itself: the normal equations alone would
        lose as many digits again as w is shorter than the rows.
        """
        group, M = self.group[self.rows], self.B[self.rows] / self.scale
        E = np.zeros((len(self.rows), self.share.size))
        E[np.arange(len(self.rows)), group] = 1.0
        Z = self._solve(E)
        inner = E.T @ Z
        y = Z @ np.linalg.solve(inner, self.share)
        for _ in range(2):
            score = M @ (M.T @ y)
            level = (E.T @ score) / E.sum(axis=0)
            move = self._solve(level[group] - score)
            y = y + move
            y = y + Z @ np.linalg.solve(inner, self.share - E.T @ y)
        return y

    def level(self, w: np.ndarray) -> np.ndarray:
        """w, changed as little as possible, with the same score for all rows of a group.

        Weights are rounded, and rows much longer than w blow that up; w itself can be better than its weights.
        """
        group, M = self.group[self.rows], self.B[self.rows]
        sizes = np.bincount(group, minlength=self.share.size)
        for _ in range(2):
            score = M @ w
            means = np.bincount(group, score, minlength=self.share.size) / np.maximum(sizes, 1)
            gap = (means[group] - score) / self.scale
            w = (
                w
                + (self.Q @ scipy.linalg.solve_triangular(self.R, gap, trans="T", check_finite=False))[
                    self.share.size :
                ]
            )
        return w

    def _solve(self, b: np.ndarray) -> np.ndarray:
        half = scipy.linalg.solve_triangular(self.R, b, trans="T", check_finite=False)
        return scipy.linalg.solve_triangular(self.R, half, check_finite=False)


def active_set(
    B: np.ndarray, group: np.ndarray, share: np.ndarray, start: np.ndarray, tol: float = 1e-12
) -> np.ndarray:
    """Weights of the nearest point of rows ``B``, from feasible weights ``start`` whose rows are independent.

    >>> B = np.array([[2.0, 1.0], [2.0, -1.0], [5.0, 0.0]])
    >>> active_set(B, np.zeros(3, int), np.ones(1), np.array([0.0, 0.0, 1.0]))
    array([0.5, 0.5, 0. ])
    """
    face = _Face(B, group, share)
    weight = np.zeros(len(B))
    for i in np.flatnonzero(start):
        if face.add(int(i)):
            weight[i] = start[i]
    for g, part in enumerate(share):
        weight[group == g] *= part / max(weight[group == g].sum(), 1e-300)
    longest = float(np.sqrt(np.einsum("ij,ij->i", B, B).max(initial=0.0)))
    shut: set[int] = set()  # rows that depend on those in use: open again after a move
    best, least, idle = weight.copy(), math.inf, 0
    while True:
        _settle(face, weight)
        w = B[face.rows].T @ weight[face.rows]
        ww = float(w @ w)
        # every move shortens w, until rounding hides it
        idle = 0 if ww < (1.0 - 1e-12) * least else idle + 1
        if ww < least:
            best, least = weight.copy(), ww
        if idle > 10:
            return best
        price = B @ w
        level = np.array([weight[group == g] @ price[group == g] / part for g, part in enumerate(share)])
        slack = price - level[group]
        slack[face.rows] = 0.0
        if shut:
            slack[list(shut)] = 0.0
        j = int(np.argmin(slack))
        if math.sqrt(ww) <= 4 * U * longest or slack[j] >= -max(tol * ww, 8 * U * longest * math.sqrt(ww)):
            return best
        if face.add(j):
            shut.clear()
        else:
            shut.add(j)


def _settle(face: _Face, weight: np.ndarray) -> None:
    """Move to the affine minimiser of the rows in use; drop those that would get a negative weight on the way."""
    while True:
        rows = np.array(face.rows)
        wanted = face.minimiser()
        have = weight[rows]
        if (wanted > 0).all():
            weight[rows] = wanted
            return
        falling = np.flatnonzero(wanted <= 0)
        steps = have[falling] / np.maximum(have[falling] - wanted[falling], 1e-300)
        first = int(falling[np.argmin(steps)])
        theta = float(min(steps.min(), 1.0))
        weight[rows] = np.maximum((1.0 - theta) * have + theta * wanted, 0.0)
        weight[rows[first]] = 0.0
        face.drop(first)


def nearest_point(
    parts: Sequence[Rows], bias: str, tol: float, rounds: Rounds, size: np.ndarray | float = 1.0
) -> Nearest:
    """The nearest point of all rows: solve for the lowest ones, look at all, repeat until none is lower.

    ``size``: what the columns are divided by; the margin is another one then, separability is not.
    Ends when the two bounds of the margin are a part ``tol`` apart, when the point is the origin (the data
    are not separable), when rounding hides what could still be won, or when ``rounds`` do.
    """
    parts = [part._replace(bias=1.0 if bias == "augmented" else 0.0) for part in parts]
    n, d = sum(part.sign.size for part in parts), width(parts[0])
    sign = np.concatenate([part.sign for part in parts])
    alive = np.concatenate([part.first + rows for part in parts for rows in live(part)])
    group = (sign > 0).astype(np.int64) if bias == "free" else np.zeros(n, dtype=np.int64)
    share = np.array([0.5, 0.5]) if bias == "free" else np.array([1.0])
    dual = np.zeros(n)
    for g, part in enumerate(share):
        dual[alive[np.argmax(group[alive] == g)]] = part
    keep = max(100, d // 2)
    w, looks, used = np.zeros(d + 1), 0, np.zeros(0, dtype=np.int64)
    best, least, idle = dual, math.inf, 0
    for look in rounds:
        looks = look
        support = np.flatnonzero(dual)
        w, longest = _point(parts, dual, support, group, share, size)
        price = np.full(n, np.inf)
        for part in parts:
            for rows in live(part):
                scores(part, w / size, rows, price)
        lowest = sum(part * price[group == g].min() for g, part in enumerate(share))
        norm = float(np.linalg.norm(w))
        idle = 0 if norm < (1.0 - 1e-12) * least else idle + 1
        if norm < least:
            best, least = dual, norm
        if lowest >= (1.0 - tol) * norm * norm or norm <= 16 * U * longest or idle > 3:
            break
        members = [np.flatnonzero(group == g) for g in range(share.size)]
        some = [each[np.argsort(price[each], kind="stable")[:keep]] for each in members]
        rows = np.unique(np.concatenate([support, *some, used]))
        rows = rows[price[rows] < np.inf]  # not those that are absent
        B = _centred(parts, rows, group, share, size)
        found = active_set(B, group[rows], share, dual[rows])
        dual = np.zeros(n)
        dual[rows] = found
        used = rows[np.argsort(B @ (B.T @ found))[: 4 * keep]]
    return Nearest(_point(parts, best, np.flatnonzero(best), group, share, size)[0], best, looks)


def _centred(parts, rows: np.ndarray, group: np.ndarray, share: np.ndarray, size) -> np.ndarray:
    """The vectors of some rows; of two hulls less a common offset, which their differences don't have."""
    B = vectors(parts, rows)
    B /= size if np.ndim(size) == 0 else size[: B.shape[1]]
    if share.size == 2:
        side = 2.0 * group[rows, None] - 1.0
        B -= side * np.mean([(side * B)[group[rows] == g].mean(axis=0) for g in (0, 1)], axis=0)
    return B


def _point(parts, dual: np.ndarray, support: np.ndarray, group, share, size) -> tuple[np.ndarray, float]:
    """w of these weights, levelled on their rows; and the longest coordinate of those."""
    B = _centred(parts, support, group, share, size)
    face = _Face(B, group[support], share)
    w = np.zeros(width(parts[0]) + 1)
    w[: B.shape[1]] = B.T @ dual[support]
    if all(face.add(i) for i in range(len(support))):
        w[: B.shape[1]] = face.level(w[: B.shape[1]])
    return w, float(np.abs(B).max(initial=0.0))
