"""Risks by Monte Carlo: against closed forms, and their standard errors."""

import numpy as np
import pytest
from bayes_worlds import chow, normals, stripes
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from linsep.bayes import Bayes, Model, Rayleigh, Strategy, Uniform, monte_carlo_risk
from linsep.risk import empirical_risk


def risk_of_normals(m, p):
    """Closed form: with u = log(p0/p1), the errors are Phi(-m/2 -+ u/m)."""
    u = np.log(p[0] / p[1])
    return p[0] * norm.cdf(-m / 2 - u / m) + p[1] * norm.cdf(-m / 2 + u / m)


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
    "uniform": (
        Strategy(Model([Uniform.from_parameters([0.0], [2.0]), Uniform.from_parameters([1.0], [5.0])])),
        0.5 * 0.25,
    ),
    "rayleigh": (
        Strategy(Model([Rayleigh.from_parameters([1.0]), Rayleigh.from_parameters([3.0])])),
        rayleighs(1.0, 3.0),
    ),
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
    found = monte_carlo_risk(rule, world, n=50_000, random_state=0)
    assert found.value > norm.cdf(-m / 2) - 3 * found.error
    always = monte_carlo_risk(lambda X: np.ones(len(X), dtype=int), world, [[0, 1], [4, 0]], n=1000, random_state=0)
    assert abs(always.value - 2.0) <= 3 * always.error
    refuse = monte_carlo_risk(lambda X: np.full(len(X), -1), world, reject=0.25, n=1000, random_state=0)
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
    with pytest.raises(ValueError, match="y: the label 5 is not one of"):
        rule.losses(X[:2], [0, 5])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda w: monte_carlo_risk(lambda X: np.full(len(X), 9), w), "strategy: the label 9 is not one of"),
        (lambda w: monte_carlo_risk(lambda X: [0], w), "strategy: expected [0-9]+ decisions"),
        (lambda w: monte_carlo_risk("guess", w), "strategy: expected a function of X or an object with predict"),
        (lambda w: monte_carlo_risk(lambda X: np.zeros(len(X)), w, n=0), "n: expected a number of samples, got 0"),
        (
            lambda w: monte_carlo_risk(lambda X: np.zeros(len(X)), w, n=2.5),
            r"n: expected a number of samples, got 2\.5",
        ),
    ],
)
def test_a_bad_question_about_risk_is_refused(ask, said):
    with pytest.raises(ValueError, match=said):
        ask(normals(1.0, [0.5, 0.5]))
