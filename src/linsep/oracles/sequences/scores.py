"""The scores of all labels, pairs and triples of labels of a sequence along w, as a lattice."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...inference.lattice import Lattice, write_pair_states
from ...jit import compiled
from .features import write_scores


class Chain(NamedTuple):
    """What a labelling is scored by."""

    labels: int  # K
    order: int  # 1 or 2
    bias: float  # 1.0; 0.0 for none
    end: float  # 1.0; 0.0: the last label has no weight of its own
    pair_features: bool  # whether features weigh pairs of labels too
    forbidden: np.ndarray  # empty, or K + K + K K numbers: -inf for a start, an end, a pair that is forbidden, else 0


class Tables(NamedTuple):
    """Scratch: the scores of one sequence; L is the length of the longest one."""

    emission: np.ndarray  # L x K
    pairs: np.ndarray  # K K, or L K K, where they are not read from w as they are
    pair_states: np.ndarray  # L x (K K), for second order


class Weights(NamedTuple):
    """The parts of w as views, each in its shape."""

    emission: np.ndarray  # features x K
    bias: np.ndarray  # K
    start: np.ndarray  # K
    end: np.ndarray  # K
    pairs: np.ndarray  # K x K
    triples: np.ndarray  # K x K x K, or empty
    pair_emission: np.ndarray  # features of pairs x K x K


def count_weights(features: int, chain: Chain) -> int:
    """How many numbers w has for so many features.

    >>> count_weights(2, Chain(2, 1, 1.0, 1.0, False, np.zeros(0)))
    14
    """
    k = chain.labels
    return (features + 3 + k + (k**2 if chain.order == 2 else 0) + chain.pair_features * features * k) * k


def split_weights(w: np.ndarray, features: int, chain: Chain) -> Weights:
    """The parts of w for so many features."""
    k = chain.labels
    shapes = [(features, k), (k,), (k,), (k,), (k, k), (k if chain.order == 2 else 0, k, k), (-1, k, k)]
    cuts = np.cumsum([int(np.prod(shape)) for shape in shapes[:-1]])
    return Weights(*(each.reshape(shape) for each, shape in zip(np.split(w, cuts), shapes, strict=True)))


def grow_weights(w: np.ndarray, features: int, chain: Chain) -> np.ndarray:
    """w with zeros for features that were not there before: ``features`` in all.

    >>> chain = Chain(2, 1, 1.0, 1.0, False, np.zeros(0))
    >>> grow_weights(np.arange(1.0, 13.0), 2, chain).tolist()
    [1.0, 2.0, 0.0, 0.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    """
    k = chain.labels
    fixed = 3 + k + (k * k if chain.order == 2 else 0)  # weights of each label beside those of features
    new = features - (w.size // k - fixed) // (1 + k * chain.pair_features)
    parts = split_weights(w, features - new, chain)
    emission = np.concatenate([parts.emission, np.zeros((new, k))])
    pair_emission = np.concatenate([parts.pair_emission, np.zeros((new if chain.pair_features else 0, k, k))])
    grown = parts._replace(emission=emission, pair_emission=pair_emission)
    return np.concatenate([part.ravel() for part in grown])


@compiled(inline=True)
def write_pairs(w, x, begin, n, chain, out):
    """Write the scores of all pairs, where they are not those in w: of forbidden ones, and with features of pairs."""
    dense, indptr, indices, values, width = x
    labels, d, square, forbidden = chain.labels, dense.shape[1], chain.labels * chain.labels, chain.forbidden
    at, crossed, step = (width + 3) * labels, w.size - width * square, min(values.size - 1, 1)
    for t in range(1, n if chain.pair_features else 2):
        to = (t - 1) * square
        for h in range(square):
            out[to + h] = w[at + h]
        for h in range(min(forbidden.size, square)):
            out[to + h] += forbidden[2 * labels + h]
        first, last = indptr[begin + t], indptr[begin + t + 1]
        for e in range(d + last - first if chain.pair_features else 0):
            j = e if e < d else np.int64(indices[first + e - d]) + d
            v = np.float64(dense[begin + t, e]) if e < d else values[(first + e - d) * step]
            for h in range(square):
                out[to + h] += v * w[crossed + j * square + h]


@compiled
def score_lattice(w, x, begin, truth, raised, chain, tables):
    """The lattice of the sequence at ``begin``: all scores along w, plus scale * W[label, truth].

    ``raised`` is (scale, W).
    """
    scale, W = raised
    emission, n, labels, forbidden = tables.emission, truth.size, chain.labels, chain.forbidden
    at, square = (x.width + 1) * labels, labels * labels
    write_scores(w, x, begin, chain.bias, emission[:n])
    for k in range(labels):
        emission[0, k] += w[at + k]
        emission[n - 1, k] += chain.end * w[at + labels + k]
    for k in range(min(forbidden.size, labels)):
        emission[0, k] += forbidden[k]
        emission[n - 1, k] += forbidden[labels + k]
    if scale != 0.0:
        for t in range(n):
            for k in range(labels):
                emission[t, k] += scale * W[k, truth[t]]
    at += 2 * labels
    lattice = Lattice(emission, w, at, 0, n, labels, 1)
    if forbidden.size or chain.pair_features:
        write_pairs(w, x, begin, n, chain, tables.pairs)
        lattice = Lattice(emission, tables.pairs, 0, square if chain.pair_features else 0, n, labels, 1)
    if chain.order == 1 or n == 1:
        return lattice
    write_pair_states(lattice, tables.pair_states)
    return Lattice(tables.pair_states, w, at + square, 0, n - 1, labels, labels)
