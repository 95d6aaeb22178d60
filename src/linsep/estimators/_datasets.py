"""Methods of (X, y, sample_weight) that take a `linsep.data.Dataset` in place of all three."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import ClassifierMixin

from ..data import DataError, Dataset
from ..data.dataset import Placed
from ..engines.dask_client import delayed_parts, engine_for, is_collection
from ._lazy import score_parts
from ._notebook import Shown
from ._parted import Parted, load_piece

Method = TypeVar("Method", bound=Callable[..., Any])
TAKE_PARTS = {"fit": "_learns_from_parts", "check": "_checks_parts"}  # who says whether a method takes dask collections


def takes_dataset(method: Method) -> Method:
    """A method whose first argument may be a dataset, which brings its labels and weights.

    X is then mapped into memory and read in place, as any array: the answers have the same bits.
    """
    names = inspect.signature(method).parameters

    @functools.wraps(method)
    def unpacked(self, *args: Any, **options: Any):
        X = args[0] if args else options.get("X")
        if not isinstance(X, np.ndarray | list) and is_collection(X):
            return _on_parts(method, self, inspect.signature(method).bind(self, *args, **options).arguments)
        if isinstance(X, Placed):
            _require_parts(method, self)
            parted = Parted.load(X.engine, X.pieces, load_piece)
            return method(self, parted, parted.y, parted.sample_weight)
        if not isinstance(X, Dataset):
            return method(self, *args, **options)
        options.pop("X", None)
        if args[1:] or options.get("y") is not None:
            raise ValueError("y: expected a dataset alone, which has its labels; name other arguments.")
        if "y" in names:
            options["y"] = X.rows.y
            if X.rows.y is None and names["y"].default is inspect.Parameter.empty:
                raise DataError("the dataset has no labels. Open it with target=, the name of their column.")
        if "sample_weight" in names and options.get("sample_weight") is None and X.rows.weight is not None:
            options["sample_weight"] = X.rows.weight
        with X.within_memory() as rows:
            return method(self, rows.X, **options)

    return cast(Method, unpacked)


def _on_parts(method: Callable[..., Any], estimator: Any, given: dict[str, Any]) -> Any:
    """The method with the parts of a dask collection, which bring their labels and weights, in place of X."""
    if method.__name__ == "score":
        return score_parts(estimator, given["X"], given["y"], given.get("sample_weight"))
    _require_parts(method, estimator)
    return method(estimator, *load_parts(given["X"], given.get("y"), given.get("sample_weight")))


def _require_parts(method: Callable[..., Any], estimator: Any) -> None:
    """Refuse a method that can't take rows in parts."""
    takes = getattr(estimator, TAKE_PARTS.get(method.__name__, ""), None)
    if takes is None or not takes():
        raise ValueError(
            f"X: {type(estimator).__name__}.{method.__name__} takes no dask collections with these parameters: "
            "docs/distributed.md says what does. All else takes X.compute(), y.compute()."
        )


def load_parts(X: Any, y: Any, sample_weight: Any) -> tuple[Parted, np.ndarray, np.ndarray | None]:
    """The parts of a dask collection, which stay where they are loaded, with their labels and weights."""
    parted = Parted.load(engine_for(X), delayed_parts(X, y, sample_weight))
    if parted.y is None:
        raise ValueError("y: expected the labels as a dask collection, got None.")
    return parted, parted.y, parted.sample_weight


class RowClassifier(Shown, ClassifierMixin):
    """A classifier of rows, whose accuracy on a dataset may be asked for."""

    @property
    def predict_proba(self) -> Any:
        """There are no probabilities, unless a class has them: scores are not calibrated."""
        name = type(self).__name__
        remedy = f"sklearn.calibration.CalibratedClassifierCV({name}(...)).fit(X, y)"
        raise AttributeError(f"{name} has no predict_proba, for its scores are no probabilities. Use {remedy}.")

    @takes_dataset
    def score(self, X, y, sample_weight=None) -> float:
        """The share of the rows, by weight, whose class is predicted.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.

        Returns
        -------
        float
        """
        return super().score(X, y, sample_weight)
