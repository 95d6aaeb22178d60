"""All engines against trying all labellings, and against each other on larger networks."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks_at_random import draw_network, grid_edges, is_close, list_labellings

from linsep.inference import ENGINES, Answer, Network, best_rival, cut, elimination, forest, solve, trws
from linsep.inference.elimination_order import find_elimination_order
from linsep.inference.maximum_flow import make_flow, maximise_flow
from linsep.inference.minimum_cut import find_exchanged_nodes
from linsep.inference.trws import MessagePassing

solve_module = sys.modules["linsep.inference.solve"]


def check_answer(answer, network):
    """The answer is what trying all labellings gives, as far as it claims to be."""
    best = list_labellings(network)[0][0]
    assert answer.upper >= best
    assert answer.upper >= answer.value
    assert answer.value == network.value(answer.labels)
    if answer.status == "not proved":
        assert answer.value <= best
    else:
        assert is_close(answer.value, best)
        assert (answer.status == "impossible") == (best == -math.inf)
    return answer


@pytest.mark.parametrize("seed", range(60))
def test_each_engine_agrees_with_trying_all(seed):
    random = np.random.default_rng(seed)
    tree, general, submodular = (draw_network(random, **kind) for kind in ({"tree": True}, {}, {"submodular": True}))
    assert check_answer(forest(tree), tree).status != "not proved"
    for network in (tree, general, submodular):
        assert check_answer(elimination(network, seed=seed), network).status != "not proved"
        assert check_answer(solve(network), network).status != "not proved"
        check_answer(trws(network, passes=100), network)
    assert check_answer(cut(submodular), submodular).status != "not proved"


@pytest.mark.parametrize("seed", range(10))
def test_toulbar2_agrees_with_trying_all(seed):
    pytest.importorskip("pytoulbar2", reason="the extra `exact` is not installed")
    network = draw_network(np.random.default_rng(1000 + seed))
    answer, best = solve(network, "toulbar2", seconds=5), list_labellings(network)[0][0]
    assert answer.upper >= best
    assert answer.status != "not proved"
    assert answer.value == best or abs(answer.value - best) <= 1e-6


@given(st.integers(0, 2**32))
def test_scaling_and_adding_change_values_and_not_labels(seed):
    network = draw_network(np.random.default_rng(seed), tree=True)
    twice = network._replace(unary=2 * network.unary, pairwise=2 * network.pairwise, constant=2 * network.constant + 8)
    one, other = forest(network), forest(twice)
    assert (one.labels == other.labels).all()
    assert is_close(2 * one.value + 8, other.value)


@given(st.integers(0, 2**32))
def test_forest_cut_and_elimination_agree_on_trees_of_two_labels(seed):
    network = draw_network(np.random.default_rng(seed), nodes=9, tree=True, two_labels=True)
    one, two, three = forest(network), cut(network), elimination(network)
    assert is_close(one.value, two.value) and is_close(one.value, three.value)
    assert one.optimal and two.optimal and three.optimal


@given(st.integers(0, 2**32), st.booleans())
def test_the_maximum_flow_is_that_of_scipy(seed, integers):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    random = np.random.default_rng(seed)
    ends = [(0, 1), *((u, v) for u in range(8) for v in range(u) if random.random() < 0.5)]
    network = Network.from_tables(np.zeros((8, 2)), ends, np.eye(2))
    unit = 1.0 if integers else 0.125
    flow, n, m = make_flow(network), network.n_nodes, network.n_edges
    flow.excess[:] = random.integers(-9, 10, n)
    flow.residual[:] = random.integers(0, 10, 2 * m)
    dense = np.zeros((n + 2, n + 2), dtype=np.int32)
    for e, (u, v) in enumerate(network.edges):
        dense[u, v], dense[v, u] = flow.residual[2 * e], flow.residual[2 * e + 1]
    dense[n, :n], dense[:n, n + 1] = np.maximum(flow.excess, 0), np.maximum(-flow.excess, 0)
    before = flow.excess.copy()
    flow.excess[:], flow.residual[:] = unit * flow.excess, unit * flow.residual
    maximise_flow(flow)
    sent = np.maximum(before, 0).sum() - np.maximum(flow.excess, 0).sum() / unit
    assert sent == maximum_flow(csr_array(dense), n, n + 1).flow_value
    side = np.append(flow.sink, [False, True])
    assert dense[np.ix_(~side, side)].sum() == sent


def test_a_long_chain_is_proved():
    random, n = np.random.default_rng(0), 50_000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    answer = forest(Network.from_tables(random.normal(size=(n, 3)), edges, np.eye(3)))
    assert answer.optimal and answer.gap < 1e-8


@pytest.mark.parametrize("strength", [0.3, 1.0, 3.0])
def test_cut_and_trws_prove_the_same_value(strength):
    random = np.random.default_rng(1)
    network = Network.from_tables(random.normal(size=(32 * 32, 2)), grid_edges(32, 32), strength * np.eye(2))
    one, two = cut(network), trws(network)
    assert one.optimal and two.optimal and is_close(one.value, two.value)


def test_labels_are_exchanged_where_edges_prefer_different_ones():
    ring4 = Network.from_tables(np.zeros((4, 2)), [(0, 1), (1, 2), (2, 3), (3, 0)], 1.0 - np.eye(2))
    ring3 = Network.from_tables(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], 1.0 - np.eye(2))
    assert cut(ring4).value == 4.0 and "exchanged" in cut(ring4).note
    assert find_exchanged_nodes(ring3) is None
    with pytest.raises(ValueError, match="prefer equal"):
        cut(ring3)


def test_elimination_takes_a_cheap_order():
    teeth = [*((v, v + 1) for v in range(29)), *((v, v + 30) for v in range(30))]
    assert find_elimination_order(Network.from_tables(np.zeros((60, 2)), teeth, np.eye(2))).bits == 2.0
    grid = Network.from_tables(np.zeros((60, 2)), grid_edges(5, 12), np.eye(2))
    assert find_elimination_order(grid).work <= 60 * 2**6  # what the order along the short side costs
    complete = [(u, v) for u in range(12) for v in range(u)]
    with pytest.raises(ValueError, match=r"expected tables of at most 2\^8 sums"):
        elimination(Network.from_tables(np.zeros((12, 2)), complete, np.eye(2)), bits=8)


def test_auto_says_what_it_chose():
    random = np.random.default_rng(3)
    grid = grid_edges(6, 6)
    assert solve(Network.from_tables(random.normal(size=(4, 3)))).engine == "forest"
    assert solve(Network.from_tables(random.normal(size=(36, 2)), grid, np.eye(2))).engine == "cut"
    hard = Network.from_tables(np.zeros((36, 3)), grid, random.normal(size=(len(grid), 3, 3)))
    answer = solve(hard)
    assert answer.engine.startswith("trws") and answer.optimal
    assert is_close(answer.value, elimination(hard).value)


def draw_complete_network(nodes, K=4, seed=5):
    """A hard network: every node linked with every other."""
    edges = [(u, v) for u in range(nodes) for v in range(u)]
    tables = 3.0 * np.random.default_rng(seed).normal(size=(len(edges), K, K))
    return Network.from_tables(np.zeros((nodes, K)), edges, tables)


def stop_at_once(network, seconds):
    """toulbar2 that is out of time before it finds anything good."""
    labels = np.zeros(network.n_nodes, dtype=np.int64)
    return Answer(labels, network.value(labels), network.magnitude(), "toulbar2", 0.0, 0.0)


@pytest.mark.parametrize("installed", [True, False])
def test_auto_keeps_what_trws_found_where_toulbar2_is_worse_or_missing(installed, monkeypatch):
    monkeypatch.setattr(solve_module, "has_toulbar2", lambda: installed)
    monkeypatch.setattr(solve_module, "toulbar2", stop_at_once)
    network = draw_complete_network(14)
    answer, bound = solve(network), trws(network)
    assert answer.engine == ("trws + toulbar2" if installed else "trws")
    assert answer.status == "not proved"
    assert answer.value >= bound.value and answer.upper == pytest.approx(bound.upper, rel=1e-6)


def test_trws_that_stops_early_does_not_claim_a_proof():
    random = np.random.default_rng(4)
    network = Network.from_tables(np.zeros((100, 2)), grid_edges(10, 10), 3.0 * random.normal(size=(180, 2, 2)))
    answer, best = trws(network, passes=2), elimination(network)
    assert answer.status == "not proved" and answer.value <= best.value <= answer.upper


@pytest.mark.parametrize("seed", range(8))
def test_local_search_never_loses_and_often_gains(seed):
    random = np.random.default_rng(seed)
    network = Network.from_tables(np.zeros((64, 3)), grid_edges(8, 8), 3.0 * random.normal(size=(112, 3, 3)))
    state = MessagePassing(network)
    before = state.value
    state.search_locally(2000)
    assert state.value == network.value(state.labels) > before
    assert state.value <= state.upper
    best = solve(network)
    assert best.optimal and 0.9 * best.value < state.value <= best.value + best.rounding


def test_toulbar2_out_of_time_is_not_trusted():
    pytest.importorskip("pytoulbar2", reason="the extra `exact` is not installed")
    network = draw_complete_network(40)
    answer = solve(network, "toulbar2", seconds=1)
    assert answer.status == "not proved"
    assert answer.upper > answer.value == network.value(answer.labels)


def test_a_missing_toulbar2_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytoulbar2", None)
    with pytest.raises(ImportError, match=r"linsep\[exact\]"):
        solve(Network.from_tables([[0.0, 1.0]]), "toulbar2")


def test_unknown_engines_and_networks_they_cannot_solve_are_refused():
    ring = Network.from_tables(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], np.eye(2))
    with pytest.raises(ValueError, match="engine: expected 'auto' or one of"):
        solve(ring, "magic")
    with pytest.raises(ValueError, match="got one with a cycle"):
        solve(ring, "forest")
    with pytest.raises(ValueError, match="the truth has no rival"):
        best_rival(Network.from_tables([[1.0], [2.0]]), [0, 0])
    assert set(ENGINES) == {"forest", "cut", "elimination", "trws", "expansion", "toulbar2"}
