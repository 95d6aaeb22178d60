r"""What rival labellings cost (E5): a sum over places, so that the search for the best rival can count it.

.. math:: loss(y', y) = \sum_t W[y'_t, y_t]\ (/\ n) + whole \cdot [y' \ne y]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import read_only
from .validation import HEAVIEST, LIGHTEST

NAMES = ("count", "hamming", "zero-one")


class LabellingLoss(NamedTuple):
    """The loss of a labelling: of its places, and of being wrong at all."""

    table: np.ndarray  # K x K: W[decision, truth] of one place, 0 where both are equal
    whole: float  # what any rival costs
    mean: bool  # whether the sum over the places is divided by their number


def labelling_loss(loss: Any, labels: int) -> LabellingLoss:
    """The loss of a name, or of a matrix ``W[decision, truth]`` that is summed over the places; checked.

    >>> labelling_loss("count", 2)
    LabellingLoss(table=array([[0., 1.],
           [1., 0.]]), whole=0.0, mean=False)
    >>> labelling_loss([[0, 1], [2, 3]], 2)
    Traceback (most recent call last):
    ValueError: loss: expected W[1, 1] = 0, a right label costs nothing; got 3.0.
    """
    if isinstance(loss, str):
        if loss not in NAMES:
            raise ValueError(f"loss: expected a matrix or one of {NAMES}, got {loss!r}.")
        whole = float(loss == "zero-one")
        return LabellingLoss(read_only((1.0 - whole) * (1.0 - np.eye(labels))), whole, loss == "hamming")
    table = np.array(loss, dtype=np.float64)
    if table.shape != (labels, labels):
        raise ValueError(
            f"loss: expected a {labels} x {labels} matrix W[decision, truth], one row and column per label, "
            f"got shape {table.shape}."
        )
    for d, k in np.argwhere(~((table == 0) | ((table >= LIGHTEST) & (table <= HEAVIEST))))[:1]:
        expected = f"0 or a number of {LIGHTEST:.0e} ... {HEAVIEST:.0e}"
        raise ValueError(f"loss: expected W[decision, truth] to be {expected}, got W[{d}, {k}] = {table[d, k]}.")
    for k in np.flatnonzero(table.diagonal())[:1]:
        raise ValueError(f"loss: expected W[{k}, {k}] = 0, a right label costs nothing; got {table[k, k]}.")
    return LabellingLoss(read_only(table), 0.0, False)
