"""An independent check of a certificate for Gaussians: NumPy and fractions only, no line shared with the solver.

What can't be computed from the Gaussians, and so is not checked: the number of updates and why learning ended.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..base import Status, Verdict
from ..radius import EXACT, UNBOUNDED, RadiusCertificate, covariance_parts

U = 2.0**-52
WIDE = float(np.finfo(np.longdouble).eps)  # of wide floats, where there are any
SAME = 4  # a singular matrix is known to so many units in the last place, times d + 8
SOUND = 1e-5  # a sum that needs a larger part of the weights to become zero is not near zero


class _Gaussian(NamedTuple):
    """One Gaussian, with columns divided by powers of two; its covariance is matrix + low low' + diag(variance)."""

    sign: int
    mean: np.ndarray
    matrix: np.ndarray | None
    low: np.ndarray  # d x q
    variance: np.ndarray
    axes: np.ndarray  # the roots of the diagonal
    unsure: np.ndarray  # v' covariance v is known to (unsure |v|)^2 only

    def multiply(self, v: np.ndarray) -> np.ndarray:
        """The product of the covariance and v, of wide floats."""
        v = v.astype(np.longdouble)
        product = self.low @ (self.low.T @ v) + self.variance * v
        return product if self.matrix is None else product + self.matrix @ v

    def exact_covariance(self) -> list[list[Fraction]]:
        """The covariance of fractions."""
        low, variance = _fractions(self.low), _fractions(self.variance)
        rows = [[sum((x * y for x, y in zip(a, b)), Fraction(0)) for b in low] for a in low]
        for a, row in enumerate(rows):
            row[a] += variance[a]
            if self.matrix is not None:
                row[:] = [known + more for known, more in zip(row, _fractions(self.matrix[a]))]
        return rows

    def length(self, v: np.ndarray, exact: bool = False) -> tuple[float, float]:
        """Numbers below and above sqrt(v' covariance v), by wide floats or by exact arithmetic."""
        reach = float(self.axes @ np.abs(v))
        if reach == 0:
            return 0.0, 0.0
        along = self.low.T @ v.astype(np.longdouble)
        error = (len(v) + 4) * WIDE * (np.abs(self.low).T @ np.abs(v))
        rest = float(self.variance @ (v * v))
        low = rest + float(np.sum(np.maximum(np.abs(along) - error, 0) ** 2))
        high = rest + float(np.sum((np.abs(along) + error) ** 2))
        if self.matrix is not None:
            form, doubt = float(v @ (self.matrix @ v.astype(np.longdouble))), (len(v) + 4) * WIDE * reach * reach
            if self.unsure.any():
                doubt += float(self.unsure @ np.abs(v)) ** 2
            elif exact:
                w, rows = _fractions(v), _fractions(self.matrix)
                square = sum((x * sum(a * y for a, y in zip(row, w)) for x, row in zip(w, rows)), Fraction(0))
                form, doubt = float(square), U * abs(float(square))
            low, high = low + max(form - doubt, 0.0), high + form + doubt
        return math.sqrt(low) * (1.0 - len(v) * U), math.sqrt(high) * (1.0 + len(v) * U)


