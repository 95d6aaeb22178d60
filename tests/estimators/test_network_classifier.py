"""NetworkClassifier: labels of the nodes of graphs that depend on one another (E3, E4, E5)."""

import math
import pickle

import numpy as np
import pytest
from conftest import DATA, REPOSITORY
from graph_structures import labelled_graphs, striped_pictures
from loop_cases import interpreted
from sklearn.base import clone

from linsep import NetworkClassifier


def test_the_estimator_learns_predicts_and_proves():
    X, y = striped_pictures(30)
    names = [np.array(["sky", "soil"])[labels] for labels in y]
    alone = [(nodes, np.zeros((0, 2), int), np.zeros((0, 2))) for nodes, _, _ in X]
    with interpreted():
        rule = NetworkClassifier(random_state=0, loss_scale=1.0, max_iter=30).fit(X[:20], names[:20])
        unary = NetworkClassifier(random_state=0, max_iter=30).fit(alone[:20], names[:20])
    assert rule.score(X[20:], names[20:]) > unary.score(alone[20:], names[20:]) + 0.05
    assert rule.score(X[20:], names[20:], by="graph") <= rule.score(X[20:], names[20:])
    assert rule.classes_.tolist() == ["sky", "soil"]
    assert rule.node_coef_.shape == (2, 2) and rule.edge_coef_.shape == (2, 2, 2)
    assert rule.coef_.size == rule.node_coef_.size + rule.edge_coef_.size
    answers = rule.answers(X[20:])
    assert all(answer.status == "optimal" for answer in answers)
    assert rule.decision_function(X[20:], rule.predict(X[20:])) == pytest.approx([one.value for one in answers])
    assert rule.check(X[:20], names[:20]), str(rule.check(X[:20], names[:20]))
    with interpreted():
        again = clone(rule).fit(X[:20], names[:20])
    assert (again.coef_ == rule.coef_).all()


@pytest.mark.long
def test_compiled_and_interpreted_agree():
    X, y = striped_pictures(20)
    rule = NetworkClassifier(random_state=0, loss_scale=1.0, max_iter=30)
    compiled = clone(rule).fit(X, y)
    with interpreted():
        rule.fit(X, y)
    np.testing.assert_allclose(compiled.coef_, rule.coef_, rtol=1e-9, atol=1e-9)
    assert compiled.certificate_.updates == rule.certificate_.updates


def test_a_fitted_rule_survives_pickling():
    X, y = striped_pictures(4)
    with interpreted():
        rule = NetworkClassifier(max_iter=2, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(rule))
    assert all((one == other).all() for one, other in zip(rule.predict(X), again.predict(X), strict=True))
    assert again.certificate_.status == rule.certificate_.status


def test_partial_fit_goes_on_and_keeps_its_labels():
    X, y = striped_pictures(16)
    rule = NetworkClassifier(shuffle=False, keep="last")
    with interpreted():
        for _ in range(3):
            rule.partial_fit(X[:8], y[:8], classes=[0, 1]).partial_fit(X[8:], y[8:])
    assert rule.n_iter_ == 6 and rule.score(X, y) > 0.8
    coef = rule.coef_.copy()
    with pytest.raises(ValueError, match=r"y\[1\]: expected labels of \[0, 1\], got 7 at node 2"):
        rule.partial_fit(X[:2], [y[0], np.where(np.arange(15) == 2, 7, y[1])])
    assert (rule.coef_ == coef).all()


@pytest.mark.parametrize("engine", ["elimination", "cut", "expansion", "toulbar2"])
def test_other_engines_learn_too(engine):
    if engine == "toulbar2":
        pytest.importorskip("pytoulbar2", reason="the extra `exact` is not installed")
    X, y = striped_pictures(4)
    X = [(nodes, edges) for nodes, edges, _ in X]
    rule = NetworkClassifier(engine=engine, max_iter=2, shuffle=False).fit(X, y)
    assert rule.certificate_.sound == (engine == "elimination")
    assert len(rule.predict(X)) == 4


def test_weights_count_as_absence_at_zero():
    X, y = striped_pictures(6)
    with interpreted():
        some = NetworkClassifier(shuffle=False, max_iter=5).fit(X[:4], y[:4])
        rule = NetworkClassifier(shuffle=False, max_iter=5).fit(X, y, sample_weight=[1, 1, 1, 1, 0, 0])
    assert (rule.coef_ == some.coef_).all() and rule.certificate_.size == 4
    assert rule.check(X, y, [1, 1, 1, 1, 0, 0]) and not rule.check(X, y)


