r"""The Gaussian density: full, diagonal or spherical covariance, one for each class or one for all (A2)."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from .._check import checked
from ..discriminant import Form
from ._base import Density, by_column, in_class

SINGULAR = 1e-14  # times the dimension: an eigenvalue of the correlations that is rounding error


class Gaussian(Density):
    r"""The normal density with mean :math:`\mu` and covariance C.

    .. math:: \log p(x) = -\tfrac12 (x-\mu)^T C^{-1} (x-\mu) - \tfrac12 \log\det C - \tfrac d2 \log 2\pi

    Parameters
    ----------
    covariance : {"full", "diagonal", "spherical"}, default="full"
        The shape of C.
    shared : bool, default=False
        In `Bayes`: one C for all classes, the mean of theirs weighted by the number of rows. The strategy is
        then linear, LDA's; else it is quadratic, QDA's.
    shrinkage : float in [0, 1], default=0.0
        Part of the mean variance on the diagonal: :math:`(1-s) C + s\,\frac{\mathrm{tr}\,C}{d} I`. For
        classes with fewer rows than columns.

    Examples
    --------
    >>> Gaussian().fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]).covariance_
    array([[1., 0.],
           [0., 1.]])
    >>> Gaussian.of([0.0], [[4.0]]).score_samples([[0.0]]).round(4)     # -log(2 sqrt(2 pi))
    array([-1.6121])
    """

    _parameter_constraints: dict = {
        "covariance": [StrOptions({"full", "diagonal", "spherical"})],
        "shared": ["boolean"],
        "shrinkage": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, covariance="full", *, shared=False, shrinkage=0.0):
        self.covariance = covariance
        self.shared = shared
        self.shrinkage = shrinkage

    @classmethod
    def of(cls, mean: Any, covariance: Any) -> Gaussian:
        """The density with a known mean and covariance matrix."""
        mean, C = np.asarray(mean, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
        if mean.ndim != 1 or C.shape != (mean.size, mean.size):
            raise ValueError(
                f"covariance: a mean of shape {mean.shape} wants a square matrix of its size, not {C.shape}."
            )
        if not np.isfinite(mean).all() or not np.isfinite(C).all():
            raise ValueError("mean, covariance: NaN or infinity among the numbers.")
        if not np.allclose(C, C.T, rtol=1e-12, atol=0):
            raise ValueError("covariance: the matrix is not symmetric.")
        known = cls()
        known.n_features_in_ = mean.size
        known._set(mean, C, "the matrix given")
        return known

    def fit_together(self, parts: list[np.ndarray], weights: list[np.ndarray], classes: Any) -> list[Gaussian]:
        """One Gaussian for each part, with one covariance if ``shared``."""
        self._validate_params()
        found = [clone(self) for _ in parts]
        moments = [_moments(checked(one, X, reset=True), w) for one, X, w in zip(found, parts, weights, strict=True)]
        total = sum(m.n for m in moments)
        for one, m, label in zip(found, moments, np.asarray(classes).tolist(), strict=True):
            if self.shared:
                one._set(
                    m.mean, self._shape(np.sum([each.scatter for each in moments], axis=0) / total), f"{total:.6g} rows"
                )
            else:
                with in_class(label):
                    one._set(m.mean, self._shape(m.scatter / m.n), f"{m.n:.6g} rows")
        return found

    def _learn(self, X, weight) -> None:
        m = _moments(X, weight)
        self._set(m.mean, self._shape(m.scatter / m.n), f"{m.n:.6g} rows")

    def _shape(self, C: np.ndarray) -> np.ndarray:
        d = len(C)
        if self.covariance == "spherical":
            return np.eye(d) * (np.trace(C) / d)
        if self.covariance == "diagonal":
            C = np.diag(np.diag(C))
        return (1 - self.shrinkage) * C + self.shrinkage * np.trace(C) / d * np.eye(d)

    def _set(self, mean: np.ndarray, C: np.ndarray, origin: str) -> None:
        """Keep mean and covariance; refuse what has no inverse."""
        deviation = np.sqrt(np.diag(C))
        flat = np.flatnonzero(~(deviation > 10 * np.finfo(float).eps * np.abs(mean)))
        by_column(
            "Gaussian",
            flat,
            f"does not vary ({origin}, 1 sample or a constant): drop it, or use shared=True or shrinkage.",
        )
        least = float(np.linalg.eigvalsh(C / np.outer(deviation, deviation))[0])
        if not least > SINGULAR * len(C):
            raise ValueError(
                f"Gaussian: the covariance of {len(C)} columns is singular ({origin}): use covariance='diagonal', "
                "shared=True or shrinkage."
            )
        self.mean_, self.covariance_ = mean, C
        self._root = cholesky(C, lower=True)

    def mahalanobis(self, X) -> np.ndarray:
        r"""The squared distance :math:`(x-\mu)^T C^{-1} (x-\mu)` of each row."""
        return self._squares(checked(self, X, reset=False))

    def _squares(self, X: np.ndarray) -> np.ndarray:
        return np.sum(solve_triangular(self._root, (X - self.mean_).T, lower=True) ** 2, axis=0)

    def _log(self, X) -> np.ndarray:
        return -0.5 * (self._squares(X) + self._log_det() + self.mean_.size * np.log(2 * np.pi))

    def _log_det(self) -> float:
        return 2.0 * float(np.log(np.diag(self._root)).sum())

    def _draw(self, n, rng) -> np.ndarray:
        return self.mean_ + rng.standard_normal((n, self.mean_.size)) @ self._root.T

    def form(self) -> Form:
        """The coefficients of log p(x), without the constant that all Gaussians have."""
        P = cho_solve((self._root, True), np.eye(self.mean_.size))
        b = cho_solve((self._root, True), self.mean_)
        return Form(-0.5 * (P + P.T) / 2, b, -0.5 * (float(self.mean_ @ b) + self._log_det()))


class _Moments(NamedTuple):
    n: float
    mean: np.ndarray
    scatter: np.ndarray


def _moments(X: np.ndarray, weight: np.ndarray) -> _Moments:
    n = float(weight.sum())
    mean = weight @ X / n
    rest = X - mean
    return _Moments(n, mean, (weight * rest.T) @ rest)
