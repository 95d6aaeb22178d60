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
    """Scratch: a difference vector, its numbers one after the other; an index may occur more than once."""

    own: np.ndarray  # of int64: an index where the truth has a value
    other: np.ndarray  # of int64: the index where the rival has the same value
    value: np.ndarray  # of float64
    total: np.ndarray  # like w; 0 between two calls


@compiled
def write_difference(difference, labellings, x, begin, chain):
    """Write which numbers of w the vector a touches, and what it has there; returns how many pairs there are."""
    truth, rival = labellings
    own, other, value, _ = difference
    labels, order, bias, last, _, _ = chain
    n, at, count = truth.size, x.width * labels, write_features(difference, labellings, x, begin, chain)
    for t in range(n):
        if truth[t] != rival[t]:
            own[count], other[count], value[count] = at + truth[t], at + rival[t], bias
            count += 1
    for end in range(2):
        at, t = at + labels, end * (n - 1)
        if truth[t] != rival[t]:
            own[count], other[count], value[count] = at + truth[t], at + rival[t], last if end else 1.0
            count += 1
    at += labels
    for t in range(1, n):
        a, b = truth[t - 1] * labels + truth[t], rival[t - 1] * labels + rival[t]
        if a != b:
            own[count], other[count], value[count] = at + a, at + b, 1.0
            count += 1
    at += labels * labels
    for t in range(2, n if order == 2 else 0):
        a = (truth[t - 2] * labels + truth[t - 1]) * labels + truth[t]
        b = (rival[t - 2] * labels + rival[t - 1]) * labels + rival[t]
        if a != b:
            own[count], other[count], value[count] = at + a, at + b, 1.0
            count += 1
    return count


@compiled(inline=True)
def write_features(difference, labellings, x, begin, chain):
    """The part of `write_difference` that features have: of labels, and of pairs of labels."""
    truth, rival = labellings
    own, other, value, _ = difference
    dense, indptr, indices, values, width = x
    labels, order, _, _, pair_features, _ = chain
    d, count, stride, base, step = dense.shape[1], 0, labels, 0, min(values.size - 1, 1)
    for before in range(1 + pair_features):  # how many labels before the last one count
        for t in range(before, truth.size):
            a = base + before * labels * truth[t - before] + truth[t]
            b = base + before * labels * rival[t - before] + rival[t]
            if a != b:
                for e in range(d):
                    v = np.float64(dense[begin + t, e])
                    if v != 0.0:
                        own[count], other[count], value[count] = a + e * stride, b + e * stride, v
                        count += 1
                for e in range(indptr[begin + t], indptr[begin + t + 1]):
                    j = (np.int64(indices[e]) + d) * stride
                    own[count], other[count], value[count] = a + j, b + j, values[e * step]
                    count += 1
        stride *= labels
        base = (width + 3 + labels + (stride if order == 2 else 0)) * labels
    return count


def list_differences(
    oracle: Sequences, log: UpdateLog
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """`write_difference` of all entries of ``log`` at once: entry, the indices of truth and rival, the value there."""
    (k, order, bias, end, pair_features, _), sizes = oracle.chain, np.diff(log.begin)
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
        (y, at - 3 * k, always, bias), (y, at - 2 * k, t == 0, 1.0), (y, at - k, np.roll(t == 0, -1), end),
        (pair, at, always, 1.0), (triple, at + k * k, always & (order == 2), 1.0),
    ):  # fmt: skip
        differ = np.flatnonzero((state[0] != state[1]) & where)
        yield entry[differ], *(base + state[:, differ]), np.full(differ.size, each)
