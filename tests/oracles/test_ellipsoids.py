"""Ellipsoids in the loop (F3): lowest points, and the same updates compiled and interpreted."""

import itertools
import math

import numpy as np
import pytest
from gaussians_at_random import random_gaussians, solve
from loop_cases import interpreted

from linsep.loop.keep import Last
from linsep.loop.passes import begin, passes
from linsep.loop.sweep import Counters, Task, batch_pass, sweep
from linsep.oracles import ellipsoids, points
from linsep.rules import Increment, Nearest, Relaxation
from linsep.solvers.anderson.gaussians import factorize
from linsep.targets import Margin

RNG = np.random.default_rng(0)
KINDS = {
    "full": lambda d: np.cov(RNG.standard_normal((d, 3 * d))).reshape(d, d),
    "diagonal": lambda d: RNG.uniform(0.1, 2.0, d),
    "low rank plus diagonal": lambda d: (RNG.standard_normal((d, 1)), RNG.uniform(0.1, 1.0, d)),
    "flat": lambda d: np.outer(v := RNG.standard_normal(d), v),
    "point": lambda d: 0.0,
}


def oracle(g, radius):
    scale = np.exp2(g.exponent)
    deviation = g.deviation * scale if g.deviation.size else g.deviation
    return ellipsoids(g.means * scale, g.low * scale, deviation, radius, g.sign)


def dense(covariance, d):
    if isinstance(covariance, tuple):
        return covariance[0] @ covariance[0].T + np.diag(covariance[1])
    return np.asarray(covariance) if np.ndim(covariance) == 2 else np.diag(np.broadcast_to(covariance, d))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_lowest_point_is_the_lowest(kind, d):
    covariances = [KINDS[kind](d), KINDS[kind](d)]
    means, sign = RNG.standard_normal((2, d)), np.array([1, -1])
    part = oracle(factorize(means, covariances, sign), 1.7)
    w = RNG.standard_normal(d + 1)
    for i in range(2):
        wa, slot = part.lowest(w, i)
        a = np.zeros(d + 1)
        part.add(a, i, slot, 1.0)
        assert w @ a == pytest.approx(wa, abs=1e-12)
        assert part.squared_norm(i, slot) == pytest.approx(a @ a)
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
    """F4: the same updates, with the same bits."""
    X, sign = RNG.integers(-4, 5, (30, 3)).astype(float), np.where(np.arange(30) % 2, 1, -1)
    X[:, 0] += 9 * sign
    flat = ellipsoids(X, np.zeros((30, 0, 3)), np.zeros((30, 0)), 1.0, sign)
    for rule in (Increment(1.0), Nearest()):
        ends = []
        for part in (flat, points(X, sign)):
            with interpreted():
                *_, state = passes([part], Margin(0.0), rule, begin([part]))
            ends.append(state)
        assert ends[0].done
        assert ends[0].counters == ends[1].counters
        np.testing.assert_array_equal(ends[0].w, ends[1].w)


@pytest.mark.parametrize(
    ("kernel", "rule"),
    [
        (sweep, Nearest()),
        (batch_pass, Relaxation(1.5)),
        *(
            pytest.param(kernel, rule, marks=pytest.mark.long)
            for kernel, rule in (
                (sweep, Increment(1.0)),
                (sweep, Relaxation(1.5)),
                (batch_pass, Increment(1.0)),
                (batch_pass, Nearest()),
            )
        ),
    ],
)
def test_compiled_and_interpreted_agree(kernel, rule):
    means, covariances, sign = random_gaussians(4, 9, 4, 3.0)
    g = factorize(means, covariances, sign)
    ends = []
    for run in (kernel, kernel.py_func):
        part = oracle(g, 0.8)
        w, dual = np.linspace(-1.0, 1.0, 5), np.zeros(9)
        task = Task(part, Margin(1.0), rule, Last(np.zeros(0)))
        if kernel is sweep:
            counters = run(task, w, dual, Counters(total=1.0, ww=float(w @ w)), np.arange(9), 100, -1)
            ends.append((w, dual, np.array(counters)))
        else:
            total = np.zeros(5)
            ends.append((np.array(run(task, w, np.arange(9), 1.0, total, dual)), total, dual))
    for one, two in zip(*ends, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)


def test_batch_passes_separate_ellipsoids_too():
    means, covariances, sign = random_gaussians(6, 10, 3, 4.0)
    part = oracle(factorize(means, covariances, sign), 0.5 * solve(means, covariances, sign).lower)
    for rule in (Increment(1.0), Nearest()):
        with interpreted():
            run = passes([part], Margin(0.0), rule, begin([part]), batch=True)
            assert any(state.done for state in itertools.islice(run, 5000))
