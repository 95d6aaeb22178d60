"""The updates of a run, written down column by column."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..certificates.base import Certificate
from ..estimators.trace import Update, trace
from .proof import class_points

MOST_BATCH_ROWS = 400_000  # numbers of rows that all batch steps of a recording may name
NUMBERS = ("wa", "goal", "alpha", "beta", "errors", "lower", "upper", "value")


class Question(NamedTuple):
    """Data of two classes or more that one w, or one matrix, is learned from."""

    estimator: Any
    X: Any  # rows, or words
    y: Any
    rows: np.ndarray  # their numbers in all data


def fit_within(question: Question, most: int, seconds: float, covariances: Any = None) -> Any:
    """The rule, fitted with the budget of the recording where it has none of its own."""
    rule = clone(question.estimator)
    given = rule.get_params(deep=False)
    budget: dict[str, Any] = {"max_updates": most, "max_seconds": seconds}
    settings = {key: value for key, value in budget.items() if key in given and given[key] is None}
    if given.get("method") == "lms" and given["max_iter"] == "auto":
        settings["max_iter"] = max(1, most // len(question.y))
    elif given.get("max_iter") == "auto" and "max_updates" not in given and "C" not in given:
        settings["max_iter"] = most
    rule.set_params(**settings)
    if covariances is not None:
        return rule.fit_gaussians(question.X, covariances, question.y)
    return rule.fit(question.X, question.y)


class Table:
    """The updates of a recording, column by column."""

    def __init__(self, members: int, width: int):
        self.members, self.width, self.count, self.listed = members, width, 0, 0
        self.found: dict[str, list] = {name: [] for name in (*NUMBERS, "row", "rival", "pass", "visits", "w", "a")}
        self.found |= {"member": [], "rows": [], "points": []}
        self.w: np.ndarray | None = None
        self.first: np.ndarray | None = None

    # many arguments because: they are what is known of one run
    def follow(
        self, question: Question, member: int, fitted: Any, certificate: Certificate, most: int, end: float
    ) -> bool:
        """Write down the updates of one question; whether the rule came to its end within the budgets."""
        if not hasattr(question.estimator, "_updates"):
            return True
        loop = "max_updates" in question.estimator.get_params(deep=False)
        made = min(most, certificate.updates) if loop else most
        count = 0
        for update in follow_trace(question, made):
            self.add(update, question, member)
            count += 1
            if time.monotonic() > end:
                return False
        return count < most or (loop and certificate.proved and not certificate.reason)

    def add(self, update: Update, question: Question, member: int = 0) -> None:
        """Write down one update."""
        w, before = (np.atleast_2d(each) for each in (update.w, update.before))
        if self.w is None:
            self.w = np.zeros((self.members, self.width)) if self.members > 1 else before.copy()
        if self.first is None:
            self.first = self.w.copy()
        place = slice(member, member + 1) if self.members > 1 else slice(None)
        self.w[place] = w
        found = self.found
        found["w"].append(self.w.ravel().tolist())
        found["a"].append(np.ravel(update.a).tolist())
        found["row"].append(int(question.rows[update.row]) if update.row >= 0 else -1)
        found["pass"].append(int(update.passes))
        found["visits"].append(int(update.visits))
        found["member"].append(member)
        found["rival"].append(self._rival(update, question))
        for name in NUMBERS:
            found[name].append(float(getattr(update, name)))
        if update.row < 0 and self.listed <= MOST_BATCH_ROWS:
            self.listed += update.rows.size
            found["rows"].append(question.rows[update.rows].tolist())
        weights = getattr(update.state, "dual_weights", None)
        if self.members == 1 and w.shape[0] == 1 and weights is not None and _is_free(question.estimator):
            found["points"].append(class_points(question.X, question.y, weights))
        self.count += 1

    @staticmethod
    def _rival(update: Update, question: Question) -> int | list[int] | None:
        """The row of the other class, the number of the class, or the labelling, that a row was compared with."""
        if update.rival is None:
            return None
        if np.ndim(update.rival):
            return np.searchsorted(question.estimator.classes_, update.rival).tolist()
        if np.ndim(update.w) == 2:
            return int(np.searchsorted(np.unique(question.y), update.rival))
        return int(question.rows[update.rival])

    def start(self, shape: tuple[int, ...]) -> np.ndarray:
        """The w before the first update."""
        return np.zeros(shape) if self.first is None else self.first

    def columns(self) -> dict[str, list]:
        """The columns that hold anything."""
        found = self.found
        keep = {"rows": len(found["rows"]) == self.count, "points": len(found["points"]) == self.count}
        keep |= {"member": self.members > 1, "rival": any(each is not None for each in found["rival"])}
        keep |= {name: not all(map(math.isnan, found[name])) for name in NUMBERS}
        return {name: values for name, values in found.items() if self.count == 0 or keep.get(name, True)}


def _is_free(estimator: Any) -> bool:
    """Whether w is half the difference of two points, one of each hull."""
    return getattr(estimator, "bias", None) == "free"


def follow_trace(question: Question, most: int) -> Iterator[Update]:
    """What `trace` yields, or nothing where it says that there are no updates to follow."""
    if most < 1:
        return
    try:
        yield from trace(question.estimator, question.X, question.y, max_updates=most, bounds=True)
    except (TypeError, ValueError) as error:
        if not str(error).startswith("trace:"):
            raise
