"""One versus all (D2) and one versus one (D3): members, votes, and the checks of all members."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from machine_cases import clouds as few_clouds
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as Peer
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB

from linsep import Kozinec, LeastSquares, Lifted, MaximumMargin, OneVsAll, OneVsOne, Perceptron, Quadratic, Relaxation

NAMES = np.array(["ant", "bee", "cat", "dog"])
both = pytest.mark.parametrize("kind", [OneVsAll, OneVsOne])
dense_and_sparse = pytest.mark.parametrize(
    "form", [np.asarray, pytest.param(sp.csr_array, marks=pytest.mark.long)], ids=["dense", "csr"]
)


def clouds(seed=0, n=60, **more):
    return few_clouds(seed, n, **more)


@pytest.mark.parametrize("scale", [1.0, 1 / 16])
def test_one_versus_all_is_scikit_learns_perceptron(scale):
    """Exactly, for pixels are whole numbers: the same updates, the same sums."""
    X, y = load_digits(return_X_y=True)
    X = scale * X
    peer = Peer(shuffle=False, tol=None, max_iter=7).fit(X, y)
    rule = OneVsAll(Perceptron(keep="last", max_iter=7)).fit(X, y)
    assert np.array_equal(rule.coef_, peer.coef_) and np.array_equal(rule.intercept_, peer.intercept_)
    assert np.array_equal(rule.predict(X), peer.predict(X))


MEMBERS = {
    "perceptron": Perceptron(max_iter=5),
    "last": Perceptron(keep="last", max_iter=5),
    "average": Perceptron(keep="average", max_iter=5, rate="1/sqrt(k)", margin=0.5),
    "function": Perceptron(keep="last", max_iter=5, rate=lambda k: 1 / k),
    "shuffled": Perceptron(shuffle=True, random_state=0, max_iter=5),
    "no bias": Perceptron(fit_intercept=False, max_iter=5),
    "updates": Perceptron(max_updates=7),
    "batch": Perceptron(batch=True, max_iter=5),
    "pocket": Perceptron(keep="pocket", max_iter=5),
    "relaxation": Relaxation(max_iter=5),
    "kozinec": Kozinec(max_iter=5),
    "augmented kozinec": Kozinec(bias="augmented", max_iter=5),
    "separating": Kozinec(bias="augmented", tol=0.5),
    "squares": LeastSquares("pinv"),
    "optimum": MaximumMargin(),
}


@dense_and_sparse
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MEMBERS)
def test_members_learn_what_they_would_learn_alone(name, form, weighted):
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
        assert rule.estimators_[k].n_iter_ == alone.n_iter_
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


@both
@dense_and_sparse
@pytest.mark.parametrize("member", [Perceptron(), MaximumMargin(C=1.0)], ids=str)
def test_the_check_of_a_committee_is_that_of_every_member(kind, form, member):
    X, label = clouds(18, apart=1.0)
    X, y, weight = form(X), NAMES[label], (np.arange(60) % 7 > 0).astype(float)
    rule = kind(member).fit(X, y, weight)
    verdict = rule.check(X, y, weight)
    assert verdict and "least margin of the members" in str(verdict)
    assert verdict.lower <= min(claim.upper for claim in rule.certificates_)
    assert not rule.check(X, y)  # rows that fit had not
    wrong = rule.check(X[::-1], y, weight)
    assert not wrong and any(failure.startswith("member 0: ") for failure in wrong.failures)
    with pytest.raises(ValueError, match=r"y: expected labels of .*'dog'.*, got 'eel'"):
        rule.check(X, np.where(label == 3, "eel", y))


@both
def test_only_one_versus_all_has_a_polynomial_per_class(kind):
    X, label = clouds(10, count=3, apart=2.0)  # as many pairs as classes
    rule = kind(Perceptron())
    for learned in (rule.fit(X, label), Lifted(Quadratic(), rule).fit(X, label)):
        if kind is OneVsAll:
            assert len(learned.as_polynomial()) == 3
        else:
            with pytest.raises(ValueError, match="as_polynomial: one versus one"):
                learned.as_polynomial()
    assert rule.fit(X[label < 2], label[label < 2]).as_polynomial().degree == 1


@both
def test_missing_values_reach_members_that_take_them(kind):
    X, y = clouds()
    X = X.copy()
    X[::7, 0] = np.nan
    rule = kind(HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2)).fit(X, y)
    assert rule.predict(X).shape == y.shape and np.isfinite(rule.decision_function(X)).all()
    with pytest.raises(ValueError, match=r"NaN\. The first is in row 0, column 0"):
        kind(Perceptron()).fit(X, y)


@both
def test_regressors_are_refused(kind):
    with pytest.raises(ValueError, match=r"^estimator: expected a classifier, got the regressor LinearRegression\.$"):
        kind(LinearRegression()).fit(*clouds())


@both
def test_rows_that_support_any_member(kind):
    X, y = clouds()
    rule = kind(MaximumMargin(C=1.0)).fit(X, y)
    assert np.array_equal(rule.support_vectors_, X[rule.support_])
    assert rule.n_support_.tolist() == [np.sum(y[rule.support_] == name) for name in rule.classes_]
