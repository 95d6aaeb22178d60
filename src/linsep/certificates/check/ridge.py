"""An independent check of the certificate of ridge regression: NumPy and SciPy only, no line shared with the solver."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..base import Status, Verdict
from ..ridge import RidgeCertificate
from .machine import numbers, rival_scores
from .rows import (
    SAFE,
    U,
    by_blocks,
    exponent_of_rows,
    nearest_float,
    read_matrix,
    read_weights,
    scores,
    squared_lengths,
    times_power_of_two,
)

EXACT = 2**13  # numbers in X, times targets, up to which both sides are computed without rounding
QUANTITY = "lower bound of the cost"


class _Found(NamedTuple):
    """J(w), the squared residuals of weights and of biases over alpha and the weights, and the residual's length."""

    cost: Any
    gain: Any
    square: Any  # of the residual of the weights
    slack: float = 0  # how far rounding may have moved the cost; a whole number leaves fractions as they are
    gain_slack: float = 0
    length_slack: float = 0
    dual: Any = 0  # D(u), if the claim has weights
    dual_slack: float = 0


def check(claim: RidgeCertificate, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
    """Every number of ``claim`` computed again from the data it was made for."""
    X, y = read_matrix(X), np.asarray(y)
    unusable = _find_unusable(claim, X, y)
    if unusable:
        return Verdict((unusable,))
    weight = read_weights(sample_weight, len(y))
    keep = weight > 0
    if claim.status == Status.INTERRUPTED:
        said = claim.lower, claim.upper, claim.distance, claim.violated, claim.size
        honest = said == (-math.inf, math.inf, math.inf, int(keep.sum()), int(keep.sum()))
        return Verdict(() if honest else ("interrupted, with bounds nevertheless",), *said[:2])
    claim, X = _in_safe_range(claim, X)
    machine, constant = claim.w.ndim == 2, float(claim.bias == "free")
    side = numbers(y, claim.classes) if machine else np.where(y == claim.classes[1], 1.0, -1.0)
    b = np.broadcast_to(claim.margins, len(y))
    T = np.eye(len(claim.classes))[side] * b[:, None] if machine else (side * b)[:, None]
    look = (rival_scores if machine else scores)(X, side, keep, claim.w, constant, -math.inf, claim.violated)
    wrong: list[str] = []
    if not look[3] <= claim.violated <= look[4]:
        wrong.append(f"violated: claimed {claim.violated}, counted {look[3]} to {look[4]}")
    if claim.size != int(keep.sum()):
        wrong.append(f"size: claimed {claim.size}, there are {int(keep.sum())} rows")
    found = (_exact if X.shape[0] * X.shape[1] * T.shape[1] <= EXACT else _rounded)(claim, X, T, weight)
    return _compare(claim, found, wrong)


def _compare(claim: RidgeCertificate, found: _Found, wrong: list[str]) -> Verdict:
    """What of the claim the numbers do not allow."""
    room = 2 * claim.rounding + 4 * found.slack + 4 * found.gain_slack
    cost, least = found.cost, found.cost - found.gain
    highest = least + found.slack + found.gain_slack
    if found.dual > least:
        room = 2 * claim.rounding + 4 * found.slack + 4 * found.dual_slack
        least, highest = found.dual, found.dual + found.dual_slack
    high, low = nearest_float(cost), nearest_float(least)
    if not cost - found.slack <= claim.upper <= high + room + 1e-12 * high:
        wrong.append(f"upper: claimed {claim.upper!r}, but J(w) is {high!r}")
    lowest = max(low - room, 0.0) - 1e-12 * high
    if not (lowest <= claim.lower <= highest or claim.lower == 0.0):
        wrong.append(f"lower: claimed {claim.lower!r}, w and the weights of the rows prove {low!r}")
    length = math.sqrt(nearest_float(found.square))
    excess = nearest_float(cost - found.dual) - found.slack - found.dual_slack
    near = min((length - found.length_slack) / claim.alpha, math.sqrt(max(excess, 0.0) / claim.alpha))
    if not claim.distance >= near * (1 - 8 * U):
        wrong.append(f"distance: claimed {claim.distance!r}, w and the weights of the rows prove {near!r}")
    gap = claim.upper - claim.lower
    allowed = {"optimal"} if gap <= claim.tol * claim.upper else {"budget spent"}
    if gap > claim.tol * claim.upper and gap - claim.rounding <= claim.tol * claim.upper:
        allowed = {"not decided within rounding"}
    if claim.status not in allowed:
        asked = f"a relative gap of {claim.relative_gap:.3g}, at most {claim.tol:.3g} was asked for"
        wrong.append(f"status: claimed {claim.status!r} with {asked}")
    return Verdict(tuple(wrong), max(low, 0.0), high, QUANTITY)


def _find_unusable(claim: RidgeCertificate, X: Any, y: np.ndarray) -> str:
    """Why the claim can't be about these data, or nothing."""
    (n, d), count = X.shape, len(claim.classes)
    if claim.w.shape != ((count, d + 1) if count > 2 else (d + 1,)) or y.shape != (n,):
        return f"shape: w is {claim.w.shape} for {count} classes, X is {n} x {d} and y {y.shape}"
    if not np.isin(y, claim.classes).all():
        return f"labels: y has others than {list(claim.classes)}"
    if not np.isfinite(claim.w).all() or not 0 < claim.alpha < math.inf or claim.bias not in ("free", "none"):
        return "w or alpha are not finite, alpha is not positive, or the bias is neither free nor none"
    if not 0 <= claim.tol < 1:
        return f"tol: expected a part of the cost, 0 <= tol < 1, got {claim.tol!r}"
    if claim.bias == "none" and claim.w[..., -1].any():
        return "bias: claimed that there is none, but w has one"
    if claim.margins.shape not in ((1,), (n,)) or not np.isfinite(claim.margins).all():
        return f"margins: expected one number, or one for each of the {n} rows, got shape {claim.margins.shape}"
    if claim.weights.size and (claim.weights.shape != (n, len(np.atleast_2d(claim.w))) or not _finite(claim.weights)):
        return f"weights: expected a finite number for each of the {n} rows and each w, got shape {claim.weights.shape}"
    return ""


def _finite(numbers: np.ndarray) -> bool:
    return bool(np.isfinite(numbers).all())


def _in_safe_range(claim: RidgeCertificate, X: Any) -> tuple[RidgeCertificate, Any]:
    """The claim about 2^-e X, and X so multiplied: w grows by 2^e, alpha falls by 4^e; nothing is rounded."""
    e = exponent_of_rows(X)
    if abs(e) <= SAFE:
        return claim, X
    w = np.concatenate([np.ldexp(claim.w[..., :-1], e), claim.w[..., -1:]], axis=-1)
    alpha, distance = float(np.ldexp(claim.alpha, -2 * e)), float(np.ldexp(claim.distance, e))
    return replace(claim, w=w, alpha=alpha, distance=distance), times_power_of_two(X, -e)


def _rounded(claim: RidgeCertificate, X: Any, T: np.ndarray, c: np.ndarray) -> _Found:
    """Both sides in floating point, with bounds of what rounding may have moved them by."""
    (n, d), free, total = X.shape, claim.bias == "free", math.fsum(c)
    W = np.atleast_2d(claim.w)
    found = by_blocks(X, _residuals_of_block, (T, c), W, (n, free, total))
    columns, mean, sums, squares, moved, error = (sum(each) for each in zip(*found, strict=True))
    sums = sums if free else 0.0 * sums
    residual = columns - np.outer(mean / total, sums) - claim.alpha * W[:, :-1].T
    square = math.fsum(residual.ravel() ** 2)
    cost = squares + claim.alpha * math.fsum(W[:, :-1].ravel() ** 2)
    slip = float(np.linalg.norm(error)) + 8 * claim.alpha * U * float(np.linalg.norm(W[:, :-1]))
    gain_slack = slip * (2 * math.sqrt(square) + slip) / claim.alpha + 1e-9 * float(sums @ sums) / total
    return _Found(
        cost,
        square / claim.alpha + float(sums @ sums) / total,
        square,
        moved + 8 * (n + d) * U * cost,
        gain_slack,
        slip,
        *(_rounded_dual(claim, X, T, c) if claim.weights.size else ()),
    )


def _rounded_dual(claim: RidgeCertificate, X: Any, T: np.ndarray, c: np.ndarray) -> tuple[float, float]:
    """D(u) in floating point, and how far rounding may have moved it."""
    u, total, n = np.where(c[:, None] > 0, claim.weights, 0.0), math.fsum(c), len(c)
    if claim.bias == "free":
        u = u - np.outer(c / total, [math.fsum(each) for each in u.T])
    paid = np.divide(u * u, c[:, None], out=np.zeros_like(u), where=c[:, None] > 0)
    found = by_blocks(X, _pull_of_block, (u,))
    pulled, error = (sum(each) for each in zip(*found, strict=True))
    lengths = math.fsum(length for block in by_blocks(X, _lengths_of_block, (c,)) for length in block)
    shift = lengths / total * (claim.bias == "free") * np.abs(u).sum(axis=0)
    slip = (n + 8) * U * float(np.linalg.norm(error + 2 * shift))
    square = math.fsum(pulled.ravel() ** 2)
    size = math.fsum(np.abs(u * T).ravel()) * 2 + math.fsum(paid.ravel())
    value = 2 * math.fsum((u * T).ravel()) - math.fsum(paid.ravel()) - square / claim.alpha
    slack = slip * (2 * math.sqrt(square) + slip) / claim.alpha + 16 * U * (size + square / claim.alpha)
    return value, slack


def _pull_of_block(block, u: np.ndarray) -> tuple[Any, Any]:
    """The sums of the rows of a block times u, and of their lengths times |u|."""
    return block.T @ u, np.sqrt(squared_lengths(block)) @ np.abs(u)


def _lengths_of_block(block, c: np.ndarray) -> np.ndarray:
    """The lengths of rows times their weights."""
    return c * np.sqrt(squared_lengths(block))


def _residuals_of_block(block, T, c, W, facts: tuple[int, bool, float]) -> tuple[Any, ...]:
    """The sums of a block that `_rounded` needs."""
    n, free, total = facts
    lengths = np.sqrt(squared_lengths(block))
    R = T - (block @ W[:, :-1].T + W[:, -1])
    doubt = (block.shape[1] + 6) * U * (abs(block) @ np.abs(W[:, :-1]).T + np.abs(W[:, -1]) + np.abs(R))
    weighted = c[:, None] * R
    moved = math.fsum((c[:, None] * doubt * (2 * np.abs(R) + doubt)).ravel())
    each = c[:, None] * (doubt + (n + 8) * U * np.abs(R))
    error = (lengths + 2 * free * math.fsum(c * lengths) / total) @ each
    squares = math.fsum((weighted * R).ravel())
    return block.T @ weighted, block.T @ c, weighted.sum(axis=0), squares, moved, error


def _exact(claim: RidgeCertificate, X: Any, T: np.ndarray, c: np.ndarray) -> _Found:
    """Both sides without any rounding."""
    rows = [[Fraction(float(x)) for x in row] for row in (X.toarray() if sp.issparse(X) else X)]
    weights, alpha = [Fraction(float(each)) for each in c], Fraction(claim.alpha)
    total, d = sum(weights, Fraction(0)), X.shape[1]
    mean = [sum((v * x[j] for v, x in zip(weights, rows, strict=True)), Fraction(0)) / total for j in range(d)]
    if claim.bias == "none":
        mean = [Fraction(0)] * d
    cost = square = gain = dual = Fraction(0)
    for k, (w, targets) in enumerate(zip(np.atleast_2d(claim.w), T.T, strict=True)):
        if claim.weights.size:
            dual += _exact_dual(claim, rows, targets, weights, claim.weights[:, k])
        *v, bias = (Fraction(float(each)) for each in w)
        errors = [
            Fraction(float(t)) - bias - sum((a * b for a, b in zip(v, x, strict=True)), Fraction(0))
            for t, x in zip(targets, rows, strict=True)
        ]
        pulls = [each * error for each, error in zip(weights, errors, strict=True)]
        residual = [
            sum((pull * (x[j] - mean[j]) for pull, x in zip(pulls, rows, strict=True)), Fraction(0)) - alpha * v[j]
            for j in range(d)
        ]
        own = sum((each * each for each in residual), Fraction(0))
        cost += sum((pull * error for pull, error in zip(pulls, errors, strict=True)), Fraction(0))
        cost += alpha * sum((each * each for each in v), Fraction(0))
        square += own
        gain += own / alpha + (sum(pulls, Fraction(0)) ** 2 / total if claim.bias == "free" else 0)
    return _Found(cost, gain, square, dual=dual)


def _exact_dual(
    claim: RidgeCertificate, rows: list, targets: np.ndarray, c: list[Fraction], own: np.ndarray
) -> Fraction:
    """What a w adds to D(u), without any rounding."""
    u = [Fraction(float(each)) if weight else Fraction(0) for each, weight in zip(own, c, strict=True)]
    if claim.bias == "free":
        shift = sum(u, Fraction(0)) / sum(c, Fraction(0))
        u = [each - shift * weight for each, weight in zip(u, c, strict=True)]
    value = Fraction(0)
    for each, weight, t in zip(u, c, targets, strict=True):
        value += 2 * each * Fraction(float(t)) - (each * each / weight if weight else 0)
    for column in zip(*rows, strict=True):
        value -= sum((each * x for each, x in zip(u, column, strict=True)), Fraction(0)) ** 2 / Fraction(claim.alpha)
    return value
