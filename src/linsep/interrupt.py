"""Ctrl-C and budgets of time: loops end with what they have, proofs soon after; the caller sees `KeyboardInterrupt`.

The outermost call of the library turns the first Ctrl-C into a flag, and a budget of seconds into a deadline. Loops
look at both between two compiled calls (`is_spent`). Proofs have `GRACE` seconds from then on (`in_time`, `keep_time`):
what is not proved by then is not claimed. Then the call ends as usual, with all that was learned in its place, and
`KeyboardInterrupt` is raised.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar

INTERRUPTED = "interrupted (Ctrl-C)"
OUT_OF_TIME = "the budget of seconds is spent"
GRACE = 0.5  # seconds that a proof may take after learning was to end

Found = TypeVar("Found")


class TooLate(Exception):
    """No time is left for a proof."""


class Interrupt(threading.local):
    """When the work of this thread is to end: at Ctrl-C, or when a budget of time is spent."""

    active = False  # inside a call of the library
    handler: Any = None  # what Ctrl-C did before that call; None: outside the main thread
    deadline = math.inf
    grace = math.inf  # seconds after the end that a proof may take; infinite outside of proofs

    def __init__(self) -> None:
        self.press = [math.inf]  # when Ctrl-C was pressed: threads that work for this one look here, too

    @property
    def pressed(self) -> bool:
        """Whether Ctrl-C was pressed during this call of the library."""
        return self.press[0] < math.inf


INTERRUPT = Interrupt()


@contextmanager
def interrupts(seconds: float | None = None) -> Iterator[Interrupt]:
    """A call of the library, with a budget of ``seconds``; the outermost one raises `KeyboardInterrupt` after Ctrl-C.

    So no state is ever left half updated, and the best w so far can be kept. A second Ctrl-C interrupts at once.
    Outside the main thread Python delivers no signals, and only the budget matters.
    """
    before = INTERRUPT.deadline
    if seconds is not None:
        INTERRUPT.deadline = min(before, time.monotonic() + seconds)
    try:
        if INTERRUPT.active:
            yield INTERRUPT
        else:
            with _flagged():
                yield INTERRUPT
    finally:
        INTERRUPT.deadline = before


@contextmanager
def _flagged() -> Iterator[None]:
    """Ctrl-C sets a flag, and is raised at the end."""
    main = threading.current_thread() is threading.main_thread()
    INTERRUPT.active, INTERRUPT.press[0], INTERRUPT.handler = True, math.inf, None
    if main and callable(signal.getsignal(signal.SIGINT)):  # not ignored, as it is of jobs in the background
        INTERRUPT.handler = signal.signal(signal.SIGINT, _press)
    try:
        yield
    except Exception as error:
        if INTERRUPT.pressed:  # it may come from work that was cut short
            raise KeyboardInterrupt from error
        raise
    finally:
        pressed = INTERRUPT.pressed
        if INTERRUPT.handler is not None:
            signal.signal(signal.SIGINT, INTERRUPT.handler)
        INTERRUPT.active, INTERRUPT.press[0], INTERRUPT.handler = False, math.inf, None
    if pressed:
        raise KeyboardInterrupt


def _press(signum: int, frame: object) -> None:
    """The first Ctrl-C; the next one does what it did before."""
    INTERRUPT.press[0] = time.monotonic()
    signal.signal(signal.SIGINT, INTERRUPT.handler)


@contextmanager
def suspended() -> Iterator[None]:
    """Around a fit of an estimator that may be anybody's: Ctrl-C ends it as it always does, and is noticed here.

    An estimator of ours keeps what it has, as it does when a user calls it. In a thread that gets no signals there is
    nothing to suspend.
    """
    handler, pressed_at = INTERRUPT.handler, INTERRUPT.press[0]
    if handler is None:
        yield
        return
    signal.signal(signal.SIGINT, handler)
    INTERRUPT.active = False
    try:
        yield
    except KeyboardInterrupt:
        pressed_at = min(pressed_at, time.monotonic())
    finally:
        INTERRUPT.active, INTERRUPT.handler, INTERRUPT.press[0] = True, handler, pressed_at
        if not INTERRUPT.pressed:
            signal.signal(signal.SIGINT, _press)


def side_by_side(tasks: Sequence[Callable[[], Found]], threads: int) -> list[Found]:
    """What the tasks return, done by so many threads; they have the deadline of this one, and end at its Ctrl-C.

    >>> side_by_side([lambda: 1, lambda: 2], threads=2)
    [1, 2]
    """
    if threads == 1:
        return [task() for task in tasks]
    press, deadline, active = INTERRUPT.press, INTERRUPT.deadline, INTERRUPT.active

    def begin() -> None:
        INTERRUPT.press, INTERRUPT.deadline, INTERRUPT.active = press, deadline, active

    with ThreadPoolExecutor(threads, initializer=begin) as pool:
        futures = [pool.submit(copy_context().run, task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def is_spent(deadline: float = math.inf) -> bool:
    """Whether the time is over, or Ctrl-C was pressed."""
    return INTERRUPT.pressed or time.monotonic() >= min(deadline, INTERRUPT.deadline)


def why_ended(budget: str = "") -> str:
    """Why a loop is to end: Ctrl-C, a ``budget`` of its own, or the time of the whole call is spent; or nothing."""
    return INTERRUPTED if INTERRUPT.pressed else budget or (OUT_OF_TIME if is_spent() else "")


def in_time(prove: Callable[[], Found], otherwise: Callable[[], Found], grace: float = GRACE) -> Found:
    """What ``prove`` finds; if that is not ready ``grace`` seconds after learning was to end: ``otherwise``.

    >>> with interrupts(seconds=0.0):
    ...     in_time(lambda: [keep_time() for _ in range(10**9)], lambda: "nothing", grace=0.01)
    'nothing'
    """
    before, INTERRUPT.grace = INTERRUPT.grace, min(INTERRUPT.grace, grace)
    try:
        return prove()
    except TooLate:
        return otherwise()
    finally:
        INTERRUPT.grace = before


def keep_time(seconds: float = 0.0) -> None:
    """Between two pieces of a proof: raise `TooLate` if there is no time for another one, which takes ``seconds``."""
    end = min(INTERRUPT.press[0], INTERRUPT.deadline)
    if end + INTERRUPT.grace < math.inf and time.monotonic() + seconds > end + INTERRUPT.grace:
        raise TooLate
