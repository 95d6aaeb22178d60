"""An independent check of the certificate of a soft margin: NumPy and SciPy only, no line shared with the solver."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..objective import Objective

U = 2.0**-52
ROWS = 4096  # rows that are converted to float64 at a time


class ObjectiveVerdict(NamedTuple):
    """The answer of a check: true if nothing was found wrong.

    >>> bool(ObjectiveVerdict(())), bool(ObjectiveVerdict(("upper: ...",)))
    (True, False)
    """

    failures: tuple[str, ...]
    primal: float = math.nan  # as the check computed them
    dual: float = math.nan

    def __bool__(self) -> bool:
        return not self.failures

    def __str__(self) -> str:
        if self.failures:
            return "The certificate is WRONG: " + "; ".join(self.failures) + "."
        return f"The certificate holds: recomputed from the data, P(w) = {self.primal:.12g}, D = {self.dual:.12g}."


def check(claim: Objective, X: Any, y: Any, sample_weight: Any = None) -> ObjectiveVerdict:
    """Every number of ``claim`` computed again from the data it was made for."""
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    y = np.asarray(y)
    n, d = X.shape
    if claim.w.shape != (d + 1,) or y.shape != (n,):
        return ObjectiveVerdict((f"shape: w has {claim.w.size} numbers, X is {n} x {d} and y {y.shape}",))
    if not np.isin(y, claim.classes).all():
        return ObjectiveVerdict((f"labels: y has others than {list(claim.classes)}",))
    if not (np.isfinite(claim.w).all() and np.isfinite(claim.weights).all() and 0 < claim.C < math.inf):
        return ObjectiveVerdict(("w, alpha or C are not finite",))
    if claim.loss not in ("hinge", "squared_hinge") or claim.bias not in ("free", "augmented", "none"):
        return ObjectiveVerdict((f"there is no loss {claim.loss!r} or bias {claim.bias!r}",))
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    sign, cost = np.where(y == claim.classes[1], 1.0, -1.0), claim.C * weight

    wrong: list[str] = []
    score, error = _scores(X, sign, claim)
    primal, fuzz = _primal(claim, score, error, cost)
    if not abs(claim.upper - primal) <= fuzz:
        wrong.append(f"upper: claimed {claim.upper!r}, but P(w) is {primal!r}")
    live = weight > 0
    fewest, most = int(np.sum((score < -error) & live)), int(np.sum((score <= error) & live))
    if not fewest <= claim.violated <= most:
        wrong.append(f"violated: claimed {claim.violated}, counted {fewest} to {most}")
    if claim.size != int(live.sum()):
        wrong.append(f"size: claimed {claim.size}, there are {int(live.sum())} vectors")
    sound = _sound(claim, sign, cost)
    if sound:
        return ObjectiveVerdict((*wrong, f"alpha: {sound}"), primal)
    dual, slack = _dual(claim, X, sign, cost)
    if not claim.lower <= dual + slack or not claim.lower >= dual - slack - 1e-9 * primal:
        wrong.append(f"lower: claimed {claim.lower!r}, but D(alpha) is {dual!r}")
    near = claim.upper - claim.lower <= claim.relative * claim.upper
    if claim.status not in (("optimal",) if near else ("budget spent",)):
        wrong.append(f"status: claimed {claim.status!r}, with a gap of {claim.gap:.3g}, wanted {claim.relative:.3g}")
    return ObjectiveVerdict(tuple(wrong), primal, dual)


def _scores(X, sign, claim: Objective) -> tuple[np.ndarray, np.ndarray]:
    """<w, a_i> and how far rounding may have moved it."""
    constant = 0.0 if claim.bias == "none" else 1.0
    score, error = np.empty(sign.size), np.empty(sign.size)
    magnitude = np.abs(claim.w)
    for at in range(0, sign.size, ROWS):
        block = X[at : at + ROWS].astype(np.float64)
        rows = slice(at, at + block.shape[0])
        score[rows] = sign[rows] * (block @ claim.w[:-1] + constant * claim.w[-1])
        error[rows] = (X.shape[1] + 4) * U * (abs(block) @ magnitude[:-1] + constant * magnitude[-1])
    return score, error


def _primal(claim: Objective, score, error, cost) -> tuple[float, float]:
    """P(w), and how far rounding may have moved it."""
    hinge = np.maximum(1.0 - score, 0.0)
    rest = claim.w[:-1] if claim.bias != "augmented" else claim.w
    norm = 0.5 * math.fsum(rest * rest)
    if claim.loss == "hinge":
        value, fuzz = math.fsum(cost * hinge), math.fsum(cost * error)
    else:
        value, fuzz = math.fsum(cost * hinge**2), math.fsum(cost * error * (2 * hinge + error))
    return norm + value, 2 * fuzz + 8 * (score.size + 8) * U * (norm + value)


def _sound(claim: Objective, sign, cost) -> str:
    """What is wrong with alpha, if anything."""
    rows, alpha = claim.rows, claim.weights
    if rows.shape != alpha.shape:
        return "rows and weights differ in number"
    if rows.size and (np.unique(rows).size != rows.size or rows.min() < 0 or rows.max() >= sign.size):
        return "it names a row twice, or one that does not exist"
    if (alpha < 0).any():
        return "it has a negative weight"
    if claim.loss == "hinge" and (alpha > cost[rows] * (1 + 4 * U)).any():
        return "a weight is above its C"
    if claim.loss == "squared_hinge" and (alpha[cost[rows] <= 0] > 0).any():
        return "an absent row has a weight"
    return ""


def _dual(claim: Objective, X, sign, cost) -> tuple[float, float]:
    """D(alpha), and how far rounding may have moved it. A free bias wants equal sums: the larger one is cut."""
    rows, alpha = claim.rows, claim.weights
    own = sign[rows]
    if claim.bias == "free":
        sums = {side: math.fsum(alpha[own == side]) for side in (-1.0, 1.0)}
        least = min(sums.values())
        alpha = alpha * np.where(own > 0, least / max(sums[1.0], 1e-300), least / max(sums[-1.0], 1e-300))
    total, length = np.zeros(X.shape[1] + 1), 0.0
    for at in range(0, rows.size, ROWS):
        block = X[rows[at : at + ROWS]].astype(np.float64)
        pull = alpha[at : at + ROWS] * own[at : at + ROWS]
        total[:-1] += block.T @ pull
        total[-1] += pull.sum() if claim.bias == "augmented" else 0.0
        norms = sp.linalg.norm(block, axis=1) if sp.issparse(block) else np.linalg.norm(block, axis=1)
        length += math.fsum(np.abs(pull) * (norms + 1.0))
    size = math.hypot(*total)
    value = math.fsum(alpha) - 0.5 * size * size
    if claim.loss == "squared_hinge":
        value -= math.fsum(alpha * alpha / (4.0 * np.where(cost[rows] > 0, cost[rows], 1.0)))
    slack = 8 * (rows.size + 8) * U * (math.fsum(alpha) + size * length + size * size)
    return value, slack
