"""Learning in parts: the same strategy as by one fit on all rows, and a reason where a family cannot."""

import copy

import numpy as np
import pytest
from bayes_worlds import iris
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KernelDensity

from linsep.bayes import Bayes, Gaussian, Mahalanobis, Parzen, PiecewiseConstant, Rayleigh, Uniform

X, Y = iris()
EDGES = [np.linspace(0.0, 10.0, 6)] * X.shape[1]
WEIGHT = np.random.default_rng(0).integers(0, 4, len(X)) / 2.0  # some rows are absent
ORDER = np.random.default_rng(1).permutation(len(X))
PARTS = [ORDER[:60], ORDER[60:61], ORDER[61:90], ORDER[90:]]  # the second has one class only
RULES = [
    Bayes(),
    Bayes(Gaussian()),
    Bayes(Gaussian("diagonal"), priors="uniform"),
    Bayes(Gaussian("spherical", shared=True, shrinkage=0.25)),
    Bayes(Uniform(), reject=0.1),
    Bayes(Rayleigh(), loss=[[0, 1, 1], [1, 0, 1], [1, 5, 0]]),
    Bayes(PiecewiseConstant(EDGES, smoothing=0.5)),
    Bayes(Parzen()),
    Bayes(Parzen(bandwidth=0.5, kernel="tophat")),
    Bayes({0: Gaussian(), 1: Rayleigh(), 2: Parzen()}),
    Mahalanobis(),
    Mahalanobis("own", shrinkage=0.1),
]
EACH = pytest.mark.parametrize("rule", RULES, ids=str)


def in_parts(rule, weight=None):
    for part in PARTS:
        rule.partial_fit(X[part], Y[part], classes=[2, 1, 0], sample_weight=None if weight is None else weight[part])
    return rule


def assert_same(one, other):
    near = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), **near)
    assert np.array_equal(one.predict(X), other.predict(X))
    if isinstance(one, Bayes):
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), **near)
        np.testing.assert_allclose(one.priors_, other.priors_, rtol=1e-12)
    else:
        np.testing.assert_allclose(one.distance(X), other.distance(X), **near)


@EACH
@pytest.mark.parametrize("weight", [None, np.where(np.isin(np.arange(len(X)), PARTS[1]), 1.0, WEIGHT)], ids=["1", "w"])
def test_parts_are_one_fit_on_all_rows(rule, weight):
    assert_same(in_parts(clone(rule), weight), clone(rule).fit(X, Y, weight))


@EACH
def test_fit_may_begin_and_begins_anew(rule):
    even, odd = np.arange(len(X)) % 2 == 0, np.arange(len(X)) % 2 == 1
    begun = clone(rule).fit(X[even], Y[even]).partial_fit(X[odd], Y[odd])
    assert_same(begun, clone(rule).fit(X, Y))
    assert_same(begun.fit(X[even], Y[even]), clone(rule).fit(X[even], Y[even]))


@EACH
def test_a_part_that_fails_leaves_all_as_it_was(rule):
    rule = clone(rule).fit(X, Y)
    before = copy.deepcopy(rule)
    for part, labels, said in [
        (X[:2, :3], Y[:2], "features"),
        (X[:2], [0, 9], r"y: expected labels of \[0, 1, 2\], got 9"),
        (np.full((1, 4), np.nan), [0], "NaN"),
    ]:
        with pytest.raises(ValueError, match=said):
            rule.partial_fit(part, labels)
        assert_same(rule, before)


def test_a_class_that_fails_leaves_the_others_as_they_were():
    rule = Bayes(Rayleigh()).fit(X, Y)
    scales = [density.scale_.copy() for density in rule.strategy_.model.densities]
    with pytest.raises(ValueError, match=r"class 2: Rayleigh: Negative"):
        rule.partial_fit([[9.0] * 4, [-1.0] * 4], [0, 2])
    assert np.array_equal(scales, [density.scale_ for density in rule.strategy_.model.densities])


def test_a_class_of_one_row_has_the_pooled_covariance_until_it_has_more():
    first = np.append(np.flatnonzero(Y > 0), 0)
    rule = Bayes(Gaussian()).partial_fit(X[first], Y[first], classes=[0, 1, 2])
    assert_same(rule, Bayes(Gaussian()).fit(X[first], Y[first]))
    assert_same(rule.partial_fit(X[1:50], Y[1:50]), Bayes(Gaussian()).fit(X, Y))


def test_far_from_the_origin_parts_lose_no_digits():
    far = X + 2.0**26
    for rule in (Bayes(), Mahalanobis("own")):
        whole, begun = clone(rule).fit(far, Y), clone(rule).fit(far[ORDER[:60]], Y[ORDER[:60]])
        begun.partial_fit(far[ORDER[60:]], Y[ORDER[60:]])
        np.testing.assert_allclose(begun.decision_function(far), whole.decision_function(far), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("density", [Gaussian(), Uniform(), Rayleigh(), PiecewiseConstant(EDGES), Parzen()], ids=str)
def test_densities_alone_go_on_too(density):
    parts, whole = clone(density), clone(density).fit(X, sample_weight=WEIGHT)
    for part in (slice(0, 50), slice(50, 150)):
        parts.partial_fit(X[part], sample_weight=WEIGHT[part])
    np.testing.assert_allclose(parts.score_samples(X), whole.score_samples(X), rtol=1e-9)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Bayes(PiecewiseConstant(5)), "PiecewiseConstant"),
        (Bayes({0: Gaussian(), 1: KernelDensity(), 2: Gaussian()}), "KernelDensity"),
        (Bayes(LinearDiscriminantAnalysis()), "the classifier LinearDiscriminantAnalysis"),
    ],
)
def test_a_family_that_cannot_is_named(rule, said):
    with pytest.raises(AttributeError) as error:
        _ = rule.partial_fit
    assert said in str(error.value.__cause__)


def test_known_parameters_have_no_rows_to_go_on_from():
    assert not hasattr(Gaussian.from_parameters([0.0], [[1.0]]), "partial_fit")
    assert not hasattr(PiecewiseConstant(3), "partial_fit")


def test_what_was_fitted_goes_on_or_is_asked_for():
    rule = Bayes(PiecewiseConstant(EDGES)).fit(X, Y)
    with pytest.raises(ValueError, match=r"expected the density PiecewiseConstant.* as in the first call, got Uniform"):
        rule.set_params(model=Uniform()).partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"expected the density Gaussian\(shared=True\) as in the first call"):
        Mahalanobis().fit(X, Y).set_params(covariance="own").partial_fit(X, Y)
    with pytest.raises(ValueError, match="classes: the first call"):
        Bayes().partial_fit(X, Y)
    with pytest.raises(ValueError, match="the first part has no row of class 2"):
        Mahalanobis().partial_fit(X[:100], Y[:100], classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"classes: expected \[0, 1, 2\] as in the first call"):
        Bayes().fit(X, Y).partial_fit(X, Y, classes=[0, 1])
    changed = Bayes(Gaussian()).fit(X[::2], Y[::2]).set_params(priors={0: 0.2, 1: 0.2, 2: 0.6}, reject=0.1)
    assert_same(changed.partial_fit(X[1::2], Y[1::2]), clone(changed).fit(X, Y))
