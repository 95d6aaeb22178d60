r"""The empirical risk: the mean loss of decisions (A3).

.. math:: R_{emp} = \frac{1}{\sum c_i} \sum_i c_i\, W(q(x_i), k_i)

A loss is W(decision, truth) as in S0 and S4, everywhere in linsep: functions take the decision first, matrices have one
row per decision and one column per truth. (S2 writes the truth first.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import column_or_1d

from ..engines.dask_client import delayed_parts, engine_for, is_collection
from ..oracles.custom import same


def empirical_risk(y_true, y_pred, loss: Any = None, *, labels=None, sample_weight=None) -> float:
    """Return the mean loss of the decisions ``y_pred`` where the truth is ``y_true``.

    Parameters
    ----------
    y_true : sequence
        Labels, or labellings: lists, tuples or arrays of labels, of any lengths (E5).
    y_pred : sequence
        Decisions, of the same kind.
    loss : {"zero-one", "hamming", "count"}, callable or array-like of shape (n_labels, n_labels), default=None
        None, "zero-one": 0/1 loss. "hamming": the share of places where two labellings differ; "count": their number.
        A function W(decision, truth) of two labels or labellings. Or a matrix ``W[decision, truth]`` with rows and
        columns ordered as ``labels``.
    labels : array-like of shape (n_labels,), default=None
        The order of the matrix. None: the sorted labels of both arguments.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights c. None: all 1.

    Labels, decisions and weights may be dask collections: losses are then computed part by part.

    Examples
    --------
    >>> empirical_risk([0, 0, 1, 1], [0, 1, 1, 1])
    0.25
    >>> empirical_risk(["ill", "well"], ["well", "well"], [[0, 1], [10, 0]])    # ill taken for well: 10
    5.0
    >>> empirical_risk([1.0, 2.0], [1.5, 2.0], lambda decision, truth: (decision - truth) ** 2)
    0.125
    >>> empirical_risk(["JOHN", "DANA"], ["JOHN", "DINA"], "hamming")
    0.125
    """
    loss = named_loss(loss or "zero-one") if loss is None or isinstance(loss, str) else loss
    if any(map(is_collection, (y_true, y_pred, sample_weight))):
        losses, weight = _losses_of_parts(y_true, y_pred, sample_weight, loss, labels)
    else:
        losses, weight = _losses(y_true, y_pred, sample_weight, loss, labels)
    if losses.size == 0:
        raise ValueError("y_true: expected at least one label, got none.")
    if weight is None:
        return float(np.mean(losses))
    if not weight.any():
        raise ValueError("sample_weight: expected a positive weight, all weights are zero.")
    return float(np.average(losses, weights=weight))


def _losses(y_true: Any, y_pred: Any, sample_weight: Any, loss: Any, labels: Any) -> tuple[np.ndarray, Any]:
    """The loss of every decision, and the weights."""
    truth, decision = _as_labels(y_true, loss), _as_labels(y_pred, loss)
    if truth.shape != decision.shape:
        raise ValueError(f"y_pred: expected {truth.size} labels, as many as in y_true, got {decision.size}.")
    if loss is zero_one and truth.dtype != object:
        losses = (truth != decision).astype(float)
    elif callable(loss):
        losses = _call_loss(loss, decision, truth)
    else:
        losses = _look_up_loss(np.asarray(loss, dtype=np.float64), decision, truth, labels)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight is not None and (weight.shape != truth.shape or not (np.isfinite(weight) & (weight >= 0)).all()):
        raise ValueError(f"sample_weight: expected {truth.size} finite numbers >= 0, got {sample_weight!r}.")
    return losses, weight


def _losses_of_parts(
    y_true: Any, y_pred: Any, sample_weight: Any, loss: Any, labels: Any
) -> tuple[np.ndarray, np.ndarray | None]:
    """`_losses` of dask collections, computed where their parts are: 8 bytes per row come back."""
    if not is_collection(y_true):
        raise ValueError(f"y_true: expected a dask collection, as others are, got {type(y_true).__name__}.")
    engine = engine_for(y_true)
    parts = delayed_parts(y_true, y_pred, sample_weight, ("y_true", "y_pred", "sample_weight"))
    held, each = engine.hold(_part, parts), [()] * len(parts)
    if not callable(loss) and labels is None:
        labels = np.unique(np.concatenate(engine.map(_labels_of_part, held, (), each)))
    found = engine.map(_losses_of_part, held, (loss, labels), each)
    losses, weights = zip(*found, strict=True)
    return np.concatenate(losses), None if sample_weight is None else np.concatenate(weights)


def _part(*columns: Any) -> tuple[Any, ...]:
    return tuple(None if each is None else np.asarray(each) for each in columns)


def _labels_of_part(part: tuple[Any, ...]) -> np.ndarray:
    return np.unique(np.concatenate([np.ravel(each) for each in part[:2]]))


def _losses_of_part(part: tuple[Any, ...], loss: Any, labels: Any) -> tuple[np.ndarray, Any]:
    truth, decision, weight = part
    return _losses(truth, decision, weight, loss, labels)


def find_labels(values: Any, labels: np.ndarray, name: str) -> np.ndarray:
    """Return the index of every value in ``labels``; an error names the first value that is not one of them.

    >>> find_labels(["b", "a", "b"], np.array(["a", "b"]), "y")
    array([1, 0, 1])
    """
    index = {label: i for i, label in enumerate(labels.tolist())}
    values = np.asarray(values).tolist()
    for value in values:
        if value not in index:
            raise ValueError(f"{name}: the label {value!r} is not one of {labels.tolist()}.")
    return np.array([index[value] for value in values], dtype=np.intp)


def zero_one(decision: Any, truth: Any) -> float:
    """Return 0 if both are equal, otherwise 1."""
    return 0.0 if same(decision, truth) else 1.0


def hamming(decision: Sequence, truth: Sequence) -> float:
    """Return the share of positions in which two labellings of the same length differ.

    >>> hamming("BALL", "BILL")
    0.25
    """
    return count(decision, truth) / max(len(truth), 1)


def count(decision: Sequence, truth: Sequence) -> float:
    """Return the number of positions in which two labellings of the same length differ.

    >>> count("BALL", "BILL")
    1.0
    """
    if len(decision) != len(truth):
        raise ValueError(f"loss: {decision!r} and {truth!r} have different lengths.")
    return float(sum(not same(*pair) for pair in zip(decision, truth, strict=True)))


def named_loss(name: str) -> Callable[[Any, Any], float]:
    """Return the loss W(decision, truth) of a name.

    >>> named_loss("hamming")("BALL", "BILL")
    0.25
    """
    named: dict[str, Callable[[Any, Any], float]] = {"zero-one": zero_one, "hamming": hamming, "count": count}
    if name not in named:
        raise ValueError(f"loss: expected None, a function, a matrix or one of {sorted(named)}, got {name!r}.")
    return named[name]


def _as_labels(y: Any, loss: Any) -> np.ndarray:
    """Return labels as an array, labellings as an array of objects."""
    structured = (callable(loss) and loss is not zero_one) or any(np.ndim(label) > 0 for label in y)
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if not structured or shape[1:] == (1,):
        if np.iscomplexobj(y):
            raise ValueError("labels: expected real numbers or words, got complex numbers.")
        labels = column_or_1d(y)
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError("labels: expected finite numbers or words, got NaN or infinity.")
        return labels
    found = np.empty(len(y), dtype=object)
    for i, labelling in enumerate(y):
        found[i] = labelling
    return found


def _call_loss(loss: Callable[[Any, Any], float], decision: np.ndarray, truth: np.ndarray) -> np.ndarray:
    losses = np.array([float(loss(q, k)) for q, k in zip(decision, truth, strict=True)])
    for i in np.flatnonzero(np.isnan(losses))[:1]:
        raise ValueError(f"loss: W({decision[i]!r}, {truth[i]!r}) is NaN.")
    return losses


def _look_up_loss(W: np.ndarray, decision: np.ndarray, truth: np.ndarray, labels) -> np.ndarray:
    labels = unique_labels(truth, decision) if labels is None else np.asarray(labels)
    K = len(labels)
    if W.shape != (K, K):
        raise ValueError(f"loss: expected a {K} x {K} matrix for labels {labels.tolist()}, got shape {W.shape}.")
    return W[find_labels(decision, labels, "y_pred"), find_labels(truth, labels, "y_true")]
