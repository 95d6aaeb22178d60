"""Maximum flow on the edges of a network, by the algorithm of Boykov and Kolmogorov.

Two trees of arcs with residual capacity grow from the terminals. Where they meet, flow is sent along the path; nodes
that lose the arc to their parent (orphans) get a new parent in the same tree or leave it.

Y. Boykov, V. Kolmogorov, *An experimental comparison of min-cut/max-flow algorithms for energy minimization in vision*,
2004.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import compiled
from .deadline import NEVER, PIECE, Deadline
from .network import Network

FREE, TERMINAL, ORPHAN = -1, -2, -3  # instead of the arc to the parent
FAR = 2**60
FIRST, LAST, NEXT_FIRST, NEXT_LAST, CURRENT, ORPHANS_BEGIN, ORPHANS_END, TIME = range(8)  # places in ``Flow.state``


class Flow(NamedTuple):
    """A graph with its residual capacities, and the two trees. Arc 2e is edge e, arc 2e + 1 the same edge reversed."""

    edge_start: np.ndarray  # (n + 1,): where the edges of a node begin in ``node_edges``
    node_edges: np.ndarray
    tail: np.ndarray
    head: np.ndarray
    residual: np.ndarray  # (2 m,): the residual capacity of each arc
    excess: np.ndarray  # (n,): the residual capacity from the source (> 0) or to the sink (< 0)
    parent: np.ndarray  # (n,): the arc to the parent, FREE, TERMINAL or ORPHAN
    sink: np.ndarray  # (n,): whether a node belongs to the tree of the sink
    checked: np.ndarray  # (n,): the time at which ``distance`` was last found true
    distance: np.ndarray  # (n,): the number of arcs to the terminal
    following: np.ndarray  # (n,): the next active node; the node itself at the end, -1 if not active
    orphans: np.ndarray  # (n + 1,): a ring buffer
    state: np.ndarray  # first and last of two queues of active nodes, the node at work, the ring buffer, the time


def make_flow(network: Network) -> Flow:
    """Memory for a flow on the edges of a network; ``excess`` and ``residual`` are to be filled."""
    n, m = network.n_nodes, network.n_edges
    parent, checked, distance, following = (np.empty(n, dtype=np.int64) for _ in range(4))
    return Flow(
        network.edge_start, network.node_edges, network.tail, network.head, np.empty(2 * m), np.empty(n), parent,
        np.empty(n, dtype=np.bool_), checked, distance, following, np.empty(n + 1, dtype=np.int64),
        np.empty(8, dtype=np.int64),
    )  # fmt: skip


def maximise_flow(g: Flow, deadline: Deadline = NEVER) -> bool:
    """Send the maximum flow from source to sink; afterwards ``g.sink`` marks the minimum cut.

    False at the deadline: the flow is possible, but perhaps not the largest.
    """
    _start_trees(g)
    steps = max(1, int(PIECE / 1000.0 / (1.0 + g.tail.size / max(g.parent.size, 1))))
    done = _augment(g, steps)
    while not done and not deadline.over:
        done = _augment(g, steps)
    g.sink[g.parent == FREE] = False
    return bool(done)


@compiled
def _augment(g, steps):
    """Some steps of the algorithm, from where it stands; whether it is done."""
    for _ in range(steps):
        if g.state[ORPHANS_BEGIN] != g.state[ORPHANS_END]:
            i = g.orphans[g.state[ORPHANS_BEGIN]]
            g.state[ORPHANS_BEGIN] = (g.state[ORPHANS_BEGIN] + 1) % g.orphans.size
            _find_parent(g, i)
            continue
        v = g.state[CURRENT]
        if v >= 0:
            g.following[v] = -1
            if g.parent[v] == FREE:
                v = -1
        if v < 0:
            v = _next_active(g)
            if v < 0:
                return True
        a = _grow(g, v)
        g.state[TIME] += 1
        g.state[CURRENT] = -1
        if a >= 0:
            g.following[v] = v
            g.state[CURRENT] = v
            _send_flow(g, a)
    return False


@compiled
def _start_trees(g):
    """Each node with capacity from or to a terminal is a child of it."""
    g.state[:ORPHANS_BEGIN] = -1
    g.state[ORPHANS_BEGIN:] = 0
    for v in range(g.parent.size):
        g.following[v] = -1
        g.checked[v] = 0
        g.sink[v] = g.excess[v] < 0.0
        g.parent[v] = FREE
        g.distance[v] = 0
        if g.excess[v] != 0.0:
            g.parent[v] = TERMINAL
            g.distance[v] = 1
            _activate(g, v)


@compiled
def _arc_end(g, a):
    """The node that arc a leads to."""
    return g.head[a >> 1] if a & 1 == 0 else g.tail[a >> 1]


@compiled
def _leaving_arc(g, place, v):
    """The arc from v along the edge at this place of ``node_edges``."""
    e = g.node_edges[place]
    return 2 * e if g.tail[e] == v else 2 * e + 1


@compiled
def _activate(g, v):
    """Append v to the second queue of active nodes."""
    if g.following[v] < 0:
        if g.state[NEXT_LAST] >= 0:
            g.following[g.state[NEXT_LAST]] = v
        else:
            g.state[NEXT_FIRST] = v
        g.state[NEXT_LAST] = v
        g.following[v] = v


@compiled
def _next_active(g):
    """The next active node that belongs to a tree, or -1."""
    while True:
        v = g.state[FIRST]
        if v < 0:
            v = g.state[NEXT_FIRST]
            g.state[FIRST] = v
            g.state[LAST] = g.state[NEXT_LAST]
            g.state[NEXT_FIRST] = -1
            g.state[NEXT_LAST] = -1
            if v < 0:
                return -1
        if g.following[v] == v:
            g.state[FIRST] = -1
            g.state[LAST] = -1
        else:
            g.state[FIRST] = g.following[v]
        g.following[v] = -1
        if g.parent[v] != FREE:
            return v


@compiled
def _grow(g, v):
    """Add free neighbours of v to its tree; returns an arc from the tree of the source to that of the sink, or -1."""
    direction = 1 if g.sink[v] else 0
    for place in range(g.edge_start[v], g.edge_start[v + 1]):
        a = _leaving_arc(g, place, v)
        if g.residual[a ^ direction] > 0.0:
            j = _arc_end(g, a)
            if g.parent[j] == FREE:
                g.sink[j] = g.sink[v]
                g.parent[j] = a ^ 1
                g.checked[j] = g.checked[v]
                g.distance[j] = g.distance[v] + 1
                _activate(g, j)
            elif g.sink[j] != g.sink[v]:
                return a ^ direction
            elif g.checked[j] <= g.checked[v] and g.distance[j] > g.distance[v]:  # v is nearer to the terminal
                g.parent[j] = a ^ 1
                g.checked[j] = g.checked[v]
                g.distance[j] = g.distance[v] + 1
    return -1


@compiled
def _send_flow(g, middle):
    """Send flow along the path through arc ``middle``; nodes whose arc to the parent is saturated become orphans."""
    amount = g.residual[middle]
    for side in range(2):  # the tree of the source, then that of the sink
        v = _arc_end(g, middle ^ 1 ^ side)
        while g.parent[v] != TERMINAL:
            amount = min(amount, g.residual[g.parent[v] ^ 1 ^ side])
            v = _arc_end(g, g.parent[v])
        amount = min(amount, abs(g.excess[v]))
    g.residual[middle] -= amount
    g.residual[middle ^ 1] += amount
    for side in range(2):
        v = _arc_end(g, middle ^ 1 ^ side)
        while g.parent[v] != TERMINAL:
            a = g.parent[v] ^ 1 ^ side
            g.residual[a] -= amount
            g.residual[a ^ 1] += amount
            above = _arc_end(g, g.parent[v])
            if g.residual[a] == 0.0:
                _add_first_orphan(g, v)
            v = above
        g.excess[v] += amount if side else -amount
        if g.excess[v] == 0.0:
            _add_first_orphan(g, v)


@compiled
def _add_first_orphan(g, v):
    """v lost its parent and is the next orphan."""
    g.parent[v] = ORPHAN
    g.state[ORPHANS_BEGIN] = (g.state[ORPHANS_BEGIN] - 1) % g.orphans.size
    g.orphans[g.state[ORPHANS_BEGIN]] = v


@compiled
def _add_last_orphan(g, v):
    """v lost its parent and is the last orphan."""
    g.parent[v] = ORPHAN
    g.orphans[g.state[ORPHANS_END]] = v
    g.state[ORPHANS_END] = (g.state[ORPHANS_END] + 1) % g.orphans.size


@compiled
def _find_parent(g, v):
    """Give v the parent that is nearest to the terminal; if there is none, v is free and its children are orphans."""
    direction = 0 if g.sink[v] else 1
    nearest, shortest = FREE, FAR
    now = g.state[TIME]
    for place in range(g.edge_start[v], g.edge_start[v + 1]):
        a = _leaving_arc(g, place, v)
        j = _arc_end(g, a)
        if g.residual[a ^ direction] > 0.0 and g.sink[j] == g.sink[v] and g.parent[j] != FREE:
            steps = _count_steps(g, j, now)
            if steps < shortest:
                nearest, shortest = a, steps
            while steps < FAR and g.checked[j] != now:
                g.checked[j] = now
                g.distance[j] = steps
                steps -= 1
                j = _arc_end(g, g.parent[j])
    g.parent[v] = nearest
    if nearest != FREE:
        g.checked[v] = now
        g.distance[v] = shortest + 1
        return
    for place in range(g.edge_start[v], g.edge_start[v + 1]):
        a = _leaving_arc(g, place, v)
        j = _arc_end(g, a)
        if g.sink[j] == g.sink[v] and g.parent[j] != FREE:
            if g.residual[a ^ direction] > 0.0:
                _activate(g, j)
            if g.parent[j] >= 0 and _arc_end(g, g.parent[j]) == v:
                _add_last_orphan(g, j)


@compiled
def _count_steps(g, j, now):
    """The number of arcs from j to its terminal, FAR if an orphan is on the path."""
    steps = 0
    while True:
        if g.checked[j] == now:
            return steps + g.distance[j]
        a = g.parent[j]
        steps += 1
        if a == TERMINAL:
            g.checked[j] = now
            g.distance[j] = 1
            return steps
        if a == ORPHAN:
            return FAR
        j = _arc_end(g, a)
