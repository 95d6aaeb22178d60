"""Moments of rows: merged block by block they are those of all rows."""

import numpy as np

from linsep.solvers.anderson.moments import Moments

RNG = np.random.default_rng(0)


def test_moments_merge_to_those_of_all_rows():
    X = 1e6 + RNG.standard_normal((20_000, 3)) @ RNG.standard_normal((3, 3))
    whole = Moments.from_rows(X)
    cut = [Moments.from_rows(part) for part in np.array_split(X, [1, 2, 500, 500, 13_000])]
    parts = cut[0]
    for one in cut[1:]:
        parts = parts.merge(one)
    assert parts.weight == whole.weight == 20_000
    np.testing.assert_allclose(parts.mean, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(parts.covariance(), np.cov(X.T, bias=True), rtol=1e-9)
    np.testing.assert_allclose(whole.covariance(), np.cov(X.T, bias=True), rtol=1e-9)


def test_weights_of_moments_are_repetitions():
    X, weight = RNG.standard_normal((40, 2)), RNG.integers(0, 4, 40)
    one, two = Moments.from_rows(X, weight), Moments.from_rows(np.repeat(X, weight, axis=0))
    assert one.weight == two.weight
    np.testing.assert_allclose(one.mean, two.mean)
    np.testing.assert_allclose(one.covariance(), two.covariance())
