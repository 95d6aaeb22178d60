"""The largest weights of a classifier of sequences, by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...oracles.sequences import Weights
from .reader import Reader


class FeatureWeight(NamedTuple):
    """The weight of a feature for a label."""

    feature: str
    label: Any
    weight: float


class Transition(NamedTuple):
    """The weight of one label after another; None is the start or the end."""

    before: Any
    after: Any
    weight: float


def strongest_features(parts: Weights, reader: Reader, classes: np.ndarray, n: int, label: Any) -> list[FeatureWeight]:
    """The ``n`` largest weights of features, by absolute value; of one label, unless it is None."""
    if label is not None and label not in classes.tolist():
        raise ValueError(f"label: expected one of {classes.tolist()}, got {label!r}.")
    columns = np.arange(len(classes)) if label is None else np.array([classes.tolist().index(label)])
    best = np.argsort(-np.abs(parts.emission[:, columns]).ravel(), kind="stable")[:n]
    rows, places = np.divmod(best, columns.size)
    found = zip(rows.tolist(), columns[places].tolist(), strict=True)
    return [FeatureWeight(reader.name(row), classes[k], float(parts.emission[row, k])) for row, k in found]


def strongest_transitions(parts: Weights, labels: list, n: int) -> list[Transition]:
    """The ``n`` largest weights of pairs, starts (None, label) and ends (label, None), by absolute value."""
    names = [None, *labels]
    table = np.zeros((len(names), len(names)))
    table[0, 1:], table[1:, 0], table[1:, 1:] = parts.start, parts.end, parts.pairs
    best = [place for place in np.argsort(-np.abs(table).ravel(), kind="stable") if place][:n]
    return [Transition(names[j], names[k], float(table[j, k])) for j, k in (divmod(b, len(names)) for b in best)]
