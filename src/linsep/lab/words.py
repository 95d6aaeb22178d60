"""Recordings of the structured perceptron on short words: the trellis of every update (E2, E4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .table import Question, Table, fit_within, follow_trace

MOST_WORDS, MOST_POSITIONS, MOST_LABELS, MOST_WEIGHTS = 50, 12, 12, 1_000


def prepare_words(estimator: Any, X: Any, y: Any, content: dict[str, Any]) -> Callable[[int, float], dict[str, Any]]:
    """Write down the words with their labels, and return how to learn from them."""
    words, labels = [_positions(x) for x in X], [_labels(each) for each in y]
    if not 1 <= len(words) <= MOST_WORDS or len(words) != len(labels):
        raise ValueError(f"X: expected 1 to {MOST_WORDS} words, each with labels, got {len(words)} with {len(labels)}.")
    for word, label in zip(words, labels, strict=True):
        if not 1 <= len(word) <= MOST_POSITIONS or len(word) != len(label):
            raise ValueError(
                f"X: expected words of 1 to {MOST_POSITIONS} positions, each with a label, got {len(word)} with "
                f"{len(label)}."
            )
    if estimator.templates is not None or estimator.order != 1 or estimator.pair_features:
        raise ValueError("rule: the lab draws chains of order 1 without templates and pair_features.")
    classes = sorted({label for each in labels for label in each})
    if not 2 <= len(classes) <= MOST_LABELS:
        raise ValueError(f"y: expected 2 to {MOST_LABELS} labels, got {len(classes)}.")
    numbers = [[classes.index(label) for label in each] for each in labels]
    content["data"] = {"X": words, "y": numbers, "classes": classes, "columns": []}
    content["decides"] = {"kind": "labelling"}
    return lambda most, end: _learn(estimator, words, labels, most, end)


def _learn(estimator: Any, words: list, labels: list, most: int, end: float) -> dict[str, Any]:
    fitted = fit_within(
        Question(estimator, words, labels, np.arange(len(words))), most, max(end - time.monotonic(), 0.1)
    )
    names = _names(fitted)
    if len(names) > MOST_WEIGHTS:
        raise ValueError(f"X: the lab draws up to {MOST_WEIGHTS} weights, got {len(names)}.")
    table, through, complete = Table(1, len(names)), [], True
    question = Question(fitted, words, labels, np.arange(len(words)))
    made = min(most, fitted.certificate_.updates)
    for update in follow_trace(Question(estimator, words, labels, question.rows), made):
        table.add(update, question)
        through.append(_marginals(fitted, update.before, words[max(update.row, 0)]))
        if time.monotonic() > end:
            complete = False
            break
    claim = fitted.certificate_
    shape = (1, len(names))
    return {
        "names": names,
        "shape": list(shape),
        "start": table.start(shape).ravel().tolist(),
        "updates": {**table.columns(), "through": through},
        "answer": np.asarray(fitted.coef_).tolist(),
        "certificates": [{**claim.to_dict(), "sentence": str(claim)}],
        "complete": complete and claim.proved and not claim.reason,
    }


def _positions(x: Any) -> list[str]:
    """A word as its letters, or a list of names."""
    found = list(x)
    if not all(isinstance(each, str) and 1 <= len(each) <= 40 for each in found):
        raise ValueError("X: expected words, or lists of names.")
    return found


def _labels(y: Any) -> list[str]:
    found = [each.item() if isinstance(each, np.generic) else each for each in y]
    if not all(isinstance(each, str) for each in found):
        raise ValueError("y: expected lists of words as labels, one per position.")
    return found


def _names(fitted: Any) -> list[str]:
    """What each number of w is about: "a, N" an observation with its label, "N → V" a pair."""
    size, labels = fitted.coef_.size, fitted.classes_.tolist()
    kept, fitted.coef_ = fitted.coef_, np.arange(1.0, size + 1.0)  # the places of the parts, asked of the reader of w
    try:
        weights = fitted.weights_
    finally:
        fitted.coef_ = kept
    found = [""] * size

    def name(part: np.ndarray, words: Iterator[str]) -> None:
        for place, each in zip(part.ravel().tolist(), words, strict=True):
            if place:
                found[int(place) - 1] = each

    features = [fitted.reader_.name(j) for j in range(fitted.reader_.width)]
    name(weights.emission, (f"{feature}, {k}" for feature in features for k in labels))
    name(weights.bias, (f"{k}" for k in labels))
    name(weights.start, (f"⊢ {k}" for k in labels))
    name(weights.end, (f"{k} ⊣" for k in labels))
    name(weights.pairs, (f"{j} → {k}" for j in labels for k in labels))
    return found


def _marginals(fitted: Any, w: np.ndarray, word: list[str]) -> list[list[float]]:
    """For every position and label the score of the best labelling through it, with this w."""
    kept, fitted.coef_ = fitted.coef_, w
    try:
        return np.asarray(fitted.max_marginals([word])[0]).tolist()
    finally:
        fitted.coef_ = kept
