"""Strategies of minimal risk: the reject option, losses, intervals, the prior."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from bayes_worlds import digits, iris, stripes, two_of_iris
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

import linsep.bayes
from linsep.bayes import Bayes, Gaussian, Model, Rayleigh, Strategy, Uniform


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
    world = Model([Uniform.from_parameters([0.0], [1.0]), Uniform.from_parameters([0.0], [1.0])])
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


@given(
    losses=st.lists(st.integers(-3, 9), min_size=6, max_size=6),
    rejects=st.booleans(),
)
def test_intervals_of_the_log_odds_are_the_strategy(losses, rejects):
    W = np.reshape(losses, (3, 2))[: 3 if rejects else 2]
    world = Model([Gaussian.from_parameters([0.0], [[1.0]]), Gaussian.from_parameters([1.0], [[1.0]])])
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
    with pytest.raises(ValueError, match="expected two classes, got 3"):
        Strategy(stripes()[0]).intervals()


def test_where_nothing_is_known_the_prior_decides():
    world = Model([Uniform.from_parameters([0.0], [1.0]), Uniform.from_parameters([2.0], [3.0])], [0.3, 0.7])
    assert world.predict_proba([[0.5], [2.5], [9.0]]) == pytest.approx(np.array([[1, 0], [0, 1], [0.3, 0.7]]))
    assert Strategy(world).predict([[0.5], [2.5], [9.0]]).tolist() == [0, 1, 1]
    assert np.isneginf(world.score_samples([[9.0]])).all()
    assert np.isfinite(Strategy(world).scores([[0.5], [9.0]])).all()


def test_rayleigh_at_zero_compares_the_scales():
    world = Model([Rayleigh.from_parameters([1.0, 1.0]), Rayleigh.from_parameters([2.0, 2.0])])
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
    world = Model([Gaussian.from_parameters([0.0], [[1.0]]), Gaussian.from_parameters([5.0], [[1.0]])], [1.0, 0.0])
    assert Strategy(world).predict([[0.0], [5.0], [100.0]]).tolist() == [0, 0, 0]
    assert Strategy(world).risk(n=100, random_state=0) == (0.0, 0.0, 100)


def test_far_away_the_narrower_quadratic_still_loses():
    """log p is compared, so that densities which underflow still decide."""
    world = Model([Gaussian.from_parameters([0.0], [[1.0]]), Gaussian.from_parameters([0.0], [[4.0]])])
    assert Strategy(world).predict([[1e3], [1e8], [1e20], [1e140]]).tolist() == [1, 1, 1, 1]
