r"""Two labels: the best labelling as a smallest cut; many labels that keep to a metric: by moves that are such cuts.

An edge whose table prefers equal labels, :math:`\theta(0,0) + \theta(1,1) \ge \theta(0,1) + \theta(1,0)`, is a
capacity. Where an edge prefers different labels, one end's labels are exchanged, if that can be done for all.
The flow becomes messages, so that value and bound meet by the same proof as elsewhere (`bound.upper_bound`); capacities
are floats, and their rounding cannot spoil more than the proof shows.
"""

from __future__ import annotations

import time

import numpy as np

from ..jit import compiled
from .answer import finish
from .bound import upper_bound
from .maxflow import Flow, flow_on, saturate
from .network import UNIT, Answer, Network

PAIR = np.arange(4)


def cut(network: Network) -> Answer:
    """The best labelling of a network of two labels whose edges can all be made to prefer equal labels.

    >>> ring = Network.of([[0.0, 1.0], [0.5, 0.0], [0.0, 0.0]], [(0, 1), (1, 2), (2, 0)], [[1.0, 0.0], [0.0, 1.0]])
    >>> answer = cut(ring)
    >>> answer.labels, answer.value, answer.status
    (array([1, 1, 1]), 4.0, 'optimal')
    """
    began = time.perf_counter()
    tame, _ = network.tamed()
    turned = switch(tame)
    if turned is None:
        raise ValueError("cut: two labels and edges that prefer equal labels are needed; take another engine.")
    labels, messages = _cut(tame, turned)
    upper, error = upper_bound(tame, messages, np.zeros(network.m))
    note = f"labels of {turned.sum()} nodes exchanged" if turned.any() else ""
    return finish(network, labels, upper, 4.0 * error, "cut", began, note)


def switch(network: Network) -> np.ndarray | None:
    """The nodes whose labels must be exchanged for every edge to prefer equal labels; None if that is impossible."""
    if (network.labels != 2).any():
        return None
    table = network.pairwise[network.table[:, None] + PAIR]
    lean = table[:, 0] + table[:, 3] - table[:, 1] - table[:, 2]
    lean[np.abs(lean) <= 8.0 * UNIT * np.abs(table).max(axis=1, initial=0.0)] = 0.0
    turned = np.full(network.n, -1, dtype=np.int8)
    fits = paint(network, lean, turned, np.empty(network.n, dtype=np.int64))
    return turned.astype(bool) if fits else None


def _cut(network: Network, turned: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labelling of the smallest cut, and the flow as messages."""
    t, h = turned[network.tail], turned[network.head]
    table = network.pairwise[network.table[:, None] + (PAIR ^ (2 * t + h)[:, None])]
    gain = (network.unary[1::2] - network.unary[0::2]) * np.where(turned, -1.0, 1.0)
    flow = flow_on(network)
    lean = fill(flow, gain, table)
    saturate(flow)
    sent = lean - flow.residual[0::2]
    to_tail, to_head = (table[:, 2] - table[:, 0]) + sent, (table[:, 3] - table[:, 2]) - sent
    messages = np.zeros((network.m, 4))
    rows = np.arange(network.m)
    messages[rows, 1 - t] = to_tail
    messages[rows, 3 - h] = to_head
    return (flow.sink ^ turned).astype(np.int64), messages.ravel()


def flow_messages(network: Network, turned: np.ndarray) -> np.ndarray:
    """The largest flow, as messages."""
    return _cut(network, turned)[1]


def fill(flow: Flow, gain: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Capacities of ``gain`` (of label 1 over 0, per node) and of tables (m x 4); returns those of the edges."""
    lean = np.maximum(table[:, 0] + table[:, 3] - table[:, 1] - table[:, 2], 0.0)
    n = gain.size
    linear = np.bincount(flow.tail, table[:, 2] - table[:, 0], minlength=n)
    linear += np.bincount(flow.head, table[:, 3] - table[:, 2], minlength=n)
    flow.excess[:] = -(gain + linear)
    flow.residual[0::2] = lean
    flow.residual[1::2] = 0.0
    return lean


@compiled
def paint(network, lean, turned, stack):
    """Two colours such that edges that lean to different labels join different ones; False if there are none."""
    for root in range(network.labels.size):
        if turned[root] >= 0:
            continue
        turned[root] = 0
        stack[0] = root
        size = 1
        while size > 0:
            size -= 1
            v = stack[size]
            for a in range(network.start[v], network.start[v + 1]):
                e = network.arc[a]
                if lean[e] == 0.0:
                    continue
                j = network.head[e] if network.tail[e] == v else network.tail[e]
                colour = turned[v] if lean[e] > 0.0 else 1 - turned[v]
                if turned[j] < 0:
                    turned[j] = colour
                    stack[size] = j
                    size += 1
                elif turned[j] != colour:
                    return False
    return True
