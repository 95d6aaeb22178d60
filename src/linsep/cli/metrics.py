"""Errors of a model on rows with labels, counted and put into words."""

from __future__ import annotations

from typing import Any

import numpy as np

from .output import Output
from .tables import Sample


def evaluate(model: Any, sample: Sample) -> dict[str, Any]:
    """Accuracy with its 95 % interval (Clopper and Pearson), the confusion matrix, and each class's precision."""
    from scipy.stats import binomtest

    decided = model.predict(sample.X)
    classes = np.unique(np.concatenate([model.classes_, sample.y]))
    truth, said = np.searchsorted(classes, sample.y), np.searchsorted(classes, decided)
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


def say_evaluation(found: dict[str, Any], out: Output, what: str) -> None:
    """The evaluation in lines."""
    low, high = found["interval"]
    out.say(
        f"{found['errors']} errors on {found['rows']} {what}: accuracy {found['accuracy']:.4f} "
        f"(95 %: {low:.4f} to {high:.4f}; always the largest class: {found['largest_class']:.4f})."
    )


def say_classes(found: dict[str, Any], out: Output) -> None:
    """One line per class."""
    width = max(len("class"), *(len(str(each["class"])) for each in found["classes"]))
    out.say(f"{'class':<{width}}  {'rows':>8}  recall  precision")
    for each in found["classes"]:
        recall, precision = (f"{v:.4f}" if v is not None else "-" for v in (each["recall"], each["precision"]))
        out.say(f"{each['class']!s:<{width}}  {each['rows']:>8}  {recall:>6}  {precision:>9}")
