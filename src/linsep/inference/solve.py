"""`solve` runs the engine that is asked for, or chooses one and says which."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from ..interrupt import interrupts
from .answer import Answer
from .deadline import Deadline, OutOfTime
from .elimination import eliminate_all, elimination
from .elimination_order import find_elimination_order
from .expansion import expand_labels, expansion, is_metric
from .forest import forest, is_forest
from .minimum_cut import cut, find_exchanged_nodes
from .network import Network, require_network
from .open_part import combine, find_open_part
from .toulbar2 import has_toulbar2, toulbar2
from .trws import MessagePassing, trws

ENGINES: dict[str, Callable[..., Answer]] = {
    "forest": forest,
    "cut": cut,
    "elimination": elimination,
    "trws": trws,
    "expansion": expansion,
    "toulbar2": toulbar2,
}


def solve(network: Network, engine: str = "auto", seconds: float = 60.0, **options) -> Answer:
    """The best labelling of a network that ``engine`` finds, with an upper bound of all values.

    "auto" uses dynamic programming for forests and a minimum cut for two labels where edges prefer equal ones;
    otherwise TRW-S, leaving out labels that its bound excludes; what is left open is solved by elimination if it is
    narrow, or by toulbar2 if that is installed. If all nodes have the same labels and edges prefer equal ones
    (`is_metric`), expansion improves the labelling first, so that the bound excludes more labels.

    Parameters
    ----------
    network : Network
        Any network that the engine can solve.
    engine : {"auto", "forest", "cut", "elimination", "trws", "expansion", "toulbar2"}, default="auto"
        The engine.
    seconds : float, default=60.0
        The most time. What an engine has by then is its answer; "forest" takes no longer than reading the tables.
    **options
        Further parameters of the engine. Of "auto": ``search`` (bool, default=True); False does without toulbar2 and
        eliminates only small networks, for many networks in a row.

    Examples
    --------
    >>> ring = Network.from_tables([[0.0, 0.0]] * 3, [(0, 1), (1, 2), (2, 0)], [[0.0, 1.0], [1.0, 0.0]])
    >>> answer = solve(ring)
    >>> answer.engine, answer.value, answer.status
    ('trws + elimination', 2.0, 'optimal')
    """
    if engine != "auto" and engine not in ENGINES:
        raise ValueError(f"engine: expected 'auto' or one of {sorted(ENGINES)}, got {engine!r}.")
    if engine != "forest":
        options["seconds"] = seconds
    with interrupts():
        return _solve_by_choice(network, **options) if engine == "auto" else ENGINES[engine](network, **options)


def _solve_by_choice(network: Network, seconds: float, search: bool = True) -> Answer:
    """The engine "auto"."""
    began, deadline = time.perf_counter(), Deadline(seconds)
    require_network(network)
    direct = _solve_directly(network, deadline)
    if direct is not None:
        return direct
    state = MessagePassing(network)
    found = None
    try:
        for passes, bits in ((30, 16.0), (200, 20.0), (1000, 22.0))[: 3 if search else 2]:
            state.run_until_stalled(passes, deadline)
            _expand(state, state.decoded, deadline)
            if state.proved:
                return state.answer(began)
            found = _solve_open_part(state, began, deadline, partial(_solve_exactly, bits=bits, deadline=deadline))
            if found is not None:
                return found
        state.search_locally(20_000 if search else 2_000, deadline)
        _expand(state, state.labels, deadline)
        if search and has_toulbar2():
            found = _solve_open_part(state, began, deadline, lambda part: toulbar2(part, deadline.left))
    except OutOfTime:
        pass
    return found if found is not None else state.answer(began)


def _expand(state: MessagePassing, start: np.ndarray, deadline: Deadline) -> None:
    """Improve a labelling by expansion, where its moves are minimum cuts and nothing is proved yet.

    It starts at what TRW-S decoded, not at what it found itself before: no move leads away from there.
    """
    if state.proved or not is_metric(state.finite):
        return
    before = state.value
    state.keep_if_better(expand_labels(state.finite, start, deadline=deadline)[0])
    if state.value > before:
        state.engine = "trws + expansion"


def _solve_open_part(
    state: MessagePassing, began: float, deadline: Deadline, solve_part: Callable[[Network], Answer | None]
) -> Answer | None:
    """The answer for the whole network, if ``solve_part`` has one for what TRW-S left open."""
    part = find_open_part(state, deadline)
    deadline.check()
    if part.network is None:
        return combine(state, part, None, began)
    answer = solve_part(part.network)
    return None if answer is None else combine(state, part, answer, began)


def _solve_exactly(network: Network, bits: float, deadline: Deadline) -> Answer | None:
    """The answer of an exact engine; None if the network is too wide for tables of ``2^bits`` sums."""
    direct = _solve_directly(network, deadline)
    if direct is not None:
        return direct
    order = find_elimination_order(network, tries=4, bits=bits, deadline=deadline)
    return None if order is None else eliminate_all(network, order, deadline)


def _solve_directly(network: Network, deadline: Deadline) -> Answer | None:
    """The answer of the engine for forests or for two labels, if it fits."""
    if is_forest(network):
        return forest(network)
    if find_exchanged_nodes(network.make_finite()) is not None:
        return cut(network, deadline.left)
    return None
