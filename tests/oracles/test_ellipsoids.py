"""Ellipsoids in the loop (F3): lowest points, every rule, improving directions, moments that merge."""

import itertools
import math

import numpy as np
import pytest
from gaussians_at_random import bodies, solve
from hypothesis import given
from hypothesis import strategies as st

from linsep.certificates.prove.radius import certify, level
from linsep.loop.keep import Last
from linsep.loop.learn import begin, passes
from linsep.loop.stop import Rounds
from linsep.loop.sweep import Task, Tick, sweep, tally
from linsep.oracles import ellipsoids, points
from linsep.rules import Increment, Nearest, Relaxation
from linsep.solvers.anderson.epsilon import improve, within
from linsep.solvers.anderson.gaussians import gaussians
from linsep.solvers.anderson.moments import Moments
from linsep.targets import EpsOptimal, Margin

RNG = np.random.default_rng(0)
KINDS = {
    "full": lambda d: np.cov(RNG.standard_normal((d, 3 * d))).reshape(d, d),
    "diagonal": lambda d: RNG.uniform(0.1, 2.0, d),
    "low rank plus diagonal": lambda d: (RNG.standard_normal((d, 1)), RNG.uniform(0.1, 1.0, d)),
    "flat": lambda d: np.outer(v := RNG.standard_normal(d), v),
    "point": lambda d: 0.0,
}


def oracle(g, radius):
    return ellipsoids(g.means, g.low, g.deviation, radius, g.sign)


def dense(covariance, d):
    if isinstance(covariance, tuple):
        return covariance[0] @ covariance[0].T + np.diag(covariance[1])
    return np.asarray(covariance) if np.ndim(covariance) == 2 else np.diag(np.broadcast_to(covariance, d))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_lowest_point_is_the_lowest(kind, d):
    covariances = [KINDS[kind](d), KINDS[kind](d)]
    means, sign = RNG.standard_normal((2, d)), np.array([1, -1])
    part = oracle(gaussians(means, covariances, sign), 1.7)
    w = RNG.standard_normal(d + 1)
    for i in range(2):
        wa = part.probe(w, i)
        a = np.zeros(d + 1)
        part.add(a, i, 1.0)
        assert w @ a == pytest.approx(wa, abs=1e-12)
        assert part.square(i) == pytest.approx(a @ a)
        covariance = dense(covariances[i], d)
        formula = sign[i] * np.append(means[i], 1.0)
        spread = math.sqrt(max(w[:-1] @ covariance @ w[:-1], 0.0))
        formula[:-1] -= 1.7 * covariance @ w[:-1] / spread if spread > 0 else 0.0
        np.testing.assert_allclose(a, formula, atol=1e-12)
        values, vectors = np.linalg.eigh(covariance)
        v = RNG.standard_normal((2000, d))
        v *= 1.7 / np.linalg.norm(v, axis=1, keepdims=True)
        rim = means[i] + v @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
        scores = sign[i] * (rim @ w[:-1] + w[-1])
        assert wa <= scores.min() + 1e-9
        if d <= 2:
            assert scores.min() - wa < 0.05 * max(1.0, spread)


def test_without_spread_ellipsoids_are_points():
    """F4: the same updates, to the bit."""
    X, sign = RNG.integers(-4, 5, (30, 3)).astype(float), np.where(np.arange(30) % 2, 1, -1)
    X[:, 0] += 9 * sign
    flat = ellipsoids(X, np.zeros((30, 0, 3)), np.zeros((30, 0)), 1.0, sign)
    for rule in (Increment(1.0), Nearest()):
        ends = []
        for part in (flat, points(X, sign)):
            *_, state = passes([part], Margin(0.0), rule, begin([part]))
            ends.append(state)
        assert ends[0].done
        assert ends[0].tick == ends[1].tick
        np.testing.assert_array_equal(ends[0].w, ends[1].w)


