r"""Hidden Markov chains as classifiers of sequences: the weights are logarithms of probabilities (E2).

.. math:: \arg\max_y\ p(y_1) \prod_{t>1} p(y_t \mid y_{t-1}) \prod_t p(x_t \mid y_t)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...loop.keep import Average, Last
from ...loop.learn import keeps_average
from ...loop.passes import State
from ...loop.sweep import Counters
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


class FromChains:
    """The constructors of `linsep.SequenceClassifier` that learn nothing: hidden Markov chains."""

    @classmethod
    def from_hmm(cls, start, transition, emission, *, labels=None, symbols=None, **parameters) -> Any:
        r"""The classifier that decides as a hidden Markov chain does: weights are logarithms of its probabilities.

        Parameters
        ----------
        start : array of K
            Probabilities of the first label; 0 forbids, here and in the other tables.
        transition : array of K x K
            Probabilities of a label after another one; rows sum to 1.
        emission : array of K x symbols
            Probabilities of the symbols of each label.
        labels : list, default=None
            The labels; None: 0, 1, ...
        symbols : list, default=None
            What sequences are lists of; None: 0, 1, ... A symbol that is not known says nothing.
        **parameters
            Of the classifier.

        Examples
        --------
        >>> from linsep import SequenceClassifier
        >>> weather = SequenceClassifier.from_hmm(
        ...     [0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]], [[0.9, 0.1], [0.2, 0.8]],
        ...     labels=["dry", "wet"], symbols=["sun", "rain"])
        >>> [labels.tolist() for labels in weather.predict([["sun", "rain", "sun"], ["rain", "rain"]])]
        [['dry', 'dry', 'dry'], ['wet', 'wet']]
        """
        chain = make_chain(start, transition, emission, labels, symbols)
        rule: Any = cls(**{"fit_intercept": False, **parameters})
        rule._begin_learning(goes_on=False)
        rule._begin(chain.labels, chain.forbidden())
        rule.reader_ = Reader()
        rule.reader_.numbers = {symbol: number for number, symbol in enumerate(chain.symbols)}
        rule.reader_.width = len(chain.symbols)
        rule.coef_ = w = chain.weights(rule.order)
        keeper = Average(np.zeros(w.size)) if keeps_average(rule.keep, False) else Last(np.zeros(0))
        rule._state = State(w.copy(), np.zeros(0), Counters(total=np.nan, ww=float(w @ w)), keeper)  # for partial_fit
        return rule

    @classmethod
    def from_counts(cls, X: Sequence, y: Sequence, *, smoothing: float = 1.0, **parameters) -> Any:
        """The hidden Markov chain whose probabilities are the counts of ``X`` and ``y``, as a classifier.

        Parameters
        ----------
        X : list of lists of symbols
            One symbol per position.
        y : list of lists of labels
            One label per position.
        smoothing : float, default=1.0
            Added to every count, so that what was never seen stays possible.
        **parameters
            Of the classifier.

        Examples
        --------
        >>> from linsep import SequenceClassifier
        >>> tagger = SequenceClassifier.from_counts([["a", "b"], ["a", "b", "b"]], [[0, 1], [0, 1, 1]])
        >>> [labels.tolist() for labels in tagger.predict([["a", "a", "b"]])]
        [[0, 0, 1]]
        """
        tables, labels, symbols = count_probabilities(X, y, smoothing)
        return cls.from_hmm(*tables, labels=labels, symbols=symbols, **parameters)
