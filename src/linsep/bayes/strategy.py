r"""The strategy of minimal risk for any loss, reject option included (A1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .discriminant import Discriminant, compute_discriminant
from .loss import check_loss, compute_gains
from .monte_carlo import RiskEstimate, estimate_risk

LOWEST_SCORE = -1e290  # stands for log 0, since scikit-learn's metrics need finite scores


class DecisionInterval(NamedTuple):
    """The interval low < log p(x,1)/p(x,0) < high in which a decision is best."""

    decision: Any
    low: float
    high: float


class Strategy:
    r"""The decision of least conditional risk.

    .. math:: q^*(x) = \arg\min_d \sum_k p(k|x)\, W(d,k)

    Of equally good decisions the first is taken, the reject option last.

    Parameters
    ----------
    model : Model or fitted classifier
        Anything with ``classes_`` and ``predict_proba``. Risks by Monte Carlo need a `Model`.
    loss : array-like of shape (n_classes, n_classes) or (n_classes + 1, n_classes), default=None
        ``W[decision, truth]``; with one more row than columns the last one is the reject option. None: 0/1 loss.
    reject : float, default=None
        The cost of the reject option if it does not depend on the truth. With 0/1 loss q rejects where the greatest
        posterior is below 1 - reject (Chow), never if reject >= 1 - 1/n_classes.
    reject_label : object, default=None
        What ``predict`` returns for a reject. None: -1, or "reject" if the classes are strings.
    decisions : array-like of shape (n_decisions,), default=None
        The labels of the decisions, if they are not the classes: ``loss`` has one row for each, as many as there are.

    Examples
    --------
    >>> from linsep.bayes import Gaussian, Model
    >>> model = Model([Gaussian.from_parameters([mean], [[1.0]]) for mean in (0.0, 2.0)])
    >>> Strategy(model, reject=0.2).predict([[0.0], [0.9], [2.0]])
    array([ 0, -1,  1])
    >>> Strategy(model, [[0, 10], [1, 0]]).predict([[-1.0], [0.0], [2.0]])      # 1 taken for 0 costs 10
    array([0, 1, 1])
    >>> Strategy(model, [[0, 9], [1, 0], [0.7, 0.7]], decisions=["go", "stop", "ask"]).predict([[-1.5], [0.2], [2.0]])
    array(['go', 'ask', 'stop'], dtype='<U4')
    """

    _free = False  # whether the decisions are others than the classes

    def __init__(
        self, model: Any, loss: Any = None, *, reject: float | None = None, reject_label: Any = None,
        decisions: Any = None,
    ):  # fmt: skip
        if not hasattr(model, "predict_proba") or not hasattr(model, "classes_"):
            raise ValueError(f"model: {type(model).__name__} has no predict_proba and classes_ (or is not fitted).")
        self.model = model
        self.loss, self.decisions = check_loss(model.classes_, loss, reject, reject_label, decisions)
        self._free = decisions is not None
        self._gains = None if self._free else compute_gains(self.loss[: len(model.classes_)])

    @property
    def rejects(self) -> bool:
        """Whether there is a reject option."""
        return not self._free and len(self.loss) > self.loss.shape[1]

    def risks(self, X) -> np.ndarray:
        """Return the conditional risks of the decisions, shape (n_samples, n_decisions)."""
        return self.model.predict_proba(X) @ self.loss.T

    def scores(self, X) -> np.ndarray:
        """Return scores of shape (n_samples, n_classes), the best class has the greatest; or of the own decisions.

        They are log a_k p(k|x) if the loss depends only on the gain a_k of the right decision (0/1 loss does), minus
        the risk otherwise.
        """
        return np.maximum(self._scores(X), LOWEST_SCORE)

    def _scores(self, X) -> np.ndarray:
        if self._gains is None:
            return -self.risks(X)[:, : None if self._free else len(self.model.classes_)]
        with np.errstate(divide="ignore"):
            logs = getattr(self.model, "predict_log_proba", lambda X: np.log(self.model.predict_proba(X)))(X)
        return logs + np.log(self._gains)

    def decide(self, X) -> np.ndarray:
        """Return the index of the decision for every row."""
        best = np.argmax(self._scores(X), axis=1)
        if self.rejects:
            risks = self.risks(X)
            best[risks[:, -1] < risks[np.arange(len(best)), best]] = len(self.loss) - 1
        return best

    def predict(self, X) -> np.ndarray:
        """Return the decision for every row: a class, or the label of the reject option."""
        return self.decisions[self.decide(X)]

    def risk(self, n: int = 100_000, random_state: Any = None) -> RiskEstimate:
        """Estimate R(q*) by Monte Carlo; for other strategies see `monte_carlo_risk`."""
        return estimate_risk(self.decide, self.model, self.loss, n, random_state)

    def discriminant(self) -> Discriminant:
        """Return one linear or quadratic function per class, the greatest of which decides; an error if none exist."""
        found = compute_discriminant(self.model)
        if self._gains is None or self.rejects:
            raise ValueError(
                "This loss mixes the classes (or rejects), so that the strategy is not linear or quadratic. For two "
                "classes see intervals(); compute_discriminant(model) returns log p(x,k)."
            )
        return found.add_constants(np.log(self._gains))

    def intervals(self) -> list[DecisionInterval]:
        r"""Return, for two classes and any loss, the intervals of log p(x,1)/p(x,0) with their decisions.

        The risk of each decision is linear in the posterior, and the best decisions form the lower envelope. Where
        log p(x,k) is linear or quadratic, so are therefore the boundaries, including those of the reject region.

        >>> from linsep.bayes import Gaussian, Model
        >>> model = Model([Gaussian.from_parameters([mean], [[1.0]]) for mean in (0.0, 2.0)])
        >>> [(str(q), round(low, 3), round(high, 3)) for q, low, high in Strategy(model, reject=0.2).intervals()]
        [('0', -inf, -1.386), ('-1', -1.386, 1.386), ('1', 1.386, inf)]
        """
        W = self.loss
        if W.shape[1] != 2:
            raise ValueError(f"intervals: expected two classes, got {W.shape[1]}.")
        best = min(range(len(W)), key=lambda d: (W[d, 0], W[d, 1]))  # where class 0 is certain
        found: list[DecisionInterval] = []
        low = -np.inf
        while True:
            # as p(x,1)/p(x,0) grows, the first to overtake of the decisions that cost less if class 1 is true
            rivals = [d for d in range(len(W)) if W[d, 1] < W[best, 1]]
            if not rivals:
                return [*found, DecisionInterval(self.decisions[best], low, np.inf)]
            ratio = {d: (W[d, 0] - W[best, 0]) / (W[best, 1] - W[d, 1]) for d in rivals}
            following = min(rivals, key=ratio.__getitem__)
            high = float(np.log(ratio[following])) if ratio[following] > 0 else -np.inf
            if high > low:
                found.append(DecisionInterval(self.decisions[best], low, high))
            best, low = following, high
