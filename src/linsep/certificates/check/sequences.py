"""The problem of `SequenceClassifier` by its definition, to check certificates: loops and NumPy only.

A labelling other than the truth has another label at some position t. The best one with another label at t is read off
the max-marginals of t, so the best of these over all t is the best rival.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from .vectors import whole_numbers

EPSILON = 2.0**-52  # twice the largest relative error of one rounding
LONGEST = 100  # positions of a sequence whose best rival is found without rounding


class SequenceStructure:
    """Sequences, their true labels 0 ... K-1, and phi by its definition.

    w holds K weights per feature, then K of the bias, the start and the end, K x K of pairs, K x K x K of triples (of
    second order), and K x K per feature, if features weigh pairs too.

    Parameters
    ----------
    X : sequence of arrays, sparse matrices or lists
        One per sequence: length x features, or for every position a list of (feature, value).
    y : sequence of arrays
        The true labels.
    K : int
        The number of labels.
    features : int
        The number of features.
    order : {1, 2}, default=1
        Whether a label depends on one label before it, or on two.
    bias : float, default=1.0
        What a label has as its bias in phi; 0: none.
    end : float, default=1.0
        What the last label has as its end in phi; 0: none.
    pair_features : bool, default=False
        Whether features weigh pairs of labels too.
    forbidden : collection of pairs, default=()
        Labels (before, after) that must not follow each other; (None, label) a start, (label, None) an end.

    Examples
    --------
    >>> words = SequenceStructure([np.eye(2)], [np.array([0, 1])], K=2, features=2)
    >>> words.phi(0, [0, 1]).tolist()              # features, bias, start, end, pairs
    [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    >>> low, high = words.lead(words.phi(0, [0, 1]), 0)
    >>> low < 3.0 < high                           # the truth scores 7, [0, 0] and [1, 1] score 4
    True
    """

    def __init__(
        self, X: Sequence, y: Sequence, K: int, features: int, *, order: int = 1, bias: float = 1.0,
        end: float = 1.0, pair_features: bool = False, forbidden: Collection[tuple] = (),
    ) -> None:  # fmt: skip
        self.X, self.y, self.n, self.K = X, [np.asarray(labels) for labels in y], len(X), K
        self.order, self.bias, self.end, self.forbidden = order, bias, end, set(forbidden)
        self.shapes = {
            "emission": (features, K), "bias": (K,), "start": (K,), "end": (K,), "pairs": (K, K),
            "triples": (K, K, K) if order == 2 else (0, K, K),
            "pair_emission": (features if pair_features else 0, K, K),
        }  # fmt: skip
        self.size = sum(math.prod(shape) for shape in self.shapes.values())

    def truth(self, i: int) -> np.ndarray:
        """The true labels of sequence i."""
        return self.y[i]

    def allowed(self, i: int, labelling: Any) -> bool:
        """Whether ``labelling`` labels every position, differs from the truth and has nothing that is forbidden."""
        y = np.asarray(labelling)
        if y.shape != self.y[i].shape or not ((y >= 0) & (y < self.K)).all() or (y == self.y[i]).all():
            return False
        return not self.forbidden & set(pairwise([None, *y.tolist(), None]))

    def phi(self, i: int, labelling: Any) -> np.ndarray:
        """The features of sequence i with these labels."""
        out = np.zeros(self.size)
        for index, value in self.terms(i, labelling):
            out[index] += value
        return out

    def terms(self, i: int, labelling: Any) -> Iterator[tuple[int, float]]:
        """The features of sequence i with these labels, term by term: where they stand in phi, and what is added."""
        K, y = self.K, [int(k) for k in labelling]
        sizes = [math.prod(shape) for shape in self.shapes.values()]
        at = dict(zip(self.shapes, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))
        yield at["start"] + y[0], 1.0
        yield at["end"] + y[-1], self.end
        for t, entries in enumerate(self._entries(i)):
            pair = y[t - 1] * K + y[t]
            yield at["bias"] + y[t], self.bias
            if t > 0:
                yield at["pairs"] + pair, 1.0
            if t > 1 and self.order == 2:
                yield at["triples"] + y[t - 2] * K * K + pair, 1.0
            for feature, value in entries:
                yield at["emission"] + feature * K + y[t], value
                if t > 0 and self.shapes["pair_emission"][0]:
                    yield at["pair_emission"] + feature * K * K + pair, value

    def _forbid(self, at: np.ndarray, between: np.ndarray, never: Any) -> None:
        """Forbidden starts, ends and pairs score ``never``."""
        for before, after in self.forbidden:
            if before is None:
                at[0, after] = never
            elif after is None:
                at[-1, before] = never
            else:
                between[:, before, after] = never

    def _marginals(self, at: np.ndarray, between: np.ndarray, triples: np.ndarray) -> np.ndarray:
        """Max-marginals of either order."""
        return second_order(at, between, triples) if self.order == 2 and len(at) > 1 else first_order(at, between)

    def lead(self, w: np.ndarray, i: int) -> tuple[float, float]:
        """A lower and an upper bound of the score of the truth minus that of its best rival."""
        part, entries = self._parts(w), list(self._entries(i))
        lead = float(self._lead(i, self._tables(part, entries, 1.0, self.bias, self.end)))
        error = self._rounding(part, entries)
        return lead - error, lead + error

    def exact_lead(self, w: np.ndarray, i: int) -> Fraction | float | None:
        """The lead of a w of integers without rounding; None of a long sequence."""
        if self.y[i].size > LONGEST:
            return None
        features, counts = [], [0]
        for entries in self._entries(i):
            features += [feature for feature, _ in entries]
            counts.append(len(features))
        values = np.array([value for entries in self._entries(i) for _, value in entries])
        (values, ones), unit = whole_numbers(values, np.array([1.0, self.bias, self.end]))
        every = list(zip(features, values.tolist(), strict=True))
        tables = self._tables(self._parts(w), [every[a:b] for a, b in pairwise(counts)], *ones)
        lead = self._lead(i, tables, -3 * len(counts) * sum(int(np.abs(table).sum()) for table in tables) - 1)
        return lead if lead == math.inf else Fraction(int(lead), unit)

    def _lead(self, i: int, tables: tuple, never: Any = -math.inf) -> Any:
        """The score of the truth less that of its best rival; ``never`` is below the scores of all labellings."""
        (at, between, triples), y = tables, self.y[i]
        n = y.size
        own = at[np.arange(n), y].sum() + sum(between[t][y[t], y[t + 1]] for t in range(n - 1))
        if self.order == 2:
            own += sum(triples[y[t - 2], y[t - 1], y[t]] for t in range(2, n))
        self._forbid(at, between, never)
        best = self._marginals(at, between, triples)
        best[np.arange(n), y] = never
        most = best.max()
        return own - most if 2 * most > never else math.inf

    def reach(self) -> float:
        """An upper bound of the norms of all vectors: truth and rival share nothing, and all labels are equal in both.

        Then every part of phi is one sum over all positions, at one place for the truth and at another for the rival.
        """
        longest = 0.0
        for i, labels in enumerate(self.y):
            n, sums = labels.size, np.zeros(self.shapes["emission"][0])
            for entries in self._entries(i):
                for feature, value in entries:
                    sums[feature] += abs(value)
            squares = float(sums @ sums) * (2 if self.shapes["pair_emission"][0] else 1) + (self.bias * n) ** 2 + 1.0
            squares += self.end**2 + (n - 1.0) ** 2 + (max(n - 2.0, 0.0) ** 2 if self.order == 2 else 0.0)
            longest = max(longest, 2.0 * squares)
        return math.sqrt(longest)

    def _parts(self, w: np.ndarray) -> dict[str, np.ndarray]:
        """Views of the parts of w, each in its shape."""
        ends = np.cumsum([math.prod(shape) for shape in self.shapes.values()]).tolist()
        parts = zip(self.shapes.items(), [0, *ends], ends, strict=False)
        return {name: w[begin:end].reshape(shape) for (name, shape), begin, end in parts}

    def _entries(self, i: int) -> Iterator[list[tuple[int, float]]]:
        """The features and values of every position of sequence i."""
        x = self.X[i]
        if isinstance(x, list):
            yield from x
            return
        for row in x.toarray() if sp.issparse(x) else np.asarray(x, dtype=np.float64):
            yield [(int(j), float(row[j])) for j in np.flatnonzero(row)]

    def _tables(self, part: dict[str, np.ndarray], entries: list, one: Any, bias: Any, end: Any) -> tuple:
        """The scores of labels and of pairs of labels at every position, and of triples; ``one`` stands for 1."""
        n = len(entries)
        at, between = np.tile(bias * part["bias"], (n, 1)), np.tile(one * part["pairs"], (n - 1, 1, 1))
        at[0] += one * part["start"]
        at[-1] += end * part["end"]
        for t, features in enumerate(entries):
            for feature, value in features:
                at[t] += value * part["emission"][feature]
                if t > 0 and len(part["pair_emission"]):
                    between[t - 1] += value * part["pair_emission"][feature]
        return at, between, one * part["triples"]

    def _rounding(self, part: dict[str, np.ndarray], entries: list) -> float:
        """A bound of the rounding error of the sums of a labelling's scores."""
        n = len(entries)
        small = (part[name] for name in ("bias", "start", "end", "pairs", "triples"))
        total = n * sum(float(np.abs(table).max(initial=0.0)) for table in small)
        for t, features in enumerate(entries):
            for feature, value in features:
                total += abs(value) * float(np.abs(part["emission"][feature]).max())
                if t > 0 and len(part["pair_emission"]):
                    total += abs(value) * float(np.abs(part["pair_emission"][feature]).max())
        return 4 * EPSILON * (6 * n + 8 + 2 * sum(map(len, entries))) * total


def first_order(at: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Max-marginals of first order: the best score of all labellings with label k at position t.

    >>> first_order(np.array([[0.0, 1.0], [0.5, 0.0]]), np.eye(2)[None]).tolist()
    [[1.5, 2.0], [1.5, 2.0]]
    """
    n = len(at)
    before, after = at.copy(), np.zeros_like(at)
    for t in range(1, n):
        before[t] += (before[t - 1][:, None] + between[t - 1]).max(axis=0)
    for t in range(n - 2, -1, -1):
        after[t] = (between[t] + at[t + 1] + after[t + 1]).max(axis=1)
    return before + after


def second_order(at: np.ndarray, between: np.ndarray, triples: np.ndarray) -> np.ndarray:
    """Max-marginals of second order, of two positions or more: those of pairs of labels at t - 1 and t, then of labels.

    >>> second_order(np.array([[0.0, 1.0], [0.5, 0.0]]), np.eye(2)[None], np.zeros((2, 2, 2))).tolist()
    [[1.5, 2.0], [1.5, 2.0]]
    """
    n, k = at.shape
    before = [at[0][:, None] + between[0] + at[1]]
    for t in range(2, n):
        before.append((before[-1][:, :, None] + triples).max(axis=0) + between[t - 1] + at[t])
    after = [np.zeros((k, k), dtype=at.dtype)]
    for t in range(n - 1, 1, -1):
        after.append((triples + (between[t - 1] + at[t] + after[-1])[None]).max(axis=2))
    both = [one + other for one, other in zip(before, reversed(after), strict=True)]
    return np.array([both[0].max(axis=1), *(each.max(axis=0) for each in both)])
