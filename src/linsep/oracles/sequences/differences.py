"""Difference vectors phi(x,y) - phi(x,y') of sequences: only the positions where two labellings differ count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...jit import compiled
from ..update_log import UpdateLog, concatenate_ranges
from .features import list_features

if TYPE_CHECKING:
    from .oracle import Sequences


class Difference(NamedTuple):
    """Scratch: a difference vector, one number after the other; an index may occur more than once."""

    index: np.ndarray  # type: ignore[assignment]  # of int64
    value: np.ndarray  # of float64
    state: np.ndarray  # 2 x L of int64: labels of truth and rival, or pairs, or triples
    total: np.ndarray  # like w; 0 between two calls


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
        for p in range(indptr[begin + t], indptr[begin + t + 1]):
            row = (np.int64(indices[p]) + dense.shape[1]) * stride
            index[count], value[count] = row + own, values[p] if values.size else 1.0
            index[count + 1], value[count + 1] = row + other, -value[count]
            count += 2
    return count


@compiled
def write_difference(difference, labellings, x, begin, chain):
    """Write which numbers of w the vector a touches, and what it has there; returns how many."""
    truth, rival = labellings
    labels, order, bias, pair_features, _ = chain
    state, n, at, square = difference.state, truth.size, x.width * labels, labels * labels
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
        if first == 1 and pair_features:
            crossed = at + square + (square * labels if order == 2 else 0)
            count = write_features(difference, x, begin, (first, n), crossed, square, count)
        at += square
    return count


@compiled
def add_difference(w, difference, count, beta):
    """Add beta times the first ``count`` numbers to w."""
    for q in range(count):
        w[np.uint64(difference.index[q])] += beta * difference.value[q]


@compiled
def squared_norm(difference, count):
    """The squared length of the vector of the first ``count`` numbers."""
    total, aa = difference.total, 0.0
    add_difference(total, difference, count, 1.0)
    for q in range(count):  # an index may occur more than once
        j = np.uint64(difference.index[q])
        aa += total[j] * total[j]
        total[j] = 0.0
    return aa


def list_differences(
    oracle: Sequences, log: UpdateLog
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """`write_difference` of all entries of ``log`` at once: entry, the indices of truth and rival, the value there."""
    (k, order, bias, pair_features, _), sizes = oracle.chain, np.diff(log.begin)
    entry, t = np.repeat(np.arange(sizes.size), sizes), concatenate_ranges(np.zeros_like(sizes), sizes)
    position = concatenate_ranges(oracle.begin[log.example], sizes)
    y = np.stack([oracle.label[position], log.label[: t.size]]).astype(np.int64)  # truth and rival
    pair = np.where(t > 0, np.roll(y, 1, axis=1) * k + y, 0)
    triple = np.where(t > 1, np.roll(y, 2, axis=1) * k * k + pair, 0)
    at = (oracle.x.width + 3) * k
    for state, base, stride in ((y, 0, k), (pair, oracle.size - oracle.x.width * k * k, k * k))[: 1 + pair_features]:
        differ = np.flatnonzero(state[0] != state[1])
        place, feature, value = list_features(oracle.x, position[differ])
        own, other = state[:, differ[place]] + (base + feature * stride)
        yield entry[differ[place]], own, other, value
    always = np.ones(t.size, dtype=bool)
    for state, base, where, each in (
        (y, at - 3 * k, always, bias), (y, at - 2 * k, t == 0, 1.0), (y, at - k, np.roll(t == 0, -1), 1.0),
        (pair, at, always, 1.0), (triple, at + k * k, always & (order == 2), 1.0),
    ):  # fmt: skip
        differ = np.flatnonzero((state[0] != state[1]) & where)
        yield entry[differ], *(base + state[:, differ]), np.full(differ.size, each)
