"""From means and covariances as a user writes them to the record `Gaussians`: checked, and factorised (F1-F4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rows.gaussians import Gaussians

ASYMMETRY = 1e-10  # how far a covariance may be from symmetric, relative
U = float(np.finfo(np.float64).eps)


def factorize(means: Any, covariances: Any, sign: Any) -> Gaussians:
    """Check Gaussians and factorise their covariances; an error names the Gaussian.

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
    >>> two.sigma(np.array([1.0, 1.0])).round(6)
    array([1.414214, 0.      ])
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
    k, d = means.shape
    sign = np.asarray(sign, dtype=np.float64)
    if sign.shape != (k,):
        raise ValueError(f"labels: expected one per mean, that is {k}, got shape {sign.shape}.")
    if np.unique(sign).size < 2:
        raise ValueError("labels: expected two classes, got Gaussians of one class only.")
    low, deviation = _factorize_together(covariances, k, d), np.zeros((k, 0))
    if low is None:
        factors = [_factorize_one(one, d, j) for j, one in enumerate(_split(covariances, k))]
        low, deviation = np.zeros((k, max(rows.shape[0] for rows, _ in factors), d)), np.zeros((k, d))
        for j, (rows, deviations) in enumerate(factors):
            low[j, : len(rows)], deviation[j] = rows, deviations
        deviation = deviation if deviation.any() else np.zeros((k, 0))
    return Gaussians(means, low, deviation, sign)


def _split(covariances: Any, k: int) -> list[Any]:
    """A list of k covariances."""
    if covariances is None or (np.isscalar(covariances) and not isinstance(covariances, str)):
        return [0.0 if covariances is None else covariances] * k
    if isinstance(covariances, tuple) and len(covariances) == 2 and np.ndim(covariances[0]) == 3:
        covariances = list(zip(*covariances, strict=True))  # one pair of arrays for all
    covariances = list(covariances)
    if len(covariances) != k:
        raise ValueError(f"covariances: expected one per mean, that is {k}, got {len(covariances)}.")
    return covariances


def _factorize_one(covariance: Any, d: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """F' of covariance j: the rows of its low-rank part, and its deviations."""
    if isinstance(covariance, tuple):
        if len(covariance) != 2:
            raise ValueError(f"Gaussian {j}: expected a pair (U, variances), got a tuple of {len(covariance)}.")
        U, variance = (_to_floats(part, f"Gaussian {j}: its covariance") for part in covariance)
        _check_finite(U, j)
        if U.ndim != 2 or U.shape[0] != d:
            raise ValueError(f"Gaussian {j}: U of its covariance: expected shape ({d}, rank), got {U.shape}.")
        return U.T.copy(), _to_deviations(variance, d, j)
    array = _to_floats(covariance, f"Gaussian {j}: its covariance")
    if array.ndim < 2:
        return np.zeros((0, d)), _to_deviations(array, d, j)
    if array.shape != (d, d):
        raise ValueError(f"Gaussian {j}: its covariance has shape {array.shape}, its mean {d} numbers.")
    _check_finite(array, j)
    largest = float(np.abs(array).max())
    if np.abs(array - array.T).max() > ASYMMETRY * largest:
        row, column = np.unravel_index(np.argmax(np.abs(array - array.T)), array.shape)
        entries = f"[{row}, {column}] = {array[row, column]:g}, [{column}, {row}] = {array[column, row]:g}"
        raise ValueError(f"Gaussian {j}: its covariance is not symmetric, {entries}.")
    return _factorize_matrix(0.5 * (array + array.T), j), np.zeros(d)


def _factorize_together(covariances: Any, k: int, d: int) -> np.ndarray | None:
    """F' of all covariances at once if they are one array of regular matrices, or None."""
    if not isinstance(covariances, np.ndarray) or covariances.shape != (k, d, d) or covariances.dtype.kind not in "fiu":
        return None
    array = covariances.astype(np.float64, copy=False)
    transposed = array.transpose(0, 2, 1)
    if not (np.abs(array - transposed).max(axis=(1, 2)) <= ASYMMETRY * np.abs(array).max(axis=(1, 2))).all():
        return None  # not symmetric, or not finite
    return _cholesky(0.5 * (array + transposed))


def _cholesky(covariances: np.ndarray) -> np.ndarray | None:
    """Cholesky's F' with F F' = covariance, of one or of many; None if one is singular up to rounding."""
    square = np.diagonal(covariances, axis1=-2, axis2=-1)
    try:
        low = np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        return None
    regular = np.diagonal(low, axis1=-2, axis2=-1) ** 2 > 64 * (square.shape[-1] + 8) * U * square
    return np.ascontiguousarray(low.swapaxes(-1, -2)) if regular.all() else None


def _factorize_matrix(covariance: np.ndarray, j: int) -> np.ndarray:
    """F' with F F' = covariance: Cholesky's, or by eigenvectors where it is singular up to rounding."""
    square, zero = np.diag(covariance), 8 * (len(covariance) + 8) * U
    low = _cholesky(covariance)
    if low is not None:
        return low
    for floor in (0.0, 1.0):  # columns of similar size; or as they are, if the size of some is only rounding error
        size = np.maximum(square, floor * square.max())
        size = np.exp2(np.round(0.5 * np.log2(np.where(size > 0, size, 1.0))))  # scaling by them does not round
        values, vectors = np.linalg.eigh(covariance / size / size[:, None])
        if values[0] >= -8 * zero * max(float(values[-1]), 1.0):
            kept = values > zero
            return (vectors[:, kept] * np.sqrt(values[kept])).T * np.where(square > 0, size, 0.0)
    least = np.linalg.eigvalsh(covariance)[0]
    raise ValueError(f"Gaussian {j}: its covariance is not positive semidefinite, it has the eigenvalue {least:g}.")


def _to_deviations(variance: np.ndarray, d: int, j: int) -> np.ndarray:
    """Standard deviations of d variances, or of one for all directions."""
    if variance.shape not in ((), (d,)):
        raise ValueError(f"Gaussian {j}: its covariance has {variance.size} variances, its mean {d} numbers.")
    _check_finite(variance, j)
    if (variance < 0).any():
        least = variance.min()
        raise ValueError(f"Gaussian {j}: its covariance is not positive semidefinite, a variance is {least:g}.")
    return np.sqrt(np.broadcast_to(variance, d))


def _to_floats(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected an array of numbers.") from None


def _check_finite(array: np.ndarray, j: int) -> None:
    if not np.isfinite(array).all():
        raise ValueError(f"Gaussian {j}: its covariance is not finite, it has a {array[~np.isfinite(array)][0]}.")
