r"""Gaussians to be told apart: means, covariances as factors :math:`\Sigma_j = F_j F_j^T`, sides and demands.

A factor is ``F = [low | diag(deviation)]``: a full covariance has a square ``low`` and no deviations, a diagonal one
the reverse, low rank plus diagonal both, and a point neither (F4). No covariance is ever inverted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

ROUGH = 1e-10  # how far a covariance may be from symmetric, relative
U = float(np.finfo(np.float64).eps)


class Gaussians(NamedTuple):
    """k Gaussians in d dimensions. Each is wanted beyond the radius a_j r + c_j, with r as large as possible."""

    means: np.ndarray  # k x d
    low: np.ndarray  # k x q x d: the transposed factors F_j'
    deviation: np.ndarray  # k x d standard deviations, or k x 0
    sign: np.ndarray  # +1.0 or -1.0
    scale: np.ndarray  # a_j > 0: importance
    caution: np.ndarray  # c_j >= 0: how far the mean itself may be off, in deviations

    def along(self, w: np.ndarray) -> np.ndarray:
        """F_j' w of all j, k x p."""
        k, q, d = self.low.shape
        low = (self.low.reshape(k * q, d) @ w).reshape(k, q)
        return np.hstack([low, self.deviation * w]) if self.deviation.size else low

    def spread(self, w: np.ndarray) -> np.ndarray:
        r"""The standard deviations :math:`\sigma_j = \sqrt{w^T \Sigma_j w} = |F_j^T w|` along w."""
        return row_norms(self.along(w))

    def deviations(self) -> np.ndarray:
        """The standard deviations along the axes, k x d."""
        square = np.einsum("kqd,kqd->kd", self.low, self.low)
        return np.sqrt(square + self.deviation**2 if self.deviation.size else square)

    def factor(self, j: int) -> np.ndarray:
        """F_j', p x d."""
        return np.vstack([self.low[j], np.diag(self.deviation[j])]) if self.deviation.size else self.low[j]

    def some(self, rows: np.ndarray) -> Gaussians:
        """Some of the Gaussians."""
        return Gaussians(*(part[rows] for part in self))

    def through(self, basis: np.ndarray) -> Gaussians:
        """The Gaussians of x' basis."""
        low = self.low @ basis
        if self.deviation.size:
            low = np.concatenate([low, self.deviation[:, :, None] * basis], axis=1)
        return self._replace(means=self.means @ basis, low=low, deviation=np.zeros((len(low), 0)))

    def spill(self, V: np.ndarray) -> np.ndarray:
        """F_j v_j of all j, k x d."""
        q = self.low.shape[1]
        out = np.matmul(V[:, None, :q], self.low)[:, 0]
        return out + self.deviation * V[:, q:] if self.deviation.size else out

    def pooled(self, alpha: np.ndarray) -> np.ndarray:
        r"""The sum :math:`\sum \alpha_j \Sigma_j`."""
        k, q, d = self.low.shape
        rows = self.low.reshape(k * q, d)
        total = (rows * np.repeat(alpha, q)[:, None]).T @ rows
        if self.deviation.size:
            total[np.diag_indices(d)] += alpha @ self.deviation**2
        return total

    def radii(self, r: float | np.ndarray) -> np.ndarray:
        """The radii that r asks of the Gaussians."""
        return self.scale * r + self.caution

    def uniform(self) -> np.ndarray:
        """Weights of 1/2 for each side, shared evenly."""
        positive = self.sign > 0
        return np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())


def row_norms(V: np.ndarray) -> np.ndarray:
    """The norms of the rows."""
    return np.sqrt(np.vecdot(V, V))


