r"""Sequences: the labels of a sequence against its best rival labelling (E2).

.. math:: \langle w, \varphi(x,y)\rangle = start(y_1) + end(y_n) + \sum_t (\langle w_{y_t}, x_t\rangle + bias(y_t))
          + \sum_{t>1} (pair(y_{t-1}, y_t) + \langle w_{y_{t-1}y_t}, z_t\rangle)
          + \sum_{t>2} triple(y_{t-2}, y_{t-1}, y_t)

Position t has features x_t, and optionally features z_t of the pair (t-1, t). ``w`` is one flat vector: K weights side by
side for each feature of x (dense columns first), then bias, start and end (K each), pairs (K x K), triples (K x K x K, of
second order), and K x K for each feature of z.

No phi is ever built: an update touches the positions where truth and rival differ, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..inference.lattice import Lattice, best_rival, k_best, max_marginals, viterbi, write_pair_states
from ..jit import compiled, component, read_only
from .position_features import (
    Entries,
    Features,
    NonZeros,
    absolute_matrix,
    add_weights,
    find_non_zeros,
    list_features,
    make_features,
    new_non_zeros,
)
from .update_log import SparseVectors, UpdateLog, concatenate_ranges, new_log, truth_minus_rival

U = float(np.finfo(np.float64).eps)


class Difference(NamedTuple):
    """Scratch: a difference vector, one number after the other; an index may occur more than once."""

    index: np.ndarray  # of int64
    value: np.ndarray  # of float64
    state: np.ndarray  # 2 x L of int64: labels of truth and rival, or pairs, or triples
    total: np.ndarray  # like w; 0 between two calls


class Scratch(NamedTuple):
    """Memory of the kernels; L is the length of the longest sequence. One thread at a time may use it."""

    emission: np.ndarray  # (L + 2) x K: the scores of positions; then the biases, and the scores of dense columns
    pairs: np.ndarray  # K K, or L K K, where they are not read from w as they are
    local: np.ndarray  # L x (K K), for second order
    best: np.ndarray  # L x states
    prefix: np.ndarray  # L
    non_zeros: NonZeros
    difference: Difference


@component
class Sequences(NamedTuple):
    """Sequence i, positions ``begin[i]`` ... ``begin[i + 1] - 1``, against the best of its rival labellings."""

    begin: np.ndarray  # n + 1 of int64
    label: np.ndarray  # N of int32: the right label of each position
    x: Features
    z: Features  # of the pair (t - 1, t); sparse features only
    forbidden: np.ndarray  # empty, or K + K + K K numbers: -inf for a start, an end, a pair that is forbidden, else 0
    labels: int  # K
    order: int  # 1 or 2
    size: int  # how many numbers w has
    bias: float  # 1.0; 0.0 for none
    loss: float  # by how much every wrong label raises the goal
    weight: np.ndarray  # n of float64, or empty: every sequence weighs 1
    sign: np.ndarray  # n of int8, all 1
    first: int
    log: UpdateLog
    scratch: Scratch

    LABELLINGS = True
    exact = True  # `lowest` finds the best rival for sure

    def lowest(self, w, i):
        """The least of <w, a> - loss Hamming(y, y') over all rivals y'; infinite if all are forbidden."""
        chain, scratch, log = score_lattice(self, w, i, self.loss), self.scratch, self.log
        truth, rival = self.label[self.begin[i] :], log.label[log.next_label() :]
        own, score = best_rival(chain, truth, scratch.best, scratch.prefix, rival)
        return own - score, log.next_slot()

    def squared_norm(self, i, slot):
        """<a,a>."""
        index, value, _, total = self.scratch.difference
        count = find_difference(self, i, slot)
        for q in range(count):
            total[index[q]] += value[q]
        aa = 0.0
        for q in range(count):
            aa += total[index[q]] * total[index[q]]
            total[index[q]] = 0.0
        return aa

    def add(self, w, i, slot, beta):
        """Add beta a to w."""
        index, value, _, _ = self.scratch.difference
        for q in range(find_difference(self, i, slot)):
            w[np.uint64(index[q])] += beta * value[q]

    def record(self, dual_weights, i, slot, beta):
        """Keep the rival, and that beta a was added."""
        dual_weights[self.log.keep(i, slot, self.begin[i + 1] - self.begin[i])] += beta

    def w_changed(self, w):
        """Nothing is kept."""

    def difference_vectors(self, log: UpdateLog) -> Iterator[SparseVectors]:
        """The vectors phi(x,y) - phi(x,y') of the entries of ``log``."""
        return truth_minus_rival(list_differences(self, log))

    def rounding_bound(self, w: np.ndarray) -> np.ndarray:
        """A bound of the rounding error of each score that `lowest` returns: of truth and rival, term by term."""
        parts, (X, Z) = split_weights(w, self.x.width, self.labels, self.order), map(absolute_matrix, (self.x, self.z))
        largest = {name: float(np.abs(part).max(initial=0.0)) for name, part in parts._asdict().items()}
        at = X @ np.abs(parts.emission).max(axis=1, initial=0.0)
        at += Z @ np.abs(parts.pair_emission).max(axis=(1, 2), initial=0.0)
        at += largest["bias"] + largest["pairs"] + largest["triples"]
        total = np.add.reduceat(at, self.begin[:-1]) + largest["start"] + largest["end"]
        count = np.add.reduceat(np.diff(X.indptr) + np.diff(Z.indptr) + 4.0, self.begin[:-1]) + 4.0
        return 2.0 * U * count * total

    def norm_bound(self) -> float:
        """No vector a is longer: its part of x is at most sqrt(2) times the sum of all |x_t|, and so on."""
        n = np.diff(self.begin)
        ones = np.ones(self.label.size), np.arange(self.label.size), self.begin
        sums = sp.csr_array(ones, shape=(n.size, self.label.size))
        squares = (n - 1.0) ** 2 + (self.bias * n) ** 2 + 2.0 + (self.order == 2) * np.maximum(n - 2.0, 0.0) ** 2
        for each in (self.x, self.z):
            total = sums @ absolute_matrix(each)
            squares += np.asarray(total.multiply(total).sum(axis=1)).ravel()
        return float(np.sqrt(2.0 * squares.max(initial=0.0)))


# --- kernels ---------------------------------------------------------------------------------------------------------


@compiled
def write_emission(oracle, w, i):
    """Write the scores of all labels at all positions of sequence i, start and end included."""
    x, labels, out, non_zeros = oracle.x, oracle.labels, oracle.scratch.emission, oracle.scratch.non_zeros
    begin, end, d, at = oracle.begin[i], oracle.begin[i + 1], x.dense.shape[1], x.width * labels
    biases, partial = out[out.shape[0] - 2], out[out.shape[0] - 1]
    for k in range(labels):
        biases[k] = oracle.bias * w[at + k]
    for t in range(begin, end):
        if d:
            count = find_non_zeros(x.dense, t, non_zeros)
            add_weights(w, Entries(non_zeros.read_column, non_zeros.read_value, 0, count, 0), biases, partial)
        p, q = (x.indptr[t], x.indptr[t + 1]) if x.indptr.size else (0, 0)
        add_weights(w, Entries(x.indices, x.values, p, q, d), partial if d else biases, out[t - begin])
    for k in range(labels):
        out[0, k] += w[at + labels + k]
        out[end - begin - 1, k] += w[at + 2 * labels + k]
    if oracle.forbidden.size:
        for k in range(labels):
            out[0, k] += oracle.forbidden[k]
            out[end - begin - 1, k] += oracle.forbidden[labels + k]


@compiled
def add_loss(emission, truth, loss):
    """Raise the scores of all wrong labels by ``loss``."""
    for t in range(truth.size):
        for k in range(emission.shape[1]):
            if k != truth[t]:
                emission[t, k] += loss


@compiled
def write_pairs(oracle, w, i):
    """Write the scores of all pairs, where they are not those in w: of forbidden ones, and with features of pairs."""
    z, labels, out, begin = oracle.z, oracle.labels, oracle.scratch.pairs, oracle.begin[i]
    square, at = labels * labels, (oracle.x.width + 3) * labels
    for t in range(1, oracle.begin[i + 1] - begin if z.width else 2):
        to = (t - 1) * square
        for h in range(square):
            out[to + h] = w[at + h]
        if oracle.forbidden.size:
            for h in range(square):
                out[to + h] += oracle.forbidden[2 * labels + h]
        if z.width:
            for p in range(z.indptr[begin + t], z.indptr[begin + t + 1]):
                x = z.values[p] if z.values.size else 1.0
                row = w.size - (z.width - z.indices[p]) * square
                for h in range(square):
                    out[to + h] += x * w[row + h]


@compiled
def score_lattice(oracle, w, i, loss):
    """The lattice of sequence i: all scores along w, wrong labels raised by ``loss``."""
    labels, scratch = oracle.labels, oracle.scratch
    square, n, at = labels * labels, oracle.begin[i + 1] - oracle.begin[i], (oracle.x.width + 3) * labels
    write_emission(oracle, w, i)
    if loss != 0.0:
        add_loss(scratch.emission, oracle.label[oracle.begin[i] : oracle.begin[i + 1]], loss)
    pairs, base, stride = w, at, 0
    if oracle.forbidden.size or oracle.z.width:
        write_pairs(oracle, w, i)
        pairs, base, stride = scratch.pairs, 0, square if oracle.z.width else 0
    chain = Lattice(scratch.emission, pairs, base, stride, n, labels, 1)
    if oracle.order == 1 or n == 1:
        return chain
    write_pair_states(chain, scratch.local)
    return Lattice(scratch.local, w, at + square, 0, n - 1, labels, labels)


@compiled
def write_states(difference, span, base, value, count):
    """Where the states of truth and rival differ, write ``value`` at base + state of the truth, -value of the rival."""
    index, values, state = difference.index, difference.value, difference.state
    begin, end = span
    for t in range(begin, end):
        if state[0, t] != state[1, t]:
            index[count], values[count] = base + state[0, t], value
            index[count + 1], values[count + 1] = base + state[1, t], -value
            count += 2
    return count


@compiled
def write_features(difference, x, begin, span, base, stride, count):
    """Where the states differ, write the features of the position, each at base + feature * stride + state."""
    dense, indptr, indices, values, _ = x
    index, value, state, _ = difference
    for t in range(span[0], span[1]):
        own, other = base + state[0, t], base + state[1, t]
        if own == other:
            continue
        for j in range(dense.shape[1]):
            if dense[begin + t, j] != 0:
                index[count], value[count] = j * stride + own, dense[begin + t, j]
                index[count + 1], value[count + 1] = j * stride + other, -value[count]
                count += 2
        if indptr.size:
            for p in range(indptr[begin + t], indptr[begin + t + 1]):
                row = (np.int64(indices[p]) + dense.shape[1]) * stride
                index[count], value[count] = row + own, values[p] if values.size else 1.0
                index[count + 1], value[count + 1] = row + other, -value[count]
                count += 2
    return count


@compiled
def write_difference(difference, labellings, x, z, shape):
    """Write which numbers of w the vector a touches, and what it has there; returns how many."""
    truth, rival = labellings
    begin, n, labels, order, bias = shape
    state, at, square = difference.state, x.width * labels, labels * labels
    zero, one = np.int64(0), np.int64(1)  # Numba would compile again for each literal
    for t in range(n):
        state[0, t], state[1, t] = truth[t], rival[t]
    count = write_features(difference, x, begin, (zero, n), zero, labels, zero)
    count = write_states(difference, (zero, n), at, bias, count)
    count = write_states(difference, (zero, one), at + labels, 1.0, count)
    count = write_states(difference, (n - one, n), at + 2 * labels, 1.0, count)
    at += 3 * labels
    for first in range(1, order + 1):  # pairs, then triples: states of one label more
        for t in range(n - 1, first - 1, -1):
            state[0, t] = state[0, t - 1] * labels + truth[t]
            state[1, t] = state[1, t - 1] * labels + rival[t]
        count = write_states(difference, (first, n), at, 1.0, count)
        if first == 1 and z.width:
            pair_emission = at + square + (square * labels if order == 2 else 0)
            count = write_features(difference, z, begin, (first, n), pair_emission, square, count)
        at += square
    return count


@compiled
def find_difference(oracle, i, slot):
    """`write_difference` of sequence i and the rival in ``slot``."""
    begin, n = oracle.begin[i], oracle.begin[i + 1] - oracle.begin[i]
    labellings = oracle.label[begin:], oracle.log.label[oracle.log.begin[slot] :]
    shape = begin, n, oracle.labels, oracle.order, oracle.bias
    return write_difference(oracle.scratch.difference, labellings, oracle.x, oracle.z, shape)


@compiled
def decode(oracle, w, sequences, out, values):
    """Write the best labelling of each of ``sequences`` into ``out``, by position, and its score into ``values``."""
    for i in sequences:
        labelling = out[oracle.begin[i] : oracle.begin[i + 1]]
        values[i] = viterbi(score_lattice(oracle, w, i, 0.0), oracle.scratch.best, labelling)


@compiled
def write_max_marginals(oracle, w, sequences, after, out):
    """Write the max-marginals of each of ``sequences`` into ``out``, by position. ``after`` is scratch, like best."""
    for i in sequences:
        marginals = out[oracle.begin[i] : oracle.begin[i + 1]]
        max_marginals(score_lattice(oracle, w, i, 0.0), oracle.scratch.best, after, marginals)


@compiled
def decode_k_best(oracle, w, i, messages, out, values):
    """The best labellings of sequence i: see `linsep.inference.lattice.k_best`, whose scratch is ``messages``."""
    best, back, rank = messages
    return k_best(score_lattice(oracle, w, i, 0.0), best, back, rank, out, values)


# --- in plain Python -------------------------------------------------------------------------------------------------


class Weights(NamedTuple):
    """The parts of w as views, each in its shape."""

    emission: np.ndarray  # features x K
    bias: np.ndarray  # K
    start: np.ndarray  # K
    end: np.ndarray  # K
    pairs: np.ndarray  # K x K
    triples: np.ndarray  # K x K x K, or empty
    pair_emission: np.ndarray  # features of pairs x K x K


def split_weights(w: np.ndarray, features: int, labels: int, order: int) -> Weights:
    """The parts of w for so many features and labels."""
    k = labels
    shapes = [(features, k), (k,), (k,), (k,), (k, k), (k if order == 2 else 0, k, k), (-1, k, k)]
    cuts = np.cumsum([int(np.prod(shape)) for shape in shapes[:-1]])
    return Weights(*(each.reshape(shape) for each, shape in zip(np.split(w, cuts), shapes, strict=True)))


def list_differences(
    oracle: Sequences, log: UpdateLog
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """`write_difference` of all entries of ``log`` at once: entry, the indices of truth and rival, the value there."""
    k, sizes = oracle.labels, np.diff(log.begin)
    entry, t = np.repeat(np.arange(sizes.size), sizes), concatenate_ranges(np.zeros_like(sizes), sizes)
    position = concatenate_ranges(oracle.begin[log.example], sizes)
    y = np.stack([oracle.label[position], log.label[: t.size]]).astype(np.int64)  # truth and rival
    pair = np.where(t > 0, np.roll(y, 1, axis=1) * k + y, 0)
    triple = np.where(t > 1, np.roll(y, 2, axis=1) * k * k + pair, 0)
    at = (oracle.x.width + 3) * k
    for x, state, base, stride in (
        (oracle.x, y, 0, k), (oracle.z, pair, oracle.size - oracle.z.width * k * k, k * k),
    ):  # fmt: skip
        differ = np.flatnonzero(state[0] != state[1])
        place, feature, value = list_features(x, position[differ])
        own, other = state[:, differ[place]] + (base + feature * stride)
        yield entry[differ[place]], own, other, value
    always = np.ones(t.size, dtype=bool)
    for state, base, where, each in (
        (y, at - 3 * k, always, oracle.bias), (y, at - 2 * k, t == 0, 1.0), (y, at - k, np.roll(t == 0, -1), 1.0),
        (pair, at, always, 1.0), (triple, at + k * k, always & (oracle.order == 2), 1.0),
    ):  # fmt: skip
        differ = np.flatnonzero((state[0] != state[1]) & where)
        yield entry[differ], *(base + state[:, differ]), np.full(differ.size, each)


def sequences(
    begin: Any, label: Any, x: Features, labels: int, *, z: Features | None = None, order: int = 1,
    forbidden: Any = None, bias: float = 1.0, loss: float = 0.0, weight: Any = None,
) -> Sequences:  # fmt: skip
    """The oracle of sequences that begin at ``begin`` (n + 1 numbers), with labels 0 ... ``labels`` - 1.

    >>> x = make_features(dense=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    >>> a = sequences([0, 2, 3], [0, 1, 1], x, 2)
    >>> w = np.zeros(a.size)
    >>> score, slot = a.lowest(w, 0)
    >>> float(score), a.log.label[:2].tolist()
    (0.0, [0, 0])
    >>> a.add(w, 0, slot, 1.0)
    >>> split_weights(w, 2, 2, 1).emission.tolist(), split_weights(w, 2, 2, 1).pairs.tolist()
    ([[0.0, 0.0], [-1.0, 1.0]], [[-1.0, 1.0], [0.0, 0.0]])
    """
    begin, label = np.asarray(begin, dtype=np.int64), np.asarray(label, dtype=np.int32)
    if labels < 2:
        raise ValueError(f"sequences: expected two labels or more, got {labels}.")
    if order not in (1, 2):
        raise ValueError(f"sequences: expected order 1 or 2, got {order}.")
    if label.size and not (label.min() >= 0 and label.max() < labels):
        raise ValueError(f"sequences: expected labels 0 ... {labels - 1}, got {label.min()} ... {label.max()}.")
    lengths = np.diff(begin)
    if lengths.size == 0 or (lengths < 1).any() or begin[0] != 0 or begin[-1] != label.size:
        raise ValueError(f"sequences: expected begin to rise from 0 to {label.size}, the number of labels.")
    z = make_features(n=label.size) if z is None else z
    z = z._replace(dense=read_only(np.zeros((label.size, 0), x.dense.dtype)))  # one type, one compiled function
    for each in (x, z):
        if len(each.dense) != label.size and each.indptr.size != label.size + 1:
            raise ValueError(f"sequences: expected features of {label.size} positions, got {len(each.dense)}.")
    size = (x.width + 3 + labels + (labels**2 if order == 2 else 0) + z.width * labels) * labels
    forbidden = np.zeros(0) if forbidden is None else np.asarray(forbidden, dtype=np.float64)
    weight = np.zeros(0) if weight is None else np.asarray(weight, dtype=np.float64)
    oracle = Sequences(
        read_only(begin), read_only(label), x, z, forbidden, int(labels), int(order), int(size), float(bias),
        float(loss), read_only(weight), read_only(np.ones(lengths.size, dtype=np.int8)), 0,
        new_log(lengths.size, label.size, int(lengths.max())), None,  # type: ignore[arg-type]
    )  # fmt: skip
    return oracle._replace(scratch=new_scratch(oracle))


def new_scratch(oracle: Sequences) -> Scratch:
    """Scratch of its own for a thread: ``oracle._replace(scratch=new_scratch(oracle))``."""
    k, longest = oracle.labels, int(np.diff(oracle.begin).max())
    states = k**oracle.order
    widest = 2 * (longest * (oracle.x.dense.shape[1] + 4) + 2)
    for each in (oracle.x, oracle.z):
        if each.indptr.size:
            widest += 2 * int(np.diff(each.indptr[oracle.begin]).max())
    return Scratch(
        emission=np.zeros((longest + 2, k)), pairs=np.zeros(k * k * (longest if oracle.z.width else 1)),
        local=np.zeros((longest, states if oracle.order == 2 else 1)), best=np.zeros((longest, states)),
        prefix=np.zeros(longest), non_zeros=new_non_zeros(oracle.x),
        difference=Difference(
            np.zeros(widest, dtype=np.int64), np.zeros(widest), np.zeros((2, longest), dtype=np.int64), np.zeros(oracle.size)
        ),
    )  # fmt: skip
