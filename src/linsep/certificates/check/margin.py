"""An independent check of a certificate: NumPy, SciPy and fractions only, no line shared with the solver.

Scalar products are taken with their error bounds, and the decisive ones again in exact rational
arithmetic. What can't be computed from the data, and so is not checked: the number of updates and the
reason for which learning ended.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..base import Status, Verdict
from ..margin import MarginCertificate
from .inseparable import sums_to_zero, whole_w, whole_weights
from .machine import list_vectors, numbers, rival_combination, rival_scores
from .rows import (
    SAFE,
    U,
    check_empty,
    combination,
    exact_norm,
    exponent_of,
    exponent_of_rows,
    is_margin,
    nearest_float,
    read_matrix,
    read_weights,
    scores,
    times_power_of_two,
)

EXACT = 2**18  # numbers that the exact norm of the combination may cost


class _Data(NamedTuple):
    """The data as the checks need them."""

    X: Any
    sign: np.ndarray  # the side of a row, +1 or -1; of a machine the number of its class
    keep: np.ndarray  # whether the weight of a row is not 0
    constant: float  # what augments a row


def check(claim: MarginCertificate, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
    """Every number of ``claim`` computed again from the data it was made for."""
    X, y = read_matrix(X), np.asarray(y)
    unusable = _find_unusable(claim, X, y)
    if unusable:
        return Verdict((unusable,))
    keep = read_weights(sample_weight, len(y)) > 0
    if claim.status == Status.INTERRUPTED:
        return check_empty(claim, int(keep.sum()))
    claim, X, constant = _in_safe_range(claim, X)
    machine = claim.w.ndim == 2
    sign = numbers(y, claim.classes) if machine else np.where(y == claim.classes[1], 1.0, -1.0)
    data = _Data(X, sign, keep, constant)
    wrong: list[str] = []
    low, margin, rounding = _check_lower(claim, data, wrong)
    bound, zero = _check_upper(claim, data, wrong)
    status = statuses(claim, low, abs(margin) <= rounding, zero)
    if claim.status not in status:
        wrong.append(f"status: claimed {claim.status!r}, the numbers allow {' or '.join(map(repr, status))}")
    return Verdict(tuple(wrong), margin, bound, "margin")


def _find_unusable(claim: MarginCertificate, X: Any, y: np.ndarray) -> str:
    """Why the claim can't be about these data, or nothing."""
    n, d = X.shape
    machine = claim.w.ndim == 2  # one row per class
    if claim.w.shape != ((len(claim.classes), d + 1) if machine else (d + 1,)) or y.shape != (n,):
        wanted = f"X with {claim.w.shape[-1] - 1} columns, and y with as many labels as rows"
        return f"shape: expected {wanted}, got {X.shape} and {y.shape}; of lifted rows call check of the estimator"
    if not machine and len(claim.classes) != 2:
        return f"classes: expected two for one w, got {list(claim.classes)}"
    if not np.isin(y, claim.classes).all():
        return f"labels: y has others than {list(claim.classes)}"
    if not np.isfinite(claim.w).all() or not np.isfinite(claim.weights).all():
        return "w or the weights of the proof are not finite"
    if machine and claim.bias == "free":
        return "bias: a margin with a free bias is not defined for many classes here"
    return ""


def _in_safe_range(claim: MarginCertificate, X: Any) -> tuple[MarginCertificate, Any, float]:
    """The claim about 2^-e X, X so multiplied, and what augments a row: nothing of this is rounded."""
    e, constant = exponent_of_rows(X), 0.0 if claim.bias == "none" else 1.0
    e = max(e, 1) if claim.bias == "augmented" else e
    power = exponent_of(claim.w)
    w = np.ldexp(claim.w, -power)  # its length means nothing, but beside a least score
    claim = replace(claim, w=w, least_score=float(np.ldexp(claim.least_score, -power)))
    if abs(e) <= SAFE:
        return claim, X, constant
    if claim.bias == "free":
        w = np.concatenate([w[:-1], np.ldexp(w[-1:], -e)])
    elif claim.bias == "augmented":
        constant = math.ldexp(constant, -e)
    claim = replace(
        claim, w=w, lower=float(np.ldexp(claim.lower, -e)), upper=float(np.ldexp(claim.upper, -e)),
        longest=float(np.ldexp(claim.longest, -e)), eps=float(np.ldexp(claim.eps, -e)),
        least_score=float(np.ldexp(claim.least_score, -e)),
    )  # fmt: skip
    return claim, times_power_of_two(X, -e), constant


