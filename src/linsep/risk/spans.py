"""Spans labelled B-kind, I-kind, O (BIO): their positions, scores, and the label pairs that BIO forbids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


def bio_spans(labels: Iterable[str]) -> set[tuple[str, int, int]]:
    """Return the spans (kind, begin, end) of a sequence of BIO labels, end not included.

    An I- that continues no span begins one, as in the CoNLL scripts.

    Parameters
    ----------
    labels : iterable of str
        BIO labels.

    Examples
    --------
    >>> sorted(bio_spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"]), key=lambda span: span[1])
    [('PER', 0, 2), ('LOC', 3, 4), ('LOC', 4, 5)]
    """
    found, kind, begin, end = set(), None, 0, 0
    for end, label in enumerate(map(str, labels), start=1):
        mark, _, name = label.partition("-")
        if mark not in ("B", "I", "O") or (mark == "O" and name):
            raise ValueError(f"labels: expected 'B-...', 'I-...' or 'O' at position {end - 1}, got {label!r}.")
        if kind is not None and (mark != "I" or name != kind):
            found.add((kind, begin, end - 1))
            kind = None
        if mark != "O" and kind is None:
            kind, begin = name, end - 1
    if kind is not None:
        found.add((kind, begin, end))
    return found


class SpanScores(NamedTuple):
    """Counts of predicted and true spans, and the scores computed from them."""

    right: int  # predicted with both borders and the kind right
    predicted: int
    true: int

    @property
    def precision(self) -> float:
        """The share of the predicted spans that are right; 1 if none is predicted."""
        return self.right / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        """The share of the true spans that are predicted; 1 if there is none."""
        return self.right / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both, 2 right / (predicted + true); 1 if there are neither."""
        return 2 * self.right / (self.predicted + self.true) if self.predicted + self.true else 1.0


class SpanTable(NamedTuple):
    """Scores of all spans together, and of each kind."""

    total: SpanScores
    kinds: dict[str, SpanScores]


def span_scores(truth: Sequence[Iterable[str]], predicted: Sequence[Iterable[str]]) -> SpanTable:
    """Return precision, recall and F1 of BIO spans: ``total`` of all kinds together, and ``kinds`` for each.

    Parameters
    ----------
    truth : sequence of sequences of str
        True labels, one sequence of BIO labels per example.
    predicted : sequence of sequences of str
        Predicted labels.

    Examples
    --------
    >>> truth = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC"]]
    >>> predicted = [["B-PER", "O", "O", "B-LOC"], ["B-LOC", "I-LOC"]]
    >>> total, kinds = span_scores(truth, predicted)
    >>> tuple(total), {kind: tuple(scores) for kind, scores in kinds.items()}
    ((1, 3, 3), {'LOC': (1, 2, 2), 'PER': (0, 1, 1)})
    """
    if len(truth) != len(predicted):
        raise ValueError(f"predicted: expected {len(truth)} sequences, as many as in truth, got {len(predicted)}.")
    counts: dict[str, list[int]] = {}
    for i, (true_labels, labels) in enumerate(zip(truth, predicted, strict=True)):
        true_labels, labels = list(true_labels), list(labels)
        if len(true_labels) != len(labels):
            raise ValueError(f"predicted: expected {len(true_labels)} labels of sequence {i}, got {len(labels)}.")
        expected, found = bio_spans(true_labels), bio_spans(labels)
        for column, spans in enumerate((expected & found, found, expected)):
            for kind, _, _ in spans:
                counts.setdefault(kind, [0, 0, 0])[column] += 1
    total = [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0, 0]
    return SpanTable(SpanScores(*total), {kind: SpanScores(*counts[kind]) for kind in sorted(counts)})


def bio_forbidden(labels: Iterable[str]) -> list[tuple[str | None, str | None]]:
    """Return the label pairs that BIO forbids: I-kind may only follow B-kind and I-kind, and may not begin a sequence.

    ``(None, label)`` is a start. ``SequenceClassifier(forbidden="BIO")`` forbids these pairs.

    Parameters
    ----------
    labels : iterable of str
        BIO labels.

    Examples
    --------
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
