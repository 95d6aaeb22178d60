r"""Many labels that prefer to be equal: moves that are minimum cuts (alpha-expansion).

A move with label :math:`\alpha` lets every node keep its label or take :math:`\alpha`. The best such move is a minimum
cut if all edges fulfil

.. math:: \theta(y, y') + \theta(\alpha, \alpha) \ge \theta(y, \alpha) + \theta(\alpha, y') ,

which tables do whose negative is a metric, such as those of Potts, :math:`\theta(y, y') = c\,[y = y']` with
:math:`c \ge 0`. Where an edge does not fulfil it, :math:`\theta(y, \alpha)` is lowered until it does: the gain of a
move is at most underestimated, so no move loses.

Y. Boykov, O. Veksler, R. Zabih, *Fast approximate energy minimization via graph cuts*, 2001.
"""

from __future__ import annotations

import time

import numpy as np

from .answer import Answer, make_answer
from .bound import upper_bound
from .deadline import NEVER, Deadline
from .local_search import improve_labels
from .maximum_flow import Flow, make_flow, maximise_flow
from .minimum_cut import set_capacities
from .network import Network, require_network

SWEEPS = 100  # over all nodes, to improve what a move found
SLACK = 1e-9  # of the largest entry: how far a table may miss the inequality by rounding


def expansion(network: Network, start=None, rounds: int = 100, seconds: float = 60.0) -> Answer:
    """A labelling that no move with a single label improves; best where `is_metric` is true.

    The upper bound is the sum of the maxima of all tables, which is seldom met; `trws` has a better one.

    Parameters
    ----------
    network : Network
        All nodes must have the same number of labels.
    start : array of shape (n_nodes,) or None, default=None
        The first labelling; None: the best label of each node by its own table.
    rounds : int, default=100
        The most rounds, of one move per label.
    seconds : float, default=60.0
        The most time.

    Examples
    --------
    >>> edges = [(0, 1), (1, 2), (2, 0)]
    >>> ring = Network.from_tables([[1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]], edges, np.eye(3))
    >>> answer = expansion(ring)
    >>> answer.labels, answer.value, answer.note
    (array([0, 0, 0]), 4.0, '1 move')
    """
    began, deadline = time.perf_counter(), Deadline(seconds)
    require_network(network)
    if (network.n_labels != network.n_labels[0]).any():
        least, most = network.n_labels.min(), network.n_labels.max()
        raise ValueError(f"expansion: expected the same number of labels for all nodes, got {least} to {most}.")
    if rounds < 1:
        raise ValueError(f"rounds: expected at least 1, got {rounds}.")
    finite = network.make_finite()
    labels = network.best_unary_labels() if start is None else network.check_labelling(start)
    labels, moves = expand_labels(finite, labels, rounds, deadline)
    upper, error = upper_bound(finite, np.zeros(int(network.message_start[-1])), np.zeros(network.n_edges))
    note = f"{moves} move{'' if moves == 1 else 's'}"
    return make_answer(network, labels, upper, 4.0 * error, "expansion", began, note)


def expand_labels(
    network: Network, labels: np.ndarray, rounds: int = 100, deadline: Deadline = NEVER
) -> tuple[np.ndarray, int]:
    """Moves from ``labels`` on, until none improves the value; returns the labelling and the number of moves.

    The network must be finite.
    """
    K, flow = int(network.n_labels[0]), make_flow(network)
    value, moves, scores = network.value(labels), 0, np.empty(K)
    vain = 0  # the last moves that were tried, of different labels, do not improve the value
    for turn in range(rounds * K):
        if vain == K or deadline.over:
            break
        moved = _move(network, flow, labels, turn % K, deadline)
        improve_labels(network, moved, scores, SWEEPS)
        found = network.value(moved)
        vain += 1
        if found > value:
            labels, value, vain = moved, found, 1
            moves += 1
    return labels, moves


def _move(network: Network, flow: Flow, labels: np.ndarray, alpha: int, deadline: Deadline) -> np.ndarray:
    """The best labelling in which every node keeps its label or has label ``alpha``."""
    K, unary = int(network.n_labels[0]), network.unary.reshape(network.n_nodes, -1)
    t, h = labels[network.tail], labels[network.head]
    both = np.full(network.n_edges, alpha * K + alpha)
    entries = np.stack([t * K + h, t * K + alpha, alpha * K + h, both], axis=1)
    gain = unary[:, alpha] - unary[np.arange(network.n_nodes), labels]
    set_capacities(flow, gain, network.pairwise[network.pairwise_start[:, None] + entries])
    maximise_flow(flow, deadline)
    return np.where(flow.sink, alpha, labels)


def is_metric(network: Network) -> bool:
    """Whether the best move from any labelling is a minimum cut: whether all tables fulfil the inequality above.

    The network must be finite.

    >>> is_metric(Network.from_tables(np.zeros((2, 3)), [(0, 1)], np.eye(3)))
    True
    >>> is_metric(Network.from_tables(np.zeros((2, 3)), [(0, 1)], -np.eye(3)))
    False
    """
    if (network.n_labels != network.n_labels[0]).any():
        return False
    K = int(network.n_labels[0])
    start = np.unique(network.pairwise_start)  # edges may share a table
    tables = network.pairwise[start[:, None] + np.arange(K * K)].reshape(-1, K, K)
    slack = SLACK * np.abs(tables).max(axis=(1, 2), keepdims=True)
    for alpha in range(K):
        row, column = tables[:, alpha, None, :], tables[:, :, alpha, None]
        if (tables + tables[:, alpha, alpha, None, None] < row + column - slack).any():
            return False
    return True