def _check_lower(claim: MarginCertificate, data: _Data, wrong: list[str]) -> tuple[float, float, float]:
    """Check all that is claimed of w itself; returns its least score, its margin, and the rounding error of that."""
    d = data.X.shape[1]
    w = claim.w[:-1] if claim.bias == "free" else claim.w.ravel()
    norm, look = math.hypot(*w), rival_scores if claim.w.ndim == 2 else scores
    least, _, lengths, fewest, most = look(*data[:3], claim.w, data.constant, claim.lower * norm, claim.violated)
    low = nearest_float(least)
    longest = float(lengths.max(initial=0.0))
    whole = math.hypot(norm, claim.w[-1] if claim.bias == "free" else 0.0)
    rounding = 16 * (d + 8) * U * longest * max(1.0, whole / norm if norm > 0 else 1.0)
    margin = low / norm if norm > 0 else -math.inf
    if norm > 0 and not (margin - rounding <= claim.lower and is_margin(claim.lower, least, w)):
        wrong.append(f"lower: claimed {claim.lower!r}, but the margin of w is {margin!r}")
    if norm == 0 and claim.lower != -math.inf:
        wrong.append(f"lower: claimed {claim.lower!r} for w = 0")
    if claim.least_score and low < claim.least_score:  # it was not computed exactly, or is less
        low = nearest_float(look(*data[:3], claim.w, data.constant, claim.least_score, claim.violated)[0])
    most_of_least = claim.least_score * (1 + 1e-9) + rounding * norm  # a longer w is not the shortest
    if not (claim.least_score == 0 or 0 < claim.least_score <= low <= most_of_least):
        wrong.append(
            f"least_score: claimed {claim.least_score!r}, but the least <w,a> is {low!r}, for w of length {norm!r}"
        )
    if not fewest <= claim.violated <= most:
        wrong.append(f"violated: claimed {claim.violated}, counted {fewest} to {most}")
    if claim.size != int(data.keep.sum()):
        wrong.append(f"size: claimed {claim.size}, there are {int(data.keep.sum())} vectors")
    if not abs(claim.longest - longest) <= 4 * (d + 4) * U * longest:
        wrong.append(f"longest: claimed {claim.longest!r}, found {longest!r}")
    ratio = longest * whole / (claim.lower * norm) if claim.lower * norm > 0 else math.inf
    steps = ratio * ratio
    near = claim.novikoff == steps or (0 < steps < math.inf and abs(claim.novikoff / steps - 1) <= 1e-9)
    if claim.lower > 0 and not near:
        wrong.append(f"novikoff: claimed {claim.novikoff!r}, found {steps!r}")
    if claim.lower <= 0 and claim.novikoff != math.inf:
        wrong.append(f"novikoff: claimed {claim.novikoff!r} for a w that does not separate")
    _check_best(claim, data, longest, wrong)
    return low, margin, rounding


def _check_best(claim: MarginCertificate, data: _Data, longest: float, wrong: list[str]) -> None:
    """Check Novikoff's bound with the margin of the best w known."""
    if not claim.best_w.size:
        if claim.novikoff_best not in (math.inf, claim.novikoff):
            wrong.append(f"novikoff_best: claimed {claim.novikoff_best!r} without a w")
        return
    best = claim.best_w
    if best.shape != claim.w.shape or claim.bias == "free" or not np.isfinite(best).all():
        wrong.append("best_w: expected as many finite numbers as w has, the bias inside the norm")
        return
    best = np.ldexp(best, -exponent_of(best))
    look = rival_scores if best.ndim == 2 else scores
    norm, high = math.hypot(*best.ravel()), nearest_float(look(*data[:3], best, data.constant, 0.0, 0)[1])
    least = (longest * norm / high) ** 2 if high > 0 else math.inf
    if not least * (1 - 1e-9) <= claim.novikoff_best <= claim.novikoff:
        wrong.append(f"novikoff_best: claimed {claim.novikoff_best!r}, the margin of best_w gives {least!r}")


def _check_upper(claim: MarginCertificate, data: _Data, wrong: list[str]) -> tuple[float, bool]:
    """Check the proof of the upper bound; returns the bound, and whether it proves that no w separates."""
    X, sign, keep, constant = data
    d, machine = X.shape[1], claim.w.ndim == 2
    bound, error, unsound = (rival_combination if machine else combination)(X, sign, keep, claim, constant)
    least = bound - error
    small = not unsound and claim.rows.size * claim.w.size <= EXACT
    proof = (X, sign, claim, constant)
    if machine and not unsound and (small or claim.integers):
        proof = list_vectors(*proof)
    if small and 0 < bound < math.inf:
        bound = exact_norm(*proof)
        least = bound * (1 - 4 * U)
    unsound = unsound or (whole_weights(claim) if claim.zero_sum else whole_w(claim, X, sign, keep, constant))
    if unsound:
        wrong.append(f"proof: {unsound}")
    elif not least <= claim.upper <= bound + 8 * error + 16 * (d + 8) * U * bound + 2 * claim.rounding:
        wrong.append(f"upper: claimed {claim.upper!r}, but the proof gives {bound!r}")
    zero = claim.zero_sum and not unsound and sums_to_zero(*(proof if claim.integers else (X, sign, claim, constant)))
    if claim.zero_sum and not zero:
        wrong.append("proof: that the weighted vectors sum to zero is claimed, but not so")
    return bound, zero


def statuses(claim: MarginCertificate, low: float, unsure: bool, zero: bool) -> tuple[str, ...]:
    """The statuses that the numbers allow; the bounds of the claim were found valid, or it is rejected anyway."""
    if zero:
        return ("not separable",)
    if claim.lower > 0:
        gap, wanted = claim.upper - claim.lower, claim.eps + claim.relative * claim.upper
        if 0 < wanted < math.inf and gap <= wanted:
            return ("eps-optimal", "optimal") if wanted <= 1e-6 * claim.upper else ("eps-optimal",)
        return ("separated",)
    if low > 0:
        return ("not decided within rounding",)
    return ("budget spent", "not separated", *(("not decided within rounding",) if unsure else ()))
