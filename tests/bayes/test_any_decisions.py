"""Decisions other than the classes (A1), means in parts and of sparse rows, and what committees show."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris

from linsep import Anderson, Bayes, MaximumMargin, NearestMean, OneVsAll, OneVsOne, Perceptron
from linsep.bayes import Gaussian, Model, Strategy, monte_carlo_risk

X, Y = load_iris(return_X_y=True)
ACTIONS = ["water", "cut", "ask", "leave"]
W = np.array([[0.0, 2.0, 3.0], [4.0, 0.0, 1.0], [0.3, 0.3, 0.3], [1.0, 1.0, 0.1]])


def test_the_decision_is_that_of_least_risk_by_brute_force():
    rule = Bayes(Gaussian(), loss=W, decisions=ACTIONS).fit(X, Y)
    posterior = rule.predict_proba(X)
    by_hand = [ACTIONS[min(range(4), key=lambda d, p=p: sum(p[k] * W[d, k] for k in range(3)))] for p in posterior]
    assert rule.predict(X).tolist() == by_hand
    assert set(by_hand) >= {"water", "cut", "leave"} and rule.decisions_.tolist() == ACTIONS
    np.testing.assert_allclose(rule.decision_function(X), -posterior @ W.T)
    index = [ACTIONS.index(each) for each in by_hand]
    np.testing.assert_allclose(rule.losses(X, Y), W[index, Y])
    assert not hasattr(rule, "coef_")


def test_fewer_decisions_than_classes_and_labels_of_any_kind():
    model = Model([Gaussian.from_parameters([m], [[1.0]]) for m in (0.0, 2.0, 4.0)])
    one = Strategy(model, [[0, 1, 1], [1, 0, 0]], decisions=[("first", 1), None])
    assert one.predict([[-2.0], [3.0]]).tolist() == [("first", 1), None]
    risk = Strategy(model, [[0, 1, 1], [1, 0, 0]], decisions=["a", "b"]).risk(20_000, random_state=0)
    merged = Strategy(model, [[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    other = monte_carlo_risk(merged, model, [[0, 1, 1], [1, 0, 0], [1, 0, 0]], n=20_000, random_state=1)
    assert risk.value == pytest.approx(other.value, abs=0.02)


def test_two_classes_and_any_decisions_have_intervals():
    model = Model([Gaussian.from_parameters([m], [[1.0]]) for m in (0.0, 2.0)])
    strategy = Strategy(model, [[0, 9], [0.7, 0.7], [1, 0]], decisions=["go", "ask", "stop"])
    assert [each.decision for each in strategy.intervals()] == ["go", "ask", "stop"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"decisions": ACTIONS}, "expected a loss with one row for each"),
        ({"decisions": ACTIONS, "loss": W, "reject": 0.1}, "reject=None"),
        ({"decisions": ACTIONS[:3], "loss": W}, r"expected a matrix of 3 x 3.*got shape \(4, 3\)"),
        ({"decisions": ["a", "a", "b", "c"], "loss": W}, "different labels"),
        ({"decisions": [], "loss": W}, "different labels"),
        ({"decisions": ACTIONS, "loss": np.where(W == 4, np.nan, W)}, r"W\[1, 0\] = nan"),
    ],
)
def test_what_cannot_be_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        Bayes(Gaussian(), **options).fit(X, Y)


def test_means_in_parts_are_those_of_the_whole():
    weight = np.arange(150) % 4
    order = np.random.default_rng(0).permutation(150)
    rule = NearestMean()
    for rows in np.array_split(order, 5):
        rule.partial_fit(X[rows], Y[rows], classes=[0, 1, 2], sample_weight=weight[rows])
    whole = NearestMean().fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(rule.means_, whole.means_, rtol=1e-12)
    np.testing.assert_allclose(rule.coef_, whole.coef_, rtol=1e-12)
    begun = NearestMean().fit(X[::2], Y[::2]).partial_fit(X[1::2], Y[1::2])
    np.testing.assert_allclose(begun.means_, NearestMean().fit(X, Y).means_, rtol=1e-12)
    with pytest.raises(ValueError, match="the first call of partial_fit needs all labels"):
        NearestMean().partial_fit(X, Y)
    with pytest.raises(ValueError, match="the first part has no row of class 2"):
        NearestMean().partial_fit(X[:100], Y[:100], classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"expected labels of \[0, 1, 2\], got 7"):
        rule.partial_fit(X[:1], [7])


def test_means_of_sparse_rows_without_making_them_dense():
    S = sp.random_array((300, 2000), density=0.01, random_state=0, format="csr")
    y = np.arange(300) % 3
    sparse, dense = NearestMean().fit(S, y), NearestMean().fit(S.toarray(), y)
    np.testing.assert_allclose(sparse.means_, dense.means_, atol=1e-15)
    np.testing.assert_array_equal(sparse.predict(S), dense.predict(S.toarray()))
    np.testing.assert_allclose(sparse.distance(S), dense.distance(S.toarray()), atol=1e-10)


@pytest.mark.parametrize("kind", [OneVsAll, OneVsOne])
def test_committees_show_classes_passes_and_the_rows_that_support_them(kind):
    rule = kind(MaximumMargin(C=1.0)).fit(X, Y)
    assert rule.n_classes_ == 3 and rule.n_iter_ == max(member.n_iter_ for member in rule.estimators_)
    expected = set()
    for k, member in enumerate(rule.estimators_):
        rows = np.arange(150) if kind is OneVsAll else np.flatnonzero(np.isin(Y, rule.pairs_[k]))
        expected |= set(rows[member.support_].tolist())
    assert rule.support_.tolist() == sorted(expected)
    np.testing.assert_array_equal(rule.support_vectors_, X[rule.support_])
    assert not hasattr(kind(Perceptron()).fit(X, Y), "support_")


@pytest.mark.parametrize("rule", [OneVsAll(Perceptron()), Perceptron(), NearestMean()], ids=str)
def test_scores_that_are_no_probabilities_say_what_to_use(rule):
    rule.fit(X, Y)
    assert not hasattr(rule, "predict_proba")
    with pytest.raises(AttributeError, match="CalibratedClassifierCV"):
        rule.predict_proba(X)
    proba = CalibratedClassifierCV(rule).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_errors_of_gaussians_are_no_probabilities_of_rows():
    two = Y > 0
    rule = Anderson().fit(X, two)
    with pytest.raises(AttributeError, match=r"CalibratedClassifierCV\(Anderson"):
        rule.predict_proba(X)
    assert (CalibratedClassifierCV(rule).fit(X, two).predict_proba(X).argmax(axis=1) == two).mean() > 0.95
