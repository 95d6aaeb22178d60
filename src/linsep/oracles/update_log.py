"""The ledger: which labellings went into w. Rows are known by their number; a rival labelling must be written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np


class Ledger(NamedTuple):
    """Examples and their rivals, in the order in which they were added to w; how much of each is in `dual`.

    >>> book = ledger(examples=2, room=5)
    >>> int(book.note(1, np.array([2, 0, 1], dtype=np.int32), 3))
    0
    >>> book.label[: book.begin[1]].tolist(), book.example[:1].tolist(), int(book.cursor[0])
    ([2, 0, 1], [1], 1)
    """

    example: np.ndarray  # int64: the number of the example
    begin: np.ndarray  # int64, one more: where its rival begins in `label`
    label: np.ndarray  # int32: the labels of the rivals, one after the other
    cursor: np.ndarray  # 2 of int64: entries so far, and where the first of them has its place in `dual`

    def note(self, i, rival, count):
        """Write down the first ``count`` labels of ``rival``; returns the place in `dual`."""
        slot = self.cursor[0]
        at = self.begin[slot]
        for j in range(count):
            self.label[at + j] = rival[j]
        self.example[slot] = i
        self.begin[slot + 1] = at + count
        self.cursor[0] = slot + 1
        return self.cursor[1] + slot


class Touched(NamedTuple):
    """The numbers of w that the vectors of entries touch, and what these have there; a place may come repeatedly."""

    entry: np.ndarray
    place: np.ndarray
    amount: np.ndarray


def opposed(found: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]) -> Iterator[Touched]:
    """What truths have more than rivals: an entry, the place of the truth, that of the rival, the amount, all repeated.

    >>> one = np.array([0, 1]), np.array([4, 5]), np.array([6, 7]), np.array([1.0, 0.5])
    >>> [(place.tolist(), amount.tolist()) for _, place, amount in opposed([one])]
    [([4, 5], [1.0, 0.5]), ([6, 7], [-1.0, -0.5])]
    """
    for entry, own, other, amount in found:
        yield Touched(entry, own, amount)
        yield Touched(entry, other, -amount)


def spans(first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """``sizes[0]`` numbers from ``first[0]`` on, then ``sizes[1]`` from ``first[1]`` on, and so on.

    >>> spans(np.array([10, 0, 7]), np.array([2, 0, 3])).tolist()
    [10, 11, 7, 8, 9]
    """
    return np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(np.sum(sizes))


def ledger(examples: int, room: int) -> Ledger:
    """An empty ledger for one pass: at most one entry an example, and ``room`` labels in all."""
    return Ledger(
        np.zeros(examples, dtype=np.int64), np.zeros(examples + 1, dtype=np.int64), np.zeros(room, dtype=np.int32),
        np.zeros(2, dtype=np.int64),
    )  # fmt: skip
