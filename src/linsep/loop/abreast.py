"""One versus all side by side (D2): K two-class problems on the same rows, one visit of a row serves them all.

All K scores of a row are computed at once; then each problem goes through `sweep` with that one row, exactly as it
would alone.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..certificates.prove.margin import disprove
from ..certificates.prove.prover import bias_of
from ..jit import compiled
from ..oracles import Dense, Sparse, Versus
from ..rows.matrix import live, width
from .compatible import exactly, refuse
from .keep import Average, Last
from .learn import State, record
from .order import visits
from .stop import Stop, interrupts
from .sweep import Task, Tick, sweep


@compiled
def abreast(rows, label, score, target, rule, w, own, total, dual, counts, sums, order, enough, budget):
    """Visit the rows in ``order``.

    ``own`` shows the weights of each problem in ``w``, ``total`` likewise what an average keeps; ``counts`` and
    ``sums`` hold the whole and the other numbers of each tick.
    """
    for at in range(order.size):
        rows.profile(w, order[at], score)
        for k in range(score.size):
            if counts[k, 1] < enough and counts[k, 0] != budget:
                task = Task(Versus(rows, label, score, k), target, rule, Average(total[k]))
                tick = Tick(counts[k, 0], counts[k, 1], 0, sums[k, 0], sums[k, 1], sums[k, 2], sums[k, 3])
                tick = sweep(task, own[k], dual[k], tick, order[at : at + 1], enough, budget)
                counts[k, 0], counts[k, 1] = tick.updates, tick.clean
                sums[k, 0], sums[k, 1], sums[k, 2], sums[k, 3] = tick.mass, tick.scale, tick.seen, tick.ww


@dataclass
class Course:
    """How one of the problems went."""

    state: State
    history: list[dict[str, float]] = field(default_factory=list)
    reason: str = ""  # why it ended before its target

    @property
    def over(self) -> bool:
        """Whether there is nothing more to do."""
        return self.state.done or bool(self.reason)


def learn_abreast(
    rows: Dense | Sparse, label: np.ndarray, count: int, target: Any, rule: Any, *,
    stop: Stop, average: bool, rng: np.random.Generator | None = None,
) -> list[Course]:  # fmt: skip
    """Learn class k against all others for every k, by the single-sample form, from w = 0.

    A course is what `linsep.loop.learn.learn` makes of class k alone; its state goes to `answer`.
    """
    refuse([rows], target, rule, whole=False)
    target, rule = exactly(target), exactly(rule)
    size, n = width(rows) + 1, label.size
    w, dual, score = np.zeros(count * size), np.zeros((count, n)), np.zeros(count)
    dense = isinstance(rows, Dense)
    own = w.reshape(count, size) if dense else w.reshape(size, count).T
    total = np.zeros_like(own)
    counts, sums = np.zeros((count, 2), dtype=np.int64), np.zeros((count, 4))
    sums[:, 1] = 1.0  # the scale
    label = np.ascontiguousarray(label, dtype=np.int32)
    enough = sum(some.size for some in live(rows))
    budget = -1 if stop.updates is None else stop.updates
    courses = [Course(State(np.zeros(size), dual[k], Tick(), Last(np.zeros(0)))) for k in range(count)]
    began, deadline = time.monotonic(), stop.deadline()
    with interrupts() as interrupt:
        while not all(course.over for course in courses):
            before = counts[:, 0].copy()
            if rng is not None:  # the order changes: only a whole clean pass counts
                counts[[not course.over for course in courses], 1] = 0
            for order in visits(rows, rng):
                abreast(rows, label, score, target, rule, w, own, total, dual, counts, sums, order, enough, budget)
                if interrupt.pressed or time.monotonic() >= deadline:
                    break
            seconds = time.monotonic() - began
            for k, course in enumerate(courses):
                if course.over:
                    continue
                state = course.state
                state.w = own[k]
                state.tick = Tick(int(counts[k, 0]), int(counts[k, 1]), 0, *map(float, sums[k]))
                state.keep = Average(total[k]) if average else state.keep
                state.passes += 1
                state.mistakes = int(counts[k, 0] - before[k])
                state.done = bool(counts[k, 1] >= enough)
                course.history.append(record(state, seconds))
                if not state.done:
                    course.reason = "interrupted (Ctrl-C)" if interrupt.pressed else stop.reason(
                        passes=state.passes, updates=state.tick.updates, seconds=seconds, idle=0, moved=math.inf
                    )  # fmt: skip
                    if stop.refute and state.passes & (state.passes - 1) == 0 and _refuted(rows, label == k, state):
                        course.reason = "the data are proved not separable"
                if course.over:
                    counts[k, 1] = enough  # at rest from here on
                    state.w, state.keep = state.w.copy(), type(state.keep)(state.keep.total.copy())
    return courses


def _refuted(rows: Dense | Sparse, positive: np.ndarray, state: State) -> bool:
    side = rows._replace(sign=np.where(positive, 1, -1).astype(np.int8))
    return disprove([side], bias_of([side]), state.dual) is not None
