"""learn: passes until the target is reached or a budget is spent, then the answer and its certificate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..certificates.base import Certificate
from ..certificates.prove import LabellingProver, Outcome, RowProver, prover_for
from ..interrupt import in_time, interrupts, is_spent, why_ended
from ..progress import report
from .compatible import check_compatible
from .passes import Place, State, begin, passes
from .resume import Course, resumed
from .stop import Progress, Stop, say_why

Watcher = Callable[[State], str | None]


class Result(NamedTuple):
    """What learning returns: weights (the bias is the last number), their certificate, and how it went.

    For `Classes` the weights are a matrix, one row per class.
    """

    w: np.ndarray
    certificate: Certificate
    history: list[dict[str, float]]
    state: State


def keeps_average(keep: str, batch: bool) -> bool:
    """Whether the average of w is needed for ``keep``."""
    return keep == "average" or (keep == "auto" and not batch)


def keeps_pocket(keep: str, batch: bool) -> bool:
    """Whether the best w so far is needed for ``keep``."""
    return keep == "pocket" or (keep == "auto" and batch)


def learn(
    parts: Sequence[Any],
    target: Any,
    rule: Any,
    *,
    stop: Stop | None = None,
    keep: str = "last",
    batch: bool = False,
    rng: np.random.Generator | str | None = None,
    start: State | np.ndarray | None = None,
    watch: Iterable[Watcher] = (),
) -> Result:
    """Learn w from ``parts`` (oracles), and prove what was learned.

    ``keep``: "last", "average", "pocket" or "auto" (the w that reached the target; else the averaged one, its bias
    moved to where it errs least, or the best so far of batch passes). ``rng`` shuffles the visits; "interleaved" lets
    the classes take turns; None keeps the data's order. ``start`` is a state or a w to begin with. ``watch`` are
    functions of the state after every pass; each may return a reason to stop.

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
    check_compatible(parts, target, rule, batch)
    if stop.theta is not None and not batch:
        raise ValueError("theta: only batch steps have a length that can be compared with it.")
    if keep == "average" and batch:
        raise ValueError("keep='average': the batch form keeps 'last', 'pocket' or 'auto'.")
    what = (target, rule, stop.passes, stop.updates, stop.patience, stop.theta, keep, batch, rng, start)
    state = start if isinstance(start, State) else begin(parts, average=keeps_average(keep, batch), w=start)
    place = Place()
    course, saver = resumed(parts, what, state, stop, place)
    prover = prover_for(type(parts[0]))(parts)
    with interrupts(None if stop.seconds is None else stop.seconds - course.seconds):
        run = passes(
            parts, target, rule, state, batch=batch, rng=rng, place=place,
            budget=-1 if stop.updates is None or batch else stop.updates, halt=saver.halt if saver else is_spent,
        )  # fmt: skip
        count_errors = (keep == "pocket" or stop.condition is not None) and not batch
        if not course.over:
            _follow(run, stop, prover, tuple(watch), count_errors, course)
            if saver:
                saver.finish()
        history, reason = course.history, course.reason
        w, certificate = answer(parts, target, state, keep=keep, batch=batch, reason=reason, prover=prover)
    if state.done:
        history[-1]["lower"] = certificate.lower
    return Result(w, certificate, history, state)


def _follow(
    run: Iterable[State], stop: Stop, prover: Any, watch: tuple[Watcher, ...], count_errors: bool, course: Course
) -> None:
    """Go through the passes until one of the reasons to stop; ``course`` keeps the history and the reason."""
    for state in run:
        if count_errors:
            state.errors = prover.errors(state.weights)
            state.offer(state.weights, state.errors)
        errors = state.mistakes if math.isnan(state.errors) else state.errors
        course.idle, course.fewest = (0, errors) if errors < course.fewest else (course.idle + 1, course.fewest)
        power = state.passes & (state.passes - 1) == 0  # of two: what costs a look at all data is done then only
        lower = prover.margin(state.weights) if power and state.passes >= 32 and not state.done else math.nan
        seconds = course.seconds
        course.history.append(record(state, seconds, lower))
        said = [see(state) for see in watch]
        worked, updates = course.clock.worked(state.passes), state.counters.updates
        report(state.passes, stop.passes, stop.part_spent(state.passes, updates, seconds, worked))
        if state.done:
            break
        if stop.when_inseparable and power and prover.is_inseparable(state):
            course.reason = "the data are proved not separable"
            break
        spent = stop.reason(state, seconds, course.idle) or course.clock.reason(state.passes)
        said += [_ask(stop, prover, state, course.idle, seconds)]
        course.reason = next(filter(None, said), why_ended(spent))
        course.unfinished = bool(course.reason) and not (any(said) or spent)
        if course.reason:
            break


def _ask(stop: Stop, prover: Any, state: State, idle: int, seconds: float) -> str:
    """Why a user's condition ends the run, or nothing."""
    if stop.condition is None:
        return ""
    pocket: Any = state.pocket
    w = prover.with_best_bias(pocket.w)
    return say_why(stop.condition(Progress(w, pocket.errors, state.passes, state.passes - idle, seconds)))


def record(state: State, seconds: float = math.nan, lower: float = math.nan) -> dict[str, float]:
    """One entry of the history."""
    return {
        "pass": state.passes, "updates": state.counters.updates, "mistakes": state.mistakes, "errors": state.errors,
        "lower": lower, "upper": state.upper, "seconds": seconds,
    }  # fmt: skip


def answer(
    parts: Sequence[Any], target: Any, state: State, *, keep: str, batch: bool, reason: str,
    prover: RowProver | LabellingProver | None = None,
) -> tuple[np.ndarray, Certificate]:  # fmt: skip
    """The w that ``keep`` asks for, and its certificate."""
    prover = prover or prover_for(type(parts[0]))(parts)
    w = in_time(lambda: _choose(prover, target, state, keep, batch), lambda: state.weights)
    if state.done and not reason and any(target.tolerance):
        reason = "eps is smaller than the rounding error of the scalar products"  # said only if it was not reached
    outcome = Outcome(target, prover.bias, state.counters.updates, reason, mixed=state.mixed)
    certificate = prover.certify(w, state, outcome, likely=keep == "auto" and not state.done and not batch)
    return certificate.w, certificate


def _choose(prover: RowProver | LabellingProver, target: Any, state: State, keep: str, batch: bool) -> np.ndarray:
    """The w that ``keep`` asks for, a new array."""
    unfinished, near_best = keep == "auto" and not state.done, any(target.tolerance)
    if keep == "average" or (unfinished and not batch):
        w = state.keeper.result(state.w, state.counters.seen)
        w = w.copy() if w is state.w else w
        if unfinished and near_best and prover.margin(state.weights) > max(0.0, prover.margin(w)):
            w = state.weights
    else:
        w = state.weights
        if keep == "pocket" or (unfinished and batch):
            state.offer(w, prover.errors(w))
            w = state.pocket.w.copy()  # type: ignore
    largest = max(w.max(), -w.min())
    if 0 < largest < 1e-100:  # the length of w decides nothing, but such small numbers are inexact
        w = np.ldexp(w, -int(np.frexp(largest)[1]))
    return w
