"""Ctrl-C: loops end with what they have; the call that the user made keeps it, and raises `KeyboardInterrupt`."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Interrupt(threading.local):
    """Whether Ctrl-C was pressed during the call of the library that this thread is in.

    Loops end at once then, each with what it has. The call that the user made keeps it, and raises `KeyboardInterrupt`.
    """

    pressed = False
    calls = 0  # of the library, one inside the other


INTERRUPT = Interrupt()
INTERRUPTED = "interrupted (Ctrl-C)"


@contextmanager
def interrupts() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C into a flag that loops read between two compiled calls.

    So no state is ever left half updated, and the best w so far can be kept. A second Ctrl-C
    interrupts at once. Outside the main thread Python delivers no signals, and nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield INTERRUPT
        return
    before = signal.getsignal(signal.SIGINT)

    def press(signum: int, frame: object) -> None:
        INTERRUPT.pressed = True
        signal.signal(signal.SIGINT, before)

    with library_call():
        signal.signal(signal.SIGINT, press)
        try:
            yield INTERRUPT
        finally:
            signal.signal(signal.SIGINT, before)
    if not INTERRUPT.calls:
        raise_interrupt()


@contextmanager
def library_call() -> Iterator[None]:
    """A call of the library: loops inside share the flag. After the outermost one comes `raise_interrupt`."""
    if not INTERRUPT.calls:
        INTERRUPT.pressed = False
    INTERRUPT.calls += 1
    try:
        yield
    finally:
        INTERRUPT.calls -= 1


def raise_interrupt() -> None:
    """Raise the `KeyboardInterrupt` that a loop has noticed, if any."""
    if INTERRUPT.pressed:
        INTERRUPT.pressed = False
        raise KeyboardInterrupt


def is_spent(deadline: float) -> bool:
    """Whether the time is over, or Ctrl-C was pressed."""
    return INTERRUPT.pressed or time.monotonic() > deadline
