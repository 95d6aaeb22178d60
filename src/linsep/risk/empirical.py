r"""Risk: what a decision costs, on average (A3).

.. math:: R_{emp} = \frac{1}{\sum c_i} \sum_i c_i\, W(q(x_i), k_i)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from ..oracles.custom import same


def empirical_risk(y_true, y_pred, loss: Any = None, *, labels=None, sample_weight=None) -> float:
    """The mean loss of decisions ``y_pred`` where the truth is ``y_true``.

    Parameters
    ----------
    y_true, y_pred : sequences
        Labels, or labellings: lists, tuples or arrays of labels, of any lengths (E5).
    loss : None, "hamming", callable or matrix
        None: 0 for a right decision, 1 for a wrong one. "hamming": the share of places where two labellings differ.
        A function W(decision, truth) of two labels or labellings. Or a square matrix ``W[decision, truth]`` with
        rows and columns in the order of ``labels``.
    labels : sequence, optional
        The order of the matrix; the sorted labels of both arguments by default.
    sample_weight : array, optional
        Weights c of the rows.

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
    truth, decision = _labels(y_true, loss), _labels(y_pred, loss)
    if truth.shape != decision.shape:
        raise ValueError(f"y_true has {truth.size} labels and y_pred {decision.size}: as many are wanted.")
    if truth.size == 0:
        raise ValueError("y_true is empty: there is no risk without a decision.")
    if truth.dtype == object and loss is None:
        losses = _called(zero_one, decision, truth)
    elif isinstance(loss, str):
        if loss != "hamming":
            raise ValueError(f"loss={loss!r}: None, 'hamming', a function or a matrix is wanted.")
        losses = _called(hamming, decision, truth)
    elif loss is None:
        losses = (truth != decision).astype(float)
    elif callable(loss):
        losses = _called(loss, decision, truth)
    else:
        losses = _tabled(np.asarray(loss, dtype=np.float64), decision, truth, labels)
    weight = _check_sample_weight(sample_weight, truth[:, None], dtype=np.float64, ensure_non_negative=True)
    return float(np.average(losses, weights=weight))


def zero_one(decision: Any, truth: Any) -> float:
    """1, unless both are the same."""
    return 0.0 if same(decision, truth) else 1.0


def hamming(decision: Sequence, truth: Sequence) -> float:
    """The share of places in which two labellings of the same length differ.

    >>> hamming("BALL", "BILL")
    0.25
    """
    if len(decision) != len(truth):
        raise ValueError(f"loss='hamming': {decision!r} and {truth!r} have different lengths.")
    return sum(not same(*pair) for pair in zip(decision, truth, strict=True)) / max(len(truth), 1)


def _labels(y: Any, loss: Any) -> np.ndarray:
    """Labels as an array, or labellings as one of objects."""
    labelled = isinstance(loss, str) or any(np.ndim(label) > 0 for label in y)
    if not labelled or (isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1):
        return column_or_1d(y)
    found = np.empty(len(y), dtype=object)
    for place, label in enumerate(y):
        found[place] = label
    return found


def _called(loss: Callable[[Any, Any], float], decision: np.ndarray, truth: np.ndarray) -> np.ndarray:
    losses = np.array([float(loss(q, k)) for q, k in zip(decision, truth, strict=True)])
    if np.isnan(losses).any():
        i = int(np.flatnonzero(np.isnan(losses))[0])
        raise ValueError(f"loss: W({decision[i]!r}, {truth[i]!r}) is NaN.")
    return losses


def _tabled(table: np.ndarray, decision: np.ndarray, truth: np.ndarray, labels) -> np.ndarray:
    labels = unique_labels(truth, decision) if labels is None else np.asarray(labels)
    if table.shape != (len(labels), len(labels)):
        raise ValueError(
            f"loss: a {len(labels)} x {len(labels)} matrix is wanted for labels {labels.tolist()}, not {table.shape}."
        )
    place = {label: at for at, label in enumerate(labels.tolist())}
    unknown = [label for label in (*decision.tolist(), *truth.tolist()) if label not in place]
    if unknown:
        raise ValueError(f"labels: {unknown[0]!r} is not among {labels.tolist()}.")
    rows = [place[label] for label in decision.tolist()]
    columns = [place[label] for label in truth.tolist()]
    return table[rows, columns]
