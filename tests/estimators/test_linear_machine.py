"""Linear machines (D1): estimators with more than two classes, their margins, least squares, and polynomials."""

import warnings

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from loop_cases import interpreted
from machine_cases import clouds as few_clouds
from sklearn.datasets import load_digits

from linsep import (
    Kozinec,
    LeastSquares,
    Lifted,
    LinearMachine,
    MaximumMargin,
    OneVsAll,
    OneVsOne,
    Perceptron,
    Quadratic,
    Relaxation,
)
from linsep.loop.learn import learn
from linsep.loop.stop import Stop
from linsep.oracles import classes
from linsep.rules import Increment, Nearest, Scheduled
from linsep.rules import Relaxation as RelaxationRule
from linsep.targets import EpsOptimal, Margin

NAMES = np.array(["ant", "bee", "cat", "dog"])


def clouds(seed=0, n=60, **more):
    return few_clouds(seed, n, **more)


# --- the machine -----------------------------------------------------------------------------------------------------

MACHINES = {
    "perceptron": (Perceptron(keep="last", max_iter=9), Margin(0.0), Increment(1.0)),
    "margin": (Perceptron(keep="last", margin=0.5, rate="1/k", max_iter=9), Margin(0.5), Increment(1.0, 1.0)),
    "relaxation": (Relaxation(keep="last", max_iter=9), Margin(1.0), RelaxationRule(1.5)),
    "kozinec": (Kozinec(keep="last", max_iter=9, tol=0.1), EpsOptimal(0.0, 0.1), Nearest()),
    "machine": (LinearMachine(keep="last", max_iter=9), Margin(0.0), Increment(1.0)),
    "machine kozinec": (
        LinearMachine("kozinec", EpsOptimal(0.0, 0.1), keep="last", max_iter=9), EpsOptimal(0.0, 0.1), Nearest()
    ),
    "machine with a rule": (
        LinearMachine(Scheduled(lambda k: 1 / k), 0.5, keep="last", max_iter=9), Margin(0.5), Increment(1.0, 1.0)
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", MACHINES)
def test_estimators_are_the_loop_on_classes(name, form):
    rule, target, step = MACHINES[name]
    X, label = clouds(1, apart=0.5)
    with interpreted(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule.fit(form(X), NAMES[label])
        stop = Stop(passes=9, when_inseparable=name == "kozinec")
        expected = learn([classes(form(X), label, 4)], target, step, stop=stop)
    np.testing.assert_allclose(np.column_stack([rule.coef_, rule.intercept_]), expected.w, rtol=1e-12)
    assert rule.classes_.tolist() == NAMES.tolist() and rule.certificate_.classes == tuple(NAMES)
    assert rule.certificate_.check(form(X), NAMES[label])
    g = rule.decision_function(form(X))
    np.testing.assert_allclose(g, X @ expected.w[:, :-1].T + expected.w[:, -1], rtol=1e-9, atol=1e-9)
    assert np.array_equal(rule.predict(form(X)), NAMES[g.argmax(axis=1)])
    assert rule.score(form(X), NAMES[label]) == pytest.approx(1 - rule.certificate_.violated / 60)


def test_a_machine_of_two_classes_is_a_hyperplane():
    """w_1 = -w_0, so that the machine's perceptron is the two-class one with twice the weights."""
    X, label = clouds(3, count=2, apart=0.5)
    machine = LinearMachine(keep="last", max_iter=7).fit(X, label)
    plane = Perceptron(keep="last", max_iter=7).fit(X, label)
    np.testing.assert_allclose(machine.coef_, 2 * plane.coef_, rtol=1e-12)
    assert machine.decision_function(X).shape == (60,) and machine.certificate_.w.shape == (2, 4)
    assert machine.certificate_.check(X, label)


@pytest.mark.long
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.bool_])
def test_other_types_are_read_in_place(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (80, 9)).astype(dtype)
    label = rng.integers(0, 6, 80)
    rule = Perceptron(max_iter=5).fit(X, label)
    same = Perceptron(max_iter=5).fit(X.astype(np.float64), label)
    assert np.array_equal(rule.coef_, same.coef_)
    np.testing.assert_allclose(rule.decision_function(X), same.decision_function(X.astype(float)), atol=1e-9)


def test_distance_is_that_to_the_nearest_border():
    X, label = clouds(4, apart=2.0)
    rule = LinearMachine().fit(X, label)
    distance = rule.distance(X)
    rng = np.random.default_rng(0)
    for x, r, own in zip(X[:10], distance, rule.predict(X)):
        u = rng.normal(size=(4000, 3))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        assert (rule.predict(x + 0.999 * r * u) == own).all()
        assert (rule.predict(x + 1.1 * r * u) != own).any()


def test_rows_sorted_by_class_are_learned_with_the_classes_in_turns():
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    auto = Perceptron(max_iter=3).fit(X, y).score(X, y)
    plain = Perceptron(max_iter=3, keep="average").fit(X, y).score(X, y)
    assert auto > 0.93 and auto >= plain


def test_weights_and_class_weights_multiply():
    X, label = clouds(5, apart=0.3)
    weight = np.random.default_rng(0).integers(0, 3, 60).astype(float)
    per_class = {0: 1.0, 1: 2.0, 2: 0.5, 3: 1.0}
    one = Perceptron(class_weight=per_class, max_iter=5).fit(X, label, weight)
    other = Perceptron(max_iter=5).fit(X, label, weight * np.array([1.0, 2.0, 0.5, 1.0])[label])
    assert np.array_equal(one.coef_, other.coef_)
    assert one.check(X, label, weight)


@pytest.mark.parametrize("make", [Perceptron, Kozinec])
def test_a_warm_start_goes_on(make):
    X, label = clouds(6, apart=0.5)
    straight = make(keep="last", max_iter=6).fit(X, label)
    halves = make(keep="last", max_iter=3, warm_start=True).fit(X, label).fit(X, label)
    if make is Perceptron:
        np.testing.assert_allclose(halves.coef_, straight.coef_, rtol=1e-9)
    else:
        half = make(keep="last", max_iter=3).fit(X, label)
        assert halves.certificate_.upper < half.certificate_.upper
    assert halves.certificate_.check(X, label)


def test_what_cannot_be_is_refused_with_its_reason():
    X, label = clouds(7)
    for rule, said in (
        (LeastSquares("pinv", margins="fisher"), "Only binary classification"),
        (LeastSquares(alpha=0.0), r"alpha=0: use method='pinv'"),
        (
            LinearMachine("newton"),
            r"rule: expected one of \['perceptron', 'relaxation', 'kozinec'\] or a rule, got 'newton'",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            rule.fit(X, label)
    with pytest.raises(ValueError, match="expected a weight > 0 in every class, got none in class 'bee'"):
        Perceptron().fit(X, NAMES[label], sample_weight=(label != 1).astype(float))


@pytest.mark.parametrize(
    "rule", [LinearMachine(), Perceptron(), Kozinec(), MaximumMargin(), LeastSquares("pinv")], ids=str
)
def test_the_check_of_a_machine_takes_what_fit_takes(rule):
    X, label = clouds(18, apart=2.0)
    weight = (np.arange(60) % 7 > 0).astype(float)
    rule.fit(X, NAMES[label], weight)
    assert rule.check(X, NAMES[label], weight)
    assert not rule.check(X, NAMES[label])  # rows that fit had not
    assert not rule.check(X[::-1], NAMES[label], weight)
    with pytest.raises(ValueError, match=r"y: expected labels of .*'dog'.*, got 'eel'"):
        rule.check(X, np.where(label == 3, "eel", NAMES[label]), weight)


@pytest.mark.parametrize("rule", [Perceptron(keep="last"), Perceptron(), Relaxation(keep="last"), LeastSquares("pinv")])
def test_parts_are_the_whole(rule):
    X, label = clouds(14, apart=0.5)
    parts = type(rule)(**rule.get_params())
    for rows in (slice(0, 20), slice(20, 60)):
        parts.partial_fit(X[rows], label[rows], classes=[0, 1, 2, 3])
    whole = type(rule)(**rule.get_params()).partial_fit(X, label, classes=[0, 1, 2, 3])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9, atol=1e-9)


# --- the largest margin ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_the_margin_is_the_referees(seed, form):
    X, label = clouds(seed, n=20, d=1 + seed % 3, apart=(0.5, 1.0, 2.0)[seed % 3])
    built = np.vstack(reference.kesler(X, label, 4))
    rule = MaximumMargin().fit(form(X), label)
    assert rule.certificate_.check(form(X), label)
    true = reference.nearest(built)
    if reference.separable(built):
        assert rule.certificate_.status == "optimal"
        assert rule.margin_ == pytest.approx(true, rel=1e-8)
        W = np.column_stack([rule.coef_, rule.intercept_])
        shown = rule.dual_coef_ @ np.column_stack([X[rule.support_], np.ones(rule.support_.size)])
        np.testing.assert_allclose(shown, W, atol=1e-7)
    else:
        assert rule.certificate_.status == "not separable"


def test_kozinec_closes_in_on_the_same_margin():
    X, label = clouds(2, n=30, apart=2.0)
    best = MaximumMargin().fit(X, label).certificate_
    near = Kozinec(tol=1e-2).fit(X, label).certificate_
    assert near.status == "eps-optimal" and near.check(X, label)
    assert near.lower <= best.upper and best.lower <= near.upper <= near.lower / (1 - 1e-2) * (1 + 1e-9)


def test_pentagon_has_the_margin_of_the_referee(shared, machines):
    X, y = shared("pentagon")
    rule = MaximumMargin().fit(X, y)
    assert rule.certificate_.status == "optimal" and rule.certificate_.check(X, y)
    assert rule.margin_ == pytest.approx(machines["pentagon"]["margin_augmented"], rel=1e-9)
    assert rule.certificate_.novikoff == pytest.approx(machines["pentagon"]["novikoff"], rel=1e-8)
    assert Perceptron().fit(X, y).certificate_.updates <= rule.certificate_.novikoff


def test_rows_of_weight_zero_are_absent():
    X, label = clouds(8, apart=2.0)
    weight = (np.arange(60) % 5 > 0).astype(float)
    weight[:4] = 1.0
    kept = MaximumMargin().fit(X[weight > 0], label[weight > 0])
    found = MaximumMargin().fit(X, label, weight)
    np.testing.assert_allclose(found.coef_, kept.coef_, rtol=1e-7, atol=1e-9)
    assert found.certificate_.check(X, label, weight)


@pytest.mark.parametrize("way", ["one-vs-all", "one-vs-one"])
def test_a_soft_margin_of_many_classes_is_that_of_a_committee(way):
    X, label = clouds(9, apart=0.5)
    rule = MaximumMargin(C=0.5, multi_class=way).fit(X, NAMES[label])
    kind = OneVsOne if way == "one-vs-one" else OneVsAll
    peer = kind(MaximumMargin(C=0.5)).fit(X, NAMES[label])
    assert np.array_equal(rule.coef_, peer.coef_) and np.array_equal(rule.predict(X), peer.predict(X))
    assert all(claim.status == "optimal" for claim in rule.certificates_)
    assert rule.check(X, NAMES[label]) and not rule.check(X, NAMES[::-1][label])
    with pytest.raises(ValueError, match=r"y: expected labels of .*, got 'eel'"):
        rule.check(X, np.full(60, "eel"))
    assert not hasattr(rule, "certificate_") and not hasattr(rule, "margin_")
    with pytest.raises(ValueError, match="distance: the regions of a committee"):
        rule.distance(X)


def test_refitted_with_fewer_or_more_classes_nothing_old_is_left():
    X, label = clouds(9, apart=2.0)
    rule = MaximumMargin(C=0.5).fit(X, label > 1)
    assert rule.margin_ > 0 and rule.support_.size
    rule.set_params(multi_class="one-vs-all").fit(X, label)
    assert not hasattr(rule, "margin_") and rule.committee_.predict(X).max() == 3
    rule.fit(X, label > 1)
    assert not hasattr(rule, "committee_") and not hasattr(rule, "certificates_") and rule.support_.size


def test_a_path_of_many_classes_has_a_committee_for_each_c():
    X, label = clouds(9, apart=0.5)
    member = MaximumMargin(multi_class="one-vs-all")
    for C, rule in zip((0.1, 1.0), member.path(X, label, (0.1, 1.0)), strict=True):
        alone = MaximumMargin(C=C, multi_class="one-vs-all").fit(X, label)
        np.testing.assert_allclose(rule.coef_, alone.coef_, rtol=0.02, atol=0.01)  # each within its gap of the best


# --- written out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [Perceptron(), MaximumMargin(), MaximumMargin(C=1.0), OneVsAll(LeastSquares("pinv")), LinearMachine()],
)
def test_every_class_has_a_polynomial(rule):
    X, label = clouds(10, apart=2.0)
    rule.fit(X, NAMES[label])
    polynomials = rule.as_polynomial()
    assert len(polynomials) == 4 and all(g.degree == 1 for g in polynomials)
    np.testing.assert_allclose(np.column_stack([g(X) for g in polynomials]), rule.decision_function(X), rtol=1e-9)
    lifted = Lifted(Quadratic(), rule).fit(X, NAMES[label])
    scores = np.column_stack([g(X) for g in lifted.as_polynomial()])
    np.testing.assert_allclose(scores, lifted.decision_function(X), rtol=1e-7, atol=1e-9)


# --- least squares ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_least_squares_has_one_hot_targets(form, intercept):
    X, label = clouds(9)
    weight = np.random.default_rng(1).uniform(0.5, 2, 60)
    rule = LeastSquares("pinv", fit_intercept=intercept).fit(form(X), NAMES[label], weight)
    A = np.column_stack([X, np.full(60, float(intercept))])
    root = np.sqrt(weight)[:, None]
    W = np.linalg.lstsq(root * A, root * np.eye(4)[label], rcond=None)[0].T
    np.testing.assert_allclose(np.column_stack([rule.coef_, rule.intercept_]), W, atol=1e-10)
    assert rule.certificate_.check(form(X), NAMES[label], weight)


@pytest.mark.parametrize("method", ["gradient", "lms"])
def test_iterative_least_squares_comes_close(method):
    X, label = clouds(10)
    exact = LeastSquares("pinv").fit(X, label)
    rule = LeastSquares(method=method, step_tol=1e-10, max_iter=5000).fit(X, label)
    size = np.abs(exact.coef_).max()
    np.testing.assert_allclose(rule.coef_, exact.coef_, atol=(1e-3 if method == "gradient" else 0.2) * size)
    assert rule.n_iter_ <= 5000 and rule.certificate_.check(X, label)


def test_wide_sparse_least_squares_needs_no_triangle():
    rng = np.random.default_rng(0)
    X = sp.random_array((40, 5000), density=0.01, random_state=0, format="csr")
    label = rng.integers(0, 3, 40)
    rule = LeastSquares("pinv").fit(X, label)
    W = np.linalg.lstsq(np.column_stack([X.toarray(), np.ones(40)]), np.eye(3)[label], rcond=None)[0].T
    np.testing.assert_allclose(rule.coef_, W[:, :-1], atol=1e-6)
