"""Learning in scaled coordinates goes the way of a scaled copy of the rows; claims are about the rows as they are."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from stages import examples

from linsep import Kozinec, LinearMachine, Perceptron, Relaxation, load, trace
from linsep.loop.keep import Average
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.loop.sweep import Counters, Task, sweep
from linsep.oracles import points
from linsep.oracles.classes import against_rivals
from linsep.oracles.scaled import column_metric, with_metric
from linsep.rules import Increment
from linsep.rules import Relaxation as Relax
from linsep.targets import Margin

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(seed, n=24, d=3):
    """Whole numbers in columns of size about 1, 16 and 256, far from 0, with their metric: powers of 4, whole means.

    Scalar products are exact, so that a scaled copy is learned from along the same way to the bit.
    """
    rng = np.random.default_rng(seed)
    size, mean = 2.0 ** (4 * np.arange(d)), rng.integers(-3, 4, d) * 2.0 ** (4 * np.arange(d))
    Z = rng.integers(-4, 5, (n, d)).astype(float)
    label = (Z @ rng.integers(-3, 4, d) > rng.integers(-2, 3, n)).astype(int)
    label[:2] = 0, 1
    return Z, Z * size + mean, np.array([size**-2.0, mean]), label


@examples(25)
@given(seed=st.integers(0, 10**6), relax=st.booleans(), batch=st.booleans(), machine=st.booleans())
def test_the_way_is_that_of_a_scaled_copy(seed, relax, batch, machine):
    Z, X, metric, label = problem(seed)
    batch = batch and not relax  # whose batch step asks for <s,s>
    rule, target = (Relax(1.5), Margin(4.0)) if relax else (Increment(1.0), Margin(0.0))
    sign = np.where(label == 1, 1, -1) if not machine else np.ones(label.size, dtype=int)
    parts = [points(Z, sign), with_metric(points(X, sign), metric)]
    if machine:
        parts = [against_rivals(part, label.astype(np.int32), 3) for part in parts]
    scaled, own = (learn([part], target, rule, stop=Stop(passes=8), batch=batch) for part in parts)
    assert own.state.counters.updates == scaled.state.counters.updates
    W, V = np.atleast_2d(scaled.w), np.atleast_2d(own.w)
    w = W[:, :-1] * np.sqrt(metric[0])
    assert np.allclose(V, np.column_stack([w, W[:, -1] - w @ metric[1]]), rtol=1e-9, atol=1e-9 * np.abs(V).max())
    assert np.allclose(own.state.dual_weights, scaled.state.dual_weights, rtol=1e-9)


@examples(15)
@given(seed=st.integers(0, 10**6), bias=st.sampled_from([0.0, 1.0, 0.25]))
def test_sparse_rows_are_scaled_and_not_centred(seed, bias):
    Z, X, metric, label = problem(seed)
    X, metric, sign = X * (Z != 0), metric * [[1.0], [0.0]], np.where(label == 1, 1, -1)
    part = with_metric(points(sp.csr_array(X), sign, bias=bias), metric)
    dense = with_metric(points(X, sign, bias=bias), metric)
    for i in range(len(X)):
        w, v = np.zeros(4), np.zeros(4)
        part.add(w, i, 0, 0.5)
        dense.add(v, i, 0, 0.5)
        assert np.array_equal(w, v)
        assert np.array_equal(w[:-1], 0.5 * sign[i] * metric[0] * X[i])
        assert part.squared_norm(i, 0) == dense.squared_norm(i, 0) == metric[0] @ X[i] ** 2 + (bias != 0)
        assert part.lowest(w, i)[0] == 0.5 * part.squared_norm(i, 0)  # <w~, a~> = <w, a>


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_compiled_is_interpreted(form):
    _, X, metric, label = problem(1)
    sign = np.where(label == 1, 1, -1)
    part = with_metric(points(form(X), sign), metric if form is np.asarray else metric * [[1.0], [0.0]])
    runs = []
    for kernel in (sweep, sweep.py_func):
        w, dual = np.zeros(4), np.zeros(len(X))
        keeper = Average(np.zeros(4))
        task = Task(part, Margin(4.0), Relax(1.0), keeper)
        counters = kernel(task, w, dual, Counters(), np.arange(len(X)), len(X), -1)
        runs.append((w, dual, keeper.total, counters.updates))
    for one, other in zip(*runs, strict=True):
        assert np.allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.float32], ids=["dense", "csr", "float32"])
@pytest.mark.parametrize(
    "rule",
    [Perceptron(), Perceptron(batch=True), Perceptron(fit_intercept=False), Relaxation(), LinearMachine(max_iter=50)],
    ids=str,
)
def test_claims_are_about_the_rows_as_they_are(form, rule):
    X, label = problem(7, n=40)[1::2]
    rule.set_params(scaling="columns").fit(form(X), label)
    assert rule._scale.metric is not None
    verdict = rule.check(form(X), label)
    assert verdict, verdict
    assert rule.certificate_.lower <= rule.certificate_.upper


def test_columns_of_unlike_size_are_learned_with_nothing_set():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((400, 4))
    y = Z @ [1.0, -2.0, 1.0, 0.5] > 0.3
    X = Z * [1e-3, 1.0, 100.0, 1e5] + [0.0, 50.0, 0.0, -1e6]
    by_hand = Perceptron(scaling=None).fit(Z, y).score(Z, y)
    assert Perceptron().fit(X, y).score(X, y) >= by_hand - 0.02
    assert Perceptron(scaling=None).fit(X, y).score(X, y) < 0.9


def test_columns_of_like_size_are_left_alone():
    X = np.array([[0.5, 3], [1, 3], [0.5, 2.5], [1, 2.5], [1.5, 2.5], [4.5, 1], [5, 1], [4.5, 0.5], [5.5, 0.5]])
    y = [1, 1, 1, 1, 1, 2, 2, 2, 2]
    for scaling in ("auto", None):
        rule = Perceptron(scaling=scaling).fit(X, y)
        assert rule.certificate_.updates == 3 and rule.coef_.tolist() == [[2.5, -4.5]]
    assert [update.row for update in trace(Perceptron(), X, y)] == [0, 5, 4]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_sizes_and_means(form):
    X = np.array([[0.0, 1000.0, 5.0], [3.0, 1010.0, 5.0], [0.0, 990.0, 5.0], [5.0, 1000.0, 5.0]])
    metric = column_metric(points(form(X), np.ones(4, int)), always=False)
    assert metric is not None
    # squared deviations / non-zeros: (4 + 1 + 4 + 9) / 2 = 9; (0 + 100 + 100 + 0) / 4 = 50; a constant; sparse 34 / 2
    if form is np.asarray:
        assert metric.tolist() == [[4.0**-2, 4.0**-3, 1.0], [2.0, 1000.0, 5.0]]
    else:
        assert metric.tolist() == [[4.0**-2, 4.0**-10, 4.0**-2], [0.0, 0.0, 0.0]]


def test_absent_rows_do_not_count():
    _, X, _, label = problem(3, n=30)
    weight = np.ones(30)
    weight[20:] = 0
    far = X.copy()
    far[20:] *= 1e6
    one = Perceptron(scaling="columns").fit(X[:20], label[:20])
    other = Perceptron(scaling="columns").fit(far, label, weight)
    assert np.array_equal(one.coef_, other.coef_)


def test_partial_fit_keeps_the_sizes_of_its_first_rows():
    _, X, _, label = problem(5, n=60)
    rule = Perceptron(scaling="columns")
    for part in np.split(np.arange(60), 3):
        rule.partial_fit(X[part], label[part], classes=[0, 1])
        assert rule.check(X[part], label[part])
    first = column_metric(points(X[:20], np.ones(20, int)), always=True)
    assert np.array_equal(rule._scale.metric, first)
    assert Perceptron().partial_fit(X, label, classes=[0, 1])._scale.metric is None  # "auto" is for fit


def test_a_model_file_keeps_the_metric_and_its_shape_is_checked(tmp_path):
    _, X, _, label = problem(5, n=60)
    rule = Perceptron(scaling="columns").fit(X[:30], label[:30])
    rule.save(tmp_path / "rule.linsep")
    again = load(tmp_path / "rule.linsep")
    assert np.array_equal(again.partial_fit(X, label).coef_, rule.partial_fit(X, label).coef_)
    rule._scale = rule._scale._replace(metric=np.ones((2, 1)))
    rule.save(tmp_path / "rule.linsep")
    with pytest.raises(ValueError, match="metric: expected float64 of shape"):
        load(tmp_path / "rule.linsep")


def test_rules_that_ask_for_the_length_of_w_are_refused():
    X, label = problem(2)[1::2]
    with pytest.raises(ValueError, match="scaling='columns': expected the rule of perceptron or relaxation"):
        LinearMachine("kozinec", scaling="columns").fit(X, label)
    with pytest.raises(ValueError, match="scaling='columns': expected the rule of perceptron or relaxation"):
        Relaxation(batch=True, scaling="columns").fit(X, label)
    assert LinearMachine("kozinec", max_iter=5).fit(X, label)._scale.metric is None
    assert "scaling" not in Kozinec().get_params()
