"""Checked input of densities and classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from ..estimators._validation import first_not_finite as _first_not_finite

MOST = 10**9  # numbers that repeated rows may have


def numbers(values: Any, who: str) -> np.ndarray:
    """An array of float64, or an error that says what was not one.

    >>> numbers([[1, 2], [3]], "loss")
    Traceback (most recent call last):
        ...
    ValueError: loss: an array of numbers is wanted, not [[1, 2], [3]].
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{who}: an array of numbers is wanted, not {values!r}.") from None


def checked(estimator, X, *y, reset: bool):
    """X, or X and y, as float64; an error about NaN or infinity also says where."""
    try:
        return validate_data(estimator, X, *y, dtype=np.float64, reset=reset)
    except ValueError as error:
        if "Input X contains" not in str(error):
            raise
        raise ValueError(f"{str(error).splitlines()[0]} {_first_not_finite(X)}") from None


def weights(sample_weight, X: np.ndarray) -> np.ndarray:
    """The weights of the rows, 1 by default; not negative and not all zero."""
    weight = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
    if not weight.any():
        raise ValueError("sample_weight: all weights are zero, so there is nothing to learn from.")
    return weight


def repeated(who: str, X: np.ndarray, k: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes as often as they weigh: what whole weights mean to an estimator that takes none.

    >>> repeated("LDA", np.array([[1.0], [2.0]]), np.array([0, 1]), np.array([1.0, 2.0]))[1]
    array([0, 1, 1])
    """
    for j in np.flatnonzero(weight != np.round(weight))[:1]:
        raise ValueError(
            f"sample_weight: {who}.fit takes no weights, so a row can only be repeated, and not {weight[j]:g} times."
        )
    if weight.sum() * X.shape[1] > MOST:
        raise ValueError(f"sample_weight: {who}.fit takes no weights, and {weight.sum():.6g} rows are too many.")
    often = weight.astype(np.int64)
    return X.repeat(often, axis=0), k.repeat(often)


def labelled(estimator, X, y, sample_weight) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X, the number of each row's class, and its weight, without rows of weight 0; sets ``classes_``."""
    X, y = checked(estimator, X, y, reset=True)
    check_classification_targets(y)
    weight = weights(sample_weight, X)
    classes, k = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"Two classes at least are needed, but y has one class only: {classes.tolist()[0]!r}.")
    for label, mass in zip(classes.tolist(), np.bincount(k, weight), strict=True):
        if mass == 0:
            raise ValueError(f"sample_weight: all rows of class {label!r} weigh zero.")
    estimator.classes_ = classes
    live = slice(None) if weight.all() else weight > 0  # no copy for nothing
    return X[live], k[live], weight[live]
