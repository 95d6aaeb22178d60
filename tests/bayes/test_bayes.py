"""Bayes: tables by hand and by brute force, scikit-learn's LDA and QDA, risks that are known, the reject option."""

import itertools
import subprocess
import sys
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.stats import norm
from sklearn.base import BaseEstimator, clone
from sklearn.covariance import OAS
from sklearn.datasets import load_digits, load_iris, load_wine, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity, KNeighborsClassifier, NearestCentroid
from sklearn.preprocessing import StandardScaler

import linsep.bayes
from linsep.bayes import (
    Bayes,
    Gaussian,
    Mahalanobis,
    Model,
    NearestMean,
    Parzen,
    PiecewiseConstant,
    Rayleigh,
    Strategy,
    Table,
    Uniform,
    discriminant_of,
    monte_carlo,
)
from linsep.risk import empirical_risk


def iris():
    return load_iris(return_X_y=True)


def two_of_iris():
    X, y = iris()
    return X[y > 0], np.where(y[y > 0] == 1, "versicolor", "virginica")


def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def digits():
    """Ten classes, ten columns, none of them constant in a class."""
    X, y = load_digits(return_X_y=True)
    return X @ np.random.default_rng(0).normal(size=(64, 10)), y


SETS = {"iris": iris, "two of iris": two_of_iris, "wine": wine, "digits": digits}
every_set = pytest.mark.parametrize("name", SETS)


# --- tables ----------------------------------------------------------------------------------------------------------

# A test for a disease of one in ten. Its result is low, middle or high:
#            well              ill
#   low      54/100            1/100
#   middle   27/100            3/100
#   high      9/100            6/100
HOSPITAL = Table([[F(54, 100), F(1, 100)], [F(27, 100), F(3, 100)], [F(9, 100), F(6, 100)]], classes=["well", "ill"])


def test_the_hospital_by_hand():
    # 0/1 loss: "well" is likelier in every row, 1/100 + 3/100 + 6/100 are ill nevertheless
    assert HOSPITAL.strategy().tolist() == ["well", "well", "well"]
    assert HOSPITAL.risk(["well"] * 3) == F(10, 100)
    # an ill one taken for well costs 10. low: 10 of 54; middle: 30 against 27; high: 60 against 9 hundredths
    W = [[0, 10], [1, 0]]
    q = HOSPITAL.strategy(W)
    assert q.tolist() == ["well", "ill", "ill"]
    assert HOSPITAL.risk(q, W) == F(10 + 27 + 9, 100)
    assert HOSPITAL.risk(["well"] * 3, W) == 1
    # a closer look costs 1/2: 55/2 > 10 for low, 30/2 < 27 for middle, 15/2 < 9 for high
    q = HOSPITAL.strategy(W, reject=F(1, 2))
    assert q.tolist() == ["well", "reject", "reject"]
    assert HOSPITAL.risk(q, W, reject=F(1, 2)) == F(1000 + 1500 + 750, 10000)
    # the same with the reject option as a row of the loss, dearer for the ill: middle 27/2 + 3*2, high 9/2 + 6*2 > 9
    q = HOSPITAL.strategy([*W, [F(1, 2), 2]])
    assert q.tolist() == ["well", "reject", "ill"]
    assert HOSPITAL.risks([*W, [F(1, 2), 2]])[1].tolist() == [F(30, 100), F(27, 100), F(39, 200)]


def test_ties_are_ties_and_go_to_the_first():
    table = Table([[0.1, 0.1], [F(4, 10), F(4, 10)]])
    assert table.strategy().tolist() == [0, 0]
    assert table.strategy(reject=F(1, 2)).tolist() == [0, 0]  # no cheaper, so no reject
    assert Table([[F(1, 3), F(2, 3)]]).strategy(reject=F(1, 3)).tolist() == [1]
    assert Table([[F(1, 3), F(2, 3)]]).strategy(reject=F(1, 3) - F(1, 10**30)).tolist() == [-1]


def test_floats_give_a_float():
    table = Table([[0.5, 0.1], [0.1, 0.3]])
    assert table.risk(table.strategy()) == pytest.approx(0.2)
    assert isinstance(table.risk([0, 1]), float)
    assert isinstance(HOSPITAL.risk(HOSPITAL.strategy()), F)


@given(
    masses=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4),
    losses=st.lists(st.integers(-3, 9), min_size=12, max_size=12),
    rejects=st.booleans(),
)
def test_no_strategy_has_a_smaller_risk(masses, losses, rejects):
    total = sum(map(sum, masses))
    if total == 0:
        return
    table = Table([[F(m, total) for m in row] for row in masses])
    W = np.reshape(losses, (4, 3))[: 4 if rejects else 3]
    best = min(
        sum(F(m * int(W[d, k]), total) for row, d in zip(masses, q) for k, m in enumerate(row))
        for q in itertools.product(range(len(W)), repeat=len(masses))
    )
    assert table.risk(table.strategy(W), W) == best


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Table([0.5, 0.5]), "joint: a table"),
        (lambda: Table([[0.5, 0.6]]), r"joint: .*sum to 1\.1"),
        (lambda: Table([[F(1, 2), F(1, 3)]]), "sum to 5/6"),
        (lambda: Table([[1.5, -0.5]]), r"p\[0, 1\] = -0.5 is negative"),
        (lambda: Table([[np.nan, 1.0]]), r"joint: the entry \[0, 0\] is nan"),
        (lambda: Table([["a", 1.0]]), r"joint: the entry \[0, 0\] is 'a'"),
        (lambda: Table([[0.5, 0.5]], classes=[1, 2, 3]), "classes: 3 labels for 2 columns"),
        (lambda: HOSPITAL.risk(["well"]), "3 observations want as many decisions"),
        (lambda: HOSPITAL.risk(["well", "ill", "dead"]), "'dead' is not one of the decisions"),
        (lambda: HOSPITAL.strategy([[0, 1]]), "loss: a 2 x 2 matrix.*'well', 'ill'"),
        (lambda: HOSPITAL.strategy([[0, 1], [np.inf, 0]]), r"W\[1, 0\] = inf"),
        (lambda: HOSPITAL.strategy([[0, 1], [1, 0], [0.5, 0.5]], reject=0.2), "reject: .*already"),
        (lambda: HOSPITAL.strategy([[0, 1], [1]]), "loss: an array of numbers is wanted"),
        (lambda: HOSPITAL.strategy(reject="x"), r"reject: the entry \[0\] is 'x'"),
    ],
)
def test_a_bad_table_is_refused_by_name(make, said):
    with pytest.raises(ValueError, match=said):
        make()