def gaussians(means: Any, covariances: Any, sign: Any, *, importance: Any = None, caution: Any = None) -> Gaussians:
    """Check the Gaussians and factorise their covariances; an error names the Gaussian.

    ``covariances``: one for each mean: a d x d matrix, d variances, one variance for all directions (0: a point), or a
    pair (U, variances) for U U' + diag(variances).

    >>> two = gaussians([[0.0, 0.0], [3.0, 0.0]], [np.eye(2), 0.0], [-1, 1])
    >>> two.spread(np.array([1.0, 1.0])).round(6)
    array([1.414214, 0.      ])
    >>> gaussians([[0.0, 0.0], [3.0, 0.0]], [[[1, 2], [2, 1]], 0.0], [-1, 1])
    Traceback (most recent call last):
        ...
    ValueError: Gaussian 0: its covariance is not positive semidefinite, it has the eigenvalue -1.
    """
    means = _numbers(means, "means")
    if means.ndim != 2 or 0 in means.shape:
        raise ValueError(f"means: a table with one row for each Gaussian is wanted, not one of shape {means.shape}.")
    for j in np.flatnonzero(~np.isfinite(means).all(axis=1))[:1]:
        raise ValueError(f"Gaussian {j}: its mean is not finite, {means[j].tolist()}.")
    k, d = means.shape
    sign = np.asarray(sign, dtype=np.float64)
    if sign.shape != (k,):
        raise ValueError(f"There are {k} means, but the labels have shape {sign.shape}.")
    for side in (1.0, -1.0):
        if (sign == side).all():
            raise ValueError("Two classes are needed, but all Gaussians are of one class.")
    low, deviation = _roots(covariances, k, d), np.zeros((k, 0))
    if low is None:
        factors = [factor(one, d, j) for j, one in enumerate(listed(covariances, k))]
        low, deviation = np.zeros((k, max(rows.shape[0] for rows, _ in factors), d)), np.zeros((k, d))
        for j, (rows, spread) in enumerate(factors):
            low[j, : len(rows)], deviation[j] = rows, spread
        deviation = deviation if deviation.any() else np.zeros((k, 0))
    scale = _demand(importance, k, "importance", 1.0)
    if not (scale > 0).all():
        raise ValueError(f"importance: of Gaussian {np.argmin(scale)} it is {scale.min():g}, but must be positive.")
    return Gaussians(means, low, deviation, sign, scale, _demand(caution, k, "caution", 0.0))


def listed(covariances: Any, k: int) -> list[Any]:
    """The covariances one by one."""
    if covariances is None or (np.isscalar(covariances) and not isinstance(covariances, str)):
        return [0.0 if covariances is None else covariances] * k
    if isinstance(covariances, tuple) and len(covariances) == 2 and np.ndim(covariances[0]) == 3:
        covariances = list(zip(*covariances, strict=True))  # one pair of arrays for all
    covariances = list(covariances)
    if len(covariances) != k:
        raise ValueError(f"There are {k} means, but {len(covariances)} covariances.")
    return covariances


