"""The base class of the densities, and the fit of one density per class."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ...estimators._lazy import row_by_row
from ...estimators._oracles import plain_rows
from ...estimators._validation import all_or_nothing, check_parameters, same_parameter
from ...model_file import Saved
from ...solvers.anderson.moments import class_moments
from .._validation import check_rows, check_weights, repeat_rows


class Density(Saved, DensityMixin, BaseEstimator):
    """p(x). Subclasses define how it is learned, its logarithm and how samples are drawn."""

    n_features_in_: int
    _total: float  # weight of all rows so far

    def _fit(self, X: np.ndarray, weight: np.ndarray, more: bool) -> None:
        """Learn from these rows; if there are ``more``, from the earlier rows too."""
        raise NotImplementedError

    def _log_density(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _sample(self, n_samples: int, rng: np.random.RandomState) -> np.ndarray:
        raise NotImplementedError

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Learn from rows ``X`` by maximum likelihood; rows of weight 0 are absent, y is ignored."""
        return self._learn(X, sample_weight, more=False)

    @available_if(lambda self: self._can_go_on())
    @all_or_nothing
    def partial_fit(self, X, y=None, sample_weight=None):
        """Go on with more rows: the same density, to rounding, as by one `fit` to all of them."""
        return self._learn(X, sample_weight, more=hasattr(self, "_total"))

    def _can_go_on(self) -> bool:
        if hasattr(self, "n_features_in_") and not hasattr(self, "_total"):  # known parameters, or an old file
            raise AttributeError(f"partial_fit: this {type(self).__name__} does not know how many rows it is from.")
        return True

    def _learn(self, X, sample_weight, more: bool):
        check_parameters(self)
        X = check_rows(self, X, reset=not more)
        weight = check_weights(sample_weight, X)
        total = float(weight.sum()) + (self._total if more else 0.0)
        self._fit(X[weight > 0], weight[weight > 0], more)
        self._total = total
        return self

    @row_by_row
    def score_samples(self, X) -> np.ndarray:
        """Return log p(x) of every row."""
        check_is_fitted(self)
        return self._log_density(check_rows(self, X, reset=False))

    def score(self, X, y=None) -> float:
        """Return the mean of log p(x)."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state=None) -> np.ndarray:
        """Draw rows from p(x)."""
        check_is_fitted(self)
        return self._sample(n_samples, check_random_state(random_state))


def fit_classes(
    density: Any, X: np.ndarray, k: np.ndarray, weight: np.ndarray, classes: Any, before: list[Any] | None = None
) -> list[Any]:
    """Fit one copy of the density per class, to the rows whose ``k`` is its number; rows of weight 0 are absent.

    One with ``of_moments`` is made of the moments of the classes, of rows that may be in parts; one with
    ``fit_jointly`` fits all classes at once. The densities ``before`` go on with these rows; those of classes without
    rows stay.
    """
    for old in before or ():
        _require_same(density, old)
    if hasattr(density, "of_moments"):
        given = None if (weight == 1.0).all() else weight
        moments = class_moments(plain_rows(X), k.astype(np.int32), given, len(classes))
        return density.of_moments(moments, classes, before)
    members = [(k == j) & (weight > 0) for j in range(len(classes))]
    if hasattr(density, "fit_jointly") and before is None:
        return density.fit_jointly([X[of] for of in members], [weight[of] for of in members], classes)
    weighted = not np.all(weight[weight > 0] == 1.0)
    if weighted and not has_fit_parameter(density, "sample_weight"):
        X, k = repeat_rows(type(density).__name__, X, k, weight)
        members, weighted, weight = [k == j for j in range(len(classes))], False, np.ones(k.size)
    found = []
    for j, (label, of) in enumerate(zip(np.asarray(classes).tolist(), members, strict=True)):
        weights = {"sample_weight": weight[of]} if weighted else {}
        with errors_of_class(label):
            if before is None:
                found.append(clone(density).fit(X[of], **weights))
            else:  # a copy, for another class may fail
                found.append(copy.deepcopy(before[j]).partial_fit(X[of], **weights) if of.any() else before[j])
    return found


def _require_same(density: Any, old: Any) -> None:
    """Raise a ValueError unless the density has the class and the parameters of one that is to go on."""
    one, other = (
        {name: value for name, value in each.get_params().items() if not hasattr(value, "get_params")}
        for each in (density, old)
    )
    same = one.keys() == other.keys() and all(same_parameter(one[name], other[name]) for name in one)
    if type(density) is not type(old) or not same:
        expected, got = (" ".join(repr(each).split()) for each in (old, density))
        raise ValueError(f"partial_fit: expected the density {expected} as in the first call, got {got}.")


@contextmanager
def errors_of_class(label: Any) -> Iterator[None]:
    """Prepend the class to the message of a ValueError."""
    try:
        yield
    except NotFittedError:
        raise
    except ValueError as error:
        raise ValueError(f"class {label!r}: {error}") from error


def draw_samples(density: Any, n_samples: int, rng: np.random.RandomState) -> np.ndarray:
    """Draw rows from any density whose ``sample`` can be seeded; an error says why if it cannot."""
    name = type(density).__name__
    if not hasattr(density, "sample"):
        raise ValueError(f"{name} has no method sample(n, random_state), which a Monte Carlo risk needs.")
    if "random_state" not in inspect.signature(density.sample).parameters:
        if not hasattr(density, "random_state"):
            raise ValueError(f"{name}.sample takes no random_state: a Monte Carlo risk would not be reproducible.")
        density = copy.copy(density)  # scikit-learn's mixtures keep their seed in the object
        density.random_state = rng
        found = density.sample(n_samples)
    else:
        try:
            found = density.sample(n_samples, random_state=rng)
        except NotImplementedError:
            raise ValueError(f"{density!r} cannot be sampled, which a Monte Carlo risk needs.") from None
    X = np.asarray(found[0] if isinstance(found, tuple) else found, dtype=np.float64)
    if X.ndim != 2 or len(X) != n_samples:
        raise ValueError(f"{name}.sample({n_samples}): expected {n_samples} rows, got shape {X.shape}.")
    return X


def refuse_columns(name: str, faulty: np.ndarray, fault: str) -> None:
    """Raise an error that names the first faulty column, if there is one."""
    for j in np.flatnonzero(faulty)[:1]:
        raise ValueError(f"{name}: column {j} {fault}")