# --- scikit-learn's LDA and QDA --------------------------------------------------------------------------------------


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
    mine, other = ours.discriminant_, discriminant_of(theirs)
    for k in range(1, len(ours.classes_)):
        for part, peer in zip(mine.between(k, 0), other.between(k, 0)):
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
    with pytest.raises(ValueError, match="LogisticRegression: its discriminants"):
        discriminant_of(LogisticRegression().fit(X, y))
    with pytest.raises(ValueError, match=r"priors: .*GaussianNB has its own"):
        Bayes(GaussianNB(), priors="uniform").fit(X, y)


# --- the strategy ----------------------------------------------------------------------------------------------------

STRIPES = [[0.1, 0.4, 0.2, 0.3], [0.5, 0.1, 0.2, 0.2], [0.25, 0.25, 0.5, 0.0]]
PRIORS = [0.5, 0.2, 0.3]


def stripes():
    """A piecewise constant world, and the table that it is."""
    world = Model([PiecewiseConstant.of([0.0, 1.0, 2.0, 4.0, 5.0], p) for p in STRIPES], PRIORS)
    return world, Table(np.transpose(STRIPES) * PRIORS)


@given(
    losses=st.lists(st.integers(-3, 9), min_size=12, max_size=12),
    rejects=st.booleans(),
)
def test_the_strategy_of_densities_is_that_of_the_table(losses, rejects):
    world, table = stripes()
    W = np.reshape(losses, (4, 3))[: 4 if rejects else 3]
    centres = np.array([[0.5], [1.5], [3.0], [4.5]])
    found = Strategy(world, W)
    risks = table.risks(W).astype(float)
    mass = table.joint.sum(axis=1).astype(float)
    np.testing.assert_allclose(found.risks(centres), risks / mass[:, None], rtol=1e-12, atol=1e-12)
    decided = found.decide(centres)
    assert risks[range(4), decided] == pytest.approx(risks.min(axis=1), abs=1e-12)


def test_the_reject_option_is_chows_rule():
    X, y = digits()
    plain = Bayes(Gaussian()).fit(X, y)
    top = plain.predict_proba(X).max(axis=1)
    for cost in (0.01, 0.1, 0.3, 0.9):
        decided = Bayes(Gaussian(), reject=cost).fit(X, y).predict(X)
        unsure = top < 1 - cost
        assert np.array_equal(decided == -1, unsure)
        assert np.array_equal(decided[~unsure], plain.predict(X)[~unsure])
    assert 0 < np.sum(top < 0.9) < len(X)  # the test is not empty
    assert not np.any(Bayes(Gaussian(), reject=0.9).fit(X, y).predict(X) == -1)  # 1 - 1/10: never


def test_a_reject_must_be_cheaper_than_the_best_class():
    world = Model([Uniform.of([0.0], [1.0]), Uniform.of([0.0], [1.0])])
    assert Strategy(world, reject=0.5).predict([[0.3]]).tolist() == [0]
    assert Strategy(world, reject=0.499).predict([[0.3]]).tolist() == [-1]


def test_rejecting_for_nothing_rejects_all_and_a_dear_reject_changes_nothing():
    X, y = two_of_iris()
    free = Bayes(reject=-0.001).fit(X, y)
    assert set(free.predict(X)) == {"reject"}
    dear = Bayes(reject=100.0).fit(X, y)
    assert np.array_equal(dear.predict(X), Bayes().fit(X, y).predict(X))
    assert dear.decisions_.tolist() == ["versicolor", "virginica", "reject"]
    assert dear.decision_function(X) == pytest.approx(Bayes().fit(X, y).decision_function(X))


def test_the_label_of_the_reject_option():
    X, y = iris()
    assert set(Bayes(reject=0.0, reject_label="?").fit(X, y).predict(X)) <= {0, 1, 2, "?"}
    assert set(Bayes(reject=0.01, reject_label=7).fit(X, y).predict(X)) == {0, 1, 2, 7}
    with pytest.raises(ValueError, match="reject_label: -1 is one of the classes"):
        Bayes(reject=0.1).fit(X, y - 1)
    assert Bayes(reject=0.1).fit(X[y > 0], y[y > 0] == 2).decisions_.tolist() == [False, True, "reject"]


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
    with pytest.raises(AttributeError, match="Uniform: the discriminants are not quadratic"):
        _ = Bayes(Uniform()).fit(X, y).discriminant_
    with pytest.raises(ValueError, match="Gaussian, Uniform"):
        discriminant_of(Model([Gaussian.of([0.0], [[1.0]]), Uniform.of([0.0], [1.0])]))


