"""Moments of rows: merged block by block they are those of all rows, of each class."""

import itertools

import numpy as np
import pytest

from linsep.oracles import points
from linsep.rows.matrix import BLOCK
from linsep.solvers.anderson import moments
from linsep.solvers.anderson.moments import class_moments

RNG = np.random.default_rng(0)


def of_rows(X, weight=None, edges=None):
    edges = [0, len(X)] if edges is None else edges
    parts = [points(X[a:b], np.ones(b - a, int), first=a) for a, b in itertools.pairwise(edges)]
    (found,) = class_moments(parts, np.zeros(len(X), int), weight, 1)
    return found


def test_moments_merge_to_those_of_all_rows():
    X = 1e6 + RNG.standard_normal((20_000, 3)) @ RNG.standard_normal((3, 3))
    whole = of_rows(X)
    cut = [of_rows(part) for part in np.array_split(X, [1, 2, 500, 500, 13_000])]
    parts = cut[0]
    for one in cut[1:]:
        parts = parts.merge(one)
    assert parts.weight == whole.weight == 20_000
    np.testing.assert_allclose(parts.mean, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(parts.covariance(), np.cov(X.T, bias=True), rtol=1e-9)
    np.testing.assert_allclose(whole.covariance(), np.cov(X.T, bias=True), rtol=1e-9)
    same = of_rows(X, edges=[0, BLOCK, 3 * BLOCK, 20_000])
    assert same.mean.tobytes() == whole.mean.tobytes() and same.scatter.tobytes() == whole.scatter.tobytes()


def test_weights_of_moments_are_repetitions():
    X, weight = RNG.standard_normal((40, 2)), RNG.integers(0, 4, 40).astype(float)
    one, two = of_rows(X, weight), of_rows(np.repeat(X, weight.astype(int), axis=0))
    assert one.weight == two.weight
    np.testing.assert_allclose(one.mean, two.mean)
    np.testing.assert_allclose(one.covariance(), two.covariance())


@pytest.mark.parametrize("together", [moments.TOGETHER, 1])  # all classes in one look, or each in its own
def test_classes_of_which_blocks_have_none_and_classes_without_rows(together, monkeypatch):
    monkeypatch.setattr(moments, "TOGETHER", together)
    X, k = RNG.standard_normal((2 * BLOCK + 50, 2)), np.repeat([1, 3, 0], [BLOCK, BLOCK, 50])
    found = class_moments([points(X, np.ones(len(X), int))], k, None, 4)
    assert [each.weight for each in found] == [50, BLOCK, 0, BLOCK]
    for j in (0, 1, 3):
        np.testing.assert_allclose(found[j].mean, X[k == j].mean(axis=0), atol=1e-15)
        np.testing.assert_allclose(found[j].scatter, (k == j).sum() * np.cov(X[k == j].T, bias=True), rtol=1e-12)
    assert found[2].mean.tolist() == [0.0, 0.0] and not found[2].scatter.any()
