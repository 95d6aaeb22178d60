"""Peers: the single-sample perceptron is scikit-learn's, number for number."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.linear_model import Perceptron as Peer
from sklearn.preprocessing import StandardScaler

from linsep import Perceptron


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def breast_cancer_as_it_is():
    return load_breast_cancer(return_X_y=True)


def iris(one, other):
    X, y = load_iris(return_X_y=True)
    some = np.isin(y, [one, other])
    return X[some], y[some]


def shuffled_iris():
    X, y = iris(1, 2)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def wide():
    return make_classification(60, 200, n_informative=20, random_state=0)


def strings():
    X, y = make_classification(300, 7, n_informative=4, flip_y=0.1, random_state=1)
    return X, np.where(y == 1, "spam", "ham")


SETS = {
    "breast cancer": breast_cancer,
    "breast cancer, not scaled": breast_cancer_as_it_is,
    "iris 0 1": lambda: iris(0, 1),
    "iris 1 2": lambda: iris(1, 2),
    "iris 1 2, shuffled": shuffled_iris,
    "wide": wide,
    "strings": strings,
}


def agree(ours, theirs):
    scale = max(np.abs(theirs.coef_).max(), np.abs(theirs.intercept_).max())
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12, atol=1e-12 * scale)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-12, atol=1e-12 * scale)
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.intercept_.shape == theirs.intercept_.shape
    assert np.array_equal(ours.classes_, theirs.classes_)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("k", [1, 2, 5, 20])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_k_passes_are_scikit_learns_k_passes(name, k, fit_intercept):
    X, y = SETS[name]()
    ours = Perceptron(scaling=None, keep="last", max_iter=k, fit_intercept=fit_intercept).fit(X, y)
    theirs = Peer(shuffle=False, tol=None, max_iter=k, fit_intercept=fit_intercept).fit(X, y)
    agree(ours, theirs)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("k", [1, 5])
def test_weights_and_rates_are_scikit_learns(name, k):
    X, y = SETS[name]()
    rng = np.random.default_rng(2)
    weight = rng.integers(0, 3, len(y)) * rng.uniform(0.5, 2.0, len(y))
    balance = dict(zip(np.unique(y).tolist(), (0.5, 3.0)))
    for settings, theirs in (
        ({}, {}),
        ({"rate": 0.25}, {"eta0": 0.25}),
        ({"class_weight": balance}, {"class_weight": balance}),
    ):
        ours = Perceptron(scaling=None, keep="last", max_iter=k, **settings).fit(X, y, sample_weight=weight)
        peer = Peer(shuffle=False, tol=None, max_iter=k, **theirs).fit(X, y, sample_weight=weight)
        agree(ours, peer)


def test_balanced_classes_are_scikit_learns():
    X, y = strings()
    X, y = X[: len(y) - 80], y[: len(y) - 80]
    ours = Perceptron(scaling=None, keep="last", max_iter=5, class_weight="balanced").fit(X, y)
    theirs = Peer(shuffle=False, tol=None, max_iter=5, class_weight="balanced").fit(X, y)
    agree(ours, theirs)


@pytest.mark.parametrize("name", ["breast cancer", "wide", "strings"])
def test_partial_fit_is_scikit_learns(name):
    X, y = SETS[name]()
    ours, theirs = Perceptron(scaling=None, keep="last"), Peer(shuffle=False, tol=None)
    for rows in (slice(0, 25), slice(25, 26), slice(26, None), slice(None)):
        ours.partial_fit(X[rows], y[rows], classes=np.unique(y))
        theirs.partial_fit(X[rows], y[rows], classes=np.unique(y))
        agree(ours, theirs)
