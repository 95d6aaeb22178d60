r"""The loss matrix ``W[decision, truth]`` (A1), with one more row for the reject option."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ._validation import as_float_array


class Loss(NamedTuple):
    """The loss of every decision, and the labels of the decisions."""

    W: np.ndarray  # shape (n_decisions, n_classes)
    decisions: np.ndarray  # the classes, and the label of the reject option if there is one


def check_loss(classes: Any, loss: Any = None, reject: float | None = None, reject_label: Any = None) -> Loss:
    """Check a loss for these classes; the arguments are those of `Strategy`.

    >>> check_loss(["ill", "well"], [[0, 1], [10, 0]], reject=0.5)
    Loss(W=array([[ 0. ,  1. ],
           [10. ,  0. ],
           [ 0.5,  0.5]]), decisions=array(['ill', 'well', 'reject'], dtype='<U6'))
    """
    classes = np.asarray(classes)
    W = 1.0 - np.eye(classes.size) if loss is None else _check_matrix(loss, classes)
    if reject is not None:
        if len(W) > classes.size:
            raise ValueError("reject: the loss already has a row for the reject option, give one of the two.")
        if not isinstance(reject, Real) or not np.isfinite(reject):
            raise ValueError(f"reject: expected a finite number, got {reject!r}.")
        W = np.vstack([W, np.full(classes.size, float(reject))])
    return Loss(W, classes if len(W) == classes.size else _append_label(classes, reject_label))


def compute_gains(W: np.ndarray) -> np.ndarray | None:
    """Return the gains a_k > 0 of the right decisions if ``W[d, k] = o_k - a_k [d = k]``; None for other losses.

    Then the strategy is argmax a_k p(x, k), and it is linear or quadratic if log p(x, k) is. Every sensible
    loss of two classes has this form.

    >>> compute_gains(np.array([[0.0, 1.0], [10.0, 0.0]]))
    array([10.,  1.])
    >>> compute_gains(np.array([[0.0, 1.0], [10.0, 0.0], [0.5, 0.5]])) is None
    True
    """
    if len(W) != W.shape[1] or len(W) < 2:
        return None
    wrong = np.column_stack([np.delete(W[:, k], k) for k in range(len(W))])  # losses of the wrong decisions, per truth
    gains = wrong[0] - np.diag(W)
    return gains if np.all(wrong == wrong[0]) and np.all(gains > 0) else None


def _check_matrix(loss: Any, classes: np.ndarray) -> np.ndarray:
    W = as_float_array(loss, "loss")
    K = classes.size
    if W.ndim != 2 or W.shape[1] != K or len(W) not in (K, K + 1):
        raise ValueError(
            f"loss: expected a {K} x {K} matrix W[decision, truth] for the classes {classes.tolist()}, "
            f"or {K + 1} x {K} with the reject option in the last row, got shape {W.shape}."
        )
    for d, k in np.argwhere(~np.isfinite(W))[:1]:
        raise ValueError(f"loss: W[{d}, {k}] = {W[d, k]} is not a finite number.")
    return W


def _append_label(classes: np.ndarray, label: Any) -> np.ndarray:
    """Append the label of the reject option to the classes."""
    if label is None:
        label = -1 if np.issubdtype(classes.dtype, np.number) else "reject"
    if label in classes.tolist():
        raise ValueError(f"reject_label: {label!r} is one of the classes {classes.tolist()}, choose another one.")
    kinds = {np.asarray(label).dtype.kind, classes.dtype.kind}
    if kinds <= set("iuf") or kinds <= set("U"):
        return np.append(classes, label)
    return np.array([*classes.tolist(), label], dtype=object)
