r"""Sequences: the labels of a sequence against its best rival labelling (E2).

.. math:: \langle w, \varphi(x,y)\rangle = start(y_1)\ [+ end(y_n)] + \sum_t (\langle w_{y_t}, x_t\rangle + bias(y_t))
          + \sum_{t>1} (pair(y_{t-1}, y_t)\ [+ \langle w_{y_{t-1}y_t}, x_t\rangle])
          + \sum_{t>2} triple(y_{t-2}, y_{t-1}, y_t)

``w`` is one flat vector: K weights side by side for each feature of x (dense columns first), then bias, start and end
(K each), pairs (K x K), triples (K x K x K, of second order), and K x K for each feature of x, if features weigh pairs
of labels too.

No phi is ever built: an update touches the positions where truth and rival differ, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...inference.lattice import best_rival, k_best, max_marginals, viterbi
from ...jit import compiled, component, read_only
from ..labelling_loss import LabellingLoss, labelling_loss
from ..update_log import SparseVectors, UpdateLog, new_log, truth_minus_rival
from ..validation import (
    require_integers,
    require_memory,
    require_rising,
    require_scalar,
    require_weights,
    require_within,
)
from .differences import Difference, list_differences, write_difference
from .features import Features, add_sizes, check_features, is_whole, write_squared_sums
from .scores import Chain, Tables, count_weights, score_lattice, split_weights

U = float(np.finfo(np.float64).eps)


@component(LABELLINGS=True, slots=1, exact=True)
class Sequences(NamedTuple):
    """Sequence i, positions ``begin[i]`` ... ``begin[i + 1] - 1``, against the best of its rival labellings."""

    begin: np.ndarray  # n + 1 of int64
    label: np.ndarray  # N of int32: the right label of each position
    x: Features
    chain: Chain
    size: int  # how many numbers w has
    loss: float  # by how much the loss of a rival raises the goal
    cost: LabellingLoss  # the loss
    weight: np.ndarray  # n of float64, or empty: every sequence weighs 1
    sign: np.ndarray  # n of int8, all 1
    first: int
    log: UpdateLog
    tables: Tables  # this and all that follows is scratch: one thread at a time may use it
    best: np.ndarray  # L x states
    prefix: np.ndarray  # L
    difference: Difference

    @property
    def at_once(self) -> int:
        """Sequences of one compiled call: some 4096 positions, a small part of a second."""
        return max(1, 4096 * self.sign.size // self.label.size)

    def lowest(self, w, i):
        """The least of <w, a> - loss cost(y', y) over all rivals y'; infinite if all are forbidden."""
        begin, rival = self.begin[i], self.log.label[self.log.next_label() :]
        truth = self.label[begin : self.begin[i + 1]]
        scale = self.loss / truth.size if self.cost.mean else self.loss
        lattice = score_lattice(w, self.x, begin, truth, (scale, self.cost.table), self.chain, self.tables)
        own, score = best_rival(lattice, truth, self.best, self.prefix, rival)
        return own - score - self.loss * self.cost.whole, self.log.next_slot()

    def squared_norm(self, i, slot):
        """<a,a>."""
        begin, rival = self.begin[i], self.log.label[self.log.begin[slot] :]
        own, other, value, total = self.difference
        count = write_difference(
            self.difference, (self.label[begin : self.begin[i + 1]], rival), self.x, begin, self.chain
        )
        for q in range(count):
            total[own[q]] += value[q]
            total[other[q]] -= value[q]
        aa = 0.0
        for q in range(2 * count):  # an index may occur more than once
            j = own[q] if q < count else other[q - count]
            aa += total[j] * total[j]
            total[j] = 0.0
        return aa

    def add(self, w, i, slot, beta):
        """Add beta a to w."""
        begin, rival = self.begin[i], self.log.label[self.log.begin[slot] :]
        own, other, value, _ = self.difference
        count = write_difference(
            self.difference, (self.label[begin : self.begin[i + 1]], rival), self.x, begin, self.chain
        )
        for q in range(count):
            w[np.uint64(own[q])] += beta * value[q]
            w[np.uint64(other[q])] -= beta * value[q]

    def record(self, dual_weights, i, slot, beta):
        """Keep the rival, and that beta a was added."""
        dual_weights[self.log.keep(i, slot, self.begin[i + 1] - self.begin[i])] += beta

    def w_changed(self, w):
        """Nothing is kept."""

    def difference_vectors(self, log: UpdateLog) -> Iterator[SparseVectors]:
        """The vectors phi(x,y) - phi(x,y') of the entries of ``log``."""
        return truth_minus_rival(list_differences(self, log))

    def has_whole_numbers(self) -> bool:
        """Whether all vectors are of whole numbers."""
        return is_whole(self.x)

    def rounding_bound(self, w: np.ndarray) -> np.ndarray:
        """A bound of the rounding error of each score that `lowest` returns: of truth and rival, term by term."""
        parts = split_weights(w, self.x.width, self.chain)
        largest = {
            name: max(part.max(initial=0.0), -part.min(initial=0.0))
            for name, part in parts._asdict().items()
            if name in ("bias", "start", "end", "pairs", "triples")
        }
        weight = np.maximum(parts.emission.max(axis=1, initial=0.0), -parts.emission.min(axis=1, initial=0.0))
        if self.chain.pair_features:
            weight += np.abs(parts.pair_emission).max(axis=(1, 2), initial=0.0)
        at = np.full(self.label.size, largest["bias"] + largest["pairs"] + largest["triples"])
        add_sizes(self.x, weight, at)
        total = np.add.reduceat(at, self.begin[:-1]) + largest["start"] + largest["end"]
        terms = (1 + self.chain.pair_features) * (np.diff(self.x.indptr) + self.x.dense.shape[1]) + 4.0
        return 2.0 * U * (np.add.reduceat(terms, self.begin[:-1]) + 4.0) * total

    def norm_bound(self) -> float:
        """No vector a is longer: its part of x is at most sqrt(2) times the sum of all |x_t|, and so on."""
        n, (_, order, bias, end, pair_features, _) = np.diff(self.begin), self.chain
        squares = np.empty(n.size)
        write_squared_sums(self.x, self.begin, np.zeros(self.x.width), squares)
        squares *= 1 + pair_features
        squares += (n - 1.0) ** 2 + (bias * n) ** 2 + 1.0 + end + (order == 2) * np.maximum(n - 2.0, 0.0) ** 2
        return float(np.sqrt(2.0 * squares.max(initial=0.0)))


@compiled
def decode(oracle, w, sequences, out, values):
    """Write the best labelling of each of ``sequences`` into ``out``, by position, and its score into ``values``."""
    raised = 0.0, oracle.cost.table  # a loss counts in learning only
    for i in sequences:
        begin, end = oracle.begin[i], oracle.begin[i + 1]
        lattice = score_lattice(w, oracle.x, begin, oracle.label[begin:end], raised, oracle.chain, oracle.tables)
        values[i] = viterbi(lattice, oracle.best, out[begin:end])


@compiled
def write_max_marginals(oracle, w, sequences, after, out):
    """Write the max-marginals of each of ``sequences`` into ``out``, by position. ``after`` is scratch, like best."""
    raised = 0.0, oracle.cost.table  # a loss counts in learning only
    for i in sequences:
        begin, end = oracle.begin[i], oracle.begin[i + 1]
        lattice = score_lattice(w, oracle.x, begin, oracle.label[begin:end], raised, oracle.chain, oracle.tables)
        max_marginals(lattice, oracle.best, after, out[begin:end])


@compiled
def decode_k_best(oracle, w, i, messages, out, values):
    """The best labellings of sequence i: see `linsep.inference.lattice.k_best`, whose scratch is ``messages``."""
    begin, end, raised = oracle.begin[i], oracle.begin[i + 1], (0.0, oracle.cost.table)
    lattice = score_lattice(w, oracle.x, begin, oracle.label[begin:end], raised, oracle.chain, oracle.tables)
    return k_best(lattice, messages[0], messages[1], messages[2], out, values)


def sequences(
    begin: Any, label: Any, x: Features, labels: int, *, order: int = 1, pair_features: bool = False,
    forbidden: Any = None, bias: float = 1.0, end: float = 1.0, loss: float = 0.0, cost: Any = "count",
    weight: Any = None,
) -> Sequences:  # fmt: skip
    """The oracle of sequences.

    Parameters
    ----------
    begin : array of n + 1 int
        Where each sequence begins, and where the last one ends.
    label : array of N int
        The right label of every position, 0 ... ``labels`` - 1.
    x : Features
        The features of every position.
    labels : int
        The number of labels.
    order : {1, 2}, default=1
        Whether the score of a label depends on the label before, or on the two before.
    pair_features : bool, default=False
        Whether features weigh pairs of labels too.
    forbidden : array of K + K + K K numbers, default=None
        -inf for a start, an end or a pair that is forbidden, else 0.
    bias : float, default=1.0
        0.0: labels have no weight of their own.
    end : float, default=1.0
        0.0: the last label has no weight of its own.
    loss : float, default=0.0
        By how much the loss of a rival raises the goal.
    cost : {"count", "hamming", "zero-one"} or array-like of shape (labels, labels), default="count"
        The loss of a rival, of a name or ``W[decision, truth]`` (`linsep.oracles.labelling_loss`).
    weight : array of n numbers, default=None
        The weights of the sequences; None: all weigh 1.

    Examples
    --------
    >>> from linsep.oracles.sequences import features
    >>> x = features(dense=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    >>> a = sequences([0, 2, 3], [0, 1, 1], x, 2)
    >>> w = np.zeros(a.size)
    >>> score, slot = a.lowest(w, 0)
    >>> float(score), a.log.label[:2].tolist()
    (0.0, [0, 0])
    >>> a.add(w, 0, slot, 1.0)
    >>> parts = split_weights(w, 2, a.chain)
    >>> parts.emission.tolist(), parts.pairs.tolist()
    ([[0.0, 0.0], [-1.0, 1.0]], [[-1.0, 1.0], [0.0, 0.0]])
    """
    labels, order = int(labels), int(order)
    begin, label = _check_positions(begin, label, x, labels, order)
    lengths, chain = np.diff(begin), _make_chain(labels, order, (bias, end), pair_features, forbidden)
    weight = read_only(require_weights(weight, lengths.size, "sequences: weight"))
    size = count_weights(x.width, chain)
    require_memory(max(size, int(lengths.max()) * labels ** (2 if pair_features else order)), "sequences: w and tables")
    return Sequences(
        read_only(begin), read_only(label), x, chain, size, require_scalar(loss, "sequences: loss"),
        labelling_loss(cost, labels), weight, read_only(np.ones(lengths.size, dtype=np.int8)), 0,
        new_log(lengths.size, label.size, int(lengths.max())),
        *_new_scratch(begin, x, chain, size),
    )  # fmt: skip


def _make_chain(labels: int, order: int, terms: tuple[float, float], pair_features: bool, forbidden: Any) -> Chain:
    """What labellings are scored by, checked."""
    scores = np.zeros(0) if forbidden is None else np.asarray(forbidden, dtype=np.float64)
    expected = 2 * labels + labels**2
    if scores.size and not (scores.shape == (expected,) and np.isin(scores, (0, -np.inf)).all()):
        raise ValueError(f"sequences: forbidden: expected {expected} numbers, 0 or -inf, got shape {scores.shape}.")
    for name, term in zip(("bias", "end"), terms, strict=True):
        if term not in (0.0, 1.0):
            raise ValueError(f"sequences: {name}: expected 0 or 1, got {term!r}.")
    return Chain(labels, order, float(terms[0]), float(terms[1]), bool(pair_features), read_only(scores))


def _check_positions(begin: Any, label: Any, x: Features, labels: int, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Where sequences begin and their labels, as arrays that agree with each other."""
    if labels < 2:
        raise ValueError(f"sequences: expected two labels or more, got {labels}.")
    if order not in (1, 2):
        raise ValueError(f"sequences: expected order 1 or 2, got {order}.")
    begin, label = (require_integers(each, f"sequences: {name}") for each, name in ((begin, "begin"), (label, "label")))
    require_within(label, labels, "sequences: label")
    require_rising(begin, label.size, "sequences: begin", least=1)
    if begin.size < 2:
        raise ValueError("sequences: expected one sequence or more, got none.")
    check_features(x)
    if len(x.dense) != label.size:
        raise ValueError(f"sequences: expected features of {label.size} positions, got {len(x.dense)}.")
    begin, label = begin.astype(np.int64, copy=False), label.astype(np.int32, copy=False)
    return begin, label


def with_new_scratch(oracle: Sequences) -> Sequences:
    """The same sequences for another thread."""
    tables, best, prefix, difference = _new_scratch(oracle.begin, oracle.x, oracle.chain, oracle.size)
    return oracle._replace(tables=tables, best=best, prefix=prefix, difference=difference)


def _new_scratch(
    begin: np.ndarray, x: Features, chain: Chain, size: int
) -> tuple[Tables, np.ndarray, np.ndarray, Difference]:
    """Memory for the kernels."""
    k, longest = chain.labels, int(np.diff(begin).max())
    states = k**chain.order
    features = longest * x.dense.shape[1] + int(np.diff(x.indptr[begin]).max())
    widest = (1 + chain.pair_features) * features + longest * 3 + 2
    pairs = np.zeros(k * k * (longest if chain.pair_features else 1))
    tables = Tables(np.zeros((longest, k)), pairs, np.zeros((longest, states if chain.order == 2 else 1)))
    own, other = np.zeros((2, widest), dtype=np.int64)
    difference = Difference(own, other, np.zeros(widest), np.zeros(size))
    return tables, np.zeros((longest, states)), np.zeros(longest), difference
