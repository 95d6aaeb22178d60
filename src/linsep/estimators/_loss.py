r"""The loss of labellings place by place (E5), as sequences and networks take it: one loss to learn with and to count.

.. math:: loss(y', y) = \sum_t W(y'_t, y_t)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..oracles.labelling_loss import NAMES
from ..risk.empirical import find_labels, named_loss
from ._validation import StrOptions

CONSTRAINT = [StrOptions(set(NAMES)), callable, "array-like"]


def tabulate_loss(loss: Any, classes: np.ndarray) -> Any:
    """The loss as the search for the best rival takes it, a name or W[decision, truth]: functions are tabulated.

    >>> tabulate_loss(lambda decision, truth: max(decision - truth, 0), np.array([1, 3])).tolist()
    [[0.0, 0.0], [2.0, 0.0]]
    """
    if not callable(loss):
        return loss
    labels = classes.tolist()
    return np.array([[float(loss(decision, truth)) for truth in labels] for decision in labels])


def count_loss(loss: Any, classes: np.ndarray) -> Callable[[Sequence, Sequence], float]:
    """The loss W(decision, truth) of two labellings.

    >>> count_loss([[0, 1], [5, 0]], np.array(["a", "b"]))("abb", "aab")
    5.0
    """
    if isinstance(loss, str):
        return named_loss(loss)
    if callable(loss):
        return lambda decision, truth: float(sum(loss(*pair) for pair in zip(decision, truth, strict=True)))
    W = np.asarray(loss, dtype=np.float64)
    return lambda decision, truth: float(
        W[find_labels(list(decision), classes, "decision"), find_labels(list(truth), classes, "y")].sum()
    )
