"""From means and covariances as they are given to the record `Gaussians`: checked, scaled, factorised (F1-F4)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...certificates.radius import EXACT
from ...rows.exact_matrix import is_semidefinite
from ...rows.gaussians import Gaussians

ASYMMETRY = 1e-10  # how far a covariance may be from symmetric, relative
U = float(np.finfo(np.float64).eps)
UNSURE = 8 * U  # times d + 8: what is not known of a matrix that is singular up to rounding
WIDEST = 900  # powers of two between columns, and between the numbers and 1, that w and the proof can hold


class _Given(NamedTuple):
    """Covariances M + L'L + diag(variance) as they were given, of all Gaussians."""

    matrices: np.ndarray  # k x d x d, or k x 0 x 0
    low: np.ndarray  # k x q x d
    variance: np.ndarray  # k x d


def factorize(means: Any, covariances: Any, sign: Any) -> Gaussians:
    """Check Gaussians, scale columns by powers of two and factorise covariances; an error names the Gaussian.

    Parameters
    ----------
    means : array of shape (k, d)
        One row per Gaussian.
    covariances : number, or list of k covariances
        Each is a d x d matrix, d variances, one variance for all directions (0: a point), or a pair (U, variances) for
        U U' + diag(variances). One number is the variance of all Gaussians.
    sign : array of shape (k,)
        +1 or -1: the class of each Gaussian.

    Examples
    --------
    >>> two = factorize([[0.0, 0.0], [3.0, 0.0]], [np.eye(2), 0.0], [-1, 1])
    >>> two.exponent, two.sigma(np.array([4.0, 2.0])).round(6)  # columns of 3 / 4 and 1 / 2
    (array([2, 1]), array([1.414214, 0.      ]))
    >>> factorize([[0.0, 0.0], [3.0, 0.0]], [[[1, 2], [2, 1]], 0.0], [-1, 1])
    Traceback (most recent call last):
        ...
    ValueError: Gaussian 0: its covariance is not positive semidefinite, it has the eigenvalue -1.
    """
    means = _to_floats(means, "means")
    if means.ndim != 2 or 0 in means.shape:
        raise ValueError(f"means: expected a table with one row per Gaussian, got shape {means.shape}.")
    for j in np.flatnonzero(~np.isfinite(means).all(axis=1))[:1]:
        raise ValueError(f"Gaussian {j}: its mean is not finite, {means[j].tolist()}.")
    sign = np.asarray(sign, dtype=np.float64)
    if sign.shape != (len(means),):
        raise ValueError(f"labels: expected one per mean, that is {len(means)}, got shape {sign.shape}.")
    if sorted(set(sign.tolist())) != [-1.0, 1.0]:
        raise ValueError("labels: expected two classes, got Gaussians of one class only.")
    means, given, exponent = _scale(means, _read(covariances, *means.shape))
    variance = given.variance if given.variance.any() else given.variance[:, :0]
    low, unsure = given.low, np.zeros(means.shape)
    if given.matrices.size:
        factors, unsure = _factorize_matrices(given.matrices, exponent)
        low = np.concatenate([factors, low], axis=1) if low.any() else factors
    return Gaussians(means, low, np.sqrt(variance), sign, variance, given.matrices, unsure, exponent)


# ---------------------------------------------------------------- as they were given


def _read(covariances: Any, k: int, d: int) -> _Given:
    """The covariances, checked for their shapes, and for numbers that are finite and symmetric."""
    none = _Given(np.zeros((k, 0, 0)), np.zeros((k, 0, d)), np.zeros((k, d)))
    if isinstance(covariances, np.ndarray) and covariances.shape == (k, d, d) and covariances.dtype.kind in "fiu":
        matrices = _symmetrize(covariances.astype(np.float64, copy=False))
        if matrices is not None:
            return none._replace(matrices=matrices)
    matrices, low = np.zeros((k, d, d)), [np.zeros((0, d))] * k
    for j, one in enumerate(_split(covariances, k)):
        pair = isinstance(one, tuple)
        if pair and len(one) != 2:
            raise ValueError(f"Gaussian {j}: expected a pair (U, variances), got a tuple of {len(one)}.")
        rank, array = (_to_floats(part, f"Gaussian {j}: its covariance") for part in (one if pair else ([], one)))
        _check_finite(rank, j)
        if pair and (rank.ndim != 2 or rank.shape[0] != d):
            raise ValueError(f"Gaussian {j}: U of its covariance: expected shape ({d}, rank), got {rank.shape}.")
        if array.ndim < 2 or pair:
            none.variance[j], low[j] = _check_variances(array, d, j), rank.T if pair else low[j]
        else:
            matrices[j] = _check_matrix(array, d, j)
    stacked = np.zeros((k, max(len(rows) for rows in low), d))
    for j, rows in enumerate(low):
        stacked[j, : len(rows)] = rows
    return none._replace(matrices=matrices if matrices.any() else none.matrices, low=stacked)


