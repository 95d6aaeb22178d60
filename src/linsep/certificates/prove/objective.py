r"""Primal and dual of the soft margin (C12), and the proof of how near a w is to the optimum.

.. math:: \min_w P(w) = \tfrac12 |w|^2 + \sum_i C_i\, \ell(1 - \langle w,a_i\rangle), \qquad
          \ell(t) = \max(0,t) \;\text{ or }\; \max(0,t)^2

.. math:: \max_{\alpha \ge 0} D(\alpha) = \sum \alpha_i - \tfrac12 \Big|\sum \alpha_i a_i\Big|^2, \qquad
          \alpha_i \le C_i, \;\text{ or }\; - \sum \alpha_i^2 / 4 C_i \text{ for the squared hinge.}

For all w and all such :math:`\alpha`, D <= P: the gap between them is the certificate. A free bias is not in the norm,
and then :math:`\alpha` has to satisfy :math:`\sum \alpha_i y_i = 0` too.

Of a linear machine (Crammer and Singer) a row has one vector per rival, :math:`\langle w,a_i\rangle` is the lowest of
their scores, and :math:`\alpha_{ik} \ge 0` are its weights, of which :math:`\alpha_i = \sum_k \alpha_{ik}` is the sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...interrupt import in_time
from ...jit import read_only
from ...rows.exact import count_violated, scored_blocks
from ...rows.matrix import (
    BLOCK,
    RowOracle,
    add_weighted_vectors,
    augmented,
    combine,
    scores,
    weighted_length,
    write_squared_norms,
)
from ...rows.some import combine_curved, scores_of
from ..base import Status
from ..objective import ObjectiveCertificate

U = float(np.finfo(np.float64).eps)
EXACT = 2**18  # numbers up to which scores that rounding hides are computed exactly


def _product(a: np.ndarray, b: np.ndarray) -> float:
    """<a,b>, without the threads that BLAS starts for long vectors: they take longer than the product."""
    return float(np.einsum("i,i->", a, b))


class SoftMarginProblem:
    """Rows, what their errors cost, and whether the bias is "free", "augmented" or absent ("none").

    Rows may be in several parts, here or elsewhere. Rows against their rivals, in one part, are those of a linear
    machine: alpha then holds ``slots`` numbers per row, and the bias is not free.
    """

    def __init__(self, parts: Sequence[RowOracle], C: np.ndarray, *, squared: bool, bias: str):
        self.parts = augmented(parts, bias != "none")
        self.all_rows = [part._replace(weight=part.weight[:0]) for part in self.parts]  # absent rows have scores, too
        self.part = part = self.parts[0]
        self.C, self.squared, self.free, self.bias = C, squared, bias == "free", bias
        self.sign, self.size = np.concatenate([each.sign for each in parts]).astype(np.float64), part.size
        absent = C <= 0.0
        self.limit = np.where(absent, 0.0, math.inf) if squared else C  # of alpha
        self.diagonal = 0.5 / np.where(absent, 1.0, C) if squared else np.zeros_like(C)  # D has - diagonal alpha^2 / 2
        self.rows, self.slots = np.arange(C.size), part.slots

    def masses(self, alpha: np.ndarray) -> np.ndarray:
        """The weight of each row, that of all its vectors."""
        return alpha if self.slots == 1 else alpha.reshape(-1, self.slots).sum(axis=1)

    def scores(self, w: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """<w, a_i> of all rows, or of some."""
        return scores(self.all_rows, w) if rows is None else scores_of(self.all_rows, w, rows)

    def combine(self, alpha: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """The sum of alpha_i a_i of all rows, or of some, whose alpha is given."""
        if self.slots > 1:  # one sum as long as w, not one for each block
            total = np.zeros(self.size)
            add_weighted_vectors(self.part, alpha, self.rows, self.slots, total)
            return total
        if rows is None:
            return combine(self.parts, alpha)
        every = np.zeros(self.C.size)
        every[rows] = alpha
        return combine(self.parts, every)

    def curve(self, w: np.ndarray, rate: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The sum of rate_i <w, a_i> a_i of some rows, in one look at them."""
        return combine_curved(self.parts, w, rate, rows)

    def squared_norm(self, w: np.ndarray | float) -> float:
        """|w|^2; a free bias is not in it. A number is such a square already."""
        if not isinstance(w, np.ndarray):
            return w
        return _product(w[:-1], w[:-1]) if self.free else _product(w, w)

    def primal(self, w: np.ndarray, score: np.ndarray) -> float:
        """P(w)."""
        hinge = np.maximum(1.0 - score, 0.0)
        return 0.5 * self.squared_norm(w) + _product(self.C, hinge * hinge if self.squared else hinge)

    def dual(self, alpha: np.ndarray, total: np.ndarray | float) -> float:
        """D(alpha); ``total`` is the sum of alpha_i a_i, or its squared length."""
        mass = self.masses(alpha)
        return float(mass.sum()) - 0.5 * self.squared_norm(total) - 0.5 * _product(self.diagonal, mass * mass)

    def best_multiple(self, alpha: np.ndarray, total: np.ndarray) -> float:
        """The t for which D(t alpha) is largest, of those that bring no row beyond its limit.

        So weights of another C are begun from: all grow with C if some are at their limits, else none needs to.
        """
        mass = self.masses(alpha)
        most = float((self.limit[mass > 0.0] / mass[mass > 0.0]).min(initial=math.inf))
        bent = self.squared_norm(total) + _product(self.diagonal, mass * mass)
        t = min(most, float(mass.sum()) / bent if bent > 0.0 else math.inf)
        return t if t < math.inf else 1.0

    def hold(self, alpha: np.ndarray) -> np.ndarray:
        """Alpha within its limits: not negative, and no row with more than its own; sums are not rounded upwards.

        Of many classes it is not copied if it is so already.
        """
        if self.slots == 1:
            return np.clip(alpha, 0.0, self.limit)
        shares = (np.maximum(alpha, 0.0) if alpha.min(initial=0.0) < 0.0 else alpha).reshape(-1, self.slots)
        mass, several = shares.sum(axis=1), np.count_nonzero(shares, axis=1) > 1
        most = np.where(several, 1.0 - 2 * self.slots * U, 1.0) * self.limit
        over = np.flatnonzero(mass > most)
        if over.size:
            shares = shares.copy()
            shares[over] = np.minimum(shares[over] * (most[over] / mass[over])[:, None], self.limit[over, None])
        return shares.ravel()

    def balance(self, alpha: np.ndarray) -> np.ndarray:
        """Alpha with the same sum in both classes: the larger one shrinks."""
        positive = self.sign > 0
        sums = float(alpha[positive].sum()), float(alpha[~positive].sum())
        least = min(sums)
        return alpha * np.where(positive, least / max(sums[0], 1e-300), least / max(sums[1], 1e-300))


