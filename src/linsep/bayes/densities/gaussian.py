r"""The Gaussian density: full, diagonal or spherical covariance, one per class or one for all (A2)."""

from __future__ import annotations

import copy
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from sklearn.base import clone

from ...estimators._oracles import plain_rows
from ...estimators._validation import Interval, StrOptions, check_parameters
from ...solvers.anderson.moments import Moments, class_moments
from .._validation import as_float_array, check_rows
from ..discriminant import QuadraticFunction
from ._base import Density, errors_of_class

ROUNDING = 10 * float(np.finfo(float).eps)  # a deviation below this share of the numbers is a rounding error
SINGULAR = 1e-14  # an eigenvalue of the correlations below this, times the dimension, is a rounding error


class Gaussian(Density):
    r"""The normal density with mean :math:`\mu` and covariance C.

    .. math:: \log p(x) = -\tfrac12 (x-\mu)^T C^{-1} (x-\mu) - \tfrac12 \log\det C - \tfrac d2 \log 2\pi

    Parameters
    ----------
    covariance : {"full", "diagonal", "spherical"}, default="full"
        The shape of C.
    shared : bool, default=False
        In `Bayes`: one C for all classes, the mean of theirs weighted by the number of rows. The strategy is
        then linear, LDA's; otherwise it is quadratic, QDA's.
    shrinkage : "auto" or float in [0, 1], default="auto"
        s in :math:`(1-s)\,C + s\,\frac{\mathrm{tr}\,C}{d} I`. "auto": 0 if C has an inverse, else "oracle
        approximating shrinkage" (Chen et al. 2010, scikit-learn's ``OAS``), for classes with fewer rows than
        columns or with constant columns. In `Bayes` a class of one row, or of equal rows, then gets the pooled
        covariance of all classes (Friedman 1989). With 0.0 a singular C is an error.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        The mean.
    covariance_ : ndarray of shape (n_features, n_features)
        C, shrunk.
    shrinkage_ : float
        s.

    Examples
    --------
    >>> Gaussian().fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]).covariance_
    array([[1., 0.],
           [0., 1.]])
    >>> Gaussian.from_parameters([0.0], [[4.0]]).score_samples([[0.0]]).round(4)     # -log(2 sqrt(2 pi))
    array([-1.6121])
    """

    _parameter_constraints: dict = {
        "covariance": [StrOptions({"full", "diagonal", "spherical"})],
        "shared": ["boolean"],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
    }

    _scatter: np.ndarray  # the sum of squared deviations of all rows so far

    def __init__(self, covariance="full", *, shared=False, shrinkage="auto"):
        self.covariance = covariance
        self.shared = shared
        self.shrinkage = shrinkage

    @classmethod
    def from_parameters(cls, mean: Any, covariance: Any) -> Gaussian:
        """Return the density with a known mean and covariance matrix."""
        mean, C = as_float_array(mean, "mean"), as_float_array(covariance, "covariance")
        if mean.ndim != 1 or not mean.size or C.shape != (mean.size, mean.size):
            raise ValueError(f"covariance: expected a square matrix for a mean of shape {mean.shape}, got {C.shape}.")
        if not np.isfinite(mean).all() or not np.isfinite(C).all():
            raise ValueError("mean, covariance: expected finite numbers, got NaN or infinity.")
        if not np.allclose(C, C.T, rtol=0, atol=1e-12 * np.abs(C).max(initial=0.0)):
            raise ValueError("covariance: the matrix is not symmetric.")
        known = cls()
        known.n_features_in_ = mean.size
        C = (C + C.T) / 2
        known._set(mean, _Covariance(C, _factorise(C, np.abs(mean), "; expected a covariance with an inverse"), 0.0))
        return known

    def of_moments(self, moments: list[Moments], classes: Any, before: list[Gaussian] | None = None) -> list[Gaussian]:
        """Return one Gaussian per class, with one covariance if ``shared``; of those ``before`` with earlier rows."""
        check_parameters(self)
        found = [clone(self) for _ in moments] if before is None else [copy.copy(old) for old in before]
        for one, m in zip(found, moments, strict=True):
            one.n_features_in_ = m.mean.size
        earlier = before or []
        self._set_jointly(found, [old._moments.merge(m) for old, m in zip(earlier, moments)] or moments, classes)
        return found

    def _set_jointly(self, found: list[Gaussian], moments: list[Moments], classes: Any) -> None:
        """Make each of ``found`` the Gaussian of its moments."""
        pooled = [self.shared or (self.shrinkage == "auto" and _is_constant(m)) for m in moments]
        if any(pooled):
            total = sum(m.weight for m in moments)
            C = np.sum([m.scatter for m in moments], axis=0) / total
            common = self._regularise(C, total, np.max([np.abs(m.mean) for m in moments], axis=0))
        for one, m, share, label in zip(found, moments, pooled, np.asarray(classes).tolist(), strict=True):
            with errors_of_class(label):
                one._set_moments(m, common if share else None)

    def _fit(self, X, weight, more) -> None:
        (m,) = class_moments(plain_rows(X), np.zeros(len(X), dtype=np.int32), weight, 1)
        self._set_moments(self._moments.merge(m) if more else m)

    def _set_moments(self, m: Moments, common: _Covariance | None = None) -> None:
        """Be the Gaussian of these moments, with a ``common`` covariance if one is given."""
        self._set(m.mean, common or self._regularise(m.covariance(), m.weight, np.abs(m.mean)))
        self._total, self._scatter = m.weight, m.scatter

    @property
    def _moments(self) -> Moments:
        """The moments of all rows so far."""
        return Moments(self._total, self.mean_, self._scatter)

    def _regularise(self, C: np.ndarray, n: float, size: np.ndarray) -> _Covariance:
        """Give C, estimated from n rows of numbers of this size, its shape and an inverse."""
        if self.covariance == "spherical":
            C = np.eye(len(C)) * (np.trace(C) / len(C))
        elif self.covariance == "diagonal":
            C = np.diag(np.diag(C))
        s = self.shrinkage
        if s == "auto":
            s = _compute_oas(C, n) if _find_fault(C, size) else 0.0
        shrunk = (1 - s) * C + s * np.trace(C) / len(C) * np.eye(len(C))
        return _Covariance(shrunk, _factorise(shrunk, size, f" (n_samples={n:.6g}). {self._advice(C)}"), float(s))

    def _advice(self, C: np.ndarray) -> str:
        """What to try if C has no inverse: what is not set yet, and would help."""
        varies = np.diag(C) > 0
        options = {"covariance='diagonal'": self.covariance == "full" and varies.all(), "shared=True": not self.shared}
        options |= {"a shrinkage > 0": self.shrinkage == 0 and varies.any()}
        left = [name for name, free in options.items() if free]
        return f"Try {' or '.join(left)}" if left else "Add rows that differ, or leave out columns that do not vary"

    def _set(self, mean: np.ndarray, found: _Covariance) -> None:
        self.mean_, self.covariance_, self.shrinkage_, self._root = mean, found.C, found.shrinkage, found.root

    def mahalanobis(self, X) -> np.ndarray:
        r"""Return the squared distance :math:`(x-\mu)^T C^{-1} (x-\mu)` of every row."""
        return self._squared_distances(check_rows(self, X, reset=False))

    def solve(self, columns: np.ndarray) -> np.ndarray:
        """Multiply columns by the inverse of C."""
        return cho_solve((self._root, True), columns)

    def _squared_distances(self, X: np.ndarray) -> np.ndarray:
        return np.sum(solve_triangular(self._root, (X - self.mean_).T, lower=True) ** 2, axis=0)

    def _log_density(self, X) -> np.ndarray:
        return -0.5 * (self._squared_distances(X) + self._log_det() + self.mean_.size * np.log(2 * np.pi))

    def _log_det(self) -> float:
        return 2.0 * float(np.log(np.diag(self._root)).sum())

    def _sample(self, n_samples, rng) -> np.ndarray:
        return self.mean_ + rng.standard_normal((n_samples, self.mean_.size)) @ self._root.T

    def log_kernel(self) -> QuadraticFunction:
        """Return minus half the squared Mahalanobis distance, as coefficients."""
        P, b = self.solve(np.eye(self.mean_.size)), self.solve(self.mean_)
        return QuadraticFunction(-(P + P.T) / 4, b, -0.5 * float(self.mean_ @ b))

    def log_constant(self) -> float:
        """Return log p(x) - `log_kernel`, up to the constant that all Gaussians have."""
        return -0.5 * self._log_det()