def _split(covariances: Any, k: int) -> list[Any]:
    """A list of k covariances."""
    if covariances is None or np.isscalar(covariances) or getattr(covariances, "ndim", 1) == 0:
        return [0.0 if covariances is None else covariances] * k
    if isinstance(covariances, tuple) and len(covariances) == 2 and np.ndim(covariances[0]) == 3:
        if len(covariances[0]) != len(covariances[1]):
            raise ValueError(f"covariances: expected one per mean, that is {k}, got pairs of unequal lengths.")
        covariances = list(zip(*covariances, strict=True))  # one pair of arrays for all
    if not hasattr(covariances, "__len__"):
        raise ValueError("covariances: expected a number, or a list with one covariance per mean.")
    covariances = list(covariances)
    if len(covariances) != k:
        raise ValueError(f"covariances: expected one per mean, that is {k}, got {len(covariances)}.")
    return covariances


def _symmetrize(matrices: np.ndarray) -> np.ndarray | None:
    """The matrices, symmetric to the last bit; None if one of them is not symmetric, or not finite."""
    transposed = matrices.swapaxes(-1, -2)
    if np.array_equal(matrices, transposed):  # the quick way for most
        return matrices if np.isfinite(matrices).all() else None
    with np.errstate(over="ignore", invalid="ignore"):
        off, largest = np.abs(matrices - transposed).max(axis=(-1, -2)), np.abs(matrices).max(axis=(-1, -2))
    if not (off <= ASYMMETRY * largest).all() or not np.isfinite(largest).all():
        return None
    return 0.5 * matrices + 0.5 * transposed if off.any() else matrices


def _check_matrix(array: np.ndarray, d: int, j: int) -> np.ndarray:
    if array.shape != (d, d):
        raise ValueError(f"Gaussian {j}: its covariance has shape {array.shape}, its mean {d} numbers.")
    _check_finite(array, j)
    symmetric = _symmetrize(array)
    if symmetric is None:
        row, column = np.unravel_index(np.argmax(np.abs(0.5 * array - 0.5 * array.T)), array.shape)
        entries = f"[{row}, {column}] = {array[row, column]:g}, [{column}, {row}] = {array[column, row]:g}"
        raise ValueError(f"Gaussian {j}: its covariance is not symmetric, {entries}.")
    return symmetric


def _check_variances(variance: np.ndarray, d: int, j: int) -> np.ndarray:
    if variance.shape not in ((), (d,)):
        raise ValueError(f"Gaussian {j}: its covariance has {variance.size} variances, its mean {d} numbers.")
    _check_finite(variance, j)
    if (variance < 0).any():
        least = variance.min()
        raise ValueError(f"Gaussian {j}: its covariance is not positive semidefinite, a variance is {least:g}.")
    return variance


