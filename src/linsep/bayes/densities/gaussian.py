r"""The Gaussian density: full, diagonal or spherical covariance, one for each class or one for all (A2)."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from .._check import checked, numbers
from ..discriminant import Form
from ._base import Density, in_class

ROUNDED = 10 * float(np.finfo(float).eps)  # times the size of the numbers: a deviation that is rounding error
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
    shrinkage : "auto" or float in [0, 1], default="auto"
        s in :math:`(1-s)\,C + s\,\frac{\mathrm{tr}\,C}{d} I`. "auto": 0 if C has an inverse, else what "oracle
        approximating shrinkage" (Chen et al. 2010, scikit-learn's ``OAS``) says, for classes with fewer rows than
        columns or with columns that do not vary; ``shrinkage_`` tells. In `Bayes` a class of one row, or whose rows
        are all the same, then gets the covariance of all classes together (Friedman 1989). With 0.0 a singular C is
        refused.

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
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, covariance="full", *, shared=False, shrinkage="auto"):
        self.covariance = covariance
        self.shared = shared
        self.shrinkage = shrinkage

    @classmethod
    def of(cls, mean: Any, covariance: Any) -> Gaussian:
        """The density with a known mean and covariance matrix."""
        mean, C = numbers(mean, "mean"), numbers(covariance, "covariance")
        if mean.ndim != 1 or C.shape != (mean.size, mean.size):
            raise ValueError(
                f"covariance: a mean of shape {mean.shape} wants a square matrix of its size, not {C.shape}."
            )
        if not np.isfinite(mean).all() or not np.isfinite(C).all():
            raise ValueError("mean, covariance: NaN or infinity among the numbers.")
        if not np.allclose(C, C.T, rtol=0, atol=1e-12 * np.abs(C).max(initial=0.0)):
            raise ValueError("covariance: the matrix is not symmetric.")
        known = cls()
        known.n_features_in_ = mean.size
        C = (C + C.T) / 2
        known._set(mean, _Covariance(C, _factor(C, np.abs(mean)), 0.0))
        return known

    def fit_together(self, parts: list[np.ndarray], weights: list[np.ndarray], classes: Any) -> list[Gaussian]:
        """One Gaussian for each part, with one covariance if ``shared``."""
        self._validate_params()
        found = [clone(self) for _ in parts]
        moments = [_moments(checked(one, X, reset=True), w) for one, X, w in zip(found, parts, weights, strict=True)]
        shares = [self.shared or (self.shrinkage == "auto" and not m.varies) for m in moments]
        if any(shares):
            total = sum(m.n for m in moments)
            pooled = np.sum([m.scatter for m in moments], axis=0) / total
            one_for_all = self._regular(pooled, total, np.max([np.abs(m.mean) for m in moments], axis=0))
        for one, m, share, label in zip(found, moments, shares, np.asarray(classes).tolist(), strict=True):
            with in_class(label):
                one._set(m.mean, one_for_all if share else self._regular(m.scatter / m.n, m.n, np.abs(m.mean)))
        return found

    def _learn(self, X, weight) -> None:
        m = _moments(X, weight)
        self._set(m.mean, self._regular(m.scatter / m.n, m.n, np.abs(m.mean)))

    def _regular(self, C: np.ndarray, n: float, size: np.ndarray) -> _Covariance:
        """C, estimated from n rows of this size, given its shape and an inverse."""
        if self.covariance == "spherical":
            C = np.eye(len(C)) * (np.trace(C) / len(C))
        elif self.covariance == "diagonal":
            C = np.diag(np.diag(C))
        s = self.shrinkage
        if s == "auto":
            s = _oas(C, n) if _fault(C, size) else 0.0
        shrunk = (1 - s) * C + s * np.trace(C) / len(C) * np.eye(len(C))
        return _Covariance(shrunk, _factor(shrunk, size, f" (n_samples={n:.6g})"), float(s))

    def _set(self, mean: np.ndarray, found: _Covariance) -> None:
        self.mean_, self.covariance_, self.shrinkage_, self._root = mean, found.C, found.shrinkage, found.root

    def mahalanobis(self, X) -> np.ndarray:
        r"""The squared distance :math:`(x-\mu)^T C^{-1} (x-\mu)` of each row."""
        return self._squares(checked(self, X, reset=False))

    def solve(self, columns: np.ndarray) -> np.ndarray:
        """Columns multiplied by the inverse of C."""
        return cho_solve((self._root, True), columns)

    def _squares(self, X: np.ndarray) -> np.ndarray:
        return np.sum(solve_triangular(self._root, (X - self.mean_).T, lower=True) ** 2, axis=0)

    def _log(self, X) -> np.ndarray:
        return -0.5 * (self._squares(X) + self._log_det() + self.mean_.size * np.log(2 * np.pi))

    def _log_det(self) -> float:
        return 2.0 * float(np.log(np.diag(self._root)).sum())

    def _draw(self, n, rng) -> np.ndarray:
        return self.mean_ + rng.standard_normal((n, self.mean_.size)) @ self._root.T

    def form(self) -> Form:
        """Minus half the squared Mahalanobis distance, as coefficients."""
        P, b = self.solve(np.eye(self.mean_.size)), self.solve(self.mean_)
        return Form(-(P + P.T) / 4, b, -0.5 * float(self.mean_ @ b))

    def normaliser(self) -> float:
        """What log p(x) is more than the form, but for the constant that all Gaussians have."""
        return -0.5 * self._log_det()


class _Covariance(NamedTuple):
    C: np.ndarray
    root: np.ndarray  # Cholesky's
    shrinkage: float


def _factor(C: np.ndarray, size: np.ndarray, origin: str = "") -> np.ndarray:
    """Cholesky's root of C, or a refusal that says why there is none."""
    fault = _fault(C, size)
    if fault:
        raise ValueError(f"Gaussian: {fault}{origin}. Try covariance='diagonal', shared=True or shrinkage.")
    return cholesky(C, lower=True)


def _fault(C: np.ndarray, size: np.ndarray) -> str:
    """Why C has no inverse, in words; nothing if it has one. ``size`` is that of the numbers, for their rounding."""
    deviation = np.sqrt(np.maximum(np.diag(C), 0.0))
    for j in np.flatnonzero(~(deviation > ROUNDED * size)):
        return f"column {j} does not vary"
    least = float(np.linalg.eigvalsh(C / np.outer(deviation, deviation))[0])
    return "" if least > SINGULAR * len(C) else f"the covariance of {len(C)} columns is singular"


def _oas(C: np.ndarray, n: float) -> float:
    """How far C, estimated from n rows, had better be shrunk; scikit-learn's ``oas`` wants the rows themselves."""
    mean_square, square_mean = float(np.mean(C**2)), float((np.trace(C) / len(C)) ** 2)
    rest = (n + 1) * (mean_square - square_mean / len(C))
    return 1.0 if rest <= 0 else min((mean_square + square_mean) / rest, 1.0)


class _Moments(NamedTuple):
    n: float
    mean: np.ndarray
    scatter: np.ndarray

    @property
    def varies(self) -> bool:
        """Does any column?"""
        return bool((np.sqrt(np.diag(self.scatter) / self.n) > ROUNDED * np.abs(self.mean)).any())


def _moments(X: np.ndarray, weight: np.ndarray) -> _Moments:
    n = float(weight.sum())
    mean = weight @ X / n
    rest = X - mean
    return _Moments(n, mean, (weight * rest.T) @ rest)