def test_rayleigh_is_quadratic():
    world = Model([Rayleigh.of([1.0, 2.0]), Rayleigh.of([2.0, 1.5])], [0.3, 0.7])
    X, _ = world.sample(200, random_state=0)
    logs, g = world.log_joint(X), Strategy(world).discriminant()(X)
    np.testing.assert_allclose(g[:, 1] - g[:, 0], logs[:, 1] - logs[:, 0], rtol=1e-10, atol=1e-10)


@given(
    losses=st.lists(st.integers(-3, 9), min_size=6, max_size=6),
    rejects=st.booleans(),
)
def test_intervals_of_the_log_odds_are_the_strategy(losses, rejects):
    W = np.reshape(losses, (3, 2))[: 3 if rejects else 2]
    world = Model([Gaussian.of([0.0], [[1.0]]), Gaussian.of([1.0], [[1.0]])])
    q = Strategy(world, W)
    parts = q.intervals()
    assert parts[0].low == -np.inf and parts[-1].high == np.inf
    assert all(one.high == two.low for one, two in itertools.pairwise(parts))
    odds = np.linspace(-6, 6, 241) + 0.0101  # between the borders, which are logs of fractions
    X = (odds + 0.5)[:, None]  # log p(x,1)/p(x,0) = x - 1/2
    place = {label: d for d, label in enumerate(q.decisions.tolist())}
    for low, high, d in ((part.low, part.high, place[part.decision]) for part in parts):
        here = (odds > low) & (odds < high)
        risks = q.risks(X[here])
        assert np.all(risks[:, d] <= risks.min(axis=1) + 1e-12)


def test_intervals_are_for_two_classes():
    with pytest.raises(ValueError, match="two classes only, here are 3"):
        Strategy(stripes()[0]).intervals()


def test_where_nothing_is_known_the_prior_decides():
    world = Model([Uniform.of([0.0], [1.0]), Uniform.of([2.0], [3.0])], [0.3, 0.7])
    assert world.predict_proba([[0.5], [2.5], [9.0]]) == pytest.approx(np.array([[1, 0], [0, 1], [0.3, 0.7]]))
    assert Strategy(world).predict([[0.5], [2.5], [9.0]]).tolist() == [0, 1, 1]
    assert np.isneginf(world.score_samples([[9.0]])).all()
    assert np.isfinite(Strategy(world).scores([[0.5], [9.0]])).all()


def test_rayleigh_at_zero_compares_the_scales():
    world = Model([Rayleigh.of([1.0, 1.0]), Rayleigh.of([2.0, 2.0])])
    near = world.predict_proba([[1e-9, 3.0]])
    assert world.predict_proba([[0.0, 3.0]]) == pytest.approx(near)
    assert world.predict_proba([[-1.0, 3.0]])[0].tolist() == [0.5, 0.5]  # nothing is known of negative lengths


def test_a_classifier_without_logarithms_serves():
    X, y = iris()
    rule = Bayes(KNeighborsClassifier(5)).fit(X, y)
    assert np.array_equal(rule.predict(X), KNeighborsClassifier(5).fit(X, y).predict(X))


def test_importing_linsep_does_not_wait_for_the_neighbours():
    code = "import sys, linsep.bayes; assert 'sklearn.neighbors' not in sys.modules; linsep.bayes.Parzen()"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    with pytest.raises(AttributeError, match="Gauss"):
        _ = linsep.bayes.Gauss


def test_a_prior_of_zero_is_never_decided_for():
    world = Model([Gaussian.of([0.0], [[1.0]]), Gaussian.of([5.0], [[1.0]])], [1.0, 0.0])
    assert Strategy(world).predict([[0.0], [5.0], [100.0]]).tolist() == [0, 0, 0]
    assert Strategy(world).risk(n=100, random_state=0) == (0.0, 0.0, 100)


def test_far_away_the_narrower_quadratic_still_loses():
    """log p is compared, so that densities which underflow still decide."""
    world = Model([Gaussian.of([0.0], [[1.0]]), Gaussian.of([0.0], [[4.0]])])
    assert Strategy(world).predict([[1e3], [1e8], [1e20], [1e140]]).tolist() == [1, 1, 1, 1]


# --- risks -----------------------------------------------------------------------------------------------------------


def normals(distance, priors, d=3):
    """Two Gaussians of one covariance, at this Mahalanobis distance."""
    A = np.random.default_rng(0).normal(size=(d, d))
    C = A @ A.T + np.eye(d)
    step = np.linalg.cholesky(C) @ np.eye(d)[0] * distance
    return Model([Gaussian.of(np.ones(d), C), Gaussian.of(np.ones(d) + step, C)], priors)


def risk_of_normals(m, p):
    """Closed form: with u = log(p0/p1), the errors are Phi(-m/2 -+ u/m)."""
    u = np.log(p[0] / p[1])
    return p[0] * norm.cdf(-m / 2 - u / m) + p[1] * norm.cdf(-m / 2 + u / m)


def chow(m, c):
    """Closed form for equal priors: errors beyond +t, rejects inside -t..t of the log odds, t = log((1-c)/c)."""
    t = np.log((1 - c) / c)
    wrong = norm.cdf(-m / 2 - t / m)
    return wrong + c * (norm.cdf(-m / 2 + t / m) - wrong)


def rayleighs(s, t):
    """Closed form for scales s < t and equal priors: the border is where both densities are equal."""
    border = np.sqrt(4 * np.log(t / s) / (1 / s**2 - 1 / t**2))
    return 0.5 * (np.exp(-(border**2) / (2 * s**2)) + 1 - np.exp(-(border**2) / (2 * t**2)))


