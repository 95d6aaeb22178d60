r"""Kernels of dynamic programming on a lattice: the best labelling, its best rival, the k best, max-marginals (E2).

A lattice has ``steps`` steps of states, and K ways from each state to the next step. Of first order a state is a label;
of second order it is the last two labels, (r, k), numbered r K + k. With R = 1 or K,

    best[t, r K + k] = local[t, r K + k] + max_f best[t-1, f R + r] + transition[f R + r, k]

serves both: ``local`` holds what a state adds, ``transition`` what the way to it adds. -inf forbids. Ties go to the
lowest label.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import compiled

ONE = np.uint64(1)  # signed indices cost a check each


class Lattice(NamedTuple):
    """``steps`` steps with R K states each."""

    local: np.ndarray  # steps x (R K): what a state adds
    transition: np.ndarray  # flat: the way from state h at step t - 1 to label k, at base + (t - 1) stride + h K + k
    base: int
    stride: int  # 0: the same for all steps
    steps: int
    labels: int  # K
    contexts: int  # R: 1 of first order, K of second


@compiled(inline=True)
def advance(lattice, best, t):
    """Compute best[t] from best[t-1]: the best prefixes that end in each state of step t."""
    local, transition, base, stride, _, labels, contexts = lattice
    at, labels, contexts = np.uint64(base + (t - 1) * stride), np.uint64(labels), np.uint64(contexts)
    t, p = np.uint64(t), np.uint64(t - 1)
    for s in range(contexts * labels):
        best[t, s] = -np.inf
    for f in range(np.uint64(0), labels, np.uint64(2)):  # two at a time, the last one perhaps twice: half the stores
        g = min(f + ONE, labels - ONE)
        for r in range(contexts):
            one, two = f * contexts + r, g * contexts + r
            before_one, before_two = best[p, one], best[p, two]
            for k in range(labels):
                v = before_one + transition[at + one * labels + k]
                u = before_two + transition[at + two * labels + k]
                v, s = u if u > v else v, r * labels + k
                best[t, s] = v if v > best[t, s] else best[t, s]
    for s in range(contexts * labels):
        best[t, s] += local[t, s]


@compiled(inline=True)
def backpointer(lattice, best, t, state):
    """The first label f of the best predecessor of a state of step t, and the score of that way, ``local`` aside."""
    labels, contexts = np.uint64(lattice.labels), np.uint64(lattice.contexts)
    p, r = np.uint64(t - 1), np.uint64(state // lattice.labels)
    way, skip = np.uint64(lattice.base + (t - 1) * lattice.stride + state), labels * contexts
    first, value = np.uint64(0), best[p, r] + lattice.transition[way]
    for f in range(ONE, labels):
        way += skip
        v = best[p, f * contexts + r] + lattice.transition[way]
        if v > value:
            first, value = f, v
    return np.int64(first), value


@compiled(inline=True)
def highest_state(best, t, states):
    """The first of the highest states of step t."""
    t, found = np.uint64(t), np.uint64(0)
    for s in range(ONE, np.uint64(states)):
        if best[t, s] > best[t, found]:
            found = s
    return np.int64(found)


@compiled
def viterbi(lattice, best, out):
    """Write the best labelling into ``out``; returns its score. ``best`` is scratch, steps x (R K)."""
    labels, contexts, last = lattice.labels, lattice.contexts, lattice.steps - 1
    shift = min(contexts - 1, 1)  # the label of a state of step t stands at position t + shift
    for s in range(contexts * labels):
        best[0, s] = lattice.local[0, s]
    for t in range(1, last + 1):
        advance(lattice, best, t)
    state = highest_state(best, last, contexts * labels)
    value = best[last, state]
    for t in range(last, 0, -1):
        out[t + shift] = state % labels
        state = backpointer(lattice, best, t, state)[0] * contexts + state // labels
    out[0] = state // labels
    out[shift] = state % labels
    return value


@compiled
def best_rival(lattice, truth, best, prefix, out):
    r"""Write the best labelling other than ``truth`` into ``out``; returns the scores of the truth and of the rival.

    T(t) is the score of the true prefix, D(t,k) that of the best prefix ending in k that has left it already:

    .. math:: D(t,k) = local(t,k)
              + \max\big(\max_j D(t-1,j) + transition(j,k),\ [k \neq y_t]\,T(t-1) + transition(y_{t-1},k)\big) .

    So a rival costs what the best labelling does, and never equals the truth. Scratch: ``best`` (D, steps x states) and
    ``prefix`` (T, steps).
    """
    local, transition, base, stride, steps, labels, contexts = lattice
    shift = min(contexts - 1, 1)
    own = shift * labels * truth[0] + truth[shift]  # the state of the truth
    for s in range(contexts * labels):
        best[0, s] = local[0, s]
    best[0, own] = -np.inf
    prefix[0] = local[0, own]
    for t in range(1, steps):
        advance(lattice, best, t)
        way, y = base + (t - 1) * stride + own * labels, np.int64(truth[t + shift])
        own = shift * labels * truth[t] + y
        stay = best[t, own]
        for k in range(labels):
            s = own - y + k
            v = prefix[t - 1] + transition[way + k] + local[t, s]
            best[t, s] = v if v > best[t, s] else best[t, s]
        best[t, own] = stay  # the truth itself is no rival
        prefix[t] = prefix[t - 1] + transition[way + y] + local[t, own]
    state = highest_state(best, steps - 1, contexts * labels)
    score, value = prefix[steps - 1], best[steps - 1, state]
    for t in range(steps - 1, 0, -1):
        k = state % labels
        out[t + shift] = k
        f, v = backpointer(lattice, best, t, state)
        own = shift * labels * truth[t - 1] + truth[t + shift - 1]
        left = prefix[t - 1] + transition[base + (t - 1) * stride + own * labels + k]
        if k != truth[t + shift] and state - k == shift * labels * truth[t] and left >= v:  # here it leaves the truth
            for p in range(t + shift):
                out[p] = truth[p]
            return score, value
        state = f * contexts + state // labels
    out[0] = state // labels
    out[shift] = state % labels
    return score, value


@compiled
def k_best(lattice, best, back, rank, out, values):
    """Write the ``values.size`` best labellings into the rows of ``out``, best first; returns how many there are.

    Scratch: ``best`` (steps x states x size), ``back`` and ``rank`` (of int64, the same shape): the first label of the
    predecessor of each prefix, and the rank of that prefix among the best there.
    """
    local, transition, base, stride, steps, labels, contexts = lattice
    states, shift, size = contexts * labels, min(contexts - 1, 1), values.size
    best[:] = -np.inf
    for s in range(states):
        best[0, s, 0] = local[0, s]
    for t in range(1, steps):
        at = base + (t - 1) * stride
        for s in range(states):
            r, k = s // labels, s % labels
            for f in range(labels):
                h = f * contexts + r
                for q in range(size):
                    v = best[t - 1, h, q] + transition[at + h * labels + k] + local[t, s]
                    if not v > best[t, s, size - 1]:
                        break
                    place = size - 1
                    while place > 0 and v > best[t, s, place - 1]:
                        best[t, s, place] = best[t, s, place - 1]
                        back[t, s, place] = back[t, s, place - 1]
                        rank[t, s, place] = rank[t, s, place - 1]
                        place -= 1
                    best[t, s, place], back[t, s, place], rank[t, s, place] = v, f, q
    for count in range(size):
        state, place, value = 0, 0, -np.inf
        for s in range(states):
            for q in range(size):
                if best[steps - 1, s, q] > value:
                    state, place, value = s, q, best[steps - 1, s, q]
        if value == -np.inf:
            return count
        values[count] = value
        best[steps - 1, state, place] = -np.inf
        for t in range(steps - 1, 0, -1):
            out[count, t + shift] = state % labels
            state, place = back[t, state, place] * contexts + state // labels, rank[t, state, place]
        out[count, 0] = state // labels
        out[count, shift] = state % labels
    return size


@compiled
def max_marginals(lattice, best, after, out):
    """out[t, k] = the score of the best labelling with label k at t. Scratch: ``best``, ``after`` (steps x states)."""
    local, transition, base, stride, steps, labels, contexts = lattice
    states, shift = contexts * labels, min(contexts - 1, 1)
    for s in range(states):
        best[0, s] = local[0, s]
        after[steps - 1, s] = 0.0
    for t in range(1, steps):
        advance(lattice, best, t)
    for t in range(steps - 1, 0, -1):
        at = base + (t - 1) * stride
        for h in range(states):
            r = h % contexts * labels
            value = -np.inf
            for k in range(labels):
                value = max(value, transition[at + h * labels + k] + local[t, r + k] + after[t, r + k])
            after[t - 1, h] = value
    out[: steps + shift] = -np.inf
    for t in range(steps):
        for s in range(states):
            v = best[t, s] + after[t, s]
            out[t + shift, s % labels] = max(out[t + shift, s % labels], v)
            if shift and t == 0:
                out[0, s // labels] = max(out[0, s // labels], v)


@compiled(inline=True)
def write_pair_states(chain, local):
    """``local`` of second order, from a first-order lattice.

    A state (j, k) adds what k adds and the way from j to k; at step 0 also what j adds.
    """
    for t in range(chain.steps - 1):
        at = chain.base + t * chain.stride
        for j in range(chain.labels):
            first = chain.local[0, j] if t == 0 else 0.0
            for k in range(chain.labels):
                way = chain.transition[at + j * chain.labels + k]
                local[t, j * chain.labels + k] = chain.local[t + 1, k] + way + first
