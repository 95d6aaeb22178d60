"""Discriminants are those of scikit-learn's LDA, QDA and naive Bayes."""

import numpy as np
import pytest
from bayes_worlds import SETS, every_set, iris, two_of_iris, wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from linsep.bayes import Bayes, Gaussian, Model, Rayleigh, Strategy, Uniform, compute_discriminant


def priors_of(y, given):
    K = len(np.unique(y))
    return np.arange(1, K + 1) / (K * (K + 1) / 2) if given else None


@every_set
@pytest.mark.parametrize("given", [False, True], ids=["priors estimated", "priors given"])
def test_a_shared_covariance_is_lda(name, given):
    X, y = SETS[name]()
    priors = priors_of(y, given)
    theirs = LinearDiscriminantAnalysis(priors=priors, tol=1e-12).fit(X, y)
    ours = Bayes(Gaussian(shared=True), priors=priors).fit(X, y)
    agree(ours, theirs, X)
    if given:  # their other solver weighs the covariances by the priors
        return
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-8)
    assert ours.coef_.shape == theirs.coef_.shape and ours.intercept_.shape == theirs.intercept_.shape


@every_set
@pytest.mark.parametrize("given", [False, True], ids=["priors estimated", "priors given"])
def test_covariances_of_their_own_are_qda(name, given):
    X, y = SETS[name]()
    priors = priors_of(y, given)
    theirs = QuadraticDiscriminantAnalysis(priors=priors, tol=0.0).fit(X, y)
    ours = Bayes(Gaussian(), priors=priors).fit(X, y)
    agree(ours, theirs, X)
    with pytest.raises(AttributeError, match="quadratic"):
        _ = ours.coef_


def test_a_diagonal_covariance_is_naive_bayes():
    X, y = iris()
    agree(Bayes(Gaussian("diagonal")).fit(X, y), GaussianNB(var_smoothing=0.0).fit(X, y), X)


def agree(ours, theirs, X):
    """Posteriors, decisions, and the discriminants as coefficients: of both, but for what is common to all classes."""
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-8)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert np.array_equal(ours.classes_, theirs.classes_)
    mine, other = ours.discriminant_, compute_discriminant(theirs)
    for k in range(1, len(ours.classes_)):
        for part, peer in zip(mine.boundary(k, 0), other.boundary(k, 0)):
            np.testing.assert_allclose(part, peer, rtol=1e-8, atol=1e-8 * max(1.0, np.abs(peer).max()))
    g = theirs.predict_log_proba(X) if isinstance(theirs, GaussianNB) else theirs.decision_function(X)
    h = other(X)
    for scores in (mine(X), h):
        if g.ndim == 1:
            np.testing.assert_allclose(scores[:, 1] - scores[:, 0], g, rtol=1e-8, atol=1e-7)
            np.testing.assert_allclose(ours.decision_function(X), g, rtol=1e-8, atol=1e-7)
        else:
            np.testing.assert_allclose(scores - scores[:, :1], g - g[:, :1], rtol=1e-8, atol=1e-7)


def test_a_spherical_covariance_has_the_mean_variance():
    X, _ = iris()
    found = Gaussian("spherical").fit(X)
    assert found.covariance_ == pytest.approx(np.eye(4) * X.var(axis=0).mean())


def test_scikit_learns_classifiers_are_models_too():
    X, y = iris()
    W = [[0, 5, 5], [1, 0, 1], [1, 1, 0]]
    ours = Bayes(Gaussian(), loss=W, reject=0.4).fit(X, y)
    theirs = Bayes(QuadraticDiscriminantAnalysis(), loss=W, reject=0.4).fit(X, y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.risks(X), theirs.risks(X), atol=1e-8)
    with pytest.raises(ValueError, match=r"QuadraticDiscriminantAnalysis has no class densities"):
        theirs.risk()
    with pytest.raises(ValueError, match="LogisticRegression: its discriminant"):
        compute_discriminant(LogisticRegression().fit(X, y))
    with pytest.raises(ValueError, match=r"priors: .*GaussianNB has its own"):
        Bayes(GaussianNB(), priors="uniform").fit(X, y)


@pytest.mark.parametrize("W", [[[0, 1], [10, 0]], [[-2, 3], [1, 0.5]]], ids=["asymmetric", "offset"])
def test_a_loss_of_two_classes_moves_the_discriminant(W):
    X, y = two_of_iris()
    plain, moved = Bayes().fit(X, y), Bayes(loss=W).fit(X, y)
    W = np.array(W, dtype=float)
    assert moved.coef_ == pytest.approx(plain.coef_)
    shift = np.log((W[0, 1] - W[1, 1]) / (W[1, 0] - W[0, 0]))
    assert moved.intercept_ - plain.intercept_ == pytest.approx(shift)
    grid = X[np.random.default_rng(0).integers(0, len(X), (500, 4)), np.arange(4)]
    by_risk = np.argmin(plain.predict_proba(grid) @ W.T, axis=1)
    assert np.array_equal(moved.predict(grid), moved.classes_[by_risk])
    assert np.array_equal(moved.decision_function(grid) > 0, by_risk == 1)
    assert 0 < by_risk.sum() < 500


def test_a_loss_of_many_classes_that_counts_what_the_right_decision_saves():
    X, y = wine()
    W = np.array([3.0, 1.0, 20.0]) * (1 - np.eye(3)) + [0.0, 5.0, -1.0]
    rule = Bayes(Gaussian(), loss=W).fit(X, y)
    by_risk = np.argmin(rule.risks(X), axis=1)
    assert np.array_equal(np.argmax(rule.discriminant_(X), axis=1), by_risk)
    assert np.array_equal(rule.predict(X), by_risk)


def test_other_losses_have_no_discriminant_and_say_so():
    X, y = wine()
    W = np.abs(np.subtract.outer(range(3), range(3)))
    rule = Bayes(loss=W).fit(X, y)
    assert np.array_equal(rule.predict(X), np.argmin(rule.predict_proba(X) @ W.T, axis=1))
    assert np.array_equal(np.argmax(rule.decision_function(X), axis=1), rule.predict(X))
    with pytest.raises(AttributeError, match="mixes the classes"):
        _ = rule.discriminant_
    with pytest.raises(AttributeError, match="rejects"):
        _ = Bayes(reject=0.1).fit(X, y).coef_
    with pytest.raises(AttributeError, match="Uniform: the discriminant is not quadratic"):
        _ = Bayes(Uniform()).fit(X, y).discriminant_
    with pytest.raises(ValueError, match="Gaussian, Uniform"):
        compute_discriminant(Model([Gaussian.from_parameters([0.0], [[1.0]]), Uniform.from_parameters([0.0], [1.0])]))


def test_rayleigh_is_quadratic():
    world = Model([Rayleigh.from_parameters([1.0, 2.0]), Rayleigh.from_parameters([2.0, 1.5])], [0.3, 0.7])
    X, _ = world.sample(200, random_state=0)
    logs, g = world.log_joint(X), Strategy(world).discriminant()(X)
    np.testing.assert_allclose(g[:, 1] - g[:, 0], logs[:, 1] - logs[:, 0], rtol=1e-10, atol=1e-10)
