"""Errors of a model on rows with labels, counted and put into words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.columns import HeldOut
from .output import Output, Problem
from .tables import Table, decide


def evaluate(model: Any, table: Table, held_out: HeldOut | None = None) -> dict[str, Any]:
    """Accuracy with its 95 % interval (Clopper and Pearson), the confusion matrix, and each class's precision.

    Of the rows that are held out, if some are.
    """
    from scipy.stats import binomtest

    decided, y = decide(model, table.dataset)[0], table.sample().y
    if held_out is not None:
        mask = held_out.mask(0, y.size)
        decided, y = decided[mask], y[mask]
    if y.dtype.kind != decided.dtype.kind and {y.dtype.kind, decided.dtype.kind} & {"U", "O"}:
        raise Problem(f"the labels are {y.dtype.name}, those of the model {decided.dtype.name}.")
    classes = np.unique(np.concatenate([model.classes_, y]))
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
