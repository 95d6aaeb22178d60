"""Errors of decisions, counted: the confusion matrix, the accuracy with its interval, each class's precision."""

from __future__ import annotations

from typing import Any

import numpy as np


def count_errors(known: np.ndarray, y: np.ndarray, decided: np.ndarray) -> dict[str, Any]:
    """Accuracy with its 95 % interval (Clopper and Pearson), the confusion matrix, and each class's precision.

    >>> found = count_errors(np.array(["a", "b"]), np.array(["a", "a", "b"]), np.array(["a", "b", "b"]))
    >>> found["errors"], found["confusion"]
    (1, [[1, 1], [0, 1]])
    """
    from scipy.stats import binomtest

    if y.dtype.kind != decided.dtype.kind and {y.dtype.kind, decided.dtype.kind} & {"U", "O"}:
        raise ValueError(f"the labels are {y.dtype.name}, those of the model {decided.dtype.name}.")
    classes = np.unique(np.concatenate([known, y]))
    truth, said = np.searchsorted(classes, y), np.searchsorted(classes, decided)
    confusion = np.zeros((classes.size, classes.size), dtype=np.int64)
    np.add.at(confusion, (truth, said), 1)
    n, right = int(confusion.sum()), int(np.trace(confusion))
    interval = binomtest(right, n).proportion_ci(0.95)
    per_class = [
        {"class": label, "rows": int(row.sum()), "recall": _share(row[k], row), "precision": _share(row[k], column)}
        for k, (label, row, column) in enumerate(zip(classes.tolist(), confusion, confusion.T))
    ]
    return {
        "rows": n,
        "errors": n - right,
        "accuracy": right / n,
        "interval": [float(interval.low), float(interval.high)],
        "largest_class": int(confusion.sum(axis=1).max()) / n,
        "classes": per_class,
        "confusion": confusion.tolist(),
    }


def _share(part: Any, whole: np.ndarray) -> float | None:
    return float(part / whole.sum()) if whole.sum() else None
