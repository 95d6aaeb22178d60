r"""Proofs of inseparability: no hyperplane separates the data.

The data are not separable iff some weights :math:`\lambda \ge 0`, not all 0, make
:math:`\sum \lambda_i a_i = 0`. Weights found by floating-point learning leave a small rest
:math:`z = \sum \lambda_i a_i` instead. Two arguments turn them into a proof all the same:

- the rest is exactly zero, in rational arithmetic;
- **interior**: with :math:`\Lambda A` the matrix of rows :math:`\lambda_i a_i`,

  .. math:: \sigma_{\min}(\Lambda A) > |z| .

  Then some :math:`\mu` with :math:`|\mu| \le |z|/\sigma_{\min} < 1` solves :math:`(\Lambda A)^T\mu = z`, and
  the weights :math:`\lambda_i (1 - \mu_i) > 0` sum to zero exactly, though we never compute them exactly.

Columns may be rescaled by powers of two, and a column that is an integer combination of the others on
these rows (one-hot groups and the bias) may be left out: neither changes the statement. Of few rows, all columns
that depend on others in rational arithmetic are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ...rows.matrix import RowOracle, augmented, vectors

EXACT = 20_000  # numbers that the rational test may cost
WIDEST = 30  # columns up to which more than that is tried: the cost grows with their cube
FEW = 2_000  # numbers up to which dependent columns are found in rational arithmetic
ROUNDS = 15
U = float(np.finfo(np.float64).eps)


def prove_zero_sum(A: np.ndarray, weights: np.ndarray, widest: int = WIDEST) -> np.ndarray | None:
    """Weights that prove rows ``A`` not separable, found from the given ones, or None.

    >>> A = np.array([[1.0, 1.0], [-1.0, 1.0], [0.0, -1.0]])
    >>> prove_zero_sum(A, np.array([1.0, 1.0, 1.5]))                # proportional to 1, 1, 2
    array([0.58823529, 0.58823529, 1.17647059])
    >>> prove_zero_sum(A[:2], np.array([1.0, 1.0])) is None
    True
    """
    used = np.flatnonzero(weights > 0)
    if used.size and A[used].size <= EXACT and _sums_to_zero(A[used], weights[used]):
        return weights
    if A.shape[1] > widest:
        return None
    proof = weights[used] / weights[used].max(initial=1.0)
    columns = _tidy(A[used])
    for _ in range(ROUNDS):
        if used.size <= columns.shape[1]:
            return None
        if interior(columns, proof):
            full = np.zeros_like(weights)
            full[used] = _polished(columns, proof)
            return full
        mu = _shift(proof[:, None] * columns)
        if mu is None:  # dropped rows have left columns that depend on others
            columns, before = _tidy(A[used]), columns.shape[1]
            if columns.shape[1] == before:
                return None
            continue
        if mu.min() > 0:  # a hyperplane separates these rows
            return None
        proof = proof * (1.0 - mu if mu.max() < 1.0 - 1e-6 else 1.0 - 0.97 * mu / mu.max())
        kept = proof > 1e-9 * proof.max()
        if not kept.all():
            used, proof, columns = used[kept], proof[kept], _of_like_length(columns[kept])
    return None


def _polished(columns: np.ndarray, proof: np.ndarray) -> np.ndarray:
    """A proof with less of a rest, as far as rounding allows."""
    for _ in range(2):
        mu = _shift(proof[:, None] * columns)
        if mu is None or mu.max() >= 1.0 or not interior(columns, proof * (1.0 - mu)):
            break
        proof = proof * (1.0 - mu)
    return proof


def _tidy(A: np.ndarray) -> np.ndarray:
    """The columns that matter, scaled to like length by powers of two."""
    columns = independent(A[:, np.any(A, axis=0)])
    if columns.size <= FEW and len(columns) <= 2 * columns.shape[1]:
        columns = columns[:, basis(columns)]
    return _of_like_length(columns)


def _of_like_length(columns: np.ndarray) -> np.ndarray:
    """The columns times powers of two: the argument depends on them, and the check will choose those of its rows."""
    return np.ldexp(columns, -np.frexp(np.abs(columns).max(axis=0, initial=0.0))[1])


def _shift(weighted: np.ndarray) -> np.ndarray | None:
    """The shortest mu with ``weighted' mu`` = the sum of the rows; one step of affine scaling towards 0."""
    rest = weighted.sum(axis=0)
    try:
        factor = scipy.linalg.cho_factor(weighted.T @ weighted, check_finite=False)
    except np.linalg.LinAlgError:
        return None
    return weighted @ scipy.linalg.cho_solve(factor, rest, check_finite=False)


