r"""Newton steps for the soft margin: the last digits, and everything where there are few columns.

The squared hinge has a slope that is piecewise linear, and Newton's method on it ends in some steps. The hinge is made
alike by remembering, too: with the weights :math:`\alpha^k` so far,

.. math:: w = \arg\min_w \tfrac12|w|^2 + \sum_i \max_{0 \le \alpha \le C_i} \Big[ \alpha\,(1 - \langle w,a_i\rangle)
          - \frac{(\alpha - \alpha_i^k)^2}{2 \sigma C_i} \Big], \qquad
          \alpha_i^{k+1} = \min(\max(\alpha_i^k + \sigma C_i (1 - \langle w,a_i\rangle), 0), C_i) ,

the method of multipliers. The curvature comes only from the rows between their limits, :math:`I + \sigma \sum_F C_i a_i
a_i^T`: see `linsep.solvers.curvature`. Rows are asked for sums and scores only, so that they may be in parts, and
elsewhere.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..certificates.prove.objective import SoftMarginProblem
from ..jit import compiled
from ..loop.stop import Rounds
from ..loop.trace import tell
from .curvature import CurvatureMatrix, CurvatureProducts

if TYPE_CHECKING:
    from .soft_margin import Bounds

FEW = 1500  # columns up to which the curvature is kept as a matrix
GROW = 5.0
IDLE, SMALL = 50, 1e-9  # steps without a clearly smaller slope, and a gap: together they are rounding


def newton(bounds: Bounds, alpha: np.ndarray, tol: float, rounds: Rounds) -> None:
    """Newton steps from ``alpha`` until the gap is ``tol``; what they find stays in ``bounds``.

    They take the rows near the margin only. When these are solved, all rows are evaluated.
    """
    problem = bounds.problem
    w = bounds.w.copy() if alpha.any() else np.zeros(problem.size)  # from nothing, all rows are between their limits
    before, sigma = (np.zeros_like(alpha), 2.0) if problem.squared else (alpha, _first_sigma(bounds.relative_gap))
    in_norm = np.ones(problem.size)  # which coordinates of w are in its norm
    in_norm[-1] = 0.0 if problem.free else 1.0
    curvature = CurvatureMatrix(problem) if problem.size <= FEW else CurvatureProducts(problem)
    near = NearRows(problem, before, sigma)
    score = near.choose(problem.scores(w))
    least, idle = math.inf, 0
    for _ in rounds:
        bounds.passes += 1
        unlimited = near.unlimited_alpha(score)
        alpha = np.clip(unlimited, 0.0, near.limit)
        total = problem.combine(alpha, near.rows)
        slope = in_norm * w - total
        steep, gap = float(slope @ slope), bounds.upper - bounds.lower
        least, idle = (steep, 0) if steep < 0.9 * least else (least, idle + 1)
        if idle > IDLE and bounds.relative_gap < SMALL:
            break
        solved = steep <= 0.01 * gap and (not problem.free or abs(float(slope[-1])) <= 0.1 * gap)
        if solved or near.relative_gap(w, score, alpha, total) <= tol:
            every = problem.scores(w)
            alpha = near.new_alpha(every)
            if bounds.update(w, every, alpha, problem.combine(alpha)) <= tol:
                return
            if solved:
                if near.has_all_support(alpha):
                    if (problem.squared or sigma > 1e12) and bounds.upper - bounds.lower >= gap:
                        return  # rounding hides what could still be gained
                    if not problem.squared:
                        sigma *= GROW
                        near = NearRows(problem, alpha, sigma)
                        least, idle = math.inf, 0
                score = near.choose(every)
                continue
        step = curvature.step(near.rows[(unlimited > 0.0) & (unlimited < near.limit)], sigma, in_norm, slope)
        moved = problem.scores(step, near.rows)
        t = search_line(
            unlimited, near.rate * moved, near.limit, moved, float((in_norm * w) @ step), problem.squared_norm(step)
        )
        w, score = w + t * step, near.narrow(score + t * moved)
        tell(partial(dict, w=w, rows=near.rows, state={"rate": float(t), "step": step}))
    score = problem.scores(w)  # the budget is spent, or the digits
    alpha = near.new_alpha(score)
    bounds.update(w, score, alpha, problem.combine(alpha))


def _first_sigma(gap: float) -> float:
    """Where sigma begins: about where the gap comes to be what it is already."""
    return min(max(0.5, 0.05 / math.sqrt(max(gap, 1e-16))), 1e4)


class NearRows:
    """The smoothed problem on the rows near the margin.

    ``rows`` are these; ``before``, ``rate`` and ``limit`` are theirs, and so is a ``score`` where it is not of all.
    """

    def __init__(self, problem: SoftMarginProblem, before: np.ndarray, sigma: float):
        self.problem = problem
        self.all = before, sigma * np.where(problem.C > 0, problem.C, 1.0), problem.limit
        self._take(problem.rows)

    def _take(self, rows: np.ndarray) -> None:
        self.rows = rows
        self.before, self.rate, self.limit = (part[rows] for part in self.all)

    def new_alpha(self, score: np.ndarray) -> np.ndarray:
        """The new weights of all rows."""
        before, rate, limit = self.all
        return np.clip(before + rate * (1.0 - score), 0.0, limit)

    def unlimited_alpha(self, score: np.ndarray) -> np.ndarray:
        """The new weights of these rows, before they are held within their limits."""
        return self.before + self.rate * (1.0 - score)

    def choose(self, score: np.ndarray) -> np.ndarray:
        """Take the rows that the margin may come to; returns their scores."""
        self._take(np.flatnonzero((score < 2.0) | (self.all[0] > 0.0)))
        return score[self.rows]

    def narrow(self, score: np.ndarray) -> np.ndarray:
        """Drop the rows far from the margin, if most are; returns the scores of the rest."""
        kept = (score < 2.0) | (self.before > 0.0)
        if 2 * np.count_nonzero(kept) >= kept.size:
            return score
        self._take(self.rows[kept])
        return score[kept]

    def has_all_support(self, alpha: np.ndarray) -> bool:
        """Whether no other row has a weight."""
        return int(np.count_nonzero(alpha)) == int(np.count_nonzero(alpha[self.rows]))

    def relative_gap(self, w: np.ndarray, score: np.ndarray, alpha: np.ndarray, total: np.ndarray) -> float:
        """The relative gap of P and D, as far as these rows tell."""
        problem, short = self.problem, np.maximum(1.0 - score, 0.0)
        upper = 0.5 * problem.squared_norm(w)
        upper += float(problem.C[self.rows] @ (short * short if problem.squared else short))
        quadratic = problem.squared_norm(total) + float(problem.diagonal[self.rows] @ (alpha * alpha))
        lower = float(alpha.sum()) - 0.5 * quadratic
        return (upper - lower + (abs(float(total[-1])) if problem.free else 0.0)) / max(upper, 1e-300)


@compiled
def search_line(unlimited, fall, limit, moved, slope, norm):
    r"""How far to go along a step: where the smoothed objective is lowest.

    Its derivative :math:`slope + t\, norm - \sum \min(\max(unlimited_i - t\, fall_i, 0), limit_i)\, moved_i` grows with
    t, by pieces of lines, so that Newton's method between two bounds finds its root.
    """
    t, low, high, first = 1.0, 0.0, np.inf, 0.0
    for k in range(30):
        at = 0.0 if k == 0 else t
        rise, curvature = slope + at * norm, norm
        for i in range(unlimited.size):
            alpha = unlimited[i] - at * fall[i]
            if alpha >= limit[i]:
                rise -= limit[i] * moved[i]
            elif alpha > 0.0:
                rise -= alpha * moved[i]
                curvature += fall[i] * moved[i]
        if k == 0:
            first = -rise
            continue
        if abs(rise) <= 0.01 * first:
            break
        if rise > 0.0:
            high = t
        else:
            low = t
        t -= rise / max(curvature, 1e-300)
        if not low < t < high:
            t = 0.5 * (low + high) if high < np.inf else 2.0 * low
    return t
