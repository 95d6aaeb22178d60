"""Engines against trying all labellings; bounds that hold for any messages; the best labelling but one."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks_at_random import close, every, grid_edges, some_network

from linsep.inference import ENGINES, Answer, Network, best_rival, cut, elimination, forest, solve, trws
from linsep.inference.bound import even_bound, losses, upper_bound
from linsep.inference.elimination import plan
from linsep.inference.maxflow import flow_on, saturate
from linsep.inference.mincut import switch
from linsep.inference.trws import Messages, shares

SEEDS = range(150)


def judged(answer, network):
    """The answer is what trying all labellings gives, as far as it claims to be."""
    best = every(network)[0][0]
    assert answer.upper >= best
    assert answer.upper >= answer.value
    assert answer.value == network.value(answer.labels)
    if answer.status == "not proved":
        assert answer.value <= best
    else:
        assert close(answer.value, best)
        assert (answer.status == "impossible") == (best == -math.inf)
    return answer


@pytest.mark.parametrize("seed", SEEDS)
def test_every_engine_agrees_with_trying_all(seed):
    random = np.random.default_rng(seed)
    tree, any_, even = some_network(random, tree=True), some_network(random), some_network(random, agree=True)
    assert judged(forest(tree), tree).status != "not proved"
    for network in (tree, any_, even):
        assert judged(elimination(network, seed=seed), network).status != "not proved"
        assert judged(solve(network), network).status != "not proved"
        judged(trws(network, passes=100), network)
    assert judged(cut(even), even).status != "not proved"


@pytest.mark.parametrize("seed", range(25))
def test_toulbar2_agrees_with_trying_all(seed):
    pytest.importorskip("pytoulbar2", reason="the extra `exact` is not installed")
    network = some_network(np.random.default_rng(1000 + seed))
    answer = solve(network, "toulbar2", seconds=5)
    assert answer.upper >= every(network)[0][0]
    assert answer.status != "not proved"
    assert answer.value == every(network)[0][0] or abs(answer.value - every(network)[0][0]) <= 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_rival_is_the_best_of_all_other_labellings(seed):
    random = np.random.default_rng(seed)
    for kind in ({"tree": True}, {}, {"agree": True}):
        network = some_network(random, nodes=5, **kind)
        found = every(network)
        if len(found) < 2:
            continue
        truth = found[0][1] if random.random() < 0.5 else found[random.integers(len(found))][1]
        wanted = max(value for value, labels in found if labels != truth)
        engines = ["auto", "elimination", "trws"] + ["forest"] * ("tree" in kind) + ["cut"] * ("agree" in kind)
        for engine in engines:
            rival = best_rival(network, truth, engine)
            assert tuple(rival.labels) != truth
            assert rival.upper >= wanted
            assert close(rival.value, wanted) or (rival.status == "not proved" and rival.value < wanted)
            assert rival.status != "not proved" or engine == "trws"


@given(st.integers(0, 2**32), st.floats(1e-3, 1e6))
def test_any_messages_give_a_bound_and_true_losses(seed, scale):
    random = np.random.default_rng(seed)
    network, _ = some_network(random, nodes=5).tamed()
    messages = scale * random.normal(size=int(network.spot[-1]))
    for share in (np.zeros(network.m), shares(network)):
        upper, error = upper_bound(network, messages, share)
        lost = losses(network, messages, share)
        for value, labels in every(network):
            assert value <= upper
            assert all(value <= upper + lost[network.node[v] + k] + 4 * error for v, k in enumerate(labels))


@given(st.integers(0, 2**32), st.floats(1e-3, 1e6))
def test_the_bound_without_compiled_code_is_the_same(seed, scale):
    random = np.random.default_rng(seed)
    network, _ = some_network(random, two=True).tamed()
    messages = scale * random.normal(size=int(network.spot[-1]))
    for share in (np.zeros(network.m), shares(network), -shares(network)):
        (upper, error), (even, doubt) = upper_bound(network, messages, share), even_bound(network, messages, share)
        assert abs(even - upper) <= 2 * error and doubt == pytest.approx(error)


@given(st.integers(0, 2**32))
def test_the_bound_of_trws_never_rises(seed):
    random = np.random.default_rng(seed)
    state = Messages(some_network(random, density=0.9))
    before = math.inf
    for _ in range(8):
        state.run(1)
        upper, error = upper_bound(state.tame, state.messages, state.share)
        assert upper <= before + 4 * error
        assert state.upper >= every(state.network)[0][0]
        before = upper


@given(st.integers(0, 2**32))
def test_adding_and_scaling_change_values_and_not_labels(seed):
    random = np.random.default_rng(seed)
    network = some_network(random, tree=True)
    twice = network._replace(unary=2 * network.unary, pairwise=2 * network.pairwise, constant=2 * network.constant + 8)
    one, other = forest(network), forest(twice)
    assert (one.labels == other.labels).all()
    assert close(2 * one.value + 8, other.value)


@given(st.integers(0, 2**32))
def test_a_forest_a_cut_and_elimination_agree_on_trees_of_two_labels(seed):
    network = some_network(np.random.default_rng(seed), nodes=9, tree=True, two=True)
    one, two, three = forest(network), cut(network), elimination(network)
    assert close(one.value, two.value) and close(one.value, three.value)
    assert one.optimal and two.optimal and three.optimal


@given(st.integers(0, 2**32), st.booleans())
def test_the_flow_is_scipys(seed, whole):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    random = np.random.default_rng(seed)
    ends = [(0, 1), *((u, v) for u in range(8) for v in range(u) if random.random() < 0.5)]
    network = Network.of(np.zeros((8, 2)), ends, np.eye(2))
    unit = 1.0 if whole else 0.125
    flow, n, m = flow_on(network), network.n, network.m
    flow.excess[:] = random.integers(-9, 10, n)
    flow.residual[:] = random.integers(0, 10, 2 * m)
    dense = np.zeros((n + 2, n + 2), dtype=np.int32)
    for e, (u, v) in enumerate(network.edges):
        dense[u, v], dense[v, u] = flow.residual[2 * e], flow.residual[2 * e + 1]
    dense[n, :n], dense[:n, n + 1] = np.maximum(flow.excess, 0), np.maximum(-flow.excess, 0)
    before = flow.excess.copy()
    flow.excess[:], flow.residual[:] = unit * flow.excess, unit * flow.residual
    saturate(flow)
    sent = np.maximum(before, 0).sum() - np.maximum(flow.excess, 0).sum() / unit
    assert sent == maximum_flow(csr_array(dense), n, n + 1).flow_value
    side = np.append(flow.sink, [False, True])
    assert dense[np.ix_(~side, side)].sum() == sent


@pytest.mark.parametrize("seed", range(60))
def test_claims_hold_in_exact_arithmetic(seed):
    """Magnitudes from 1e-8 to 1e8: bounds are above the best value, and optimal means within the rounding named."""
    random = np.random.default_rng(seed)
    kind = [{"tree": True}, {}, {"agree": True}, {"two": True}][seed % 4]
    network = some_network(random, nodes=5, density=0.8, **kind)
    if seed % 3 == 0:
        sizes = 10.0 ** random.integers(-8, 9, network.unary.size), 10.0 ** random.integers(-8, 9)
        network = network._replace(unary=network.unary * sizes[0], pairwise=network.pairwise * sizes[1])
    elif seed % 3 == 1:
        network = network._replace(unary=1e8 * network.unary + 1e-8 * random.normal(size=network.unary.size))
    exact = {labels: rational(network, labels) for value, labels in every(network) if value > -math.inf}
    engines = ["elimination", "trws", "auto"] + ["forest"] * ("tree" in kind) + ["cut"] * ("agree" in kind)
    for answer in (solve(network, engine) for engine in engines) if exact else ():
        best = max(exact.values())
        assert Fraction(answer.upper) >= best
        assert best - exact[tuple(answer.labels.tolist())] <= (
            Fraction(answer.rounding) if answer.optimal else math.inf
        )
        assert answer.rounding <= 1e-12 * network.scale()


def rational(network, labels):
    """The value of a labelling without rounding."""
    entries = [network.node_table(v)[labels[v]] for v in range(network.n)]
    ends = zip(network.tail, network.head, strict=True)
    entries += [network.edge_table(e)[labels[u], labels[v]] for e, (u, v) in enumerate(ends)]
    return sum(map(Fraction, entries), Fraction(network.constant))


def test_a_long_chain_is_proved():
    random, n = np.random.default_rng(0), 200_000
    network = Network.of(random.normal(size=(n, 3)), np.stack([np.arange(n - 1), np.arange(1, n)], 1), np.eye(3))
    answer = forest(network)
    assert answer.optimal and answer.gap < 1e-8


@pytest.mark.parametrize("strength", [0.3, 1.0, 3.0])
def test_cut_and_trws_prove_the_same_picture(strength):
    random = np.random.default_rng(1)
    network = Network.of(random.normal(size=(32 * 32, 2)), grid_edges(32, 32), strength * np.eye(2))
    one, two = cut(network), trws(network)
    assert one.optimal and two.optimal and close(one.value, two.value)


def test_an_edge_that_prefers_difference_is_turned_where_it_can_be():
    ring4 = Network.of(np.zeros((4, 2)), [(0, 1), (1, 2), (2, 3), (3, 0)], 1.0 - np.eye(2))
    ring3 = Network.of(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], 1.0 - np.eye(2))
    assert cut(ring4).value == 4.0 and "exchanged" in cut(ring4).note
    assert switch(ring3) is None
    with pytest.raises(ValueError, match="prefer equal"):
        cut(ring3)


def test_elimination_takes_the_order_that_suits():
    comb = Network.of(
        np.zeros((60, 2)), [*((v, v + 1) for v in range(29)), *((v, v + 30) for v in range(30))], np.eye(2)
    )
    assert plan(comb).bits == 2.0
    grid = Network.of(np.zeros((60, 2)), grid_edges(5, 12), np.eye(2))
    assert plan(grid).work <= 60 * 2**6  # what the order along the short side costs
    with pytest.raises(ValueError, match="no order found"):
        elimination(Network.of(np.zeros((12, 2)), [(u, v) for u in range(12) for v in range(u)], np.eye(2)), bits=8)


def test_auto_says_what_it_chose():
    random = np.random.default_rng(3)
    grid = grid_edges(6, 6)
    assert solve(Network.of(random.normal(size=(4, 3)))).engine == "forest"
    assert solve(Network.of(random.normal(size=(36, 2)), grid, np.eye(2))).engine == "cut"
    hard = Network.of(np.zeros((36, 3)), grid, random.normal(size=(len(grid), 3, 3)))
    answer = solve(hard)
    assert answer.engine.startswith("trws") and answer.optimal
    assert close(answer.value, elimination(hard).value)


def test_messages_that_stop_early_claim_nothing():
    random = np.random.default_rng(4)
    network = Network.of(np.zeros((100, 2)), grid_edges(10, 10), 3.0 * random.normal(size=(180, 2, 2)))
    answer, best = trws(network, passes=2), elimination(network)
    assert answer.status == "not proved" and answer.value <= best.value <= answer.upper


@pytest.mark.parametrize("seed", range(20))
def test_wandering_never_loses_and_often_gains(seed):
    random = np.random.default_rng(seed)
    network = Network.of(np.zeros((64, 3)), grid_edges(8, 8), 3.0 * random.normal(size=(112, 3, 3)))
    state = Messages(network)
    before = state.value
    state.wander(2000)
    assert state.value == network.value(state.best) > before
    assert state.value <= state.upper
    best = solve(network)
    assert best.optimal and 0.9 * best.value < state.value <= best.value + best.rounding


def test_toulbar2_out_of_time_is_not_believed():
    pytest.importorskip("pytoulbar2", reason="the extra `exact` is not installed")
    random = np.random.default_rng(5)
    edges = [(u, v) for u in range(40) for v in range(u)]
    network = Network.of(np.zeros((40, 4)), edges, 3.0 * random.normal(size=(len(edges), 4, 4)))
    answer = solve(network, "toulbar2", seconds=1)
    assert answer.status == "not proved"
    assert answer.upper > answer.value == network.value(answer.labels)


def test_a_missing_toulbar2_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytoulbar2", None)
    with pytest.raises(ImportError, match=r"linsep\[exact\]"):
        solve(Network.of([[0.0, 1.0]]), "toulbar2")


def test_parallel_edges_add_and_turned_ones_are_transposed():
    table = np.arange(6.0).reshape(2, 3)
    network = Network.of([[0.0, 0.0], [0.0, 0.0, 0.0]], [(0, 1), (1, 0)], [table, 10 * table.T])
    assert network.m == 1 and (network.edge_table(0) == 11 * table).all()
    shared = Network.of(np.zeros((3, 2)), [(1, 0), (1, 2)], [[0.0, 1.0], [2.0, 3.0]])
    assert shared.value([0, 1, 0]) == 2.0 + 2.0 and shared.value([1, 0, 1]) == 1.0 + 1.0


def test_an_answer_below_its_value_is_a_bug_that_shows():
    with pytest.raises(RuntimeError, match="a bug"):
        Answer(np.zeros(1), 2.0, 1.0, "wrong", 0.0, 1e-9)


@pytest.mark.parametrize(
    ("unary", "edges", "tables", "message"),
    [
        (np.zeros((3, 2)), [(0, 3)], np.eye(2), r"Edge 0 = \(0, 3\) is out of range"),
        (np.zeros((3, 2)), [(0, 1), (-1, 1)], np.eye(2), r"Edge 1 = \(-1, 1\) is out of range"),
        (np.zeros((3, 2)), [(0, 1), (2, 2)], np.eye(2), r"Edge 1 = \(2, 2\) is a loop"),
        (np.zeros((3, 2)), [(0.5, 1)], np.eye(2), "whole numbers"),
        (np.zeros((3, 2)), [(0, 1, 2)], np.eye(2), "pairs of nodes"),
        (np.zeros((3, 2)), [(0, 1)], np.eye(3), r"must be of \(2, 2\), not \(3, 3\)"),
        (np.zeros((3, 2)), [(0, 1)], [np.eye(2), np.eye(2)], "1 edges, but 2 pairwise"),
        (np.zeros((3, 2)), [(0, 1)], [[np.nan, 0], [0, 0]], "Edge 0: NaN"),
        (np.array([[0.0, 1.0], [np.nan, 0.0]]), [], [], "Node 1: nan"),
        (np.array([[0.0, np.inf]]), [], [], "Node 0: inf"),
        ([[0.0], []], [], [], "Node 1 has no label"),
        ([], [], [], "at least one node"),
        ([[[0.0]]], [], [], "must be a vector"),
    ],
)
def test_bad_networks_are_refused_by_name(unary, edges, tables, message):
    with pytest.raises(ValueError, match=message):
        Network.of(unary, edges, tables)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0], "each of the 2 nodes"),
        ([0, 2], "Node 1 has no label 2"),
        ([0.0, 1.0], "whole numbers"),
        ([-1, 0], "Node 0"),
    ],
)
def test_bad_labellings_are_refused_by_name(labels, message):
    with pytest.raises(ValueError, match=message):
        Network.of(np.zeros((2, 2))).value(labels)


def test_unknown_engines_and_unfit_ones_are_refused():
    ring = Network.of(np.zeros((3, 2)), [(0, 1), (1, 2), (2, 0)], np.eye(2))
    with pytest.raises(ValueError, match="engine must be 'auto' or one of"):
        solve(ring, "magic")
    with pytest.raises(ValueError, match="has a cycle"):
        solve(ring, "forest")
    with pytest.raises(ValueError, match="the truth has no rival"):
        best_rival(Network.of([[1.0], [2.0]]), [0, 0])
    assert set(ENGINES) == {"forest", "cut", "elimination", "trws", "toulbar2"}
