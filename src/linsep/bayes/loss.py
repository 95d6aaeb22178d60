r"""The loss matrix ``W[decision, truth]`` (A1), with one more row for the reject option."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ._validation import as_float_array


class Loss(NamedTuple):
    """The loss of every decision, and the labels of the decisions."""

    W: np.ndarray  # shape (n_decisions, n_classes)
    decisions: np.ndarray  # the classes, and the label of the reject option if there is one; or labels of their own


def check_loss(
    classes: Any, loss: Any = None, reject: float | None = None, reject_label: Any = None, decisions: Any = None
) -> Loss:
    """Check a loss for these classes; the arguments are those of `Strategy`.

    >>> check_loss(["ill", "well"], [[0, 1], [10, 0]], reject=0.5)
    Loss(W=array([[ 0. ,  1. ],
           [10. ,  0. ],
           [ 0.5,  0.5]]), decisions=array(['ill', 'well', 'reject'], dtype='<U6'))
    """
    classes = np.asarray(classes)
    if decisions is not None:
        return _check_decisions(classes, loss, reject, decisions)
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
    _require_finite(W)
    return W


def _check_decisions(classes: np.ndarray, loss: Any, reject: float | None, decisions: Any) -> Loss:
    """A loss with one row for each of the decisions, whatever they are.

    >>> check_loss(["ill", "well"], [[0, 1], [10, 0], [2, 3]], decisions=["cure", "home", "test"]).W.shape
    (3, 2)
    """
    labels = list(decisions)
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"decisions: expected different labels, got {labels}.")
    if loss is None or reject is not None:
        raise ValueError("decisions: expected a loss with one row for each, and reject=None: rejecting is one of them.")
    W = as_float_array(loss, "loss")
    if W.shape != (len(labels), classes.size):
        expected = f"{len(labels)} x {classes.size}, decisions times classes {classes.tolist()}"
        raise ValueError(f"loss: expected a matrix of {expected}, got shape {W.shape}.")
    _require_finite(W)
    plain = all(isinstance(each, str) for each in labels) or all(isinstance(each, Real) for each in labels)
    found = np.array(labels) if plain else np.empty(len(labels), dtype=object)
    if not plain:
        found[:] = labels  # of unlike types, or tuples
    return Loss(W, found)


def _require_finite(W: np.ndarray) -> None:
    for d, k in np.argwhere(~np.isfinite(W))[:1]:
        raise ValueError(f"loss: W[{d}, {k}] = {W[d, k]} is not a finite number.")


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
