"""The best labelling other than a given one, against trying all; in compiled code too."""

import numpy as np
import pytest
from networks_at_random import draw_network, grid_edges, is_close, list_labellings

from linsep.inference import Network, best_rival
from linsep.inference.answer import Answer
from linsep.inference.deadline import Deadline
from linsep.inference.local_search import find_best_single_change
from linsep.inference.rival import _bound_changes
from linsep.inference.rival_search import make_forest_search, make_message_search


@pytest.mark.parametrize("seed", range(60))
def test_the_best_rival_is_the_best_of_all_other_labellings(seed):
    random = np.random.default_rng(seed)
    for kind in ({"tree": True}, {}, {"submodular": True}):
        network = draw_network(random, nodes=5, **kind)
        found = list_labellings(network)
        if len(found) < 2:
            continue
        truth = found[0][1] if random.random() < 0.5 else found[random.integers(len(found))][1]
        expected = max(value for value, labels in found if labels != truth)
        engines = ["auto", "elimination", "trws"] + ["forest"] * ("tree" in kind) + ["cut"] * ("submodular" in kind)
        for engine in engines:
            rival = best_rival(network, truth, engine)
            assert tuple(rival.labels) != truth
            assert rival.upper >= expected
            assert is_close(rival.value, expected) or (rival.status == "not proved" and rival.value < expected)
            assert rival.status != "not proved" or engine == "trws"


@pytest.mark.parametrize("seed", range(40))
def test_no_labelling_that_changes_a_node_exceeds_its_bound(seed):
    """The best labelling is known to be that, while messages on cycles may prove a much weaker bound."""
    random = np.random.default_rng(seed)
    n = 5
    edges = [(u, v) for u in range(n) for v in range(u)]
    network = Network.from_tables(0.3 * random.normal(size=(n, 3)), edges, random.normal(size=(len(edges), 3, 3)))
    found = list_labellings(network)
    best = Answer(np.array(found[0][1]), found[0][0], found[0][0], "all labellings", 0.0, 0.0)
    for seconds in (0.0, 60.0):
        limit = _bound_changes(network, best.labels, best, Deadline(seconds))
        for v in range(n):
            assert limit[v] >= next(value for value, labels in found if labels[v] != best.labels[v])


def test_the_best_single_change_is_the_best_of_all_single_changes():
    random = np.random.default_rng(0)
    network = Network.from_tables(random.normal(size=(9, 3)), grid_edges(3, 3), random.normal(size=(12, 3, 3)))
    truth, labels = random.integers(0, 3, 9), np.empty(9, dtype=np.int64)
    gain = find_best_single_change(network, truth, labels, np.empty(3))
    values = {}
    for v in range(9):
        for k in set(range(3)) - {int(truth[v])}:
            changed = truth.copy()
            changed[v] = k
            values[v, k] = network.value(changed)
    (v,) = np.flatnonzero(labels != truth)
    assert values[v, int(labels[v])] == max(values.values())
    assert is_close(network.value(truth) + gain, max(values.values()))


def relative_network(random, tree):
    """A network of three labels, and a labelling whose entries are all 0."""
    n = 5
    edges = [(u, v) for u in range(n) for v in range(u) if not tree or v == u // 2]
    truth = random.integers(0, 3, n)
    unary, tables = random.normal(size=(n, 3)), random.normal(size=(len(edges), 3, 3))
    unary -= unary[np.arange(n), truth][:, None]
    for table, (u, v) in zip(tables, edges, strict=True):
        table -= table[truth[u], truth[v]]
    return Network.from_tables(unary, edges, tables), truth


@pytest.mark.parametrize("tree", [True, False])
def test_searches_for_learning_find_the_best_rival(tree):
    """They write a rival and return its value; that of TRW-S may be worse than the best."""
    found = 0
    for seed in range(20):
        network, truth = relative_network(np.random.default_rng(seed), tree)
        expected = max(value for value, labels in list_labellings(network) if labels != tuple(truth))
        search = make_forest_search([network], 3) if tree else make_message_search(30, 5, 10, 3)
        rival = np.empty(5, dtype=np.int64)
        value = search.find(network, truth, rival, 0)
        assert (rival != truth).any() and is_close(network.value(rival), value)
        assert value <= expected + 1e-9
        found += is_close(value, expected)
    assert found == 20 if tree else found >= 16
