r"""The risk of a strategy in a world of densities, by Monte Carlo with its standard error (A1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from .loss import Terms, terms
from .model import Model


class Risk(NamedTuple):
    """An estimate and how far off it may be.

    >>> print(Risk(0.158712, 0.000171, 100000))
    0.15871 ± 0.00017 (100000 samples)
    """

    value: float
    error: float  # standard error
    n: int

    def __str__(self) -> str:
        digits = max(0, 1 - int(np.floor(np.log10(self.error)))) if self.error > 0 else 6
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f} ({self.n} samples)"


def monte_carlo(
    strategy: Any,
    model: Model,
    loss: Any = None,
    *,
    reject: float | None = None,
    reject_label: Any = None,
    n: int = 100_000,
    random_state: Any = None,
) -> Risk:
    r"""R(q) of any strategy q, a function of X or an object with ``predict``, in the world of ``model``.

    .. math:: R(q) = \sum_k p(k) \int p(x|k)\, r(x)\, dx, \qquad r(x) = \sum_j p(j|x)\, W(q(x),j)

    The rows are drawn class by class, as many as the priors say and two at least, and each is charged its mean loss
    r(x) over the classes it may come from: both make the error smaller than counting losses does. The standard
    error is that of the means of the classes.

    Examples
    --------
    >>> from linsep.bayes import Gaussian, Model
    >>> model = Model([Gaussian.of([-1.0], [[1.0]]), Gaussian.of([1.0], [[1.0]])])
    >>> print(monte_carlo(lambda X: (X[:, 0] > 0).astype(int), model, random_state=0))  # Phi(-1) = 0.15866
    0.15868 ± 0.00046 (100000 samples)
    """
    W, decisions = terms(model.classes_, loss, reject, reject_label)
    return estimate(_indexed(strategy, decisions), model, Terms(W, decisions), n, random_state)


def estimate(decide: Callable, model: Model, loss: Terms, n: int, random_state: Any) -> Risk:
    """The same for a function that gives the number of each decision."""
    if not hasattr(model, "densities"):
        raise ValueError(f"{type(model).__name__} has no class densities: there is nothing to draw samples from.")
    if not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n={n!r}: a number of samples is wanted.")
    rng = check_random_state(random_state)
    value = variance = drawn = 0.0
    for j, prior in enumerate(model.priors):
        if prior > 0:
            X = model.draw(j, max(2, round(n * prior)), rng)
            r = np.sum(model.predict_proba(X) * loss.W[decide(X)], axis=1)
            value += prior * r.mean()
            variance += prior**2 * r.var(ddof=1) / len(r)
            drawn += len(r)
    return Risk(float(value), float(np.sqrt(variance)), int(drawn))


def _indexed(strategy: Any, decisions: np.ndarray) -> Callable:
    """The strategy, with numbers instead of labels."""
    ask = strategy.predict if hasattr(strategy, "predict") else strategy
    if not callable(ask):
        raise ValueError(f"strategy: a function of X or an object with predict is wanted, not {strategy!r}.")
    place = {label: d for d, label in enumerate(decisions.tolist())}

    def decide(X: np.ndarray) -> np.ndarray:
        labels = np.asarray(ask(X))
        if labels.shape != (len(X),):
            raise ValueError(f"strategy: {len(X)} rows want as many decisions, not shape {labels.shape}.")
        found, at = np.unique(labels, return_inverse=True)
        for label in found.tolist():
            if label not in place:
                raise ValueError(f"strategy: its decision {label!r} is not one of {decisions.tolist()}.")
        return np.array([place[label] for label in found.tolist()])[at]

    return decide
