"""Recordings of the Anderson tasks: ellipses, the points in which they touch the line, and r growing (F2, F3)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from ..certificates.prove.radius import compute_radii
from ..certificates.radius import covariance_matrices
from ..solvers.anderson.gaussians import factorize
from .table import Question, Table, fit_within

MOST_GAUSSIANS = 60


def prepare_gaussians(
    estimator: Any, X: np.ndarray, y: np.ndarray, covariances: Any, content: dict[str, Any]
) -> Callable[[int, float], dict[str, Any]]:
    """Write down the Gaussians, given or estimated, and return how to learn from them."""
    if X.shape[1] != 2:
        raise ValueError(f"X: the lab draws Gaussians of two columns, got {X.shape[1]}.")
    if covariances is not None and len(X) > MOST_GAUSSIANS:
        raise ValueError(f"X: the lab takes up to {MOST_GAUSSIANS} Gaussians, got {len(X)}.")
    if len(np.unique(y)) != 2:
        raise ValueError(f"y: expected two classes, got {len(np.unique(y))}.")
    content["decides"] = {"kind": "sign"}

    def learn(most: int, end: float) -> dict[str, Any]:
        question = Question(estimator, X, y, np.arange(len(y)))
        fitted = fit_within(question, most, max(end - time.monotonic(), 0.1), covariances)
        return _follow(fitted, most, end)

    return learn


def _follow(fitted: Any, most: int, end: float) -> dict[str, Any]:
    """Every update of the method on the Gaussians of a fit."""
    means, labels = fitted.means_, fitted.labels_
    matrices = covariance_matrices(fitted.covariances_, len(means), 2)
    table, complete = Table(1, 3), True
    question = Question(fitted, means, labels, np.arange(len(means)))
    g = factorize(means, fitted.covariances_, np.where(labels == fitted.classes_[1], 1, -1))
    required = None if fitted.error is None else float(-ndtri(fitted.error))

    def measured(w: np.ndarray) -> tuple[list[float], list[list[float]]]:
        radii = compute_radii(g, np.append(np.ldexp(w[:-1], g.exponent), w[-1]))
        return radii.tolist(), [touching(w, *each).tolist() for each in zip(means, matrices, strict=True)]

    radii, points = [], []
    try:
        for update in fitted._gaussian_updates(most):
            table.add(update, question)
            here = measured(update.w)
            radii.append(here[0])
            points.append(here[1])
            if not np.isfinite(update.lower):
                table.found["lower"][-1] = min(here[0])
            if time.monotonic() > end:
                complete = False
                break
    except ValueError as error:  # two Gaussians are one equation: no steps
        if not str(error).startswith("trace:"):
            raise
    claim = fitted.certificate_
    last = measured(claim.w)
    return {
        "gaussians": {
            "means": means.tolist(),
            "covariances": matrices.tolist(),
            "factors": [_root(each).tolist() for each in matrices],
            "y": np.searchsorted(fitted.classes_, labels).tolist(),
            "required": required,
            "radii": last[0],
            "error": float(ndtr(-min(last[0]))),
            "touching": last[1],
        },
        "shape": [1, 3],
        "start": table.start((1, 3)).ravel().tolist(),
        "updates": {
            **table.columns(),
            "radii": radii,
            "touching": points,
            "error": [float(ndtr(-min(each))) for each in radii],
        },
        "answer": claim.w.tolist(),
        "certificates": [{**claim.to_dict(), "sentence": str(claim)}],
        "complete": complete and table.count < most,
    }


def touching(w: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    r"""The point of the line that the growing ellipse reaches first: :math:`\mu - \Sigma w\, g(\mu) / w^T \Sigma w`.

    >>> touching(np.array([1.0, 0.0, -2.0]), np.zeros(2), np.diag([4.0, 1.0])).tolist()
    [2.0, 0.0]
    """
    along = covariance @ w[:-1]
    spread = float(w[:-1] @ along)
    return mean - along * ((w[:-1] @ mean + w[-1]) / spread) if spread > 0 else mean


def _root(covariance: np.ndarray) -> np.ndarray:
    """F with F F' = the covariance: the ellipse of radius r is mean + r F (cos, sin)."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))
