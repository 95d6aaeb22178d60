r"""A discrete world: the table p(x, k), its strategy of minimal risk and the risk of any strategy, exactly (A1)."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from .loss import terms


class Table:
    r"""The joint probabilities of finitely many observations x (rows) and classes k (columns).

    .. math:: R(q) = \sum_{x,k} p(x,k)\, W(q(x),k), \qquad q^*(x) = \arg\min_d \sum_k p(x,k)\, W(d,k)

    All sums are made with fractions, so that ties are ties; of equal decisions the first is taken, the reject
    option last. A table of integers and fractions has a fraction as its risk, one of floats has a float.

    Parameters
    ----------
    joint : matrix
        p(x, k) >= 0 with sum 1: exactly for fractions, to 1e-9 for floats.
    classes : sequence, optional
        Labels of the columns; 0, 1, ... by default.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> table = Table([[F(1, 2), F(1, 10)], [F(1, 10), F(3, 10)]], classes=["well", "ill"])
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
            raise ValueError(f"joint: a table of observations x classes is wanted, not shape {entries.shape}.")
        self.exact = all(isinstance(p, Rational) for p in entries.flat)
        self.joint = _fractions(entries, "joint")
        for x, k in np.argwhere(self.joint < 0)[:1]:
            raise ValueError(f"joint: p[{x}, {k}] = {entries[x, k]} is negative.")
        total = self.joint.sum()
        if total != 1 and (self.exact or abs(total - 1) > Fraction(1, 10**9)):
            raise ValueError(f"joint: the probabilities sum to {total if self.exact else float(total)}, not to 1.")
        self.classes = np.arange(entries.shape[1]) if classes is None else np.asarray(classes)
        if self.classes.shape != entries.shape[1:]:
            raise ValueError(f"classes: {self.classes.size} labels for {entries.shape[1]} columns of the table.")

    def risks(self, loss: Any = None, reject: Any = None) -> np.ndarray:
        """What every decision costs at every observation, times p(x): observations x decisions."""
        return self.joint @ self._terms(loss, reject, None)[0].T

    def strategy(self, loss: Any = None, reject: Any = None, reject_label: Any = None) -> np.ndarray:
        """The decision of least risk for each observation."""
        W, decisions = self._terms(loss, reject, reject_label)
        return decisions[[min(range(len(W)), key=row.__getitem__) for row in self.joint @ W.T]]

    def risk(self, strategy: Any, loss: Any = None, reject: Any = None, reject_label: Any = None) -> Fraction | float:
        """The risk of a strategy, given as one decision for each observation."""
        W, decisions = self._terms(loss, reject, reject_label)
        q = np.asarray(strategy)
        if q.shape != self.joint.shape[:1]:
            raise ValueError(f"strategy: {len(self.joint)} observations want as many decisions, not shape {q.shape}.")
        place = {label: d for d, label in enumerate(decisions.tolist())}
        for label in q.tolist():
            if label not in place:
                raise ValueError(f"strategy: {label!r} is not one of the decisions {decisions.tolist()}.")
        total = sum((p @ W[place[label]] for p, label in zip(self.joint, q.tolist(), strict=True)), Fraction(0))
        return total if self.exact else float(total)

    def _terms(self, loss: Any, reject: Any, reject_label: Any) -> tuple[np.ndarray, np.ndarray]:
        """The loss in fractions, and the decisions."""
        cost = None if reject is None else float(_fractions(np.array([reject], dtype=object), "reject")[0])
        W, decisions = terms(self.classes, loss, cost, reject_label)
        rows = np.array(W[: self.classes.size] if loss is None else loss, dtype=object)
        if reject is not None:
            rows = np.vstack([rows, np.full((1, rows.shape[1]), reject, dtype=object)])
        return _fractions(rows, "loss"), decisions


def _fractions(entries: np.ndarray, who: str) -> np.ndarray:
    """Every number as a fraction, which a float is too."""
    exact = np.empty(entries.shape, dtype=object)
    for at, value in np.ndenumerate(entries):
        try:
            rational = isinstance(value, Rational)
            exact[at] = Fraction(int(value.numerator), int(value.denominator)) if rational else Fraction(float(value))
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{who}: the entry {list(at)} is {value!r}, a finite number is wanted.") from None
    return exact
