"""Largest flow, smallest cut: the algorithm of Boykov and Kolmogorov on the edges of a network, compiled.

Two trees of arcs with capacity left grow from the terminals; where they meet, the path is filled up; nodes cut off
their tree look for a new parent there, or become free.

Y. Boykov, V. Kolmogorov, *An experimental comparison of min-cut/max-flow algorithms for energy minimization in vision*,
2004.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import compiled
from .network import Network

FREE, TERMINAL, ORPHAN = -1, -2, -3
FAR = 2**60


class Flow(NamedTuple):
    """A graph with what is left of its capacities, and the two trees. Arc 2e leads up edge e, arc 2e + 1 back."""

    start: np.ndarray  # where a node's edges begin in ``arc``
    arc: np.ndarray
    tail: np.ndarray
    head: np.ndarray
    residual: np.ndarray  # 2 m: capacity left of every arc
    excess: np.ndarray  # n: capacity left from the source (> 0) or to the sink (< 0)
    parent: np.ndarray  # n: the arc to the parent, FREE, TERMINAL or ORPHAN
    sink: np.ndarray  # n: whether a node belongs to the sink's tree
    stamp: np.ndarray  # n: when ``distance`` was last found true
    distance: np.ndarray  # n: steps to the terminal
    following: np.ndarray  # n: the next active node; itself at the end, -1 if not active
    orphans: np.ndarray  # n + 1: a ring
    queue: np.ndarray  # first and last of two queues of active nodes, begin and end of the ring, the time


def flow_on(network: Network) -> Flow:
    """Room for flows on the edges of a network."""
    n, m = network.n, network.m
    whole = [np.empty(n, dtype=np.int64) for _ in range(4)]
    return Flow(
        network.start, network.arc, network.tail, network.head, np.empty(2 * m), np.empty(n), whole[0],
        np.empty(n, dtype=np.bool_), whole[1], whole[2], whole[3], np.empty(n + 1, dtype=np.int64),
        np.empty(7, dtype=np.int64),
    )  # fmt: skip


@compiled
def saturate(g):
    """Send as much flow as there is from source to sink; afterwards ``g.sink`` marks the smallest cut."""
    _begin(g)
    current = -1
    while True:
        v = current
        if v >= 0:
            g.following[v] = -1
            if g.parent[v] == FREE:
                v = -1
        if v < 0:
            v = _next_active(g)
            if v < 0:
                break
        a = _grow(g, v)
        g.queue[6] += 1
        current = -1
        if a >= 0:
            g.following[v] = v
            current = v
            _augment(g, a)
            while g.queue[4] != g.queue[5]:
                i = g.orphans[g.queue[4]]
                g.queue[4] = (g.queue[4] + 1) % g.orphans.size
                _adopt(g, i)
    for v in range(g.parent.size):
        if g.parent[v] == FREE:
            g.sink[v] = False


@compiled
def _begin(g):
    """Every node with capacity at a terminal is a tree of its own."""
    g.queue[:4] = -1
    g.queue[4:] = 0
    for v in range(g.parent.size):
        g.following[v] = -1
        g.stamp[v] = 0
        g.sink[v] = g.excess[v] < 0.0
        g.parent[v] = FREE
        g.distance[v] = 0
        if g.excess[v] != 0.0:
            g.parent[v] = TERMINAL
            g.distance[v] = 1
            _activate(g, v)


@compiled
def _end(g, a):
    """The node that arc a leads to."""
    return g.head[a >> 1] if a & 1 == 0 else g.tail[a >> 1]


@compiled
def _arc(g, place, v):
    """The arc that leaves v along its edge at this place."""
    e = g.arc[place]
    return 2 * e if g.tail[e] == v else 2 * e + 1


@compiled
def _activate(g, v):
    """Put v at the end of the second queue."""
    if g.following[v] < 0:
        if g.queue[3] >= 0:
            g.following[g.queue[3]] = v
        else:
            g.queue[2] = v
        g.queue[3] = v
        g.following[v] = v


@compiled
def _next_active(g):
    """The next active node that belongs to a tree, or -1."""
    while True:
        v = g.queue[0]
        if v < 0:
            v = g.queue[2]
            g.queue[0] = v
            g.queue[1] = g.queue[3]
            g.queue[2] = -1
            g.queue[3] = -1
            if v < 0:
                return -1
        if g.following[v] == v:
            g.queue[0] = -1
            g.queue[1] = -1
        else:
            g.queue[0] = g.following[v]
        g.following[v] = -1
        if g.parent[v] != FREE:
            return v


@compiled
def _grow(g, v):
    """Take free neighbours into v's tree; returns an arc from the source's tree to the sink's, or -1."""
    back = 1 if g.sink[v] else 0
    for place in range(g.start[v], g.start[v + 1]):
        a = _arc(g, place, v)
        if g.residual[a ^ back] > 0.0:
            j = _end(g, a)
            if g.parent[j] == FREE:
                g.sink[j] = g.sink[v]
                g.parent[j] = a ^ 1
                g.stamp[j] = g.stamp[v]
                g.distance[j] = g.distance[v] + 1
                _activate(g, j)
            elif g.sink[j] != g.sink[v]:
                return a ^ back
            elif g.stamp[j] <= g.stamp[v] and g.distance[j] > g.distance[v]:  # a shorter way to the terminal
                g.parent[j] = a ^ 1
                g.stamp[j] = g.stamp[v]
                g.distance[j] = g.distance[v] + 1
    return -1


