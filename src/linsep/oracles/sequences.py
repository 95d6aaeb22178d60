r"""Chains: a sequence with its labels against the best rival labelling (E2).

.. math:: \langle w, \varphi(x,y)\rangle = start(y_1) + end(y_n) + \sum_t (\langle w_{y_t}, x_t\rangle + bias(y_t))
          + \sum_{t>1} (pair(y_{t-1}, y_t) + \langle w_{y_{t-1}y_t}, z_t\rangle)
          + \sum_{t>2} triple(y_{t-2}, y_{t-1}, y_t)

Position t is described by features x_t, dense columns or the numbers of sparse ones or both, and if wanted by features
z_t of the pair (t-1, t). ``w`` is one flat vector: K numbers side by side for each feature of x (dense columns first),
then bias, start and end (K each), pairs (K x K), triples (K x K x K, of second order), and K x K a feature of z.

No phi is ever built: an update touches the positions where truth and rival differ, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..inference.chain import (
    EIGHT,
    FIVE,
    FOUR,
    ONE,
    SEVEN,
    SIX,
    THREE,
    TWO,
    Lattice,
    challenge,
    highest,
    list_best,
    marginals,
    unfold,
)
from ..jit import compiled, inlined, tiled
from .update_log import Ledger, Touched, ledger, opposed, spans

U = float(np.finfo(np.float64).eps)


class Features(NamedTuple):
    """What is known of N positions: dense columns, and the numbers of sparse features."""

    dense: np.ndarray  # N x d of any kind of number; d may be 0
    indptr: np.ndarray  # N + 1 of int64: the sparse features of position t are indptr[t] ... indptr[t + 1] - 1
    indices: np.ndarray  # int32
    values: np.ndarray  # float64, or empty: all are 1
    width: int  # how many features there are, dense and sparse


class Chains(NamedTuple):
    """Sequence i, positions ``begin[i]`` ... ``begin[i + 1] - 1``, against the best of its rival labellings."""

    begin: np.ndarray  # n + 1 of int64
    label: np.ndarray  # N of int32: the right label of each position
    x: Features
    z: Features  # of the pair (t - 1, t); sparse ones only
    banned: np.ndarray  # empty, or K + K + K K numbers, -inf for a start, an end, a pair that is forbidden, else 0
    labels: int  # K
    order: int  # 1 or 2
    size: int  # how many numbers w has
    bias: float  # 1.0; 0.0 for none
    loss: float  # by how much every wrong label raises the goal
    calm: float  # added to what `probe` returns: infinite for those who only look, nothing is violated then
    weight: np.ndarray  # n of float64, or empty: every sequence weighs 1
    sign: np.ndarray  # n of int8, all 1
    first: int
    ledger: Ledger
    score: np.ndarray  # n: what `probe` found last
    # scratch; L is the length of the longest sequence
    draft: np.ndarray  # 2 x K: the biases, and the scores of the dense columns
    emission: np.ndarray  # L x K
    pairs: np.ndarray  # K K, or L K K, where they are not read from w as they are
    local: np.ndarray  # L x (K K), for second order
    best: np.ndarray  # L x states
    held: np.ndarray  # L
    rival: np.ndarray  # L of int32: the rival found last
    column: np.ndarray  # d of int32: where a dense row is not 0
    entry: np.ndarray  # d of float64: and what is there
    place: np.ndarray  # of int64: the numbers of w that a touches
    amount: np.ndarray  # of float64: and what a has there
    change: np.ndarray  # like w; 0 between two calls

    def probe(self, w, i):
        """The least of <w, a> - loss Hamming(y, y') over all rivals y'; infinite if all are forbidden."""
        own, best = challenge(
            scored(self, w, i, self.loss), self.label[self.begin[i] :], self.best, self.held, self.rival
        )
        self.score[i] = own - best
        return self.score[i] + self.calm

    def square(self, i):
        """|a|^2 of the rival found last."""
        count = track(self, i)
        for q in range(count):
            self.change[self.place[q]] += self.amount[q]
        aa = 0.0
        for q in range(count):  # a place may have been touched more than once
            amount = self.change[self.place[q]]
            aa += amount * amount  # a power would be compiled by itself
            self.change[self.place[q]] = 0.0
        return aa

    def add(self, w, i, beta):
        """Add beta a to w."""
        for q in range(track(self, i)):
            w[np.uint64(self.place[q])] += beta * self.amount[q]

    def credit(self, dual, i, beta):
        """Write down the rival, and that beta a was added."""
        dual[self.ledger.note(i, self.rival, self.begin[i + 1] - self.begin[i])] += beta

    def load(self, i, begin):
        """Make the labels at ``begin`` of the ledger the rival of sequence i."""
        for t in range(self.begin[i + 1] - self.begin[i]):
            self.rival[t] = self.ledger.label[begin + t]

    def settle(self, w):
        """Nothing to prepare for a new w."""

    def cost(self, i):
        """The weight of sequence i."""
        return self.weight[i] if self.weight.size else 1.0

    def side(self, i):
        """Differences know no sign."""
        return 1

    def touched(self, book: Ledger) -> Iterator[Touched]:
        """The vectors of the entries of ``book``."""
        return opposed(differences(self, book))

    def slack(self, w: np.ndarray) -> np.ndarray:
        """A bound of the rounding error of every `probe`: of the sums of truth and rival, term by term."""
        parts, (X, Z) = blocks(self, w), (matrix(each, absolute=True) for each in (self.x, self.z))
        largest = {name: float(np.abs(part).max(initial=0.0)) for name, part in parts._asdict().items()}
        at = X @ np.abs(parts.emission).max(axis=1, initial=0.0) + Z @ np.abs(parts.crossed).max(
            axis=(1, 2), initial=0.0
        )
        at += largest["bias"] + largest["pairs"] + largest["triples"]
        total = np.add.reduceat(at, self.begin[:-1]) + largest["start"] + largest["end"]
        count = np.add.reduceat(np.diff(X.indptr) + np.diff(Z.indptr) + 4.0, self.begin[:-1]) + 4.0
        return 2.0 * U * count * total

    def reach(self) -> float:
        """No vector a is longer: its part of x is not longer than sqrt(2) times the sum of all |x_t|, and so on."""
        n = np.diff(self.begin)
        members = np.ones(self.label.size), np.arange(self.label.size), self.begin
        sums = sp.csr_array(members, shape=(n.size, self.label.size))
        squares = (n - 1.0) ** 2 + (self.bias * n) ** 2 + 2.0 + (self.order == 2) * np.maximum(n - 2.0, 0.0) ** 2
        for each in (self.x, self.z):
            whole = sums @ matrix(each, absolute=True)
            squares += np.asarray(whole.multiply(whole).sum(axis=1)).ravel()
        return float(np.sqrt(2.0 * squares.max(initial=0.0)))


# --- kernels ---------------------------------------------------------------------------------------------------------


@tiled("indices", "values")
def gather(w, indices, values, begin, end, offset, labels, before, s, out, t):
    """out[t] = before[s] + the weights of some features, times their values (none: 1); eight labels at a time."""
    begin, end, offset, labels = np.uint64(begin), np.uint64(end), np.uint64(offset), np.uint64(labels)
    s, t, k = np.uint64(s), np.uint64(t), np.uint64(0)
    while labels < EIGHT and k < labels:
        m0 = before[s, k]
        for p in range(begin, end):
            m0 += (values[p] if values.size else 1.0) * w[(np.uint64(indices[p]) + offset) * labels + k]
        out[t, k] = m0
        k += ONE
    while k < labels:
        k = min(k, labels - EIGHT)  # the last eight overlap: no slow remainder
        m0, m1, m2, m3 = before[s, k], before[s, k + ONE], before[s, k + TWO], before[s, k + THREE]
        m4, m5, m6, m7 = before[s, k + FOUR], before[s, k + FIVE], before[s, k + SIX], before[s, k + SEVEN]
        for p in range(begin, end):
            b = (np.uint64(indices[p]) + offset) * labels + k
            x = values[p] if values.size else 1.0
            m0 += x * w[b]
            m1 += x * w[b + ONE]
            m2 += x * w[b + TWO]
            m3 += x * w[b + THREE]
            m4 += x * w[b + FOUR]
            m5 += x * w[b + FIVE]
            m6 += x * w[b + SIX]
            m7 += x * w[b + SEVEN]
        out[t, k], out[t, k + ONE], out[t, k + TWO], out[t, k + THREE] = m0, m1, m2, m3
        out[t, k + FOUR], out[t, k + FIVE], out[t, k + SIX], out[t, k + SEVEN] = m4, m5, m6, m7
        k += EIGHT


@compiled
def compress(dense, t, column, entry):
    """The entries of a dense row that are not 0, and where they are; returns how many."""
    t, count = np.uint64(t), np.uint64(0)
    for j in range(np.uint64(dense.shape[1])):
        x = np.float64(dense[t, j])
        if x != 0.0:
            column[count] = j
            entry[count] = x
            count += ONE
    return np.int64(count)


@compiled
def emit(w, x, begin, end, labels, bias, banned, draft, column, entry, out):
    """out[t] = the scores of all labels at position begin + t, start and end included."""
    n, d, at = end - begin, x.dense.shape[1], x.width * labels
    for k in range(labels):
        draft[0, k] = bias * w[at + k]
    for t in range(n):
        if d:
            count = compress(x.dense, begin + t, column, entry)
            gather(w, column, entry, 0, count, 0, labels, draft, 0, draft, 1)
        p, q = (x.indptr[begin + t], x.indptr[begin + t + 1]) if x.indptr.size else (0, 0)
        gather(w, x.indices, x.values, p, q, d, labels, draft, 1 if d else 0, out, t)
    for k in range(labels):
        out[0, k] += w[at + labels + k]
        out[n - 1, k] += w[at + 2 * labels + k]
    if banned.size:
        for k in range(labels):
            out[0, k] += banned[k]
            out[n - 1, k] += banned[labels + k]


@compiled
def penalise(emission, label, begin, n, labels, loss):
    """Raise all wrong labels by ``loss``."""
    for t in range(n):
        for k in range(labels):
            if k != label[begin + t]:
                emission[t, k] += loss


@compiled
def couple(w, z, begin, end, labels, at, banned, out):
    """The scores of all pairs, where they are not those in w: of forbidden ones, and with features of pairs."""
    square = labels * labels
    crossed = w.size - z.width * square
    for t in range(1, end - begin if z.width else 2):
        to = (t - 1) * square
        for h in range(square):
            out[to + h] = w[at + h]
        if banned.size:
            for h in range(square):
                out[to + h] += banned[2 * labels + h]
        if z.width:
            for p in range(z.indptr[begin + t], z.indptr[begin + t + 1]):
                x = z.values[p] if z.values.size else 1.0
                row = crossed + z.indices[p] * square
                for h in range(square):
                    out[to + h] += x * w[row + h]


@inlined
def scored(part, w, i, loss):
    """The lattice of sequence i: all scores along w, wrong labels raised by ``loss``."""
    labels, square = part.labels, part.labels * part.labels
    n, at = part.begin[i + 1] - part.begin[i], (part.x.width + 3) * part.labels
    begin, draft, column, entry = part.begin[i], part.draft, part.column, part.entry
    emit(w, part.x, begin, begin + n, labels, part.bias, part.banned, draft, column, entry, part.emission)
    if loss != 0.0:
        penalise(part.emission, part.label, begin, n, labels, loss)
    pairs, base, stride = w, at, 0
    if part.banned.size or part.z.width:
        couple(w, part.z, begin, begin + n, labels, at, part.banned, part.pairs)
        pairs, base, stride = part.pairs, 0, square if part.z.width else 0
    if part.order == 1 or n == 1:
        return Lattice(part.emission, pairs, base, stride, n, labels, 1)
    unfold(part.emission, pairs, base, stride, n, labels, part.local)
    return Lattice(part.local, w, at + square, 0, n - 1, labels, labels)


@compiled
def oppose(place, amount, count, own, other, value):
    """Write ``value`` down at ``own``, its opposite at ``other``; returns how many numbers are written down now."""
    place[count], amount[count] = own, value
    place[count + 1], amount[count + 1] = other, -value
    return count + 2


@compiled
def described(x, t, base, stride, own, other, column, entry, place, amount, count):
    """`oppose` for all features of position t, of which each has ``stride`` weights, from ``base`` on."""
    for p in range(compress(x.dense, t, column, entry)):
        row = base + column[p] * stride
        count = oppose(place, amount, count, row + own, row + other, entry[p])
    if x.indptr.size:
        for p in range(x.indptr[t], x.indptr[t + 1]):
            row = base + (np.int64(x.indices[p]) + x.dense.shape[1]) * stride
            count = oppose(place, amount, count, row + own, row + other, x.values[p] if x.values.size else 1.0)
    return count


@compiled
def trail(x, z, begin, n, label, rival, labels, order, bias, column, entry, place, amount):
    """Write down which numbers of w the vector a touches, and what it has there; returns how many."""
    square, at, count = labels * labels, (x.width + 3) * labels, 0
    crossed = at + square + (square * labels if order == 2 else 0)
    a0, b0, a1, b1 = 0, 0, 0, 0  # the labels of truth and rival at t - 2 and t - 1
    for t in range(n):
        a, b = np.int64(label[begin + t]), np.int64(rival[t])
        if a != b:
            count = described(x, begin + t, 0, labels, a, b, column, entry, place, amount, count)
            for number in range(3):  # bias, start, end
                if number == 0 or (number == 1 and t == 0) or (number == 2 and t == n - 1):
                    row = (x.width + number) * labels
                    count = oppose(place, amount, count, row + a, row + b, 1.0 if number else bias)
        if t > 0 and (a != b or a1 != b1):
            own, other = a1 * labels + a, b1 * labels + b
            count = oppose(place, amount, count, at + own, at + other, 1.0)
            if z.width:
                count = described(z, begin + t, crossed, square, own, other, column, entry, place, amount, count)
        if order == 2 and t > 1 and (a != b or a1 != b1 or a0 != b0):
            own, other = (a0 * labels + a1) * labels + a, (b0 * labels + b1) * labels + b
            count = oppose(place, amount, count, at + square + own, at + square + other, 1.0)
        a0, b0, a1, b1 = a1, b1, a, b
    return count


@inlined
def track(part, i):
    """`trail` of sequence i."""
    begin = part.begin[i]
    return trail(
        part.x, part.z, begin, part.begin[i + 1] - begin, part.label, part.rival, part.labels, part.order, part.bias,
        part.column, part.entry, part.place, part.amount,
    )  # fmt: skip


@compiled
def decode(part, w, sequences, out, values):
    """Write the best labelling of each of ``sequences`` into ``out``, by position, and its score into ``values``."""
    for i in sequences:
        values[i] = highest(scored(part, w, i, 0.0), part.best, out[part.begin[i] : part.begin[i + 1]])


@compiled
def overlook(part, w, sequences, after, out):
    """Write the max-marginals of each of ``sequences`` into ``out``, by position. Scratch: ``after``, like best."""
    for i in sequences:
        marginals(scored(part, w, i, 0.0), part.best, after, out[part.begin[i] : part.begin[i + 1]])


@compiled
def enumerated(part, w, i, best, back, rank, out, values):
    """The best labellings of sequence i: see `list_best`."""
    return list_best(scored(part, w, i, 0.0), best, back, rank, out, values)


# --- in plain Python -------------------------------------------------------------------------------------------------


class Blocks(NamedTuple):
    """The parts of w as views, each in its shape."""

    emission: np.ndarray  # features x K
    bias: np.ndarray  # K
    start: np.ndarray  # K
    end: np.ndarray  # K
    pairs: np.ndarray  # K x K
    triples: np.ndarray  # K x K x K, or empty
    crossed: np.ndarray  # features of pairs x K x K


def blocks(part: Chains, w: np.ndarray) -> Blocks:
    """w cut into its parts."""
    return cut(w, part.x.width, part.labels, part.order)


def cut(w: np.ndarray, features: int, labels: int, order: int) -> Blocks:
    """w of so many features and labels cut into its parts."""
    k = labels
    shapes = [(features, k), (k,), (k,), (k,), (k, k), (k if order == 2 else 0, k, k), (-1, k, k)]
    cuts = np.cumsum([int(np.prod(shape)) for shape in shapes[:-1]])
    return Blocks(*(each.reshape(shape) for each, shape in zip(np.split(w, cuts), shapes, strict=True)))


def matrix(x: Features, absolute: bool = False) -> sp.csr_array:
    """Features as one sparse matrix, a row a position; or their absolute values."""
    n, d = x.dense.shape
    values = x.values.copy() if x.values.size else np.ones(x.indices.size)
    indptr = x.indptr.copy() if x.indptr.size else np.zeros(n + 1, dtype=np.int64)
    numbers = sp.csr_array((np.abs(values) if absolute else values, x.indices.copy(), indptr), shape=(n, x.width - d))
    if d == 0:
        return numbers
    dense = x.dense.astype(np.float64)
    return sp.csr_array(sp.hstack([sp.csr_array(np.abs(dense) if absolute else dense), numbers]))


def differences(part: Chains, book: Ledger) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """`trail` of all entries of ``book`` at once: entry, the places of truth and rival, and the value there."""
    k, sizes = part.labels, np.diff(book.begin)
    entry, t = np.repeat(np.arange(sizes.size), sizes), spans(np.zeros_like(sizes), sizes)
    position = spans(part.begin[book.example], sizes)
    y = np.stack([part.label[position], book.label[: t.size]]).astype(np.int64)  # truth and rival
    pair = np.where(t > 0, np.roll(y, 1, axis=1) * k + y, 0)
    triple = np.where(t > 1, np.roll(y, 2, axis=1) * k * k + pair, 0)
    at = (part.x.width + 3) * k
    crossed = at + k * k + (k**3 if part.order == 2 else 0)
    for x, state, base, stride in ((part.x, y, 0, k), (part.z, pair, crossed, k * k)):
        differ = np.flatnonzero(state[0] != state[1])
        j, feature, value = listed(x, position[differ])
        own, other = state[:, differ[j]] + (base + feature * stride)
        yield entry[differ[j]], own, other, value
    always = np.ones(t.size, dtype=bool)
    for state, base, where, each in (
        (y, at - 3 * k, always, part.bias), (y, at - 2 * k, t == 0, 1.0), (y, at - k, np.roll(t == 0, -1), 1.0),
        (pair, at, always, 1.0), (triple, at + k * k, always & (part.order == 2), 1.0),
    ):  # fmt: skip
        differ = np.flatnonzero((state[0] != state[1]) & where)
        yield entry[differ], *(base + state[:, differ]), np.full(differ.size, each)


def listed(x: Features, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The features of some positions one by one: which of these it is at, its number, its value."""
    dense = x.dense[positions]
    j, feature = np.nonzero(dense)
    value = dense[j, feature].astype(np.float64)
    if x.indptr.size == 0:
        return j, feature, value
    first, sizes = x.indptr[positions], x.indptr[positions + 1] - x.indptr[positions]
    at = spans(first, sizes)
    more = x.values[at] if x.values.size else np.ones(at.size)
    return (
        np.concatenate([j, np.repeat(np.arange(positions.size), sizes)]),
        np.concatenate([feature, x.indices[at] + np.int64(dense.shape[1])]), np.concatenate([value, more]),
    )  # fmt: skip


def features(X: Any = None, *, n: int | None = None, dense: Any = None, width: int | None = None) -> Features:
    """Features of N positions: a CSR matrix X, or its (indptr, indices, values), and dense columns; no values: all 1.

    ``width`` is the number of sparse features, if X does not tell; ``n`` that of positions, if there are none at all.
    """
    if sp.issparse(X):
        X = sp.csr_array(X)
        indptr, indices, values = X.indptr, X.indices, np.asarray(X.data, dtype=np.float64)
        width = X.shape[1]
        values = np.zeros(0) if (values == 1.0).all() else values
    else:
        indptr, indices, *rest = X if X is not None else (np.zeros(0, np.int64), np.zeros(0, np.int32))
        values = rest[0] if rest else np.zeros(0)
        width = width or 0
    n = len(indptr) - 1 if len(indptr) else n if dense is None else len(dense)
    dense = np.zeros((n or 0, 0)) if dense is None else np.ascontiguousarray(dense)
    return Features(
        _frozen(dense), _frozen(np.asarray(indptr, dtype=np.int64)), _frozen(np.asarray(indices, dtype=np.int32)),
        _frozen(values), int(width) + dense.shape[1],
    )  # fmt: skip


def chains(
    begin: Any, label: Any, x: Features, labels: int, *, z: Features | None = None, order: int = 1, banned: Any = None,
    bias: float = 1.0, loss: float = 0.0, weight: Any = None,
) -> Chains:  # fmt: skip
    """The oracle of sequences that begin at ``begin`` (n + 1 numbers), with labels 0 ... ``labels`` - 1.

    >>> x = features(dense=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    >>> a = chains([0, 2, 3], [0, 1, 1], x, 2)
    >>> w = np.zeros(a.size)
    >>> float(a.probe(w, 0)), a.rival[:2].tolist()
    (0.0, [0, 0])
    >>> a.add(w, 0, 1.0)
    >>> blocks(a, w).emission.tolist(), blocks(a, w).pairs.tolist()
    ([[0.0, 0.0], [-1.0, 1.0]], [[-1.0, 1.0], [0.0, 0.0]])
    """
    begin, label = np.asarray(begin, dtype=np.int64), np.asarray(label, dtype=np.int32)
    if labels < 2:
        raise ValueError(f"chains: two labels at least are needed, not {labels}.")
    if order not in (1, 2):
        raise ValueError(f"chains: order must be 1 or 2, not {order}.")
    if label.size and not (label.min() >= 0 and label.max() < labels):
        raise ValueError(f"chains: labels must be 0 ... {labels - 1}, not {label.min()} ... {label.max()}.")
    lengths = np.diff(begin)
    if lengths.size == 0 or (lengths < 1).any() or begin[0] != 0 or begin[-1] != label.size:
        raise ValueError(f"chains: begin must rise from 0 to {label.size}, the number of labels.")
    z = features(n=label.size) if z is None else z
    for each in (x, z):
        if len(each.dense) != label.size and each.indptr.size != label.size + 1:
            raise ValueError(f"chains: features of {len(each.dense)} positions, but {label.size} labels.")
    size = (x.width + 3 + labels + (labels**2 if order == 2 else 0) + z.width * labels) * labels
    part = Chains(
        _frozen(begin), _frozen(label), x, z, np.zeros(0) if banned is None else np.asarray(banned, dtype=np.float64),
        int(labels), int(order), int(size), float(bias), float(loss), 0.0,
        _frozen(np.zeros(0) if weight is None else np.asarray(weight, dtype=np.float64)),
        _frozen(np.ones(lengths.size, dtype=np.int8)), 0, *[np.zeros(0)] * 14,  # type: ignore[arg-type]
    )  # fmt: skip
    return apart(part)


def apart(part: Chains) -> Chains:
    """The same sequences with scratch of their own, for another thread."""
    k, longest, d = part.labels, int(np.diff(part.begin).max()), part.x.dense.shape[1]
    states = k**part.order
    widest = 2 * (longest * (d + 4) + 2)
    for each in (part.x, part.z):
        if each.indptr.size:
            widest += 2 * int(np.diff(each.indptr[part.begin]).max())
    return part._replace(
        ledger=ledger(part.sign.size, part.label.size), score=np.zeros(part.sign.size),
        draft=np.zeros((2, k)), emission=np.zeros((longest, k)),
        pairs=np.zeros(k * k * (longest if part.z.width else 1)),
        local=np.zeros((longest, states if part.order == 2 else 1)),
        best=np.zeros((longest, states)), held=np.zeros(longest), rival=np.zeros(longest, dtype=np.int32),
        column=np.zeros(d, dtype=np.int32), entry=np.zeros(d), place=np.zeros(widest, dtype=np.int64),
        amount=np.zeros(widest), change=np.zeros(part.size),
    )  # fmt: skip


def _frozen(array: np.ndarray) -> np.ndarray:
    """A read-only view: one compiled text serves writable arrays and read-only memmaps alike."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view
