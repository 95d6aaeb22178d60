r"""Primal and dual of the soft margin (C12): what is to be minimised, and how near to the best it is.

.. math:: \min_w P(w) = \tfrac12 |w|^2 + \sum_i C_i\, \ell(1 - \langle w,a_i\rangle), \qquad
          \ell(t) = \max(0,t) \;\text{ or }\; \max(0,t)^2

.. math:: \max_{\alpha \ge 0} D(\alpha) = \sum \alpha_i - \tfrac12 \Big|\sum \alpha_i a_i\Big|^2, \qquad
          \alpha_i \le C_i, \;\text{ or }\; - \sum \alpha_i^2 / 4 C_i \text{ for the squared hinge.}

For all w and all such :math:`\alpha`, D <= P: the gap between them is the certificate. A free bias is not in the norm,
and then :math:`\alpha` has to satisfy :math:`\sum \alpha_i y_i = 0` too.

`ascent` and `newton` solve it; both tell their progress to one `Bounds`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..certificates.prove.margin import combination
from ..loop.sweep import scores
from ..rows.matrix import Rows, width


class Problem:
    """Rows, what their errors cost, and whether the bias is "free", "augmented" or absent ("none")."""

    def __init__(self, part: Rows, C: np.ndarray, squared: bool, bias: str):
        self.part = part._replace(bias=0.0 if bias == "none" else 1.0)
        self.C, self.squared, self.free, self.bias = C, squared, bias == "free", bias
        self.sign = part.sign.astype(np.float64)
        self.width = width(part) + 1
        absent = C <= 0.0
        self.limit = np.where(absent, 0.0, math.inf) if squared else C
        self.extra = 0.5 / np.where(absent, 1.0, C) if squared else np.zeros_like(C)  # what alpha itself costs
        self.rows = np.arange(C.size)

    def scores(self, w: np.ndarray) -> np.ndarray:
        """<w, a_i> of all rows."""
        out = np.empty(self.C.size)
        scores(self.part, w, self.rows, out)
        return out

    def total(self, alpha: np.ndarray) -> np.ndarray:
        """The sum of alpha_i a_i."""
        return combination([self.part], alpha)

    def norm(self, w: np.ndarray) -> float:
        """|w|^2; a free bias is not in it."""
        return float(w[:-1] @ w[:-1]) if self.free else float(w @ w)

    def primal(self, w: np.ndarray, score: np.ndarray) -> float:
        """P(w)."""
        hinge = np.maximum(1.0 - score, 0.0)
        return 0.5 * self.norm(w) + float(self.C @ (hinge * hinge if self.squared else hinge))

    def dual(self, alpha: np.ndarray, total: np.ndarray) -> float:
        """D(alpha)."""
        return float(alpha.sum()) - 0.5 * self.norm(total) - 0.5 * float(self.extra @ (alpha * alpha))

    def best_bias(self, g: np.ndarray, near: float) -> float:
        """The bias that costs least where the rest of the scores is ``g``."""
        return _best_bias(g, self.sign, self.C, self.squared, near)

    def balanced(self, alpha: np.ndarray) -> np.ndarray:
        """alpha with the same sum in both classes: the larger one shrinks."""
        positive = self.sign > 0
        sums = float(alpha[positive].sum()), float(alpha[~positive].sum())
        least = min(sums)
        return alpha * np.where(positive, least / max(sums[0], 1e-300), least / max(sums[1], 1e-300))


class Judge(Protocol):
    """Who is told of every w and alpha, keeps the best, and says how far apart they are."""

    problem: Problem
    w: np.ndarray
    passes: int

    def see(self, w: np.ndarray, score: np.ndarray, alpha: np.ndarray, total: np.ndarray) -> float:
        """The gap, relative; ``score`` and ``total`` are the products of w and alpha with the rows."""


class Bounds:
    """The best w and the best alpha so far: P(w) and D(alpha) enclose the optimum."""

    def __init__(self, problem: Problem, watch: Callable[[dict[str, float]], object] | None = None):
        self.problem, self.watch = problem, watch
        self.w, self.alpha = np.zeros(problem.width), np.zeros(problem.C.size)
        self.upper, self.lower, self.passes = math.inf, 0.0, 0
        self.see(self.w, np.zeros(problem.C.size), self.alpha, self.w)

    @property
    def gap(self) -> float:
        """How far apart they are, relative."""
        return (self.upper - self.lower) / max(self.upper, 1e-300)

    def see(self, w: np.ndarray, score: np.ndarray, alpha: np.ndarray, total: np.ndarray) -> float:
        """Take w or alpha over if it is better; ``score`` and ``total`` are their products with the rows."""
        problem = self.problem
        if problem.free:
            bias = problem.best_bias(score - problem.sign * w[-1], float(w[-1]))
            score, w = score + problem.sign * (bias - w[-1]), np.append(w[:-1], bias)
            if abs(total[-1]) > 1e-15 * float(alpha.sum()):
                alpha = problem.balanced(alpha)
                total = problem.total(alpha)
        upper, lower = problem.primal(w, score), problem.dual(alpha, total)
        if upper < self.upper:
            self.w, self.upper = w.copy(), upper
        if lower > self.lower:
            self.alpha, self.lower = alpha.copy(), lower
        if self.watch is not None:
            self.watch({"passes": self.passes, "upper": self.upper, "lower": self.lower, "gap": self.gap})
        return self.gap


def _best_bias(g: np.ndarray, sign: np.ndarray, C: np.ndarray, squared: bool, near: float) -> float:
    """A weighted median of the places where the hinges begin (the middle, if there are many), or the root of the slope.

    >>> float(_best_bias(np.array([0.5, 0.5]), np.array([1.0, -1.0]), np.ones(2), False, 0.0))
    0.0
    """
    if not squared:
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
