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
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ...estimators._validation import all_or_nothing, check_parameters
from ...model_file import Saved
from .._validation import check_rows, check_weights, repeat_rows


class Density(Saved, DensityMixin, BaseEstimator):
    """p(x). Subclasses define how it is learned, its logarithm and how samples are drawn."""

    n_features_in_: int

    def _fit(self, X: np.ndarray, weight: np.ndarray) -> None:
        raise NotImplementedError

    def _log_density(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _sample(self, n_samples: int, rng: np.random.RandomState) -> np.ndarray:
        raise NotImplementedError

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Learn from rows ``X`` by maximum likelihood; rows of weight 0 are absent, y is ignored."""
        check_parameters(self)
        X = check_rows(self, X, reset=True)
        weight = check_weights(sample_weight, X)
        self._fit(X[weight > 0], weight[weight > 0])
        return self

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


def fit_classes(density: Any, X: np.ndarray, k: np.ndarray, weight: np.ndarray, classes: Any) -> list[Any]:
    """Fit one copy of the density per class; a density with ``fit_jointly`` fits all of them at once."""
    members = [k == j for j in range(len(classes))]
    if hasattr(density, "fit_jointly"):
        return density.fit_jointly([X[of] for of in members], [weight[of] for of in members], classes)
    weighted = not np.all(weight == 1.0)
    if weighted and not has_fit_parameter(density, "sample_weight"):
        X, k = repeat_rows(type(density).__name__, X, k, weight)
        members, weighted = [k == j for j in range(len(classes))], False
    found = []
    for label, of in zip(np.asarray(classes).tolist(), members, strict=True):
        with errors_of_class(label):
            found.append(clone(density).fit(X[of], **({"sample_weight": weight[of]} if weighted else {})))
    return found


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
