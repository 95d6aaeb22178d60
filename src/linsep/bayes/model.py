r"""What is known of the world: the class densities and priors, p(x, k) = p(k) p(x|k) (A1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from ._check import checked, numbers
from .densities._base import draw, in_class
from .densities.gaussian import Gaussian
from .discriminant import Centred, centred


class Model:
    r"""Priors p(k) and densities p(x|k).

    Parameters
    ----------
    densities : sequence
        One fitted density for each class: any object with ``score_samples(X)``, the logarithms. Those with
        ``sample(n, random_state)`` can be sampled.
    priors : sequence, optional
        p(k) >= 0 with sum 1; all equal by default.
    classes : sequence, optional
        Labels; 0, 1, ... by default.

    Where no class has any density, x tells nothing: the posterior is the prior.

    Examples
    --------
    >>> from linsep.bayes import Gaussian
    >>> model = Model([Gaussian.of([0.0], [[1.0]]), Gaussian.of([2.0], [[1.0]])], [0.5, 0.5])
    >>> model.predict_proba([[1.0], [2.0]]).round(4)
    array([[0.5   , 0.5   ],
           [0.1192, 0.8808]])
    """

    def __init__(self, densities: Sequence[Any], priors: Any = None, classes: Any = None):
        self.densities = list(densities)
        K = len(self.densities)
        if K == 0:
            raise ValueError("densities: none given.")
        self.classes_ = np.arange(K) if classes is None else np.asarray(classes)
        if self.classes_.shape != (K,) or len(set(self.classes_.tolist())) < K:
            raise ValueError(f"classes: {K} different labels are wanted, not {self.classes_.tolist()}.")
        self.priors = check_priors(priors, self.classes_)
        for label, density in zip(self.classes_.tolist(), self.densities, strict=True):
            if not callable(getattr(density, "score_samples", None)):
                raise ValueError(f"class {label!r}: {type(density).__name__} has no method score_samples.")
        widths = {density.n_features_in_ for density in self.densities if hasattr(density, "n_features_in_")}
        if len(widths) > 1:
            raise ValueError(f"densities: they are of different widths, {sorted(widths)} columns.")

        self._fast = _shared(self.densities)

    def log_joint(self, X) -> np.ndarray:
        """log p(x,k): rows x classes."""
        columns = [self._log(X, j) for j in range(len(self.densities))]
        with np.errstate(divide="ignore"):
            return np.stack(columns, axis=1) + np.log(self.priors)

    def _log(self, X, j: int) -> np.ndarray:
        label, name = self.classes_.tolist()[j], type(self.densities[j]).__name__
        with in_class(label):
            logs = np.asarray(self.densities[j].score_samples(X), dtype=np.float64)
            if logs.shape != (len(X),):
                raise ValueError(f"{name}.score_samples gave shape {logs.shape} for {len(X)} rows.")
            for i in np.flatnonzero(np.isnan(logs) | (logs == np.inf))[:1]:
                raise ValueError(f"{name}.score_samples gave {logs[i]} for row {i}.")
        return logs

    def score_samples(self, X) -> np.ndarray:
        """log p(x), so that a model can be a density too."""
        return logsumexp(self.log_joint(X), axis=1)

    def predict_log_proba(self, X) -> np.ndarray:
        """log p(k|x): rows x classes."""
        with np.errstate(divide="ignore"):
            if self._fast is not None:
                logs = self._fast(checked(self.densities[0], X, reset=False)) + np.log(self.priors)
            else:
                logs = self.log_joint(X)
            logs[np.all(logs == -np.inf, axis=1)] = np.log(self.priors)
        return logs - logsumexp(logs, axis=1, keepdims=True)

    def predict_proba(self, X) -> np.ndarray:
        """p(k|x): rows x classes."""
        return np.exp(self.predict_log_proba(X))

    def draw(self, j: int, n: int, random_state=None) -> np.ndarray:
        """``n`` rows of class number j."""
        with in_class(self.classes_.tolist()[j]):
            return draw(self.densities[j], n, check_random_state(random_state))

    def sample(self, n_samples: int = 1, random_state=None) -> tuple[np.ndarray, np.ndarray]:
        """Rows and their classes, drawn from p(x,k)."""
        rng = check_random_state(random_state)
        k = rng.choice(len(self.priors), n_samples, p=self.priors)
        parts = {j: self.draw(j, int(np.sum(k == j)), rng) for j in np.unique(k).tolist()}
        X = np.empty((n_samples, next(iter(parts.values())).shape[1]))
        for j, part in parts.items():
            X[k == j] = part
        return X, self.classes_[k]


def _shared(densities: list[Any]) -> Centred | None:
    """What Gaussians of one covariance amount to: a product of matrices instead of a density for each class."""
    if not all(isinstance(one, Gaussian) and hasattr(one, "mean_") for one in densities):
        return None
    first = densities[0]
    if not all(np.array_equal(one.covariance_, first.covariance_) for one in densities):
        return None
    return centred(np.stack([one.mean_ for one in densities]), first.solve)


def check_priors(priors: Any, classes: np.ndarray) -> np.ndarray:
    """Priors of these classes; equal ones for None."""
    K = classes.size
    if priors is None:
        return np.full(K, 1.0 / K)
    p = numbers(priors, "priors")
    if p.shape != (K,):
        raise ValueError(f"priors: one for each of the {K} classes {classes.tolist()} is wanted, not shape {p.shape}.")
    for label, value in zip(classes.tolist(), p.tolist(), strict=True):
        if not value >= 0:
            raise ValueError(f"priors: that of class {label!r} is {value}, a number >= 0 is wanted.")
    if abs(p.sum() - 1) > 1e-9:
        raise ValueError(f"priors: they sum to {p.sum()}, not to 1.")
    return p
