r"""The best labelling other than a given truth, :math:`\max_{y' \ne y} \theta(y')`: what learning asks for.

Forests and narrow networks answer it in one go: in every subtree only "has deviated" need be carried along, relative
to the truth. Elsewhere the best labelling is the rival unless it is the truth itself; then some node must change, so
the best over all nodes of the best labelling without the node's true label is taken, nodes whose bound is too low being
skipped.
"""

from __future__ import annotations

import math
import time

import numpy as np

from .answer import finish, summing
from .bound import losses
from .elimination import deviating, plan
from .forest import forest_rival, is_forest
from .local import beside
from .mincut import flow_messages, switch
from .network import Answer, Network
from .solve import solve
from .trws import Messages, refine

DIFFERENCES = 10.0  # all is told relative to the truth: twice the size, and up to four roundings an edge


def best_rival(network: Network, truth, engine: str = "auto", seconds: float = 60.0, **options) -> Answer:
    """The best labelling but ``truth``; its status is ``optimal`` only where it is proved to be that.

    >>> pair = Network.of([[1.0, 0.0], [1.0, 0.0]], [(0, 1)], [[1.0, 0.0], [0.0, 1.0]])
    >>> rival = best_rival(pair, [0, 0])
    >>> rival.labels, rival.value, rival.status     # [0, 1] and [1, 1] have 1 too
    (array([1, 0]), 1.0, 'optimal')
    """
    began = time.perf_counter()
    y = network.checked(truth)
    if (network.labels == 1).all():
        raise ValueError("best_rival: no node has a second label, so the truth has no rival.")
    if engine in ("auto", "forest") and is_forest(network):
        labels, ahead = forest_rival(network, y)
        rounding = DIFFERENCES * summing(network.tamed()[0])
        base = network.tamed()[0].value(y)
        return finish(network, labels, base + ahead + rounding, 2.0 * rounding, "forest", began)
    if engine in ("auto", "elimination"):
        order = plan(network, tries=2, bits=options.pop("bits", 16.0 if engine == "auto" else 22.0))
        if order is not None:
            tame, _ = network.tamed()
            labels, upper = deviating(tame, order, y)
            rounding = DIFFERENCES * summing(tame)
            return finish(network, labels, upper + rounding, 2.0 * rounding, "elimination", began)
        if engine == "elimination":
            raise ValueError("best_rival: the network is too wide for elimination; take another engine.")
    best = solve(network, engine, seconds, **options)
    if (best.labels != y).any():
        return best
    return _changed(network, y, best, engine, began, seconds, options)


def _changed(network: Network, truth, best: Answer, engine: str, began: float, seconds: float, options) -> Answer:
    """The best labelling that changes some node of ``truth``, which is the best of all."""
    labels, value = neighbour(network, truth)
    limit = _limits(network, truth, best)
    upper, rounding, used, solved = -math.inf, best.rounding, {best.engine}, 0
    for v in np.argsort(-limit, kind="stable"):
        if limit[v] <= value or limit[v] == -math.inf:
            break
        left = seconds - (time.perf_counter() - began)
        if left <= 0.0:
            upper = max(upper, float(limit[v]))
            break
        found = solve(network.clamped(int(v), np.arange(network.labels[v]) != truth[v]), engine, left, **options)
        solved += 1
        used.add(found.engine)
        rounding = max(rounding, found.rounding)
        upper = max(upper, min(found.upper, float(limit[v])))
        if found.value > value:
            labels, value = found.labels, found.value
    note = f"the truth is best; {solved} of {network.n} nodes changed"
    return finish(network, labels, max(upper, value), rounding, " / ".join(sorted(used)), began, note)


def _limits(network: Network, truth: np.ndarray, best: Answer) -> np.ndarray:
    """A bound, for every node, of all labellings that change it."""
    tame, _ = network.tamed()
    turned = switch(tame) if (network.labels == 2).all() else None
    if turned is not None:
        messages, share = flow_messages(tame, turned), np.zeros(network.m)
    else:
        state = refine(Messages(network), 100, 5.0)
        messages, share = state.proof, state.share
    lost = losses(tame, messages, share)
    lost[network.node[:-1] + truth] = -np.inf
    return best.upper + best.rounding + np.maximum.reduceat(lost, network.node[:-1])


def neighbour(network: Network, truth: np.ndarray) -> tuple[np.ndarray, float]:
    """The best labelling that differs from ``truth`` in one node."""
    total, best, change = np.empty(int(network.labels.max())), -math.inf, (-1, -1)
    for v in np.flatnonzero(network.labels > 1):
        beside(network, v, truth, total)
        part = total[: network.labels[v]].copy()
        own, part[truth[v]] = part[truth[v]], -math.inf
        k = int(np.argmax(part))
        if k == truth[v]:
            k = int(truth[v] == 0)
        ahead = part[k] - own if own > -math.inf else -math.inf
        if ahead > best or change[0] < 0:
            best, change = ahead, (int(v), k)
    labels = truth.copy()
    labels[change[0]] = change[1]
    return labels, network.value(labels)
