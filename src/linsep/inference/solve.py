"""One question, many engines: `solve` takes the one that is asked for, or chooses and says what it chose."""

from __future__ import annotations

import time
from collections.abc import Callable

from .answer import finish
from .elimination import elimination, plan
from .forest import forest, is_forest
from .mincut import cut, switch
from .network import Answer, Network
from .prune import merged, rest
from .toulbar2 import has_toulbar2, toulbar2
from .trws import Messages, refine, trws

ENGINES: dict[str, Callable[..., Answer]] = {
    "forest": forest,
    "cut": cut,
    "elimination": elimination,
    "trws": trws,
    "toulbar2": toulbar2,
}


def solve(network: Network, engine: str = "auto", seconds: float = 60.0, **options) -> Answer:
    """The best labelling of a network that ``engine`` finds, with an upper bound of all values.

    ``auto`` takes dynamic programming for forests and a smallest cut for two labels where edges prefer equal ones;
    else TRW-S, leaving out labels that its bound excludes; what stays open goes to elimination if it is narrow, to
    toulbar2 if it is installed. ``seconds`` limit the search, about.

    >>> ring = Network.of([[0.0, 0.0]] * 3, [(0, 1), (1, 2), (2, 0)], [[0.0, 1.0], [1.0, 0.0]])
    >>> answer = solve(ring)
    >>> answer.engine, answer.value, answer.status
    ('trws + elimination', 2.0, 'optimal')
    """
    if engine == "auto":
        return _auto(network, seconds, **options)
    if engine not in ENGINES:
        raise ValueError(f"engine must be 'auto' or one of {sorted(ENGINES)}, not {engine!r}.")
    if engine in ("trws", "toulbar2"):
        options["seconds"] = seconds
    return ENGINES[engine](network, **options)


def _auto(network: Network, seconds: float, search: bool = True) -> Answer:
    """``search=False`` asks no solver from outside, and eliminates small rests only: for many networks in a row."""
    began = time.perf_counter()
    direct = _direct(network)
    if direct is not None:
        return direct
    until = began + seconds
    state = Messages(network)
    for passes, bits in ((30, 16.0), (200, 20.0), (1000, 22.0))[: 3 if search else 2]:
        refine(state, passes, until - time.perf_counter())
        if state.proved:
            return state.answer(began)
        found = _rest(state, began, bits)
        if found is not None:
            return found
    state.wander(20_000 if search else 2_000)
    found = _search(state, began, max(until - time.perf_counter(), 1.0)) if search else None
    return found if found is not None else state.answer(began)


def _direct(network: Network) -> Answer | None:
    """The exact answer of an engine made for such networks."""
    if is_forest(network):
        return forest(network)
    if (network.labels == 2).all() and switch(network.tamed()[0]) is not None:
        return cut(network)
    return None


def _rest(state: Messages, began: float, bits: float) -> Answer | None:
    """The answer if what TRW-S left open can be finished by an exact engine."""
    left = rest(state)
    open_ = state.network if left is None else left.network
    answer = None
    if open_ is not None:
        answer = _direct(open_)
        if answer is None:
            order = plan(open_, tries=4, bits=bits)
            if order is None:
                return None
            answer = elimination(open_, chosen=order)
    return _joined(state, left, answer, began)


def _joined(state: Messages, left, answer: Answer | None, began: float) -> Answer:
    """The answer of the whole from that of its open part."""
    engine = "trws" if answer is None else f"trws + {answer.engine}"
    note = f"{state.passes} passes"
    if left is not None:
        note += f", {len(left.nodes)} of {state.network.n} nodes left open"
    if left is None and answer is not None:
        labels, upper, rounding = answer.labels, min(answer.upper, state.upper), answer.rounding
    else:
        labels, upper, rounding = merged(state, left, answer)
    if answer is not None and answer.note:
        note += f"; {answer.note}"
    return finish(state.network, labels, upper, rounding, engine, began, note)


def _search(state: Messages, began: float, seconds: float) -> Answer | None:
    """The answer of a search from outside, if there is one for networks of this size."""
    left = rest(state)
    open_ = state.network if left is None else left.network
    if open_ is None:
        return _joined(state, left, None, began)
    if not has_toulbar2():
        return None
    answer = toulbar2(open_, seconds)
    found = _joined(state, left, answer, began)
    if found.value < state.value:
        note = found.note + "; the labelling is TRW-S's"
        upper = min(found.upper, state.upper)
        return finish(state.network, state.best, upper, found.rounding, found.engine, began, note)
    return found
