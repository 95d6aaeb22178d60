r"""Class densities and priors: the joint distribution p(x, k) = p(k) p(x|k) (A1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from ._validation import as_float_array, check_rows
from .densities._base import draw_samples, errors_of_class
from .densities.gaussian import Gaussian
from .discriminant import CentredDiscriminant


class Model:
    r"""Priors p(k) and densities p(x|k).

    Where no class has a positive density, the posterior is the prior.

    Parameters
    ----------
    densities : sequence
        One fitted density per class: any object with ``score_samples(X)``, the logarithms. Those with
        ``sample(n, random_state)`` can be sampled.
    priors : array-like of shape (n_classes,), default=None
        p(k) >= 0 with sum 1. None: all equal.
    classes : array-like of shape (n_classes,), default=None
        The labels. None: 0, 1, ...

    Examples
    --------
    >>> from linsep.bayes import Gaussian
    >>> densities = [Gaussian.from_parameters([0.0], [[1.0]]), Gaussian.from_parameters([2.0], [[1.0]])]
    >>> Model(densities, [0.5, 0.5]).predict_proba([[1.0], [2.0]]).round(4)
    array([[0.5   , 0.5   ],
           [0.1192, 0.8808]])
    """

    def __init__(self, densities: Sequence[Any], priors: Any = None, classes: Any = None):
        self.densities = list(densities)
        K = len(self.densities)
        if K == 0:
            raise ValueError("densities: expected at least one, got none.")
        self.classes_ = np.arange(K) if classes is None else np.array(classes)
        if self.classes_.shape != (K,) or len(set(self.classes_.tolist())) < K:
            raise ValueError(f"classes: expected {K} different labels, got {self.classes_.tolist()}.")
        self.priors = check_priors(priors, self.classes_)
        for label, density in zip(self.classes_.tolist(), self.densities, strict=True):
            if not callable(getattr(density, "score_samples", None)):
                raise ValueError(f"class {label!r}: {type(density).__name__} has no method score_samples.")
        widths = {density.n_features_in_ for density in self.densities if hasattr(density, "n_features_in_")}
        if len(widths) > 1:
            raise ValueError(f"densities: expected equal numbers of columns, got {sorted(widths)}.")
        self._linear = _linear_discriminant(self.densities)

    def log_joint(self, X) -> np.ndarray:
        """Return log p(x,k), shape (n_samples, n_classes)."""
        columns = [self._log_density(X, j) for j in range(len(self.densities))]
        with np.errstate(divide="ignore"):
            return np.stack(columns, axis=1) + np.log(self.priors)

    def _log_density(self, X, j: int) -> np.ndarray:
        name = type(self.densities[j]).__name__
        with errors_of_class(self.classes_.tolist()[j]):
            logs = np.asarray(self.densities[j].score_samples(X), dtype=np.float64)
            if logs.shape != (len(X),):
                raise ValueError(f"{name}.score_samples returned shape {logs.shape} for {len(X)} rows.")
            for i in np.flatnonzero(np.isnan(logs) | (logs == np.inf))[:1]:
                raise ValueError(f"{name}.score_samples returned {logs[i]} for row {i}.")
        return logs

    def score_samples(self, X) -> np.ndarray:
        """Return log p(x) of every row: a model is a density too."""
        return logsumexp(self.log_joint(X), axis=1)

    def predict_log_proba(self, X) -> np.ndarray:
        """Return log p(k|x), shape (n_samples, n_classes)."""
        with np.errstate(divide="ignore"):
            if self._linear is not None:
                logs = self._linear(check_rows(self.densities[0], X, reset=False)) + np.log(self.priors)
            else:
                logs = self.log_joint(X)
            logs[np.all(logs == -np.inf, axis=1)] = np.log(self.priors)
        return logs - logsumexp(logs, axis=1, keepdims=True)

    def predict_proba(self, X) -> np.ndarray:
        """Return p(k|x), shape (n_samples, n_classes)."""
        return np.exp(self.predict_log_proba(X))

    def sample_class(self, j: int, n_samples: int, random_state=None) -> np.ndarray:
        """Draw rows of the class of index j."""
        with errors_of_class(self.classes_.tolist()[j]):
            return draw_samples(self.densities[j], n_samples, check_random_state(random_state))

    def sample(self, n_samples: int = 1, random_state=None) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows and their classes from p(x,k)."""
        rng = check_random_state(random_state)
        k = rng.choice(len(self.priors), n_samples, p=self.priors)
        rows = {j: self.sample_class(j, int(np.sum(k == j)), rng) for j in np.unique(k).tolist()}
        X = np.empty((n_samples, next(iter(rows.values())).shape[1]))
        for j, drawn in rows.items():
            X[k == j] = drawn
        return X, self.classes_[k]


def _linear_discriminant(densities: list[Any]) -> CentredDiscriminant | None:
    """The discriminant of Gaussians with equal covariances: one matrix product instead of one density per class."""
    if not all(isinstance(density, Gaussian) and hasattr(density, "mean_") for density in densities):
        return None
    first = densities[0]
    if not all(np.array_equal(density.covariance_, first.covariance_) for density in densities):
        return None
    return CentredDiscriminant.from_means(np.stack([density.mean_ for density in densities]), first.solve)


def check_priors(priors: Any, classes: np.ndarray) -> np.ndarray:
    """Check the priors of these classes; None: all equal."""
    K = classes.size
    if priors is None:
        return np.full(K, 1.0 / K)
    p = as_float_array(priors, "priors")
    if p.shape != (K,):
        raise ValueError(f"priors: expected one for each of the {K} classes {classes.tolist()}, got shape {p.shape}.")
    for label, value in zip(classes.tolist(), p.tolist(), strict=True):
        if not value >= 0:
            raise ValueError(f"priors: expected a number >= 0 for class {label!r}, got {value}.")
    if abs(p.sum() - 1) > 1e-9:
        raise ValueError(f"priors: expected the sum 1, got {p.sum()}.")
    return p
