r"""Chains given as tables of scores: the best labelling, the best rival of a given one, the k best, max-marginals (E2).

A labelling :math:`y_1 \ldots y_n` of a chain scores

.. math:: start(y_1) + \sum_t emission_t(y_t) + \sum_{t>1} pair_t(y_{t-1}, y_t)
          + \sum_{t>2} triple(y_{t-2}, y_{t-1}, y_t) + end(y_n) ,

where -inf forbids. All functions take the same tables:

emission : array of n x K
    The scores of every label at every position.
pairs : array of K x K, or of (n - 1) x K x K
    The scores of a label after another one; the same everywhere, or one table for each two positions.
start, end : array of K, default=None
    The scores of the first and of the last label.
triples : array of K x K x K, default=None
    The scores of a label after two others: a chain of second order.
"""

from __future__ import annotations

import numpy as np

from . import lattice
from .lattice import Lattice


def make_lattice(emission, pairs, start=None, end=None, triples=None) -> Lattice:
    """The lattice of some tables."""
    emission = _table("emission", emission, (None, None)).copy()
    n, labels = emission.shape
    if n == 0 or labels == 0:
        raise ValueError(f"emission: expected one position and one label or more, got {n} and {labels}.")
    pairs = np.asarray(pairs, dtype=np.float64)
    pairs = _table("pairs", pairs, (labels, labels) if pairs.ndim == 2 else (n - 1, labels, labels))
    if start is not None:
        emission[0] += _table("start", start, (labels,))
    if end is not None:
        emission[-1] += _table("end", end, (labels,))
    chain = Lattice(emission, pairs.ravel(), 0, labels * labels if pairs.ndim == 3 else 0, n, labels, 1)
    if triples is not None:
        triples = _table("triples", triples, (labels, labels, labels))
        if labels == 1:
            emission[2:] += triples[0, 0]
        elif n > 1:
            local = np.empty((n - 1, labels * labels))
            lattice.write_pair_states(chain, local)
            return Lattice(local, triples.ravel(), 0, 0, n - 1, labels, labels)
    return chain


def _table(name: str, table, shape: tuple) -> np.ndarray:
    """The table as float64, its shape and numbers checked."""
    table = np.ascontiguousarray(table, dtype=np.float64)
    if len(shape) != table.ndim or any(want not in (None, size) for want, size in zip(shape, table.shape, strict=True)):
        expected = " x ".join("any" if want is None else str(want) for want in shape)
        got = f"a table of {' x '.join(map(str, table.shape))}" if table.ndim else "a number"
        raise ValueError(f"{name}: expected a table of {expected}, got {got}.")
    if not (table < np.inf).all():
        place = tuple(int(at[0]) for at in np.nonzero(~(table < np.inf)))
        raise ValueError(f"{name}: expected numbers or -inf, got {table[place]} at {list(place)}.")
    return table


def _length(chain: Lattice) -> int:
    return chain.steps + (chain.contexts > 1)


def viterbi(emission, pairs, start=None, end=None, triples=None) -> tuple[np.ndarray, float]:
    """The best labelling and its score; a score of -inf says that every labelling is forbidden.

    >>> labels, score = viterbi([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]])
    >>> labels.tolist(), score
    ([0, 0, 0], 4.0)
    """
    chain = make_lattice(emission, pairs, start, end, triples)
    out = np.empty(_length(chain), dtype=np.int32)
    value = lattice.viterbi(chain, np.empty_like(chain.local), out)
    return out, float(value)


def best_rival(truth, emission, pairs, start=None, end=None, triples=None) -> tuple[np.ndarray, float, float]:
    """The best labelling other than ``truth``, its score, and the score of the truth.

    A rival that scores -inf is none: the truth is the only labelling that is allowed.

    >>> labels, score, own = best_rival([0, 0, 0], [[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]])
    >>> labels.tolist(), score, own
    ([1, 1, 1], 4.0, 4.0)
    """
    chain = make_lattice(emission, pairs, start, end, triples)
    truth, n = np.asarray(truth), _length(chain)
    if truth.shape != (n,) or not ((truth >= 0) & (truth < chain.labels)).all():
        raise ValueError(f"truth: expected {n} labels of 0 ... {chain.labels - 1}, got {truth.tolist()}.")
    out = np.empty(n, dtype=np.int32)
    best, prefix = np.empty_like(chain.local), np.empty(chain.steps)
    own, value = lattice.best_rival(chain, truth.astype(np.int32), best, prefix, out)
    return out, float(value), float(own)


def k_best(k: int, emission, pairs, start=None, end=None, triples=None) -> tuple[np.ndarray, np.ndarray]:
    """The k best labellings, best first, one row each, and their scores; fewer if fewer are allowed.

    >>> labels, scores = k_best(3, [[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]])
    >>> labels.tolist(), scores.tolist()
    ([[0, 0, 0], [1, 1, 1], [1, 0, 0]], [4.0, 4.0, 3.0])
    """
    if k < 1:
        raise ValueError(f"k: expected 1 or more, got {k}.")
    chain = make_lattice(emission, pairs, start, end, triples)
    out, values = np.empty((k, _length(chain)), dtype=np.int32), np.empty(k)
    room = (*chain.local.shape, k)
    found = lattice.k_best(chain, np.empty(room), np.zeros(room, np.int64), np.zeros(room, np.int64), out, values)
    return out[:found], values[:found]


def max_marginals(emission, pairs, start=None, end=None, triples=None) -> np.ndarray:
    """n x K: the score of the best labelling that has label k at position t.

    >>> max_marginals([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]]).tolist()
    [[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]
    """
    chain = make_lattice(emission, pairs, start, end, triples)
    out = np.empty((_length(chain), chain.labels))
    lattice.max_marginals(chain, np.empty_like(chain.local), np.empty_like(chain.local), out)
    return out
