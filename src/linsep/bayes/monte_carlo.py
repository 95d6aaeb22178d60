r"""The risk of a strategy given class densities, by Monte Carlo, with its standard error (A1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from ..risk.empirical import find_labels
from .loss import check_loss
from .model import Model


class RiskEstimate(NamedTuple):
    """A risk estimated from n samples, with its standard error.

    >>> print(RiskEstimate(0.158712, 0.000171, 100000))
    0.15871 ± 0.00017 (100000 samples)
    """

    value: float
    error: float
    n: int

    def __str__(self) -> str:
        digits = max(0, 1 - int(np.floor(np.log10(self.error)))) if self.error > 0 else 6
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f} ({self.n} samples)"


def monte_carlo_risk(
    strategy: Any,
    model: Model,
    loss: Any = None,
    *,
    reject: float | None = None,
    reject_label: Any = None,
    n: int = 100_000,
    random_state: Any = None,
) -> RiskEstimate:
    r"""Estimate the risk R(q) of any strategy q if ``model`` is true.

    .. math:: R(q) = \sum_k p(k) \int p(x|k)\, r(x)\, dx, \qquad r(x) = \sum_j p(j|x)\, W(q(x),j)

    The rows are drawn class by class, in proportion to the priors and at least two per class, and each counts with
    its expected loss r(x): both make the error smaller than counting losses does. The standard error is that of the
    weighted sum of the class means.

    Parameters
    ----------
    strategy : callable or object with ``predict``
        Maps X to decisions.
    model : Model
        Densities that can be sampled, and priors.
    loss : array-like, default=None
        ``W[decision, truth]`` as for `Strategy`. None: 0/1 loss.
    reject : float, default=None
        The cost of the reject option.
    reject_label : object, default=None
        The label of the reject option. None: -1, or "reject" if the classes are strings.
    n : int, default=100_000
        Number of samples.
    random_state : int, RandomState or None, default=None
        Seed.

    Examples
    --------
    >>> from linsep.bayes import Gaussian, Model
    >>> model = Model([Gaussian.from_parameters([mean], [[1.0]]) for mean in (-1.0, 1.0)])
    >>> print(monte_carlo_risk(lambda X: (X[:, 0] > 0).astype(int), model, random_state=0))  # Phi(-1) = 0.15866
    0.15868 ± 0.00046 (100000 samples)
    """
    if not hasattr(model, "classes_"):
        raise ValueError(f"model: expected a Model, got {type(model).__name__}.")
    W, decisions = check_loss(model.classes_, loss, reject, reject_label)
    predict = strategy.predict if hasattr(strategy, "predict") else strategy
    if not callable(predict):
        raise ValueError(f"strategy: expected a function of X or an object with predict, got {strategy!r}.")

    def decide(X: np.ndarray) -> np.ndarray:
        labels = np.asarray(predict(X))
        if labels.shape != (len(X),):
            raise ValueError(f"strategy: expected {len(X)} decisions, got shape {labels.shape}.")
        return find_labels(labels, decisions, "strategy")

    return estimate_risk(decide, model, W, n, random_state)


def estimate_risk(decide: Callable, model: Model, W: np.ndarray, n: int, random_state: Any) -> RiskEstimate:
    """Estimate the risk of a function that maps X to indices of decisions; see `monte_carlo_risk`."""
    if not hasattr(model, "densities"):
        raise ValueError(f"{type(model).__name__} has no class densities to draw samples from.")
    if not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n: expected a number of samples, got {n!r}.")
    rng = check_random_state(random_state)
    value = variance = drawn = 0.0
    for j, prior in enumerate(model.priors):
        if prior > 0:
            X = model.sample_class(j, max(2, round(n * prior)), rng)
            r = np.sum(model.predict_proba(X) * W[decide(X)], axis=1)
            value += prior * r.mean()
            variance += prior**2 * r.var(ddof=1) / len(r)
            drawn += len(r)
    return RiskEstimate(float(value), float(np.sqrt(variance)), int(drawn))
