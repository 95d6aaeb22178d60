"""Soft margin (C12): the hyperplane that pays for a large margin with some errors."""

from __future__ import annotations

import numpy as np

from ..core.stop import Rounds
from ..oracles import Dense
from .ascent import ascent
from .duality import Bounds, Problem
from .newton import FEW, newton

# Multiplications a second, as measured on one core; only their proportions matter, for the choice of the method.
DENSE, SPARSE, MATRIX = 1.3e9, 8.5e7, 1.1e10
SOME = 20  # passes of ascent


def soft_margin(
    problem: Problem, tol: float, rounds: Rounds, *,
    method: str = "auto", order: str = "random", seed: int = 0, alpha: np.ndarray | None = None, watch=None,
) -> Bounds:  # fmt: skip
    """Learn until P and D are a part ``tol`` of P apart, or ``rounds`` end.

    "auto": ascent until it has cost what Newton steps would cost from there; then these, unless the gap is reached.
    So it never takes much more than twice the time of the better one of them.
    """
    bounds = Bounds(problem, watch)
    alpha = np.zeros(problem.C.size) if alpha is None else np.clip(alpha, 0.0, problem.limit)
    if alpha.any():
        total = problem.total(alpha)
        bounds.see(total, problem.scores(total), alpha, total)
    if method != "newton" and bounds.gap > tol:
        prices = Prices(problem)
        enough = (lambda visits, alpha: False) if method == "ascent" else prices.newton_is_due
        if method == "ascent" or not prices.newton_is_cheap:
            alpha = ascent(bounds, alpha, tol, rounds, order, seed, enough)
    if method != "ascent" and bounds.gap > tol:
        newton(bounds, alpha, tol, rounds)
    return bounds


class Prices:
    """About how long a visit to a row takes, and how long Newton steps to the end."""

    def __init__(self, problem: Problem):
        part, self.problem = problem.part, problem
        row = problem.width / DENSE if isinstance(part, Dense) else part.data.size / part.sign.size / SPARSE
        self.visit = 5e-8 + row

    def newton(self, within: float) -> float:
        """About how long Newton steps take, if ``within`` rows are between their limits."""
        d = float(self.problem.width)
        step = 3e-4 + d**3 / 3.0 / MATRIX + 0.2 * self.problem.C.size * self.visit
        return within * d * d / MATRIX + (8 if self.problem.squared else 60) * step

    @property
    def newton_is_cheap(self) -> bool:
        """Do Newton steps from nothing, with all rows between their limits, take less than some passes?"""
        n = self.problem.C.size
        return self.problem.width <= FEW and self.newton(n) < SOME * n * self.visit

    def newton_is_due(self, visits: float, alpha: np.ndarray) -> bool:
        """Have the visits cost as much as Newton steps would from these weights?"""
        problem = self.problem
        if problem.width > FEW:
            return visits > 1000.0 * alpha.size
        within = float(np.count_nonzero((alpha > 0.0) & (alpha < problem.limit))) + problem.width
        return visits * self.visit > self.newton(within)
