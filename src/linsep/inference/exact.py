r"""Exact answers from outside: toulbar2 (branch and bound on cost functions) and HiGHS (a mixed-integer program).

Neither is taken at its word. The value is computed anew from the labelling, the bound is the solver's with its own
arithmetic added: toulbar2 rounds every entry to a decimal, HiGHS keeps to tolerances; and toulbar2 returns what it has
at its time limit *without saying so*, which shows in a bound that does not meet the value.
"""

from __future__ import annotations

import importlib.util
import math
import time

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from .answer import finish, summing
from .network import Answer, Network

TOLERANCE = 1e-6  # of HiGHS: reduced costs and whole numbers


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


def highs(network: Network, seconds: float = 60.0) -> Answer:
    """The best labelling by HiGHS, as a mixed-integer program over the local polytope; for small networks."""
    began = time.perf_counter()
    nodes, size = network.unary.size, network.sizes()
    if nodes + size.sum() > 2_000_000:
        raise ValueError(f"highs: {nodes + size.sum()} variables are too many; take another engine.")
    begin = nodes + np.concatenate([[0], np.cumsum(size)])
    rows, columns, signs, right = [], [], [], []
    count = 0
    for v in range(network.n):
        rows.append(np.full(network.labels[v], count))
        columns.append(np.arange(network.node[v], network.node[v + 1]))
        signs.append(np.ones(network.labels[v]))
        right.append(1.0)
        count += 1
    for e in range(network.m):
        shape = network.labels[network.tail[e]], network.labels[network.head[e]]
        cells = begin[e] + np.arange(size[e]).reshape(shape)
        for v, lines in ((network.tail[e], cells), (network.head[e], cells.T)):
            for k, line in enumerate(lines):  # the cells of a label add up to the label
                rows.append(np.full(line.size + 1, count))
                columns.append(np.append(line, network.node[v] + k))
                signs.append(np.append(np.ones(line.size), -1.0))
                right.append(0.0)
                count += 1
    shape = (count, int(begin[-1]))
    matrix = sp.csr_array((np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
    gain = np.concatenate([network.unary, *(network.edge_table(e).ravel() for e in range(network.m))])
    allowed = np.isfinite(gain)
    result = milp(
        -np.where(allowed, gain, 0.0),
        integrality=np.arange(gain.size) < nodes,
        bounds=Bounds(0.0, allowed.astype(float)),
        constraints=LinearConstraint(matrix, right, right),
        options={"time_limit": float(seconds), "mip_rel_gap": 0.0},
    )
    rounding = TOLERANCE * (network.n + network.m) + 2.0 * summing(network)
    if result.status == 2:
        return finish(network, network.unary_best(), -math.inf, 0.0, "highs", began, "no labelling is allowed")
    bound = result.mip_dual_bound if result.mip_dual_bound is not None else -math.inf
    labels = network.unary_best()
    if result.x is not None:
        whole = [result.x[network.node[v] : network.node[v + 1]] for v in range(network.n)]
        labels = np.array([int(np.argmax(part)) for part in whole])
    return finish(network, labels, network.constant - bound + rounding, 2.0 * rounding, "highs", began)


def _tables(network: Network):
    """All tables with the nodes they speak of."""
    for v in range(network.n):
        yield [v], network.node_table(v)
    for e in range(network.m):
        yield [int(network.tail[e]), int(network.head[e])], network.edge_table(e).ravel()
