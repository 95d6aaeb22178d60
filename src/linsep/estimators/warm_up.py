"""Compile ahead of time: what estimators need, on all cores, once per machine."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import scipy.sparse as sp

from .kozinec import Kozinec
from .linear_machine import LinearMachine
from .maximum_margin import MaximumMargin
from .perceptron import Perceptron

X = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, -1.0], [0.0, 6.0], [1.0, 7.0]])
Y = np.array([0, 0, 1, 1, 2, 2])
SEQUENCES = [X[:3], X[3:]], [[0, 0, 1], [1, 2, 2]]
GRAPHS = [(X[:3], np.array([[0, 1], [1, 2]])), (X[3:], np.array([[0, 1], [1, 2]]))], SEQUENCES[1]


def warm_up(estimators: Sequence[Any] | None = None, *, processes: int | None = None) -> list[str]:
    """Compile what ``estimators`` need, on all cores, so that no later fit has to wait for it; once per machine.

    Each is fitted to a few rows, dense and sparse, of two and of three classes (or to a few sequences or graphs), in a
    process of its own; the compiled functions stay in Numba's cache.

    Parameters
    ----------
    estimators : list of estimators, default=None
        What is going to be used; None: `Perceptron`, `Kozinec`, `MaximumMargin` and `LinearMachine`.
    processes : int, default=None
        How many processes compile; None: one per core.

    Returns
    -------
    list of str
        The estimators that were compiled.

    Examples
    --------
    >>> from linsep import Perceptron, warm_up
    >>> warm_up([Perceptron()])  # doctest: +SKIP
    ['Perceptron()']
    """
    estimators = [Perceptron(), Kozinec(), MaximumMargin(), LinearMachine()] if estimators is None else estimators
    tasks = [(each, data) for each in estimators for data in _data_for(each)]
    count = processes or os.cpu_count() or 1
    with ProcessPoolExecutor(min(count, len(tasks)), mp_context=get_context("spawn")) as pool:
        list(pool.map(_fit, *zip(*tasks, strict=True)))
    return [str(each) for each in estimators]


def _data_for(estimator: Any) -> list[tuple[Any, Any]]:
    """Small data of every kind that an estimator takes."""
    name = type(estimator).__name__
    if name in ("SequenceClassifier", "NetworkClassifier"):
        return [SEQUENCES if name == "SequenceClassifier" else GRAPHS]
    kinds = [X, X.astype(np.float32), sp.csr_array(X)]
    if "scaling" in estimator.get_params():
        kinds += [kind * np.array([[1.0, 256.0]], dtype=kind.dtype) for kind in kinds]  # columns of two sizes
    return [(kind[rows], Y[rows]) for kind in kinds for rows in (slice(0, 4), slice(None))]


def _fit(estimator: Any, data: tuple[Any, Any]) -> None:
    """Fit and predict, for the sake of compiling; an estimator may refuse sparse rows, or three classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            estimator.fit(*data).predict(data[0])
        except (TypeError, ValueError):
            if not sp.issparse(data[0]) and len(np.unique(np.concatenate(list(map(np.ravel, data[1]))))) < 3:
                raise
