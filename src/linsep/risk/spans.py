"""Spans written as B-kind, I-kind, O (BIO): which they are, how well they are found, which labels may follow which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


def spans(labels: Iterable[str]) -> set[tuple[str, int, int]]:
    """The spans (kind, begin, end) of a sequence of BIO labels, end not included.

    An I- that continues nothing begins a span, as the CoNLL scripts have it.

    >>> sorted(spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"]), key=lambda span: span[1])
    [('PER', 0, 2), ('LOC', 3, 4), ('LOC', 4, 5)]
    """
    found, kind, begin, end = set(), "", 0, 0
    for end, label in enumerate(map(str, labels), start=1):
        mark, _, name = label.partition("-")
        if mark not in ("B", "I", "O") or (mark == "O" and name):
            raise ValueError(f"spans: {label!r} at position {end - 1} is none of 'B-...', 'I-...' and 'O'.")
        if kind and (mark != "I" or name != kind[2:]):
            found.add((kind[2:], begin, end - 1))
            kind = ""
        if mark != "O" and not kind:
            kind, begin = f"I-{name}", end - 1
    if kind:
        found.add((kind[2:], begin, end))
    return found


class Spans(NamedTuple):
    """How well spans are found: counts, and what follows from them."""

    right: int  # found, with both borders and the kind right
    found: int
    wanted: int

    @property
    def precision(self) -> float:
        """The share of the found ones that are right; 1 if none is found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of the wanted ones that are found; 1 if none is wanted."""
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both: 2 right / (found + wanted); 1 if there is nothing to find, and nothing found."""
        return 2 * self.right / (self.found + self.wanted) if self.found + self.wanted else 1.0


def span_scores(truth: Sequence[Iterable[str]], predicted: Sequence[Iterable[str]]) -> dict[str, Spans]:
    """Precision, recall and F1 of BIO spans, for each kind, and of all kinds together under "all".

    >>> truth = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC"]]
    >>> found = [["B-PER", "O", "O", "B-LOC"], ["B-LOC", "I-LOC"]]
    >>> {kind: (score.right, score.found, score.wanted) for kind, score in span_scores(truth, found).items()}
    {'LOC': (1, 2, 2), 'PER': (0, 1, 1), 'all': (1, 3, 3)}
    """
    if len(truth) != len(predicted):
        raise ValueError(f"span_scores: {len(truth)} sequences of true labels, {len(predicted)} of predicted ones.")
    counts: dict[str, list[int]] = {}
    for i, (own, other) in enumerate(zip(truth, predicted, strict=True)):
        own, other = list(own), list(other)
        if len(own) != len(other):
            raise ValueError(f"span_scores: sequence {i} has {len(own)} true labels, but {len(other)} predicted ones.")
        wanted, found = spans(own), spans(other)
        for place, some in enumerate((wanted & found, found, wanted)):
            for kind, _, _ in some:
                counts.setdefault(kind, [0, 0, 0])[place] += 1
    scores = {kind: Spans(*counts[kind]) for kind in sorted(counts)}
    scores["all"] = Spans(*(sum(column) for column in zip(*counts.values(), strict=True))) if counts else Spans(0, 0, 0)
    return scores


def bio_forbidden(labels: Iterable[str]) -> list[tuple[str | None, str | None]]:
    """The pairs of labels that BIO forbids: I-kind follows B-kind and I-kind only, and nothing begins with it.

    ``(None, label)`` is a start. This is what ``SequenceClassifier(forbidden="BIO")`` forbids.

    >>> bio_forbidden(["B-X", "I-X", "O"])
    [(None, 'I-X'), ('O', 'I-X')]
    """
    labels = list(labels)
    pairs: list[tuple[str | None, str | None]] = []
    for after in labels:
        mark, _, kind = str(after).partition("-")
        if mark == "I":
            pairs += [(before, after) for before in [None, *labels] if before not in (f"B-{kind}", after)]
    return pairs
