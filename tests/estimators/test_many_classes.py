"""Estimators with many classes: the machine, one versus all, one versus one (D1-D3)."""

import warnings

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as Peer
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

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


def clouds(seed=0, n=60, d=3, count=4, apart=1.0):
    rng = np.random.default_rng(seed)
    label = np.concatenate([np.arange(count), rng.integers(0, count, n - count)])
    return rng.normal(size=(n, d)) * 0.4 + 2 * apart * rng.normal(size=(count, d))[label], label


# --- the machine -----------------------------------------------------------------------------------------------------

MACHINES = {
    "perceptron": (Perceptron(keep="last", max_passes=9), Margin(0.0), Increment(1.0)),
    "margin": (Perceptron(keep="last", margin=0.5, rate="1/k", max_passes=9), Margin(0.5), Increment(1.0, 1.0)),
    "relaxation": (
        Relaxation(keep="last", max_passes=9), Margin(1.0 / (1 + 1e-9)), RelaxationRule(1.5)
    ),
    "kozinec": (Kozinec(keep="last", max_passes=9, relative=0.1), EpsOptimal(0.0, 0.1), Nearest()),
    "machine": (LinearMachine(keep="last", max_passes=9), Margin(0.0), Increment(1.0)),
    "machine kozinec": (
        LinearMachine("kozinec", EpsOptimal(0.0, 0.1), keep="last", max_passes=9), EpsOptimal(0.0, 0.1), Nearest()
    ),
    "machine with a rule": (
        LinearMachine(Scheduled(lambda k: 1 / k), 0.5, keep="last", max_passes=9), Margin(0.5), Increment(1.0, 1.0)
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", MACHINES)
def test_estimators_are_the_loop_on_classes(name, form):
    rule, target, step = MACHINES[name]
    X, label = clouds(1, apart=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule.fit(form(X), NAMES[label])
    refute = name == "kozinec"
    expected = learn([classes(form(X), label, 4)], target, step, stop=Stop(passes=9, refute=refute))
    np.testing.assert_allclose(np.column_stack([rule.coef_, rule.intercept_]), expected.w, rtol=1e-12)
    assert rule.classes_.tolist() == NAMES.tolist() and rule.certificate_.classes == tuple(NAMES)
    assert rule.certificate_.check(form(X), NAMES[label])
    g = rule.decision_function(form(X))
    np.testing.assert_allclose(g, X @ expected.w[:, :-1].T + expected.w[:, -1], rtol=1e-9, atol=1e-9)
    assert np.array_equal(rule.predict(form(X)), NAMES[g.argmax(axis=1)])
    assert rule.score(form(X), NAMES[label]) == pytest.approx(1 - rule.certificate_.violated / 60)


@pytest.mark.parametrize("make", [Perceptron, Relaxation, Kozinec, LeastSquares, MaximumMargin])
def test_two_classes_are_learned_alike_whatever_the_way_of_many(make):
    X, label = clouds(2, count=2, apart=0.3)
    found = [make(multi_class=way).fit(X, label) for way in ("machine", "one-vs-all", "one-vs-one")]
    for other in found[1:]:
        assert np.array_equal(other.coef_, found[0].coef_) and other.coef_.shape == (1, 3)
        assert other.certificate_.to_dict() == found[0].certificate_.to_dict()


def test_a_machine_of_two_classes_is_a_hyperplane():
    """w_1 = -w_0, so that the machine's perceptron is the two-class one with twice the weights."""
    X, label = clouds(3, count=2, apart=0.5)
    machine = LinearMachine(keep="last", max_passes=7).fit(X, label)
    plane = Perceptron(keep="last", max_passes=7).fit(X, label)
    np.testing.assert_allclose(machine.coef_, 2 * plane.coef_, rtol=1e-12)
    assert machine.decision_function(X).shape == (60,) and machine.certificate_.w.shape == (2, 4)
    assert machine.certificate_.check(X, label)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.bool_])
def test_other_types_are_read_in_place(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (80, 9)).astype(dtype)
    label = rng.integers(0, 6, 80)
    rule = Perceptron(max_passes=5).fit(X, label)
    same = Perceptron(max_passes=5).fit(X.astype(np.float64), label)
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
    auto = Perceptron(max_passes=3).fit(X, y).score(X, y)
    plain = Perceptron(max_passes=3, keep="average").fit(X, y).score(X, y)
    assert auto > 0.93 and auto >= plain


def test_weights_and_class_weights_multiply():
    X, label = clouds(5, apart=0.3)
    weight = np.random.default_rng(0).integers(0, 3, 60).astype(float)
    per_class = {0: 1.0, 1: 2.0, 2: 0.5, 3: 1.0}
    one = Perceptron(class_weight=per_class, max_passes=5).fit(X, label, weight)
    other = Perceptron(max_passes=5).fit(X, label, weight * np.array([1.0, 2.0, 0.5, 1.0])[label])
    assert np.array_equal(one.coef_, other.coef_)
    for way in ("one-vs-all", "one-vs-one"):
        one = Perceptron(class_weight=per_class, max_passes=5, multi_class=way).fit(X, label, weight)
        other = Perceptron(max_passes=5, multi_class=way).fit(X, label, weight * np.array([1.0, 2.0, 0.5, 1.0])[label])
        assert np.array_equal(one.coef_, other.coef_)


@pytest.mark.parametrize("make", [Perceptron, Kozinec])
def test_a_warm_start_goes_on(make):
    X, label = clouds(6, apart=0.5)
    straight = make(keep="last", max_passes=6).fit(X, label)
    halves = make(keep="last", max_passes=3, warm_start=True).fit(X, label).fit(X, label)
    if make is Perceptron:
        np.testing.assert_allclose(halves.coef_, straight.coef_, rtol=1e-9)
    else:
        half = make(keep="last", max_passes=3).fit(X, label)
        assert halves.certificate_.upper < half.certificate_.upper
    assert halves.certificate_.check(X, label)


def test_what_cannot_be_is_refused_with_its_reason():
    X, label = clouds(7)
    for rule, said in (
        (LeastSquares(margins="fisher"), "two classes"),
        (LeastSquares(method="ho-kashyap"), "multiclass"),
        (Perceptron(multi_class="one-vs-all", on_new_class="add"), "on_new_class"),
        (Perceptron(multi_class="all"), "multi_class"),
        (LinearMachine("newton"), "rule"),
    ):
        with pytest.raises(ValueError, match=said):
            rule.fit(X, label)
    with pytest.raises(ValueError, match="bee"):
        Perceptron().fit(X, NAMES[label], sample_weight=(label != 1).astype(float))


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
    near = Kozinec(relative=1e-3).fit(X, label).certificate_
    assert near.status == "eps-optimal" and near.check(X, label)
    assert near.lower <= best.upper and best.lower <= near.upper <= near.lower / (1 - 1e-3) * (1 + 1e-9)


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


@pytest.mark.parametrize("way", ["auto", "one-vs-all", "one-vs-one"])
def test_a_soft_margin_of_many_classes_is_a_committees(way):
    X, label = clouds(9, apart=0.5)
    rule = MaximumMargin(C=0.5, multi_class=way).fit(X, NAMES[label])
    kind = OneVsOne if way == "one-vs-one" else OneVsAll
    peer = kind(MaximumMargin(C=0.5)).fit(X, NAMES[label])
    assert np.array_equal(rule.coef_, peer.coef_) and np.array_equal(rule.predict(X), peer.predict(X))
    assert all(claim.status == "optimal" for claim in rule.certificates_)
    if kind is OneVsAll:
        assert all(claim.check(X, NAMES[label] == name) for name, claim in zip(NAMES, rule.certificates_, strict=True))
    assert not any(hasattr(rule, name) for name in ("certificate_", "margin_", "support_", "dual_coef_"))


def test_a_soft_margin_has_no_machine():
    X, label = clouds(9, apart=0.5)
    assert get_tags(MaximumMargin(C=0.5)).classifier_tags.multi_class
    soft = MaximumMargin(C=0.5, multi_class="machine")
    assert not get_tags(soft).classifier_tags.multi_class
    with pytest.raises(ValueError, match="multi_class='one-vs-all'"):
        soft.fit(X, label)
    assert soft.fit(X, label > 1).certificate_.check(X, label > 1)


def test_refitted_with_fewer_or_more_classes_nothing_old_is_left():
    X, label = clouds(9, apart=2.0)
    rule = MaximumMargin(C=0.5).fit(X, label > 1)
    assert rule.margin_ > 0 and rule.support_.size
    rule.fit(X, label)
    assert not hasattr(rule, "support_") and rule.committee_.predict(X).max() == 3
    rule.fit(X, label > 1)
    assert not hasattr(rule, "committee_") and not hasattr(rule, "certificates_") and rule.support_.size


def test_a_path_of_many_classes_has_a_committee_for_each_c():
    X, label = clouds(9, apart=0.5)
    for C, rule in zip((0.1, 1.0), MaximumMargin().path(X, label, (0.1, 1.0)), strict=True):
        np.testing.assert_array_equal(rule.coef_, MaximumMargin(C=C).fit(X, label).coef_)


# --- written out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [Perceptron(), MaximumMargin(), MaximumMargin(C=1.0), OneVsAll(LeastSquares()), LinearMachine("relaxation")],
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


@pytest.mark.parametrize("rule", [Perceptron(multi_class="one-vs-one"), OneVsOne(Perceptron())])
def test_votes_are_no_polynomial(rule):
    X, label = clouds(10, count=3, apart=2.0)  # as many pairs as classes
    for learned in (rule.fit(X, label), Lifted(Quadratic(), rule).fit(X, label)):
        with pytest.raises(ValueError, match="as_polynomial: one versus one"):
            learned.as_polynomial()
    assert rule.fit(X[label < 2], label[label < 2]).as_polynomial().degree == 1


# --- least squares ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_least_squares_has_one_hot_targets(form, intercept):
    X, label = clouds(9)
    weight = np.random.default_rng(1).uniform(0.5, 2, 60)
    rule = LeastSquares(fit_intercept=intercept).fit(form(X), NAMES[label], weight)
    A = np.column_stack([X, np.full(60, float(intercept))])
    root = np.sqrt(weight)[:, None]
    W = np.linalg.lstsq(root * A, root * np.eye(4)[label], rcond=None)[0].T
    np.testing.assert_allclose(np.column_stack([rule.coef_, rule.intercept_]), W, atol=1e-10)
    assert rule.certificate_.check(form(X), NAMES[label], weight)


@pytest.mark.parametrize("method", ["gradient", "lms"])
def test_iterative_least_squares_comes_close(method):
    X, label = clouds(10)
    exact = LeastSquares().fit(X, label)
    rule = LeastSquares(method=method, tol=1e-10, max_passes=5000).fit(X, label)
    size = np.abs(exact.coef_).max()
    np.testing.assert_allclose(rule.coef_, exact.coef_, atol=(1e-3 if method == "gradient" else 0.2) * size)
    assert rule.n_passes_ <= 5000 and rule.certificate_.check(X, label)


def test_wide_sparse_least_squares_needs_no_triangle():
    rng = np.random.default_rng(0)
    X = sp.random_array((40, 5000), density=0.01, random_state=0, format="csr")
    label = rng.integers(0, 3, 40)
    rule = LeastSquares().fit(X, label)
    W = np.linalg.lstsq(np.column_stack([X.toarray(), np.ones(40)]), np.eye(3)[label], rcond=None)[0].T
    np.testing.assert_allclose(rule.coef_, W[:, :-1], atol=1e-6)


# --- partial_fit, and classes never seen before ----------------------------------------------------------------------

PARTIAL = {
    "perceptron": Perceptron(on_new_class="add"),
    "last": Perceptron(on_new_class="add", keep="last"),
    "batch": Perceptron(on_new_class="add", batch=True),
    "relaxation": Relaxation(on_new_class="add"),
    "kozinec": Kozinec(on_new_class="add"),
    "squares": LeastSquares(on_new_class="add"),
    "lms": LeastSquares(method="lms", on_new_class="add"),
    "machine": LinearMachine(on_new_class="add"),
}


def grow(rule, X, label, names, forms=(np.asarray,) * 3):
    """Parts with two, three and four classes; the new ones sort before the old ones."""
    for count, form in zip((2, 3, 4), forms):
        some = label < count
        rule.partial_fit(form(X[some]), names[label[some]])
    return rule


@pytest.mark.parametrize("name", PARTIAL)
def test_a_new_class_is_added(name):
    from sklearn.base import clone

    X, label = clouds(11, apart=2.0)
    names = NAMES[::-1]  # each new class comes first in classes_
    rule = grow(clone(PARTIAL[name]), X, label, names)
    assert rule.classes_.tolist() == sorted(names.tolist()) and rule.coef_.shape == (4, 3)
    assert rule.certificate_.check(X, names[label])
    mixed = grow(clone(PARTIAL[name]), X, label, names, (np.asarray, sp.csr_array, np.asarray))
    np.testing.assert_allclose(mixed.coef_, rule.coef_, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match=r"'eel'|one class"):
        clone(PARTIAL[name]).set_params(on_new_class="error").partial_fit(X, names[label], classes=names).partial_fit(
            X, np.full(60, "eel")
        )


def test_an_added_class_begins_at_zero_by_the_naive_loop():
    X, label = clouds(12, apart=0.5)
    rule = grow(Perceptron(on_new_class="add", keep="last"), X, label, np.arange(4))
    w = np.zeros((4, 4))
    for count in (2, 3, 4):
        for i in np.flatnonzero(label < count):
            x = np.append(X[i], 1.0)
            score = w[:count] @ x
            score[label[i]], own = -np.inf, score[label[i]]
            rival = int(np.argmax(score))
            if own - score[rival] <= 0:
                w[label[i]] += x
                w[rival] -= x
    np.testing.assert_allclose(np.column_stack([rule.coef_, rule.intercept_]), w, rtol=1e-9, atol=1e-9)


def test_least_squares_with_an_added_class_is_that_of_all_rows():
    X, label = clouds(13)
    parts = [np.flatnonzero(label < 2), np.flatnonzero(label == 3), np.flatnonzero(label == 2)]
    rule = LeastSquares(on_new_class="add")
    for rows in parts:
        rule.partial_fit(X[rows], NAMES[label[rows]])
    whole = LeastSquares().fit(X, NAMES[label])
    np.testing.assert_allclose(rule.coef_, whole.coef_, atol=1e-10)
    np.testing.assert_allclose(rule.intercept_, whole.intercept_, atol=1e-10)


@pytest.mark.parametrize("rule", [Perceptron(keep="last"), Perceptron(), Relaxation(keep="last"), LeastSquares()])
def test_parts_are_the_whole(rule):
    X, label = clouds(14, apart=0.5)
    parts = type(rule)(**rule.get_params())
    for rows in (slice(0, 20), slice(20, 60)):
        parts.partial_fit(X[rows], label[rows], classes=[0, 1, 2, 3])
    whole = type(rule)(**rule.get_params()).partial_fit(X, label, classes=[0, 1, 2, 3])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9, atol=1e-9)


