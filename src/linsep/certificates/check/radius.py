"""An independent check of a certificate for Gaussians: NumPy and fractions only, no line shared with the solver.

What can't be computed from the Gaussians, and so is not checked: the number of steps and why learning ended.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..radius import RadiusCertificate

U = 2.0**-52
WIDE = float(np.finfo(np.longdouble).eps)  # of wide floats, where there are any
SAME = 16  # covariances that differ by so many units in the last place, times d + 8, are not told apart
SOUND = 1e-5  # a sum that needs a larger part of the weights to become zero is not near zero


class Verdict(NamedTuple):
    """The answer of a check: true if nothing was found wrong."""

    failures: tuple[str, ...]
    r: float = math.nan  # of w, as the check computed it
    bound: float = math.nan  # of every r, likewise

    def __bool__(self) -> bool:
        return not self.failures

    def __str__(self) -> str:
        if self.failures:
            return "The certificate is WRONG: " + "; ".join(self.failures) + "."
        return f"The certificate holds: recomputed from the Gaussians, r {self.r:.12g}, upper bound {self.bound:.12g}."


class _Gaussian(NamedTuple):
    """One of them: its side, its mean (less a common offset), its covariance and the roots of its diagonal."""

    sign: float
    mean: np.ndarray  # of wide floats
    place: np.ndarray  # the mean as it was given
    covariance: np.ndarray
    axes: np.ndarray
    importance: float
    caution: float

    def length(self, v: np.ndarray) -> tuple[float, float]:
        """sqrt(v' covariance v): the least and the largest among the covariances that count as the same."""
        reach = float(self.axes @ np.abs(v))
        square, unsure = float(v @ self.covariance @ v), SAME * (len(v) + 8) * U * reach * reach
        return math.sqrt(max(0.0, square - unsure)), math.sqrt(square + unsure)


def check(claim: RadiusCertificate, means: Any, covariances: Any, labels: Any) -> Verdict:
    """Every number of ``claim`` computed again from the Gaussians it was made for."""
    means, labels = np.asarray(means, dtype=np.float64), np.asarray(labels)
    k, d = means.shape
    if claim.w.shape != (d + 1,) or labels.shape != (k,) or claim.size != k:
        return Verdict((f"shape: w has {claim.w.size} numbers and {claim.size} Gaussians, there are {k} in {d}",))
    if not np.isin(labels, claim.classes).all():
        return Verdict((f"labels: there are others than {list(claim.classes)}",))
    if claim.importance.shape != (k,) or claim.caution.shape != (k,):
        return Verdict(("importance and caution: one number for each Gaussian is wanted",))
    if not (claim.importance > 0).all() or not (claim.caution >= 0).all():
        return Verdict(("importance must be positive, caution not negative",))
    numbers = (claim.w, claim.weights, claim.u, claim.importance, claim.caution)
    if not all(np.isfinite(part).all() for part in numbers):
        return Verdict(("w, the proof or the demands are not finite",))
    sign = np.where(labels == claim.classes[1], 1.0, -1.0)
    origin = means[0]
    dense = matrices(covariances, k, d)
    these = [
        _Gaussian(
            sign[j],
            means[j] - origin.astype(np.longdouble),
            means[j],
            dense[j],
            np.sqrt(np.diag(dense[j])),
            claim.importance[j],
            claim.caution[j],
        )
        for j in range(k)
    ]
    wrong: list[str] = []
    r = _radius(claim.w, origin, these)
    if not claim.lower <= r:
        wrong.append(f"lower: claimed {claim.lower!r}, but r of this w is {r!r}")
    bound, moved, unsound = _bound(claim, these)
    if unsound:
        wrong.append(f"proof: {unsound}")
    elif not claim.upper >= bound:
        wrong.append(f"upper: claimed {claim.upper!r}, but the proof gives {bound!r}")
    elif not claim.moved >= moved:
        wrong.append(f"moved: claimed {claim.moved!r}, but the points meet only after moving by {moved!r}")
    allowed = _status(claim)
    if claim.status not in allowed:
        wrong.append(f"status: claimed {claim.status!r}, the numbers allow {' or '.join(map(repr, allowed))}")
    return Verdict(tuple(wrong), r, bound)


def matrices(covariances: Any, k: int, d: int) -> np.ndarray:
    """All covariances as matrices."""
    if covariances is None or np.isscalar(covariances):
        covariances = [covariances or 0.0] * k
    elif isinstance(covariances, tuple) and len(covariances) == 2 and np.ndim(covariances[0]) == 3:
        covariances = [(covariances[0][j], covariances[1][j]) for j in range(k)]
    out = np.zeros((k, d, d))
    for j, one in enumerate(covariances):
        if isinstance(one, tuple):
            U_, variance = np.asarray(one[0], dtype=np.float64), np.asarray(one[1], dtype=np.float64)
            out[j] = U_ @ U_.T + np.diag(np.broadcast_to(variance, d))
        else:
            matrix = np.asarray(one, dtype=np.float64)
            out[j] = matrix if matrix.ndim == 2 else np.diag(np.broadcast_to(matrix, d))
    return 0.5 * (out + out.transpose(0, 2, 1))


def _radius(w: np.ndarray, origin: np.ndarray, these: list[_Gaussian]) -> float:
    """The smallest (r_j - c_j) / a_j of w: a number that it is not below."""
    direction = w[:-1]
    if not direction.any():
        return -math.inf
    exact = Fraction(float(w[-1])) + sum(Fraction(float(v)) * Fraction(float(x)) for v, x in zip(direction, origin))
    lowest = math.inf
    shift = np.longdouble(float(exact)) + np.longdouble(float(exact - Fraction(float(exact))))
    for each in these:
        noise = (len(w) + 4) * WIDE * (float(np.abs(each.mean) @ np.abs(direction)) + abs(float(shift)))
        score = float(each.sign * (each.mean @ direction.astype(np.longdouble) + shift) - noise)
        spread = each.length(direction)[0 if score > 0 else 1]
        if spread > 0:
            lowest = min(lowest, float((score / spread - each.caution) / each.importance))
        elif score <= 0:
            return -math.inf
    return lowest


def _bound(claim: RadiusCertificate, these: list[_Gaussian]) -> tuple[float, float, str]:
    """What the proof proves: the upper bound, how far the means must move for it, and what is wrong with it."""
    rows, weights, u = claim.rows, claim.weights, claim.u
    if rows.size == 0:
        return math.inf, 0.0, ""
    d = len(claim.w) - 1
    if rows.shape != weights.shape or u.shape != (rows.size, d):
        return math.nan, math.nan, "its parts are of unlike size"
    if np.unique(rows).size != rows.size or rows.min() < 0 or rows.max() >= len(these) or not (weights > 0).all():
        return math.nan, math.nan, "it names a Gaussian twice, one that does not exist, or one without weight"
    some = [these[j] for j in rows]
    sign = np.array([each.sign for each in some])
    shares = [math.fsum(weights[sign == side]) for side in (-1.0, 1.0)]
    if min(shares) <= 0:
        return math.nan, math.nan, "one class has no weight in it"
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
    bound = float(max((q - each.caution) / each.importance for q, each in zip(radii, some)))
    if not u.any() and _zero(some, weights):
        return bound, 0.0, ""
    used = (np.diag(gram) > 0) | (total > 0)
    unit = 1.0 / np.sqrt(np.where(np.diag(gram) > 0, np.diag(gram), 1.0))[used]
    least = np.linalg.eigvalsh(gram[np.ix_(used, used)] * unit * unit[:, None])[0]
    least -= 4 * (rows.size + d + 4) * U * used.sum()
    part = float(np.linalg.norm(unit * total[used])) / math.sqrt(least) if least > 0 else math.inf
    if claim.moved == 0.0:
        if not part < SOUND:
            return math.nan, math.nan, "the weighted points do not sum to zero"
        radii = radii / (1.0 - part)
        return float(max((q - each.caution) / each.importance for q, each in zip(radii, some))), 0.0, ""
    spread = max(float(np.linalg.norm(each.mean - near)) for each in some)
    length = float(np.linalg.norm(total[:-1]) + total[-1] * np.linalg.norm(vectors[:, :-1], axis=1).max())
    return bound, length / max(spread * min(shares), 1e-300), ""


def _zero(some: list[_Gaussian], weights: np.ndarray) -> bool:
    """Do the weighted means sum to zero without any rounding?"""
    shares = [Fraction(float(weight)) * int(each.sign) for weight, each in zip(weights, some)]
    columns = np.column_stack([[each.place for each in some], np.ones(len(some))]).T
    return all(sum(s * Fraction(float(x)) for s, x in zip(shares, column)) == 0 for column in columns)


def _status(claim: RadiusCertificate) -> tuple[str, ...]:
    """The statuses that the bounds of the claim allow; they were found valid, or it is rejected anyway."""
    firm = claim.moved <= 1e-10
    if claim.upper <= 0 and firm:
        return ("infeasible",) if claim.moved == 0.0 else ("not decided within rounding",)
    if claim.wanted is not None:
        if claim.lower >= claim.wanted:
            return ("reached",)
        if claim.upper < claim.wanted and firm:
            return ("impossible",)
        return ("budget spent", "not decided within rounding")
    if claim.lower >= 1e6 and claim.upper == math.inf:
        return ("separated",)
    if claim.lower > 0 and firm and claim.upper - claim.lower <= claim.eps * claim.upper:
        return ("optimal", "eps-optimal") if claim.eps <= 1e-6 else ("eps-optimal",)
    return ("budget spent",)
