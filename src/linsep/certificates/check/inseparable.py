"""For the check of a certificate: do the vectors of a proof sum to zero? And are its whole numbers what they claim?"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from ..margin import MarginCertificate
from .rows import U, all_scores, column_sums


def sums_to_zero(X, sign, claim, constant) -> bool:
    """Does the proof show that 0 is a convex combination of the vectors? Exactly, or by the interior argument."""
    if claim.integers:
        return all(total == 0 for total in column_sums(X, sign, claim.rows, claim.integers, constant))
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


def whole_weights(claim: MarginCertificate) -> str:
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


def whole_w(claim: MarginCertificate, X, sign, keep, constant) -> str:
    """What is wrong with integers that are claimed to be a w that separates, if there are any."""
    numbers = claim.integers
    if not numbers:
        return ""
    if claim.status != "not decided within rounding":
        return "it has integers, but claims nothing of them"
    if not all(type(number) is int for number in numbers) or len(numbers) != claim.w.size or not any(numbers):
        return "its integers are not one whole number for each column and the bias"
    size = 2 ** max(number.bit_length() for number in numbers)
    scores, errors, _ = all_scores(X, sign, np.array([number / size for number in numbers]), constant)
    for i in np.flatnonzero(keep & ~(scores > errors)):
        row = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
        score = (
            sum(Fraction(float(row[j])) * numbers[j] for j in np.flatnonzero(row)) + Fraction(constant) * numbers[-1]
        )
        if int(sign[i]) * score <= 0:
            return f"the w of its integers has row {i} on the wrong side"
    return ""


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
