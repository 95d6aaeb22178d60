"""An independent check of the certificate of a soft margin: NumPy and SciPy only, no line shared with the solver."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base import Verdict
from ..objective import ObjectiveCertificate

U = 2.0**-52
ROWS = 4096  # rows that are converted to float64 at a time
QUANTITY = "lower bound of the cost"


def check(claim: ObjectiveCertificate, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
    """Every number of ``claim`` computed again from the data it was made for."""
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    y = np.asarray(y)
    n, d = X.shape
    if claim.w.shape != (d + 1,) or y.shape != (n,):
        return Verdict((f"shape: w has {claim.w.size} numbers, X is {n} x {d} and y {y.shape}",))
    if not np.isin(y, claim.classes).all():
        return Verdict((f"labels: expected {list(claim.classes)}, y has others",))
    if not (np.isfinite(claim.w).all() and np.isfinite(claim.weights).all() and 0 < claim.C < math.inf):
        return Verdict(("w, alpha or C are not finite",))
    if claim.loss not in ("hinge", "squared_hinge") or claim.bias not in ("free", "augmented", "none"):
        return Verdict((f"there is no loss {claim.loss!r} or bias {claim.bias!r}",))
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    sign, cost = np.where(y == claim.classes[1], 1.0, -1.0), claim.C * weight

    wrong: list[str] = []
    score, error = _scores(X, sign, claim)
    primal, error_of_sum = _primal(claim, score, error, cost)
    if not abs(claim.upper - primal) <= error_of_sum:
        wrong.append(f"upper: claimed {claim.upper!r}, but P(w) is {primal!r}")
    present = weight > 0
    fewest, most = int(np.sum((score < -error) & present)), int(np.sum((score <= error) & present))
    if not fewest <= claim.violated <= most:
        wrong.append(f"violated: claimed {claim.violated}, counted {fewest} to {most}")
    if claim.size != int(present.sum()):
        wrong.append(f"size: claimed {claim.size}, there are {int(present.sum())} vectors")
    flaw = _find_flaw(claim, sign, cost)
    if flaw:
        return Verdict((*wrong, f"alpha: {flaw}"), math.nan, primal, QUANTITY)
    dual, slack = _dual(claim, X, sign, cost)
    if not claim.lower <= dual + slack or not claim.lower >= dual - slack - 1e-9 * primal:
        wrong.append(f"lower: claimed {claim.lower!r}, but D(alpha) is {dual!r}")
    near = claim.upper - claim.lower <= claim.tol * claim.upper
    if claim.status not in (("optimal",) if near else ("budget spent",)):
        gap = f"a relative gap of {claim.relative_gap:.3g}, at most {claim.tol:.3g} was asked for"
        wrong.append(f"status: claimed {claim.status!r} with {gap}")
    return Verdict(tuple(wrong), dual, primal, QUANTITY)


def _scores(X, sign, claim: ObjectiveCertificate) -> tuple[np.ndarray, np.ndarray]:
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


def _primal(claim: ObjectiveCertificate, score, error, cost) -> tuple[float, float]:
    """P(w), and how far rounding may have moved it."""
    hinge = np.maximum(1.0 - score, 0.0)
    rest = claim.w[:-1] if claim.bias != "augmented" else claim.w
    norm = 0.5 * math.fsum(rest * rest)
    if claim.loss == "hinge":
        value, error_of_sum = math.fsum(cost * hinge), math.fsum(cost * error)
    else:
        value, error_of_sum = math.fsum(cost * hinge**2), math.fsum(cost * error * (2 * hinge + error))
    return norm + value, 2 * error_of_sum + 8 * (score.size + 8) * U * (norm + value)


def _find_flaw(claim: ObjectiveCertificate, sign, cost) -> str:
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


def _dual(claim: ObjectiveCertificate, X, sign, cost) -> tuple[float, float]:
    """D(alpha), and how far rounding may have moved it. A free bias needs equal sums: the larger one is cut."""
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
