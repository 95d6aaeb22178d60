"""Soft margin (C12): the hyperplane that pays for a large margin with some errors.

What is minimised, and its dual, is `linsep.certificates.prove.objective.SoftMarginProblem`. Dual coordinate ascent and
Newton steps solve it; `Bounds` keeps the best that both find.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from ..certificates.prove.objective import SoftMarginProblem
from ..loop.stop import Rounds
from ..oracles.elsewhere import are_elsewhere
from .coordinate_ascent import ascend
from .machine_ascent import ascend_machine
from .newton import FEW, newton

# Multiplications per second, as measured on one core; only their proportions matter, for the choice of the method.
DENSE, SPARSE, MATRIX, PAIRS = 1.3e9, 5e8, 1.1e10, 1e9
SOME = 20  # passes of ascent


class Bounds:
    """The best w and the best alpha so far: P(w) and D(alpha) enclose the optimum."""

    def __init__(self, problem: SoftMarginProblem, watch: Callable[[dict[str, float]], object] | None = None):
        self.problem, self.watch = problem, watch
        self.w, self._places, self._weights = np.zeros(problem.size), np.zeros(0, dtype=np.int64), np.zeros(0)
        self.upper, self.lower, self.passes = math.inf, 0.0, 0
        self.update(self.w, np.zeros(problem.C.size), self.alpha, self.w)

    @property
    def alpha(self) -> np.ndarray:
        """The best alpha, as a new array; kept are the numbers in it that are not 0, which are few of a machine."""
        alpha = np.zeros(self.problem.C.size * self.problem.slots)
        alpha[self._places] = self._weights
        return alpha

    @property
    def relative_gap(self) -> float:
        """How far apart they are, as a part of the upper bound."""
        return (self.upper - self.lower) / max(self.upper, 1e-300)

    def update(self, w: np.ndarray, score: np.ndarray, alpha: np.ndarray, total: np.ndarray | float) -> float:
        """Take w or alpha over if it is better; ``score`` and ``total`` are their products with the rows.

        Where the bias is not free the squared length of ``total`` is enough.
        """
        problem = self.problem
        if problem.free:
            assert isinstance(total, np.ndarray)
            bias = best_bias(problem, score - problem.sign * w[-1], float(w[-1]))
            score, w = score + problem.sign * (bias - w[-1]), np.append(w[:-1], bias)
            if abs(total[-1]) > 1e-15 * float(alpha.sum()):
                alpha = problem.balance(alpha)
                total = problem.combine(alpha)
        upper, lower = problem.primal(w, score), problem.dual(alpha, total)
        if upper < self.upper:
            self.w[:], self.upper = w, upper
        if lower > self.lower:
            self._places, self.lower = np.flatnonzero(alpha), lower
            self._weights = alpha[self._places]
        if self.watch is not None:
            self.watch({"pass": self.passes, "upper": self.upper, "lower": self.lower, "gap": self.relative_gap})
        return self.relative_gap


def best_bias(problem: SoftMarginProblem, g: np.ndarray, near: float) -> float:
    """The bias that costs least where the scores without it are ``g``; ``near`` is a first guess.

    A weighted median of the places where the hinges begin (the middle, if there are many), or the root of the slope.

    >>> from linsep.oracles import points
    >>> problem = SoftMarginProblem([points(np.eye(2), np.array([1, -1]))], np.ones(2), squared=False, bias="free")
    >>> best_bias(problem, np.array([0.5, 0.5]), 0.0)
    0.0
    """
    sign, C = problem.sign, problem.C
    if not problem.squared:
        kink = sign * (1.0 - g)  # positive rows cost below it, negative ones above
        order = np.argsort(kink, kind="stable")
        slope = np.cumsum(C[order]) - float(C[sign > 0].sum())  # just above each kink
        flat = 1e-13 * float(C.sum())
        ends = np.append(np.searchsorted(slope, -flat), np.searchsorted(slope, flat, side="right"))
        return 0.5 * float(kink[order[np.minimum(ends, kink.size - 1)]].sum())
    b = near
    for _ in range(100):
        hinge = np.maximum(1.0 - g - sign * b, 0.0)
        step = float(C @ (sign * hinge)) / max(float(C[hinge > 0].sum()), 1e-300)
        b += step
        if abs(step) <= 1e-16 * (1.0 + abs(b)):
            break
    return b


def soft_margin(
    problem: SoftMarginProblem, tol: float, rounds: Rounds, *,
    method: str = "auto", visits: str = "random", seed: int = 0, alpha: np.ndarray | None = None, watch=None,
) -> Bounds:  # fmt: skip
    """Learn until P and D are a part ``tol`` of P apart, or ``rounds`` end.

    "auto": ascent until it has cost, or is to cost, what Newton steps would cost from there; then these, unless the gap
    is reached. Beyond `FEW` columns Newton steps are a last resort. A linear machine is found by ascent throughout, and
    rows that are elsewhere, which ascent can't visit, by Newton steps.
    """
    bounds = Bounds(problem, watch)
    method = "newton" if method == "auto" and are_elsewhere(problem.parts) else method
    alpha = bounds.alpha if alpha is None else problem.hold(alpha)
    if alpha.any():
        total = problem.combine(alpha)
        t = problem.best_multiple(alpha, total)
        alpha, total = problem.hold(t * alpha), t * total
        bounds.update(total, problem.scores(total), alpha, total)
    if problem.slots > 1:
        if bounds.relative_gap > tol:
            ascend_machine(bounds, alpha, tol, rounds, visits, seed)
        return bounds
    if method == "ascent" and bounds.relative_gap > tol:
        ascend(bounds, alpha, tol, rounds, visits=visits, seed=seed)
    if method == "auto" and bounds.relative_gap > tol:
        times = TimeEstimates(problem, tol)
        if not times.newton_is_cheap:
            alpha = ascend(bounds, alpha, tol, rounds, visits=visits, seed=seed, enough=times.newton_is_due)
    if method != "ascent" and bounds.relative_gap > tol:
        newton(bounds, alpha, tol, rounds)
    return bounds


class TimeEstimates:
    """About how long a visit to a row takes, and how long Newton steps to the end."""

    def __init__(self, problem: SoftMarginProblem, tol: float):
        part, self.problem = problem.part, problem
        self.steps = 8.0 if problem.squared else 10.0 - 3.3 * math.log(tol)  # ten for each time the gap falls to a 20th
        matrix = problem.size**2 / MATRIX
        if sp.issparse(part.matrix):
            filled = part.matrix.nnz / part.sign.size
            self.visit, self.outer_product = 2e-8 + filled / SPARSE, min(matrix, filled**2 / 2.0 / PAIRS)
        else:
            self.visit, self.outer_product = 5e-8 + problem.size / DENSE, matrix

    def newton(self, within: float) -> float:
        """About how long Newton steps take, if ``within`` rows are between their limits."""
        step = 3e-4 + float(self.problem.size) ** 3 / 3.0 / MATRIX + self.problem.C.size * (0.2 * self.visit + 4e-8)
        return within * self.outer_product + self.steps * step

    @property
    def newton_is_cheap(self) -> bool:
        """Whether Newton steps from nothing, with all rows between their limits, take less than some passes."""
        n = self.problem.C.size
        return self.problem.size <= FEW and self.newton(n) < SOME * n * self.visit

    def newton_is_due(self, visited: float, left: float, alpha: np.ndarray) -> bool:
        """Whether the visits have cost as much as Newton steps would from here, or those that are left will."""
        problem = self.problem
        if problem.size > FEW:
            return visited > 1000.0 * alpha.size
        within = float(np.count_nonzero((alpha > 0.0) & (alpha < problem.limit))) + problem.size
        return max(visited, left) * self.visit > self.newton(within)