@pytest.mark.parametrize("kernel", [sweep, tally])
@pytest.mark.parametrize("rule", [Increment(1.0), Nearest(), Relaxation(1.5)])
def test_compiled_and_interpreted_agree(kernel, rule):
    means, covariances, sign = bodies(4, 9, 4, 3.0)
    g = gaussians(means, covariances, sign)
    ends = []
    for run in (kernel, kernel.py_func):
        part = oracle(g, 0.8)
        w, dual = np.linspace(-1.0, 1.0, 5), np.zeros(9)
        task = Task(part, Margin(1.0), rule, Last(np.zeros(0)))
        if kernel is sweep:
            tick = run(task, w, dual, Tick(mass=1.0, ww=float(w @ w)), np.arange(9), 100, -1)
            ends.append((w, dual, np.array(tick)))
        else:
            total = np.zeros(5)
            ends.append((np.array(run(task, w, np.arange(9), 1.0, total, dual)), total, dual))
    for one, two in zip(*ends, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)


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
    means, covariances, sign = bodies(6, 10, 3, 4.0)
    g = gaussians(means, covariances, sign)
    wanted = 0.8 * solve(means, covariances, sign).lower
    rounds = Rounds(20_000)
    answer = within(g, wanted, rule, rounds, target=target)
    assert not rounds.reason
    claim = certify(g, answer, wanted=wanted)
    assert claim.status == "reached"
    assert claim.check(means, covariances, sign)


def test_whole_passes_separate_ellipsoids_too():
    means, covariances, sign = bodies(6, 10, 3, 4.0)
    part = oracle(gaussians(means, covariances, sign), 0.5 * solve(means, covariances, sign).lower)
    for rule in (Increment(1.0), Nearest()):
        run = passes([part], Margin(0.0), rule, begin([part]), whole=True)
        assert any(state.done for state in itertools.islice(run, 5000))


@pytest.mark.parametrize("name", ["mars", "riply_gauss"])
@pytest.mark.parametrize("rule", [Nearest(), Increment(1.0)])
def test_the_epsilon_solution_on_real_gaussians(gaussians_of, name, rule):
    means, covariances, sign, best = gaussians_of(name)
    g = gaussians(means, covariances, sign)
    wanted = 0.99 * best["r"]
    claim = certify(g, within(g, wanted, rule, Rounds(20_000)), wanted=wanted)
    assert claim.status == "reached"
    assert wanted <= claim.lower <= best["r"] * (1 + 1e-12)


@pytest.mark.parametrize("name", ["mars", "riply_gauss"])
@pytest.mark.parametrize("eps", [1e-2, 1e-4, 1e-6])
def test_improving_directions_on_real_gaussians(gaussians_of, name, eps):
    means, covariances, sign, best = gaussians_of(name)
    g, history = gaussians(means, covariances, sign), []
    claim = certify(g, improve(g, eps, Rounds(2000), history.append), eps=eps, exact=False)
    assert claim.status == "eps-optimal"
    assert (1 - eps) * best["r"] <= claim.lower <= best["r"] * (1 + 1e-12)
    assert claim.check(means, covariances, sign)
    rising = [line["lower"] for line in history]
    assert rising == sorted(rising)


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 6))
def test_improving_directions_come_within_eps(seed, k, d):
    means, covariances, sign = bodies(seed, k, d, 3.0)
    covariances = covariances + 0.05 * np.eye(d)
    best = solve(means, covariances, sign)
    g = gaussians(means, covariances, sign)
    claim = certify(g, improve(g, 1e-3, Rounds(2000)), eps=1e-3, exact=False)
    assert claim.check(means, covariances, sign)
    if best.status == "infeasible":
        assert claim.status == "infeasible"
    else:
        assert claim.status == "eps-optimal"
        assert claim.lower >= best.lower * (1 - 1e-3)


def test_moments_merge_to_those_of_all_rows():
    X = 1e6 + RNG.standard_normal((20_000, 3)) @ RNG.standard_normal((3, 3))
    whole = Moments.of(X)
    cut = [Moments.of(part) for part in np.array_split(X, [1, 2, 500, 500, 13_000])]
    parts = cut[0]
    for one in cut[1:]:
        parts = parts.merge(one)
    assert parts.weight == whole.weight == 20_000
    np.testing.assert_allclose(parts.mean, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(parts.covariance(), np.cov(X.T, bias=True), rtol=1e-9)
    np.testing.assert_allclose(whole.covariance(), np.cov(X.T, bias=True), rtol=1e-9)


def test_weights_of_moments_are_repetitions():
    X, weight = RNG.standard_normal((40, 2)), RNG.integers(0, 4, 40)
    one, two = Moments.of(X, weight), Moments.of(np.repeat(X, weight, axis=0))
    assert one.weight == two.weight
    np.testing.assert_allclose(one.mean, two.mean)
    np.testing.assert_allclose(one.covariance(), two.covariance())


def test_the_direction_of_the_bias_is_free():
    g = gaussians([[0.0], [3.0]], [1.0, 4.0], [-1, 1])
    answer = within(g, 0.9, Nearest(), Rounds(1000))
    assert level(g, answer.w).r == pytest.approx(1.0)
