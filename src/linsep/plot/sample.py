"""Data for a picture: few columns, two classes, checked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Sample(NamedTuple):
    """Points with their side."""

    X: np.ndarray  # n x d of float64
    sign: np.ndarray  # +1 for classes[1], -1 for classes[0]
    classes: tuple  # the labels of the negative and of the positive side
    names: tuple[str, ...]  # of the columns


def sample(X: Any, y: Any, columns: tuple[int, ...] = (2,), classes: Any = None, who: str = "plot") -> Sample:
    """Check X and y. ``classes`` are the labels of the two sides; without them y must have exactly two.

    >>> sample([[0.0, 1.0], [2.0, 3.0]], ["no", "yes"]).sign
    array([-1,  1])
    >>> sample([[0.0, 1.0], [2.0, 3.0]], ["no", "no"])
    Traceback (most recent call last):
        ...
    ValueError: plot: two classes are needed, but y has 1: 'no'.
    """
    table, labels, names = checked(X, y, columns, who)
    return Sample(table, *_sides(labels, classes, who), names)


def checked(X: Any, y: Any, columns: tuple[int, ...], who: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """X as a table of float64, y as an array, and the names of the columns."""
    table = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    labels = np.asarray(y)
    if table.ndim != 2 or table.shape[1] not in columns:
        wanted = " or ".join(map(str, columns))
        raise ValueError(f"{who}: X must be a table of {wanted} columns to be drawn, its shape is {table.shape}.")
    if labels.shape != table.shape[:1]:
        raise ValueError(f"{who}: X has {table.shape[0]} rows, but y has shape {labels.shape}.")
    for row, column in np.argwhere(~np.isfinite(table))[:1]:
        raise ValueError(f"{who}: X[{row}, {column}] = {table[row, column]} is not a finite number.")
    names = tuple(map(str, getattr(X, "columns", ()))) or tuple(f"x{'₁₂'[j]}" for j in range(table.shape[1]))
    return table, labels, names


def _sides(labels: np.ndarray, classes: Any, who: str) -> tuple[np.ndarray, tuple]:
    """+1 or -1 of each label, and the two labels."""
    found = np.unique(labels)
    known = found if classes is None else np.asarray(classes)
    if known.shape != (2,):
        shown = ", ".join(repr(label) for label in known.tolist()[:3])
        raise ValueError(f"{who}: two classes are needed, but y has {known.size}: {shown}.")
    strange = np.setdiff1d(found, known).tolist()
    if strange:
        raise ValueError(f"{who}: y has the label {strange[0]!r}, which is not one of {known.tolist()}.")
    return np.where(labels == known[1], 1, -1), tuple(known.tolist())
