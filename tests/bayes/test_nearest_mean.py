"""Nearest mean and Mahalanobis distance: against scikit-learn, and far from the origin."""

import numpy as np
import pytest
from bayes_worlds import SETS, every_set, iris
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from linsep.bayes import Bayes, Gaussian, Mahalanobis, Model, NearestMean, Uniform


@every_set
def test_the_nearest_mean_is_scikit_learns_and_linear(name):
    X, y = SETS[name]()
    ours, theirs = NearestMean().fit(X, y), NearestCentroid().fit(X, y)
    assert ours.means_ == pytest.approx(theirs.centroids_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    g = X @ ours.coef_.T + ours.intercept_
    decided = (g[:, 0] > 0).astype(int) if g.shape[1] == 1 else np.argmax(g, axis=1)
    assert np.array_equal(ours.classes_[decided], ours.predict(X))
    assert ours.decision_function(X).shape == ((len(X),) if g.shape[1] == 1 else g.shape)
    sphere = Bayes(Gaussian("spherical", shared=True), priors="uniform").fit(X, y)
    assert np.array_equal(sphere.predict(X), ours.predict(X))


@every_set
def test_the_shared_mahalanobis_rule_is_lda_with_equal_priors(name):
    X, y = SETS[name]()
    K = len(np.unique(y))
    ours, theirs = Mahalanobis().fit(X, y), LinearDiscriminantAnalysis(priors=[1 / K] * K, tol=1e-12).fit(X, y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    if K == 2:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-8)
    else:
        g, h = ours.decision_function(X), theirs.decision_function(X)
        np.testing.assert_allclose(g - g[:, :1], h - h[:, :1], rtol=1e-8, atol=1e-7)


def test_the_mahalanobis_rule_with_covariances_of_their_own_is_the_formula():
    X, y = iris()
    ours = Mahalanobis("own").fit(X, y)
    by_hand = np.empty((len(X), 3))
    for k in range(3):
        part = X[y == k]
        P = np.linalg.inv(np.cov(part.T, bias=True))
        rest = X - part.mean(axis=0)
        by_hand[:, k] = np.sqrt(np.einsum("ij,jk,ik->i", rest, P, rest))
    np.testing.assert_allclose(ours.distance(X), by_hand, rtol=1e-8)
    assert np.array_equal(ours.predict(X), np.argmin(by_hand, axis=1))
    g = ours.discriminant_(X)
    np.testing.assert_allclose(g, -0.5 * by_hand**2, rtol=1e-7, atol=1e-7)
    with pytest.raises(AttributeError, match="quadratic"):
        _ = ours.coef_


def test_far_from_the_origin_no_digits_are_lost():
    """Means of 1e8 leave 1e-8 of a column: the discriminants as coefficients drown in rounding, the rules do not."""
    data, y = iris()
    for rule in (Bayes(), Bayes(Gaussian()), NearestMean(), Mahalanobis(), Mahalanobis("own")):
        near, far = clone(rule).fit(data, y), clone(rule).fit(data + 2.0**26, y)
        assert np.array_equal(near.predict(data), far.predict(data + 2.0**26))
        np.testing.assert_allclose(
            near.decision_function(data), far.decision_function(data + 2.0**26), atol=1e-4, rtol=1e-4
        )


def test_a_class_so_far_away_that_its_spread_is_rounded_off_is_refused():
    noise, y = np.random.default_rng(0).normal(size=(60, 2)), np.repeat([0, 1], 30)
    far = Bayes().fit(noise + np.outer(y, [1e14, 0.0]), y)
    assert far.discriminant_.quadratic is None and far.score(noise + np.outer(y, [1e14, 0.0]), y) == 1.0
    with pytest.raises(ValueError, match="column 0 does not vary"):
        Bayes().fit(noise + np.outer(y, [1e16, 0.0]), y)


def test_a_shared_covariance_decides_by_one_product_and_means_the_densities():
    world = Model(
        [Gaussian.from_parameters(mean, [[2.0, 0.5], [0.5, 1.0]]) for mean in ([0.0, 0], [1, 2], [3, 0])],
        [0.2, 0.5, 0.3],
    )
    data, _ = world.sample(300, random_state=0)
    logs = world.log_joint(data)
    np.testing.assert_allclose(
        world.predict_log_proba(data), logs - np.logaddexp.reduce(logs, axis=1)[:, None], atol=1e-10
    )


@pytest.mark.parametrize("rule", [NearestMean(), Mahalanobis(), Mahalanobis("own")], ids=str)
def test_as_a_transformer_it_has_one_distance_per_class(rule):
    X, y = iris()
    distances = clone(rule).fit_transform(X, y)
    assert np.array_equal(distances, rule.fit(X, y).distance(X)) and distances.shape == (len(X), 3)
    assert np.array_equal(rule.classes_[distances.argmin(axis=1)], rule.predict(X))
    assert rule.get_feature_names_out().tolist() == [f"{type(rule).__name__.lower()}{k}" for k in range(3)]
    assert make_pipeline(clone(rule), LinearDiscriminantAnalysis()).fit(X, y).score(X, y) > 0.9


def test_the_means_of_a_bayes_rule_are_those_of_its_gaussians():
    X, y = iris()
    by_hand = [X[y == k].mean(axis=0) for k in range(3)]
    for model in (None, Gaussian(), LinearDiscriminantAnalysis()):
        np.testing.assert_allclose(Bayes(model).fit(X, y).means_, by_hand, rtol=1e-12)
    with pytest.raises(AttributeError, match="means_: expected Gaussian densities, got Gaussian, Uniform"):
        _ = Bayes({0: Uniform(), 1: Gaussian(), 2: Gaussian()}).fit(X, y).means_
    assert not hasattr(Bayes(GaussianNB()).fit(X, y), "means_")  # scikit-learn calls them theta_
