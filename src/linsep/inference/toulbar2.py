"""The engine toulbar2: branch and bound on cost functions, by the optional package pytoulbar2.

It is not trusted. The value is computed again from the labelling, and the bound is toulbar2's plus the error of its
rounding every entry to a decimal. At its time limit toulbar2 returns what it has *without saying so*, which shows in a
bound that does not meet the value.
"""

from __future__ import annotations

import importlib.util
import math
import time

import numpy as np

from .answer import finish, summing
from .network import Answer, Network


def has_toulbar2() -> bool:
    """Whether toulbar2 is installed."""
    return importlib.util.find_spec("pytoulbar2") is not None


def toulbar2(network: Network, seconds: float = 60.0, digits: int | None = None) -> Answer:
    """The best labelling by toulbar2 within ``seconds`` (whole ones, of CPU time); needs the extra ``exact``.

    Entries are rounded to ``digits`` decimals, as many as its 64-bit costs allow unless given.
    """
    began = time.perf_counter()
    try:
        from pytoulbar2 import CFN
    except ImportError:
        raise ImportError("engine 'toulbar2' needs the package pytoulbar2: pip install 'linsep[exact]'.") from None
    if digits is None:
        digits = max(0, min(12, math.floor(math.log10(2.0**50 / (2.0 * network.scale() + 1.0)))))
    problem = CFN(resolution=digits)
    top = network.constant
    for v in range(network.n):
        problem.AddVariable(f"v{v}", list(range(int(network.labels[v]))))
    for scope, table in [*_tables(network)]:
        most = float(table.max())
        if most == -math.inf:
            return finish(network, np.zeros(network.n), -math.inf, 0.0, "toulbar2", began, "a table forbids all")
        top += most
        problem.AddFunction(scope, (most - table).tolist())
    found = problem.Solve(timeLimit=max(1, math.ceil(seconds)))
    rounding = (network.n + network.m) * 10.0**-digits + 2.0 * summing(network)
    upper = top - problem.GetDDualBound() + rounding
    note = f"{digits} decimals"
    if found is None:
        labels, note = network.unary_best(), note + "; it found no labelling, this is the best of every node alone"
        if problem.GetDDualBound() >= 2.0 * network.scale():
            upper = -math.inf
    else:
        labels = np.array(found[0], dtype=np.int64)
    return finish(network, labels, upper, 2.0 * rounding, "toulbar2", began, note)


def _tables(network: Network):
    """All tables with the nodes they speak of."""
    for v in range(network.n):
        yield [v], network.node_table(v)
    for e in range(network.m):
        yield [int(network.tail[e]), int(network.head[e])], network.edge_table(e).ravel()
