"""An independent check of a certificate: NumPy, SciPy and fractions only, no line shared with the solver.

Scalar products are taken with their error bounds, and the decisive ones again in exact rational
arithmetic. What can't be computed from the data, and so is not checked: the number of updates and the
reason for which learning ended.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .certificate import Certificate

U = 2.0**-52
ROWS = 4096  # rows that are converted to float64 at a time
DECISIVE = 64  # rows whose score is computed exactly, if the claim does not need more
EXACT = 2**18  # numbers that the exact norm of the combination may cost


class Verdict(NamedTuple):
    """The answer of a check: true if nothing was found wrong.

    >>> bool(Verdict(())), bool(Verdict(("upper: ...",)))
    (True, False)
    """

    failures: tuple[str, ...]
    margin: float = math.nan  # of w, as the check computed it
    bound: float = math.nan  # of every margin, likewise

    def __bool__(self) -> bool:
        return not self.failures

    def __str__(self) -> str:
        if self.failures:
            return "The certificate is WRONG: " + "; ".join(self.failures) + "."
        return (
            f"The certificate holds: recomputed from the data, margin {self.margin:.9g}, upper bound {self.bound:.9g}."
        )


def check(claim: Certificate, X: Any, y: Any, sample_weight: Any = None) -> Verdict:
    """Every number of ``claim`` computed again from the data it was made for."""
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    y = np.asarray(y)
    n, d = X.shape
    machine = claim.w.ndim == 2  # a row a class
    if claim.w.shape != ((len(claim.classes), d + 1) if machine else (d + 1,)) or y.shape != (n,):
        return Verdict((f"shape: w has {claim.w.size} numbers, X is {n} x {d} and y {y.shape}",))
    if not np.isin(y, claim.classes).all():
        return Verdict((f"labels: y has others than {list(claim.classes)}",))
    if not np.isfinite(claim.w).all() or not np.isfinite(claim.weights).all():
        return Verdict(("w or the weights of the proof are not finite",))
    if machine and claim.bias == "free":
        return Verdict(("bias: a margin with a free bias is not defined for many classes here",))
    if machine and claim.integers:
        return Verdict(("proof: whole numbers prove nothing of many classes here",))
    # the side of a row, or the number of its class
    sign = _numbers(y, claim.classes) if machine else np.where(y == claim.classes[1], 1.0, -1.0)
    constant = 0.0 if claim.bias == "none" else 1.0
    keep = np.ones(n, bool) if sample_weight is None else np.asarray(sample_weight) > 0

    wrong: list[str] = []
    norm = math.hypot(*(claim.w[:-1] if claim.bias == "free" else claim.w.ravel()))
    scores = _rival_scores if machine else _scores
    low, high, lengths, fewest, most = scores(X, sign, keep, claim.w, constant, claim.lower * norm)
    longest = float(lengths.max(initial=0.0))
    whole = math.hypot(norm, claim.w[-1] if claim.bias == "free" else 0.0)
    fuzz = 16 * (d + 8) * U * longest * max(1.0, whole / norm if norm > 0 else 1.0)
    margin = low / norm if norm > 0 else -math.inf
    if norm > 0 and not margin - fuzz <= claim.lower <= high / norm + 4 * U * abs(high / norm):
        wrong.append(f"lower: claimed {claim.lower!r}, but the margin of w is {margin!r}")
    if norm == 0 and claim.lower != -math.inf:
        wrong.append(f"lower: claimed {claim.lower!r} for w = 0")
    if not fewest <= claim.violated <= most:
        wrong.append(f"violated: claimed {claim.violated}, counted {fewest} to {most}")
    if claim.size != int(keep.sum()):
        wrong.append(f"size: claimed {claim.size}, there are {int(keep.sum())} vectors")
    if not abs(claim.longest - longest) <= 4 * (d + 4) * U * longest:
        wrong.append(f"longest: claimed {claim.longest!r}, found {longest!r}")
    scale = claim.lower * norm
    ratio = longest * whole / scale if scale > 0 else math.inf
    steps = ratio * ratio
    near = claim.novikoff == steps or (0 < steps < math.inf and abs(claim.novikoff / steps - 1) <= 1e-9)
    if claim.lower > 0 and not near:
        wrong.append(f"novikoff: claimed {claim.novikoff!r}, found {steps!r}")
    if claim.lower <= 0 and claim.novikoff != math.inf:
        wrong.append(f"novikoff: claimed {claim.novikoff!r} for a w that does not separate")

    bound, slack, sound = (_rival_combination if machine else _combination)(X, sign, keep, claim, constant)
    least = bound - slack
    if not machine and not sound and 0 < bound < math.inf and claim.rows.size * (d + 1) <= EXACT:
        bound = _exact_norm(X, sign, claim, constant)
        least = bound * (1 - 4 * U)
    sound = sound or (_whole_weights(claim) if claim.refuted else _whole_w(claim, X, sign, keep, constant))
    if sound:
        wrong.append(f"proof: {sound}")
    elif not least <= claim.upper <= bound + 8 * slack + 16 * (d + 8) * U * bound:
        wrong.append(f"upper: claimed {claim.upper!r}, but the proof gives {bound!r}")
    zero = claim.refuted and not sound and _zero(X, sign, claim, constant)
    if claim.refuted and not zero:
        wrong.append("proof: that the weighted vectors sum to zero is claimed, but not so")
    status = _status(claim, low, abs(margin) <= fuzz, zero)
    if claim.status not in status:
        wrong.append(f"status: claimed {claim.status!r}, the numbers allow {' or '.join(map(repr, status))}")
    return Verdict(tuple(wrong), margin, bound)


def _scores(X, sign, keep, w, constant, claimed):
    """The least score (between two numbers), the norms of the vectors, and the number of violated ones (likewise).

    In exact arithmetic, if few rows decide, or if more is claimed than rounding leaves sure.
    """
    scores, errors, lengths = (each[keep] for each in _all_scores(X, sign, w, constant))
    low, high = float((scores - errors).min()), float((scores + errors).min())
    decisive = np.flatnonzero(scores - errors <= high)
    if decisive.size <= DECISIVE or claimed > low:
        exact = [_exact_score(X, sign, np.flatnonzero(keep)[i], w, constant) for i in decisive]
        low = high = _float(min(exact))
    return low, high, lengths, int(np.sum(scores < -errors)), int(np.sum(scores <= errors))


def _all_scores(X, sign, w, constant):
    """All scores, bounds of their error (also if w was rounded), and the norms of the vectors."""
    n, d = X.shape
    scores, errors, lengths = np.empty(n), np.empty(n), np.empty(n)
    magnitude = np.abs(w) + 2.0**-1022
    for at in range(0, n, ROWS):
        block = X[at : at + ROWS].astype(np.float64)
        rows = slice(at, at + block.shape[0])
        terms = np.diff(block.indptr) if sp.issparse(block) else d
        squares = block.multiply(block).sum(axis=1) if sp.issparse(block) else np.einsum("ij,ij->i", block, block)
        scores[rows] = sign[rows] * (block @ w[:-1] + constant * w[-1])
        errors[rows] = (terms + 4) * U * (abs(block) @ magnitude[:-1] + constant * magnitude[-1])
        lengths[rows] = np.sqrt(np.asarray(squares).ravel() + constant)
    return scores, errors, lengths


def _numbers(y, classes) -> np.ndarray:
    """The place of each label in ``classes``."""
    numbers = np.empty(y.shape, dtype=np.intp)
    for k, label in enumerate(classes):
        numbers[y == label] = k
    return numbers


def _rival_scores(X, own, keep, W, constant, claimed):
    """The same as `_scores` for a machine: a row's vectors are those of its class against each other class."""
    n, d = X.shape
    low, high, lengths = np.empty(n), np.empty(n), np.empty(n)
    for at in range(0, n, ROWS):
        block = X[at : at + ROWS].astype(np.float64)
        rows = slice(at, at + block.shape[0])
        terms = np.diff(block.indptr)[:, None] if sp.issparse(block) else d
        squares = block.multiply(block).sum(axis=1) if sp.issparse(block) else np.einsum("ij,ij->i", block, block)
        scores = block @ W[:, :-1].T + constant * W[:, -1]
        errors = (terms + 4) * U * (abs(block) @ np.abs(W[:, :-1]).T + constant * np.abs(W[:, -1]))
        pick = np.arange(block.shape[0]), own[rows]
        ahead = scores[pick][:, None] - scores
        doubt = errors[pick][:, None] + errors + U * np.abs(ahead)
        ahead[pick] = np.inf
        low[rows], high[rows] = (ahead - doubt).min(axis=1), (ahead + doubt).min(axis=1)
        lengths[rows] = np.sqrt(2.0 * (np.asarray(squares).ravel() + constant))
    some = np.flatnonzero(keep)
    low, high, lengths = low[some], high[some], lengths[some]
    least, most = float(low.min()), float(high.min())
    decisive = np.flatnonzero(low <= most)
    if decisive.size * W.shape[0] <= 8 * DECISIVE or claimed > least:
        least = most = _float(min(_exact_lead(X, own, some[i], W, constant) for i in decisive))
    return least, most, lengths, int(np.sum(high < 0)), int(np.sum(low <= 0))


