"""Curves of a score against labels: ROC, precision and recall, the error at each threshold, calibration.

A curve of many rows is sampled for the page; areas and counts are those of all rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

POINTS = 150  # of a curve on the page
GROUPS = 10  # of calibration


class Ranking:
    """Rows in the order of their score, the highest first; equal scores are one step.

    After step k, ``taken[k]`` rows are said to be of the class, ``hits[k]`` of them rightly: all with a score of
    ``threshold[k]`` or more.
    """

    def __init__(self, score: np.ndarray, positive: np.ndarray):
        order = np.argsort(-score, kind="stable")
        ranked = score[order]
        last = np.append(np.flatnonzero(np.diff(ranked)), ranked.size - 1)
        self.threshold, self.taken = ranked[last], last + 1
        self.hits = np.cumsum(positive[order])[last]
        self.rows, self.positives = int(ranked.size), int(positive.sum())

    @property
    def negatives(self) -> int:
        """How many rows are not of the class."""
        return self.rows - self.positives

    def roc(self) -> tuple[np.ndarray, np.ndarray]:
        """False and true positives, as shares, from (0, 0) on."""
        false = np.concatenate([[0.0], (self.taken - self.hits) / self.negatives])
        return false, np.concatenate([[0.0], self.hits / self.positives])

    def area(self) -> float:
        """The area under the ROC curve: how often a row of the class has the higher score, ties half."""
        false, true = self.roc()
        return float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2))

    def average_precision(self) -> float:
        """The mean precision over the rows of the class, as scikit-learn defines it."""
        precision, recall = self.hits / self.taken, self.hits / self.positives
        return float(np.sum(np.diff(np.concatenate([[0.0], recall])) * precision))

    def errors(self) -> np.ndarray:
        """Errors if rows with a score of at least each threshold are taken; first: if none is."""
        wrong = (self.taken - self.hits) + (self.positives - self.hits)
        return np.concatenate([[self.positives], wrong])


def sample(*coordinates: np.ndarray, most: int = POINTS) -> np.ndarray:
    """Numbers of at most ``most`` points of a curve, evenly along its length, its ends and corners among them."""
    n = coordinates[0].size
    if n <= most:
        return np.arange(n)
    length = np.zeros(n)
    for values in coordinates:
        span = float(np.ptp(values)) or 1.0
        length[1:] += np.cumsum(np.abs(np.diff(values))) / span
    at = np.searchsorted(length, np.linspace(0.0, length[-1], most))
    return np.unique(np.concatenate([[0], np.minimum(at, n - 1), [n - 1]]))


def ranking_facts(score: np.ndarray, positive: np.ndarray, label: Any) -> dict[str, Any] | None:
    """The ROC and the precision-recall curve of one class; None if all rows are of it, or none."""
    ranking = Ranking(score, positive)
    if not 0 < ranking.positives < ranking.rows:
        return None
    false, true = ranking.roc()
    steps = sample(false, true)
    precision, recall = ranking.hits / ranking.taken, ranking.hits / ranking.positives
    thresholds = np.concatenate([[math.inf], ranking.threshold])
    shown = sample(recall, precision)
    return {
        "class": label,
        "rows": ranking.positives,
        "auc": ranking.area(),
        "average_precision": ranking.average_precision(),
        "roc": np.column_stack([false, true, thresholds])[steps].tolist(),
        "precision_recall": np.column_stack([recall, precision, ranking.threshold])[shown].tolist(),
    }


def threshold_facts(g: np.ndarray, positive: np.ndarray) -> dict[str, Any]:
    """The error at the threshold 0, at every other, and the least of them (two classes)."""
    ranking = Ranking(g, positive)
    errors = ranking.errors()
    best = int(errors.argmin())
    values = ranking.threshold
    # between two scores: the rule is "g > t"
    cut = np.concatenate([[values[0]], (values[:-1] + values[1:]) / 2, [np.nextafter(values[-1], -math.inf)]])
    inside = sample(cut, errors.astype(np.float64))
    taken = g > 0
    return {
        "error": float(np.mean(taken != positive)),
        "false_positives": int((taken & ~positive).sum()),
        "false_negatives": int((~taken & positive).sum()),
        "best_threshold": float(cut[best]),
        "best_error": float(errors[best] / ranking.rows),
        "points": np.column_stack([cut, errors / ranking.rows])[inside].tolist(),
    }


def fit_sigmoid(score: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    r"""Slope and intercept of Platt's :math:`p = 1/(1 + e^{-(as + b)})`, by Newton's method on his smoothed labels.

    >>> a, b = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    >>> round(a, 3), abs(round(b, 3))
    (0.674, 0.0)
    """
    ones = int(positive.sum())
    target = np.where(positive, (ones + 1) / (ones + 2), 1 / (score.size - ones + 2))
    scale = float(np.abs(score).max()) or 1.0
    s, found = score / scale, np.array([0.0, math.log((ones + 1) / (score.size - ones + 1))])
    cost = _log_cost(s, target, found)
    for _ in range(100):
        p = _sigmoid(found[0] * s + found[1])
        gradient = np.array([np.dot(p - target, s), np.sum(p - target)])
        v = p * (1 - p)
        hessian = np.array([[np.dot(v, s * s), np.dot(v, s)], [np.dot(v, s), v.sum()]]) + 1e-12 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-10 and _log_cost(s, target, found - size * step) > cost:
            size /= 2
        found = found - size * step
        before, cost = cost, _log_cost(s, target, found)
        if before - cost <= 1e-13 * max(cost, 1.0):
            break
    return float(found[0] / scale), float(found[1])


def _sigmoid(z: np.ndarray) -> np.ndarray:
    return np.exp(-np.logaddexp(0.0, -z))


def _log_cost(s: np.ndarray, target: np.ndarray, found: np.ndarray) -> float:
    z = found[0] * s + found[1]
    return float(np.sum(np.logaddexp(0.0, z) - target * z))


def calibration_facts(score: np.ndarray, positive: np.ndarray, what: str) -> dict[str, Any]:
    """How often the score is right: the share of hits in groups of equal size, and Platt's sigmoid of the score."""
    from scipy.stats import binomtest

    order = np.argsort(score, kind="stable")
    groups = []
    for part in np.array_split(order, min(GROUPS, score.size)):
        hits = int(positive[part].sum())
        interval = binomtest(hits, part.size).proportion_ci(0.95)
        groups.append(
            {
                "low": float(score[part[0]]), "high": float(score[part[-1]]), "mean": float(score[part].mean()),
                "rows": int(part.size), "share": hits / part.size,
                "interval": [float(interval.low), float(interval.high)],
            }
        )  # fmt: skip
    slope, intercept = fit_sigmoid(score, positive)
    p = _sigmoid(slope * score + intercept)
    kept = np.clip(p, np.finfo(float).eps, 1 - np.finfo(float).eps)
    return {
        "of": what,
        "groups": groups,
        "slope": slope,
        "intercept": intercept,
        "brier": float(np.mean((p - positive) ** 2)),
        "log_loss": float(-np.mean(np.where(positive, np.log(kept), np.log1p(-kept)))),
    }
