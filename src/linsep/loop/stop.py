"""Stops: WHEN learning ends without having reached its target. Every default has a budget."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..interrupt import INTERRUPT, INTERRUPTED, interrupts, why_ended
from ..progress import report

AUTO = 5.0  # seconds that learning may take where max_iter="auto"; see `Clock`
LEAST = 3  # passes that are made whatever they cost
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
    auto: float | None = None  # seconds of work after the first pass: see `Clock`

    def reason(self, state: Any, seconds: float, idle: int) -> str:
        """Why to stop after a pass, or nothing; ``idle`` passes in a row brought no fewer errors."""
        if self.theta is not None and state.step_length < self.theta:
            return f"the last step was shorter than theta={self.theta:g}"
        if self.patience is not None and idle >= self.patience:
            return f"{idle} passes brought no fewer errors (patience)"
        return self.budget_spent(state.passes, state.counters.updates, seconds)

    def part_spent(self, passes: int, updates: int, seconds: float, worked: float) -> float:
        """Which part of the budget that will be spent first is spent."""
        spent = ((passes, self.passes), (updates, self.updates), (seconds, self.seconds), (worked, self.auto))
        return max((used / budget for used, budget in spent if budget), default=0.0)

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


class Clock:
    """The time that learning has worked since its first pass: that of this thread, in which others' work doesn't count.

    The first pass of every loop, in which functions may be compiled, is not counted, and the first `LEAST` passes are
    made whatever they cost: so what a fit learns depends on the machine only if it takes longer than its budget.
    """

    def __init__(self, budget: float | None, worked: float = 0.0):
        self.budget, self.first = budget, time.thread_time() - worked

    def worked(self, passes: int) -> float:
        """Seconds of work after the first pass."""
        if passes <= 1:
            self.first = time.thread_time()
        return time.thread_time() - self.first

    def reason(self, passes: int) -> str:
        """Why to stop after so many passes, or nothing."""
        if self.budget is None or self.worked(passes) < self.budget or passes < LEAST:
            return ""
        return f"the {AUTO:g} seconds of max_iter='auto' are spent"  # of which each class may have a share


def say_why(answer: Any) -> str:
    """Why a user's condition ends the run, or nothing if it does not.

    >>> say_why(False), say_why(True), say_why("good enough")
    ('', 'the condition stop is met', 'good enough')
    """
    return answer if isinstance(answer, str) else "the condition stop is met" if answer else ""


def name_interrupt(reason: str) -> str:
    """The reason why learning ended; after Ctrl-C rounding is none, since what would tell was cut short."""
    return INTERRUPTED if reason == HIDDEN and INTERRUPT.pressed else reason


class Rounds:
    """Count 1, 2, ... until a budget is spent; then ``reason`` says which. A body that breaks off leaves none.

    A second loop goes on counting where the first one broke off.

    >>> rounds = Rounds(2)
    >>> list(rounds), rounds.reason
    ([1, 2], 'the budget of 2 passes is spent')
    """

    def __init__(self, most: int, seconds: float | None = None, auto: float | None = None, verbose: int = 0):
        self.stop, self.clock = Stop(passes=most, seconds=seconds, auto=auto), Clock(auto)
        self.reason, self.count, self.began, self.verbose = "", 0, time.monotonic(), verbose

    def __iter__(self) -> Iterator[int]:
        with interrupts():
            first, entered = self.count + 1, time.thread_time()
            while not self.reason:
                self.count += 1
                yield self.count
                if self.count == first:
                    self.clock.first += time.thread_time() - entered
                seconds, worked = time.monotonic() - self.began, self.clock.worked(self.count)
                if self.verbose:
                    print(f"pass {self.count:>6}  seconds {seconds:.3g}", file=sys.stderr)
                report(self.count, self.stop.passes, self.stop.part_spent(self.count, 0, seconds, worked))
                spent = self.stop.budget_spent(self.count, 0, seconds) or self.clock.reason(self.count)
                self.reason = why_ended(spent)