KNOWN = {
    "normal": (Strategy(normals(1.5, [0.5, 0.5])), norm.cdf(-0.75)),
    "normal, unequal priors": (Strategy(normals(2.0, [0.8, 0.2])), risk_of_normals(2.0, (0.8, 0.2))),
    "normal, far apart": (Strategy(normals(6.0, [0.5, 0.5])), norm.cdf(-3.0)),
    "normal, a reject costs 0.1": (Strategy(normals(2.0, [0.5, 0.5]), reject=0.1), chow(2.0, 0.1)),
    "normal, a reject costs 0.3": (Strategy(normals(1.0, [0.5, 0.5]), reject=0.3), chow(1.0, 0.3)),
    "uniform": (Strategy(Model([Uniform.of([0.0], [2.0]), Uniform.of([1.0], [5.0])])), 0.5 * 0.25),
    "rayleigh": (Strategy(Model([Rayleigh.of([1.0]), Rayleigh.of([3.0])])), rayleighs(1.0, 3.0)),
    "stripes": (Strategy(stripes()[0]), float(stripes()[1].risk(stripes()[1].strategy()))),
    "stripes, with a loss": (
        Strategy(stripes()[0], [[0, 1, 7], [2, 0, 1], [1, 3, 0], [0.5, 0.6, 0.7]]),
        float(
            stripes()[1].risk(
                stripes()[1].strategy([[0, 1, 7], [2, 0, 1], [1, 3, 0], [0.5, 0.6, 0.7]]),
                [[0, 1, 7], [2, 0, 1], [1, 3, 0], [0.5, 0.6, 0.7]],
            )
        ),
    ),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_known_risk_is_found_within_three_standard_errors(name, seed):
    strategy, known = KNOWN[name]
    found = strategy.risk(n=20_000, random_state=seed)
    assert abs(found.value - known) <= 3 * found.error + 1e-12
    assert found.error < 0.03 * max(known, 0.1)
    assert found.n == 20_000


@pytest.mark.parametrize("name", ["normal, unequal priors", "normal, a reject costs 0.1", "stripes"])
def test_the_standard_error_is_the_spread_of_many_runs(name):
    strategy, known = KNOWN[name]
    runs = [strategy.risk(n=400, random_state=seed) for seed in range(120)]
    values, errors = np.array([r.value for r in runs]), np.array([r.error for r in runs])
    assert values.std() == pytest.approx(errors.mean(), rel=0.2)
    assert abs(values.mean() - known) < 4 * values.std() / np.sqrt(120)  # and there is no bias
    assert np.mean(np.abs(values - known) > 3 * errors) < 0.02


def test_the_same_seed_gives_the_same_risk():
    strategy, _ = KNOWN["normal"]
    assert strategy.risk(1000, random_state=7) == strategy.risk(1000, random_state=7)
    assert strategy.risk(1000, random_state=7) != strategy.risk(1000, random_state=8)


def test_any_strategy_has_a_risk_and_none_has_a_smaller_one():
    world, m = normals(2.0, [0.5, 0.5]), 2.0
    X, y = world.sample(200, random_state=0)
    rule = LogisticRegression().fit(X, y)
    found = monte_carlo(rule, world, n=50_000, random_state=0)
    assert found.value > norm.cdf(-m / 2) - 3 * found.error
    always = monte_carlo(lambda X: np.ones(len(X), dtype=int), world, [[0, 1], [4, 0]], n=1000, random_state=0)
    assert abs(always.value - 2.0) <= 3 * always.error
    refuse = monte_carlo(lambda X: np.full(len(X), -1), world, reject=0.25, n=1000, random_state=0)
    assert refuse.value == pytest.approx(0.25)


def test_the_empirical_risk_tends_to_the_risk():
    world = normals(2.0, [0.5, 0.5])
    X, y = world.sample(20_000, random_state=1)
    rule = Bayes(reject=0.1).fit(X, y)
    losses = rule.losses(X, y)
    assert abs(losses.mean() - chow(2.0, 0.1)) < 4 * losses.std() / np.sqrt(len(y))
    table = {label: d for d, label in enumerate(rule.decisions_.tolist())}
    by_hand = empirical_risk(y, rule.predict(X), lambda q, k: rule.loss_[table[q], table[k]])
    assert losses.mean() == pytest.approx(by_hand)
    found = rule.risk(n=20_000, random_state=0)
    assert abs(found.value - chow(2.0, 0.1)) < 0.005  # the learned densities are nearly the true ones
    with pytest.raises(ValueError, match="label 5"):
        rule.losses(X[:2], [0, 5])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda w: monte_carlo(lambda X: np.full(len(X), 9), w), "decision 9 is not one of"),
        (lambda w: monte_carlo(lambda X: [0], w), "as many decisions"),
        (lambda w: monte_carlo("guess", w), "a function of X or an object with predict"),
        (lambda w: monte_carlo(lambda X: np.zeros(len(X)), w, n=0), "n=0"),
        (lambda w: monte_carlo(lambda X: np.zeros(len(X)), w, n=2.5), r"n=2\.5"),
    ],
)
def test_a_bad_question_about_risk_is_refused(ask, said):
    with pytest.raises(ValueError, match=said):
        ask(normals(1.0, [0.5, 0.5]))


# --- densities -------------------------------------------------------------------------------------------------------

