"""The update log: which rival labellings went into w. A row has a number; a labelling must be written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..interrupt import keep_time
from ..jit import component

SECONDS = 5e-8  # that it takes to merge the entries, per label


@component
class UpdateLog(NamedTuple):
    """Examples and rivals in the order in which they were added to w; their weights are in `dual_weights`.

    An oracle writes the rival that it finds behind the last entry, at ``next_label()``; its slot is ``next_slot()``.
    `keep` makes that an entry; otherwise the next rival takes its place.

    >>> log = new_log(examples=2, labels=5)
    >>> log.label[log.next_label() :][:3] = [2, 0, 1]
    >>> int(log.keep(1, log.next_slot(), 3)), int(log.next_slot()), int(log.next_label())
    (0, 1, 3)
    """

    example: np.ndarray  # int64: the number of the example
    begin: np.ndarray  # int64, one more: where its rival begins in `label`
    label: np.ndarray  # int32: the labels of the rivals, one after the other
    cursor: np.ndarray  # 2 of int64: the number of entries, and the place of the first one in `dual_weights`

    def next_slot(self):
        """The number of the entry that is written next."""
        return self.cursor[0]

    def next_label(self):
        """Where its labels begin."""
        return self.begin[self.cursor[0]]

    def keep(self, i, slot, count):
        """Keep the ``count`` labels of ``slot`` as a rival of example i; returns its place in `dual_weights`."""
        self.example[slot] = i
        self.begin[slot + 1] = self.begin[slot] + count
        self.cursor[0] = slot + 1
        return self.cursor[1] + slot


class SparseVectors(NamedTuple):
    """Some numbers of some vectors; what stands repeatedly at the same index of a vector is added up."""

    vector: np.ndarray  # which vector
    index: np.ndarray  # type: ignore[assignment]
    value: np.ndarray


def truth_minus_rival(
    found: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]],
) -> Iterator[SparseVectors]:
    """Vectors phi(x,y) - phi(x,y'), from (vector, index of the truth, index of the rival, value).

    >>> one = np.array([0, 1]), np.array([4, 5]), np.array([6, 7]), np.array([1.0, 0.5])
    >>> [(index.tolist(), value.tolist()) for _, index, value in truth_minus_rival([one])]
    [([4, 5], [1.0, 0.5]), ([6, 7], [-1.0, -0.5])]
    """
    for vector, truth, rival, value in found:
        yield SparseVectors(vector, truth, value)
        yield SparseVectors(vector, rival, -value)


def concatenate_ranges(first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """``sizes[0]`` numbers from ``first[0]`` on, then ``sizes[1]`` from ``first[1]`` on, and so on.

    >>> concatenate_ranges(np.array([10, 0, 7]), np.array([2, 0, 3])).tolist()
    [10, 11, 7, 8, 9]
    """
    return np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(np.sum(sizes))


def new_log(examples: int, labels: int, longest: int = 0) -> UpdateLog:
    """An empty log for one pass: at most one entry per example, ``labels`` in all, and room for one more rival."""
    return UpdateLog(
        np.zeros(examples, dtype=np.int64), np.zeros(examples + 1, dtype=np.int64),
        np.zeros(labels + longest, dtype=np.int32), np.zeros(2, dtype=np.int64),
    )  # fmt: skip


# --- entries of several passes ---------------------------------------------------------------------------------------


class Entries(NamedTuple):
    """What passes added to w; the weights are apart."""

    example: np.ndarray
    begin: np.ndarray
    label: np.ndarray


def take_entries(log: UpdateLog) -> Entries:
    """A copy of the entries of a log, which is empty afterwards."""
    count = int(log.cursor[0])
    log.cursor[0] = 0
    return Entries(log.example[:count].copy(), log.begin[: count + 1].copy(), log.label[: log.begin[count]].copy())


def merge_entries(entries: Sequence[Entries], dual_weights: np.ndarray) -> tuple[Entries, np.ndarray]:
    """All entries as one list, equal ones together, and their weights; weight 0 is left out. It may be `TooLate`.

    >>> some = Entries(np.array([4, 7, 4]), np.array([0, 2, 3, 5]), np.array([0, 1, 5, 0, 1], dtype=np.int32))
    >>> one, weights = merge_entries([some], np.array([1.0, 2.0, 3.0]))
    >>> one.example.tolist(), one.begin.tolist(), one.label.tolist(), weights.tolist()
    ([4, 7], [0, 2, 3], [0, 1, 5], [4.0, 2.0])
    """
    if not entries:
        return Entries(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32)), np.zeros(0)
    keep_time(SECONDS * sum(each.label.size for each in entries))
    example = np.concatenate([each.example for each in entries])
    sizes = np.concatenate([np.diff(each.begin) for each in entries])
    label = np.concatenate([each.label for each in entries])
    begin = np.concatenate([[0], np.cumsum(sizes)])
    weights = dual_weights[: example.size]
    keep_time()
    place = np.arange(label.size) - np.repeat(begin[:-1], sizes)
    mark = np.random.default_rng(0).integers(1 << 62, size=int(sizes.max(initial=0)) + 1, dtype=np.uint64)
    scores = (label.astype(np.uint64) + np.uint64(1)) * mark[place]
    keep_time()
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(scores, dtype=np.uint64)])
    keys = sums[begin[1:]] - sums[begin[:-1]] + example.astype(np.uint64) * mark[-1]
    keep_time()
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    twin = first[group]  # the entry that an entry is taken to be equal to
    if (example != example[twin]).any() or (label != label[np.repeat(begin[:-1][twin], sizes) + place]).any():
        # two marks alike: leave all as it is
        first, group = np.arange(example.size), np.arange(example.size)
    keep_time()
    total = np.bincount(group, weights, minlength=first.size)
    order = np.argsort(first, kind="stable")
    order = order[total[order] != 0]
    return select_entries(Entries(example, begin, label), first[order]), total[order]


def select_entries(entries: Entries, chosen: np.ndarray) -> Entries:
    """Some of the entries."""
    sizes = np.diff(entries.begin)[chosen]
    begin = np.concatenate([[0], np.cumsum(sizes)])
    label = entries.label[concatenate_ranges(entries.begin[chosen], sizes)]
    return Entries(entries.example[chosen], begin, label)
