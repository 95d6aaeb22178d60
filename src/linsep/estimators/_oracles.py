"""The rows of a sample as oracles: one, or one for each part of rows that are elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..oracles.points import rows_oracle
from ._linear import set_oracle
from ._parted import Parted
from ._validation import Sample


def set_oracles(sample: Sample, classes: np.ndarray, *, bias: float) -> list[Any]:
    """The sample as oracles: one, or one for each part of rows that are elsewhere."""
    if isinstance(sample.X, Parted):
        return sample.X.oracles(sample, classes, bias * sample.scale.constant)
    return [set_oracle(sample, bias=bias)]


def plain_rows(X: Any) -> list[Any]:
    """The rows without classes as oracles, for products of X: one, or one for each part."""
    return X.plain_rows() if isinstance(X, Parted) else [rows_oracle(X, np.ones(X.shape[0], dtype=np.int8))]


def two_classes(sample: Sample, classes: np.ndarray, *, bias: float) -> list[Any]:
    """`set_oracles`; parts of more than two classes are refused."""
    if sample.n_classes and isinstance(sample.X, Parted):
        raise ValueError(
            f"y: expected two classes of a dask collection, got {sample.n_classes}. "
            "Use OneVsAll of this rule, or LinearMachine(batch=True)."
        )
    return set_oracles(sample, classes, bias=bias)


def in_classes(share: np.ndarray, label: np.ndarray) -> np.ndarray:
    """How much of each row is in the weights of each class, from the row's weights against its rivals.

    >>> in_classes(np.array([[0.0, 0.5, 0.25]]), np.array([0]))
    array([[ 0.75, -0.5 , -0.25]])
    """
    weights = np.subtract(0.0, share)
    weights[np.arange(label.size), label] += share.sum(axis=1)
    return weights