LINE = {
    "gaussian": (Gaussian.of([1.0], [[4.0]]), stats.norm(1, 2), (-20, 20)),
    "uniform": (Uniform.of([-1.0], [3.0]), stats.uniform(-1, 4), (-1, 3)),
    "rayleigh": (Rayleigh.of([2.0]), stats.rayleigh(scale=2), (0, 40)),
    "piecewise": (
        PiecewiseConstant.of([0.0, 1.0, 4.0], [0.7, 0.3]),
        stats.rv_histogram((np.array([0.7, 0.3]), np.array([0.0, 1.0, 4.0])), density=False),
        (0, 4),
    ),
    "parzen": (Parzen(bandwidth=0.5).fit([[0.0], [1.0], [5.0]]), None, (-5, 10)),
    "parzen, tophat": (Parzen(bandwidth=0.5, kernel="tophat").fit([[0.0], [1.0], [5.0]]), None, (-5, 10)),
}


@pytest.mark.parametrize("name", LINE)
def test_a_density_is_the_known_one_integrates_to_one_and_is_that_of_its_samples(name):
    density, known, (low, high) = LINE[name]
    x = np.linspace(low - 1, high + 1, 1001)
    p = np.exp(density.score_samples(x[:, None]))
    if known is not None:
        inside = x[(x > low) & (x < high)]
        np.testing.assert_allclose(density.score_samples(inside[:, None]), known.logpdf(inside), rtol=1e-12, atol=1e-12)
    fine = np.linspace(low, high, 200_001)
    cumulated = integrate.cumulative_trapezoid(np.exp(density.score_samples(fine[:, None])), fine, initial=0)
    assert cumulated[-1] == pytest.approx(1, abs=1e-4)
    assert np.all(p[(x < low) | (x > high)] < 1e-8)
    drawn = density.sample(4000, random_state=0)[:, 0]
    assert stats.kstest(drawn, lambda t: np.interp(t, fine, cumulated)).pvalue > 0.01
    assert np.array_equal(drawn, density.sample(4000, random_state=0)[:, 0])


def test_the_gaussian_of_many_columns_is_scipys():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(5, 5))
    mean, C, X = rng.normal(size=5), A @ A.T, rng.normal(size=(20, 5))
    ours = Gaussian.of(mean, C)
    assert ours.score_samples(X) == pytest.approx(stats.multivariate_normal(mean, C).logpdf(X), rel=1e-9)
    drawn = ours.sample(200_000, random_state=0)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.03)
    assert np.cov(drawn.T) == pytest.approx(C, abs=0.12)


def test_samples_of_many_columns_have_the_moments_of_the_density():
    low, high = np.array([0.0, -1.0]), np.array([1.0, 5.0])
    assert Uniform.of(low, high).sample(50_000, 0).mean(axis=0) == pytest.approx((low + high) / 2, abs=0.03)
    scale = np.array([1.0, 3.0])
    mean = scale * np.sqrt(np.pi / 2)
    assert Rayleigh.of(scale).sample(50_000, 0).mean(axis=0) == pytest.approx(mean, abs=0.04)
    p = np.array([[0.1, 0.2], [0.3, 0.4]])
    grid = PiecewiseConstant.of([[0.0, 1.0, 3.0], [0.0, 2.0, 3.0]], p)
    counted = np.histogramdd(grid.sample(50_000, 0), bins=[[0, 1, 3], [0, 2, 3]])[0] / 50_000
    assert counted == pytest.approx(p, abs=0.01)
    volumes = np.outer([1, 2], [2, 1])
    found = np.exp(grid.score_samples([[0.5, 1], [0.5, 2.5], [2, 1], [2, 2.5]]))
    assert found == pytest.approx((p / volumes).ravel())


def test_parzen_is_a_sum_of_kernels():
    X = np.random.default_rng(0).normal(size=(30, 2)) * 50
    density = Parzen().fit(X)
    h = 30 ** (-1 / 6) * np.sqrt(X.var(axis=0).mean())
    assert density.bandwidth_ == pytest.approx(h)
    at = np.array([[1.0, 20.0], [-70.0, 3.0]])
    by_hand = [np.mean(stats.multivariate_normal(np.zeros(2), h**2).pdf(x - X)) for x in at]
    assert np.exp(density.score_samples(at)) == pytest.approx(by_hand)
    assert Parzen(bandwidth=h).fit(X).score_samples(at) == pytest.approx(density.score_samples(at))
    assert isinstance(density, KernelDensity)


def test_a_histogram_is_numpys_and_smoothing_fills_it():
    X = np.random.default_rng(0).normal(size=(200, 1))
    heights, edges = np.histogram(X, bins=12, density=True)
    centres = (edges[1:] + edges[:-1])[:, None] / 2
    assert np.exp(PiecewiseConstant(12).fit(X).score_samples(centres)) == pytest.approx(heights)
    smooth = PiecewiseConstant(12, smoothing=2.0).fit(X)
    filled = (heights * np.diff(edges) * 200 + 2) / (200 + 24) / np.diff(edges)
    assert np.exp(smooth.score_samples(centres)) == pytest.approx(filled)
    counted = np.histogram(smooth.sample(200_000, 0), bins=edges)[0] / 200_000
    assert counted == pytest.approx(filled * np.diff(edges), abs=0.003)
    assert np.abs(counted - heights * np.diff(edges)).max() > 0.006  # the smoothing is seen


def test_in_bayes_all_classes_have_one_grid():
    X, y = iris()
    rule = Bayes(PiecewiseConstant(4)).fit(X[:, :2], y)
    grids = [density.edges_ for density in rule.strategy_.model.densities]
    for grid in grids:
        for edges, column in zip(grid, X[:, :2].T):
            assert edges == pytest.approx(np.linspace(column.min(), column.max(), 5))


