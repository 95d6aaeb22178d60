"""Labels of sequences as users have them: any objects, numbered; and which of them must not follow each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np

from ...oracles.sequences import Chain, Sequences, sequences
from ...risk.spans import bio_forbidden
from ...validation import require_list
from .reader import Read, listed, without_empty


def flatten_labels(y: Any, begin: np.ndarray, name: str = "y") -> list:
    """The labels of all positions, one after the other; lengths are checked."""
    y = listed(y)
    require_list(y, name, "lists of labels")
    if len(y) != begin.size - 1:
        raise ValueError(f"{name}: expected {begin.size - 1} lists of labels, one per sequence, got {len(y)}.")
    for i, (length, labels) in enumerate(zip(np.diff(begin).tolist(), y, strict=True)):
        if not hasattr(labels, "__len__"):
            raise TypeError(
                f"{name}: sequence {i}: expected a list of {length} labels, one per position, got {labels!r}. "
                "A single sequence is given as [X], [y]."
            )
        if len(labels) != length:
            raise ValueError(f"{name}: sequence {i}: expected {length} labels, one per position, got {len(labels)}.")
    return [label for labels in y for label in (labels.tolist() if isinstance(labels, np.ndarray) else labels)]


def sort_labels(labels: Iterable) -> np.ndarray:
    """The different labels as an array, sorted if they can be."""
    found = list(dict.fromkeys(labels))
    with suppress(TypeError):
        found = sorted(found)
    kinds = {type(label) for label in found}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.array(found)
    out = np.empty(len(found), dtype=object)
    out[:] = found
    return out


def split_positions(values: np.ndarray, begin: np.ndarray) -> list[np.ndarray]:
    """One array per sequence."""
    return [values[a:b] for a, b in pairwise(begin.tolist())]


def number_forbidden(forbidden: Any, number: dict[Any, int]) -> frozenset[tuple[int | None, int | None]]:
    """The forbidden pairs of labels as numbers; None stays the start or the end.

    >>> sorted(number_forbidden([("a", "b")], {"a": 0, "b": 1}))
    [(0, 1)]
    """
    pairs = [] if forbidden is None else bio_forbidden(number) if isinstance(forbidden, str) else list(forbidden)
    for before, after in pairs:
        for label in (before, after):
            if label is not None and label not in number:
                raise ValueError(f"forbidden: expected labels of {list(number)}, got {label!r} in {before, after}.")
        if before is None and after is None:
            raise ValueError("forbidden: (None, None) would forbid everything.")
    return frozenset((number.get(before), number.get(after)) for before, after in pairs)


def forbidden_scores(pairs: Collection[tuple[int | None, int | None]], labels: int) -> np.ndarray:
    """-inf for every forbidden start, end and pair, else 0, one after the other; empty if nothing is forbidden.

    >>> forbidden_scores({(None, 1), (1, 0)}, 2).tolist()
    [0.0, -inf, 0.0, 0.0, 0.0, 0.0, -inf, 0.0]
    """
    start, end, inner = np.zeros(labels), np.zeros(labels), np.zeros((labels, labels))
    for before, after in pairs:
        if before is None:
            start[after] = -np.inf
        elif after is None:
            end[before] = -np.inf
        else:
            inner[before, after] = -np.inf
    return np.concatenate([start, end, inner.ravel()]) if pairs else np.zeros(0)


def number_labels(
    labels: list, begin: np.ndarray, number: dict[Any, int], pairs: Collection[tuple[int | None, int | None]]
) -> np.ndarray:
    """The numbers of labels; one that is unknown, or forbidden where it stands, is named."""
    numbers = np.fromiter(map(number.get, labels, repeat(-1)), dtype=np.int32, count=len(labels))
    if numbers.min() < 0:
        t = int(np.argmin(numbers))
        i = int(np.searchsorted(begin, t, side="right")) - 1
        raise ValueError(f"y: sequence {i}: expected labels of {list(number)}, got {labels[t]!r}.")
    for i, each in enumerate(split_positions(numbers, begin) if pairs else []):
        for before, after in pairwise([None, *each.tolist(), None]):
            if (before, after) in pairs:
                what = "a start" if before is None else "an end" if after is None else "a pair of labels"
                raise ValueError(f"y: sequence {i} has {what} that is forbidden.")
    return numbers


class Agreed(NamedTuple):
    """What sequences are made into an oracle with, the same for all of them."""

    number: dict[Any, int]  # of labels
    forbidden: frozenset
    chain: Chain
    loss: float
    cost: Any

    def oracle(self, read: Read, labels: list, weight: np.ndarray | None = None) -> Sequences:
        """The sequences that have positions as an oracle."""
        label = number_labels(labels, read.begin, self.number, self.forbidden)
        some = np.diff(read.begin) > 0
        return sequences(
            without_empty(read.begin), label, read.x, **self.chain._asdict(), loss=self.loss, cost=self.cost,
            weight=None if weight is None else weight[some],
        )  # fmt: skip
