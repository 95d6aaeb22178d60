r"""Iterative parameter mixing: shards learn side by side, each in a thread, and meet after every pass.

Shard s starts a pass at the common w, and ends it at :math:`w_s`; then :math:`w = \sum_s \mu_s w_s`, here with equal
shares. McDonald, Hall and Mann ("Distributed training strategies for the structured perceptron", 2010, theorem 3)
show: if a w of length 1 has the margin :math:`\gamma` on all examples, and no vector is longer than A, the weighted
number of updates :math:`\sum_{passes} \sum_s \mu_s k_s` is at most :math:`A^2/\gamma^2`, so that it ends on separable
examples; it may need S times as many updates as one perceptron.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ..oracles.ledger import ledger
from .keep import Average
from .loop import State
from .order import visits
from .structure import Note
from .sweep import Task, Tick, sweep
from .together import exactly


def mixing(parts: Sequence[Any]) -> Callable[..., Iterator[State]]:
    """Passes like those of `passes`, by ``parts``: the same examples, scratch of their own, one a shard."""
    shards = len(parts)

    def mixed(_: Any, target: Any, rule: Any, state: State, *, rng: Any, halt: Any, **options: Any) -> Iterator[State]:
        target, rule = exactly(target), exactly(rule)
        total = np.zeros_like(state.w)  # the sum of all w
        seen = 0.0

        def work(part: Any, rows: np.ndarray) -> tuple:
            part = part._replace(ledger=ledger(rows.size, part.label.size))
            w, dual, keep = state.w.copy(), np.zeros(rows.size), Average(np.zeros_like(state.w))
            tick = sweep(Task(part, target, rule, keep), w, dual, Tick(), rows, rows.size + 1, -1)
            return part.ledger, w, dual, tick, tick.seen * w - keep.total

        while True:
            order = np.concatenate(list(visits(parts[0], rng)))
            with ThreadPoolExecutor(shards) as pool:
                found = list(pool.map(work, parts, np.array_split(order, shards)))
            state.w[:] = sum(w for _, w, *_ in found) / shards
            total += sum(sums for *_, sums in found)
            ticks = [tick for _, _, _, tick, _ in found]
            seen += sum(tick.seen for tick in ticks)
            _note(state, found, shards)
            state.mistakes = sum(tick.updates for tick in ticks)
            mass = state.tick.mass + sum(tick.mass for tick in ticks) / shards
            updates = state.tick.updates + state.mistakes
            state.tick = state.tick._replace(updates=updates, seen=seen, mass=mass, ww=float(state.w @ state.w))
            if state.keep.total.size:
                state.keep.total[:] = seen * state.w - total  # so that its answer is the sum of all w
            state.passes += 1
            state.done = state.mistakes == 0
            yield state
            if state.done or halt():
                return

    return mixed


def _note(state: State, found: list, shards: int) -> None:
    """Write down what the shards added, with their shares, as the proof of the upper bound."""
    used = sum(note.example.size for note in state.notes)
    weights = [state.dual[:used]]
    for book, _, dual, tick, _ in found:
        if tick.updates:
            end = int(book.begin[tick.updates])
            begin = book.begin[: tick.updates + 1].copy()
            state.notes.append(Note(book.example[: tick.updates].copy(), begin, book.label[:end].copy()))
            weights.append(dual[: tick.updates] / shards)
    state.dual = np.concatenate(weights)
