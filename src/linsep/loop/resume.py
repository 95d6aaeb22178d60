"""Runs of the loop that go on from a checkpoint: their state as arrays and numbers, and back."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checkpoint import Record, Work, current, digest
from ..interrupt import is_spent
from ..oracles.elsewhere import are_elsewhere, map_parts
from .keep import Pocket
from .passes import Place, State
from .stop import Clock, Stop
from .sweep import Counters

ENTRY = ("pass", "updates", "mistakes", "errors", "lower", "upper", "seconds")  # of the history


@dataclass
class Course:
    """How a run has gone, beside its state: all that decides when it ends."""

    clock: Clock
    began: float  # time.monotonic(), less the seconds before it was cut short
    history: list[dict[str, float]] = field(default_factory=list)
    idle: int = 0  # passes in a row that brought no fewer errors
    fewest: float = math.inf
    reason: str = ""  # why it ended before its target, or nothing
    unfinished: bool = False  # it was Ctrl-C, or the time of the whole call, that ended it
    over: bool = False

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began


class Saver:
    """Writes the state of a run when a checkpoint is due; `halt` is asked between compiled calls."""

    def __init__(self, work: Work, parts: Sequence[Any], state: State, course: Course, place: Place):
        self.work, self.parts, self.state, self.course, self.place = work, parts, state, course, place
        self.halted = False  # in the middle of a pass: its state is saved, and not what came of it

    def halt(self) -> bool:
        """Whether the time is over; then, or if one is due, a checkpoint is written."""
        self.halted = is_spent()
        if self.halted or self.work.is_due():
            self.work.save(self._record())
        return self.halted

    def finish(self) -> None:
        """The run is over, and not to be made again; or it is to go on after its last pass."""
        if self.halted:
            return
        if self.course.unfinished:
            self.work.save(self._record())
        else:
            self.course.over = True
            self.work.finish(self._record())

    def _record(self) -> Record:
        state, course, place = self.state, self.course, self.place
        worked = time.thread_time() - course.clock.first if state.passes else 0.0
        plain: dict[str, Any] = {
            "updates": state.counters.updates, "satisfied": state.counters.satisfied, "passes": state.passes,
            "mistakes": state.mistakes, "done": state.done, "mixed": state.mixed, "idle": course.idle,
            "reason": course.reason if course.over else "", "over": course.over,
            "calls": place.calls, "before": place.updates, "order": place.order,
        }  # fmt: skip
        floats = (*state.counters[3:], state.errors, state.step_length, course.fewest, course.seconds, worked)
        arrays = {
            "w": state.w, "dual_weights": state.dual_weights, "keeper": state.keeper.total, "floats": np.array(floats),
            "history": np.array([[entry[name] for name in ENTRY] for entry in course.history]),
        }  # fmt: skip
        if state.pocket is not None and state.pocket.w is not None:
            arrays |= {"pocket": state.pocket.w, "pocket_errors": np.array(state.pocket.errors)}
        return Record(plain, arrays | {f"working{k}": array for k, array in enumerate(working(self.parts))})


def resumed(
    parts: Sequence[Any], parameters: Any, state: State, stop: Stop, place: Place
) -> tuple[Course, Saver | None]:
    """How the run has gone so far, and who saves it; ``state`` and ``place`` are brought to where the checkpoint is.

    Without a checkpoint, or for oracles that it does not know, the run is at its beginning and is not saved.
    """
    course = Course(Clock(stop.auto), time.monotonic())
    checkpoint = current()
    if checkpoint is None or not all(type(part).__module__ in KNOWN for part in parts):
        return course, None
    work = checkpoint.begin("loop", lambda: _digest_of_data(parts), parameters)
    saver = Saver(work, parts, state, course, place)
    if work.record is not None:
        _restore(work.record, saver, stop)
    return course, saver


KNOWN = {f"linsep.oracles.{name}" for name in ("points", "scaled", "differences", "classes", "elsewhere")}


def _digest_of_data(parts: Sequence[Any]) -> str:
    """A digest of the data; of rows that are elsewhere it is taken there."""
    return digest(map_parts(_digest_of_part, parts) if are_elsewhere(parts) else tuple(parts), working=False)


def _digest_of_part(part: Any) -> str:
    return digest(tuple(part), working=False)


def working(value: Any) -> Iterator[np.ndarray]:
    """The arrays of oracles that can be written to: what they have found on the way; data are read-only."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from working(each)


def _restore(record: Record, saver: Saver, stop: Stop) -> None:
    """Bring a run to the state of a record."""
    plain, arrays = record
    state, course, place = saver.state, saver.course, saver.place
    own = {"w": state.w, "dual_weights": state.dual_weights, "keeper": state.keeper.total}
    for name, array in (own | {f"working{k}": array for k, array in enumerate(working(saver.parts))}).items():
        array[...] = arrays[name]
    floats = arrays["floats"].tolist()
    state.counters = Counters(plain["updates"], plain["satisfied"], 0, *floats[:4])
    state.errors, state.step_length, course.fewest, seconds, worked = floats[4:]
    state.passes, state.mistakes, state.done = plain["passes"], plain["mistakes"], plain["done"]
    state.mixed = plain.get("mixed", 0)
    if "pocket" in arrays:
        state.pocket = Pocket(arrays["pocket"], float(arrays["pocket_errors"]))
    whole = ("pass", "updates", "mistakes")
    for entry in arrays["history"].tolist():
        course.history.append({name: int(x) if name in whole else x for name, x in zip(ENTRY, entry, strict=True)})
    course.clock, course.began = Clock(stop.auto, worked), time.monotonic() - seconds
    course.idle, course.reason, course.over = plain["idle"], plain["reason"], plain["over"]
    place.calls, place.updates, place.order = plain["calls"], plain["before"], plain["order"]