def test_trees_are_learned_exactly_and_the_check_says_so():
    X, y = labelled_graphs(1, tree=True)
    with interpreted():
        rule = NetworkClassifier(fit_intercept=False, max_iter=200, shuffle=False, keep="last").fit(X, y)
    assert rule.certificate_.status == "separated" and rule.certificate_.sound and rule.score(X, y) == 1.0
    assert rule.check(X, y) and not rule.check(X[::-1], [np.zeros(len(x[0]), int) for x in X[::-1]])


GOOD = np.zeros((2, 1)), np.array([[0, 1]])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([GOOD, (np.zeros((2, 1)), [(0, 2)])], [[0, 1], [0, 1]], r"X\[1\]: edge 0 = \(0, 2\) is out of range"),
        ([GOOD, (np.zeros((2, 1)), [(1, 1)])], [[0, 1], [0, 1]], r"X\[1\]: edge 0 = \(1, 1\) is a loop"),
        ([GOOD, (np.zeros((2, 1)), [(0.5, 1)])], [[0, 1], [0, 1]], r"X\[1\]: expected edges as pairs of integers"),
        (
            [(np.array([[0.0], [np.nan]]), [(0, 1)])],
            [[0, 1]],
            r"X\[0\]: node features: row 1, column 0: expected a finite number, got nan",
        ),
        (
            [(np.zeros((2, 1)), [(0, 1)], [[np.inf]])],
            [[0, 1]],
            r"X\[0\]: edge features: row 0, column 0: expected a finite number, got inf",
        ),
        ([(np.zeros((2, 1)), [(0, 1)], np.ones((2, 1)))], [[0, 1]], r"X\[0\]: expected features of 1 edges, got 2"),
        (
            [GOOD, (np.zeros((2, 3)), [(0, 1)])],
            [[0, 1], [0, 1]],
            r"X\[1\]: expected 1 node features as in others, got 3",
        ),
        ([GOOD, (*GOOD, np.ones((1, 2)))], [[0, 1], [0, 1]], r"X\[1\]: expected 1 edge features as in others, got 2"),
        ([GOOD, GOOD], [[0, 1], [0, 1, 1]], r"y\[1\]: expected 2 labels, one per node, got 3"),
        ([GOOD, GOOD], [[0, 1]], "y: expected 2 labellings, one per graph, got 1"),
        ([GOOD], [[0, np.nan]], r"y\[0\]: a label is NaN"),
        ([GOOD], [[1, 1]], "y: expected two labels or more, got one only: 1"),
        ([(np.zeros((0, 1)), [])], [[]], r"X\[0\]: the graph has no node"),
        ([np.zeros((2, 1))], [[0, 1]], r"X\[0\]: expected \(node features, edges\)"),
        ([("ab", [])], [[0, 1]], r"X\[0\]: node features: expected a matrix of numbers"),
        ([], [], "X is empty"),
    ],
)
def test_bad_graphs_are_refused_by_name(X, y, message):
    rule = NetworkClassifier()
    with pytest.raises(ValueError, match=message):
        rule.fit(X, y)
    assert not hasattr(rule, "coef_") and not hasattr(rule, "classes_")


def test_bad_requests_are_refused():
    X, y = striped_pictures(4)
    with pytest.raises(ValueError, match="engine='forest': expected graphs without a cycle"):
        NetworkClassifier(engine="forest").fit(X, y)
    with pytest.raises(ValueError, match="engine"):
        NetworkClassifier(engine="magic").fit(X, y)
    with interpreted():
        rule = NetworkClassifier(max_iter=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"X\[0\]: expected 1 node features as in others, got 3"):
        rule.predict([(np.zeros((2, 3)), [(0, 1)], np.ones((1, 2)))])
    with pytest.raises(ValueError, match="by: expected 'node' or 'graph', got 'pixel'"):
        rule.score(X, y, by="pixel")
    single = rule.predict([(np.zeros((1, 1)), [])])
    assert len(single) == 1 and single[0].shape == (1,)


@pytest.mark.long
def test_snakes_need_their_edges(monkeypatch):
    if not (DATA / "snakes.npz").exists():
        pytest.skip(f"{DATA} is not there: the test needs its data set 'snakes'")
    monkeypatch.syspath_prepend(REPOSITORY)
    from benchmarks.networks import compute_accuracies, load_snakes, make_graph

    (X, y), (U, v) = load_snakes()
    found = {}
    for kind in ("unary", "pairs"):
        rule = NetworkClassifier(loss_scale=1.0, max_iter=8, random_state=0)
        rule.fit([make_graph(x, kind) for x in X[:80]], [labels.ravel() for labels in y[:80]])
        found[kind] = compute_accuracies(rule.predict([make_graph(x, kind) for x in U]), v)
    assert found["pairs"].snake > found["unary"].snake + 0.3
    assert found["pairs"].all > found["unary"].all + 0.08
    assert math.isfinite(rule.certificate_.upper) and not rule.certificate_.sound
