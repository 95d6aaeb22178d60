"""A development set: its score after every pass, the w of the best pass, and when patience is at an end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...certificates.prove import LabellingProver, Outcome
from ...loop.learn import keeps_average
from ...loop.passes import State


class Development:
    """A watcher of passes.

    Parameters
    ----------
    estimator : SequenceClassifier
        Which w is scored, for how long, and whether to print, is what its parameters say.
    score : callable
        The score of a w on the development set.
    """

    def __init__(self, estimator, score: Callable[[np.ndarray], float]):
        self.estimator, self.score = estimator, score
        self.scores: list[float] = []
        self.w = np.zeros(0)
        self.state: State | None = None

    def __call__(self, state: State) -> str | None:
        """Score the w of a pass; returns a reason to stop, or None."""
        estimator, self.state = self.estimator, state
        average = keeps_average(estimator.keep, False) and not (estimator.keep == "auto" and state.done)
        w = state.keeper.result(state.w, state.counters.seen) if average else state.weights
        score = self.score(w)
        if not self.scores or score > max(self.scores):
            self.w = w.copy()
        self.scores.append(score)
        if estimator.verbose:
            print(f"pass {state.passes:>6}  dev {estimator.scoring} {score:.4f}", file=sys.stderr)
        idle = len(self.scores) - 1 - int(np.argmax(self.scores))
        if estimator.patience is not None and idle >= estimator.patience:
            return f"{idle} passes without a better score of dev (patience)"
        return None

    def publish(self, oracle: Any) -> None:
        """Make the w of the best pass the answer, with a certificate of its own."""
        estimator = self.estimator
        if not self.scores:  # the largest margin is not found by passes
            return
        for entry, score in zip(estimator.history_, self.scores, strict=True):
            entry["dev"] = score
        estimator.best_iter_ = int(np.argmax(self.scores)) + 1
        if not np.array_equal(self.w, estimator.coef_):
            found = estimator.certificate_
            reason = found.reason or "the pass with the best score of dev was taken"
            outcome = Outcome(estimator._target(), "none", found.updates, reason)
            estimator.certificate_ = LabellingProver([oracle]).certify(self.w, self.state, outcome)
            estimator.coef_ = self.w


def as_dev(dev: tuple | None, X_dev: Any, y_dev: Any) -> tuple | None:
    """The pair (X, y) of sequences that are scored after every pass, whichever way it was given.

    >>> as_dev(None, [["a"]], None)
    Traceback (most recent call last):
    ValueError: X_dev, y_dev: expected both or none, and no dev beside them.
    """
    if X_dev is None and y_dev is None:
        return dev
    if dev is not None or X_dev is None or y_dev is None:
        raise ValueError("X_dev, y_dev: expected both or none, and no dev beside them.")
    return X_dev, y_dev
