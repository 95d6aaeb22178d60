"""What is drawn of a certificate: the points of the two hulls that are nearest, or the one they share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certificates.base import Certificate


def class_points(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> list[list[float]]:
    """The convex combination of each class, with these weights of the rows; the lower label first."""
    side = y == np.unique(y)[1]
    found = []
    for rows in (~side, side):
        total = float(weights[rows].sum())
        found.append((weights[rows] @ X[rows] / total).tolist() if total > 0 else [float("nan")] * X.shape[1])
    return found


def proof_points(certificate: Certificate, X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    """The points that prove an upper bound of the margin of two classes, or that there is none; rows of all data."""
    used, weights = getattr(certificate, "rows", None), getattr(certificate, "weights", None)
    if used is None or weights is None or not len(used) or certificate.w.ndim > 1:
        return {}
    found: dict[str, Any] = {"proof_rows": rows[used].tolist()}
    zero, free = getattr(certificate, "zero_sum", False), getattr(certificate, "bias", "") == "free"
    if not (zero and certificate.bias != "none") and not (free and hasattr(certificate, "zero_sum")):  # type: ignore[attr-defined]
        return found
    side = y[used] == np.unique(y)[1]
    if side.any() and not side.all():
        points = [weights[each] @ X[used[each]] / weights[each].sum() for each in (~side, side)]
        found |= {"proof_points": [each.tolist() for each in points], "meet": bool(zero)}
    return found
