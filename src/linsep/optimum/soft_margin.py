"""Soft margin (C12): the hyperplane that pays for a large margin with some errors."""

from __future__ import annotations

import math

import numpy as np

from ..core.stop import Rounds
from .ascent import ascent
from .duality import Bounds, Problem
from .newton import FEW, newton


def soft_margin(
    problem: Problem, tol: float, rounds: Rounds, *,
    method: str = "auto", order: str = "random", seed: int = 0, alpha: np.ndarray | None = None, watch=None,
) -> Bounds:  # fmt: skip
    """Learn until P and D are a part ``tol`` of P apart, or ``rounds`` end.

    "auto": a pass of ascent costs the non-zeros of the rows, a Newton step the square of the columns for each row that
    is between its limits. So with few columns it is Newton steps alone, with more of them some passes of ascent first,
    which bring most rows to their limits, and with many it is ascent as long as that gets on.
    """
    bounds = Bounds(problem, watch)
    alpha = np.zeros(problem.C.size) if alpha is None else np.clip(alpha, 0.0, problem.limit)
    many, cost = problem.width > FEW, float(problem.C.size) * problem.width**2
    passes = {"ascent": math.inf, "newton": 0, "auto": 1000 if many else 20 if cost > 2e9 else 0}[method]
    if alpha.any():
        total = problem.total(alpha)
        bounds.see(total, problem.scores(total), alpha, total)
    if passes and bounds.gap > tol:
        alpha = ascent(bounds, alpha, tol, rounds, order, seed, passes)
    if method != "ascent" and bounds.gap > tol:
        newton(bounds, alpha, tol, rounds)
    return bounds
