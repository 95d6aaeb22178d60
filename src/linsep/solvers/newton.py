r"""Newton steps for the soft margin: the last digits, and everything where there are few columns.

The squared hinge has a slope that is piecewise linear, and Newton's method on it ends in some steps. The hinge is made
alike by remembering, too: with the weights :math:`\alpha^k` so far,

.. math:: w = \arg\min_w \tfrac12|w|^2 + \sum_i \max_{0 \le \alpha \le C_i} \Big[ \alpha\,(1 - \langle w,a_i\rangle)
          - \frac{(\alpha - \alpha_i^k)^2}{2 \sigma C_i} \Big], \qquad
          \alpha_i^{k+1} = \min(\max(\alpha_i^k + \sigma C_i (1 - \langle w,a_i\rangle), 0), C_i) ,

the method of multipliers. The curvature comes only from the rows between their limits, :math:`I + \sigma \sum_F C_i a_i
a_i^T`. With few columns that sum is kept, and changed by the rows that enter or leave F; with many, conjugate gradients
multiply with it.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from ..jit import compiled
from ..loop.stop import Rounds
from ..loop.sweep import compose, scores
from ..oracles import Dense
from ..rows.matrix import vectors
from .duality import Bounds, Problem

FEW = 1500  # columns up to which the curvature is kept as a matrix
GROW = 5.0
IDLE, SMALL = 50, 1e-9  # steps without a clearly smaller slope, and a gap: together they are rounding
BLOCK = 4096
SPARSE = 4  # columns for each non-zero, from which on products of non-zeros are quicker than those of matrices


def newton(bounds: Bounds, alpha: np.ndarray, tol: float, rounds: Rounds) -> None:
    """Newton steps from ``alpha`` until the gap is ``tol``; what they find stays in ``bounds``.

    They look at the rows `near` the margin only. When these are settled, all rows are looked at.
    """
    problem = bounds.problem
    w = bounds.w if alpha.any() else np.zeros(problem.width)  # from nothing, all rows are between their limits
    before, sigma = (np.zeros_like(alpha), 2.0) if problem.squared else (alpha, _steep(bounds.gap))
    weight = np.ones(problem.width)  # of the coordinates of w in its norm
    weight[-1] = 0.0 if problem.free else 1.0
    curvature = Kept(problem) if problem.width <= FEW else Products(problem)
    near = Near(problem, before, sigma)
    score = near.choose(problem.scores(w))
    least, idle = math.inf, 0
    for _ in rounds:
        bounds.passes += 1
        pull = near.pull(score)
        alpha = np.clip(pull, 0.0, near.limit)
        total = near.total(alpha)
        slope = weight * w - total
        steep, lacks = float(slope @ slope), bounds.upper - bounds.lower
        least, idle = (steep, 0) if steep < 0.9 * least else (least, idle + 1)
        if idle > IDLE and bounds.gap < SMALL:
            break
        settled = steep <= 0.01 * lacks and (not problem.free or abs(float(slope[-1])) <= 0.1 * lacks)
        if settled or near.gap(w, score, alpha, total) <= tol:
            whole = problem.scores(w)
            alpha = near.alpha(whole)
            if bounds.see(w, whole, alpha, problem.total(alpha)) <= tol:
                return
            if settled:
                if near.complete(alpha):
                    if (problem.squared or sigma > 1e12) and bounds.upper - bounds.lower >= lacks:
                        return  # rounding hides what could still be won
                    if not problem.squared:
                        sigma *= GROW
                        near = Near(problem, alpha, sigma)
                        least, idle = math.inf, 0
                score = near.choose(whole)
                continue
        step = curvature.step(near.rows[(pull > 0.0) & (pull < near.limit)], sigma, weight, slope)
        moved = near.scores(step)
        t = lowest(pull, near.steep * moved, near.limit, moved, float((weight * w) @ step), problem.norm(step))
        w, score = w + t * step, near.narrow(score + t * moved)
    score = problem.scores(w)  # the budget is spent, or the digits
    alpha = near.alpha(score)
    bounds.see(w, score, alpha, problem.total(alpha))


def _steep(gap: float) -> float:
    """Where sigma begins: about where the gap comes to be what it is already."""
    return min(max(0.5, 0.05 / math.sqrt(max(gap, 1e-16))), 1e4)


class Near:
    """The smoothed problem: what the rows pull, seen on those near the margin.

    ``rows`` are these; ``before``, ``steep`` and ``limit`` are theirs, and so is a ``score`` where it is not the whole.
    """

    def __init__(self, problem: Problem, before: np.ndarray, sigma: float):
        self.problem = problem
        self.all = before, sigma * np.where(problem.C > 0, problem.C, 1.0), problem.limit
        self._take(problem.rows)

    def _take(self, rows: np.ndarray) -> None:
        self.rows = rows
        self.before, self.steep, self.limit = (part[rows] for part in self.all)

    def alpha(self, score: np.ndarray) -> np.ndarray:
        """The new weights of all rows."""
        before, steep, limit = self.all
        return np.clip(before + steep * (1.0 - score), 0.0, limit)

    def choose(self, score: np.ndarray) -> np.ndarray:
        """Take the rows that the margin may come to; returns their scores."""
        self._take(np.flatnonzero((score < 2.0) | (self.all[0] > 0.0)))
        return score[self.rows]

    def narrow(self, score: np.ndarray) -> np.ndarray:
        """Let go of rows, if most of them have gone far; returns the scores of the rest."""
        kept = (score < 2.0) | (self.before > 0.0)
        if 2 * np.count_nonzero(kept) >= kept.size:
            return score
        self._take(self.rows[kept])
        return score[kept]

    def complete(self, alpha: np.ndarray) -> bool:
        """Does no other row pull?"""
        return int(np.count_nonzero(alpha)) == int(np.count_nonzero(alpha[self.rows]))

    def pull(self, score: np.ndarray) -> np.ndarray:
        """What the rows pull, before their limits."""
        return self.before + self.steep * (1.0 - score)

    def total(self, alpha: np.ndarray) -> np.ndarray:
        """The sum of what the rows pull."""
        whole, total = np.zeros(self.problem.C.size), np.zeros(self.problem.width)
        whole[self.rows] = alpha
        compose(self.problem.part, whole, self.rows, total)
        return total

    def gap(self, w: np.ndarray, score: np.ndarray, alpha: np.ndarray, total: np.ndarray) -> float:
        """The gap of P and D, relative, as far as these rows tell."""
        problem, short = self.problem, np.maximum(1.0 - score, 0.0)
        upper = 0.5 * problem.norm(w)
        upper += float(problem.C[self.rows] @ (short * short if problem.squared else short))
        lower = float(alpha.sum()) - 0.5 * problem.norm(total) - 0.5 * float(problem.extra[self.rows] @ (alpha * alpha))
        return (upper - lower + (abs(float(total[-1])) if problem.free else 0.0)) / max(upper, 1e-300)

    def scores(self, w: np.ndarray) -> np.ndarray:
        """<w, a_i> of these rows."""
        out = np.empty(self.problem.C.size)
        scores(self.problem.part, w, self.rows, out)
        return out[self.rows]


@compiled
def lowest(pull, fall, limit, moved, slope, norm):
    r"""How far to go along a step: where the smoothed objective is lowest.

    Its derivative :math:`slope + t\, norm - \sum \min(\max(pull_i - t\, fall_i, 0), limit_i)\, moved_i` grows with t,
    by pieces of lines, so that Newton's method between two bounds finds its root.
    """
    t, low, high, first = 1.0, 0.0, np.inf, 0.0
    for k in range(30):
        at = 0.0 if k == 0 else t
        rise, bend = slope + at * norm, norm
        for i in range(pull.size):
            alpha = pull[i] - at * fall[i]
            if alpha >= limit[i]:
                rise -= limit[i] * moved[i]
            elif alpha > 0.0:
                rise -= alpha * moved[i]
                bend += fall[i] * moved[i]
        if k == 0:
            first = -rise
            continue
        if abs(rise) <= 0.01 * first:
            break
        if rise > 0.0:
            high = t
        else:
            low = t
        t -= rise / max(bend, 1e-300)
        if not low < t < high:
            t = 0.5 * (low + high) if high < np.inf else 2.0 * low
    return t


def held(pull: np.ndarray, rows: np.ndarray) -> float:
    """What holds a free bias, which no norm does: next to nothing, unless no row does."""
    return 1e-8 * (1.0 + float(pull[rows].sum())) if rows.size else float(pull.sum())


class Kept:
    """The curvature of few columns: a matrix that follows the rows in F."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.rows = np.zeros(0, dtype=np.int64)
        self.matrix = np.zeros((problem.width, problem.width))

    def step(self, rows: np.ndarray, sigma: float, weight: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Minus the slope divided by the curvature of ``rows``."""
        fresh, stale = np.setdiff1d(rows, self.rows, True), np.setdiff1d(self.rows, rows, True)
        if fresh.size + stale.size >= rows.size:
            self.matrix[:] = 0.0
            fresh, stale = rows, rows[:0]
        self._add(fresh, 1.0)
        self._add(stale, -1.0)
        self.rows = rows
        H = sigma * self.matrix
        H[np.diag_indices_from(H)] += np.where(weight > 0, weight, held(sigma * self.problem.C, rows))
        return scipy.linalg.solve(H, -slope, assume_a="pos", overwrite_a=True, check_finite=False)  # reads one half

    def _add(self, rows: np.ndarray, times: float) -> None:
        problem = self.problem
        if not isinstance(problem.part, Dense) and SPARSE * problem.part.data.size < problem.width * problem.C.size:
            bend_rows(problem.part, times * problem.C, rows, self.matrix)
            return
        for begin in range(0, rows.size, BLOCK):
            some = rows[begin : begin + BLOCK]
            A = vectors([problem.part], some)
            A = A if problem.part.bias else np.column_stack([A, np.zeros(some.size)])
            A *= np.sqrt(problem.C[some])[:, None]
            self.matrix += times * (A.T @ A)


@compiled
def bend_rows(oracle, beta, rows, H):
    """Add beta_i a_i a_i' of ``rows`` to the upper half of H."""
    for i in rows:
        oracle.bend(H, i, beta[i])


class Products:
    """The curvature of many columns: only its products with vectors, for conjugate gradients."""

    def __init__(self, problem: Problem):
        part = problem.part
        self.C, self.bias = problem.C, part.bias
        self.X = part.X if isinstance(part, Dense) else sp.csr_array(
            (part.data, part.indices, part.indptr), shape=(part.sign.size, part.width)
        )  # fmt: skip

    def step(self, rows: np.ndarray, sigma: float, weight: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Minus the slope divided by the curvature of ``rows``, about."""
        A, pull = self.X[rows].astype(np.float64, copy=False), sigma * self.C[rows]
        weight = np.where(weight > 0, weight, held(sigma * self.C, rows))

        def product(v: np.ndarray) -> np.ndarray:
            q = pull * (A @ v[:-1] + self.bias * v[-1])
            return weight * v + np.append(A.T @ q, self.bias * q.sum())

        step, rest = np.zeros_like(slope), -slope
        along, square = rest.copy(), float(rest @ rest)
        enough = min(1e-4, math.sqrt(square) * 1e-2) * square
        for _ in range(500):
            bent = product(along)
            length = square / float(along @ bent)
            step, rest = step + length * along, rest - length * bent
            before, square = square, float(rest @ rest)
            if square <= enough:
                break
            along = rest + square / before * along
        return step
