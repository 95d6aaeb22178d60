"""Passes over the data, one after the other. Progress, traces, `partial_fit` and `learn` are their consumers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..certificates.prove.margin import convex_weights
from ..jit import at_speed
from ..oracles.update_log import Entries, merge_entries, take_entries
from ..protocols import Oracle, ScheduledRule, declared, has_methods
from ..rows.matrix import combine, count_present, present_blocks, squared_length
from ..rules import Batch
from .compatible import check_compatible, with_float_fields
from .keep import Average, Last, Pocket, make_keeper
from .order import visits
from .sweep import BatchSums, Counters, Task, batch_pass, sweep

ENTRIES = 1 << 24  # labels in the update log of a run; beyond that equal entries are merged


@dataclass
class State:
    """Where learning stands. Plain data: arrays and numbers."""

    w: np.ndarray  # in units of counters.scale
    dual_weights: np.ndarray  # how much of each vector is in w, in the same units
    counters: Counters
    keeper: Last | Average
    pocket: Pocket = field(default_factory=Pocket)
    passes: int = 0
    mistakes: int = 0  # updates of the last pass, or vectors that a batch pass found violated
    errors: float = math.nan  # weight of the errors of w, where a pass counted them
    step_length: float = math.inf  # of the last batch step
    done: bool = False  # every set was satisfied in a row
    entries: list[Entries] = field(default_factory=list)  # of labellings: what `dual_weights` weigh, pass by pass

    @property
    def weights(self) -> np.ndarray:
        """The true w."""
        return self.counters.scale * self.w

    @property
    def upper(self) -> float:
        """The bound |w| / total of the best margin, as the run computes it."""
        total = self.counters.total
        return self.counters.scale * math.sqrt(self.w @ self.w) / total if total > 0 else math.inf


def begin(parts: Sequence[Any], *, average: bool = False, w: np.ndarray | None = None) -> State:
    """The state before the first visit; ``w`` to go on from, else 0.

    From a given w the total weight is unknown: the run's own upper bound is void, the certificate's is not.
    """
    size = parts[0].size
    start = np.zeros(size) if w is None else np.array(w, dtype=np.float64)
    if start.shape != (size,):
        raise ValueError(f"start: expected {size} numbers, got an array of shape {start.shape}.")
    places = declared(parts[0], Oracle, "slots") * max(part.first + part.sign.size for part in parts)
    counters = Counters(total=0.0 if w is None else math.nan, ww=squared_length(start))
    return State(start, np.zeros(places), counters, make_keeper(average, size))


def begin_inside(parts: Sequence[Any], dual_weights: np.ndarray, *, average: bool = False) -> State:
    """The state at the convex combination of the rows with these weights: a start with its own proof."""
    rows = [part.certified for part in parts]
    dual_weights = convex_weights(rows, dual_weights, parts[0].bias_kind)
    w = combine(rows, dual_weights)
    counters = Counters(total=1.0, ww=squared_length(w))
    return replace(begin(parts, average=average), w=w, dual_weights=dual_weights, counters=counters)


def passes(
    parts: Sequence[Any],
    target: Any,
    rule: Any,
    state: State,
    *,
    batch: bool = False,
    rng: np.random.Generator | str | None = None,
    budget: int = -1,
    halt: Callable[[], bool] = lambda: False,
) -> Iterator[State]:
    """Go through the parts again and again; yields the state after every pass, one object that moves on.

    Ends by itself when every set was satisfied in a row. ``halt`` is asked between compiled calls;
    a pass cut short by it, or by ``budget`` updates, is the last one.
    """
    check_compatible(parts, target, rule, batch)
    run = _Run(parts, with_float_fields(target), with_float_fields(rule), count_present(parts), budget, halt)
    while True:
        _open_log(parts, state)
        cut = _batch_pass(run, state) if batch else _single_pass(run, state, rng)
        _close_log(parts, state)
        state.passes += 1
        yield state
        if cut or state.done:
            return


@dataclass(frozen=True)
class _Run:
    parts: Sequence[Any]
    target: Any
    rule: Any
    enough: int  # satisfied sets in a row that end the run
    budget: int
    halt: Callable[[], bool]


def _for_updates(rule: Any, updates: int, visits: int) -> Any:
    """The rule as the kernels take it, for so many visits."""
    return rule.for_updates(updates, visits) if has_methods(rule, ScheduledRule) else rule


def _sweep(run: _Run, state: State, part: Any, order: np.ndarray, budget: int) -> None:
    """One compiled call: visit the sets in ``order``."""
    task = Task(part, run.target, _for_updates(run.rule, state.counters.updates, order.size), state.keeper)
    kernel = at_speed(sweep, *task)
    state.counters = kernel(task, state.w, state.dual_weights, state.counters, order, run.enough, budget)
    state.done = state.counters.satisfied >= run.enough


def _single_pass(run: _Run, state: State, rng: np.random.Generator | str | None) -> bool:
    """Visit every set once; returns whether the pass was cut short."""
    before = state.counters.updates
    if rng is not None:  # the order may change: only a whole clean pass counts
        state.counters = state.counters._replace(satisfied=0)
    cut = False
    for part, order in ((part, order) for part in run.parts for order in visits(part, rng)):
        _sweep(run, state, part, order, run.budget)
        cut = state.counters.updates == run.budget or run.halt()
        if state.done or cut:
            break
    state.mistakes = state.counters.updates - before
    return cut


def _batch_pass(run: _Run, state: State) -> bool:
    """Visit every set with w at rest, then make one step; returns whether the pass was cut short."""
    w, counters, rule = state.w, state.counters, run.rule
    ww = squared_length(w)
    goal = run.target.goal(ww, counters.total)
    batch_sum, weights = np.zeros_like(w), np.zeros_like(state.dual_weights)
    sums = BatchSums(0, 0.0, 0.0, 0.0, math.inf)
    for part, rows in ((part, rows) for part in run.parts for rows in present_blocks(part)):
        if run.halt():
            return True
        task = Task(part, run.target, _for_updates(rule, 0, 1), state.keeper)
        block = np.zeros_like(w)
        sums = sums.merge(at_speed(batch_pass, *task)(task, w, rows, goal, block, weights))
        batch_sum += block
    state.mistakes, state.errors = sums.violated, sums.errors
    state.pocket.offer(w, sums.errors)
    state.done = sums.violated == 0
    if not state.done:
        ws, ss = float(w @ batch_sum), squared_length(batch_sum)
        alpha, beta = rule.batch_step(counters.updates, Batch(ws, ww, ss, sums.total, sums.weight, goal))
        w *= alpha
        w += beta * batch_sum
        state.dual_weights *= alpha
        state.dual_weights += beta * weights
        state.step_length = beta * math.sqrt(ss)
        total = alpha * counters.total + beta * sums.total
        state.counters = counters._replace(updates=counters.updates + 1, total=total)
    return False


def _open_log(parts: Sequence[Any], state: State) -> None:
    """Room in ``dual_weights`` for what a pass over labellings may add; rows have their places already."""
    if declared(parts[0], Oracle, "LABELLINGS"):
        n, used = parts[0].sign.size, sum(each.example.size for each in state.entries)
        if state.dual_weights.size < used + n:
            state.dual_weights = np.concatenate([state.dual_weights[:used], np.zeros(max(n, used))])
        parts[0].log.cursor[:] = 0, used


def _close_log(parts: Sequence[Any], state: State) -> None:
    """Keep a copy of the entries that a pass over labellings has written."""
    if declared(parts[0], Oracle, "LABELLINGS"):
        if parts[0].log.cursor[0]:
            state.entries.append(take_entries(parts[0].log))
        if sum(each.label.size for each in state.entries) > ENTRIES:
            merged, state.dual_weights = merge_entries(state.entries, state.dual_weights)
            state.entries[:] = [merged]


def trace(parts: Sequence[Any], target: Any, rule: Any, *, most: int = 1000) -> Iterator[tuple[int, State]]:
    """Learn step by step: yields the number of the set that caused each update, and the state after it.

    At most ``most`` updates; single-sample form, in the data's order.

    >>> from linsep.oracles import points
    >>> from linsep.rules import Increment
    >>> from linsep.targets import Margin
    >>> X = np.array([[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]])
    >>> [(row, state.weights.tolist()) for row, state in trace([points(X, [-1, -1, 1])], Margin(0.0), Increment(1.0))]
    [(0, [-0.5, -3.0, -1.0]), (2, [4.0, -2.0, 0.0]), (1, [2.5, -4.5, -1.0])]
    """
    check_compatible(parts, target, rule, batch=False)
    state = begin(parts)
    run = _Run(parts, with_float_fields(target), with_float_fields(rule), count_present(parts), most, lambda: False)
    while state.counters.updates < most:
        for part, order in ((part, order) for part in parts for order in visits(part, None)):
            while order.size:
                before = state.counters.updates
                _open_log(parts, state)
                _sweep(run, state, part, order, before + 1)
                _close_log(parts, state)
                if state.counters.updates > before:
                    yield part.first + int(order[state.counters.visited - 1]), _snapshot(state)
                if state.done or state.counters.updates >= most:
                    return
                order = order[state.counters.visited :]
        state.passes += 1


def _snapshot(state: State) -> State:
    return replace(state, w=state.w.copy(), dual_weights=state.dual_weights.copy())