# --- one versus all, one versus one ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 1 / 16])
def test_one_versus_all_is_scikit_learns_perceptron(scale):
    """Exactly, for pixels are whole numbers: the same updates, the same sums."""
    X, y = load_digits(return_X_y=True)
    X = scale * X
    peer = Peer(shuffle=False, tol=None, max_iter=7).fit(X, y)
    rule = OneVsAll(Perceptron(keep="last", max_passes=7)).fit(X, y)
    assert np.array_equal(rule.coef_, peer.coef_) and np.array_equal(rule.intercept_, peer.intercept_)
    named = Perceptron(keep="last", max_passes=7, multi_class="one-vs-all").fit(X, y)
    assert np.array_equal(named.coef_, peer.coef_)
    assert np.array_equal(named.predict(X), peer.predict(X))


MEMBERS = {
    "perceptron": Perceptron(max_passes=5),
    "last": Perceptron(keep="last", max_passes=5),
    "average": Perceptron(keep="average", max_passes=5, rate="1/sqrt(k)", margin=0.5),
    "function": Perceptron(keep="last", max_passes=5, rate=lambda k: 1 / k),
    "shuffled": Perceptron(shuffle=True, random_state=0, max_passes=5),
    "no bias": Perceptron(fit_intercept=False, max_passes=5),
    "updates": Perceptron(max_updates=7),
    "batch": Perceptron(batch=True, max_passes=5),
    "pocket": Perceptron(keep="pocket", max_passes=5),
    "relaxation": Relaxation(max_passes=5),
    "kozinec": Kozinec(max_passes=5),
    "augmented kozinec": Kozinec(bias="augmented", max_passes=5),
    "separating": Kozinec(bias="augmented", relative=0.5),
    "squares": LeastSquares(),
    "optimum": MaximumMargin(),
}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MEMBERS)
def test_members_learn_what_they_would_learn_alone(name, form, weighted):
    from sklearn.base import clone

    X, label = clouds(21, n=80, apart=1.0)
    X = form(X)
    weight = np.random.default_rng(0).integers(0, 3, 80).astype(float) if weighted else None
    rule = OneVsAll(MEMBERS[name]).fit(X, NAMES[label], weight)
    for k in range(4):
        alone = clone(MEMBERS[name]).fit(X, (label == k).astype(int), weight)
        np.testing.assert_allclose(rule.coef_[k], alone.coef_[0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(rule.intercept_[k], alone.intercept_[0], rtol=1e-9, atol=1e-9)
        found = rule.certificates_[k]
        assert found.check(X, label == k, weight), str(found.check(X, label == k, weight))
        assert (found.status, found.updates, found.violated) == (
            alone.certificate_.status, alone.certificate_.updates, alone.certificate_.violated
        )  # fmt: skip
        assert rule.estimators_[k].n_passes_ == alone.n_passes_
        np.testing.assert_allclose(rule.estimators_[k].decision_function(X), alone.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("member", [Perceptron(), LogisticRegression(), SGDClassifier(random_state=0), GaussianNB()])
def test_one_versus_one_votes_as_scikit_learns(member):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer, rule = OneVsOneClassifier(member).fit(X, y), OneVsOne(member).fit(X, y)
    votes = np.zeros((600, 10), dtype=int)
    for (p, q), each in zip(rule.pairs_, peer.estimators_):
        said = each.predict(X)
        votes[:, p] += said == 0
        votes[:, q] += said == 1
    assert np.array_equal(rule.votes(X), votes)
    if hasattr(member, "decision_function"):
        np.testing.assert_allclose(rule.decision_function(X), peer.decision_function(X), atol=1e-9)
        assert np.array_equal(rule.predict(X), peer.predict(X))


@pytest.mark.parametrize("member", [LogisticRegression(), GaussianNB()])
def test_one_versus_all_decides_as_scikit_learns(member):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600] / 16 + 0.1, y[:600]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer, rule = OneVsRestClassifier(member).fit(X, y), OneVsAll(member).fit(X, y)
    assert np.array_equal(rule.predict(X), peer.predict(X))


def test_ambiguous_is_claimed_by_none_or_by_many():
    X, y = [[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]], [0, 1, 2]
    rule = OneVsAll(MaximumMargin()).fit(X, y)
    grid = np.stack(np.meshgrid(np.linspace(-4, 8, 61) + 0.01, np.linspace(-4, 7, 61)), axis=-1).reshape(-1, 2)
    claims = (np.column_stack([m.decision_function(grid) for m in rule.estimators_]) > 0).sum(axis=1)
    assert np.array_equal(rule.ambiguous(grid), claims != 1)
    assert rule.ambiguous(grid).any() and (claims > 1).any() and (claims == 0).any() and not rule.ambiguous(X).any()
    pairs = OneVsOne(MaximumMargin()).fit(X, y)
    votes = pairs.votes(grid)
    assert (votes.sum(axis=1) == 3).all()
    assert np.array_equal(pairs.ambiguous(grid), np.sort(votes, axis=1)[:, -1] == np.sort(votes, axis=1)[:, -2])


def test_a_committee_of_two_classes_is_its_only_member():
    X, label = clouds(15, count=2)
    for kind in (OneVsAll, OneVsOne):
        rule = kind(Perceptron()).fit(X, NAMES[label])
        alone = Perceptron().fit(X, NAMES[label])
        assert np.array_equal(rule.coef_, alone.coef_) and rule.decision_function(X).shape == (60,)
        assert np.array_equal(rule.predict(X), alone.predict(X))
        assert (rule.votes(X).sum(axis=1) == 1).all() and not rule.ambiguous(X).any()


def test_committees_go_on_with_parts():
    X, label = clouds(16, apart=0.5)
    for kind in (OneVsAll, OneVsOne):
        parts = kind(Perceptron(keep="last"))
        for rows in (slice(0, 20), slice(20, 60)):
            parts.partial_fit(X[rows], NAMES[label[rows]], classes=NAMES)
        whole = kind(Perceptron(keep="last")).partial_fit(X, NAMES[label], classes=NAMES)
        np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9, atol=1e-9)
        with pytest.raises(ValueError, match="'eel'"):
            parts.partial_fit(X, np.full(60, "eel"))
        with pytest.raises(ValueError, match="needs all labels"):
            kind(Perceptron()).partial_fit(X, label)
        assert not hasattr(kind(MaximumMargin()), "partial_fit")


def test_another_way_of_many_leaves_nothing_of_the_first():
    X, label = clouds(17)
    rule = Perceptron(multi_class="one-vs-one").fit(X, label)
    assert len(rule.certificates_) == 6 and rule.coef_.shape == (6, 3) and not hasattr(rule, "certificate_")
    with pytest.raises(ValueError, match="committee"):
        rule.distance(X)
    rule.set_params(multi_class="machine").fit(X, label)
    assert rule.coef_.shape == (4, 3) and not hasattr(rule, "committee_") and rule.certificate_.check(X, label)