def interior(A: np.ndarray, weights: np.ndarray) -> bool:
    """Is the least singular value of the weighted rows above the norm of their sum, rounding included?"""
    weighted = weights[:, None] * A
    rows, columns = A.shape
    if columns == 0:  # zero vectors only: they are zero themselves
        return rows > 0
    rest = math.hypot(*map(math.fsum, weighted.T)) + 8 * U * float(np.abs(weighted).sum())
    if rest * rest * columns > float((weighted * weighted).sum()):  # the mean singular value is below it already
        return False
    sigma = np.linalg.svd(weighted, compute_uv=False)
    return bool(sigma[-1] - 50 * rows**0.5 * columns * U * sigma[0] > rest)


def independent(A: np.ndarray) -> np.ndarray:
    """A without the columns of whole numbers that are, exactly, integer combinations of other such columns."""
    whole = np.flatnonzero((np.round(A) == A).all(axis=0) & (np.abs(A).max(axis=0, initial=0.0) < 2**20))
    if whole.size < 2:
        return A
    B = A[:, whole]
    _, pivots, rank, _ = scipy.linalg.lapack.dpstrf(B.T @ B, tol=1e-9 * float((B * B).sum(axis=0).max()))
    basis, others = np.sort(pivots[:rank] - 1), np.sort(pivots[rank:] - 1)
    if others.size == 0:
        return A
    mixture = np.round(np.linalg.lstsq(B[:, basis], B[:, others], rcond=None)[0])
    small = np.abs(mixture).sum(axis=0) < 2**20  # so that the products below are exact
    exact = small & (B[:, basis] @ mixture == B[:, others]).all(axis=0)
    return np.delete(A, whole[others[exact]], axis=1)


def basis(A: np.ndarray) -> list[int]:
    """Columns that all others are combinations of, exactly: elimination in rational arithmetic.

    >>> basis(np.array([[0.1, 0.2, 1.0], [0.3, 0.6, 1.0], [0.7, 1.4, 1.0]]))
    [0, 2]
    """
    kept: list[int] = []
    stairs: list[tuple[int, list[Fraction]]] = []
    for j, column in enumerate(A.T):
        rest = [Fraction(float(x)) for x in column]
        for pivot, step in stairs:
            if rest[pivot]:
                factor = rest[pivot] / step[pivot]
                rest = [x - factor * y for x, y in zip(rest, step, strict=True)]
        place = next((i for i, x in enumerate(rest) if x), None)
        if place is not None:
            kept.append(j)
            stairs.append((place, rest))
    return kept


def _sums_to_zero(A: np.ndarray, weights: np.ndarray) -> bool:
    """Is the weighted sum of the rows zero, exactly?"""
    exact = [Fraction(float(weight)) for weight in weights]
    return all(sum(weight * Fraction(float(x)) for weight, x in zip(exact, column, strict=True)) == 0 for column in A.T)


def prove_inseparable(
    parts: Sequence[RowOracle], bias: str, dual: np.ndarray, widest: int = WIDEST
) -> np.ndarray | None:
    """Weights that prove the parts not separable, or None. Only the heaviest rows of ``dual`` are tried."""
    parts = augmented(parts, bias != "none")
    size = max(1, parts[0].slots - 1) * parts[0].rows.size
    count = np.count_nonzero(dual)
    if count == 0 or (size > widest and count * size > EXACT):
        return None
    rows = np.flatnonzero(dual)
    most = max(500, 8 * size)
    if rows.size > most:
        rows = np.sort(rows[np.argsort(-dual[rows], kind="stable")[:most]])
    heavy = rows[dual[rows] > 1e-12 * dual[rows].max()]
    for some in (rows, heavy)[: 1 + (heavy.size < rows.size)]:  # next to nothing can spoil a proof
        A = vectors(parts, some)
        if parts[0].slots > 1:
            A = A[:, np.repeat(_needed_classes(parts, some), A.shape[1] // parts[0].slots)]
        found = prove_zero_sum(A, dual[some], widest)
        if found is not None:
            proof = np.zeros_like(dual)
            proof[some] = found
            return proof
    return None


def _needed_classes(parts: Sequence[RowOracle], places: np.ndarray) -> np.ndarray:
    """The classes whose weights are needed: all but one of those that the places connect.

    Whatever a vector adds to a class it takes from another, so one class is minus the sum of those connected with it.
    """
    count = parts[0].slots
    rows, rivals = np.divmod(places, count)
    label = np.concatenate([part.label for part in parts])[rows]
    graph = sp.coo_array((np.ones(rows.size), (label, rivals)), shape=(count, count))
    group = connected_components(graph, directed=False)[1]
    return np.arange(count) != np.array([np.flatnonzero(group == g)[-1] for g in group])
