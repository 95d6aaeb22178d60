"""Learning step by step: every update of an estimator, with the numbers of its formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.base import clone

from ..loop.trace import Update

__all__ = ["Update", "trace"]


def trace(
    estimator: Any, X, y, sample_weight=None, *, max_updates: int = 1000, bounds: bool = False
) -> Iterator[Update]:
    r"""Learn as ``estimator`` would and yield every update, :math:`w \leftarrow \alpha w + \beta a`, with its numbers.

    The estimator itself is not changed. The w of an update is the one that moves: averages and the best w so far are
    made of these. In scaled coordinates (``scaling``) a is the move of w, not the row's vector: ``scaling=None`` shows
    the lectures' numbers. A batch step is one update, made from all rows in ``rows``; so is a step of a descent, where
    :math:`a = -\nabla J`. Widrow-Hoff makes one at every row, of many classes at every row and class in turns.
    Kozinec's first update puts w, which is 0 before, at the first vector: that is where the lectures begin.

    Solvers that are not the loop run until ``max_updates`` before the first update is yielded; a is the move of w. Of
    `MaximumMargin` each is the nearest point of more rows, with both bounds of the margin (a free bias is placed at the
    end), of a soft margin a pass of ascent or a Newton step, of `Anderson` a step or a direction, with bounds of r.

    Parameters
    ----------
    estimator : estimator
        With the parameters of the run; its budget is ``max_updates``. What solves its equations as a whole
        (``LeastSquares("pinv")``, "ridge", two Gaussians) has no updates, and is refused.
    X, y, sample_weight
        As for ``fit``.
    max_updates : int, default=1000
        End after so many updates.
    bounds : bool, default=False
        Also compute the margin and the errors of every w, which costs a pass over all rows each.

    Yields
    ------
    Update

    Examples
    --------
    The lectures' worked example (S1) makes three updates, at x1, x6 and x5:

    >>> from linsep import Perceptron, trace
    >>> X = [[.5, 3], [1, 3], [.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, .5], [5.5, .5]]
    >>> for update in trace(Perceptron(), X, [1, 1, 1, 1, 1, 2, 2, 2, 2]):
    ...     print(update.number, update.row, update.wa, update.a, update.w)
    1 0 0.0 [-0.5 -3.  -1. ] [-0.5 -3.  -1. ]
    2 5 -6.25 [4.5 1.  1. ] [ 4. -2.  0.]
    3 4 -1.0 [-1.5 -2.5 -1. ] [ 2.5 -4.5 -1. ]
    """
    if not hasattr(estimator, "_updates"):
        raise TypeError(f"trace: expected an estimator that makes updates of w, such as Perceptron, got {estimator!r}.")
    return clone(estimator)._updates(X, y, sample_weight, max_updates, bounds)