class _Covariance(NamedTuple):
    C: np.ndarray
    root: np.ndarray  # Cholesky factor
    shrinkage: float


def _factorise(C: np.ndarray, size: np.ndarray, origin: str) -> np.ndarray:
    """Return the Cholesky factor of C, or raise an error that says why there is none; it ends with ``origin``."""
    fault = _find_fault(C, size)
    if fault:
        raise ValueError(f"Gaussian: {fault}{origin}.")
    return cholesky(C, lower=True)


def _find_fault(C: np.ndarray, size: np.ndarray) -> str:
    """Say why C has no inverse; "" if it has one. ``size`` is that of the numbers, for their rounding."""
    deviation = np.sqrt(np.maximum(np.diag(C), 0.0))
    for j in np.flatnonzero(~(deviation > ROUNDING * size)):
        return f"column {j} does not vary"
    least = float(np.linalg.eigvalsh(C / np.outer(deviation, deviation))[0])
    return "" if least > SINGULAR * len(C) else f"the covariance of {len(C)} columns is singular"


def _compute_oas(C: np.ndarray, n: float) -> float:
    """Return the oracle approximating shrinkage of C, estimated from n rows; scikit-learn's ``oas`` needs the rows."""
    mean_square, square_mean = float(np.mean(C**2)), float((np.trace(C) / len(C)) ** 2)
    rest = (n + 1) * (mean_square - square_mean / len(C))
    return 1.0 if rest <= 0 else min((mean_square + square_mean) / rest, 1.0)


def _is_constant(m: Moments) -> bool:
    """Whether no column varies."""
    return not (np.sqrt(np.diag(m.scatter) / m.weight) > ROUNDING * np.abs(m.mean)).any()
