r"""What a decision costs: the matrix ``W[decision, truth]`` (A1), with a row more for the reject option."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ._check import numbers


class Terms(NamedTuple):
    """The loss of every decision, and what the decisions are called."""

    W: np.ndarray  # decisions x classes
    decisions: np.ndarray  # the classes, and the label of the reject option if there is one


def terms(classes: Any, loss: Any = None, reject: float | None = None, reject_label: Any = None) -> Terms:
    """Check a loss for these classes. None is 0 for the right class and 1 for a wrong one.

    ``reject`` is the cost of not deciding, whatever the truth; where it depends on the truth, give a
    loss with one row more than columns instead. Its label is -1, or "reject" among strings.

    >>> terms(["ill", "well"], [[0, 1], [10, 0]], reject=0.5)
    Terms(W=array([[ 0. ,  1. ],
           [10. ,  0. ],
           [ 0.5,  0.5]]), decisions=array(['ill', 'well', 'reject'], dtype='<U6'))
    """
    classes = np.asarray(classes)
    W = 1.0 - np.eye(classes.size) if loss is None else _matrix(loss, classes)
    if reject is not None:
        if len(W) > classes.size:
            raise ValueError("reject: the loss has a row for the reject option already, give one of the two.")
        if not isinstance(reject, Real) or not np.isfinite(reject):
            raise ValueError(f"reject={reject!r}: the cost of the reject option is a finite number.")
        W = np.vstack([W, np.full(classes.size, float(reject))])
    if len(W) == classes.size:
        return Terms(W, classes)
    return Terms(W, _with(classes, reject_label))


def gains(W: np.ndarray) -> np.ndarray | None:
    """What the right decision saves, a_k, if that is all that counts: ``W[d, k] = o_k - a_k [d = k]`` and a_k > 0.

    Then the strategy is argmax a_k p(x, k), and it is as linear or quadratic as log p(x, k) is. Every sensible
    loss of two classes is of this kind. None for other losses.

    >>> gains(np.array([[0.0, 1.0], [10.0, 0.0]]))
    array([10.,  1.])
    >>> gains(np.array([[0.0, 1.0], [10.0, 0.0], [0.5, 0.5]])) is None
    True
    """
    if len(W) != W.shape[1] or len(W) < 2:
        return None
    wrong = np.column_stack([np.delete(W[:, k], k) for k in range(len(W))])  # of each truth, the wrong decisions
    saved = wrong[0] - np.diag(W)
    return saved if np.all(wrong == wrong[0]) and np.all(saved > 0) else None


def _matrix(loss: Any, classes: np.ndarray) -> np.ndarray:
    W = numbers(loss, "loss")
    K = classes.size
    if W.ndim != 2 or W.shape[1] != K or len(W) not in (K, K + 1):
        raise ValueError(
            f"loss: a {K} x {K} matrix W[decision, truth] is wanted for the classes {classes.tolist()}, "
            f"or {K + 1} x {K} with the reject option in the last row, not {W.shape}."
        )
    for d, k in np.argwhere(~np.isfinite(W))[:1]:
        raise ValueError(f"loss: W[{d}, {k}] = {W[d, k]} is not a finite number.")
    return W


def _with(classes: np.ndarray, label: Any) -> np.ndarray:
    """The classes and the label of the reject option."""
    if label is None:
        label = -1 if np.issubdtype(classes.dtype, np.number) else "reject"
    if label in classes.tolist():
        raise ValueError(f"reject_label: {label!r} is one of the classes {classes.tolist()}, name another one.")
    kinds = {np.asarray(label).dtype.kind, classes.dtype.kind}
    if kinds <= set("iuf") or kinds <= set("U"):
        return np.append(classes, label)
    return np.array([*classes.tolist(), label], dtype=object)
