"""Passes over the data, one after the other. Progress, traces, `partial_fit` and `learn` are their consumers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ..certificates.prove.margin import convex_weights, sides
from ..interrupt import in_time
from ..jit import kernel_for
from ..oracles.elsewhere import are_elsewhere, count_parts, map_parts
from ..oracles.update_log import Entries, merge_entries, take_entries
from ..protocols import Oracle, require
from ..rows.matrix import block_numbers, combine, count_present, squared_length
from ..rows.tree import BlockTree
from ..rules import Batch
from .batch import merge_sums, visit_blocks, visit_elsewhere
from .compatible import Traits, check_compatible, with_float_fields
from .keep import Average, Last, Pocket
from .mixing import Learned, learn_part, mix
from .order import visits
from .sweep import BatchSums, Counters, Task, sweep

ENTRIES = 1 << 24  # labels in the update log of a run; beyond that, and whenever they double, equal entries are merged


@dataclass
class State:
    """Where learning stands. Plain data: arrays and numbers."""

    w: np.ndarray  # in units of counters.scale
    dual_weights: np.ndarray  # how much of each vector is in w, in the same units
    counters: Counters
    keeper: Last | Average
    pocket: Pocket | None = None  # the best w so far, where errors are counted
    passes: int = 0
    mistakes: int = 0  # updates of the last pass, or vectors that a batch pass found violated
    errors: float = math.nan  # weight of the errors of w, where a pass counted them
    step_length: float = math.inf  # of the last batch step
    done: bool = False  # every set was satisfied in a row
    mixed: int = 0  # parts that learned by themselves, if there are several
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

    def offer(self, w: np.ndarray, errors: float) -> None:
        """Put w into the pocket if it makes fewer errors."""
        self.pocket = self.pocket or Pocket()
        self.pocket.offer(w, errors)


@dataclass
class Place:
    """Where a pass over single sets stands: with it, a run that was cut short goes on in the middle of a pass."""

    calls: int = 0  # compiled calls that were made
    updates: int = 0  # updates that were made before the pass
    order: Any = None  # the state of the generator of the visits at the beginning of the pass


def begin(parts: Sequence[Any], *, average: bool = False, w: np.ndarray | None = None) -> State:
    """The state before the first visit; ``w`` to go on from, else 0.

    From a given w the total weight is unknown: the run's own upper bound is void, the certificate's is not.
    """
    if not parts:
        raise ValueError("learn: expected a list of oracles, got an empty one.")
    require(type(parts[0]), Oracle)
    size = parts[0].size
    start = np.zeros(size) if w is None else np.array(w, dtype=np.float64)
    if start.shape != (size,):
        raise ValueError(f"start: expected {size} numbers, got an array of shape {start.shape}.")
    places = parts[0].slots * (parts[-1].first + parts[-1].sign.size)
    counters = Counters(total=0.0 if w is None else math.nan, ww=squared_length(start))
    return State(start, np.zeros(places), counters, Average(np.zeros(size)) if average else Last(np.zeros(0)))


def begin_inside(parts: Sequence[Any], dual_weights: np.ndarray, *, average: bool = False) -> State:
    """The state at the convex combination of the rows with these weights: a start with its own proof."""
    rows = [part.certified for part in parts]
    dual_weights = convex_weights(dual_weights, sides(rows, parts[0].bias_kind))
    w = combine(rows, dual_weights)
    counters = Counters(total=1.0, ww=squared_length(w))
    return replace(begin(parts, average=average), w=w, dual_weights=dual_weights, counters=counters)


@dataclass(frozen=True)
class _Run:
    """What does not change from pass to pass."""

    parts: Sequence[Any]
    target: Any
    rule: Any
    traits: Traits
    enough: int  # satisfied sets in a row that end the run
    budget: int = -1
    halt: Callable[[], bool] = lambda: False

    def sweep(self, state: State, part: Any, order: np.ndarray, budget: int) -> None:
        """One compiled call: visit the sets in ``order``."""
        updates, rule = state.counters.updates, self.rule
        task = Task(
            part, self.target, rule.for_updates(updates, order.size) if self.traits.scheduled else rule, state.keeper
        )
        kernel = kernel_for(sweep, *map(type, task))
        state.counters = kernel(task, state.w, state.dual_weights, state.counters, order, self.enough, budget)
        state.done = state.counters.satisfied >= self.enough


def _make_run(parts: Sequence[Any], target: Any, rule: Any, batch: bool = False, **limits: Any) -> _Run:
    traits = check_compatible(parts, target, rule, batch)
    return _Run(parts, with_float_fields(target), with_float_fields(rule), traits, count_present(parts), **limits)


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
    place: Place | None = None,
) -> Iterator[State]:
    """Go through the parts again and again; yields the state after every pass, one object that moves on.

    Ends by itself when every set was satisfied in a row. ``halt`` is asked between compiled calls;
    a pass cut short by it, or by ``budget`` updates, is the last one. ``place`` says where the first pass begins, and
    moves on too: at any call of ``halt`` state and place tell all that is needed to go on.
    """
    place = place or Place()
    run = _make_run(parts, target, rule, batch, budget=budget, halt=halt)
    while True:
        logged = run.traits.labellings and not are_elsewhere(parts)
        if logged:
            _open_log(parts[0], state)
        if batch:
            cut = _batch_pass(run, state)
        else:
            cut = (_mixed_pass if are_elsewhere(parts) else _single_pass)(run, state, rng, place)
        if logged:
            _close_log(parts[0], state)
        state.passes += 1
        yield state
        if cut or state.done:
            return


def _single_pass(run: _Run, state: State, rng: np.random.Generator | str | None, place: Place) -> bool:
    """Visit every set once, or those that are left; returns whether the pass was cut short."""
    cut = bool(place.calls) and state.counters.updates == run.budget
    shuffled = _begin_order(rng, place)
    if not place.calls:
        place.updates = state.counters.updates
        if rng is not None:  # the order may change: only a whole clean pass counts
            state.counters = state.counters._replace(satisfied=0)
    calls = ((part, order) for part in run.parts for order in visits(part, rng))
    for part, order in islice(calls, place.calls, None):
        if state.done or cut:
            break
        run.sweep(state, part, order, run.budget)
        place.calls += 1
        cut = state.counters.updates == run.budget or run.halt()
    state.mistakes, place.calls = state.counters.updates - place.updates, 0
    place.order = shuffled and shuffled.bit_generator.state
    return cut


def _begin_order(rng: np.random.Generator | str | None, place: Place) -> Any:
    """The generator of the visits, if they are shuffled, as it was at the beginning of the pass."""
    shuffled: Any = rng if isinstance(rng, np.random.Generator) else None
    if shuffled and place.order:
        shuffled.bit_generator.state = place.order
    elif shuffled:
        place.order = shuffled.bit_generator.state
    return shuffled


def _mixed_pass(run: _Run, state: State, rng: np.random.Generator | str | None, place: Place) -> bool:
    """Every part learns by itself from w, where its rows are; then w is the mean. Returns whether it was cut short."""
    shuffled = _begin_order(rng, place)
    if run.halt():
        return True
    order = int(shuffled.integers(2**62)) if shuffled else rng
    rule, counters, average = run.rule, state.counters, isinstance(state.keeper, Average)
    if run.traits.scheduled:
        rule = rule.for_updates(counters.updates, max(part.sign.size for part in run.parts))
    begin = counters._replace(satisfied=0, seen=0.0, ww=squared_length(state.w))
    numbers = [(number,) for number in range(count_parts(run.parts))]
    found = map_parts(learn_part, run.parts, (run.target, rule, average), state.w, begin, order, each=numbers)
    mixed = mix(found, state.w, begin, average)
    if mixed.before != 1.0:
        state.dual_weights *= mixed.before
    (_add_entries if run.traits.labellings else _add_weights)(run.parts, state, mixed.shares)
    state.w[:] = mixed.w
    if average:
        state.keeper.total[:] -= mixed.seen
    state.mistakes, state.done, state.mixed = mixed.updates, not mixed.updates, len(found) if len(found) > 1 else 0
    state.counters = begin._replace(updates=counters.updates + mixed.updates, total=mixed.total)
    place.order = shuffled and shuffled.bit_generator.state
    return False


def _add_weights(parts: Sequence[Any], state: State, shares: list[tuple[int, float, Learned]]) -> None:
    """Add the weights of the vectors that parts have added to w."""
    for number, share, learned in shares:
        at = parts[number].first * parts[number].slots
        state.dual_weights[at : at + learned.weights.size] += share * learned.weights.unpack()


def _add_entries(parts: Sequence[Any], state: State, shares: list[tuple[int, float, Learned]]) -> None:
    """Add the labellings that shards have added to w, and their weights."""
    used = sum(each.example.size for each in state.entries)
    added = [share * learned.weights.unpack() for _, share, learned in shares]
    state.dual_weights = np.concatenate([state.dual_weights[:used], *added])
    for number, _, learned in shares:
        example, begin, label = learned.entries  # type: ignore[misc]
        state.entries.append(Entries(example + parts[0].starts[number], begin, label))
    _merge_if_many(state)


class _Visited(NamedTuple):
    """What a pass with w fixed found: all that a batch step needs."""

    batch_sum: np.ndarray
    weights: np.ndarray  # of the vectors in it
    sums: BatchSums
    goal: float
    ww: float


def _batch_pass(run: _Run, state: State) -> bool:
    """Visit every set with w fixed, then make one step; returns whether the pass was cut short."""
    found = _visit_all(run, state)
    if found is None:
        return True
    if not state.done:
        _move(run, state, found)
    return False


def _visit_all(run: _Run, state: State) -> _Visited | None:
    """Visit every set with w fixed; None: the pass was cut short."""
    w, counters, rule = state.w, state.counters, run.rule
    ww = squared_length(w)
    goal = run.target.goal(ww, counters.total)
    weights, tree = np.zeros_like(state.dual_weights), BlockTree(merge_sums)
    rule = rule.for_updates(counters.updates, 1) if run.traits.scheduled else rule
    task = Task((), run.target, rule, state.keeper)
    numbers = block_numbers(run.parts)
    if are_elsewhere(run.parts):
        if run.halt():
            return None
        each = [(number,) for number in numbers]
        for part, (nodes, packed) in zip(run.parts, map_parts(visit_elsewhere, run.parts, task, w, goal, each=each)):
            tree.extend(nodes)
            at = part.first * part.slots
            weights[at : at + part.sign.size * part.slots] = packed.unpack()
    else:
        for part, number in zip(run.parts, numbers, strict=True):
            for visit in visit_blocks(part, task, w, goal, number, weights):
                if run.halt():
                    return None
                tree.extend([visit()])
    batch_sum, sums = tree.total() or (np.zeros_like(w), BatchSums(0, 0.0, 0.0, 0.0, math.inf))
    state.mistakes, state.errors = sums.violated, sums.errors
    state.offer(w, sums.errors)
    state.done = sums.violated == 0
    return _Visited(batch_sum, weights, sums, goal, ww)


def _move(run: _Run, state: State, found: _Visited) -> tuple[float, float]:
    """Make one batch step; returns its alpha and beta."""
    w, counters, sums = state.w, state.counters, found.sums
    ss = squared_length(found.batch_sum)
    if not ss < 1e300 and not counters.updates:
        raise ValueError("batch: the sum of the rows is beyond double precision beside the 1 of the bias. Scale X.")
    if not ss < 1e300:  # each step overshoots more than the one before
        raise ValueError(f"rate: w runs away, after {counters.updates} batch steps. Lower the rate, or take means.")
    ws = float(w @ found.batch_sum)
    batch = Batch(ws, found.ww, ss, sums.total, sums.weight, found.goal)
    alpha, beta = run.rule.batch_step(counters.updates, batch)
    w *= alpha
    w += beta * found.batch_sum
    if alpha != 1.0:
        state.dual_weights *= alpha
    state.dual_weights += found.weights if beta == 1.0 else beta * found.weights
    state.step_length = beta * math.sqrt(ss)
    total = alpha * counters.total + beta * sums.total
    state.counters = counters._replace(updates=counters.updates + 1, total=total)
    return alpha, beta


def _open_log(oracle: Any, state: State) -> None:
    """Room in ``dual_weights`` for what a pass over labellings may add."""
    n, used = oracle.sign.size, sum(each.example.size for each in state.entries)
    if state.dual_weights.size < used + n:
        state.dual_weights = np.concatenate([state.dual_weights[:used], np.zeros(max(n, used))])
    oracle.log.cursor[:] = 0, used


def _close_log(oracle: Any, state: State) -> None:
    """Keep a copy of the entries that a pass over labellings has written."""
    if oracle.log.cursor[0]:
        state.entries.append(take_entries(oracle.log))
    _merge_if_many(state)


def _merge_if_many(state: State) -> None:
    """Merge equal entries if there are many."""
    labels = [each.label.size for each in state.entries]
    if sum(labels) > max(ENTRIES, 2 * sum(labels[:1])):
        merged = in_time(lambda: merge_entries(state.entries, state.dual_weights), lambda: None, 0.2)
        if merged is not None:  # there was time
            state.entries[:], state.dual_weights = [merged[0]], merged[1]


def trace(
    parts: Sequence[Any], target: Any, rule: Any, *, most: int = 1000, start: np.ndarray | None = None
) -> Iterator[tuple[int, State]]:
    """Learn step by step: yields the number of the set that caused each update, and the state after it.

    At most ``most`` updates; single-sample form, in the data's order; from the w ``start``, else from 0.

    >>> from linsep.oracles import points
    >>> from linsep.rules import Increment
    >>> from linsep.targets import Margin
    >>> X = np.array([[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]])
    >>> [(row, state.weights.tolist()) for row, state in trace([points(X, [-1, -1, 1])], Margin(0.0), Increment(1.0))]
    [(0, [-0.5, -3.0, -1.0]), (2, [4.0, -2.0, 0.0]), (1, [2.5, -4.5, -1.0])]
    """
    run, state = _make_run(parts, target, rule), begin(parts, w=start)
    while state.counters.updates < most:
        for part, order in ((part, order) for part in parts for order in visits(part, None)):
            while order.size:
                before = state.counters.updates
                if run.traits.labellings:
                    _open_log(part, state)
                run.sweep(state, part, order, before + 1)
                if run.traits.labellings:
                    _close_log(part, state)
                if state.counters.updates > before:
                    snapshot = replace(state, w=state.w.copy(), dual_weights=state.dual_weights.copy())
                    yield part.first + int(order[state.counters.visited - 1]), snapshot
                if state.done or state.counters.updates >= most:
                    return
                order = order[state.counters.visited :]
        state.passes += 1
