r"""Iterative parameter mixing: shards learn side by side, each in a thread, and meet after every pass.

Shard s starts a pass at the common w, and ends it at :math:`w_s`; then :math:`w = \sum_s \mu_s w_s`, here with equal
shares. McDonald, Hall and Mann ("Distributed training strategies for the structured perceptron", 2010, theorem 3)
show: if a w of length 1 has the margin :math:`\gamma` on all examples, and no vector is longer than A, the weighted
number of updates :math:`\sum_{passes} \sum_s \mu_s k_s` is at most :math:`A^2/\gamma^2`, so that it ends on separable
examples; it may need S times as many updates as one perceptron.

Shards meet by telling each other their updates: a meeting costs what these do, not the length of w.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ..certificates.prove.labelling import Note
from ..jit import compiled
from ..oracles.update_log import Ledger, ledger
from .compatible import exactly
from .keep import Average
from .learn import State
from .order import visits
from .sweep import Task, Tick, sweep


@compiled
def replay(part, weights, factor, seen, w, total):
    """Add ``factor`` times the weighted entries of the ledger to w, as updates made after ``seen`` visits."""
    for slot in range(weights.size):
        i = part.ledger.example[slot]
        part.load(i, part.ledger.begin[slot])
        part.add(w, i, factor * weights[slot])
        part.add(total, i, seen * factor * weights[slot])


class Shard(NamedTuple):
    """One of the shards: its own scratch, its own copy of w, and what the average needs (see `Average`)."""

    part: Any
    w: np.ndarray
    keep: Average

    def learn(self, target: Any, rule: Any, rows: np.ndarray, seen: float) -> tuple[Ledger, np.ndarray, Tick]:
        """One pass over ``rows``: the updates made, their weights, and where it stands."""
        part, dual = self.part._replace(ledger=ledger(rows.size, self.part.label.size)), np.zeros(rows.size)
        tick = sweep(
            Task(part, target, rule, self.keep), self.w, dual, Tick(seen=seen), rows, rows.size + 1, -1
        )  # fmt: skip
        return part.ledger, dual[: tick.updates], tick

    def meet(self, found: list, own: int, seen: float) -> None:
        """Move from the w of this shard to that of all."""
        for k, (book, weights, _) in enumerate(found):
            if weights.size:
                factor = 1.0 / len(found) - (k == own)
                replay(self.part._replace(ledger=book), weights, factor, seen, self.w, self.keep.total)


def mixing(parts: Sequence[Any]) -> Callable[..., Iterator[State]]:
    """Passes like those of `passes`, by ``parts``: the same examples, scratch of their own, one a shard."""
    count = len(parts)

    def mixed(_: Any, target: Any, rule: Any, state: State, *, rng: Any, halt: Any, **options: Any) -> Iterator[State]:
        target, rule = exactly(target), exactly(rule)
        shards = [Shard(part, state.w.copy(), Average(np.zeros_like(state.w))) for part in parts]
        seen = [0.0] * count
        while True:
            order = np.array_split(np.concatenate(list(visits(parts[0], rng))), count)
            with ThreadPoolExecutor(count) as pool:
                found = list(pool.map(Shard.learn, shards, repeat(target), repeat(rule), order, seen))
                seen = [tick.seen for _, _, tick in found]
                list(pool.map(Shard.meet, shards, repeat(found), range(count), seen))
            _note(state, found)
            state.mistakes = sum(tick.updates for _, _, tick in found)
            state.w[:] = shards[0].w
            tick = state.tick
            state.tick = tick._replace(
                updates=tick.updates + state.mistakes, mass=tick.mass + sum(each.mass for _, _, each in found) / count,
                seen=sum(seen), ww=float(state.w @ state.w),
            )  # fmt: skip
            if state.keep.total.size:
                state.keep.total[:] = sum(shard.keep.total for shard in shards)
            state.passes += 1
            state.done = state.mistakes == 0
            yield state
            if state.done or halt():
                return

    return mixed


def _note(state: State, found: list[tuple[Ledger, np.ndarray, Tick]]) -> None:
    """Write down what the shards added, with their shares, as the proof of the upper bound."""
    used = sum(note.example.size for note in state.notes)
    weights = [state.dual[:used]]
    for book, dual, tick in found:
        if tick.updates:
            begin = book.begin[: tick.updates + 1].copy()
            state.notes.append(Note(book.example[: tick.updates].copy(), begin, book.label[: begin[-1]].copy()))
            weights.append(dual / len(found))
    state.dual = np.concatenate(weights)