@pytest.mark.parametrize(
    "density",
    [
        Gaussian(),
        Gaussian("diagonal"),
        Gaussian("spherical"),
        Gaussian(shrinkage=0.2),
        Rayleigh(),
        Uniform(),
        PiecewiseConstant(3),
        PiecewiseConstant(3, smoothing=1.0),
        Parzen(),
        Parzen(bandwidth="silverman"),
        Parzen(bandwidth=2.0),
    ],
    ids=str,
)
def test_weights_are_repetitions_and_zero_is_absence(density):
    X, y = iris()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = clone(density).fit(X, sample_weight=weight)
    repeated = clone(density).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.score_samples(X), repeated.score_samples(X), rtol=1e-9, atol=1e-9)
    one = Bayes(clone(density)).fit(X, y, sample_weight=weight)
    other = Bayes(clone(density)).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-8, atol=1e-9)


def test_a_singular_covariance_is_shrunk_by_oas_or_refused():
    X = np.random.default_rng(0).normal(size=(8, 20)) * np.arange(1, 21)
    peer = OAS().fit(X)
    ours = Gaussian().fit(X)
    assert ours.shrinkage_ == pytest.approx(peer.shrinkage_)
    assert ours.covariance_ == pytest.approx(peer.covariance_)
    assert Gaussian().fit(X[:, :3]).shrinkage_ == 0.0
    with pytest.raises(ValueError, match=r"covariance of 20 columns is singular \(n_samples=8\)"):
        Gaussian(shrinkage=0.0).fit(X)
    flat = np.column_stack([X[:, :2], np.full(8, 1e6 + 0.1)])
    with pytest.raises(ValueError, match="column 2 does not vary"):
        Gaussian(shrinkage=0.0).fit(flat)
    collinear = np.column_stack([X[:, :2], X[:, 0] - X[:, 1]])
    with pytest.raises(ValueError, match="class 'a': Gaussian: the covariance of 3 columns is singular"):
        Bayes(Gaussian(shrinkage=0.0)).fit(np.vstack([collinear, X[:, :3]]), ["a"] * 8 + ["b"] * 8)


class Laplace(BaseEstimator):
    """A density of somebody else's: it can't be sampled."""

    def fit(self, X, y=None):
        self.middle_ = np.median(X, axis=0)
        self.scale_ = np.abs(X - self.middle_).mean(axis=0)
        return self

    def score_samples(self, X):
        return np.sum(-np.abs(X - self.middle_) / self.scale_ - np.log(2 * self.scale_), axis=1)


class Unseeded(Laplace):
    def sample(self, n):
        return np.random.laplace(self.middle_, self.scale_, (n, len(self.middle_)))  # noqa: NPY002


def test_a_density_of_ones_own_serves_and_a_risk_without_samples_is_refused():
    X, y = iris()
    rule = Bayes(Laplace()).fit(X, y)
    assert rule.score(X, y) > 0.9
    with pytest.raises(ValueError, match="class 0: Laplace has no method sample"):
        rule.risk()
    with pytest.raises(ValueError, match=r"class 0: Unseeded.sample takes no random_state"):
        Bayes(Unseeded()).fit(X, y).risk()
    with pytest.raises(ValueError, match=r"class 0: .*epanechnikov.*can't be sampled"):
        Bayes(Parzen(kernel="epanechnikov")).fit(X, y).risk()


def test_whole_weights_repeat_rows_of_models_that_take_no_weights():
    X, y = iris()
    often = np.arange(150) % 3
    for model in (Laplace(), LinearDiscriminantAnalysis(), GaussianMixture(random_state=0)):
        weighed = Bayes(model).fit(X, y, sample_weight=often)
        again = Bayes(model).fit(X.repeat(often, axis=0), y.repeat(often))
        np.testing.assert_allclose(weighed.predict_proba(X), again.predict_proba(X), rtol=1e-9, atol=1e-12)
        with pytest.raises(ValueError, match=r"sample_weight: \w+.fit takes no weights, .* not 0.5 times"):
            Bayes(model).fit(X, y, sample_weight=np.full(150, 0.5))
        with pytest.raises(ValueError, match=r"\w+.fit takes no weights, and 1.5e\+10 rows are too many"):
            Bayes(model).fit(X, y, sample_weight=np.full(150, 1e8))


def test_a_class_of_one_row_has_the_covariance_of_all():
    """LDA's for this class; with a shrinkage of one's own it is refused, as it is if no class varies."""
    X, y = iris()
    X, y = np.vstack([X[50:], X[:1]]), np.append(y[50:], 0)
    rule = Bayes(Gaussian()).fit(X, y)
    one, *others = rule.strategy_.model.densities
    shared = Bayes(Gaussian(shared=True)).fit(X, y).strategy_.model.densities[0]
    np.testing.assert_allclose(one.covariance_, shared.covariance_)
    assert np.array_equal(one.mean_, X[-1])
    assert not np.allclose(others[0].covariance_, shared.covariance_)
    with pytest.raises(ValueError, match="class 0: Gaussian: column 0 does not vary"):
        Bayes(Gaussian(shrinkage=0.0)).fit(X, y)
    with pytest.raises(ValueError, match="Gaussian: column 0 does not vary"):
        Bayes(Gaussian()).fit([[0.0, 1.0], [2.0, 1.0]], [0, 1])


