r"""Hidden Markov chains as classifiers of sequences: the weights are logarithms of probabilities (E2).

.. math:: \arg\max_y\ p(y_1) \prod_{t>1} p(y_t \mid y_{t-1}) \prod_t p(x_t \mid y_t)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .labels import flatten_labels, sort_labels
from .reader import Reader


class HiddenMarkovChain(NamedTuple):
    """Logarithms of probabilities, labels sorted."""

    start: np.ndarray  # K
    pairs: np.ndarray  # K x K
    emission: np.ndarray  # K x symbols
    labels: np.ndarray
    symbols: list

    def forbidden(self) -> frozenset[tuple[int | None, int]]:
        """Starts and pairs of probability 0."""
        starts = {(None, int(k)) for k in np.flatnonzero(np.isneginf(self.start))}
        return frozenset(starts | {(int(j), int(k)) for j, k in np.argwhere(np.isneginf(self.pairs))})

    def weights(self, order: int) -> np.ndarray:
        """w of a classifier of this order; what is forbidden weighs 0."""
        k = self.start.size
        start, pairs = (np.where(np.isneginf(table), 0.0, table) for table in (self.start, self.pairs))
        triples = np.zeros(k**3 if order == 2 else 0)
        return np.concatenate([self.emission.T.ravel(), np.zeros(k), start, np.zeros(k), pairs.ravel(), triples])


def make_chain(start: Any, transition: Any, emission: Any, labels: Any, symbols: Any) -> HiddenMarkovChain:
    """The chain of checked tables of probabilities."""
    tables = [np.asarray(table, dtype=np.float64) for table in (start, transition, emission)]
    k, size = tables[0].size, tables[2].shape[-1]
    shapes = {"start": (k,), "transition": (k, k), "emission": (k, size)}
    for (name, shape), table in zip(shapes.items(), tables, strict=True):
        if table.shape != shape:
            raise ValueError(f"{name}: expected a table of {shape} probabilities, got {table.shape}.")
        if not ((table >= 0) & (table <= 1)).all() or not np.allclose(table.sum(axis=-1), 1.0, atol=1e-6):
            raise ValueError(f"{name}: expected probabilities >= 0 that sum to 1 in every row.")
    symbols = list(range(size) if symbols is None else symbols)
    names = np.arange(k) if labels is None else sort_labels(labels)
    if len(symbols) != size or len(names) != k or len(set(symbols)) != size:
        raise ValueError(f"labels, symbols: expected {k} different labels and {size} different symbols.")
    order = np.arange(k) if labels is None else np.argsort([names.tolist().index(label) for label in labels])
    with np.errstate(divide="ignore"):
        first, pairs, emitted = (np.log(table) for table in tables)
    return HiddenMarkovChain(first[order], pairs[order][:, order], emitted[order], names, symbols)


def count_probabilities(X: Sequence, y: Sequence, smoothing: float) -> tuple[list[np.ndarray], list, list]:
    """The tables start, transition and emission by counting, and the labels and symbols they are about."""
    if not smoothing >= 0:
        raise ValueError(f"smoothing: expected a number >= 0, got {smoothing!r}.")
    reader = Reader()
    read = reader.learn(X)
    if reader.numbers is None or (read.x.values != 1.0).any() or (np.diff(read.x.indptr) != 1).any():
        raise ValueError("from_counts: expected one symbol per position in X.")
    found = flatten_labels(y, read.begin)
    labels = sort_labels(found)
    number = {label: k for k, label in enumerate(labels.tolist())}
    ids, k = np.array([number[label] for label in found]), len(labels)
    start, pairs = np.full(k, float(smoothing)), np.full((k, k), float(smoothing))
    emission = np.full((k, reader.width), float(smoothing))
    np.add.at(start, ids[read.begin[:-1]], 1.0)
    inner = np.setdiff1d(np.arange(1, ids.size), read.begin)
    np.add.at(pairs, (ids[inner - 1], ids[inner]), 1.0)
    np.add.at(emission, (ids, read.x.indices), 1.0)
    tables = [start, pairs, emission]
    if not all(table.sum(axis=-1).all() for table in tables):
        raise ValueError("from_counts: some label is never followed by another; expected smoothing > 0.")
    return [table / table.sum(axis=-1, keepdims=True) for table in tables], labels.tolist(), list(reader.numbers)
