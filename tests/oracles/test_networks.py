"""Networks: labelled graphs against their best rivals, against trying all labellings."""

import numpy as np
import pytest
from graph_structures import SIZE, K, labelled_graphs, labellings, make_oracle, phi
from loop_cases import interpreted

from linsep.certificates.prove.labelling import LabellingProver
from linsep.inference import best_rival
from linsep.loop.learn import learn
from linsep.loop.passes import trace
from linsep.loop.stop import Stop
from linsep.loop.sweep import sweep
from linsep.oracles.graphs import make_graphs, network_along
from linsep.oracles.networks import SearchedNetworks
from linsep.oracles.update_log import merge_entries
from linsep.rules import Increment
from linsep.targets import Margin

W = np.array([[0.0, 3.0, 1.0], [0.5, 0.0, 2.0], [4.0, 0.0, 0.0]])  # decision, truth
COSTS = {
    "count": lambda rival, truth: np.sum(rival != truth),
    "hamming": lambda rival, truth: np.mean(rival != truth),
    "zero-one": lambda rival, truth: 1.0,
    "own": lambda rival, truth: sum(W[d, t] for d, t in zip(rival, truth, strict=True)),
}


@pytest.mark.parametrize(("loss", "cost"), [(0.0, "own"), *((0.7, cost) for cost in COSTS)])
@pytest.mark.parametrize(("tree", "engine"), [(True, "auto"), (False, "elimination"), (False, "trws"), (True, "trws")])
def test_the_oracle_finds_the_rival_that_trying_all_finds(tree, engine, loss, cost):
    random = np.random.default_rng(7)
    missed = looked = 0
    for seed in range(3):
        X, y = labelled_graphs(seed, tree)
        part = make_oracle(X, y, engine, loss=loss, cost=W if cost == "own" else cost)
        assert part.exact == (engine != "trws") and isinstance(part, SearchedNetworks) == (engine == "elimination")
        w = random.normal(size=part.size)
        for i, (x, truth) in enumerate(zip(X, y, strict=True)):
            a = {other: phi(x, truth) - phi(x, other) for other in labellings(x) if other != tuple(truth)}
            scores = {other: w @ a[other] - loss * COSTS[cost](np.array(other), truth) for other in a}
            found, slot = part.lowest(w, i)
            rival = tuple(part.log.label[part.log.begin[slot] :][: truth.size].tolist())
            assert rival in a
            assert found == pytest.approx(scores[rival], abs=1e-10)
            assert part.squared_norm(i, slot) == pytest.approx(a[rival] @ a[rival])
            moved = w.copy()
            part.add(moved, i, slot, 0.5)
            assert moved == pytest.approx(w + 0.5 * a[rival])
            looked += 1
            missed += found > min(scores.values()) + 1e-9
    assert missed == 0 if engine != "trws" else missed <= 0.1 * looked


@pytest.mark.parametrize("tree", [True, False], ids=["tree", "cycles"])
def test_the_log_gives_back_what_was_recorded(tree):
    part = make_oracle(*labelled_graphs(0, tree), "forest" if tree else "elimination")
    with interpreted():
        state = list(trace([part], Margin(0.0), Increment(1.5), most=12))[-1][1]
    entries, weights = merge_entries(state.entries, state.dual_weights)
    A = LabellingProver([part]).vectors(entries)
    assert A.any(axis=1).all() and weights @ A == pytest.approx(state.weights)


def test_compiled_and_interpreted_agree():
    X, y = labelled_graphs(1, tree=True)
    start = np.random.default_rng(1).normal(size=SIZE)  # at 0 all rivals tie, and engines differ
    one = learn([make_oracle(X, y)], Margin(0.0), Increment(1.0), stop=Stop(passes=50), start=start)
    two = learn([make_oracle(X, y, "elimination")], Margin(0.0), Increment(1.0), stop=Stop(passes=50), start=start)
    with interpreted():
        three = learn([make_oracle(X, y)], Margin(0.0), Increment(1.0), stop=Stop(passes=50), start=start)
    for other in (two, three):
        assert one.w == pytest.approx(other.w) and one.certificate.updates == other.certificate.updates
        assert one.certificate.status == other.certificate.status == "separated"
    before = len(sweep.signatures)
    learn([make_oracle(*labelled_graphs(2, tree=True), loss=0.5)], Margin(3.0), Increment(2.0), stop=Stop(passes=5))
    assert len(sweep.signatures) == before  # other numbers compile nothing


@pytest.mark.parametrize("seed", range(4))
def test_score_bounds_are_below_every_lead_and_mostly_near(seed):
    X, y = labelled_graphs(seed, tree=False, n=10)
    part = make_oracle(X, y, "trws")
    with interpreted():
        w = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=200), keep="average").w
    bounds = part.score_bounds(w)
    leads = []
    for i, truth in enumerate(y):
        network = network_along(part.graphs, w, i)
        leads.append(network.value(truth) - best_rival(network, truth, "elimination").value)
    assert (bounds <= leads).all()
    ahead = np.array(leads) > 0.01
    assert (bounds[ahead] > 0).mean() > 0.8 or not ahead.any()


def test_tables_read_an_edge_from_its_first_node():
    X, y = labelled_graphs(4, tree=False)
    g = make_graphs(X, K)
    w = np.random.default_rng(0).normal(size=SIZE)
    for i, (x, truth) in enumerate(zip(X, y, strict=True)):
        assert network_along(g, w, i).value(truth) == pytest.approx(w @ phi(x, truth))


def test_no_vector_is_longer_than_the_norm_bound():
    for tree in (True, False):
        X, y = labelled_graphs(5, tree)
        longest = max(
            np.linalg.norm(phi(x, truth) - phi(x, other))
            for x, truth in zip(X, y, strict=True)
            for other in labellings(x)
        )
        assert longest <= make_oracle(X, y, "trws").norm_bound()