def test_scikit_learns_densities_serve():
    X, y = iris()
    mixture = Bayes(GaussianMixture(2, random_state=0)).fit(X, y)
    assert mixture.score(X, y) > 0.95
    one, two = mixture.risk(5000, random_state=3), mixture.risk(5000, random_state=3)
    assert one == two and one != mixture.risk(5000, random_state=4)
    single = Bayes(GaussianMixture(reg_covar=0.0)).fit(X, y)
    gaussian = Bayes(Gaussian()).fit(X, y)
    np.testing.assert_allclose(single.predict_proba(X), gaussian.predict_proba(X), atol=1e-8)
    both = [rule.risk(20_000, random_state=0) for rule in (single, gaussian)]
    assert abs(both[0].value - both[1].value) < 3 * np.hypot(both[0].error, both[1].error)
    kernels = Bayes(KernelDensity(bandwidth=0.4)).fit(X, y)
    assert np.array_equal(kernels.predict(X), Bayes(Parzen(bandwidth=0.4)).fit(X, y).predict(X))


def test_a_model_samples_what_it_says():
    world = normals(3.0, [0.2, 0.8])
    X, y = world.sample(20_000, random_state=0)
    assert np.mean(y) == pytest.approx(0.8, abs=0.01)
    assert X[y == 1].mean(axis=0) == pytest.approx(world.densities[1].mean_, abs=0.1)
    inner = Model([world, Gaussian.of([9.0] * 3, np.eye(3))])  # a model is a density too: a mixture
    assert inner.score_samples(X[:5]) == pytest.approx(world.score_samples(X[:5]) + np.log(0.5), abs=1e-6)
    assert inner.sample(10, random_state=0)[0].shape == (10, 3)


# --- nearest means ---------------------------------------------------------------------------------------------------


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
    world = Model([Gaussian.of(mean, [[2.0, 0.5], [0.5, 1.0]]) for mean in ([0.0, 0], [1, 2], [3, 0])], [0.2, 0.5, 0.3])
    data, _ = world.sample(300, random_state=0)
    logs = world.log_joint(data)
    np.testing.assert_allclose(
        world.predict_log_proba(data), logs - np.logaddexp.reduce(logs, axis=1)[:, None], atol=1e-10
    )


# --- bad input -------------------------------------------------------------------------------------------------------