def _exact_lead(X, own, i, W, constant) -> Fraction:
    """By how much the class of row i leads its best rival, without any rounding."""
    scores = [_exact_score(X, np.ones(X.shape[0]), i, w, constant) for w in W]
    return scores[own[i]] - max(score for k, score in enumerate(scores) if k != own[i])


def _rival_combination(X, own, keep, claim, constant):
    """The same as `_combination` for a machine."""
    rows, rivals, weights, count = claim.rows, claim.rivals, claim.weights, len(claim.classes)
    if not rows.shape == rivals.shape == weights.shape or rows.size == 0:
        return math.nan, math.nan, "it names no rows, or not a rival for each"
    if rows.min() < 0 or rows.max() >= X.shape[0] or not keep[rows].all() or rivals.min() < 0 or rivals.max() >= count:
        return math.nan, math.nan, "it names a row or a rival that does not exist"
    if np.unique(rows * count + rivals).size != rows.size or (own[rows] == rivals).any():
        return math.nan, math.nan, "it names a row twice with the same rival, or its own class as rival"
    if (weights < 0).any() or math.fsum(weights) <= 0:
        return math.nan, math.nan, "it has a negative weight, or none"
    weights = weights / math.fsum(weights)
    total, length = np.zeros((count, X.shape[1] + 1)), 0.0
    for at in range(0, rows.size, ROWS):
        some = slice(at, at + ROWS)
        block = X[rows[some]].astype(np.float64)
        pulls = np.zeros((block.shape[0], count))
        pulls[np.arange(block.shape[0]), own[rows[some]]] = weights[some]
        pulls[np.arange(block.shape[0]), rivals[some]] = -weights[some]
        total[:, :-1] += (block.T @ pulls).T
        total[:, -1] += constant * pulls.sum(axis=0)
        norms = sp.linalg.norm(block, axis=1) if sp.issparse(block) else np.linalg.norm(block, axis=1)
        length += 2.0 * math.fsum(weights[some] * norms)
    slack = (min(rows.size, ROWS + rows.size // ROWS) + 8) * U * (length + 2.0 * constant)
    return math.hypot(*total.ravel()), slack, ""


def _exact_score(X, sign, i, w, constant) -> Fraction:
    """<w, a_i> without any rounding."""
    row = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
    columns = np.flatnonzero(row)
    total = Fraction(constant) * Fraction(float(w[-1]))
    total += sum(Fraction(float(w[j])) * Fraction(float(row[j])) for j in columns)
    return int(sign[i]) * total


def _float(number: Fraction) -> float:
    """The nearest float; infinite beyond the largest."""
    return float(number) if abs(number) < Fraction(2) ** 1023 else math.copysign(math.inf, number)


def _combination(X, sign, keep, claim, constant):
    """The norm of the convex combination in the proof, its rounding error, and what is wrong with it, if anything."""
    rows, weights = claim.rows, claim.weights
    if rows.shape != weights.shape or rows.size == 0:
        return math.nan, math.nan, "it names no rows"
    if np.unique(rows).size != rows.size or rows.min() < 0 or rows.max() >= X.shape[0] or not keep[rows].all():
        return math.nan, math.nan, "it names a row twice, or one that does not exist"
    if (weights < 0).any():
        return math.nan, math.nan, "it has a negative weight"
    own = sign[rows]
    if claim.bias == "free" and np.unique(sign[keep]).size < 2:
        return math.inf, 0.0, ""  # one class only: no bound
    if claim.bias == "free":
        shares = [math.fsum(weights[own == side]) for side in (-1.0, 1.0)]
        if min(shares) <= 0:
            return math.nan, math.nan, "a class has no weight in it"
        weights = 0.5 * np.where(own > 0, weights / shares[1], weights / shares[0])
    else:
        share = math.fsum(weights)
        if share <= 0:
            return math.nan, math.nan, "it has no weight"
        weights = weights / share
    total, length = np.zeros(X.shape[1] + 1), 0.0
    for at in range(0, rows.size, ROWS):
        some = slice(at, at + ROWS)
        block = X[rows[some]].astype(np.float64)
        pulls = weights[some] * own[some]
        total[:-1] += block.T @ pulls
        total[-1] += constant * pulls.sum()
        norms = sp.linalg.norm(block, axis=1) if sp.issparse(block) else np.linalg.norm(block, axis=1)
        length += math.fsum(np.abs(pulls) * norms)
    if claim.bias == "free":
        total[-1] = 0.0
    slack = (min(rows.size, ROWS + rows.size // ROWS) + 8) * U * (length + constant)
    return math.hypot(*total), slack, ""


def _exact_norm(X, sign, claim, constant) -> float:
    """The norm of the convex combination in the proof, rounded once."""
    ratios = [float(weight).as_integer_ratio() for weight in claim.weights]
    common = max(below for _, below in ratios)
    numbers = [above * (common // below) for above, below in ratios]
    mass = sum(numbers)
    sums = _column_sums(X, sign, claim.rows, numbers, constant)
    if claim.bias == "free":
        positive = sum(number for number, side in zip(numbers, sign[claim.rows], strict=True) if side > 0)
        other = {1: mass - positive, -1: positive}  # so that both classes weigh the same
        numbers = [number * other[int(side)] for number, side in zip(numbers, sign[claim.rows], strict=True)]
        mass = sum(numbers)
        sums = _column_sums(X, sign, claim.rows, numbers, 0.0)
    square = sum((total * total for total in sums), Fraction(0)) / (mass * mass)
    even = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(square / Fraction(4) ** even), even)


def _zero(X, sign, claim, constant) -> bool:
    """Does the proof show that 0 is a convex combination of the vectors? Exactly, or by the interior argument."""
    if claim.integers:
        return all(total == 0 for total in _column_sums(X, sign, claim.rows, claim.integers, constant))
    rows, weights = claim.rows[claim.weights > 0], claim.weights[claim.weights > 0]
    if rows.size * claim.w.size > 5e7:
        return False
    A = X[rows].astype(np.float64)
    A = np.hstack([A.toarray() if sp.issparse(A) else A, np.full((rows.size, 1), constant)])
    if claim.w.ndim == 2:
        # x in the columns of its class, -x in those of the rival; a class is minus the sum of those linked to it
        unit = np.eye(len(claim.classes))
        places = unit[sign[rows]] - unit[claim.rivals[claim.weights > 0]]
        A = (places[:, _needed(places), None] * A[:, None, :]).reshape(rows.size, -1)
    else:
        A = A * sign[rows, None]
    A = A[:, (A != 0).any(axis=0)]
    if A.size <= 20_000 and all(
        sum((Fraction(float(v)) * Fraction(float(x)) for v, x in zip(weights, column, strict=True)), Fraction(0)) == 0
        for column in A.T
    ):
        return True
    A = _without_integer_combinations(A)
    if A.size <= 2_000:
        A = A[:, _pivots(A)]
    if A.shape[0] <= A.shape[1]:
        return False
    A = np.ldexp(A, -np.frexp(np.abs(A).max(axis=0))[1])
    weighted = A * weights[:, None]
    sigma = np.linalg.svd(weighted, compute_uv=False)
    columns = [math.fsum(column) for column in weighted.T]
    rest = math.hypot(*columns) + 4 * U * np.abs(weighted).sum()
    return bool(sigma.min() - 20 * A.shape[1] * math.sqrt(A.shape[0]) * U * sigma.max() > rest)


def _whole_weights(claim: Certificate) -> str:
    """What is wrong with the integers of a proof, if there are any."""
    numbers = claim.integers
    if not numbers:
        return ""
    if not all(type(number) is int and number > 0 for number in numbers) or len(numbers) != claim.rows.size:
        return "its integers are not one positive whole number for each row"
    total = sum(numbers)
    shares = np.array([number / total for number in numbers])
    off = np.abs(claim.weights / math.fsum(claim.weights) - shares)
    return "its weights are not those of its integers" if (off > 1e-12 * shares + 1e-300).any() else ""


def _whole_w(claim: Certificate, X, sign, keep, constant) -> str:
    """What is wrong with integers that are claimed to be a w that separates, if there are any."""
    numbers = claim.integers
    if not numbers:
        return ""
    if claim.status != "not decided within rounding":
        return "it has integers, but claims nothing of them"
    if not all(type(number) is int for number in numbers) or len(numbers) != claim.w.size or not any(numbers):
        return "its integers are not one whole number for each column and the bias"
    size = 2 ** max(number.bit_length() for number in numbers)
    scores, errors, _ = _all_scores(X, sign, np.array([number / size for number in numbers]), constant)
    for i in np.flatnonzero(keep & ~(scores > errors)):
        row = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
        score = sum(Fraction(float(row[j])) * numbers[j] for j in np.flatnonzero(row)) + int(constant) * numbers[-1]
        if int(sign[i]) * score <= 0:
            return f"the w of its integers has row {i} on the wrong side"
    return ""


def _column_sums(X, sign, rows, numbers, constant) -> Iterator[Fraction]:
    """The columns of sum_i numbers_i a_i, exactly, that have any number in them; the bias first."""
    yield Fraction(constant) * sum(number * int(side) for number, side in zip(numbers, sign[rows], strict=True))
    columns: dict[int, list[tuple[int, float]]] = {}
    for i, number in zip(rows.tolist(), numbers, strict=True):
        row = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
        for j in np.flatnonzero(row).tolist():
            columns.setdefault(j, []).append((number * int(sign[i]), float(row[j])))
    for entries in columns.values():
        parts = [(number, *x.as_integer_ratio()) for number, x in entries]
        common = max(below for _, _, below in parts)  # powers of two all
        yield Fraction(sum(number * above * (common // below) for number, above, below in parts), common)


def _pivots(A: np.ndarray) -> list[int]:
    """The columns in which a row echelon form of A has its steps, in rational arithmetic: the others depend on them."""
    rows = [[Fraction(float(x)) for x in row] for row in A]
    steps: list[int] = []
    for j in range(A.shape[1]):
        top = len(steps)
        found = next((i for i in range(top, len(rows)) if rows[i][j] != 0), None)
        if found is None:
            continue
        rows[top], rows[found] = rows[found], rows[top]
        for i in range(top + 1, len(rows)):
            ratio = rows[i][j] / rows[top][j]
            if ratio != 0:
                rows[i] = [x - ratio * y for x, y in zip(rows[i], rows[top], strict=True)]
        steps.append(j)
    return steps


def _needed(places: np.ndarray) -> np.ndarray:
    """The classes without the last one of each set that is linked by rivalry."""
    chief = np.arange(places.shape[1])  # the last class that is linked to each
    for _ in chief:
        for linked in (np.flatnonzero(row) for row in np.unique(places, axis=0)):
            chief[linked] = chief[linked].max()
    return np.flatnonzero(chief != np.arange(chief.size))


def _without_integer_combinations(A: np.ndarray) -> np.ndarray:
    """Drop, one by one, integer columns that are exact integer combinations of the integer columns before them."""
    whole = [j for j in range(A.shape[1]) if np.abs(A[:, j]).max() < 2**20 and (np.rint(A[:, j]) == A[:, j]).all()]
    kept: list[int] = []
    for j in whole:
        mix = np.rint(np.linalg.lstsq(A[:, kept], A[:, j], rcond=None)[0]) if kept else np.zeros(0)
        if np.abs(mix).sum() >= 2**20 or (A[:, kept] @ mix != A[:, j]).any():
            kept.append(j)
    return np.delete(A, sorted(set(whole) - set(kept)), axis=1)


def _status(claim: Certificate, low: float, unsure: bool, zero: bool) -> tuple[str, ...]:
    """The statuses that the numbers allow; the bounds of the claim were found valid, or it is rejected anyway."""
    if zero:
        return ("not separable",)
    if claim.lower > 0:
        gap, wanted = claim.upper - claim.lower, claim.eps + claim.relative * claim.upper
        if wanted > 0 and gap <= wanted:
            return ("eps-optimal", "optimal") if wanted <= 1e-6 * claim.upper else ("eps-optimal",)
        return ("separated",)
    if low > 0:
        return ("not decided within rounding",)
    return ("budget spent", "not separated", *(("not decided within rounding",) if unsure else ()))
