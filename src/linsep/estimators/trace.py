"""Learning step by step: every update of an estimator that runs the loop, with the numbers of its formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..loop.passes import State
from ..loop.passes import trace as trace_loop
from ._looped import LoopedLinear
from ._validation import check_parameters


class Update(NamedTuple):
    """One update: which row caused it, and where learning stands after it."""

    number: int  # 1, 2, ...
    row: int  # of X
    w: np.ndarray  # after the update, the bias last; of a linear machine one row per class
    state: State  # all numbers of the run


def trace(estimator: Any, X, y, sample_weight=None, *, max_updates: int = 1000) -> Iterator[Update]:
    """Learn as ``estimator`` would, in the data's order, and yield every update. The estimator itself is not changed.

    Parameters
    ----------
    estimator : Perceptron, Relaxation, Kozinec or LinearMachine
        With the parameters of the run; its budget is ``max_updates``, and ``batch`` must be False.
    X, y, sample_weight
        As for ``fit``.
    max_updates : int, default=1000
        End after so many updates.

    Yields
    ------
    Update

    Examples
    --------
    The lectures' worked example (S1) makes three updates, at x1, x6 and x5:

    >>> from linsep import Perceptron, trace
    >>> X = [[.5, 3], [1, 3], [.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, .5], [5.5, .5]]
    >>> for update in trace(Perceptron(), X, [1, 1, 1, 1, 1, 2, 2, 2, 2]):
    ...     print(update.number, update.row, update.w)
    1 0 [-0.5 -3.  -1. ]
    2 5 [ 4. -2.  0.]
    3 4 [ 2.5 -4.5 -1. ]
    """
    if not isinstance(estimator, LoopedLinear):
        raise TypeError(f"trace: expected a Perceptron, Relaxation, Kozinec or LinearMachine, got {estimator!r}.")
    if estimator.batch:
        raise ValueError("trace: expected batch=False, got batch=True; history_ has the batch steps.")
    return _updates(clone(estimator), X, y, sample_weight, max_updates)


def _updates(estimator: LoopedLinear, X, y, sample_weight, max_updates: int) -> Iterator[Update]:
    check_parameters(estimator)
    parts = estimator._with_weights_up_to_1(estimator._parts(estimator._sample(X, y, sample_weight)))
    steps = trace_loop(parts, estimator._scaled_target(), estimator._rule(), most=max_updates)
    for number, (row, state) in enumerate(steps, start=1):
        yield Update(number, row, estimator._scale.show(parts[0].as_matrix(state.weights)), state)
