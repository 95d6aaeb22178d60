"""Learning on labelled graphs: the oracle against trying all labellings, certificates against an independent check."""

import itertools
import math
import pickle

import networkx
import numpy as np
import pytest
from conftest import DATA, REPOSITORY
from linsep.solvers.column_generation import largest_margin
from sklearn.base import clone

from linsep import NetworkClassifier
from linsep.certificates.check.networks import NetworkStructure, best_value
from linsep.certificates.prove.labelling import OfStructures
from linsep.estimators.graphs import from_networkx, grid
from linsep.inference import Network, best_rival, elimination
from linsep.loop.learn import learn, trace
from linsep.loop.stop import Stop
from linsep.loop.sweep import sweep
from linsep.oracles.networks import graphs, networks, tables
from linsep.rules import Increment, Nearest
from linsep.targets import EpsOptimal, Margin

K, NODE, EDGE = 3, 2, 2


def phi(example, y):
    """phi by its definition."""
    nodes, edges, kinds = example
    node, pair = np.zeros((NODE, K)), np.zeros((EDGE, K, K))
    for v, x in enumerate(nodes):
        node[:, y[v]] += x
    for (u, v), x in zip(edges, kinds, strict=True):
        pair[:, y[u], y[v]] += x
    return np.concatenate([node.ravel(), pair.ravel()])


def labellings(example):
    return list(itertools.product(range(K), repeat=len(example[0])))


def some_graph(random, tree):
    n = int(random.integers(1, 5))
    if tree:
        ends = [(v, int(random.integers(v))) for v in range(1, n)]
        ends = [(u, v) if random.random() < 0.5 else (v, u) for u, v in ends]
    else:
        ends = [(u, v) for u in range(n) for v in range(n) if u != v and random.random() < 0.5]
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return random.normal(size=(n, NODE)), edges, random.normal(size=(len(edges), EDGE))


def sample(seed, tree, n=8, gap=0.3):
    """Graphs that some w labels right, with a lead of ``gap`` over all rivals."""
    random = np.random.default_rng(seed)
    w = random.normal(size=NODE * K + EDGE * K * K)
    X, y = [], []
    while len(X) < n:
        example = some_graph(random, tree)
        scores = sorted(((w @ phi(example, other), other) for other in labellings(example)), reverse=True)
        if scores[0][0] - scores[1][0] > gap:
            X.append(example)
            y.append(np.array(scores[0][1]))
    return X, y


def oracle(X, y, engine="auto", **options):
    return networks(graphs(*zip(*X, strict=True)), np.concatenate(y), K, engine, **options)


@pytest.mark.parametrize("loss", [0.0, 0.7])
@pytest.mark.parametrize(("tree", "engine"), [(True, "auto"), (False, "elimination"), (False, "trws"), (True, "trws")])
def test_the_oracle_finds_the_rival_that_trying_all_finds(tree, engine, loss):
    random = np.random.default_rng(7)
    missed = looked = 0
    for seed in range(6):
        X, y = sample(seed, tree)
        part = oracle(X, y, engine, loss=loss)
        w = random.normal(size=part.size)
        for i, (x, truth) in enumerate(zip(X, y, strict=True)):
            a = {other: phi(x, truth) - phi(x, other) for other in labellings(x) if other != tuple(truth)}
            scores = {other: w @ a[other] - loss * (truth != np.array(other)).sum() for other in a}
            found = part.probe(w, i)
            rival = tuple(part.rival[: truth.size].tolist())
            assert rival in a
            assert found == pytest.approx(scores[rival], abs=1e-10)
            assert part.square(i) == pytest.approx(a[rival] @ a[rival])
            moved = w.copy()
            part.add(moved, i, 0.5)
            assert moved == pytest.approx(w + 0.5 * a[rival])
            looked += 1
            missed += found > min(scores.values()) + 1e-9
    assert missed == 0 if engine != "trws" else missed <= 0.1 * looked


def test_the_ledger_gives_back_what_was_written():
    X, y = sample(0, tree=True)
    part = oracle(X, y)
    w, dual, written = np.random.default_rng(0).normal(size=part.size), np.zeros(3), []
    for i in (2, 5):
        part.probe(w, i)
        part.credit(dual, i, 1.5)
        part.add(total := np.zeros(part.size), i, 1.0)
        written.append(total)
    book = part.ledger._replace(example=part.ledger.example[:2], begin=part.ledger.begin[:3])
    A = np.zeros((2, part.size))
    for touched in part.touched(book):
        np.add.at(A, touched[:2], touched.amount)
    assert np.allclose(A, written) and A.any(axis=1).all() and dual.tolist() == [1.5, 1.5, 0.0]


