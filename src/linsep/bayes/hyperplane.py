r"""The error of any hyperplane on given Gaussians (F5)."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.special import ndtr

from ._validation import as_float_array


def hyperplane_errors(w: Any, b: float, means: Any, covariances: Any, y: Any) -> np.ndarray:
    r"""Return the probability with which the rule sign(<w,x> + b) errs on each Gaussian.

    .. math:: \varepsilon_j = \Phi(-r_j), \qquad r_j = \pm\frac{\langle w,\mu_j\rangle + b}{\sqrt{w^T \Sigma_j w}}

    r is the Mahalanobis distance of the mean from the hyperplane, negative on the wrong side. A Gaussian without spread
    along w is a point: it errs with probability 0, or 1, also on the hyperplane itself.

    Parameters
    ----------
    w : array-like of shape (d,)
        The normal of the hyperplane; it points to the positive side.
    b : float
        The bias.
    means : array-like of shape (k, d)
        The means of the Gaussians.
    covariances : number, or list of k covariances
        A variance (of a sphere), d variances (a diagonal), or a d x d matrix each; one number is the variance of all.
    y : array-like of shape (k,)
        The class of each Gaussian; of the two labels, sorted, the second is the positive side.

    Examples
    --------
    >>> hyperplane_errors([1.0, 0.0], -1.0, [[0.0, 0.0], [3.0, 5.0]], [1.0, [4.0, 9.0]], [0, 1]).round(4)
    array([0.1587, 0.1587])
    """
    w, means = as_float_array(w, "w").ravel(), np.atleast_2d(as_float_array(means, "means"))
    if means.shape[1] != w.size or not w.any():
        raise ValueError(f"w: expected {means.shape[1]} numbers, one per column of means, not all 0; got {w.tolist()}.")
    if not (np.isfinite(w).all() and np.isfinite(means).all() and np.isfinite(b)):
        raise ValueError("w, b, means: expected finite numbers, got NaN or infinity.")
    covariances = [covariances] * len(means) if isinstance(covariances, Real) else covariances
    labels, k = np.unique(np.asarray(y), return_inverse=True)
    if len(labels) > 2 or k.shape != (len(means),) or len(covariances) != len(means):
        raise ValueError(
            f"y, covariances: expected {len(means)} each, one per mean, and at most two labels; "
            f"got {k.size}, {len(covariances)} and labels {labels.tolist()}."
        )
    if len(labels) == 1:
        raise ValueError(f"y: expected two labels, got {labels.tolist()[0]!r} only, which has no side.")
    ahead = np.where(k == 1, 1.0, -1.0) * (means @ w + float(b))
    deviation = np.sqrt([_variance_along(w, each, j) for j, each in enumerate(covariances)])
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.where(deviation > 0, ahead / deviation, np.where(ahead > 0, np.inf, -np.inf))
    return ndtr(-radius)


def _variance_along(w: np.ndarray, covariance: Any, j: int) -> float:
    """w' C w of covariance number j."""
    C = as_float_array(covariance, "covariances")
    if C.shape not in ((), (w.size,), (w.size, w.size)):
        raise ValueError(f"covariances[{j}]: expected a number, {w.size} variances or a matrix, got shape {C.shape}.")
    found = float(w @ C @ w if C.ndim == 2 else np.sum(C * w * w))
    if not found >= 0:
        raise ValueError(f"covariances[{j}]: expected a variance >= 0 along w, got {found}.")
    return found
