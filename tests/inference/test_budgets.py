"""Budgets and signals: an engine without time still answers with true bounds, and leaves no handler behind."""

import signal
import sys

import numpy as np
import pytest
from networks_at_random import list_labellings

from linsep.inference import Network, best_rival, cut, deadline, elimination, expansion, solve, toulbar2, trws
from linsep.inference.deadline import Deadline, OutOfTime, pieces
from linsep.inference.elimination_order import find_elimination_order
from linsep.inference.toulbar2 import has_toulbar2
from linsep.interrupt import INTERRUPT

RANDOM = np.random.default_rng(0)
EDGES = [(u, v) for u in range(6) for v in range(u)]
TABLES = RANDOM.normal(size=(len(EDGES), 3, 3))
NETWORK = Network.from_tables(RANDOM.normal(size=(6, 3)), EDGES, TABLES)
TWO = Network.from_tables(RANDOM.normal(size=(6, 2)), EDGES, np.eye(2))


@pytest.mark.parametrize(
    ("engine", "network"),
    [(trws, NETWORK), (elimination, NETWORK), (expansion, NETWORK), (solve, NETWORK), (cut, TWO), (solve, TWO)],
)
def test_an_engine_without_time_has_true_bounds(engine, network):
    best = list_labellings(network)[0][0]
    answer = engine(network, seconds=0.0)
    assert answer.value <= best + 1e-9 and best <= answer.upper
    assert is_valid(answer, network)


@pytest.mark.parametrize("engine", ["auto", "trws", "elimination"])
def test_a_rival_without_time_is_a_rival(engine):
    (best, truth), (second, _) = list_labellings(NETWORK)[:2]
    answer = best_rival(NETWORK, np.array(truth), engine, seconds=0.0)
    assert tuple(answer.labels) != tuple(truth) or engine == "trws"
    assert answer.value <= best + 1e-9 and second <= answer.upper


def is_valid(answer, network):
    """Whether value and labels belong together."""
    return answer.value == network.value(answer.labels)


def test_a_search_for_an_order_ends_at_the_deadline():
    with pytest.raises(OutOfTime):
        find_elimination_order(NETWORK, deadline=Deadline(0.0))
    with pytest.raises(ValueError, match="seconds: expected a number of at least 0, got nan"):
        solve(NETWORK, seconds=np.nan)


def test_a_loop_looks_at_the_clock_now_and_then():
    assert list(Deadline(60.0).watch(range(3))) == [0, 1, 2]
    moment = Deadline(60.0)
    watched = moment.watch(range(10 * deadline.EACH))
    assert next(watched) == 0
    moment.until = 0.0
    for k in range(1, deadline.EACH):
        assert next(watched) == k
    with pytest.raises(OutOfTime):
        next(watched)


def test_engines_inside_a_fit_end_when_the_user_wants_it(monkeypatch):
    monkeypatch.setattr(INTERRUPT, "press", [0.0])
    assert trws(NETWORK, seconds=1e6).note == "0 passes"


def test_passes_in_pieces_are_passes(monkeypatch):
    whole = trws(NETWORK, passes=40)
    monkeypatch.setattr(deadline, "PIECE", 20.0)
    assert len(pieces(6, 100.0)) > 1
    cut_up = trws(NETWORK, passes=40)
    assert (whole.value, whole.upper, whole.note) == (cut_up.value, cut_up.upper, cut_up.note)


@pytest.mark.skipif(not has_toulbar2(), reason="pytoulbar2 is not installed")
def test_toulbar2_leaves_signals_alone_and_may_come_too_late(monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    assert toulbar2(NETWORK).value == pytest.approx(list_labellings(NETWORK)[0][0])
    assert signal.getsignal(signal.SIGINT) is before
    monkeypatch.setattr(sys.modules["linsep.inference.toulbar2"], "GRACE", 0.0)
    monkeypatch.setattr(sys.modules["linsep.inference.toulbar2"], "LOOK", 1e-6)  # sooner than any process can answer
    late = toulbar2(NETWORK, seconds=0.0)
    assert "out of time" in late.note and late.upper >= list_labellings(NETWORK)[0][0]