def test_compiled_and_interpreted_texts_agree():
    X, y = sample(1, tree=True)
    start = np.random.default_rng(1).normal(size=NODE * K + EDGE * K * K)  # at 0 all rivals tie, and engines differ
    one = learn([oracle(X, y)], Margin(0.0), Increment(1.0), stop=Stop(passes=50), start=start)
    two = learn([oracle(X, y, "elimination")], Margin(0.0), Increment(1.0), stop=Stop(passes=50), start=start)
    assert one.w == pytest.approx(two.w) and one.certificate.updates == two.certificate.updates
    assert one.certificate.status == two.certificate.status == "separated"
    before = len(sweep.signatures)
    learn([oracle(*sample(2, tree=True), loss=0.5)], Margin(3.0), Increment(2.0), stop=Stop(passes=5))
    assert len(sweep.signatures) == before  # other numbers compile nothing


@pytest.mark.parametrize("seed", range(4))
def test_trees_are_learned_within_the_bound_and_certified(seed):
    X, y = sample(seed, tree=True)
    part, structure = oracle(X, y), NetworkStructure(X, y, K)
    result = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=2000))
    updates = len(list(trace([part], Margin(0.0), Increment(1.0))))
    best = largest_margin(part)
    assert result.certificate.status == "separated" and result.certificate.sound
    assert result.certificate.check(structure), str(result.certificate.check(structure))
    assert best.status == "optimal" and best.check(structure)
    assert updates <= best.novikoff
    near = learn([part], EpsOptimal(0.0, 0.1), Nearest(), stop=Stop(passes=5000)).certificate
    assert near.lower <= best.upper and best.lower <= near.upper and near.check(structure)


def test_an_inexact_engine_says_so_and_still_proves_what_bounds_allow():
    X, y = sample(3, tree=False, n=10)
    part = oracle(X, y, "trws")
    assert not part.exact
    found = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=2000), keep="average").certificate
    assert not found.sound
    assert found.status in ("separated", "not proved")
    assert found.check(NetworkStructure(X, y, K)), str(found.check(NetworkStructure(X, y, K)))
    with pytest.raises(ValueError, match="does not know for sure"):
        largest_margin(part)


@pytest.mark.parametrize("seed", range(8))
def test_floors_are_below_every_lead_and_mostly_near(seed):
    X, y = sample(seed, tree=False, n=10)
    part = oracle(X, y, "trws")
    w = learn([part], Margin(0.0), Increment(1.0), stop=Stop(passes=200), keep="average").w
    judge = OfStructures([part])
    floors = part.floors(w, lambda other, i: judge.scores(w, np.array([i]), other)[0])
    leads = []
    for i, truth in enumerate(y):
        network = tables(part.graphs, w, i, K)
        leads.append(network.value(truth) - best_rival(network, truth, "elimination").value)
    assert (floors <= leads).all()
    ahead = np.array(leads) > 0.01
    assert (floors[ahead] > 0).mean() > 0.8 or not ahead.any()


@pytest.mark.parametrize("seed", range(20))
def test_the_slow_elimination_of_the_check_is_right(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 6))
    ends = np.array([(u, v) for u in range(n) for v in range(n) if u != v and random.random() < 0.4]).reshape(-1, 2)
    node, pair = random.normal(size=(n, 3)), random.normal(size=(len(ends), 3, 3))
    assert best_value(node, ends, pair) == pytest.approx(
        elimination(Network.from_tables(node, ends.astype(int), pair)).value
    )


def test_tables_read_an_edge_from_its_first_node():
    X, y = sample(4, tree=False)
    g = graphs(*zip(*X, strict=True))
    w = np.random.default_rng(0).normal(size=NODE * K + EDGE * K * K)
    for i, (x, truth) in enumerate(zip(X, y, strict=True)):
        assert tables(g, w, i, K).value(truth) == pytest.approx(w @ phi(x, truth))


def strips(n=12, seed=0):
    """Noisy strips of two colours: pictures of 3 x 5 pixels."""
    random = np.random.default_rng(seed)
    y = [np.repeat(random.integers(0, 2, 3), 5).reshape(3, 5) for _ in range(n)]
    return [grid(labels + 0.6 * random.normal(size=labels.shape)) for labels in y], [labels.ravel() for labels in y]


