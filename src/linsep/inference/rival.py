r"""The best labelling other than a given truth, :math:`\max_{y' \ne y} \theta(y')`: what learning needs.

Forests and narrow networks find it directly: each subtree needs one more number, the best gain over the truth of a
labelling that deviates from it. Elsewhere the best labelling is the rival unless it is the truth itself; then some
node must change, so the best over all nodes of the best labelling without the node's true label is taken, and nodes
whose bound is too low are skipped.
"""

from __future__ import annotations

import math
import time

import numpy as np

from .answer import Answer, bound_summation_error, make_answer
from .bound import label_losses, upper_bound
from .deadline import Deadline, OutOfTime
from .elimination import elimination_rival
from .elimination_order import find_elimination_order
from .forest import forest_rival, is_forest
from .local_search import find_best_single_change
from .minimum_cut import find_exchanged_nodes, find_minimum_cut
from .network import Network, require_network
from .solve import solve
from .trws import MessagePassing

DIFFERENCES = 10.0  # values relative to the truth: entries of twice the size, and up to four roundings per edge


def best_rival(network: Network, truth, engine: str = "auto", seconds: float = 60.0, **options) -> Answer:
    """The best labelling other than ``truth``; its status is "optimal" only if it is proved to be that.

    Parameters
    ----------
    network : Network
        At least one node must have two labels.
    truth : array of shape (n_nodes,)
        One label per node.
    engine : {"auto", "forest", "cut", "elimination", "trws", "expansion", "toulbar2"}, default="auto"
        The engine, as in `solve`.
    seconds : float, default=60.0
        The most time.
    **options
        Further parameters of the engine; ``bits`` of the elimination.

    Examples
    --------
    >>> pair = Network.from_tables([[1.0, 0.0], [1.0, 0.0]], [(0, 1)], [[1.0, 0.0], [0.0, 1.0]])
    >>> rival = best_rival(pair, [0, 0])
    >>> rival.labels, rival.value, rival.status     # [0, 1] and [1, 1] have 1 too
    (array([1, 0]), 1.0, 'optimal')
    """
    began, deadline = time.perf_counter(), Deadline(seconds)
    require_network(network)
    y = network.check_labelling(truth)
    if (network.n_labels == 1).all():
        raise ValueError("best_rival: expected a node with two labels, got none, so the truth has no rival.")
    if engine in ("auto", "forest") and is_forest(network):
        finite = network.make_finite()
        labels, gain = forest_rival(network, y)
        rounding = DIFFERENCES * bound_summation_error(finite)
        return make_answer(network, labels, finite.value(y) + gain + rounding, 2.0 * rounding, "forest", began)
    if engine in ("auto", "elimination"):
        bits = options.pop("bits", 16.0 if engine == "auto" else 22.0)
        found = _eliminate_to_rival(network, y, bits, deadline)
        if found is not None:
            return found
        if engine == "elimination":
            raise ValueError(f"best_rival: expected tables of at most 2^{bits:g} sums; use another engine.")
    best = solve(network, engine, deadline.left, **options)
    if (best.labels != y).any():
        return best
    return _change_a_node(network, best, began, deadline, lambda part: solve(part, engine, deadline.left, **options))


def _eliminate_to_rival(network: Network, y: np.ndarray, bits: float, deadline: Deadline) -> Answer | None:
    """The best rival by elimination; None if the network is too wide. Out of time, any rival and a weak bound."""
    began, finite = time.perf_counter(), network.make_finite()
    try:
        order = find_elimination_order(network, tries=2, bits=bits, deadline=deadline)
        if order is None:
            return None
        labels, upper = elimination_rival(finite, order, y, deadline)
    except OutOfTime:
        labels = y.copy()
        find_best_single_change(finite, y, labels, np.empty(int(network.n_labels.max())))
        late = MessagePassing(network)
        return make_answer(network, labels, late.upper, late.rounding, "elimination", began, "out of time")
    rounding = DIFFERENCES * bound_summation_error(finite)
    return make_answer(network, labels, upper + rounding, 2.0 * rounding, "elimination", began)


def _change_a_node(network: Network, best: Answer, began: float, deadline: Deadline, solve_part) -> Answer:
    """The best rival of ``best``, the best labelling: some node must have another label."""
    truth, labels = best.labels, best.labels.copy()
    find_best_single_change(network.make_finite(), truth, labels, np.empty(int(network.n_labels.max())))
    value = network.value(labels)
    limit = _bound_changes(network, truth, best, deadline)
    upper, rounding, engines, solved = -math.inf, best.rounding, {best.engine}, 0
    for v in np.argsort(-limit, kind="stable"):
        if limit[v] <= value or limit[v] == -math.inf:
            break
        if deadline.over:
            upper = max(upper, float(limit[v]))
            break
        found = solve_part(network.restrict_node(int(v), np.arange(network.n_labels[v]) != truth[v]))
        solved += 1
        engines.add(found.engine)
        rounding = max(rounding, found.rounding)
        upper = max(upper, min(found.upper, float(limit[v])))
        if found.value > value:
            labels, value = found.labels, found.value
    note = f"the truth is best; {solved} of {network.n_nodes} nodes changed"
    return make_answer(network, labels, max(upper, value), rounding, " / ".join(sorted(engines)), began, note)


def _bound_changes(network: Network, truth: np.ndarray, best: Answer, deadline: Deadline) -> np.ndarray:
    r"""For each node, an upper bound of the values of all labellings that change it.

    Messages split every value into a sum over tables, :math:`\theta(y) = \sum_t \theta_t(y_t)`, so that their bound is
    :math:`B = \sum_t \max \theta_t`. A labelling with :math:`y_v = k` can take no more than
    :math:`\max_{y_v = k} \theta_t` from the tables t of v and of its edges:

    .. math:: \theta(y) \le B + \sum_{t \ni v} \Big( \max_{y_v = k} \theta_t - \max \theta_t \Big) ,

    the loss of k at v. It counts from B, not from the value of the best labelling: that may be below B, while the
    changed labelling is hardly worse than the best. Each of the sums rounds as B does, a node's with one more addition
    per edge.
    """
    finite = network.make_finite()
    exchanged = find_exchanged_nodes(finite)
    if exchanged is not None:
        messages, share = find_minimum_cut(finite, exchanged, deadline)[1], np.zeros(network.n_edges)
    else:
        state = MessagePassing(network)
        state.run_until_stalled(100, deadline)
        messages, share = state.proof, state.share
    bound, error = upper_bound(finite, messages, share)
    losses = label_losses(finite, messages, share)
    losses[network.unary_start[:-1] + truth] = -np.inf
    changed = np.maximum.reduceat(losses, network.unary_start[:-1]) + (2 + np.diff(network.edge_start)) * error
    return np.minimum(best.upper, bound + changed)
