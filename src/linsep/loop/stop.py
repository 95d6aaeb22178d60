"""Stops: WHEN learning ends without having reached its target. Every default has a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..interrupt import interrupts, why_ended
from ..progress import report

HIDDEN = "rounding hides what could still be gained"


class Progress(NamedTuple):
    """What a termination condition is asked about after every pass (C3): TermCond(w*, t, t_lup), and the time."""

    w: np.ndarray  # the best w so far, the bias last; of a linear machine one row per class
    errors: float  # its errors: the weight of the rows or examples on the wrong side
    t: int  # passes made
    t_lup: int  # the pass that found it: the time of the last update of w*
    seconds: float  # since learning began


@dataclass(frozen=True)
class Stop:
    """Budgets, and the other reasons to end; the first one met ends the run, with its sentence.

    >>> Stop(passes=10).budget_spent(passes=10, updates=7, seconds=0.0)
    'the budget of 10 passes is spent'
    """

    passes: int | None = 1000  # passes over the data
    updates: int | None = None  # updates of w
    seconds: float | None = None  # wall-clock time
    patience: int | None = None  # passes in a row without fewer errors (C3)
    theta: float | None = None  # a batch step shorter than this (C2)
    when_inseparable: bool = False  # a proof that the data are not separable
    condition: Callable[[Progress], Any] | None = None  # a user's own: true, or a reason in words, ends the run

    def reason(self, state: Any, seconds: float, idle: int) -> str:
        """Why to stop after a pass, or nothing; ``idle`` passes in a row brought no fewer errors."""
        if self.theta is not None and state.step_length < self.theta:
            return f"the last step was shorter than theta={self.theta:g}"
        if self.patience is not None and idle >= self.patience:
            return f"{idle} passes brought no fewer errors (patience)"
        return self.budget_spent(state.passes, state.counters.updates, seconds)

    def budget_spent(self, passes: int, updates: int, seconds: float) -> str:
        """Which budget is spent, or nothing."""
        for spent, budget, unit in (
            (passes, self.passes, "passes"),
            (updates, self.updates, "updates"),
            (seconds, self.seconds, "seconds"),
        ):
            if budget is not None and spent >= budget:
                return f"the budget of {budget:g} {unit} is spent"
        return ""


def say_why(answer: Any) -> str:
    """Why a user's condition ends the run, or nothing if it does not.

    >>> say_why(False), say_why(True), say_why("good enough")
    ('', 'the condition stop is met', 'good enough')
    """
    return answer if isinstance(answer, str) else "the condition stop is met" if answer else ""


class Rounds:
    """Count 1, 2, ... until a budget is spent; then ``reason`` says which. A body that breaks off leaves none.

    A second loop goes on counting where the first one broke off.

    >>> rounds = Rounds(2)
    >>> list(rounds), rounds.reason
    ([1, 2], 'the budget of 2 passes is spent')
    """

    def __init__(self, most: int, seconds: float | None = None):
        self.stop = Stop(passes=most, seconds=seconds)
        self.reason, self.count, self.began = "", 0, time.monotonic()

    def __iter__(self) -> Iterator[int]:
        with interrupts():
            while not self.reason:
                self.count += 1
                yield self.count
                report(self.count, self.stop.passes)
                self.reason = why_ended(self.stop.budget_spent(self.count, 0, time.monotonic() - self.began))
