"""For the check of a certificate: scores and sums of rows, with bounds of their errors, or in rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base import Verdict

U = 2.0**-52
ROWS = 4096  # rows that are converted to float64 at a time
SAFE = 64  # numbers between 2^-64 and 2^64 have squares that double precision holds
FEW = 2**18  # numbers up to which rows that are elsewhere are read as a whole
DECISIVE = 64  # rows whose score is computed exactly, if the claim does not need more


def check_empty(claim, size: int) -> Verdict:
    """A certificate that was interrupted may say nothing about w but how many sets there are."""
    said = (claim.lower, claim.upper, claim.violated, claim.rows.size, claim.weights.size)
    if said != (-math.inf, math.inf, claim.size, 0, 0) or getattr(claim, "zero_sum", False):
        return Verdict((f"status: claimed {claim.status!r}, with bounds or a proof nevertheless",), *said[:2])
    wrong = () if claim.size == size else (f"size: claimed {claim.size}, there are {size}",)
    return Verdict(wrong, *said[:2])


def as_floats(values: Any) -> np.ndarray:
    """Numbers as float64; those that are too large are refused."""
    try:
        return np.asarray(values, dtype=np.float64)
    except OverflowError:
        raise ValueError("expected numbers that double precision holds, got a larger one.") from None


def read_weights(weight: Any, n: int) -> np.ndarray:
    """The weights of n rows, 1 by default."""
    if weight is None:
        return np.ones(n)
    if np.iscomplexobj(weight):
        raise ValueError("sample_weight: expected real numbers.")
    found = as_floats(weight)
    if found.shape != (n,) or not (np.isfinite(found) & (found >= 0)).all():
        raise ValueError(f"sample_weight: expected a finite number >= 0 for each of the {n} rows.")
    return found


@dataclass(frozen=True)
class Elsewhere:
    """Rows that are elsewhere, in place of X: looked at where they are; those that a proof names come here.

    ``read`` returns some rows by their numbers. ``look`` calls a function of blocks where these are, as `by_blocks`
    does, with rows that are multiplied by a power of two.
    """

    shape: tuple[int, int]
    largest: float  # number
    read: Callable[[np.ndarray], Any]
    look: Callable[..., list[Any]]
    exponent: int = 0

    @property
    def size(self) -> int:
        """How many numbers there are, with zeros."""
        return self.shape[0] * self.shape[1]

    def __getitem__(self, rows: Any) -> Any:
        """Some rows as a matrix, or one as an array."""
        if np.ndim(rows):
            return times_power_of_two(read_matrix(self.read(np.asarray(rows))), self.exponent)
        row = self[np.array([rows])]
        return (row.toarray() if sp.issparse(row) else row)[0]


def by_blocks(X, function: Callable[..., Any], columns: tuple[np.ndarray, ...], *shared: Any) -> list[Any]:
    """``function(block, *own, *shared)`` of every block of rows as float64, ``own`` what it has of the ``columns``."""
    if isinstance(X, Elsewhere):
        return X.look(function, X.exponent, columns, shared)
    return [
        function(X[at : at + ROWS].astype(np.float64), *(each[at : at + ROWS] for each in columns), *shared)
        for at in range(0, X.shape[0], ROWS)
    ]


def joined_blocks(X, function: Callable[..., Any], columns: tuple[np.ndarray, ...], *shared: Any) -> list[np.ndarray]:
    """The arrays that ``function`` returns of every block, each with those of all blocks in order."""
    return [np.concatenate(each) for each in zip(*by_blocks(X, function, columns, *shared), strict=True)]


def read_matrix(X):
    """X as CSR without doubled entries, or as an array; one that is damaged or not finite is refused."""
    if isinstance(X, Elsewhere):
        return X if X.size > FEW else read_matrix(X.read(np.arange(X.shape[0])))
    if not sp.issparse(X):
        X = np.asarray(X)
        X = as_floats(X) if X.dtype.kind == "O" else X  # of tables
        if X.ndim != 2 or X.dtype.kind not in "fiub" or not np.isfinite(X).all():
            raise ValueError("X: expected a matrix of finite numbers.")
        return X
    if X.format in ("csr", "csc", "bsr"):
        if X.indices.dtype.kind != "i" or X.indptr.dtype.kind != "i":
            raise ValueError("X: expected integers as indices and pointers; the sparse matrix is damaged.")
        X = X.copy()  # the check of SciPy may shorten its arrays
        X.check_format(full_check=True)
    X = sp.csr_array(X)
    X.has_canonical_format = False
    X.sum_duplicates()
    if not np.isfinite(X.data).all():
        raise ValueError("X: expected a matrix of finite numbers.")
    return X


def exponent_of(numbers) -> int:
    """The power of two just above the largest magnitude; 0 for zeros."""
    return int(np.frexp(np.abs(numbers.astype(np.float64)).max(initial=0.0))[1])


def exponent_of_rows(X) -> int:
    """`exponent_of` the numbers of a matrix."""
    if isinstance(X, Elsewhere):
        return exponent_of(np.array([X.largest]))
    return exponent_of(X.data if sp.issparse(X) else X)


def times_power_of_two(X, exponent: int):
    """X times 2^exponent, without rounding."""
    if isinstance(X, Elsewhere):
        return replace(X, exponent=X.exponent + exponent)
    given = X.data if sp.issparse(X) else X
    numbers = np.ldexp(given, exponent)
    if not np.array_equal(np.ldexp(numbers, -exponent), given):
        raise ValueError("check: X has values that are too small beside its largest one. Scale the columns.")
    return sp.csr_array((numbers, X.indices, X.indptr), shape=X.shape) if sp.issparse(X) else numbers


def count_violated(low: np.ndarray, high: np.ndarray, claimed: int, exact: Callable[[int], Any]) -> tuple[int, int]:
    """How many scores are at most 0: so many for sure, and no more than the second number, or than are claimed.

    Scores are between ``low`` and ``high``. Where 0 is too, ``exact`` computes them without rounding, or says None,
    until there are as many as ``claimed``.

    >>> count_violated(np.array([-2.0, -1.0, 1.0]), np.array([-1.0, 1.0, 2.0]), 2, lambda i: Fraction(1))
    (1, 1)
    """
    fewest = int(np.sum(high <= 0))
    most = fewest
    for i in np.flatnonzero((low <= 0) & (high > 0)).tolist() if claimed > fewest else ():
        score = exact(i)
        most += score is None or score <= 0
        if most >= claimed:
            break
    return fewest, most


def scores(X, sign, keep, w, constant, claimed, violated):
    """The least score (between two numbers), the norms of the vectors, and the number of violated ones (likewise).

    In exact arithmetic, if few rows decide, or if more is claimed than rounding leaves sure: then the least score is
    one fraction, twice.
    """
    some = np.flatnonzero(keep)
    scores, errors, lengths = (each[keep] for each in all_scores(X, sign, w, constant))
    errors = errors if w.any() else 0.0 * errors
    low, high = float((scores - errors).min()), float((scores + errors).min())
    decisive = np.flatnonzero(scores - errors <= high)
    counts = count_violated(
        scores - errors, scores + errors, violated, lambda i: exact_score(X, sign, some[i], w, constant)
    )
    if decisive.size <= DECISIVE or rounded_up(claimed) > low:
        low = high = min(exact_score(X, sign, some[i], w, constant) for i in decisive)
    return low, high, lengths, *counts


def all_scores(X, sign, w, constant):
    """All scores, bounds of their error (also if w was rounded), and the norms of the vectors."""
    return joined_blocks(X, _scores_of_block, (sign,), w, constant)


def _scores_of_block(block, sign, w, constant):
    """`all_scores` of a block."""
    magnitude = np.abs(w) + 2.0**-1022
    terms = np.diff(block.indptr) if sp.issparse(block) else block.shape[1]
    scores = sign * (block @ w[:-1] + constant * w[-1])
    errors = (terms + 4) * U * (abs(block) @ magnitude[:-1] + constant * magnitude[-1])
    return scores, errors, np.sqrt(squared_lengths(block) + constant * constant)


def squared_lengths(block) -> np.ndarray:
    """|x|^2 of all rows of a block."""
    if sp.issparse(block):
        return np.asarray(block.multiply(block).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", block, block)


def exact_score(X, sign, i, w, constant) -> Fraction:
    """<w, a_i> without any rounding."""
    row = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
    columns = np.flatnonzero(row)
    total = Fraction(constant) * Fraction(float(w[-1]))
    total += sum(Fraction(float(w[j])) * Fraction(float(row[j])) for j in columns)
    return int(sign[i]) * total


def nearest_float(number: Fraction | float) -> float:
    """The nearest float; infinite beyond the largest."""
    return float(number) if -(2**1023) < number < 2**1023 else math.inf if number > 0 else -math.inf


def rounded_up(claimed: float) -> float:
    """No less than the exact product of a margin and a norm that was rounded to ``claimed``."""
    return claimed + 4 * U * abs(claimed)


def is_margin(claimed: float, low: Fraction | float, w: np.ndarray) -> bool:
    """Whether ``claimed <= low / |w|``; if ``low`` is a fraction, without rounding where rounding would decide.

    >>> w = np.array([3.0, 4.0])
    >>> is_margin(0.2, Fraction(1), w), is_margin(0.2, 1.0, w)  # the float 0.2 is a little more than a fifth
    (False, True)
    """
    near, norm = nearest_float(low), math.hypot(*w.ravel())
    product = claimed * norm
    if not isinstance(low, Fraction) or not math.isfinite(product):
        return claimed <= near / norm
    if abs(product - near) > 2.5 * U * max(abs(product), abs(near)):
        return product < near
    number, square = Fraction(claimed), sum((Fraction(x) ** 2 for x in w.ravel().tolist()), Fraction(0))
    if (number > 0) != (low > 0):
        return number <= low
    sign = 1 if low > 0 else -1
    return sign * number * number * square <= sign * low * low


def combination(X, sign, keep, claim, constant):
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


def exact_norm(X, sign, claim, constant) -> float:
    """The norm of the convex combination in the proof, rounded once."""
    ratios = [float(weight).as_integer_ratio() for weight in claim.weights]
    common = max(below for _, below in ratios)
    numbers = [above * (common // below) for above, below in ratios]
    mass = sum(numbers)
    sums = column_sums(X, sign, claim.rows, numbers, constant)
    if claim.bias == "free":
        positive = sum(number for number, side in zip(numbers, sign[claim.rows], strict=True) if side > 0)
        other = {1: mass - positive, -1: positive}  # so that both classes weigh the same
        numbers = [number * other[int(side)] for number, side in zip(numbers, sign[claim.rows], strict=True)]
        mass = sum(numbers)
        sums = column_sums(X, sign, claim.rows, numbers, 0.0)
    square = sum((total * total for total in sums), Fraction(0)) / (mass * mass)
    even = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(square / Fraction(4) ** even), even)


def column_sums(X, sign, rows, numbers, constant) -> Iterator[Fraction]:
    """The columns of sum_i numbers_i a_i, exactly, that have any number in them; the bias first."""
    yield Fraction(constant) * sum(number * int(side) for number, side in zip(numbers, sign[rows], strict=True))
    columns: dict[int, list[tuple[int, float]]] = {}
    some = X[rows]
    for k, (i, number) in enumerate(zip(rows.tolist(), numbers, strict=True)):
        row = some[[k]].toarray()[0] if sp.issparse(some) else some[k]
        for j in np.flatnonzero(row).tolist():
            columns.setdefault(j, []).append((number * int(sign[i]), float(row[j])))
    for entries in columns.values():
        parts = [(number, *x.as_integer_ratio()) for number, x in entries]
        common = max(below for _, _, below in parts)  # powers of two all
        yield Fraction(sum(number * above * (common // below) for number, above, below in parts), common)
