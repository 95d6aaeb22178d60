"""An independent check of the certificate of a soft margin: NumPy and SciPy only, no line shared with the solver."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base import Status, Verdict
from ..objective import ObjectiveCertificate
from .machine import exact_lead, numbers
from .machine_objective import exact_rival_dual, find_rival_flaw, lead_scores, rival_dual
from .rows import (
    ROWS,
    SAFE,
    U,
    check_empty,
    column_sums,
    count_violated,
    exact_score,
    exponent_of_rows,
    joined_blocks,
    read_matrix,
    read_weights,
    times_power_of_two,
)

EXACT = 2**16  # numbers in X up to which both sides are computed without rounding
QUANTITY = "lower bound of the cost"


def check(claim: ObjectiveCertificate, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
    """Every number of ``claim`` computed again from the data it was made for."""
    X, y = read_matrix(X), np.asarray(y)
    n, d = X.shape
    machine = claim.w.ndim == 2
    if claim.w.shape != ((len(claim.classes), d + 1) if machine else (d + 1,)) or y.shape != (n,):
        return Verdict((f"shape: w has {claim.w.size} numbers, X is {n} x {d} and y {y.shape}",))
    if not machine and len(claim.classes) != 2:
        return Verdict((f"classes: expected two for one w, got {list(claim.classes)}",))
    if not 0 <= claim.tol < 1:
        return Verdict((f"tol: expected a part of the cost, 0 <= tol < 1, got {claim.tol!r}",))
    if not np.isin(y, claim.classes).all():
        return Verdict((f"labels: expected {list(claim.classes)}, y has others",))
    if not (np.isfinite(claim.w).all() and np.isfinite(claim.weights).all() and 0 < claim.C < math.inf):
        return Verdict(("w, alpha or C are not finite",))
    if claim.loss not in ("hinge", "squared_hinge") or claim.bias not in ("free", "augmented", "none")[machine:]:
        return Verdict((f"there is no loss {claim.loss!r} or bias {claim.bias!r}",))
    weight = read_weights(sample_weight, n)
    if claim.status == Status.INTERRUPTED:
        return check_empty(claim, int(np.count_nonzero(weight)))
    claim, X, constant = _in_safe_range(claim, X)
    side = numbers(y, claim.classes) if machine else np.where(y == claim.classes[1], 1.0, -1.0)
    return _check_bounds(claim, X, side, constant, claim.C * weight)


def _check_bounds(claim: ObjectiveCertificate, X: Any, side: np.ndarray, constant: float, cost: np.ndarray) -> Verdict:
    """Both bounds, and what else is claimed, of data that fit; ``side`` is the sign of a row, or its class."""
    machine, wrong, some = claim.w.ndim == 2, list[str](), np.flatnonzero(cost > 0)
    exact = exact_lead if machine else exact_score
    score, error = lead_scores(X, side, claim.w, constant) if machine else _scores(X, side, claim, constant)
    primal, slack = _primal(claim, score, error, cost)
    small = X.size * (len(claim.classes) if machine else 1) <= EXACT
    least = exact_cost(X, side, claim, constant, cost) if small else primal - slack
    if not least <= claim.upper <= primal + 4 * slack + 2 * claim.rounding:
        wrong.append(f"upper: claimed {claim.upper!r}, but P(w) is {primal!r}")
    fewest, most = count_violated(
        (score - error)[some], (score + error)[some], claim.violated,
        lambda i: exact(X, side, some[i], claim.w, constant),
    )  # fmt: skip
    if not fewest <= claim.violated <= most:
        wrong.append(f"violated: claimed {claim.violated}, counted {fewest} to {most}")
    if claim.size != some.size:
        wrong.append(f"size: claimed {claim.size}, there are {some.size} vectors")
    flaw = (find_rival_flaw if machine else _find_flaw)(claim, side, cost)
    if flaw:
        return Verdict((*wrong, f"alpha: {flaw}"), math.nan, primal, QUANTITY)
    dual, slack = (rival_dual if machine else _dual)(claim, X, side, cost, constant)
    highest = (exact_rival_dual if machine else exact_dual)(X, side, claim, constant, cost) if small else dual + slack
    if not dual - 8 * slack - 2 * claim.rounding - 1e-9 * primal <= claim.lower <= highest:
        wrong.append(f"lower: claimed {claim.lower!r}, but D(alpha) is {dual!r}")
    near = claim.upper - claim.lower <= claim.tol * claim.upper
    if claim.status not in (("optimal",) if near else ("budget spent",)):
        gap = f"a relative gap of {claim.relative_gap:.3g}, at most {claim.tol:.3g} was asked for"
        wrong.append(f"status: claimed {claim.status!r} with {gap}")
    return Verdict(tuple(wrong), dual, primal, QUANTITY)


def _in_safe_range(claim: ObjectiveCertificate, X: Any) -> tuple[ObjectiveCertificate, Any, float]:
    """The claim about 2^-e X, X so multiplied, and what augments a row: nothing of this is rounded.

    w is multiplied by 2^e, but for a free bias; P, D, C and alpha by 4^e.
    """
    e, constant = exponent_of_rows(X), 0.0 if claim.bias == "none" else 1.0
    e = max(e, 1) if claim.bias == "augmented" else e
    if abs(e) <= SAFE:
        return claim, X, constant
    w = np.ldexp(claim.w, e)
    if claim.bias == "free":
        w[-1] = claim.w[-1]
    elif claim.bias == "augmented":
        constant = math.ldexp(constant, -e)
    claim = replace(
        claim, w=w, lower=float(np.ldexp(claim.lower, 2 * e)), upper=float(np.ldexp(claim.upper, 2 * e)),
        C=float(np.ldexp(claim.C, 2 * e)), weights=np.ldexp(claim.weights, 2 * e),
        rounding=float(np.ldexp(claim.rounding, 2 * e)),
    )  # fmt: skip
    return claim, times_power_of_two(X, -e), constant


def _scores(X, sign, claim: ObjectiveCertificate, constant) -> tuple[np.ndarray, np.ndarray]:
    """<w, a_i> and how far rounding may have moved it."""
    score, error = joined_blocks(X, _scores_of_block, (sign,), claim.w, constant)
    return score, error


def _scores_of_block(block, sign, w, constant) -> tuple[np.ndarray, np.ndarray]:
    """`_scores` of a block."""
    magnitude = np.abs(w)
    score = sign * (block @ w[:-1] + constant * w[-1])
    return score, (block.shape[1] + 4) * U * (abs(block) @ magnitude[:-1] + constant * magnitude[-1])


def _primal(claim: ObjectiveCertificate, score, error, cost) -> tuple[float, float]:
    """P(w), and how far rounding may have moved it."""
    hinge = np.maximum(1.0 - score, 0.0)
    rest = (claim.w[..., :-1] if claim.bias != "augmented" else claim.w).ravel()
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
    if claim.loss == "hinge" and (alpha > cost[rows]).any():
        return "a weight is above its C"
    if claim.loss == "squared_hinge" and (alpha[cost[rows] <= 0] > 0).any():
        return "an absent row has a weight"
    return ""


def _dual(claim: ObjectiveCertificate, X, sign, cost, constant) -> tuple[float, float]:
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
        total[-1] += constant * pull.sum() if claim.bias == "augmented" else 0.0
        norms = sp.linalg.norm(block, axis=1) if sp.issparse(block) else np.linalg.norm(block, axis=1)
        length += math.fsum(np.abs(pull) * (norms + constant))
    size = math.hypot(*total)
    value = math.fsum(alpha) - 0.5 * size * size
    if claim.loss == "squared_hinge":
        value -= math.fsum(alpha * alpha / (4.0 * np.where(cost[rows] > 0, cost[rows], 1.0)))
    slack = 8 * (rows.size + 8) * U * (math.fsum(alpha) + size * length + size * size)
    return value, slack


def exact_cost(X, side, claim: ObjectiveCertificate, constant, cost) -> Fraction:
    """P(w) without any rounding."""
    score = exact_lead if claim.w.ndim == 2 else exact_score
    rest = claim.w if claim.bias == "augmented" else claim.w[..., :-1]
    total = sum((Fraction(float(v)) ** 2 for v in rest.ravel()), Fraction(0)) / 2
    for i in np.flatnonzero(cost > 0):
        hinge = max(1 - score(X, side, i, claim.w, constant), Fraction(0))
        total += Fraction(float(cost[i])) * (hinge if claim.loss == "hinge" else hinge * hinge)
    return total


def exact_dual(X, sign, claim: ObjectiveCertificate, constant, cost) -> Fraction:
    """D(alpha) without any rounding; of a free bias the class of the larger sum is cut."""
    alpha, own = [Fraction(float(v)) for v in claim.weights], sign[claim.rows]
    if claim.bias == "free":
        sums = {side: sum((v for v, s in zip(alpha, own, strict=True) if s == side), Fraction(0)) for side in (-1, 1)}
        least = min(sums.values())
        alpha = [v * least / sums[s] if sums[s] else v for v, s in zip(alpha, own, strict=True)]
    columns = column_sums(X, sign, claim.rows, alpha, constant if claim.bias == "augmented" else 0.0)
    value = sum(alpha, Fraction(0)) - sum((total * total for total in columns), Fraction(0)) / 2
    if claim.loss == "squared_hinge":
        value -= sum(
            (v * v / (4 * Fraction(float(cost[i]))) for v, i in zip(alpha, claim.rows, strict=True)), Fraction(0)
        )
    return value