@compiled
def _augment(g, middle):
    """Fill up the path through arc ``middle``; whoever loses its last capacity becomes an orphan."""
    amount = g.residual[middle]
    for side in range(2):  # the source's tree, then the sink's
        v = _end(g, middle ^ 1 ^ side)
        while g.parent[v] != TERMINAL:
            amount = min(amount, g.residual[g.parent[v] ^ 1 ^ side])
            v = _end(g, g.parent[v])
        amount = min(amount, abs(g.excess[v]))
    g.residual[middle] -= amount
    g.residual[middle ^ 1] += amount
    for side in range(2):
        v = _end(g, middle ^ 1 ^ side)
        while g.parent[v] != TERMINAL:
            a = g.parent[v] ^ 1 ^ side
            g.residual[a] -= amount
            g.residual[a ^ 1] += amount
            above = _end(g, g.parent[v])
            if g.residual[a] == 0.0:
                _orphan_first(g, v)
            v = above
        g.excess[v] += amount if side else -amount
        if g.excess[v] == 0.0:
            _orphan_first(g, v)


@compiled
def _orphan_first(g, v):
    """v lost its parent; it is looked after first."""
    g.parent[v] = ORPHAN
    g.queue[4] = (g.queue[4] - 1) % g.orphans.size
    g.orphans[g.queue[4]] = v


@compiled
def _orphan_last(g, v):
    """v lost its parent; it is looked after last."""
    g.parent[v] = ORPHAN
    g.orphans[g.queue[5]] = v
    g.queue[5] = (g.queue[5] + 1) % g.orphans.size


@compiled
def _adopt(g, v):
    """Find v a parent that still reaches the terminal, the nearest; else v is free and its children are orphans."""
    back = 0 if g.sink[v] else 1
    nearest, shortest = FREE, FAR
    now = g.queue[6]
    for place in range(g.start[v], g.start[v + 1]):
        a = _arc(g, place, v)
        j = _end(g, a)
        if g.residual[a ^ back] > 0.0 and g.sink[j] == g.sink[v] and g.parent[j] != FREE:
            steps = _steps(g, j, now)
            if steps < shortest:
                nearest, shortest = a, steps
            while steps < FAR and g.stamp[j] != now:
                g.stamp[j] = now
                g.distance[j] = steps
                steps -= 1
                j = _end(g, g.parent[j])
    g.parent[v] = nearest
    if nearest != FREE:
        g.stamp[v] = now
        g.distance[v] = shortest + 1
        return
    for place in range(g.start[v], g.start[v + 1]):
        a = _arc(g, place, v)
        j = _end(g, a)
        if g.sink[j] == g.sink[v] and g.parent[j] != FREE:
            if g.residual[a ^ back] > 0.0:
                _activate(g, j)
            if g.parent[j] >= 0 and _end(g, g.parent[j]) == v:
                _orphan_last(g, j)


@compiled
def _steps(g, j, now):
    """Steps from j to its terminal, FAR if an orphan is on the way."""
    steps = 0
    while True:
        if g.stamp[j] == now:
            return steps + g.distance[j]
        a = g.parent[j]
        steps += 1
        if a == TERMINAL:
            g.stamp[j] = now
            g.distance[j] = 1
            return steps
        if a == ORPHAN:
            return FAR
        j = _end(g, a)
