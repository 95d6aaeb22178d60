"""Learning step by step: every update with the numbers of its formula, as the compiled loop computed them.

The loop is that of `linsep.loop.passes`; its rule and its keeper write down what they are told at each update.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..jit import component
from ..protocols import declared
from .order import visits
from .passes import State, _close_log, _make_run, _move, _open_log, _visit_all, begin


class Update(NamedTuple):
    """One update, w <- alpha w + beta a.

    In scaled coordinates (``scaling``) a is the direction that w moves in, and wa the score of the row itself.
    """

    number: int  # 1, 2, ...
    row: int  # the row, or example, that was visited; -1: a step made from many
    w: np.ndarray  # after the update, the bias last; of a linear machine one row per class
    before: np.ndarray  # w before it
    a: np.ndarray  # the vector; of a batch step the sum of all, of a descent the gradient with its sign changed
    alpha: float
    beta: float
    wa: float  # <w,a> before
    goal: float  # what <w,a> had to exceed; of Widrow-Hoff what it should be
    rows: np.ndarray  # all rows that a step was made from
    rival: Any = None  # what the row was compared with: a class, a row of the other class, or a labelling
    passes: int = 1  # the pass it happened in
    visits: int = 0  # rows visited so far
    upper: float = math.nan  # |w| / total weight: no margin is larger
    lower: float = math.nan  # the margin of w, if asked for
    errors: float = math.nan  # the weight of the errors of w, if asked for
    value: float = math.nan  # J before the step, of descents
    state: Any = None  # all numbers of the run, or of the method

    def __repr__(self) -> str:
        where = f"row {self.row}" if self.row >= 0 else f"{self.rows.size} rows"
        rival = "" if self.rival is None else f" against {self.rival}"
        score = f", <w,a> = {self.wa:.6g}" + (f" <= {self.goal:.6g}" if self.wa <= self.goal else "")
        old = "w" if self.alpha == 1.0 else f"{self.alpha:.6g} w"
        return f"Update {self.number} by {where}{rival}{score}: w <- {old} + {self.beta:.6g} a = {_brief(self.w)}"


def _brief(w: np.ndarray) -> str:
    """A vector of a few numbers, or how large it is."""
    if w.size > 8:
        return f"{' x '.join(map(str, w.shape))} numbers"
    return "[" + "; ".join(" ".join(f"{each:.6g}" for each in row) for row in np.atleast_2d(w)) + "]"


@component
class Recorder(NamedTuple):
    """A keeper that writes down the vector of the last update, and its slot."""

    total: np.ndarray  # the vector
    slot: np.ndarray  # 1 of int64

    def update(self, oracle, i, slot, beta):
        """Write down a."""
        self.total[:] = 0.0
        oracle.add(self.total, i, slot, 1.0)
        self.slot[0] = slot

    def rescale(self, w, seen):
        """Nothing to keep."""

    def result(self, w, seen):
        """The last w."""
        return w


class _RuleFields(NamedTuple):
    rule: Any
    numbers: np.ndarray  # wa, goal, alpha, beta of the last update


class _RuleMethods:
    """A rule that writes down what it is told, and what it answers."""

    __slots__ = ()

    def step(self, t, wa, ww, aa, goal):
        alpha, beta = self.rule.step(t, wa, ww, aa, goal)
        self.numbers[0], self.numbers[1], self.numbers[2], self.numbers[3] = wa, goal, alpha, beta
        return alpha, beta


@component
class RecordedRule(_RuleMethods, _RuleFields):
    """A rule whose beta is multiplied by the weight of a set."""

    __slots__ = ()


@component(WEIGHTED=False)
class RecordedUnweightedRule(_RuleMethods, _RuleFields):
    """A rule whose beta is not."""

    __slots__ = ()


class InterpretedRule:
    """The same for a rule that is not ours, of which compiled functions must not be kept on disk."""

    def __init__(self, rule: Any, numbers: np.ndarray):
        self.rule, self.numbers = rule, numbers

    step = _RuleMethods.step


def _recorded(rule: Any, numbers: np.ndarray) -> Any:
    """The rule, which writes its numbers down."""
    weighted = declared(type(rule), "WEIGHTED")
    if isinstance(rule, tuple) and type(rule).__module__.partition(".")[0] == __name__.partition(".")[0]:
        return (RecordedRule if weighted else RecordedUnweightedRule)(rule, numbers)
    kind = type("InterpretedRule", (InterpretedRule,), {"WEIGHTED": weighted})
    return kind(rule, numbers)


# many arguments because: they are those of `passes`
def updates(
    parts: Sequence[Any], target: Any, rule: Any, *, most: int = 1000, start: Any = None, batch: bool = False,
    rng: Any = None,
) -> Iterator[Update]:  # fmt: skip
    """Learn step by step, at most ``most`` updates, from ``start``: a w, a state, or 0 if None.

    >>> from linsep.oracles import points
    >>> from linsep.rules import Increment
    >>> from linsep.targets import Margin
    >>> X = np.array([[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]])
    >>> for each in updates([points(X, [-1, -1, 1])], Margin(0.0), Increment(1.0)):
    ...     print(each.row, each.wa, each.a, each.w)
    0 0.0 [-0.5 -3.  -1. ] [-0.5 -3.  -1. ]
    2 -6.25 [4.5 1.  1. ] [ 4. -2.  0.]
    1 -1.0 [-1.5 -2.5 -1. ] [ 2.5 -4.5 -1. ]
    """
    run = _make_run(parts, target, rule, batch)
    state = start if isinstance(start, State) else begin(parts, w=start)
    keeper = Recorder(np.zeros(state.w.size), np.zeros(1, dtype=np.int64))
    state = replace(state, keeper=keeper)  # type: ignore[arg-type]
    return _batch_updates(run, state, most) if batch else _single_updates(run, state, most, rng)


def _single_updates(run: Any, state: State, most: int, rng: Any) -> Iterator[Update]:
    numbers, seen = np.zeros(4), 0
    while state.counters.updates < most:
        state.passes += 1
        if rng is not None:  # the order may change: only a whole clean pass counts
            state.counters = state.counters._replace(satisfied=0)
        for part, order in ((part, order) for part in run.parts for order in visits(part, rng)):
            while order.size:
                before, k = state.weights, state.counters.updates
                rule = run.rule.for_updates(k, 1) if run.traits.scheduled else run.rule
                told = replace(run, rule=_recorded(rule, numbers), traits=run.traits._replace(scheduled=False))
                if run.traits.labellings:
                    _open_log(part, state)
                told.sweep(state, part, order, k + 1)
                if run.traits.labellings:
                    _close_log(part, state)
                seen += state.counters.visited
                if state.counters.updates > k:
                    i = int(order[state.counters.visited - 1])
                    yield _single_update(run, state, part, i, before, numbers.tolist())._replace(visits=seen)
                if state.done or state.counters.updates >= most:
                    return
                order = order[state.counters.visited :]


def _single_update(run: Any, state: State, part: Any, i: int, before: np.ndarray, numbers: list[float]) -> Update:
    """What happened at the visit of set i."""
    wa, goal, alpha, beta = (number + 0.0 for number in numbers)  # no -0.0
    if declared(type(run.rule), "WEIGHTED") and part.weight.size:
        beta *= float(part.weight[i])
    keeper: Any = state.keeper
    slot = int(keeper.slot[0])
    snapshot = replace(state, w=state.w.copy(), dual_weights=state.dual_weights.copy(), entries=list(state.entries))
    row = part.first + i
    return Update(
        state.counters.updates, row, state.weights, before, keeper.total.copy(), alpha, beta, wa, goal,
        np.array([row]), _rival(part, state, slot), state.passes, upper=state.upper, state=snapshot,
    )  # fmt: skip


def _rival(part: Any, state: State, slot: int) -> Any:
    """What a set was compared with: the number of a class or of a row, the labels of a labelling, or nothing."""
    if declared(type(part), "LABELLINGS"):
        entry = state.entries[-1]
        return entry.label[entry.begin[-2] : entry.begin[-1]]
    if part.slots > 1:
        return slot
    return int(part.number[slot]) if getattr(part, "bias_kind", None) == "free" else None


def _batch_updates(run: Any, state: State, most: int) -> Iterator[Update]:
    seen = 0
    while state.counters.updates < most:
        state.passes += 1
        if run.traits.labellings:
            _open_log(run.parts[0], state)
        found, before = _visit_all(run, state), state.weights
        if found is None or state.done:
            return
        places = np.flatnonzero(found.weights)
        alpha, beta = _move(run, state, found)
        if run.traits.labellings:
            used = sum(each.example.size for each in state.entries)
            _close_log(run.parts[0], state)
            rows = np.concatenate([each.example for each in state.entries])[used:]
        else:
            rows = places // run.parts[0].slots
        seen += run.enough
        snapshot = replace(state, w=state.w.copy(), dual_weights=state.dual_weights.copy(), entries=list(state.entries))
        yield Update(
            state.counters.updates, -1, state.weights, before, found.batch_sum, alpha, beta,
            float(before @ found.batch_sum), found.goal, np.unique(rows), None, state.passes, seen, state.upper,
            state=snapshot,
        )  # fmt: skip


# --- solvers that are not the loop ------------------------------------------------------------------------------------


class _Enough(Exception):
    """As many updates as were asked for."""


_TOLD: ContextVar[Callable[..., None] | None] = ContextVar("told", default=None)


def tell(make: Callable[[], dict[str, Any]]) -> None:
    """Say where a solver stands after a step: its w, the rows in use, and other fields of `Update`; if it is traced."""
    told = _TOLD.get()
    if told is not None:
        told(**make())


@contextmanager
def retold(convert: Callable[..., dict[str, Any]] | None = None) -> Iterator[None]:
    """What is told inside is told so; None: not at all, because it is not of the method that is traced."""
    told = _TOLD.get()
    token = _TOLD.set(None if told is None or convert is None else lambda **fields: told(**convert(**fields)))
    try:
        yield
    finally:
        _TOLD.reset(token)


def collect_updates(solve: Callable[[], object], most: int) -> list[Update]:
    """The updates that a solver tells, at most ``most``: a step is w + 1 (w' - w), from 0.

    >>> collect_updates(lambda: [tell(lambda: {"w": np.full(2, k), "rows": np.arange(3)}) for k in (1.0, 3.0, 4.0)], 2)
    [Update 1 by 3 rows, <w,a> = 0: w <- w + 1 a = [1 1], Update 2 by 3 rows, <w,a> = 4: w <- w + 1 a = [3 3]]
    """
    found: list[Update] = []

    def told(w: np.ndarray, rows: np.ndarray, **numbers: Any) -> None:
        before, k = found[-1].w if found else np.zeros_like(w), len(found) + 1
        a = w - before
        update = Update(k, -1, w.copy(), before, a, 1.0, 1.0, float(before @ a) + 0.0, math.nan, rows, passes=k)
        found.append(update._replace(**numbers))
        if k >= most:
            raise _Enough

    token = _TOLD.set(told)
    try:
        solve()
    except _Enough:
        pass
    finally:
        _TOLD.reset(token)
    return found