def check(claim: RadiusCertificate, means: Any, covariances: Any, labels: Any) -> Verdict:
    """Compute every number of ``claim`` again from the Gaussians it was made for."""
    means, labels = np.asarray(means, dtype=np.float64), np.asarray(labels)
    if means.ndim != 2 or 0 in means.shape:
        return Verdict((f"shape: means has the shape {means.shape}",))
    k, d = means.shape
    if claim.w.shape != (d + 1,) or labels.shape != (k,) or claim.size != k:
        return Verdict((f"shape: w has {claim.w.size} numbers and {claim.size} Gaussians, there are {k} in {d}",))
    if not np.isin(labels, claim.classes).all():
        return Verdict((f"labels: there are others than {list(claim.classes)}",))
    if not all(np.isfinite(part).all() for part in (claim.w, claim.weights, claim.u, means)):
        return Verdict(("w, the proof or a mean is not finite",))
    flaw = _find_flaw(claim, np.where(labels == claim.classes[1], 1, -1))
    if flaw:
        return Verdict((f"proof: {flaw}",))
    try:
        gaussians, e = _read(means, covariances, np.where(labels == claim.classes[1], 1, -1))
    except (TypeError, ValueError) as error:
        return Verdict((str(error).rstrip("."),))
    w = claim.w[:-1]
    power = int((np.frexp(w)[1] + e)[w != 0].max(initial=-5000))
    place = Fraction(float(claim.w[-1])) / Fraction(2) ** power
    r = _compute_radius(np.ldexp(w, e - power), place, gaussians, claim.lower) if w.any() else -math.inf
    wrong: list[str] = []
    if not claim.lower <= r:
        wrong.append(f"lower: claimed {claim.lower!r}, but r of this w is {r!r}")
    bound = _compute_bound(claim, np.ldexp(claim.u, e) if claim.u.size else claim.u, gaussians)
    if math.isnan(bound):
        wrong.append("proof: the weighted points do not sum to zero")
    elif not claim.upper >= bound:
        wrong.append(f"upper: claimed {claim.upper!r}, but the proof gives {bound!r}")
    if claim.lower > claim.upper:
        wrong.append(f"bounds: the lower one, {claim.lower!r}, is above the upper one, {claim.upper!r}")
    allowed = _allowed_statuses(claim)
    if claim.status not in allowed:
        wrong.append(f"status: claimed {claim.status!r}, the numbers allow {' or '.join(map(repr, allowed))}")
    return Verdict(tuple(wrong), r, bound, "r")


def _read(means: np.ndarray, covariances: Any, sign: np.ndarray) -> tuple[list[_Gaussian], np.ndarray]:
    """The Gaussians with columns of a size near 1, and the powers of two by which they were divided."""
    d, parts = means.shape[1], covariance_parts(covariances, *means.shape)
    size = np.abs(means).max(axis=0)
    for matrix, low, variance in parts:
        size = np.maximum(size, np.sqrt(variance))
        size = np.maximum(size, np.abs(low).max(axis=1, initial=0.0))
        size = size if matrix is None else np.maximum(size, np.sqrt(np.abs(np.diag(matrix))))
    e = np.frexp(size)[1].astype(np.int32)
    gaussians = []
    for side, mean, (matrix, low, variance) in zip(sign.tolist(), means, parts):
        matrix = None if matrix is None else np.ldexp(matrix, -e - e[:, None])
        low, variance = np.ldexp(low, -e[:, None]), np.ldexp(variance, -2 * e)
        square = variance + np.sum(low * low, axis=1) + (0.0 if matrix is None else np.abs(np.diag(matrix)))
        unsure = np.zeros(d) if matrix is None else _find_unsure(matrix)
        gaussians.append(_Gaussian(side, np.ldexp(mean, -e), matrix, low, variance, np.sqrt(square) + unsure, unsure))
    return gaussians, e


def _find_unsure(matrix: np.ndarray) -> np.ndarray:
    """0 if the matrix is positive semidefinite for sure, else the roots of what is not known of its diagonal."""
    d, square = len(matrix), np.diag(matrix)
    if not matrix.any():
        return np.zeros(d)
    if (square > 0).all():
        unit = np.exp2(-np.round(0.5 * np.log2(square)))
        try:
            np.linalg.cholesky(matrix * unit * unit[:, None] - 2 * d * (d + 2) * U * np.eye(d))
            return np.zeros(d)
        except np.linalg.LinAlgError:
            pass
    if d <= EXACT and _eliminate([[*row, Fraction(0)] for row in _fractions(matrix)] + [[Fraction(0)] * (d + 1)]) == 0:
        return np.zeros(d)
    for least in (0.0, float(square.max())):
        size = np.sqrt(np.maximum(square, least))
        unit = np.where(size > 0, size, 1.0)
        negative = -float(np.linalg.eigvalsh(matrix / unit / unit[:, None])[0])
        if negative <= 256 * d * (d + 8) * U:
            break
    return math.sqrt(max(SAME * (d + 8) * U, negative)) * size


