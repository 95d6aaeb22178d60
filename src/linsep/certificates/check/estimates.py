r"""An independent check that Gaussians are the estimates of rows: NumPy only, no line shared with the fit.

.. math:: \mu = \frac{\sum_i s_i x_i}{\sum_i s_i} , \qquad
          \Sigma = \frac{\sum_i s_i (x_i - \mu)(x_i - \mu)^T}{\sum_i s_i} , \qquad
          (1 - \rho)\,\Sigma + \rho\,\frac{\operatorname{tr}\Sigma}{d}\, I

with weights s and the shrinkage :math:`\rho`: a given one, or Ledoit and Wolf's. Mixtures are not checked: many of them
fit the same rows, and which one a search finds cannot be computed again without it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ROUNDING = 1e-11  # of sums over rows, relative to the largest number of a column
AGREE = 1e-9  # estimates agree if they differ by less than this part of their standard deviations
LEDOIT_WOLF_AGREE = 1e-7  # the shrinkage of nearly round covariances is known to half of the digits only


def find_wrong_estimates(
    gaussians: tuple[Any, Any, Any], X: Any, y: Any, sample_weight: Any = None, *, shrinkage: float | str | None = None
) -> tuple[str, ...]:
    """What is wrong with (means, covariances, labels) as estimates of the rows, one Gaussian per class; or nothing.

    >>> X, y = np.array([[0.0], [2.0], [5.0], [9.0]]), np.array(["a", "a", "b", "b"])
    >>> find_wrong_estimates(([[1.0], [7.0]], [[[1.0]], [[4.0]]], ["a", "b"]), X, y)
    ()
    >>> find_wrong_estimates(([[1.0], [7.0]], [[[1.0]], [[4.1]]], ["a", "b"]), X, y)
    ("covariances: of class 'b' an entry is off by 0.1",)
    """
    X, y = np.asarray(X), np.asarray(y)
    means, covariances, labels = (np.asarray(part) for part in gaussians)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if X.shape != (len(y), means.shape[1]) or weight.shape != y.shape:
        return (f"shape: X is {X.shape}, y {y.shape}, sample_weight {weight.shape}, the means {means.shape}",)
    if not np.isfinite(X).all() or not (np.isfinite(weight) & (weight >= 0)).all():
        return ("X or sample_weight: a number is not finite, or a weight negative",)
    present = weight > 0
    if sorted(np.unique(y[present]).tolist()) != sorted(labels.tolist()):
        return ("labels: the classes of y are not those of the Gaussians, one each",)
    wrong: list[str] = []
    for mean, covariance, label in zip(means, covariances, labels.tolist(), strict=True):
        rows = present & (y == label)
        wrong += _compare(mean, covariance, X[rows].astype(np.longdouble), weight[rows], shrinkage, label)
    return tuple(wrong)


def _compare(
    mean: np.ndarray, covariance: np.ndarray, X: np.ndarray, weight: np.ndarray, shrinkage: Any, label: Any
) -> list[str]:
    """What is wrong with one Gaussian as the estimate of the rows of its class."""
    share = weight.astype(np.longdouble) / weight.sum(dtype=np.longdouble)
    centre = share @ X
    centred = (X - centre).astype(np.float64)
    own = (centred * share[:, None].astype(np.float64)).T @ centred
    d, sigma, rounding = len(own), np.sqrt(np.diag(own)), ROUNDING * np.abs(X).max(axis=0)
    tolerance = np.outer(sigma + rounding, sigma + rounding) - (1.0 - AGREE) * np.outer(sigma, sigma)
    size, sphere = np.trace(own) / d, np.eye(d)
    part = _ledoit_wolf_shrinkage(centred, own) if shrinkage == "ledoit-wolf" else shrinkage or 0.0
    own = (1.0 - part) * own + part * size * sphere
    tolerance = tolerance + (AGREE * size + np.trace(tolerance) / d) * sphere if part else tolerance
    tolerance = tolerance + LEDOIT_WOLF_AGREE * size if shrinkage == "ledoit-wolf" else tolerance
    wrong = []
    for name, difference, allowed in (
        ("means", np.abs(mean - centre), AGREE * sigma + rounding),
        ("covariances", np.abs(covariance - own), tolerance),
    ):
        if not (difference <= allowed).all():
            wrong.append(f"{name}: of class {label!r} an entry is off by {float(np.max(difference)):.3g}")
    return wrong


def _ledoit_wolf_shrinkage(centred: np.ndarray, covariance: np.ndarray) -> float:
    """The part by which Ledoit and Wolf draw a covariance towards a sphere: the share of its error in its shape."""
    n, d = centred.shape
    shape = np.sum(covariance**2) - np.trace(covariance) ** 2 / d
    error = (np.sum(np.sum(centred**2, axis=1) ** 2) / n - np.sum(covariance**2)) / n
    return float(min(error / shape, 1.0)) if shape > 0 and error > 0 else 0.0
