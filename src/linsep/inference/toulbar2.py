"""The engine toulbar2: branch and bound on cost functions, by the optional package pytoulbar2.

Its answers are checked. The value is computed again from the labelling, and the bound is that of toulbar2 plus the
error of rounding every entry to a decimal. At its time limit toulbar2 returns what it has *without saying so*; that
shows in a bound that does not meet the value.
"""

from __future__ import annotations

import importlib.util
import math
import time

import numpy as np

from .answer import Answer, bound_summation_error, make_answer
from .network import Network


def has_toulbar2() -> bool:
    """Whether toulbar2 is installed."""
    return importlib.util.find_spec("pytoulbar2") is not None


def toulbar2(network: Network, seconds: float = 60.0, digits: int | None = None) -> Answer:
    """The best labelling by toulbar2; needs the extra ``exact``.

    Parameters
    ----------
    network : Network
        Any network.
    seconds : float, default=60.0
        The most CPU time, rounded up to whole seconds.
    digits : int or None, default=None
        The number of decimals to which entries are rounded; None: as many as the 64-bit costs of toulbar2 allow.

    Examples
    --------
    >>> ring = Network.from_tables(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], [[0.0, 1.0], [1.0, 0.0]])
    >>> toulbar2(ring).value if has_toulbar2() else 2.0
    2.0
    """
    began = time.perf_counter()
    try:
        from pytoulbar2 import CFN
    except ImportError:
        raise ImportError("engine 'toulbar2' needs the package pytoulbar2: pip install 'linsep[exact]'.") from None
    if digits is None:
        digits = max(0, min(12, math.floor(math.log10(2.0**50 / (2.0 * network.magnitude() + 1.0)))))
    problem = CFN(resolution=digits)
    for v in range(network.n_nodes):
        problem.AddVariable(f"v{v}", list(range(int(network.n_labels[v]))))
    tables = [([v], network.node_table(v)) for v in range(network.n_nodes)]
    tables += [(edge, network.edge_table(e).ravel()) for e, edge in enumerate(network.edges.tolist())]
    top = network.constant
    for scope, table in tables:
        most = float(table.max())
        if most == -math.inf:
            labels = np.zeros(network.n_nodes)
            return make_answer(network, labels, -math.inf, 0.0, "toulbar2", began, "a table forbids all labels")
        top += most
        problem.AddFunction(scope, (most - table).tolist())
    found = problem.Solve(timeLimit=max(1, math.ceil(seconds)))
    rounding = (network.n_nodes + network.n_edges) * 10.0**-digits + 2.0 * bound_summation_error(network)
    upper = top - problem.GetDDualBound() + rounding
    note = f"{digits} decimals"
    if found is None:
        labels, note = network.best_unary_labels(), note + "; no labelling found, this one is the best of each node"
        if problem.GetDDualBound() >= 2.0 * network.magnitude():
            upper = -math.inf
    else:
        labels = np.array(found[0], dtype=np.int64)
    return make_answer(network, labels, upper, 2.0 * rounding, "toulbar2", began, note)
