"""Methods with one answer per row: of a dask collection they stay lazy, and are called where its parts are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..engines.dask_client import delayed_parts, engine_for, is_collection, map_rows, one_row

Method = TypeVar("Method", bound=Callable[..., Any])

# what is learned, may be as large as the data, and decides nothing
BULKY = (
    "certificate_", "certificates_", "history_", "_state", "_alpha", "support_", "support_vectors_", "dual_coef_",
    "margins_", "_triangle", "_equations",
)  # fmt: skip


def row_by_row(method: Method) -> Method:
    """A method of X whose answer has one row per row of X.

    Of a dask array or data frame it is another one, of the same parts: nothing is computed until it is asked for.
    """

    @functools.wraps(method)
    def mapped(self, X, *more: Any):
        if isinstance(X, np.ndarray) or not is_collection(X):
            return method(self, X, *more)
        check_is_fitted(self)
        answer = functools.partial(answer_part, bare_copy(self), method.__name__)
        return map_rows(answer, X, answer(one_row(X)))

    return cast(Method, mapped)


def bare_copy(rule: Any) -> Any:
    """The rule without what is not needed for decisions, so that little travels."""
    if isinstance(rule, list):
        return [bare_copy(each) for each in rule]
    if not isinstance(rule, BaseEstimator):
        return rule
    found = copy(rule)
    for name, value in list(vars(found).items()):
        if name in BULKY:
            del vars(found)[name]
        elif isinstance(value, BaseEstimator | list) and name.endswith("_"):
            vars(found)[name] = bare_copy(value)
    return found


def answer_part(rule: Any, name: str, X: Any) -> Any:
    """What the method says of a part; of no rows what it says of one, less that row."""
    if X.shape[0]:
        return getattr(rule, name)(X)
    one = np.ones((1, X.shape[1]))
    return getattr(rule, name)(type(X)(one, columns=X.columns) if hasattr(X, "columns") else one)[:0]


def score_parts(rule: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """The share of the rows, by weight, whose class is predicted, part by part: a bit per row comes back."""
    engine = engine_for(X)
    (shared,) = engine.hold(_itself, [(bare_copy(rule),)])
    found = engine.hold(_hits, [(shared, *part) for part in delayed_parts(X, y, sample_weight)])
    hits, weights = zip(*engine.map(_itself, found, (), [()] * len(found)), strict=True)
    weight = None if sample_weight is None else np.concatenate(weights)
    return float(np.average(np.concatenate(hits), weights=weight))


def _itself(found: Any) -> Any:
    return found


def _hits(rule: Any, X: Any, y: Any, weight: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Which rows of a part are classified as they are labelled, and their weights."""
    hits = answer_part(rule, "predict", X) == np.asarray(y).ravel()
    return hits, None if weight is None else np.asarray(weight, dtype=np.float64).ravel()
