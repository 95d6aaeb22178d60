r"""The nearest point where there are many columns (C10): by dual coordinate ascent.

With tens of thousands of columns hundreds or thousands of rows decide, and an active set of so many is slow. But the
hard margin is a soft one without limits: what ascent remembers in :math:`\alpha`, divided by its sum, are the weights
of a point of the hull, and w has a margin of its own. So both bounds of the margin close, as they do for Kozinec.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..loop.stop import Rounds
from ..rows.matrix import Rows
from .coordinate_ascent import ascent
from .duality import Problem
from .nearest_point import Nearest


class Hulls:
    """The best w and the best weights so far: what `Bounds` is for the soft margin."""

    def __init__(self, problem: Problem):
        self.problem, self.passes = problem, 0
        self.w, self.dual = np.zeros(problem.width), np.zeros(problem.C.size)
        self.lower, self.upper = -math.inf, math.inf
        self.here = problem.C > 0.0

    def see(self, w: np.ndarray, score: np.ndarray, alpha: np.ndarray, total: np.ndarray) -> float:
        """Take w or alpha over if it is better; the gap of the two bounds, relative."""
        problem = self.problem
        norm = math.sqrt(problem.norm(w))
        lowest = float(score[self.here].min())
        if problem.free:  # the bias that makes the lowest score of both classes the same
            g = score - problem.sign * w[-1]
            lowest = 0.5 * sum(float(g[self.here & (problem.sign == side)].min()) for side in (-1, 1))
            alpha = problem.balanced(alpha)
            total = problem.total(alpha)
        lower = lowest / norm if norm > 0.0 else -math.inf
        upper = math.sqrt(problem.norm(total)) / float(alpha.sum()) if alpha.any() else math.inf
        if lower > self.lower:
            self.w, self.lower = w.copy(), lower
        if upper < self.upper:
            self.dual, self.upper = alpha / float(alpha.sum()), upper
        return 1.0 - self.lower / self.upper if self.upper < math.inf else math.inf


def wide_point(parts: Sequence[Rows], bias: str, tol: float, rounds: Rounds) -> Nearest:
    """The nearest point of one part, up to a relative ``tol``; if the hulls meet, until ``rounds`` end."""
    (part,) = parts
    present = part.weight > 0.0 if part.weight.size else np.ones(part.sign.size, dtype=bool)
    hulls = Hulls(Problem(part, np.where(present, math.inf, 0.0), False, bias))
    ascent(hulls, np.zeros(part.sign.size), tol, rounds, "random", 0, lambda visits, left, alpha: False)
    return Nearest(hulls.w, hulls.dual, hulls.passes)
