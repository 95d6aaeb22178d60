"""Spans of BIO labels and their scores, by hand."""

from itertools import product

import numpy as np
import pytest

from linsep.risk import bio_spans, span_scores


def test_spans_and_their_f1_by_hand():
    truth = ["B-PER", "I-PER", "O", "B-LOC", "I-LOC", "I-LOC", "O", "B-PER"]
    found = ["B-PER", "I-PER", "O", "B-LOC", "I-LOC", "O", "I-LOC", "I-PER"]
    assert bio_spans(found) == {("PER", 0, 2), ("LOC", 3, 5), ("LOC", 6, 7), ("PER", 7, 8)}
    total, scores = span_scores([truth], [found])
    assert scores["PER"] == (2, 2, 2) and scores["LOC"] == (0, 2, 1) and total == (2, 4, 3)
    assert np.isclose(total.f1, 4 / 7) and total.precision == 0.5
    assert span_scores([["O"]], [["O"]]).total.f1 == 1.0
    named = span_scores([["B-all", "B-X"]], [["B-all", "O"]])
    assert named.kinds["all"] == (1, 1, 1) and named.total == (1, 1, 2)
    for labels in (["X-PER"], ["O-PER"], ["PER"]):
        with pytest.raises(ValueError, match="position 0"):
            bio_spans(labels)
    with pytest.raises(ValueError, match="sequence 0"):
        span_scores([["O"]], [["O", "O"]])


def conlleval_chunks(labels):
    """The chunks of a sequence by the two conditions of conlleval on neighbouring labels, end and start of a chunk."""
    found, start, before, kind_before = set(), None, "O", ""
    for t, label in enumerate([*labels, "O"]):
        mark, _, kind = label.partition("-")
        ends = (before in ("B", "I") and mark in ("B", "O")) or (before != "O" and kind_before != kind)
        starts = mark == "B" or (before == "O" and mark == "I") or (mark != "O" and kind_before != kind)
        if ends and start is not None:
            found.add((kind_before, start, t))
            start = None
        start = t if starts else start
        before, kind_before = mark, kind
    return found


def test_spans_are_the_chunks_of_conlleval():
    for length in range(1, 6):
        for labels in product(["O", "B-x", "I-x", "B-y", "I-y"], repeat=length):
            assert bio_spans(labels) == conlleval_chunks(labels), labels
