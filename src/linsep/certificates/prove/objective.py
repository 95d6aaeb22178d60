r"""Primal and dual of the soft margin (C12), and the proof of how near a w is to the optimum.

.. math:: \min_w P(w) = \tfrac12 |w|^2 + \sum_i C_i\, \ell(1 - \langle w,a_i\rangle), \qquad
          \ell(t) = \max(0,t) \;\text{ or }\; \max(0,t)^2

.. math:: \max_{\alpha \ge 0} D(\alpha) = \sum \alpha_i - \tfrac12 \Big|\sum \alpha_i a_i\Big|^2, \qquad
          \alpha_i \le C_i, \;\text{ or }\; - \sum \alpha_i^2 / 4 C_i \text{ for the squared hinge.}

For all w and all such :math:`\alpha`, D <= P: the gap between them is the certificate. A free bias is not in the norm,
and then :math:`\alpha` has to satisfy :math:`\sum \alpha_i y_i = 0` too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...interrupt import in_time
from ...rows.exact import count_violated, scored
from ...rows.matrix import BLOCK, Rows, add_weighted_vectors, augmented, combine, weighted_length, write_scores
from ..base import Status
from ..objective import ObjectiveCertificate

U = float(np.finfo(np.float64).eps)
EXACT = 2**18  # numbers up to which scores that rounding hides are computed exactly


class SoftMarginProblem:
    """Rows, what their errors cost, and whether the bias is "free", "augmented" or absent ("none")."""

    def __init__(self, part: Rows, C: np.ndarray, *, squared: bool, bias: str):
        self.part = augmented([part], bias != "none")[0]
        self.C, self.squared, self.free, self.bias = C, squared, bias == "free", bias
        self.sign, self.size = part.sign.astype(np.float64), part.size
        absent = C <= 0.0
        self.limit = np.where(absent, 0.0, math.inf) if squared else C  # of alpha
        self.diagonal = 0.5 / np.where(absent, 1.0, C) if squared else np.zeros_like(C)  # D has - diagonal alpha^2 / 2
        self.rows = np.arange(C.size)

    def scores(self, w: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """<w, a_i> of all rows, or of some."""
        out = np.empty(self.C.size)
        write_scores(self.part, w, self.rows if rows is None else rows, out)
        return out if rows is None else out[rows]

    def combine(self, alpha: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """The sum of alpha_i a_i of all rows, or of some, whose alpha is given."""
        if rows is None:
            return combine([self.part], alpha)
        every, total = np.zeros(self.C.size), np.zeros(self.size)
        every[rows] = alpha
        add_weighted_vectors(self.part, every, rows, 1, total)
        return total

    def squared_norm(self, w: np.ndarray) -> float:
        """|w|^2; a free bias is not in it."""
        return float(w[:-1] @ w[:-1]) if self.free else float(w @ w)

    def primal(self, w: np.ndarray, score: np.ndarray) -> float:
        """P(w)."""
        hinge = np.maximum(1.0 - score, 0.0)
        return 0.5 * self.squared_norm(w) + float(self.C @ (hinge * hinge if self.squared else hinge))

    def dual(self, alpha: np.ndarray, total: np.ndarray) -> float:
        """D(alpha)."""
        return float(alpha.sum()) - 0.5 * self.squared_norm(total) - 0.5 * float(self.diagonal @ (alpha * alpha))

    def balance(self, alpha: np.ndarray) -> np.ndarray:
        """Alpha with the same sum in both classes: the larger one shrinks."""
        positive = self.sign > 0
        sums = float(alpha[positive].sum()), float(alpha[~positive].sum())
        least = min(sums)
        return alpha * np.where(positive, least / max(sums[0], 1e-300), least / max(sums[1], 1e-300))


def _cost_at_most(problem: SoftMarginProblem, w: np.ndarray, score: np.ndarray) -> tuple[float, float]:
    """A number that P(w) is not above, and how much of it is for rounding."""
    rows, _, error = scored([problem.part._replace(weight=problem.part.weight[:0])], w)
    doubt = np.empty(score.size)
    doubt[rows] = 2 * error  # of a score that was summed in another order
    hinge = np.maximum(1.0 - score, 0.0)
    value, most = problem.primal(w, score), np.maximum(1.0 - score + doubt, 0.0)
    more = most * most - hinge * hinge if problem.squared else most - hinge
    rounding = float(problem.C @ more) * (1 + score.size * U) + 2 * (score.size + w.size + 8) * U * value
    return value + rounding, rounding


def _dual_at_least(problem: SoftMarginProblem, alpha: np.ndarray) -> tuple[float, float]:
    """A number that D is not below, and how much was taken off for rounding.

    Of a free bias it is D at an alpha with exactly the same sum in both classes, to which the given one is equal but
    for rounding: NumPy sums pairwise, so 64 units in the last place are more than enough for any size.
    """
    total, mass = problem.combine(alpha), float(alpha.sum())
    terms = min(int(np.count_nonzero(alpha)), BLOCK + alpha.size // BLOCK) + 80
    rows = problem.part.with_bias(0.0) if problem.free else problem.part  # a free bias is not in the norm
    error = 2 * terms * U * weighted_length([rows], alpha)
    norm = math.sqrt(problem.squared_norm(total))
    value = mass - 0.5 * norm * norm - 0.5 * float(problem.diagonal @ (alpha * alpha))
    rounding = 64 * U * mass + error * (norm + error)
    rounding += 2 * (total.size + alpha.size + 16) * U * (0.5 * norm * norm + abs(value - mass))
    return value - rounding, rounding


def prove_objective(
    problem: SoftMarginProblem, w: np.ndarray, alpha: np.ndarray, *, C: float, tol: float, passes: int, reason: str
) -> ObjectiveCertificate:
    """The certificate of w and alpha: P(w) and D(alpha), computed once more from the rows.

    ``reason``: why learning ended, if the relative gap ``tol`` was not reached.
    """
    size = int(np.count_nonzero(problem.C > 0.0))
    shared: dict[str, Any] = {
        "updates": passes, "size": size, "w": w, "C": C, "loss": "squared_hinge" if problem.squared else "hinge",
        "bias": problem.bias, "tol": tol,
    }  # fmt: skip
    return in_time(
        lambda: _prove(problem, w, alpha, tol, reason, shared),
        lambda: ObjectiveCertificate(
            status=Status.INTERRUPTED, lower=-math.inf, upper=math.inf, violated=size, reason=reason, **shared
        ),
    )


def _prove(
    problem: SoftMarginProblem, w: np.ndarray, alpha: np.ndarray, tol: float, reason: str, shared: dict[str, Any]
) -> ObjectiveCertificate:
    """What is known of w and alpha after one look at the rows for each."""
    score = problem.scores(w)
    upper, above = _cost_at_most(problem, w, score)
    lower, below = _dual_at_least(problem, alpha)
    near, rows = upper - lower <= tol * upper, np.flatnonzero(alpha)
    return ObjectiveCertificate(
        status=Status.OPTIMAL if near else Status.BUDGET_SPENT,
        lower=lower,
        upper=upper,
        reason="" if near else reason,
        violated=count_violated([problem.part], w, EXACT),
        rows=rows,
        weights=alpha[rows],
        rounding=above + below,
        **shared,
    )
