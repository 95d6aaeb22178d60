"""passes and learn: one loop for every rule. Progress, traces, chunks and `partial_fit` are its consumers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..certificates.margin import Certificate
from ..certificates.prove.labelling import Note, OfStructures, Visit, drain, inspect, look_on, prepare, structured
from ..certificates.prove.margin import Terms, combination, length, shares
from ..certificates.prove.prover import OfRows, bias_of
from ..jit import at_speed
from ..oracles import flat, rows_of, shaped
from ..rows.matrix import copies, judged, live, size_of
from ..rules import Scheduled
from ..targets import EpsOptimal
from .compatible import exactly, refuse
from .keep import Average, Last, Pocket, keeper
from .order import visits
from .stop import Stop, interrupts
from .sweep import Tally, Task, Tick, square, sweep, tally

Oracle = Any


@dataclass
class State:
    """Where learning stands. Plain data: arrays and numbers."""

    w: np.ndarray  # in units of tick.scale
    dual: np.ndarray  # how much of each row is in w, in the same units
    tick: Tick
    keep: Last | Average
    pocket: Pocket = field(default_factory=Pocket)
    passes: int = 0
    mistakes: int = 0  # updates of the last pass, or vectors that a whole pass found violated
    errors: float = math.nan  # weight of the errors of w, where a pass counted them
    moved: float = math.inf  # length of the last whole-pass step
    done: bool = False  # every set was satisfied in a row
    notes: list[Note] = field(default_factory=list)  # of structures: what `dual` weighs, a note a pass

    @property
    def weights(self) -> np.ndarray:
        """The true w."""
        return self.tick.scale * self.w

    @property
    def upper(self) -> float:
        """The bound |w| / mass of the best margin, as the run believes it."""
        mass = self.tick.mass
        return self.tick.scale * math.sqrt(self.w @ self.w) / mass if mass > 0 else math.inf


class Result(NamedTuple):
    """What learning returns: weights (the bias is the last number), their certificate, and how it went.

    For `Classes` the weights are a matrix, one row a class.
    """

    w: np.ndarray
    certificate: Certificate
    history: list[dict[str, float]]
    state: State


def judge_of(parts: Sequence[Oracle], visit: Visit = inspect) -> OfRows | OfStructures:
    """Who knows what can be said about a w on these parts; ``visit`` looks at structures."""
    return OfStructures(parts, visit) if structured(parts) else OfRows(parts)


def begin(parts: Sequence[Oracle], keep: str = "last", w: np.ndarray | None = None) -> State:
    """The state before the first visit; ``w`` to go on from, else 0.

    From a given w the mass is unknown: the run's own upper bound is void, the certificate's is not.
    """
    sets = [judged(part) for part in parts]
    size = size_of(sets[0])
    n = copies(sets[0]) * max(part.first + part.sign.size for part in map(rows_of, parts))
    start = np.zeros(size) if w is None else flat(parts[0], np.asarray(w))
    if start.shape != (size,):
        wanted = "" if structured(parts) else " (one a column and the bias)"
        raise ValueError(f"start: {size} numbers are wanted{wanted}, not {start.shape}.")
    tick = Tick(mass=0.0 if w is None else math.nan, ww=square(start))
    return State(start, np.zeros(n), tick, keeper(keep, size))


def begin_inside(parts: Sequence[Oracle], dual: np.ndarray, keep: str = "last") -> State:
    """The state at the convex combination of the rows that ``dual`` weighs: a start with its own proof."""
    kind = bias_of(parts)
    dual = shares([judged(part) for part in parts], dual, kind)
    w = combination([judged(part) for part in parts], dual)
    return replace(begin(parts, keep), w=w, dual=dual, tick=Tick(mass=1.0, ww=square(w)))


def passes(
    parts: Sequence[Oracle],
    target: Any,
    rule: Any,
    state: State,
    *,
    whole: bool = False,
    rng: np.random.Generator | str | None = None,
    budget: int = -1,
    halt: Callable[[], bool] = lambda: False,
) -> Iterator[State]:
    """Go through the parts again and again; the state after every pass, one object that moves on.

    Ends by itself when every set was satisfied in a row. ``halt`` is asked between compiled calls;
    a pass cut short by it, or by ``budget`` updates, is the last one.
    """
    refuse(parts, target, rule, whole)
    target, rule = exactly(target), exactly(rule)
    enough = sum(rows.size for part in parts for rows in live(part))
    while True:
        prepare(parts, state)
        if whole:
            state, cut = _whole_pass(parts, target, rule, state, halt)
        else:
            state, cut = _single_pass(parts, target, rule, state, rng, enough, budget, halt)
        drain(parts, state)
        state.passes += 1
        yield state
        if cut or state.done:
            return


def _ready(rule: Any, updates: int, visits: int) -> Any:
    """The rule as the kernels want it, for so many visits."""
    return rule.ready(updates, visits) if isinstance(rule, Scheduled) else rule


def _single_pass(parts, target, rule, state, rng, enough, budget, halt) -> tuple[State, bool]:
    before = state.tick.updates
    if rng is not None:  # the order may change: only a whole clean pass counts
        state.tick = state.tick._replace(clean=0)
    cut = False
    for part, rows in ((each, rows) for each in parts for rows in visits(each, rng)):
        ready = _ready(rule, state.tick.updates, rows.size)
        task = Task(part, target, ready, state.keep)
        state.tick = at_speed(sweep, part)(task, state.w, state.dual, state.tick, rows, enough, budget)
        state.done = state.tick.clean >= enough
        cut = state.tick.updates == budget or halt()
        if state.done or cut:
            break
    state.mistakes = state.tick.updates - before
    return state, cut


def _whole_pass(parts, target, rule, state, halt) -> tuple[State, bool]:
    w, tick = state.w, state.tick
    ww = square(w)
    goal = target.goal(ww, tick.mass)
    total, pulls, sums = np.zeros_like(w), np.zeros_like(state.dual), Tally(0, 0.0, 0.0, 0.0, math.inf)
    per_vector = Task(parts[0], target, _ready(rule, 0, 1), state.keep)
    for part, rows in ((each, rows) for each in parts for rows in live(each)):
        if halt():
            return state, True
        block = np.zeros_like(w)
        found = at_speed(tally, part)(per_vector._replace(oracle=part), w, rows, goal, block, pulls)
        sums = sums.merge(found)
        total += block
    state.mistakes, state.errors = sums.violated, sums.errors
    state.pocket.offer(w, sums.errors)
    state.done = sums.violated == 0
    if not state.done:
        ws, ss = float(w @ total), square(total)
        alpha, beta = rule.turn(tick.updates, ws, ww, ss, sums.mass, sums.weight, goal)
        w *= alpha
        w += beta * total
        state.dual *= alpha
        state.dual += beta * pulls
        state.moved = beta * math.sqrt(ss)
        state.tick = tick._replace(updates=tick.updates + 1, mass=alpha * tick.mass + beta * sums.mass)
    return state, False


def learn(
    parts: Sequence[Oracle],
    target: Any,
    rule: Any,
    *,
    stop: Stop | None = None,
    keep: str = "last",
    whole: bool = False,
    seed: int | np.random.Generator | str | None = None,
    start: State | np.ndarray | None = None,
    watch: Iterable[Callable[[State], str | None]] = (),
    via: Callable[..., Iterator[State]] = passes,
) -> Result:
    """Learn w from ``parts`` (oracles), and prove what was learned.

    ``keep``: "last", "average", "pocket" or "auto" (the w that reached the target; else the averaged one,
    its bias moved to where it errs least, or the best so far of whole passes). ``seed`` shuffles,
    "interleaved" lets the classes take turns, None keeps the data's order. ``watch`` sees the state
    after every pass, and may say a reason to stop. ``via`` makes the passes: `passes`, or one like it.

    >>> from linsep.oracles import points
    >>> from linsep.rules import Increment
    >>> from linsep.targets import Margin
    >>> X = np.array([[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]])
    >>> result = learn([points(X, [-1, -1, 1])], Margin(0.0), Increment(1.0))
    >>> result.w
    array([ 2.5, -4.5, -1. ])
    >>> result.certificate.status
    'separated'
    """
    stop = stop or Stop()
    refuse(parts, target, rule, whole)
    if stop.theta is not None and not whole:
        raise ValueError("theta: only the whole-pass form makes steps whose length can be compared with theta.")
    average = keep == "average" or (keep == "auto" and not whole)
    if average and whole:
        raise ValueError("keep='average': the whole-pass form keeps 'last', 'pocket' or 'auto'.")
    state = start if isinstance(start, State) else begin(parts, "average" if average else "last", start)
    rng = seed if seed is None or isinstance(seed, str) else np.random.default_rng(seed)
    keeping = state.keep

    def visit(part: Oracle, w: np.ndarray, rows: np.ndarray) -> None:
        look_on(Task(part, exactly(target), exactly(_ready(rule, 0, 1)), keeping), w, rows, whole)

    judge = judge_of(parts, visit)
    history: list[dict[str, float]] = []
    began, deadline = time.monotonic(), stop.deadline()
    idle, fewest, reason = 0, math.inf, ""
    with interrupts() as interrupt:

        def halt() -> bool:
            return interrupt.pressed or time.monotonic() >= deadline

        budget = -1 if stop.updates is None or whole else stop.updates
        for state in via(parts, target, rule, state, whole=whole, rng=rng, budget=budget, halt=halt):
            if not whole and keep == "pocket":
                state.errors = judge.errors(state.weights)
                state.pocket.offer(state.weights, state.errors)
            errors = state.mistakes if math.isnan(state.errors) else state.errors
            idle, fewest = (0, errors) if errors < fewest else (idle + 1, fewest)
            # the lower bound costs a look at all data: taken at passes 32, 64, 128, ..., and by the certificate
            looked = not state.done and state.passes >= 32 and state.passes & (state.passes - 1) == 0
            lower = judge.margin(state.weights) if looked else math.nan
            history.append(record(state, time.monotonic() - began, lower))
            said = [see(state) for see in watch]
            if state.done:
                break
            if stop.refute and state.passes & (state.passes - 1) == 0 and judge.refuted(state):
                reason = "the data are proved not separable"
                break
            seconds = time.monotonic() - began
            reason = "interrupted (Ctrl-C)" if interrupt.pressed else stop.reason(
                passes=state.passes, updates=state.tick.updates, seconds=seconds, idle=idle, moved=state.moved
            )  # fmt: skip
            reason = next(filter(None, said), reason)
            if reason:
                break
    w, certificate = answer(parts, target, state, keep=keep, whole=whole, reason=reason, judge=judge)
    if state.done:
        history[-1]["lower"] = certificate.lower
    return Result(w, certificate, history, state)


def record(state: State, seconds: float = math.nan, lower: float = math.nan) -> dict[str, float]:
    """One line of history."""
    return {
        "pass": state.passes, "updates": state.tick.updates, "mistakes": state.mistakes, "errors": state.errors,
        "lower": lower, "upper": state.upper, "seconds": seconds,
    }  # fmt: skip


def answer(
    parts: Sequence[Oracle], target, state: State, *, keep: str, whole: bool, reason: str, ended: bool = False,
    judge: OfRows | OfStructures | None = None,
) -> tuple[np.ndarray, Certificate]:  # fmt: skip
    """The w that ``keep`` asks for, and its certificate."""
    judge = judge or judge_of(parts)
    w = state.weights
    if keep == "average" or (keep == "auto" and not whole and not state.done):
        mean = state.keep.answer(state.w, state.tick.seen)
        narrow = keep == "auto" and isinstance(target, EpsOptimal)  # on the way to the best margin: the better one
        w = w if narrow and judge.margin(w) > max(0.0, judge.margin(mean)) else mean
    elif keep == "pocket" or (keep == "auto" and whole and not state.done):
        state.pocket.offer(w, judge.errors(w))
        w = state.pocket.w if state.pocket.w is not None else w
    if 0 < length(w) < 1e-100:  # the length of w decides nothing, but such small numbers are inexact
        w = np.ldexp(w, -int(np.frexp(np.abs(w).max())[1]))
    w = judge.finished(w, refit=keep == "auto" and not whole and not state.done)
    if state.done and not reason and isinstance(target, EpsOptimal):
        reason = "eps is smaller than the rounding error of the scalar products"  # said only if it was not reached
    terms = Terms(target, judge.kind, state.tick.updates, reason, ended)
    return shaped(parts[0], w.copy()), judge.certify(w, state, terms)


def trace(parts: Sequence[Oracle], target, rule, *, most: int = 1000) -> Iterator[tuple[int, State]]:
    """Learn step by step: the number of the row that caused each update, and the state after it.

    At most ``most`` updates; single-sample form, in the data's order.

    >>> from linsep.oracles import points
    >>> from linsep.rules import Increment
    >>> from linsep.targets import Margin
    >>> X = np.array([[0.5, 3.0], [1.5, 2.5], [4.5, 1.0]])
    >>> [(row, state.weights.tolist()) for row, state in trace([points(X, [-1, -1, 1])], Margin(0.0), Increment(1.0))]
    [(0, [-0.5, -3.0, -1.0]), (2, [4.0, -2.0, 0.0]), (1, [2.5, -4.5, -1.0])]
    """
    refuse(parts, target, rule, whole=False)
    target, rule = exactly(target), exactly(rule)
    state = begin(parts)
    enough = sum(rows.size for part in parts for rows in live(part))
    while most > 0:
        for part in parts:
            for rows in visits(part, None):
                while rows.size:
                    before = state.tick.updates
                    ready = _ready(rule, before, rows.size)
                    task = Task(part, target, ready, state.keep)
                    prepare(parts, state)
                    state.tick = at_speed(sweep, part)(task, state.w, state.dual, state.tick, rows, enough, before + 1)
                    drain(parts, state)
                    state.done = state.tick.clean >= enough
                    if state.tick.updates > before:
                        snapshot = replace(state, w=state.w.copy(), dual=state.dual.copy())
                        yield rows_of(part).first + int(rows[state.tick.at - 1]), snapshot
                    if state.done or state.tick.updates >= most:
                        return
                    rows = rows[state.tick.at :]
        state.passes += 1