def _to_floats(values: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected an array of numbers.") from None


def _check_finite(array: np.ndarray, j: int) -> None:
    if not np.isfinite(array).all():
        raise ValueError(f"Gaussian {j}: its covariance is not finite, it has a {array[~np.isfinite(array)][0]}.")


# ---------------------------------------------------------------- scaled


def _scale(means: np.ndarray, given: _Given) -> tuple[np.ndarray, _Given, np.ndarray]:
    """Columns of a size between 1/2 and 1, by powers of two; refused if that rounds, or w could not be scaled back."""
    sizes = [np.abs(means), np.abs(given.low).max(axis=1, initial=0.0), np.sqrt(given.variance)]
    if given.matrices.size:
        sizes.append(np.sqrt(np.abs(np.diagonal(given.matrices, axis1=1, axis2=2))))
    exponent = np.frexp(np.max(sizes, axis=(0, 1)))[1].astype(np.int64)
    reach = exponent[np.max(sizes, axis=(0, 1)) > 0]
    if reach.size and (np.abs(reach).max() > WIDEST or np.ptp(reach) > WIDEST):
        raise ValueError(
            f"means, covariances: columns of sizes from 2^{reach.min()} to 2^{reach.max()} are beyond double "
            "precision; scale the columns."
        )
    e = exponent.astype(np.int32)
    squares = (e[:, None] + e)[: given.matrices.shape[1], : given.matrices.shape[2]]
    scaled = _Given(
        np.ldexp(given.matrices, -squares), np.ldexp(given.low, -e), np.ldexp(given.variance, -2 * e)
    )  # fmt: skip
    moved = np.ldexp(means, -e)
    back = (np.ldexp(moved, e), np.ldexp(scaled.matrices, squares), np.ldexp(scaled.low, e))
    for small, large in zip((*back, np.ldexp(scaled.variance, 2 * e)), (means, *given), strict=True):
        if not np.array_equal(small, large):
            at = int(np.argwhere(small != large)[0][0])
            raise ValueError(
                f"Gaussian {at}: a number of its mean or covariance is too small beside the largest of its column for "
                "double precision; set it to 0."
            )
    return moved, scaled, exponent


# ---------------------------------------------------------------- factorised


def _factorize_matrices(matrices: np.ndarray, exponent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F' of all matrices, and what is not known of them: 0 for those that are positive semidefinite for sure."""
    unsure = np.zeros(matrices.shape[:2])
    given = np.asarray(matrices.any(axis=(1, 2)))
    together = _cholesky(matrices) if given.all() else None
    if together is not None and _is_definite(matrices):
        return together, unsure
    factors = []
    for j, matrix in enumerate(matrices):
        factor, lacking = _factorize_one(matrix) if given[j] else (matrix[:0], matrix[0])
        if factor is None:
            e = exponent.astype(np.int32)
            least = np.linalg.eigvalsh(np.ldexp(matrix, e + e[:, None]))[0]
            raise ValueError(
                f"Gaussian {j}: its covariance is not positive semidefinite, it has the eigenvalue {least:g}."
            )
        sure = not given[j] or _is_definite(matrix) or (len(matrix) <= EXACT and is_semidefinite(matrix))
        unsure[j] = 0.0 if sure else lacking
        factors.append(factor)
    low = np.zeros((len(factors), max(len(rows) for rows in factors), matrices.shape[1]))
    for j, rows in enumerate(factors):
        low[j, : len(rows)] = rows
    return low, unsure


def _cholesky(covariances: np.ndarray) -> np.ndarray | None:
    """Cholesky's F' with F F' = covariance, of one or of many; None if one is singular up to rounding."""
    square = np.diagonal(covariances, axis1=-2, axis2=-1)
    try:
        low = np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        return None
    regular = np.diagonal(low, axis1=-2, axis2=-1) ** 2 > 64 * (square.shape[-1] + 8) * U * square
    return np.ascontiguousarray(low.swapaxes(-1, -2)) if regular.all() else None


def _is_definite(covariances: np.ndarray) -> bool:
    """Whether all are positive definite for sure: Cholesky's method succeeds on smaller ones (Rump)."""
    d = covariances.shape[-1]
    square = np.diagonal(covariances, axis1=-2, axis2=-1)
    if not (square > 0).all():
        return False
    unit = np.exp2(-np.round(0.5 * np.log2(square)))
    scaled = unit[..., None, :] * unit[..., :, None]
    scaled *= covariances
    scaled[..., range(d), range(d)] -= 4 * d * (d + 2) * U  # the diagonal is at most 2
    try:
        np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return False
    return True


def _factorize_one(covariance: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """F' with F F' = covariance, and what is not known of that; None if it is not positive semidefinite.

    Cholesky's, or by eigenvectors where the covariance is singular up to rounding.
    """
    square, d = np.diag(covariance), len(covariance)
    zero = 8 * (d + 8) * U
    low = _cholesky(covariance)
    if low is not None:
        return low, np.sqrt((d + 8) * UNSURE * square)
    for floor in (0.0, 1.0):  # columns of similar size; or as they are, if the size of some is only rounding error
        size = np.maximum(square, floor * square.max())
        size = np.exp2(np.round(0.5 * np.log2(np.where(size > 0, size, 1.0))))  # scaling by them does not round
        values, vectors = np.linalg.eigh(covariance / size / size[:, None])
        if values[0] >= -8 * zero * max(float(values[-1]), 1.0):
            kept = values > zero
            lacking = max((d + 8) * UNSURE, -4.0 * float(values[0]))
            factor = (vectors[:, kept] * np.sqrt(values[kept])).T * np.where(square > 0, size, 0.0)
            return factor, np.sqrt(lacking) * np.where((square > 0) | (floor > 0), 2 * size, 0.0)
    return None, square
