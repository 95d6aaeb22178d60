r"""A table of probabilities p(x, k): its strategy of minimal risk and the risk of any strategy, exactly (A1)."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from ..risk.empirical import find_labels
from .loss import check_loss


class ProbabilityTable:
    r"""The joint probabilities of finitely many observations x (rows) and classes k (columns).

    .. math:: R(q) = \sum_{x,k} p(x,k)\, W(q(x),k), \qquad q^*(x) = \arg\min_d \sum_k p(x,k)\, W(d,k)

    All sums are computed with fractions, so that ties are exact; of equally good decisions the first is taken, the
    reject option last. The risk is a fraction if all probabilities are integers and fractions, otherwise a float.

    Parameters
    ----------
    joint : array-like of shape (n_observations, n_classes)
        p(x, k) >= 0 with sum 1: exactly for fractions, to 1e-9 for floats.
    classes : array-like of shape (n_classes,), default=None
        Labels of the columns. None: 0, 1, ...

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> table = ProbabilityTable([[F(1, 2), F(1, 10)], [F(1, 10), F(3, 10)]], classes=["well", "ill"])
    >>> q = table.strategy()
    >>> q.tolist(), table.risk(q)
    (['well', 'ill'], Fraction(1, 5))
    >>> table.strategy([[0, 10], [1, 0]]).tolist()              # ill taken for well costs 10
    ['ill', 'ill']
    >>> table.strategy(reject=F(1, 5)).tolist()
    ['well', 'reject']
    """

    def __init__(self, joint: Any, classes: Any = None):
        entries = np.array(joint, dtype=object)
        if entries.ndim != 2 or 0 in entries.shape:
            raise ValueError(f"joint: expected a table of observations x classes, got shape {entries.shape}.")
        self.exact = all(isinstance(p, Rational) for p in entries.flat)
        self.joint = _as_fractions(entries, "joint")
        for x, k in np.argwhere(self.joint < 0)[:1]:
            raise ValueError(f"joint: p[{x}, {k}] = {entries[x, k]} is negative.")
        total = self.joint.sum()
        if total != 1 and (self.exact or abs(total - 1) > Fraction(1, 10**9)):
            raise ValueError(f"joint: expected the sum 1, got {total if self.exact else float(total)}.")
        self.classes = np.arange(entries.shape[1]) if classes is None else np.array(classes)
        if self.classes.shape != entries.shape[1:]:
            raise ValueError(f"classes: expected {entries.shape[1]} labels, got {self.classes.size}.")

    def risks(self, loss: Any = None, reject: Any = None) -> np.ndarray:
        """Return p(x) times the conditional risk of every decision, shape (n_observations, n_decisions)."""
        return self.joint @ self._exact_loss(loss, reject, None)[0].T

    def strategy(self, loss: Any = None, reject: Any = None, reject_label: Any = None) -> np.ndarray:
        """Return the decision of least risk for every observation; the arguments are those of `Strategy`."""
        W, decisions = self._exact_loss(loss, reject, reject_label)
        return decisions[[min(range(len(W)), key=row.__getitem__) for row in self.joint @ W.T]]

    def risk(self, strategy: Any, loss: Any = None, reject: Any = None, reject_label: Any = None) -> Fraction | float:
        """Return the risk of a strategy, given as one decision per observation."""
        W, decisions = self._exact_loss(loss, reject, reject_label)
        q = np.asarray(strategy)
        if q.shape != self.joint.shape[:1]:
            raise ValueError(f"strategy: expected {len(self.joint)} decisions, one per observation, got {q.tolist()}.")
        chosen = W[find_labels(q, decisions, "strategy")]
        total = sum((p @ losses for p, losses in zip(self.joint, chosen, strict=True)), Fraction(0))
        return total if self.exact else float(total)

    def _exact_loss(self, loss: Any, reject: Any, reject_label: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the loss in fractions, and the decisions."""
        cost = None if reject is None else float(_as_fractions(np.array([reject], dtype=object), "reject")[0])
        W, decisions = check_loss(self.classes, loss, cost, reject_label)
        rows = np.array(W[: self.classes.size] if loss is None else loss, dtype=object)
        if reject is not None:
            rows = np.vstack([rows, np.full((1, rows.shape[1]), reject, dtype=object)])
        return _as_fractions(rows, "loss"), decisions


def _as_fractions(entries: np.ndarray, name: str) -> np.ndarray:
    """Convert every number to a fraction; a float is one exactly."""
    exact = np.empty(entries.shape, dtype=object)
    for at, value in np.ndenumerate(entries):
        try:
            rational = isinstance(value, Rational)
            exact[at] = Fraction(int(value.numerator), int(value.denominator)) if rational else Fraction(float(value))
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{name}: expected finite numbers, got {value!r} at {list(at)}.") from None
    return exact
