"""Checked data for a plot: one or two columns, and the class of every row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..validation import as_canonical_csr


class PlotData(NamedTuple):
    """Points with their classes."""

    X: np.ndarray  # float64, shape (n_samples, n_columns)
    class_index: np.ndarray  # index of each row's class
    classes: list  # labels
    names: tuple[str, ...]  # of the columns

    @property
    def sign(self) -> np.ndarray:
        """+1 for the rows of classes[1], -1 for the others."""
        return np.where(self.class_index == 1, 1, -1)

    @property
    def vectors(self) -> np.ndarray:
        """The vectors a = sign x of two columns, or sign (x, 1) of one (B2): those of a problem with two weights."""
        X = self.X if self.X.shape[1] == 2 else np.column_stack([self.X, np.ones(len(self.X))])
        return self.sign[:, None] * X

    def count_wrong(self, g: np.ndarray) -> str:
        """Return how many rows have a g of the wrong sign, in brackets; nothing if none has."""
        wrong = int(np.sum(g * self.sign <= 0))
        return f"   ({wrong} of {g.size} on the wrong side)" if wrong else ""


def check_data(X: Any, y: Any, function: str, *, columns: tuple[int, ...] = (2,), classes: Any = None) -> PlotData:
    """Check X and y. Errors name ``function``; ``columns`` are allowed numbers of columns, ``classes`` the labels."""
    points, labels = _as_points(X, function), np.asarray(y)
    if points.ndim != 2 or points.shape[1] not in columns:
        allowed = " or ".join(map(str, columns))
        raise ValueError(f"{function}: expected X with {allowed} columns, got shape {points.shape}.")
    if labels.shape != points.shape[:1]:
        raise ValueError(f"{function}: X has {points.shape[0]} rows, but y has shape {labels.shape}.")
    for row, column in np.argwhere(~np.isfinite(points))[:1]:
        raise ValueError(f"{function}: X[{row}, {column}] = {points[row, column]} is not a finite number.")
    if labels.dtype.kind in "fc" and not (np.isfinite(labels) & (labels == np.rint(labels.real))).all():
        raise ValueError(f"{function}: expected labels of classes in y, got numbers that are not whole.")
    found, index = np.unique(labels, return_inverse=True)
    known = found.tolist() if classes is None else np.asarray(classes).tolist()
    for label in found.tolist():
        if label not in known:
            raise ValueError(f"{function}: y has the label {label!r}, which is not one of {known}.")
    index = np.array([known.index(label) for label in found.tolist()], dtype=np.intp)[index]
    plain = ("x",) if points.shape[1] == 1 else ("x₁", "x₂")
    names = tuple(map(str, getattr(X, "columns", ()))) or plain
    return PlotData(points, index, known, names)


def _as_points(X: Any, function: str) -> np.ndarray:
    """X as an array of float64; a damaged sparse matrix is refused, and what is no number."""
    found = as_canonical_csr(X, f"{function}: X").toarray() if sp.issparse(X) else np.asarray(X)
    if found.dtype.kind not in "fiubO":
        raise ValueError(f"{function}: expected numbers in X, got an array of {found.dtype}.")
    try:
        return found.astype(np.float64)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"{function}: expected numbers in X: {error}.") from None


def check_two_classes(X: Any, y: Any, function: str, **options: Any) -> PlotData:
    """Check X and y as `check_data` does, and that there are exactly two classes.

    >>> check_two_classes([[0.0, 1.0], [2.0, 3.0]], ["no", "yes"], "decision").sign
    array([-1,  1])
    >>> check_two_classes([[0.0, 1.0], [2.0, 3.0]], ["no", "no"], "decision")
    Traceback (most recent call last):
        ...
    ValueError: decision: expected two classes, got 1: 'no'.
    """
    data = check_data(X, y, function, **options)
    if len(data.classes) != 2:
        raise ValueError(
            f"{function}: expected two classes, got {len(data.classes)}: {', '.join(map(repr, data.classes[:3]))}."
        )
    return data
