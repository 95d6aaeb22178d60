r"""Chains: the best labelling, the best rival of a given one, the k best, max-marginals; by dynamic programming (E2).

A labelling :math:`y_1 \ldots y_n` of a chain scores

.. math:: start(y_1) + \sum_t emission_t(y_t) + \sum_{t>1} pair_t(y_{t-1}, y_t)
          + \sum_{t>2} triple(y_{t-2}, y_{t-1}, y_t) + end(y_n) ,

where -inf forbids. The kernels see a *lattice*: steps of states, K ways from each state to the next step. Of
first order (no triples) a state is a label, of second order the last two labels, ``j K + k``. With R = 1 or K,

    best[t, r K + k] = local[t, r K + k] + max_f best[t-1, f R + r] + trans[f R + r, k]

serves both: local holds all that a state adds, trans the way to it. Ties go to the lowest label.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import compiled, tiled

ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT = np.arange(1, 9, dtype=np.uint64)  # signed ones cost a check each


class Lattice(NamedTuple):
    """What the kernels walk through: ``steps`` steps with R K states each."""

    local: np.ndarray  # steps x (R K): what a state adds
    trans: np.ndarray  # flat: what the way from state h to label k adds, at base + (t - 1) stride + h K + k
    base: int
    stride: int  # 0: the same for all steps
    steps: int
    labels: int  # K
    rest: int  # R: 1 for first order, K for second


@tiled()
def rise(best, local, trans, at, t, labels, rest):
    """best[t] from best[t-1]; four labels at a time, whose maxima stay in one register."""
    t, at, labels, rest = np.uint64(t), np.uint64(at), np.uint64(labels), np.uint64(rest)
    p = t - ONE
    for r in range(rest):
        k = np.uint64(0)
        while k < labels:
            if labels < FOUR:
                m0 = -np.inf
                for f in range(labels):
                    h = f * rest + r
                    v0 = best[p, h] + trans[at + h * labels + k]
                    m0 = v0 if v0 > m0 else m0
                best[t, r * labels + k] = m0 + local[t, r * labels + k]
                k += ONE
            else:
                k = min(k, labels - FOUR)  # the last four overlap: no slow remainder
                m0, m1, m2, m3 = -np.inf, -np.inf, -np.inf, -np.inf
                for f in range(labels):
                    h = f * rest + r
                    d = best[p, h]
                    b = at + h * labels + k
                    v0, v1, v2, v3 = d + trans[b], d + trans[b + ONE], d + trans[b + TWO], d + trans[b + THREE]
                    m0 = v0 if v0 > m0 else m0
                    m1 = v1 if v1 > m1 else m1
                    m2 = v2 if v2 > m2 else m2
                    m3 = v3 if v3 > m3 else m3
                c = r * labels + k
                best[t, c] = m0 + local[t, c]
                best[t, c + ONE] = m1 + local[t, c + ONE]
                best[t, c + TWO] = m2 + local[t, c + TWO]
                best[t, c + THREE] = m3 + local[t, c + THREE]
                k += FOUR


@compiled
def whence(best, trans, at, t, r, k, labels, rest):
    """The first label of the best predecessor of state (r, k) at step t, and how good it is, ``local`` aside."""
    t, r, k, labels, rest = np.uint64(t), np.uint64(r), np.uint64(k), np.uint64(labels), np.uint64(rest)
    b, skip = np.uint64(at) + r * labels + k, rest * labels
    found, value = np.uint64(0), best[t - ONE, r] + trans[b]
    for f in range(ONE, labels):
        b += skip
        v = best[t - ONE, f * rest + r] + trans[b]
        if v > value:
            found, value = f, v
    return np.int64(found), value


@compiled
def top(scores, t, size):
    """The first place of the largest of ``size`` scores of step t."""
    t, place = np.uint64(t), np.uint64(0)
    for s in range(ONE, np.uint64(size)):
        if scores[t, s] > scores[t, place]:
            place = s
    return np.int64(place)


@compiled
def highest(lattice, best, out):
    """Viterbi: writes the best labelling into ``out``, returns its score. ``best`` is scratch, steps x (R K)."""
    local, trans, base, stride, steps, labels, rest = lattice
    states, second = rest * labels, min(rest - 1, 1)
    for s in range(states):
        best[0, s] = local[0, s]
    for t in range(1, steps):
        rise(best, local, trans, base + (t - 1) * stride, t, labels, rest)
    state = top(best, steps - 1, states)
    value = best[steps - 1, state]
    for t in range(steps - 1, 0, -1):
        out[t + second] = state % labels
        f, _ = whence(best, trans, base + (t - 1) * stride, t, state // labels, state % labels, labels, rest)
        state = f * rest + state // labels
    out[0] = state // labels if second else state
    out[second] = state % labels
    return value


@compiled
def challenge(lattice, truth, best, held, out):
    r"""The best labelling other than ``truth``: writes it into ``out``; returns the scores of truth and rival.

    T(t) is the score of the true prefix, D(t,k) that of the best prefix ending in k that has left it already:

    .. math:: D(t,k) = local(t,k)
              + \max\big(\max_j D(t-1,j) + trans(j,k),\ [k \neq y_t]\,T(t-1) + trans(y_{t-1},k)\big) .

    So a rival costs what the best labelling does, and never equals the truth. Scratch: ``best``, ``held`` (steps).
    """
    local, trans, base, stride, steps, labels, rest = lattice
    states, second = rest * labels, min(rest - 1, 1)
    own = state_of(truth, 0, labels, second)
    for s in range(states):
        best[0, s] = local[0, s]
    best[0, own] = -np.inf
    held[0] = local[0, own]
    for t in range(1, steps):
        at, y = base + (t - 1) * stride, np.int64(truth[t + second])
        rise(best, local, trans, at, t, labels, rest)
        way, own = at + own * labels, state_of(truth, t, labels, second)
        stay = best[t, own]
        for k in range(labels):
            s = own - y + k
            v = held[t - 1] + trans[way + k] + local[t, s]
            best[t, s] = v if v > best[t, s] else best[t, s]
        best[t, own] = stay  # the truth itself is no rival
        held[t] = held[t - 1] + trans[way + y] + local[t, own]
    state = top(best, steps - 1, states)
    score, value = held[steps - 1], best[steps - 1, state]
    for t in range(steps - 1, 0, -1):
        at, k = base + (t - 1) * stride, state % labels
        out[t + second] = k
        f, v = whence(best, trans, at, t, state // labels, k, labels, rest)
        own, y = state_of(truth, t, labels, second), np.int64(truth[t + second])
        left = held[t - 1] + trans[at + state_of(truth, t - 1, labels, second) * labels + k]
        if k != y and state - k == own - y and left >= v:  # here the rival leaves the truth
            for p in range(t + second):
                out[p] = truth[p]
            return score, value
        state = f * rest + state // labels
    out[0] = state // labels if second else state
    out[second] = state % labels
    return score, value


@compiled
def state_of(labelling, t, labels, second):
    """The state of a labelling at step t: its label, or its two labels of second order."""
    return labelling[t] * labels + labelling[t + 1] if second else np.int64(labelling[t])


@compiled
def list_best(lattice, best, back, rank, out, values):
    """The ``values.size`` best labellings, best first; returns how many there are.

    Scratch: ``best`` (steps x states x size), ``back`` and ``rank`` (of int64, the same shape): from which first
    label, and from the how-manieth best prefix there, each prefix comes.
    """
    local, trans, base, stride, steps, labels, rest = lattice
    states, second, size = rest * labels, min(rest - 1, 1), values.size
    best[:] = -np.inf
    for s in range(states):
        best[0, s, 0] = local[0, s]
    for t in range(1, steps):
        at = base + (t - 1) * stride
        for s in range(states):
            r, k = s // labels, s % labels
            for f in range(labels):
                h = f * rest + r
                for q in range(size):
                    v = best[t - 1, h, q] + trans[at + h * labels + k] + local[t, s]
                    if not v > best[t, s, size - 1]:
                        break
                    place = size - 1
                    while place > 0 and v > best[t, s, place - 1]:
                        best[t, s, place] = best[t, s, place - 1]
                        back[t, s, place] = back[t, s, place - 1]
                        rank[t, s, place] = rank[t, s, place - 1]
                        place -= 1
                    best[t, s, place], back[t, s, place], rank[t, s, place] = v, f, q
    count = 0
    while count < size:
        state, place = 0, 0
        value = -np.inf
        for s in range(states):
            for q in range(size):
                if best[steps - 1, s, q] > value:
                    state, place, value = s, q, best[steps - 1, s, q]
        if value == -np.inf:
            break
        values[count] = value
        best[steps - 1, state, place] = -np.inf
        for t in range(steps - 1, 0, -1):
            out[count, t + second] = state % labels
            state, place = back[t, state, place] * rest + state // labels, rank[t, state, place]
        out[count, 0] = state // labels if second else state
        out[count, second] = state % labels
        count += 1
    return count


@compiled
def marginals(lattice, best, after, out):
    """out[t, k] = the score of the best labelling with label k at t. Scratch: ``best``, ``after`` (steps x states)."""
    local, trans, base, stride, steps, labels, rest = lattice
    states, second = rest * labels, min(rest - 1, 1)
    for s in range(states):
        best[0, s] = local[0, s]
        after[steps - 1, s] = 0.0
    for t in range(1, steps):
        rise(best, local, trans, base + (t - 1) * stride, t, labels, rest)
    for t in range(steps - 1, 0, -1):
        at = base + (t - 1) * stride
        for h in range(states):
            r = h % rest * labels
            value = -np.inf
            for k in range(labels):
                value = max(value, trans[at + h * labels + k] + local[t, r + k] + after[t, r + k])
            after[t - 1, h] = value
    out[: steps + second] = -np.inf
    for t in range(steps):
        for s in range(states):
            v = best[t, s] + after[t, s]
            out[t + second, s % labels] = max(out[t + second, s % labels], v)
            if second and t == 0:
                out[0, s // labels] = max(out[0, s // labels], v)


@compiled
def unfold(emission, pairs, base, stride, n, labels, local):
    """``local`` of second order: a state (j, k) adds the emission of k and the pair; at step 0 that of j too."""
    for t in range(n - 1):
        at = base + t * stride
        for j in range(labels):
            first = emission[0, j] if t == 0 else 0.0
            for k in range(labels):
                local[t, j * labels + k] = emission[t + 1, k] + pairs[at + j * labels + k] + first


# --- by themselves, on tables of scores ------------------------------------------------------------------------------


def lattice(emission, pairs, start=None, end=None, triples=None) -> Lattice:
    """The lattice of tables: emission n x K; pairs K x K, or n - 1 of them; start and end K; triples K x K x K.

    -inf forbids; NaN and +inf are refused.
    """
    emission = _table("emission", emission, (None, None)).copy()
    n, labels = emission.shape
    if n == 0 or labels == 0:
        raise ValueError(f"emission: a chain has one position and one label at least, not {n} and {labels}.")
    pairs = np.asarray(pairs, dtype=np.float64)
    pairs = _table("pairs", pairs, (labels, labels) if pairs.ndim == 2 else (n - 1, labels, labels))
    if start is not None:
        emission[0] += _table("start", start, (labels,))
    if end is not None:
        emission[-1] += _table("end", end, (labels,))
    stride = labels * labels if pairs.ndim == 3 else 0
    if triples is not None:
        triples = _table("triples", triples, (labels, labels, labels))
        if labels == 1:
            emission[2:] += triples[0, 0]
        elif n > 1:
            local = np.empty((n - 1, labels * labels))
            unfold(emission, pairs.ravel(), 0, stride, n, labels, local)
            return Lattice(local, triples.ravel(), 0, 0, n - 1, labels, labels)
    return Lattice(emission, pairs.ravel(), 0, stride, n, labels, 1)


def _table(name: str, table, shape: tuple) -> np.ndarray:
    """The table as float64, its shape and numbers checked."""
    table = np.ascontiguousarray(table, dtype=np.float64)
    if len(shape) != table.ndim or any(want not in (None, size) for want, size in zip(shape, table.shape)):
        wanted = " x ".join("any" if want is None else str(want) for want in shape)
        raise ValueError(
            f"{name}: a table of {wanted} is wanted, not {' x '.join(map(str, table.shape)) or 'a number'}."
        )
    if not (table < np.inf).all():
        place = tuple(int(at[0]) for at in np.nonzero(~(table < np.inf)))
        raise ValueError(f"{name}: a score must be a number or -inf, not {table[place]} at {list(place)}.")
    return table


def _length(chain: Lattice) -> int:
    return chain.steps + (chain.rest > 1)


def viterbi(emission, pairs, start=None, end=None, triples=None) -> tuple[np.ndarray, float]:
    """The best labelling and its score; a score of -inf says that every labelling is forbidden.

    >>> labels, score = viterbi([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]])
    >>> labels.tolist(), score
    ([0, 0, 0], 4.0)
    """
    chain = lattice(emission, pairs, start, end, triples)
    out = np.empty(_length(chain), dtype=np.int32)
    value = highest(chain, np.empty_like(chain.local), out)
    return out, float(value)


def rival(truth, emission, pairs, start=None, end=None, triples=None) -> tuple[np.ndarray, float, float]:
    """The best labelling other than ``truth``, its score, and the score of the truth.

    A rival that scores -inf is none: the truth is the only labelling that is allowed.

    >>> labels, score, own = rival([0, 0, 0], [[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]])
    >>> labels.tolist(), score, own
    ([1, 1, 1], 4.0, 4.0)
    """
    chain = lattice(emission, pairs, start, end, triples)
    truth = np.asarray(truth)
    if truth.shape != (_length(chain),) or not ((truth >= 0) & (truth < chain.labels)).all():
        raise ValueError(
            f"truth: {_length(chain)} labels of 0 ... {chain.labels - 1} are wanted, not {truth.tolist()}."
        )
    out = np.empty(_length(chain), dtype=np.int32)
    own, value = challenge(chain, truth.astype(np.int32), np.empty_like(chain.local), np.empty(chain.steps), out)
    return out, float(value), float(own)


def k_best(k: int, emission, pairs, start=None, end=None, triples=None) -> tuple[np.ndarray, np.ndarray]:
    """The k best labellings, best first, a row each, and their scores; fewer if fewer are allowed.

    >>> labels, scores = k_best(3, [[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]])
    >>> labels.tolist(), scores.tolist()
    ([[0, 0, 0], [1, 1, 1], [1, 0, 0]], [4.0, 4.0, 3.0])
    """
    if k < 1:
        raise ValueError(f"k: one labelling at least is wanted, not {k}.")
    chain = lattice(emission, pairs, start, end, triples)
    out, values = np.empty((k, _length(chain)), dtype=np.int32), np.empty(k)
    room = (*chain.local.shape, k)
    found = list_best(chain, np.empty(room), np.zeros(room, np.int64), np.zeros(room, np.int64), out, values)
    return out[:found], values[:found]


def max_marginals(emission, pairs, start=None, end=None, triples=None) -> np.ndarray:
    """n x K: the score of the best labelling that has label k at position t.

    >>> max_marginals([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[1.0, -1.0], [-1.0, 1.0]]).tolist()
    [[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]
    """
    chain = lattice(emission, pairs, start, end, triples)
    out = np.empty((_length(chain), chain.labels))
    marginals(chain, np.empty_like(chain.local), np.empty_like(chain.local), out)
    return out
