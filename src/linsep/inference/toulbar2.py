"""The engine toulbar2: branch and bound on cost functions, by the optional package pytoulbar2.

Its answers are checked. The value is computed again from the labelling, and the bound is that of toulbar2 plus the
error of rounding every entry to a decimal. At its time limit toulbar2 returns what it has *without saying so*; that
shows in a bound that does not meet the value. It runs in a process of its own (`toulbar2_process`).
"""

from __future__ import annotations

import importlib.util
import io
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..interrupt import INTERRUPT
from .answer import Answer, bound_summation_error, make_answer
from .deadline import Deadline
from .network import Network, require_network
from .trws import answer_late

GRACE = 0.5  # seconds beyond the deadline in which a process may still answer
LOOK = 0.1  # seconds after which we look for Ctrl-C


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
        The most time.
    digits : int or None, default=None
        The number of decimals to which entries are rounded; None: as many as the 64-bit costs of toulbar2 allow.

    Examples
    --------
    >>> ring = Network.from_tables(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], [[0.0, 1.0], [1.0, 0.0]])
    >>> toulbar2(ring).value if has_toulbar2() else 2.0
    2.0
    """
    began, deadline = time.perf_counter(), Deadline(seconds)
    require_network(network)
    if not has_toulbar2():
        raise ImportError("engine 'toulbar2' needs the package pytoulbar2: pip install 'linsep[exact]'.")
    scale = int(np.frexp(network.magnitude())[1])  # costs are those of tables times 2^-scale
    size = 2.0 * math.ldexp(network.magnitude(), -scale) + 1.0
    if digits is None:
        digits = max(0, min(12, math.floor(math.log10(2.0**50 / size))))
    scopes = np.concatenate([np.arange(network.n_nodes), network.tail]), np.full(network.n_nodes + network.n_edges, -1)
    scopes[1][network.n_nodes :] = network.head
    tables = [network.node_table(v) for v in range(network.n_nodes)]
    tables += [network.edge_table(e).ravel() for e in range(network.n_edges)]
    most = [float(table.max()) for table in tables]
    if min(most) == -math.inf:
        labels = np.zeros(network.n_nodes)
        return make_answer(network, labels, -math.inf, 0.0, "toulbar2", began, "a table forbids all labels")
    costs = np.ldexp(np.concatenate([best - table for best, table in zip(most, tables, strict=True)]), -scale)
    problem = {"digits": digits, "n_labels": network.n_labels, "scopes": np.stack(scopes, axis=1), "costs": costs}
    found = _run(problem, deadline)
    if found is None:
        return answer_late(network, "toulbar2", began)
    rounding = math.ldexp((network.n_nodes + network.n_edges) * 10.0**-digits, scale)
    rounding += 2.0 * bound_summation_error(network)
    upper = math.fsum([network.constant, *most, -math.ldexp(found[0], scale), rounding])
    labels, note = found[1], f"{digits} decimals"
    if labels.size == 0:
        labels, note = network.best_unary_labels(), note + "; no labelling found, this one is the best of each node"
        if found[0] >= size - 1.0:
            upper = -math.inf
    return make_answer(network, labels, upper, 2.0 * rounding, "toulbar2", began, note)


def _run(problem: dict[str, Any], deadline: Deadline) -> tuple[float, np.ndarray] | None:
    """The lower bound of the costs and the labels that toulbar2 finds in a process of its own; None if out of time.

    toulbar2 keeps its own limit of CPU time only roughly, and installs handlers of signals: so it gets a process that
    is ended at the deadline, and that Ctrl-C does not reach; we end it then.
    """
    file = io.BytesIO()
    np.savez(file, time_limit=max(1, math.floor(deadline.left)), **problem)
    script = str(Path(__file__).with_name("toulbar2_process.py"))
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-P", script], start_new_session=True, **pipes) as process:
        try:
            out = _wait(process, file.getvalue(), deadline)
        finally:
            process.kill()
    if out is None:
        return None
    if process.returncode:
        raise RuntimeError(f"toulbar2: expected an answer, got exit code {process.returncode} of its process.")
    bound, *labels = out.decode().split()
    return float(bound), np.array(labels, dtype=np.int64)


def _wait(process: subprocess.Popen, problem: bytes, deadline: Deadline) -> bytes | None:
    """The answer of the process; None some time after the deadline, or soon after Ctrl-C."""
    given: bytes | None = problem
    while True:
        try:
            return process.communicate(given, timeout=LOOK)[0]
        except subprocess.TimeoutExpired:
            given = None  # it is on its way
            if INTERRUPT.pressed or time.monotonic() >= deadline.until + GRACE:
                return None
