"""Expansion against trying all labellings, and what it adds to "auto" on grids."""

import sys

import numpy as np
import pytest
from networks_at_random import draw_network, grid_edges, is_close, list_labellings

from linsep.inference import Network, best_rival, expansion, solve, trws
from linsep.inference.expansion import expand_labels, is_metric

solve_module = sys.modules["linsep.inference.solve"]


def draw_potts(random, n=6, K=3, metric=True):
    """A network of n nodes and K labels; edges prefer equal labels, or lean to any side if not ``metric``."""
    edges = [(u, v) for u in range(n) for v in range(u) if random.random() < 0.5]
    strength = random.uniform(0.0 if metric else -1.5, 1.5, size=(len(edges), 1, 1))
    return Network.from_tables(random.normal(size=(n, K)), edges, strength * np.eye(K))


def list_moves(labels, K):
    """All labellings that one move leads to, for all labels."""
    for alpha in range(K):
        for chosen in range(2**labels.size):
            yield np.where((chosen >> np.arange(labels.size)) & 1 == 1, alpha, labels)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("metric", [True, False])
def test_a_labelling_that_no_move_improves(seed, metric):
    network = draw_potts(np.random.default_rng(seed), metric=metric)
    answer, best = expansion(network), list_labellings(network)[0][0]
    assert answer.engine == "expansion" and answer.value == network.value(answer.labels)
    assert network.value(network.best_unary_labels()) <= answer.value <= best <= answer.upper
    assert not answer.optimal or is_close(answer.value, best)
    if metric:
        assert is_metric(network)
        highest = max(network.value(moved) for moved in list_moves(answer.labels, 3))
        assert is_close(answer.value, highest)
        assert answer.gap <= 2.0 * (answer.upper - best) + 1e-9  # the theorem of Boykov, Veksler and Zabih


@pytest.mark.parametrize("seed", range(20))
def test_auto_proves_the_best_labelling_of_small_potts_networks(seed):
    network = draw_potts(np.random.default_rng(100 + seed), n=7)
    answer = solve(network)
    assert answer.optimal and is_close(answer.value, list_labellings(network)[0][0])


@pytest.mark.parametrize("seed", range(20))
def test_forbidden_pairs_and_ties_are_no_harm(seed):
    random = np.random.default_rng(200 + seed)
    network = draw_network(random, submodular=True) if seed % 2 else draw_potts(random, metric=False)
    network = network.restrict_node(0, [True] + [False] * (int(network.n_labels[0]) - 1))
    answer, best = solve(network, "expansion"), list_labellings(network)[0][0]
    assert answer.labels[0] == 0
    assert answer.value <= best <= answer.upper


def test_two_labels_are_solved_by_the_first_moves():
    random = np.random.default_rng(7)
    network = Network.from_tables(random.normal(size=(100, 2)), grid_edges(10, 10), 0.7 * np.eye(2))
    assert is_close(expansion(network, start=np.zeros(100, dtype=int)).value, solve(network, "cut").value)


def test_which_tables_are_metric():
    pair = [(0, 1)]
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert is_metric(Network.from_tables(np.zeros((2, 4)), pair, -1.0 * distance))
    assert is_metric(Network.from_tables(np.zeros((2, 4)), pair, -1.0 * np.minimum(distance, 2)))
    assert not is_metric(Network.from_tables(np.zeros((2, 4)), pair, -1.0 * distance**2))
    assert not is_metric(Network.from_tables(np.zeros((2, 3)), pair, np.diag([1.0, -5.0, 0.0])))
    assert not is_metric(Network.from_tables([np.zeros(2), np.zeros(3)], pair, [np.zeros((2, 3))]))
    assert is_metric(Network.from_tables(np.zeros((2, 3))))
    thirds = Network.from_tables(np.zeros((3, 3)), [(0, 1), (1, 2)], [np.eye(3) / 3, np.eye(3) * 0.1])
    assert is_metric(thirds)


def draw_grid(side, strength, seed):
    """A grid of four labels under noise."""
    unary = np.random.default_rng(seed).normal(size=(side * side, 4))
    return Network.from_tables(unary, grid_edges(side, side), strength * np.eye(4))


def test_a_grid_that_auto_proves_only_with_expansion(monkeypatch):
    monkeypatch.setattr(solve_module, "has_toulbar2", lambda: False)
    network = draw_grid(24, 0.6, 4)
    answer = solve(network)
    assert answer.optimal and "expansion" in answer.engine
    monkeypatch.setattr(solve_module, "is_metric", lambda network: False)
    without = solve(network)
    assert not without.optimal and without.value <= answer.value <= without.upper


def test_expansion_improves_what_trws_decoded():
    network = draw_grid(20, 0.9, 0)
    start = trws(network, passes=10, trials=0)
    labels, moves = expand_labels(network, start.labels)
    assert moves > 0 and start.value < network.value(labels) <= start.upper
    assert expand_labels(network, labels) == (pytest.approx(labels), 0)


def test_time_and_rounds_are_limits():
    network = draw_grid(10, 1.0, 0)
    unmoved = expansion(network, seconds=0.0)
    assert unmoved.note == "0 moves" and (unmoved.labels == network.best_unary_labels()).all()
    assert solve(network, "expansion", seconds=0.0).note == "0 moves"
    assert unmoved.value < expansion(network, rounds=1).value <= expansion(network).value


def test_the_rival_by_expansion_is_bounded():
    network = draw_potts(np.random.default_rng(5), n=5)
    (_, best), (second, _) = list_labellings(network)[:2]
    rival = best_rival(network, np.array(best), "expansion")
    assert (rival.labels != np.array(best)).any() and rival.value <= second <= rival.upper


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="expansion: expected the same number of labels for all nodes, got 2 to 3"):
        expansion(Network.from_tables([[0.0, 1.0], [0.0, 1.0, 2.0]]))
    network = draw_grid(3, 1.0, 0)
    with pytest.raises(ValueError, match="rounds: expected at least 1, got 0"):
        expansion(network, rounds=0)
    with pytest.raises(ValueError, match="labelling: expected one label per node"):
        expansion(network, start=[0, 1])
    with pytest.raises(ValueError, match=r"expected a label 0 ... 3 of node 0, got 4"):
        expansion(network, start=np.full(9, 4))
