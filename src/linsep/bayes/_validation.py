"""Validation of the input of densities and classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from ..estimators._validation import check_input, check_sample_weight, require_known_labels

MAX_REPEATED = 10**9  # entries of X with its rows repeated


def as_float_array(values: Any, name: str) -> np.ndarray:
    """A float64 array of its own, so that the caller may change his; an error names the argument.

    >>> as_float_array([[1, 2], [3]], "loss")
    Traceback (most recent call last):
        ...
    ValueError: loss: expected an array of numbers, got [[1, 2], [3]].
    """
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected an array of numbers, got {values!r}.") from None


def by_label(values: dict, classes: np.ndarray, name: str) -> list[Any]:
    """The values of a dictionary in the order of the classes, one for each; an error names what is missing.

    >>> by_label({"b": 1, "a": 2}, np.array(["a", "b"]), "priors")
    [2, 1]
    """
    labels = classes.tolist()
    if set(values) != set(labels):
        raise ValueError(f"{name}: expected one entry for each of the labels {labels}, got {list(values)}.")
    return [values[label] for label in labels]


def check_rows(estimator, X, *y, reset: bool, accept_sparse: Any = False):
    """Check X, or X and y; X becomes float64."""
    return check_input(estimator, X, *y, accept_sparse=accept_sparse, dtype=np.float64, reset=reset)


def check_weights(sample_weight, X: np.ndarray) -> np.ndarray:
    """Return the weights of the rows, 1 by default; none is negative, not all are zero."""
    weight = check_sample_weight(sample_weight, X)
    if weight is None:
        return np.ones(X.shape[0])
    if not weight.any():
        raise ValueError("sample_weight: expected a positive weight, all weights are zero.")
    return weight


def check_labelled(
    estimator, X, y, sample_weight, accept_sparse: Any = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return X, class indices and weights; sets ``classes_``, which are those of the rows whose weight is not 0."""
    X, y = check_rows(estimator, X, y, reset=True, accept_sparse=accept_sparse)
    check_classification_targets(y)
    weight = check_weights(sample_weight, X)
    classes, k = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"Expected at least two classes, y has one class only: {classes.tolist()[0]!r}.")
    for label, total in zip(classes.tolist(), np.bincount(k, weight), strict=True):
        if total == 0:
            raise ValueError(f"sample_weight: all rows of class {label!r} have weight zero.")
    estimator.classes_ = classes
    return X, k, weight


def check_more(
    estimator, X, y, classes, sample_weight, accept_sparse: Any = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `check_labelled`, of a part of the rows; only the first part must have rows of all ``classes``."""
    first = not hasattr(estimator, "classes_")
    if first and classes is None:
        raise ValueError("classes: the first call of partial_fit needs all labels, partial_fit(X, y, [a, b]).")
    X, y = check_rows(estimator, X, y, reset=first, accept_sparse=accept_sparse)
    known = np.unique(classes) if first else estimator.classes_
    if classes is not None and not np.array_equal(np.unique(classes), known):
        raise ValueError(f"classes: expected {known.tolist()} as in the first call, got {list(classes)}.")
    require_known_labels(y, known)
    k, weight = np.searchsorted(known, y), check_weights(sample_weight, X)
    if first:
        missing = np.flatnonzero(np.bincount(k, weight, known.size) == 0)
        if missing.size:
            raise ValueError(f"partial_fit: the first part has no row of class {known.tolist()[missing[0]]!r}.")
        estimator.classes_ = known
    return X, k, weight


def repeat_rows(name: str, X: np.ndarray, k: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Repeat rows and class indices by their integer weights, for an estimator whose ``fit`` takes no weights.

    >>> repeat_rows("LDA", np.array([[1.0], [2.0]]), np.array([0, 1]), np.array([1.0, 2.0]))[1]
    array([0, 1, 1])
    """
    for value in weight[weight != np.round(weight)][:1]:
        raise ValueError(f"sample_weight: {name}.fit takes no weights, so expected integers, got {value:g}.")
    if weight.sum() * X.shape[1] > MAX_REPEATED:
        raise ValueError(f"sample_weight: {name}.fit takes no weights, and {weight.sum():.6g} rows are too many.")
    times = weight.astype(np.int64)
    return X.repeat(times, axis=0), k.repeat(times)
