"""The epsilon-solution (F3) by every rule of the loop, and improving directions (F2)."""

import numpy as np
import pytest
from gaussians_at_random import random_gaussians, solve
from hypothesis import given
from hypothesis import strategies as st

from linsep.certificates.prove.radius import certify, find_best_bias
from linsep.loop.stop import Rounds
from linsep.rules import Increment, Nearest, Relaxation
from linsep.solvers.anderson.epsilon import improve_radius, reach_radius
from linsep.solvers.anderson.gaussians import factorize
from linsep.targets import EpsOptimal, Margin


@pytest.mark.parametrize(
    ("rule", "target"),
    [
        (Nearest(), Margin(0.0)),
        (Nearest(), EpsOptimal(1e-2)),
        (Increment(1.0), Margin(0.0)),
        (Increment(1.0, 0.5), Margin(0.0)),
        (Relaxation(1.5), Margin(1.0)),
    ],
)
def test_every_rule_separates_ellipsoids(rule, target):
    means, covariances, sign = random_gaussians(6, 10, 3, 4.0)
    g = factorize(means, covariances, sign)
    required = 0.8 * solve(means, covariances, sign).lower
    rounds = Rounds(20_000)
    solution = reach_radius(g, required, rule, rounds, target=target)
    assert not rounds.reason
    claim = certify(g, solution, required=required)
    assert claim.status == "reached"
    assert claim.check(means, covariances, sign)


@pytest.mark.parametrize("name", ["mars", "riply_gauss"])
@pytest.mark.parametrize("rule", [Nearest(), Increment(1.0)])
def test_the_epsilon_solution_on_real_gaussians(gaussians_of, name, rule):
    means, covariances, sign, best = gaussians_of(name)
    g = factorize(means, covariances, sign)
    required = 0.99 * best["r"]
    claim = certify(g, reach_radius(g, required, rule, Rounds(20_000)), required=required)
    assert claim.status == "reached"
    assert required <= claim.lower <= best["r"] * (1 + 1e-12)


@pytest.mark.parametrize("name", ["mars", "riply_gauss"])
@pytest.mark.parametrize("eps", [1e-2, 1e-4, 1e-6])
def test_improving_directions_on_real_gaussians(gaussians_of, name, eps):
    means, covariances, sign, best = gaussians_of(name)
    g, history = factorize(means, covariances, sign), []
    claim = certify(g, improve_radius(g, eps, Rounds(2000), history.append), eps=eps, exact=False)
    assert claim.status == "eps-optimal"
    assert (1 - eps) * best["r"] <= claim.lower <= best["r"] * (1 + 1e-12)
    assert claim.check(means, covariances, sign)
    rising = [line["lower"] for line in history]
    assert rising == sorted(rising)


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 6))
def test_improving_directions_come_within_eps(seed, k, d):
    means, covariances, sign = random_gaussians(seed, k, d, 3.0)
    covariances = covariances + 0.05 * np.eye(d)
    best = solve(means, covariances, sign)
    g = factorize(means, covariances, sign)
    claim = certify(g, improve_radius(g, 1e-3, Rounds(2000)), eps=1e-3, exact=False)
    assert claim.check(means, covariances, sign)
    if best.status == "infeasible":
        assert claim.status == "infeasible"
    else:
        assert claim.status == "eps-optimal"
        assert claim.lower >= best.lower * (1 - 1e-3)


def test_the_direction_of_the_bias_is_free():
    g = factorize([[0.0], [3.0]], [1.0, 4.0], [-1, 1])
    solution = reach_radius(g, 0.9, Nearest(), Rounds(1000))
    assert find_best_bias(g, solution.w).r == pytest.approx(1.0)
