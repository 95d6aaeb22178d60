"""An independent check of a certificate for Gaussians: NumPy and fractions only, no line shared with the solver.

What can't be computed from the Gaussians, and so is not checked: the number of updates and why learning ended.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..base import Status, Verdict
from ..radius import NEGLIGIBLE, UNBOUNDED, RadiusCertificate, covariance_matrices

U = 2.0**-52
WIDE = float(np.finfo(np.longdouble).eps)  # of wide floats, where there are any
SAME = 16  # covariances that differ by so many units in the last place, times d + 8, count as the same
SOUND = 1e-5  # a sum that needs a larger part of the weights to become zero is not near zero


class _Gaussian(NamedTuple):
    """One Gaussian: its side, its mean (less a common offset), its covariance and the roots of its diagonal."""

    sign: float
    mean: np.ndarray  # of wide floats
    place: np.ndarray  # the mean as it was given
    covariance: np.ndarray
    axes: np.ndarray

    def length(self, v: np.ndarray) -> tuple[float, float]:
        """sqrt(v' covariance v): the least and the largest among the covariances that count as the same."""
        reach = float(self.axes @ np.abs(v))
        square, unsure = float(v @ self.covariance @ v), SAME * (len(v) + 8) * U * reach * reach
        return math.sqrt(max(0.0, square - unsure)), math.sqrt(square + unsure)


def check(claim: RadiusCertificate, means: Any, covariances: Any, labels: Any) -> Verdict:
    """Compute every number of ``claim`` again from the Gaussians it was made for."""
    means, labels = np.asarray(means, dtype=np.float64), np.asarray(labels)
    k, d = means.shape
    if claim.w.shape != (d + 1,) or labels.shape != (k,) or claim.size != k:
        return Verdict((f"shape: w has {claim.w.size} numbers and {claim.size} Gaussians, there are {k} in {d}",))
    if not np.isin(labels, claim.classes).all():
        return Verdict((f"labels: there are others than {list(claim.classes)}",))
    if not all(np.isfinite(part).all() for part in (claim.w, claim.weights, claim.u)):
        return Verdict(("w or the proof is not finite",))
    sign = np.where(labels == claim.classes[1], 1.0, -1.0)
    matrices, wide = covariance_matrices(covariances, k, d), means - means[0].astype(np.longdouble)
    gaussians = [_Gaussian(sign[j], wide[j], means[j], matrices[j], np.sqrt(np.diag(matrices[j]))) for j in range(k)]
    wrong: list[str] = []
    r = _compute_radius(claim.w, gaussians)
    if not claim.lower <= r:
        wrong.append(f"lower: claimed {claim.lower!r}, but r of this w is {r!r}")
    bound, moved, flaw = _compute_bound(claim, gaussians)
    if flaw:
        wrong.append(f"proof: {flaw}")
    elif not claim.upper >= bound:
        wrong.append(f"upper: claimed {claim.upper!r}, but the proof gives {bound!r}")
    elif not claim.moved >= moved:
        wrong.append(f"moved: claimed {claim.moved!r}, but the points meet only after moving by {moved!r}")
    allowed = _allowed_statuses(claim)
    if claim.status not in allowed:
        wrong.append(f"status: claimed {claim.status!r}, the numbers allow {' or '.join(map(repr, allowed))}")
    return Verdict(tuple(wrong), r, bound, "r")


def _compute_radius(w: np.ndarray, gaussians: list[_Gaussian]) -> float:
    """A number that the smallest r_j of w is not below."""
    direction, origin = w[:-1], gaussians[0].place
    if not direction.any():
        return -math.inf
    exact = Fraction(float(w[-1])) + sum(Fraction(float(v)) * Fraction(float(x)) for v, x in zip(direction, origin))
    lowest = math.inf
    shift = np.longdouble(float(exact)) + np.longdouble(float(exact - Fraction(float(exact))))
    for each in gaussians:
        noise = (len(w) + 4) * WIDE * (float(np.abs(each.mean) @ np.abs(direction)) + abs(float(shift)))
        score = float(each.sign * (each.mean @ direction.astype(np.longdouble) + shift) - noise)
        sigma = each.length(direction)[0 if score > 0 else 1]
        if sigma > 0:
            lowest = min(lowest, score / sigma)
        elif score <= 0:
            return -math.inf
    return lowest


def _compute_bound(claim: RadiusCertificate, gaussians: list[_Gaussian]) -> tuple[float, float, str]:
    """What the proof proves: the upper bound, how far the means must move for it, and what is wrong with it."""
    rows, weights, u = claim.rows, claim.weights, claim.u
    if rows.size == 0:
        return math.inf, 0.0, ""
    flaw = _find_flaw(claim, gaussians)
    if flaw:
        return math.nan, math.nan, flaw
    some, d = [gaussians[j] for j in rows], len(claim.w) - 1
    near = np.mean([each.mean for each in some], axis=0)
    vectors, gram, noise = np.zeros((rows.size, d + 1)), np.zeros((d + 1, d + 1)), np.zeros(d + 1)
    radii, same = np.zeros(rows.size), np.zeros(d + 1)
    for i, (each, weight) in enumerate(zip(some, weights)):
        reach = float(each.axes @ np.abs(u[i]))
        mean = each.mean - near
        vectors[i] = each.sign * np.append(mean + each.covariance @ u[i], 1.0)
        radii[i] = each.length(u[i])[0]
        far = WIDE * (np.abs(each.mean) + np.abs(near))
        noise += weight * np.append((rows.size + 4) * U * np.abs(mean) + 4 * far, (rows.size + 4) * U)
        same[:-1] += weight * SAME * (d + 8) * U * each.axes * reach
        gram += weight**2 * np.outer(vectors[i], vectors[i])
        gram[:-1, :-1] += weight**2 * max(0.0, float(u[i] @ each.covariance @ u[i])) * each.covariance
    total = np.maximum(np.abs([math.fsum(weights * column) for column in vectors.T]) - same, 0.0) + noise
    bound = float(radii.max())
    if not u.any() and _sums_to_zero(some, weights):
        return bound, 0.0, ""
    if claim.moved == 0.0:
        part = _bound_change(gram, total, rows.size)
        flaw = "" if part < SOUND else "the weighted points do not sum to zero"
        return (math.nan, math.nan, flaw) if flaw else (float((radii / (1.0 - part)).max()), 0.0, "")
    size = max(float(np.linalg.norm(each.mean - near)) for each in some)
    least_share = min(weights[[each.sign == side for each in some]].sum() for side in (-1.0, 1.0))
    length = float(np.linalg.norm(total[:-1]) + total[-1] * np.linalg.norm(vectors[:, :-1], axis=1).max())
    return bound, length / max(size * float(least_share), 1e-300), ""


def _find_flaw(claim: RadiusCertificate, gaussians: list[_Gaussian]) -> str:
    """What is wrong with the form of the proof, or nothing."""
    rows, weights = claim.rows, claim.weights
    if rows.shape != weights.shape or claim.u.shape != (rows.size, len(claim.w) - 1):
        return "its parts differ in size"
    if np.unique(rows).size != rows.size or rows.min() < 0 or rows.max() >= len(gaussians) or not (weights > 0).all():
        return "it names a Gaussian twice, one that does not exist, or one without weight"
    if len({gaussians[j].sign for j in rows}) < 2:
        return "one class has no weight in it"
    return ""


def _bound_change(gram: np.ndarray, total: np.ndarray, k: int) -> float:
    """By what part weights and points must change at most for their sum to be zero."""
    used = (np.diag(gram) > 0) | (total > 0)
    unit = 1.0 / np.sqrt(np.where(np.diag(gram) > 0, np.diag(gram), 1.0))[used]
    least = np.linalg.eigvalsh(gram[np.ix_(used, used)] * unit * unit[:, None])[0]
    least -= 4 * (k + len(total) + 3) * U * used.sum()
    return float(np.linalg.norm(unit * total[used])) / math.sqrt(least) if least > 0 else math.inf


def _sums_to_zero(some: list[_Gaussian], weights: np.ndarray) -> bool:
    """Whether the weighted means sum to zero without any rounding."""
    shares = [Fraction(float(weight)) * int(each.sign) for weight, each in zip(weights, some)]
    columns = np.column_stack([[each.place for each in some], np.ones(len(some))]).T
    return all(sum(s * Fraction(float(x)) for s, x in zip(shares, column)) == 0 for column in columns)


def _allowed_statuses(claim: RadiusCertificate) -> tuple[Status, ...]:
    """The statuses that the bounds of the claim allow; they were found valid, or it is rejected anyway."""
    firm = claim.moved <= NEGLIGIBLE
    if claim.upper <= 0 and firm:
        return (Status.INFEASIBLE,) if claim.moved == 0.0 else (Status.WITHIN_ROUNDING,)
    if claim.required is not None:
        if claim.lower >= claim.required:
            return (Status.REACHED,)
        if claim.upper < claim.required and firm:
            return (Status.IMPOSSIBLE,)
        return Status.BUDGET_SPENT, Status.WITHIN_ROUNDING
    if claim.lower >= UNBOUNDED and claim.upper == math.inf:
        return (Status.SEPARATED,)
    if claim.lower > 0 and firm and claim.upper - claim.lower <= claim.eps * claim.upper:
        return (Status.OPTIMAL, Status.EPS_OPTIMAL) if claim.eps <= 1e-6 else (Status.EPS_OPTIMAL,)
    return (Status.BUDGET_SPENT,)