def _fractions(x: np.ndarray) -> Any:
    """The numbers as fractions."""
    return [_fractions(one) for one in x] if np.ndim(x) > 1 else [Fraction(float(one)) for one in x]


def _eliminate(A: list[list[Fraction]]) -> Fraction | None:
    """The last diagonal entry, after all others were pivots; None if one is negative, or zero in a row that is not."""
    A = [row[:] for row in A]
    for c in range(len(A) - 1):
        pivot = A[c][c]
        if pivot < 0 or (pivot == 0 and any(A[c][c + 1 :])):
            return None
        for row in A[c + 1 :] if pivot > 0 else []:
            if row[c]:
                factor = row[c] / pivot
                row[c:] = [x - factor * y for x, y in zip(row[c:], A[c][c:])]
    return A[-1][-1]


def _compute_radius(w: np.ndarray, b: Fraction, gaussians: list[_Gaussian], claimed: float) -> float:
    """A number that the smallest r_j of the hyperplane is not below; computed exactly where it is below the claim."""
    origin = gaussians[0].mean
    exact = b + sum(x * y for x, y in zip(_fractions(w), _fractions(origin)))
    lowest = math.inf
    shift = np.longdouble(float(exact)) + np.longdouble(float(exact - Fraction(float(exact))))
    for each in gaussians:
        mean = each.mean - origin.astype(np.longdouble)
        noise = (len(w) + 4) * WIDE * (float(np.abs(mean) @ np.abs(w)) + abs(float(shift)))
        score = float(each.sign * (mean @ w + shift) - noise)
        for exact in (False, True):
            sigma = each.length(w, exact)[1 if score > 0 else 0]
            r = score / sigma if sigma > 0 else math.copysign(math.inf, score or -1.0)
            if r >= claimed:
                break
        lowest = min(lowest, r)
    return lowest


def _find_flaw(claim: RadiusCertificate, sign: np.ndarray) -> str:
    """What is wrong with the form of the proof, or nothing."""
    rows, weights = claim.rows, claim.weights
    if rows.size == 0:
        return "" if claim.upper == math.inf else "there is none"
    if rows.shape != weights.shape or claim.u.shape != (rows.size, len(claim.w) - 1):
        return "its parts differ in size"
    if np.unique(rows).size != rows.size or rows.min() < 0 or rows.max() >= len(sign) or not (weights > 0).all():
        return "it names a Gaussian twice, one that does not exist, or one without weight"
    if claim.integers and (len(claim.integers) != rows.size or min(claim.integers) <= 0):
        return "its integers are not one positive number per Gaussian"
    return "" if len(set(sign[rows].tolist())) == 2 else "one class has no weight in it"


def _compute_bound(claim: RadiusCertificate, u: np.ndarray, gaussians: list[_Gaussian]) -> float:
    """What the proof proves: the upper bound of r; NaN if nothing."""
    some = [gaussians[j] for j in claim.rows]
    if not some:
        return math.inf
    if claim.integers:
        shares = [number * each.sign for number, each in zip(claim.integers, some)]
        columns = [*zip(*(_fractions(each.mean) for each in some)), [1] * len(some)]
        return math.nan if any(sum(s * x for s, x in zip(shares, column)) for column in columns) else 0.0
    radius = max(each.length(v)[1] for each, v in zip(some, u))
    least = max(each.length(v)[0] for each, v in zip(some, u))
    part = _bound_change(claim.weights, u, some, least)
    if not part < SOUND:
        part = _bound_change_exactly(claim.weights, u, some, least)
    return radius / (1.0 - part) if part < SOUND else math.nan