def factor(covariance: Any, d: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """F' of one covariance: the rows of its low part and its deviations."""
    if isinstance(covariance, tuple):
        if len(covariance) != 2:
            raise ValueError(f"Gaussian {j}: a pair (U, variances) is wanted, not {len(covariance)} things.")
        U, variance = (_numbers(part, f"Gaussian {j}: its covariance") for part in covariance)
        _finite(U, j)
        if U.ndim != 2 or U.shape[0] != d:
            raise ValueError(f"Gaussian {j}: U of its covariance must have shape ({d}, rank), not {U.shape}.")
        return U.T.copy(), _deviation(variance, d, j)
    array = _numbers(covariance, f"Gaussian {j}: its covariance")
    if array.ndim < 2:
        return np.zeros((0, d)), _deviation(array, d, j)
    if array.shape != (d, d):
        raise ValueError(f"Gaussian {j}: its covariance has shape {array.shape}, its mean {d} numbers.")
    _finite(array, j)
    largest = float(np.abs(array).max())
    if np.abs(array - array.T).max() > ROUGH * largest:
        row, column = np.unravel_index(np.argmax(np.abs(array - array.T)), array.shape)
        entries = f"[{row}, {column}] = {array[row, column]:g}, [{column}, {row}] = {array[column, row]:g}"
        raise ValueError(f"Gaussian {j}: its covariance is not symmetric, {entries}.")
    return _root(0.5 * (array + array.T), j), np.zeros(d)


def _roots(covariances: Any, k: int, d: int) -> np.ndarray | None:
    """F' of all covariances at once, if they are one array of regular matrices; else each has to be looked at."""
    if not isinstance(covariances, np.ndarray) or covariances.shape != (k, d, d) or covariances.dtype.kind not in "fiu":
        return None
    array = covariances.astype(np.float64, copy=False)
    turned = array.transpose(0, 2, 1)
    if not (np.abs(array - turned).max(axis=(1, 2)) <= ROUGH * np.abs(array).max(axis=(1, 2))).all():
        return None  # not symmetric, or not finite
    return _triangles(0.5 * (array + turned))


def _triangles(covariances: np.ndarray) -> np.ndarray | None:
    """Cholesky's F' with F F' = covariance, of one or of many; None if one is singular up to rounding."""
    square = np.diagonal(covariances, axis1=-2, axis2=-1)
    try:
        low = np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        return None
    regular = np.diagonal(low, axis1=-2, axis2=-1) ** 2 > 64 * (square.shape[-1] + 8) * U * square
    return np.ascontiguousarray(low.swapaxes(-1, -2)) if regular.all() else None


def _root(covariance: np.ndarray, j: int) -> np.ndarray:
    """F' with F F' = covariance: Cholesky's, or by eigenvectors where it is singular up to rounding."""
    square, zero = np.diag(covariance), 8 * (len(covariance) + 8) * U
    low = _triangles(covariance)
    if low is not None:
        return low
    for floor in (0.0, 1.0):  # columns of like size; or as they are, if the size of some is but rounding error
        size = np.maximum(square, floor * square.max())
        size = np.exp2(np.round(0.5 * np.log2(np.where(size > 0, size, 1.0))))  # scaling by them does not round
        values, vectors = np.linalg.eigh(covariance / size / size[:, None])
        if values[0] >= -8 * zero * max(float(values[-1]), 1.0):
            kept = values > zero
            return (vectors[:, kept] * np.sqrt(values[kept])).T * np.where(square > 0, size, 0.0)
    least = np.linalg.eigvalsh(covariance)[0]
    raise ValueError(f"Gaussian {j}: its covariance is not positive semidefinite, it has the eigenvalue {least:g}.")


def _deviation(variance: np.ndarray, d: int, j: int) -> np.ndarray:
    """Standard deviations of d variances, or of one for all directions."""
    if variance.shape not in ((), (d,)):
        raise ValueError(f"Gaussian {j}: its covariance has {variance.size} variances, its mean {d} numbers.")
    _finite(variance, j)
    if (variance < 0).any():
        raise ValueError(
            f"Gaussian {j}: its covariance is not positive semidefinite, a variance is {variance.min():g}."
        )
    return np.sqrt(np.broadcast_to(variance, d))


def _numbers(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: an array of numbers is wanted.") from None


def _finite(array: np.ndarray, j: int) -> None:
    if not np.isfinite(array).all():
        raise ValueError(f"Gaussian {j}: its covariance is not finite, it has a {array[~np.isfinite(array)][0]}.")


def _demand(value: Any, k: int, name: str, default: float) -> np.ndarray:
    """One number for all Gaussians, or one for each."""
    array = _numbers(default if value is None else value, name)
    if array.shape not in ((), (k,)):
        raise ValueError(f"{name}: one number, or one for each of {k} Gaussians is wanted, not shape {array.shape}.")
    array = np.broadcast_to(array, k).copy()
    for j in np.flatnonzero(~(np.isfinite(array) & (array >= 0)))[:1]:
        raise ValueError(f"{name}: of Gaussian {j} it is {array[j]:g}, but must be finite and not negative.")
    return array
