"""What densities share: checked input, weights, and how one of them is fitted to every class."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ...estimators._validation import all_or_nothing
from .._check import checked, repeated, weights


class Density(DensityMixin, BaseEstimator):
    """p(x): subclasses say how it is learned, what its logarithm is, and how a sample is drawn."""

    n_features_in_: int

    def _learn(self, X: np.ndarray, weight: np.ndarray) -> None:
        raise NotImplementedError

    def _log(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _draw(self, n: int, rng: np.random.RandomState) -> np.ndarray:
        raise NotImplementedError

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Learn from rows ``X``, by maximum likelihood; rows of weight 0 are absent."""
        self._validate_params()
        X = checked(self, X, reset=True)
        weight = weights(sample_weight, X)
        self._learn(X[weight > 0], weight[weight > 0])
        return self

    def score_samples(self, X) -> np.ndarray:
        """log p(x) of each row."""
        check_is_fitted(self)
        return self._log(checked(self, X, reset=False))

    def score(self, X, y=None) -> float:
        """The mean of log p(x)."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state=None) -> np.ndarray:
        """Rows drawn from p(x)."""
        check_is_fitted(self)
        return self._draw(n_samples, check_random_state(random_state))


def fit_classes(density: Any, X: np.ndarray, k: np.ndarray, weight: np.ndarray, classes: Any) -> list[Any]:
    """One copy of the density for each class; those that share something (``fit_together``) are fitted at once."""
    if hasattr(density, "fit_together"):
        parts = [k == j for j in range(len(classes))]
        return density.fit_together([X[of] for of in parts], [weight[of] for of in parts], classes)
    plain = bool(np.all(weight == 1.0))
    if not plain and not has_fit_parameter(density, "sample_weight"):
        (X, k), plain = repeated(type(density).__name__, X, k, weight), True
    found = []
    for j, label in enumerate(np.asarray(classes).tolist()):
        extra = {} if plain else {"sample_weight": weight[k == j]}
        with in_class(label):
            found.append(clone(density).fit(X[k == j], **extra))
    return found


@contextmanager
def in_class(label: Any) -> Iterator[None]:
    """Errors inside say in which class they arose."""
    try:
        yield
    except NotFittedError:
        raise
    except ValueError as error:
        raise ValueError(f"class {label!r}: {error}") from error


def draw(density: Any, n: int, rng: np.random.RandomState) -> np.ndarray:
    """``n`` rows of any density that can be sampled with a seed; a refusal that says why of any other."""
    name = type(density).__name__
    if not hasattr(density, "sample"):
        raise ValueError(f"{name} has no method sample(n, random_state): its risk can't be found by Monte Carlo.")
    if "random_state" not in inspect.signature(density.sample).parameters:
        if not hasattr(density, "random_state"):
            raise ValueError(f"{name}.sample takes no random_state: a Monte Carlo risk would not be repeatable.")
        density = copy.copy(density)  # scikit-learn's mixtures keep their seed in the object
        density.random_state = rng
        found = density.sample(n)
    else:
        try:
            found = density.sample(n, random_state=rng)
        except NotImplementedError:
            raise ValueError(f"{density!r} can't be sampled: its risk can't be found by Monte Carlo.") from None
    X = np.asarray(found[0] if isinstance(found, tuple) else found, dtype=np.float64)
    if X.ndim != 2 or len(X) != n:
        raise ValueError(f"{name}.sample({n}) gave shape {X.shape}, {n} rows are wanted.")
    return X


def by_column(who: str, columns: Sequence[int] | np.ndarray, what: str) -> None:
    """Refuse the first of these columns, if there is one."""
    for j in columns:
        raise ValueError(f"{who}: column {int(j)} {what}")
