"""From rows to Gaussians: one for a class by its moments, or several by a mixture, with shrinkage."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..solvers.anderson.moments import Moments

LEDOIT_WOLF = "ledoit-wolf"


class Estimate(NamedTuple):
    """One Gaussian of one class, from rows of so much weight."""

    mean: np.ndarray
    covariance: np.ndarray
    weight: float


def from_moments(moments: Moments, shrinkage: Any) -> Estimate:
    """The Gaussian of largest likelihood, drawn towards a sphere by a part ``shrinkage``."""
    return Estimate(moments.mean, _shrunk(moments.covariance(), shrinkage), moments.weight)


def from_rows(X: np.ndarray, weight: np.ndarray | None, shrinkage: Any) -> Estimate:
    """The same from rows, also with Ledoit and Wolf's shrinkage, which needs all of them."""
    if shrinkage != LEDOIT_WOLF:
        return from_moments(Moments.of(X, weight), shrinkage)
    from sklearn.covariance import ledoit_wolf  # here, for it imports much that others need not wait for

    _alike(weight, LEDOIT_WOLF)
    X = X.astype(np.float64)
    return Estimate(X.mean(axis=0), ledoit_wolf(X)[0], float(len(X)))


def mixture(X: np.ndarray, weight: np.ndarray | None, components: int, shrinkage: Any, seed: int) -> list[Estimate]:
    """The Gaussians of a mixture; scikit-learn's GaussianMixture finds them."""
    from sklearn.covariance import ledoit_wolf
    from sklearn.mixture import GaussianMixture

    _alike(weight, f"components={components}")
    X = X.astype(np.float64)
    found = GaussianMixture(components, random_state=seed).fit(X)
    part = found.predict_proba(X)
    estimates = []
    for j in range(components):
        own = X[part.argmax(axis=1) == j]
        wolf = shrinkage == LEDOIT_WOLF and len(own) > 1
        covariance = ledoit_wolf(own)[0] if wolf else _shrunk(found.covariances_[j], shrinkage)
        estimates.append(Estimate(found.means_[j], covariance, float(part[:, j].sum())))
    return estimates


def _alike(weight: np.ndarray | None, what: str) -> None:
    if weight is not None and np.ptp(weight) > 0:
        raise ValueError(f"sample_weight: {what} knows no unequal weights.")


def _shrunk(covariance: np.ndarray, part: Any) -> np.ndarray:
    """A covariance drawn towards a sphere of the same size."""
    if not isinstance(part, Real):
        return covariance
    d = len(covariance)
    return (1.0 - float(part)) * covariance + float(part) * np.trace(covariance) / d * np.eye(d)