def _doubt(problem: SoftMarginProblem, w: np.ndarray) -> np.ndarray:
    """How far rounding may have moved the lowest score of each row, however it was summed."""
    part, out = problem.part, np.empty(problem.C.size)
    if problem.slots == 1:
        for rows, _, error in scored_blocks(problem.all_rows, w):
            out[rows] = 2 * error
        return out
    # By the lengths of the row and of w: no second pass over the rows.
    write_squared_norms(part.rows, problem.rows, out)
    W = w.reshape(part.slots, -1) if part.rows.CLASS_BY_CLASS else w.reshape(-1, part.slots).T  # no copy
    longest = math.sqrt(float(np.einsum("kj,kj->k", W, W).max()))
    return 8 * (part.rows.longest_row + 8) * U * (np.sqrt(out) * longest + U)


def _cost_at_most(
    problem: SoftMarginProblem, w: np.ndarray, score: np.ndarray, doubt: np.ndarray
) -> tuple[float, float]:
    """A number that P(w) is not above, and how much of it is for rounding."""
    hinge, most = np.maximum(1.0 - score, 0.0), np.maximum(1.0 - score + doubt, 0.0)
    value = problem.primal(w, score)
    more = most * most - hinge * hinge if problem.squared else most - hinge
    rounding = float(problem.C @ more) * (1 + score.size * U) + 2 * (score.size + w.size + 8) * U * value
    return value + rounding, rounding


def _count_violated(problem: SoftMarginProblem, w: np.ndarray, score: np.ndarray, doubt: np.ndarray) -> int:
    """How many rows have <w,a> <= 0; of a machine only those are looked at again that rounding leaves open."""
    part = problem.part
    if problem.slots == 1:
        return count_violated(problem.parts, w, EXACT)
    present, open_rows = problem.C > 0.0, np.abs(score) <= doubt
    known = int(np.count_nonzero(present & (score < -doubt)))
    weight = read_only((present & open_rows).astype(np.float64))
    some = part._replace(rows=part.rows._replace(weight=weight), weight=weight)
    return known + (count_violated([some], w, EXACT) if weight.any() else 0)


def _dual_at_least(problem: SoftMarginProblem, alpha: np.ndarray) -> tuple[float, float]:
    """A number that D is not below, and how much was taken off for rounding.

    Of a free bias it is D at an alpha with exactly the same sum in both classes, to which the given one is equal but
    for rounding: NumPy sums pairwise, so 64 units in the last place are more than enough for any size.
    """
    total, mass = problem.combine(alpha), float(alpha.sum())
    blocks = BLOCK + alpha.size // BLOCK if problem.slots == 1 else alpha.size
    terms = min(int(np.count_nonzero(alpha)), blocks) + 80
    parts = augmented(problem.parts, False) if problem.free else problem.parts  # a free bias is not in the norm
    error = 2 * terms * U * weighted_length(parts, alpha)
    norm, masses = math.sqrt(problem.squared_norm(total)), problem.masses(alpha)
    value = mass - 0.5 * norm * norm - 0.5 * float(problem.diagonal @ (masses * masses))
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
        "updates": passes, "size": size, "w": problem.part.as_matrix(w), "C": C, "bias": problem.bias, "tol": tol,
        "loss": "squared_hinge" if problem.squared else "hinge",
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
    """What is known of w and alpha after one pass over the rows for each."""
    score, alpha = problem.scores(w), problem.hold(alpha)
    doubt = _doubt(problem, w)
    upper, above = _cost_at_most(problem, w, score, doubt)
    lower, below = _dual_at_least(problem, alpha)
    near, places = upper - lower <= tol * upper, np.flatnonzero(alpha)
    rows, rivals = np.divmod(places, problem.slots)
    return ObjectiveCertificate(
        status=Status.OPTIMAL if near else Status.BUDGET_SPENT,
        lower=lower,
        upper=upper,
        reason="" if near else reason,
        violated=_count_violated(problem, w, score, doubt),
        rows=rows,
        rivals=rivals if problem.slots > 1 else rivals[:0],
        weights=alpha[places],
        rounding=above + below,
        **shared,
    )
