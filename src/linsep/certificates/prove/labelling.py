"""Structures: what learning asks about a w where a set holds an example against all its rival labellings (E4).

An oracle of structures finds the best rival of an example and writes every one that it adds to w into its `Ledger`.
`prepare` and `drain` open and close that book around a pass; `OfStructures` judges a w.

Beside the methods of every oracle it has ``loss``, by how much the loss of a rival raises the goal; ``score``, where
``probe`` leaves what it found of every example; ``calm``, which ``probe`` adds to what it returns: infinite for those
who only look, since then nothing is violated; ``size``, the length of w; and, in plain Python, ``touched(book)``,
the vectors of the entries of a ledger, ``slack(w)``, the rounding errors of the scores, and ``reach()``, a bound of the
length of all vectors. One that may miss the best rival says ``exact = False`` and gives
``floors(w, probe)``, numbers that no score is below; it may ask ``probe(part, i)``, its own method at speed. One of a
user's Python functions is ``interpreted``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...jit import at_speed, compiled
from ...loop.sweep import Task, Tick, sweep, tally
from ...oracles.update_log import Ledger, Touched, ledger, spans
from ...rows.matrix import live
from ...targets import EpsOptimal
from ..labelling import NOT_PROVED, StructureCertificate
from ..margin import BUDGET_SPENT, EPS_OPTIMAL, OPTIMAL, conclude, novikoff
from .inseparable import EXACT, WIDEST, refute
from .margin import Terms, length

U = float(np.finfo(np.float64).eps)
ENTRIES = 1 << 24  # labels in the notes of a run; beyond that equal entries are merged
AT_ONCE = 1 << 20  # labels of notes that are turned into vectors at a time
DENSE = 4_000_000  # numbers of a matrix of vectors that a refutation may cost


class Note(NamedTuple):
    """What one pass added to w; the weights are in `dual`."""

    example: np.ndarray
    begin: np.ndarray
    label: np.ndarray


def structured(parts: Sequence[Any]) -> bool:
    """Whether these parts hold labellings rather than rows."""
    return hasattr(parts[0], "ledger")


def prepare(parts: Sequence[Any], state: Any) -> None:
    """Open the ledger for a pass, with room in ``dual`` for what may be written; of rows nothing is to be done."""
    if not structured(parts):
        return
    if len(parts) > 1:
        raise ValueError("learn: one part of structures at a time; go on with the next one from the state of the last.")
    cursor, n = parts[0].ledger.cursor, parts[0].sign.size
    used = sum(note.example.size for note in state.notes)
    if state.dual.size < used + n:
        state.dual = np.concatenate([state.dual[:used], np.zeros(max(n, used))])
    cursor[:] = 0, used


def drain(parts: Sequence[Any], state: Any) -> None:
    """Close the ledger: keep a copy of what was written."""
    if not structured(parts):
        return
    book: Ledger = parts[0].ledger
    count = int(book.cursor[0])
    if count:
        end = int(book.begin[count])
        state.notes.append(Note(book.example[:count].copy(), book.begin[: count + 1].copy(), book.label[:end].copy()))
        book.cursor[0] = 0
    if sum(note.label.size for note in state.notes) > ENTRIES:
        note, weights = merged(state.notes, state.dual)
        state.notes[:] = [note]
        state.dual = weights


def merged(notes: Sequence[Note], dual: np.ndarray) -> tuple[Note, np.ndarray]:
    """All notes as one, equal entries together, and their weights; what weighs nothing is left out.

    >>> note = Note(np.array([4, 7, 4]), np.array([0, 2, 3, 5]), np.array([0, 1, 5, 0, 1], dtype=np.int32))
    >>> one, weights = merged([note], np.array([1.0, 2.0, 3.0]))
    >>> one.example.tolist(), one.begin.tolist(), one.label.tolist(), weights.tolist()
    ([4, 7], [0, 2, 3], [0, 1, 5], [4.0, 2.0])
    """
    if not notes:
        return Note(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32)), np.zeros(0)
    example = np.concatenate([note.example for note in notes])
    sizes = np.concatenate([np.diff(note.begin) for note in notes])
    label = np.concatenate([note.label for note in notes])
    begin = np.concatenate([[0], np.cumsum(sizes)])
    weights = dual[: example.size]
    place = np.arange(label.size) - np.repeat(begin[:-1], sizes)
    mark = np.random.default_rng(0).integers(1 << 62, size=int(sizes.max(initial=0)) + 1, dtype=np.uint64)
    scores = (label.astype(np.uint64) + np.uint64(1)) * mark[place]
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(scores, dtype=np.uint64)])
    keys = np.column_stack([example.view(np.uint64), sums[begin[1:]] - sums[begin[:-1]]])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    twin = first[group]  # the entry that an entry is taken to be equal to
    if (label != label[np.repeat(begin[:-1][twin], sizes) + place]).any():  # two marks alike: leave all as it is
        first, group = np.arange(example.size), np.arange(example.size)
    total = np.bincount(group, weights, minlength=first.size)
    order = np.argsort(first, kind="stable")
    order = order[total[order] != 0]
    return _some(Note(example, begin, label), first[order]), total[order]


def _some(note: Note, entries: np.ndarray) -> Note:
    """Some entries of a note."""
    sizes = np.diff(note.begin)[entries]
    begin = np.concatenate([[0], np.cumsum(sizes)])
    return Note(note.example[entries], begin, note.label[spans(note.begin[entries], sizes)])


class View(NamedTuple):
    """What can be said of a w by looking at every example once."""

    violated: int  # examples with <w,a> <= 0
    weight: float  # their weight
    lowest: float  # the least <w,a> as computed
    sure: float  # a number that no <w,a> is below, rounding included


Visit = Callable[[Any, np.ndarray, np.ndarray], None]  # of a part, w and rows: probes them all, changes nothing


@compiled
def _inspect(part, w, rows):
    for i in rows:
        part.probe(w, i)


def inspect(part: Any, w: np.ndarray, rows: np.ndarray) -> None:
    """Probe ``rows``."""
    at_speed(_inspect, part)(part, w, rows)


def look_on(task: Task, w: np.ndarray, rows: np.ndarray, whole: bool) -> None:
    """`inspect` by the kernel that learns this task: decoding is much to compile, once is enough."""
    oracle: Any = task.oracle
    part, idle = oracle._replace(calm=math.inf), np.zeros(0)  # nothing is violated, so nothing is written
    task = task._replace(oracle=part, keep=type(task.keep)(idle))
    if whole:
        at_speed(tally, part)(task, w, rows, 0.0, idle, idle)
    else:
        at_speed(sweep, part)(task, w, idle, Tick(), rows, rows.size + 1, -1)


class OfStructures:
    """The judge of labellings."""

    kind = "none"

    def __init__(self, parts: Sequence[Any], visit: Visit = inspect):
        self.part, self.visit = parts[0]._replace(loss=0.0), visit

    def margin(self, w: np.ndarray) -> float:
        """The margin of w as computed."""
        norm = length(w)
        return self.look(w).lowest / norm if norm > 0 else math.nan

    def errors(self, w: np.ndarray) -> float:
        """The weight of the examples that w does not label right."""
        return self.look(w).weight

    def refuted(self, state: Any) -> bool:
        """Whether the data are proved not separable."""
        return self.disprove(*merged(state.notes, state.dual)) is not None

    def finished(self, w: np.ndarray, refit: bool) -> np.ndarray:
        """w as it is: structures have no bias apart."""
        return w

    def look(self, w: np.ndarray) -> View:
        """One look at every example."""
        blocks = list(live(self.part))
        rows, score = np.concatenate(blocks), np.concatenate([self.scores(w, rows) for rows in blocks])
        beaten = rows[score <= 0.0]
        weight = math.fsum(self.part.weight[beaten]) if self.part.weight.size else float(beaten.size)
        return View(beaten.size, weight, float(score.min()), float((score - self.part.slack(w)[rows]).min()))

    def scores(self, w: np.ndarray, rows: np.ndarray, part: Any = None) -> np.ndarray:
        """The least <w,a> of the examples ``rows``."""
        part = self.part if part is None else part
        self.visit(part, w, rows)
        return part.score[rows]

    def combination(self, note: Note, weights: np.ndarray) -> tuple[np.ndarray, float]:
        """The weighted sum of the vectors in ``note``, and a bound of the length of its rounding error."""
        total, absolute, count = np.zeros((3, self.part.size))  # and the sum of absolute values, and how many they are
        for entries in np.array_split(np.arange(weights.size), 1 + note.label.size // AT_ONCE):
            for entry, place, amount in self._touched(_some(note, entries)):
                amount = amount * weights[entries[entry]]
                np.add.at(total, place, amount)
                np.add.at(absolute, place, np.abs(amount))
                np.add.at(count, place, 1.0)
        return total, 2 * U * length((count + 4) * absolute)

    def vectors(self, note: Note) -> np.ndarray:
        """The vectors in ``note``, a row each."""
        A = np.zeros((note.example.size, self.part.size))
        for entry, place, amount in self._touched(note):
            np.add.at(A, (entry, place), amount)
        return A

    def _touched(self, note: Note) -> Iterator[Touched]:
        return iter(self.part.touched(Ledger(*note, np.zeros(2, dtype=np.int64))))

    def disprove(self, note: Note, weights: np.ndarray) -> np.ndarray | None:
        """Weights of the same entries that prove the examples not separable, or None."""
        if weights.size == 0:
            return None
        heavy = np.sort(np.argsort(-weights, kind="stable")[: max(500, 8 * WIDEST)])
        if heavy.size * self.part.size > DENSE:
            return None
        A = self.vectors(_some(note, heavy))
        A = A[:, A.any(axis=0)]
        if A.shape[1] > WIDEST and A.size > EXACT:
            return None
        found = refute(A, weights[heavy])
        if found is None:
            return None
        proof = np.zeros_like(weights)
        proof[heavy] = found
        return proof

    def certify(self, w: np.ndarray, state: Any, terms: Terms) -> StructureCertificate:
        """The certificate of w, with the notes of ``state`` as proof of the upper bound."""
        note, weights = merged(state.notes, state.dual)
        if weights.size == 0:  # no update: a single vector bounds the margin too
            note, weights = self._one(w), np.ones(1)
        return self.claim(w, note, weights, terms)

    def _one(self, w: np.ndarray) -> Note:
        """The lowest vector of the first example."""
        i = next(live(self.part))[0]
        book = ledger(1, self.part.ledger.label.size)
        part = self.part._replace(ledger=book)
        self.visit(part, w, np.array([i]))
        part.credit(np.zeros(1), i, 1.0)
        return Note(book.example, book.begin, book.label[: book.begin[1]])

    def claim(
        self, w: np.ndarray, note: Note, weights: np.ndarray, terms: Terms, integers: tuple[int, ...] = ()
    ) -> StructureCertificate:
        """What is known of w; ``integers`` are multiples of the weights with which the vectors sum to zero exactly."""
        norm, seen = length(w), self.look(w)
        sound = bool(getattr(self.part, "exact", True))
        sure = seen.sure if sound else -math.inf  # worth a search only where no truth is beaten
        if not sound and seen.lowest > 0:
            sure = float(np.min(self.part.floors(w, lambda part, i: float(self.scores(w, np.array([i]), part)[0]))))
        proof = weights if integers else None if sure > 0 else self.disprove(note, weights)
        if proof is not None:
            used = np.flatnonzero(proof)
            note, weights = _some(note, used), proof[used]
        total, error = self.combination(note, weights / weights.sum())
        upper = length(total) * (1 + (total.size + 64) * U) + error  # 64: the weights' own sum is 1 but for rounding
        lower = sure / norm - 4 * U * abs(sure / norm) if norm > 0 else -math.inf
        eps, relative = terms.target if isinstance(terms.target, EpsOptimal) else (0.0, 0.0)
        status = conclude(
            lowest=seen.lowest if sound else -math.inf, lower=lower, upper=upper, refuted=proof is not None, eps=eps,
            relative=relative, ended=terms.ended,
        )  # fmt: skip
        status = OPTIMAL if terms.exact and status == EPS_OPTIMAL else status
        reason = "" if status in (EPS_OPTIMAL, OPTIMAL) or proof is not None else terms.reason
        if status == BUDGET_SPENT and not sound and seen.violated == 0:
            status, reason = NOT_PROVED, "the best rival is found by an inexact engine, which may miss a better one"
        longest = float(self.part.reach())
        return StructureCertificate(
            status, lower, upper, terms.updates, 0 if lower > 0 else seen.violated,
            novikoff(longest, lower) if norm > 0 else math.inf, "none", w.copy(), note.example, weights,
            proof is not None, integers, size=sum(rows.size for rows in live(self.part)), longest=longest,
            rounding=error + (seen.lowest - seen.sure) / norm if norm > 0 else error, eps=eps, relative=relative,
            reason=reason, classes=(), rivals=note.label.astype(np.int64), begins=note.begin,
            labellings=tuple(getattr(self.part, "labellings", ())), sound=sound,
        )  # fmt: skip
