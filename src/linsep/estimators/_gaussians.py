"""From rows to Gaussians: one per class by its moments, or several by a mixture, with shrinkage."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..solvers.anderson.moments import Moments

LEDOIT_WOLF = "ledoit-wolf"


class Estimate(NamedTuple):
    """One Gaussian."""

    mean: np.ndarray
    covariance: np.ndarray


def estimate_from_moments(moments: Moments, shrinkage: float | None) -> Estimate:
    """The Gaussian of largest likelihood, its covariance drawn towards a sphere by a part ``shrinkage``."""
    return Estimate(moments.mean, _shrink(moments.covariance(), shrinkage))


def estimate_ledoit_wolf(X: np.ndarray, weight: np.ndarray | None) -> Estimate:
    """The Gaussian with Ledoit and Wolf's shrinkage, which needs all rows at once."""
    from sklearn.covariance import ledoit_wolf  # here, because it takes long to import

    _refuse_unequal(weight, f"shrinkage={LEDOIT_WOLF!r}")
    X = X.astype(np.float64)
    return Estimate(X.mean(axis=0), ledoit_wolf(X)[0])


def estimate_mixture(
    X: np.ndarray, weight: np.ndarray | None, components: int, shrinkage: Any, seed: int
) -> list[Estimate]:
    """The Gaussians of a mixture, by scikit-learn's GaussianMixture."""
    from sklearn.covariance import ledoit_wolf
    from sklearn.mixture import GaussianMixture

    _refuse_unequal(weight, f"components={components}")
    X = X.astype(np.float64)
    found = GaussianMixture(components, random_state=seed).fit(X)
    component = found.predict(X) if shrinkage == LEDOIT_WOLF else np.zeros(0)
    estimates = []
    for j, (mean, covariance) in enumerate(zip(found.means_, found.covariances_, strict=True)):
        own = np.flatnonzero(component == j)
        wolf = shrinkage == LEDOIT_WOLF and own.size > 1
        estimates.append(Estimate(mean, ledoit_wolf(X[own])[0] if wolf else _shrink(covariance, shrinkage)))
    return estimates


def _refuse_unequal(weight: np.ndarray | None, parameter: str) -> None:
    if weight is not None and np.ptp(weight) > 0:
        raise ValueError(f"sample_weight: expected equal weights with {parameter}, got unequal ones.")


def _shrink(covariance: np.ndarray, part: Any) -> np.ndarray:
    """A covariance drawn towards a sphere of the same size."""
    if not isinstance(part, Real):
        return covariance
    d = len(covariance)
    return (1.0 - float(part)) * covariance + float(part) * np.trace(covariance) / d * np.eye(d)