X, Y = iris()
NAN, INF = X.copy(), X.copy()
NAN[3, 1], INF[7, 2] = np.nan, np.inf
RULES = {
    "bayes": Bayes(),
    "quadratic": Bayes(Gaussian()),
    "parzen": Bayes(Parzen()),
    "uniform": Bayes(Uniform()),
    "rayleigh": Bayes(Rayleigh()),
    "piecewise": Bayes(PiecewiseConstant(3)),
    "nearest mean": NearestMean(),
    "mahalanobis": Mahalanobis(),
}
BAD_DATA = {
    "NaN": (NAN, Y, "X contains NaN.*row 3, column 1"),
    "inf": (INF, Y, "X contains infinity.*row 7, column 2"),
    "one class": (X, np.full(150, "a"), "one class only: 'a'"),
    "empty": (X[:0], Y[:0], "0 sample"),
    "no columns": (X[:, :0], Y, "0 feature"),
    "too few labels": (X, Y[1:], r"\[150, 149\]"),
    "one dimension": (X[:, 0], Y, "2D array"),
    "real labels": (X, X[:, 0], "label type"),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("bad", BAD_DATA)
def test_bad_data_are_refused_by_name_and_leave_the_old_rule(rule, bad):
    data, labels, said = BAD_DATA[bad]
    rule = clone(rule).fit(X, Y)
    before = rule.predict(X)
    with pytest.raises(ValueError, match=said):
        rule.fit(data, labels)
    assert np.array_equal(rule.predict(X), before)
    with pytest.raises(ValueError, match=r"2 features, but .* is expecting 4 features"):
        rule.predict(X[:, :2])
    with pytest.raises(ValueError, match=r"X contains NaN.*row 3, column 1"):
        rule.predict(NAN)


BAD_PARAMETERS = {
    "priors too few": (Bayes(priors=[0.5, 0.5]), r"priors: one for each of the 3 classes \[0, 1, 2\]"),
    "priors negative": (Bayes(priors=[0.5, 0.7, -0.2]), r"priors: that of class 2 is -0\.2"),
    "priors NaN": (Bayes(priors=[0.5, np.nan, 0.5]), "priors: that of class 1 is nan"),
    "priors with another sum": (Bayes(priors=[0.5, 0.5, 0.5]), r"priors: they sum to 1\.5"),
    "priors unknown": (Bayes(priors="equal"), "priors"),
    "loss of another shape": (Bayes(loss=np.eye(2)), r"loss: a 3 x 3 matrix.*not \(2, 2\)"),
    "loss of NaN": (Bayes(loss=np.where(np.eye(3) > 0, np.nan, 1)), r"loss: W\[0, 0\] = nan"),
    "reject twice": (Bayes(loss=np.ones((4, 3)), reject=0.1), "reject: .*already"),
    "reject NaN": (Bayes(reject=np.nan), "reject"),
    "reject infinite": (Bayes(reject=np.inf), "reject"),
    "reject in words": (Bayes(reject="often"), "reject"),
    "no model": (Bayes("gauss"), "model"),
    "covariance": (Bayes(Gaussian("round")), "covariance"),
    "shrinkage": (Bayes(Gaussian(shrinkage=2.0)), "shrinkage"),
    "bandwidth": (Bayes(Parzen(bandwidth=0.0)), "class 0: .*bandwidth"),
    "kernel": (Bayes(Parzen(kernel="round")), "class 0: .*kernel"),
    "bins": (Bayes(PiecewiseConstant(0)), "bins"),
    "edges of one column": (Bayes(PiecewiseConstant([0.0, 9.0])), "bins: 1 sequences of edges for 4 columns"),
    "edges decreasing": (Bayes(PiecewiseConstant([[9.0, 0.0]] * 4)), "bins: the edges of column 0"),
    "edges too narrow": (Bayes(PiecewiseConstant([[0.0, 5.0]] * 4)), r"row \d+ of X is outside the edges"),
    "smoothing": (Bayes(PiecewiseConstant(smoothing=-1.0)), "smoothing"),
    "mahalanobis": (Mahalanobis("full"), "covariance"),
}


@pytest.mark.parametrize("bad", BAD_PARAMETERS)
def test_bad_parameters_are_refused_by_name(bad):
    rule, said = BAD_PARAMETERS[bad]
    with pytest.raises(ValueError, match=said):
        clone(rule).fit(X, Y)


def test_bad_weights_are_refused_by_name():
    for weight, said in (
        (np.zeros(150), "[Ss]ample.?weight.*zero"),
        ((Y != 1).astype(float), "all rows of class 1 weigh zero"),
        (np.where(Y == 1, -1.0, 1.0), "[Nn]egative values.*sample_weight"),
        (np.ones(3), "sample_weight"),
    ):
        with pytest.raises(ValueError, match=said):
            Bayes().fit(X, Y, sample_weight=weight)


def test_bad_densities_are_refused_by_name():
    flat, up = np.vstack([X, X]), np.repeat([0, 1], 150)
    flat[:150, 2] = 1.0
    with pytest.raises(ValueError, match="class 0: Uniform: column 2 has no width"):
        Bayes(Uniform()).fit(flat, up)
    with pytest.raises(ValueError, match=r"class 0: Rayleigh: X\[0, 0\] = -5\.1 is negative"):
        Bayes(Rayleigh()).fit(-X, Y)
    with pytest.raises(ValueError, match="class 0: Parzen: the rows do not differ"):
        Bayes(Parzen()).fit(np.repeat(X[[0, 60]], 5, axis=0), np.repeat([0, 1], 5))


class Broken(Laplace):
    def score_samples(self, X):
        return np.where(np.arange(len(X)) == 4, np.nan, 0.0)


class Short(Laplace):
    def score_samples(self, X):
        return np.zeros(3)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Gaussian.of([0.0, 0.0], [[1.0]]), "covariance: a mean of shape"),
        (lambda: Gaussian.of([0.0, 0.0], [[1.0, 0.5], [0.0, 1.0]]), "covariance: the matrix is not symmetric"),
        (lambda: Gaussian.of([0.0, 0.0], [[1.0, 1.0], [1.0, 1.0]]), "singular"),
        (lambda: Gaussian.of([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), "singular"),
        (lambda: Gaussian.of([np.nan], [[1.0]]), "mean, covariance: NaN"),
        (lambda: Gaussian.of([0.0], [[-1.0]]), "column 0 does not vary"),
        (lambda: Uniform.of([0.0, 1.0], [1.0, 1.0]), "column 1 has no width"),
        (lambda: Uniform.of([0.0], [1.0, 2.0]), "two vectors of one length"),
        (lambda: Rayleigh.of([0.0]), "scale"),
        (lambda: PiecewiseConstant.of([0.0, 1.0], [0.5, 0.5]), r"probabilities: shape \(1,\)"),
        (lambda: PiecewiseConstant.of([0.0, 1.0, 2.0], [0.5, 0.6]), "probabilities: .*sum to 1.1"),
        (lambda: Model([]), "densities: none"),
        (lambda: Model([Uniform.of([0.0], [1.0])], ["all"]), "priors: an array of numbers"),
        (lambda: Model([Uniform.of([0.0], [1.0])], classes=[1, 2]), "classes: 1 different labels"),
        (lambda: Model([Uniform.of([0.0], [1.0]), "normal"]), "class 1: str has no method score_samples"),
        (lambda: Model([Uniform.of([0.0], [1.0]), Rayleigh.of([1.0, 1.0])]), r"different widths, \[1, 2\]"),
        (lambda: Strategy(Gaussian()), "Gaussian has no predict_proba"),
        (lambda: Bayes(Broken()).fit(X, Y).predict(X), "class 0: Broken.score_samples gave nan for row 4"),
        (lambda: Bayes(Short()).fit(X, Y).predict(X), r"class 0: Short.score_samples gave shape \(3,\) for 150 rows"),
    ],
)
def test_a_bad_world_is_refused_by_name(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize("shared", [True, False])
def test_a_model_checks_what_it_is_asked(shared):
    world = normals(1.0, [0.5, 0.5])
    if not shared:
        world = Model([*world.densities[:1], Gaussian.of(np.zeros(3), np.eye(3))])
    with pytest.raises(ValueError, match="expecting 3 features"):
        Strategy(world).predict(np.zeros((4, 2)))
    with pytest.raises(ValueError, match=r"X contains NaN.*row 1, column 2"):
        Strategy(world).predict([[0.0, 0.0, 0.0], [0.0, 0.0, np.nan]])
    with pytest.raises(NotFittedError, match="Gaussian"):
        Strategy(Model([Gaussian(), Gaussian()])).predict([[0.0]])


def test_many_columns_do_no_harm_to_the_memory_of_a_histogram():
    data, y = make_classification(300, 40, n_informative=5, random_state=0)
    rule = Bayes(PiecewiseConstant(10)).fit(data, y)
    assert rule.score(data, y) == 1.0  # every row has a cell of its own: no estimate to be trusted