def test_the_estimator_learns_predicts_and_proves():
    X, y = strips(30)
    names = [np.array(["sky", "soil"])[labels] for labels in y]
    rule = NetworkClassifier(random_state=0, loss_scale=1.0, max_passes=30).fit(X[:20], names[:20])
    alone = [(nodes, np.zeros((0, 2), int), np.zeros((0, 2))) for nodes, _, _ in X]
    unary = NetworkClassifier(random_state=0, max_passes=30).fit(alone[:20], names[:20])
    assert rule.score(X[20:], names[20:]) > unary.score(alone[20:], names[20:]) + 0.05
    assert rule.score(X[20:], names[20:], by="graph") <= rule.score(X[20:], names[20:])
    assert rule.classes_.tolist() == ["sky", "soil"]
    assert rule.node_coef_.shape == (2, 2) and rule.edge_coef_.shape == (2, 2, 2)
    assert rule.coef_.size == rule.node_coef_.size + rule.edge_coef_.size
    answers = rule.answers(X[20:])
    assert all(answer.status == "optimal" for answer in answers)
    assert rule.decision_function(X[20:], rule.predict(X[20:])) == pytest.approx([one.value for one in answers])
    assert rule.check(X[:20], names[:20]), str(rule.check(X[:20], names[:20]))
    assert (clone(rule).fit(X[:20], names[:20]).coef_ == rule.coef_).all()


def test_a_fitted_rule_survives_pickling():
    X, y = strips(4)
    rule = NetworkClassifier(max_passes=2, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(rule))
    assert all((one == other).all() for one, other in zip(rule.predict(X), again.predict(X), strict=True))
    assert again.certificate_.status == rule.certificate_.status


def test_partial_fit_goes_on_and_keeps_its_labels():
    X, y = strips(16)
    rule = NetworkClassifier(shuffle=False, keep="last")
    for _ in range(3):
        rule.partial_fit(X[:8], y[:8], classes=[0, 1]).partial_fit(X[8:], y[8:])
    assert rule.n_passes_ == 6 and rule.score(X, y) > 0.8
    coef = rule.coef_.copy()
    with pytest.raises(ValueError, match=r"y\[1\]: label .*7.* of node 2 is not known"):
        rule.partial_fit(X[:2], [y[0], np.where(np.arange(15) == 2, 7, y[1])])
    assert (rule.coef_ == coef).all()


@pytest.mark.parametrize("engine", ["elimination", "cut", "toulbar2"])
def test_other_engines_learn_too(engine):
    if engine == "toulbar2":
        pytest.importorskip("pytoulbar2", reason="the extra `exact` is not installed")
    X, y = strips(4)
    X = [(nodes, edges) for nodes, edges, _ in X]
    rule = NetworkClassifier(engine=engine, max_passes=2, shuffle=False).fit(X, y)
    assert rule.certificate_.sound == (engine == "elimination")
    assert len(rule.predict(X)) == 4


def test_weights_count_as_absence_at_zero():
    X, y = strips(6)
    some = NetworkClassifier(shuffle=False, max_passes=5).fit(X[:4], y[:4])
    rule = NetworkClassifier(shuffle=False, max_passes=5).fit(X, y, sample_weight=[1, 1, 1, 1, 0, 0])
    assert (rule.coef_ == some.coef_).all() and rule.certificate_.size == 4


