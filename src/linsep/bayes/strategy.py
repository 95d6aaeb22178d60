r"""The strategy of minimal risk for any loss, reject option included (A1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .discriminant import Discriminant, discriminant_of
from .loss import gains, terms
from .risk import Risk, estimate

LOWEST = -1e290  # shown for log 0, since scikit-learn's metrics want finite scores


class Interval(NamedTuple):
    """Where two classes are decided one way: low < log p(x,1)/p(x,0) < high."""

    decision: Any
    low: float
    high: float


class Strategy:
    r"""The decision of least conditional risk.

    .. math:: q^*(x) = \arg\min_d \sum_k p(k|x)\, W(d,k)

    Of equal decisions the first is taken, the reject option last.

    Parameters
    ----------
    model : Model, or a fitted classifier
        Whatever knows p(k|x): ``classes_`` and ``predict_proba``. Risks by Monte Carlo need a `Model`.
    loss : matrix, optional
        ``W[decision, truth]``; None: 0 for the right class and 1 for a wrong one. A row more than columns: the
        reject option.
    reject : float, optional
        The cost of not deciding, the same whatever the truth. With 0/1 loss q rejects where the greatest
        posterior is below 1 - reject (Chow), never if reject >= 1 - 1/classes.
    reject_label : optional
        What ``predict`` calls it; -1, or "reject" among strings.

    Examples
    --------
    >>> from linsep.bayes import Gaussian, Model
    >>> model = Model([Gaussian.of([0.0], [[1.0]]), Gaussian.of([2.0], [[1.0]])])
    >>> Strategy(model, reject=0.2).predict([[0.0], [0.9], [2.0]])
    array([ 0, -1,  1])
    >>> Strategy(model, [[0, 10], [1, 0]]).predict([[-1.0], [0.0], [2.0]])      # 1 taken for 0 costs 10
    array([0, 1, 1])
    """

    def __init__(self, model: Any, loss: Any = None, *, reject: float | None = None, reject_label: Any = None):
        if not hasattr(model, "predict_proba") or not hasattr(model, "classes_"):
            raise ValueError(f"model: {type(model).__name__} has no predict_proba and classes_ (or is not fitted).")
        self.model = model
        self.terms = terms(model.classes_, loss, reject, reject_label)
        self._saved = gains(self.loss[: len(model.classes_)])

    @property
    def loss(self) -> np.ndarray:
        """W[decision, truth]."""
        return self.terms.W

    @property
    def decisions(self) -> np.ndarray:
        """The labels of the decisions: the classes, and that of the reject option."""
        return self.terms.decisions

    @property
    def rejects(self) -> bool:
        """Whether there is a reject option."""
        return len(self.loss) > self.loss.shape[1]

    def risks(self, X) -> np.ndarray:
        """The conditional risk of each decision: rows x decisions."""
        return self.model.predict_proba(X) @ self.loss.T

    def scores(self, X) -> np.ndarray:
        """Rows x classes, the greatest is the best class: log a_k p(k|x), or minus the risk.

        The former for 0/1 loss and all others where it only counts what the right decision saves, a_k.
        """
        return np.maximum(self._scores(X), LOWEST)

    def _scores(self, X) -> np.ndarray:
        if self._saved is None:
            return -self.risks(X)[:, : len(self.model.classes_)]
        with np.errstate(divide="ignore"):
            logs = getattr(self.model, "predict_log_proba", lambda X: np.log(self.model.predict_proba(X)))(X)
        return logs + np.log(self._saved)

    def decide(self, X) -> np.ndarray:
        """The number of the decision for each row."""
        best = np.argmax(self._scores(X), axis=1)
        if self.rejects:
            risks = self.risks(X)
            best[risks[:, -1] < risks[np.arange(len(best)), best]] = len(self.loss) - 1
        return best

    def predict(self, X) -> np.ndarray:
        """The decision for each row: a class, or the label of the reject option."""
        return self.decisions[self.decide(X)]

    def risk(self, n: int = 100_000, random_state: Any = None) -> Risk:
        """R(q*) by Monte Carlo; see `monte_carlo` for other strategies."""
        return estimate(self.decide, self.model, self.terms, n, random_state)

    def discriminant(self) -> Discriminant:
        """Linear or quadratic functions of which the greatest decides; a refusal if there are none."""
        found = discriminant_of(self.model)
        if self._saved is None or self.rejects:
            raise ValueError(
                "This loss mixes the classes (or rejects), so that the strategy is not linear or quadratic. For two "
                "classes see intervals(); discriminant_of(model) gives log p(x,k)."
            )
        return found.raised(np.log(self._saved))

    def intervals(self) -> list[Interval]:
        r"""For two classes, whatever the loss: the intervals of log p(x,1)/p(x,0) and their decisions.

        As the risk of each decision is linear in the posterior, the best ones are its lower envelope; so where
        log p(x,k) is linear or quadratic, the boundaries are too, also those of the reject region.

        >>> from linsep.bayes import Gaussian, Model
        >>> model = Model([Gaussian.of([0.0], [[1.0]]), Gaussian.of([2.0], [[1.0]])])
        >>> [(str(q), round(low, 3), round(high, 3)) for q, low, high in Strategy(model, reject=0.2).intervals()]
        [('0', -inf, -1.386), ('-1', -1.386, 1.386), ('1', 1.386, inf)]
        """
        W = self.loss
        if W.shape[1] != 2:
            raise ValueError(f"intervals: for two classes only, here are {W.shape[1]}.")
        at = min(range(len(W)), key=lambda d: (W[d, 0], W[d, 1]))  # best where class 0 is certain
        found: list[Interval] = []
        low = -np.inf
        while True:
            # as p(x,1)/p(x,0) grows, the decision that costs less of class 1 and overtakes first
            rivals = [d for d in range(len(W)) if W[d, 1] < W[at, 1]]
            if not rivals:
                return [*found, Interval(self.decisions[at], low, np.inf)]
            ratio = {d: (W[d, 0] - W[at, 0]) / (W[at, 1] - W[d, 1]) for d in rivals}
            best = min(rivals, key=ratio.__getitem__)
            high = float(np.log(ratio[best])) if ratio[best] > 0 else -np.inf
            if high > low:
                found.append(Interval(self.decisions[at], low, high))
            at, low = best, high