def _bound_change(weights: np.ndarray, u: np.ndarray, some: list[_Gaussian], radius: float) -> float:
    """By what part of weights and of the radius points must change at most for their sum to be zero."""
    k, d = u.shape
    gram, vectors, doubt, lacking = np.zeros((d + 1, d + 1)), [], np.zeros(d + 1), []
    for each, weight, v in zip(some, weights, u):
        mean, image = each.mean - some[0].mean.astype(np.longdouble), each.multiply(v)
        reach, unknown = float(each.axes @ np.abs(v)), float(each.unsure @ np.abs(v))
        vector = each.sign * np.append(mean + image, 1.0)
        far = WIDE * ((k + 4) * np.abs(vector[:-1]) + np.abs(mean) + (d + 4) * each.axes * reach)
        doubt += weight * np.append(far + each.unsure * unknown, (k + 4) * WIDE).astype(np.float64)
        vectors.append(vector)
        plain, share = vector.astype(np.float64), (weight * radius) ** 2
        gram += weight**2 * np.outer(plain, plain)
        gram[:-1, :-1] += share * (each.low @ each.low.T + np.diag(each.variance))
        gram[:-1, :-1] += 0.0 if each.matrix is None else share * each.matrix
        lacking.append(math.sqrt(share) * each.unsure)
    total = np.abs((weights.astype(np.longdouble) @ np.array(vectors)).astype(np.float64)) * (1 + 4 * U) + doubt
    used = (np.diag(gram) > 0) | (total > 0)
    unit = 1.0 / np.sqrt(np.where(np.diag(gram) > 0, np.diag(gram), 1.0))
    least = float(np.linalg.eigvalsh(gram[np.ix_(used, used)] * unit[used] * unit[used][:, None])[0])
    least -= 4 * (k + d + 4) * U * int(used.sum()) + sum(float(lack @ unit[:-1]) ** 2 for lack in lacking)
    return float(np.linalg.norm(unit[used] * total[used])) / math.sqrt(least) if least > 0 else math.inf


def _bound_change_exactly(weights: np.ndarray, u: np.ndarray, some: list[_Gaussian], radius: float) -> float:
    """The same without rounding, for few columns and covariances that are known exactly."""
    d = u.shape[1]
    if d + 1 > EXACT or any(each.unsure.any() for each in some):
        return math.inf
    square = Fraction(radius) ** 2
    table = [[Fraction(0)] * (d + 2) for _ in range(d + 2)]  # the Gram matrix, bordered by the sum
    for each, weight, v in zip(some, weights, u):
        covariance, step, share = each.exact_covariance(), _fractions(v), Fraction(float(weight))
        image = [sum(x * y for x, y in zip(row, step)) for row in covariance]
        a = [each.sign * x for x in (*(x + y for x, y in zip(_fractions(each.mean), image)), 1)]
        for i in range(d + 1):
            spread = [share * share * square * x for x in covariance[i]] if i < d else []
            for j in range(d + 1):
                table[i][j] += share * share * a[i] * a[j] + (spread[j] if i < d and j < d else 0)
            table[i][d + 1] += share * a[i]
            table[d + 1][i] += share * a[i]
    rest = _eliminate(table)
    return math.inf if rest is None else math.sqrt(float(-rest)) * (1 + 4 * U)


def _allowed_statuses(claim: RadiusCertificate) -> tuple[Status, ...]:
    """The statuses that the bounds of the claim allow; they were found valid, or it is rejected anyway."""
    if claim.upper <= 0:
        return (Status.INFEASIBLE,)
    if claim.required is not None:
        if claim.lower >= claim.required:
            return (Status.REACHED,)
        return (Status.IMPOSSIBLE,) if claim.upper < claim.required else (Status.BUDGET_SPENT, Status.WITHIN_ROUNDING)
    if claim.lower >= UNBOUNDED and claim.upper == math.inf:
        return (Status.SEPARATED,)
    if claim.lower > 0 and claim.upper - claim.lower <= claim.eps * claim.upper < math.inf:
        return (Status.OPTIMAL, Status.EPS_OPTIMAL) if claim.eps <= 1e-6 else (Status.EPS_OPTIMAL,)
    return Status.BUDGET_SPENT, Status.WITHIN_ROUNDING