def test_grids_know_their_directions_and_surroundings():
    picture = np.arange(6).reshape(2, 3)
    nodes, edges, kinds = grid(picture, neighbours=8, radius=1)
    assert nodes.shape == (6, 9) and nodes[4].tolist() == [0, 1, 2, 3, 4, 5, 0, 0, 0]
    step = {0: (0, 1), 1: (1, 0), 2: (1, 1), 3: (1, -1)}
    for (u, v), kind in zip(edges, kinds, strict=True):
        assert (v // 3 - u // 3, v % 3 - u % 3) == step[int(np.argmax(kind))] and kind.sum() == 1
    assert len(edges) == 4 + 3 + 2 + 2
    assert grid(np.zeros((2, 2, 3)))[0].shape == (4, 3)
    with pytest.raises(ValueError, match="a picture is"):
        grid(np.zeros(4))
    with pytest.raises(ValueError, match="4 or 8"):
        grid(picture, neighbours=6)


def test_networkx_graphs_become_examples():
    graph = networkx.path_graph(["a", "b", "c"])
    for name in graph.nodes:
        graph.nodes[name]["x"] = [float(ord(name))]
    for u, v in graph.edges:
        graph.edges[u, v]["kind"] = 2.0
    nodes, edges, kinds = from_networkx(graph, edge="kind")
    assert nodes.ravel().tolist() == [97.0, 98.0, 99.0]
    assert edges.tolist() == [[0, 1], [1, 2]] and kinds.tolist() == [[2.0], [2.0]]
    assert len(from_networkx(graph)) == 2
    with pytest.raises(ValueError, match="node 'a' has no attribute 'colour'"):
        from_networkx(graph, node="colour")
    with pytest.raises(ValueError, match="edge 'a' - 'b' has no attribute 'weight'"):
        from_networkx(graph, edge="weight")


GOOD = np.zeros((2, 1)), np.array([[0, 1]])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([GOOD, (np.zeros((2, 1)), [(0, 2)])], [[0, 1], [0, 1]], r"X\[1\]: edge 0 = \(0, 2\) is out of range"),
        ([GOOD, (np.zeros((2, 1)), [(1, 1)])], [[0, 1], [0, 1]], r"X\[1\]: edge 0 = \(1, 1\) is a loop"),
        ([GOOD, (np.zeros((2, 1)), [(0.5, 1)])], [[0, 1], [0, 1]], r"X\[1\]: edges must be pairs of whole numbers"),
        ([(np.array([[0.0], [np.nan]]), [(0, 1)])], [[0, 1]], r"X\[0\]: node features: nan in row 1, column 0"),
        ([(np.zeros((2, 1)), [(0, 1)], [[np.inf]])], [[0, 1]], r"X\[0\]: edge features: inf in row 0"),
        ([(np.zeros((2, 1)), [(0, 1)], np.ones((2, 1)))], [[0, 1]], r"X\[0\]: 1 edges, but features of 2"),
        ([GOOD, (np.zeros((2, 3)), [(0, 1)])], [[0, 1], [0, 1]], r"X\[1\]: 3 node features, where others have 1"),
        ([GOOD, (*GOOD, np.ones((1, 2)))], [[0, 1], [0, 1]], r"X\[1\]: 2 edge features, where others have 1"),
        ([GOOD, GOOD], [[0, 1], [0, 1, 1]], r"y\[1\] has 3 labels, but X\[1\] has 2 nodes"),
        ([GOOD, GOOD], [[0, 1]], "X has 2 examples and y 1"),
        ([GOOD], [[0, np.nan]], r"y\[0\]: a label is NaN"),
        ([GOOD], [[1, 1]], "two labels at least are needed"),
        ([(np.zeros((0, 1)), [])], [[]], r"X\[0\]: the graph has no node"),
        ([np.zeros((2, 1))], [[0, 1]], r"X\[0\]: an example is"),
        ([("ab", [])], [[0, 1]], r"X\[0\]: node features must be numbers"),
        ([], [], "X is empty"),
    ],
)
def test_bad_graphs_are_refused_by_name(X, y, message):
    rule = NetworkClassifier()
    with pytest.raises(ValueError, match=message):
        rule.fit(X, y)
    assert not hasattr(rule, "coef_") and not hasattr(rule, "classes_")


def test_bad_requests_are_refused():
    X, y = strips(4)
    with pytest.raises(ValueError, match="has a cycle"):
        NetworkClassifier(engine="forest").fit(X, y)
    with pytest.raises(ValueError, match="engine"):
        NetworkClassifier(engine="magic").fit(X, y)
    rule = NetworkClassifier(max_passes=2).fit(X, y)
    with pytest.raises(ValueError, match=r"X\[0\]: 3 node features, where others have 1"):
        rule.predict([(np.zeros((2, 3)), [(0, 1)], np.ones((1, 2)))])
    with pytest.raises(ValueError, match="'node' or 'graph'"):
        rule.score(X, y, by="pixel")
    single = rule.predict([(np.zeros((1, 1)), [])])
    assert len(single) == 1 and single[0].shape == (1,)


def test_snakes_need_their_edges(monkeypatch):
    if not (DATA / "snakes.npz").exists():
        pytest.skip(f"{DATA} is not there: the test needs its data set 'snakes'")
    monkeypatch.syspath_prepend(REPOSITORY)
    from benchmarks.networks import compute_accuracies, load_snakes, make_graph

    (X, y), (U, v) = load_snakes()
    found = {}
    for kind in ("unary", "pairs"):
        rule = NetworkClassifier(loss_scale=1.0, max_passes=8, random_state=0)
        rule.fit([make_graph(x, kind) for x in X[:80]], [labels.ravel() for labels in y[:80]])
        found[kind] = compute_accuracies(rule.predict([make_graph(x, kind) for x in U]), v)
    assert found["pairs"].snake > found["unary"].snake + 0.3
    assert found["pairs"].all > found["unary"].all + 0.08
    assert math.isfinite(rule.certificate_.upper) and not rule.certificate_.sound
