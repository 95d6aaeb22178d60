"""Soft margin (C12): the hyperplane that pays for a large margin with some errors."""

from __future__ import annotations

import math

import numpy as np

from ..loop.stop import Rounds
from ..oracles import Dense
from .coordinate_ascent import ascent
from .duality import Bounds, Problem
from .newton import FEW, newton

# Multiplications a second, as measured on one core; only their proportions matter, for the choice of the method.
DENSE, SPARSE, MATRIX, PAIRS = 1.3e9, 5e8, 1.1e10, 1e9
SOME = 20  # passes of ascent


def soft_margin(
    problem: Problem, tol: float, rounds: Rounds, *,
    method: str = "auto", order: str = "random", seed: int = 0, alpha: np.ndarray | None = None, watch=None,
) -> Bounds:  # fmt: skip
    """Learn until P and D are a part ``tol`` of P apart, or ``rounds`` end.

    "auto": ascent until it has cost, or is to cost, what Newton steps would cost from there; then these, unless the gap
    is reached. Beyond `FEW` columns Newton steps are a last resort.
    """
    bounds = Bounds(problem, watch)
    alpha = np.zeros(problem.C.size) if alpha is None else np.clip(alpha, 0.0, problem.limit)
    if alpha.any():
        total = problem.total(alpha)
        bounds.see(total, problem.scores(total), alpha, total)
    if method != "newton" and bounds.gap > tol:
        prices = Prices(problem, tol)
        enough = (lambda visits, left, alpha: False) if method == "ascent" else prices.newton_is_due
        if method == "ascent" or not prices.newton_is_cheap:
            alpha = ascent(bounds, alpha, tol, rounds, order, seed, enough)
    if method != "ascent" and bounds.gap > tol:
        newton(bounds, alpha, tol, rounds)
    return bounds


class Prices:
    """About how long a visit to a row takes, and how long Newton steps to the end."""

    def __init__(self, problem: Problem, tol: float):
        part, self.problem = problem.part, problem
        self.steps = 8.0 if problem.squared else 10.0 - 3.3 * math.log(tol)  # ten for each time the gap falls to a 20th
        if isinstance(part, Dense):
            self.visit, self.bend = 5e-8 + problem.width / DENSE, problem.width**2 / MATRIX
        else:
            filled = part.data.size / part.sign.size
            self.visit, self.bend = 2e-8 + filled / SPARSE, min(problem.width**2 / MATRIX, filled**2 / 2.0 / PAIRS)

    def newton(self, within: float) -> float:
        """About how long Newton steps take, if ``within`` rows are between their limits."""
        step = 3e-4 + float(self.problem.width) ** 3 / 3.0 / MATRIX + self.problem.C.size * (0.2 * self.visit + 4e-8)
        return within * self.bend + self.steps * step

    @property
    def newton_is_cheap(self) -> bool:
        """Do Newton steps from nothing, with all rows between their limits, take less than some passes?"""
        n = self.problem.C.size
        return self.problem.width <= FEW and self.newton(n) < SOME * n * self.visit

    def newton_is_due(self, visits: float, left: float, alpha: np.ndarray) -> bool:
        """Have the visits cost as much as Newton steps would from these weights, or will those that are left?"""
        problem = self.problem
        if problem.width > FEW:
            return visits > 1000.0 * alpha.size
        within = float(np.count_nonzero((alpha > 0.0) & (alpha < problem.limit))) + problem.width
        return max(visits, left) * self.visit > self.newton(within)
