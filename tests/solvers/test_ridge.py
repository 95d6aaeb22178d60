"""Ridge regression on labels: the minimum, against scikit-learn and dense algebra, and its certificate."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge, RidgeClassifier
from stages import examples

from linsep import LeastSquares, RidgeCertificate
from linsep.certificates.check import ridge as check_ridge
from linsep.certificates.prove.ridge import RidgeProblem
from linsep.estimators import least_squares
from linsep.oracles import points
from linsep.solvers import ridge
from linsep.solvers.ridge import NormalEquations, pays, solve_ridge

FORMS = {
    "dense": np.array,
    "csr": sp.csr_array,
    "float32": lambda X: X.astype(np.float32),
    "csr of float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "uint8": lambda X: X.astype(np.uint8),
}


def problem(n=80, d=5, count=3, seed=0):
    """Small whole numbers, which every type holds, whose columns differ by class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % count
    X = rng.integers(0, 12, (n, d)).astype(float)
    X[np.arange(n), y % d] += 3
    return X, y


def costs(rule, X, T, weight, alpha):
    """J of what a rule learned, written out."""
    errors = T - X @ rule.coef_.T - rule.intercept_
    return float(weight @ (errors**2).sum(axis=1) + alpha * (rule.coef_**2).sum())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(80, 5), (30, 90), (9000, 3), (300, 80)], ids=str)
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("intercept", [True, False])
def test_it_is_the_minimum_of_scikit_learn(form, shape, count, intercept):
    X, y = problem(*shape, count)
    weight = np.arange(shape[0]) % 5 / 2
    rule = LeastSquares(alpha=2.5, tol=1e-11, fit_intercept=intercept).fit(FORMS[form](X), y, sample_weight=weight)
    T = np.where(y == 1, 1.0, -1.0)[:, None] if count == 2 else np.eye(count)[y]
    peer = Ridge(2.5, fit_intercept=intercept, solver="cholesky").fit(X, T, sample_weight=weight)
    np.testing.assert_allclose(rule.coef_, np.atleast_2d(peer.coef_), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(rule.intercept_, peer.intercept_, rtol=1e-5, atol=1e-6)
    claim = rule.certificate_
    assert claim.status == "optimal" and rule.check(FORMS[form](X), y, sample_weight=weight)
    cost = costs(rule, X, T, weight, 2.5)
    assert claim.lower <= cost * (1 + 1e-12) and cost <= claim.upper * (1 + 1e-12)


def test_nothing_set_it_predicts_as_the_ridge_classifier():
    X, y = problem(400, 20, 5)
    assert np.array_equal(LeastSquares().fit(X, y).predict(X), RidgeClassifier().fit(X, y).predict(X))


@examples(60)
@given(
    seed=st.integers(0, 10_000), n=st.integers(3, 25), d=st.integers(1, 12), count=st.integers(2, 3),
    alpha=st.sampled_from([1e-6, 0.1, 1.0, 100.0]), steps=st.integers(1, 4), sparse=st.booleans(),
)  # fmt: skip
def test_bounds_hold_wherever_it_stops(seed, n, d, count, alpha, steps, sparse):
    """The minimum and the best w come from dense algebra in extended precision, the claim from any number of steps."""
    X, y = problem(n, d, count, seed)
    X *= np.random.default_rng(seed).choice([1e-3, 1.0, 1e3], d)
    rows = sp.csr_array(X) if sparse else X
    rule = LeastSquares(alpha=alpha, tol=1e-12, max_iter=steps).fit(rows, y)
    claim = rule.certificate_
    T = np.where(y == 1, 1.0, -1.0)[:, None] if count == 2 else np.eye(count)[y]
    A = np.vstack([np.column_stack([X, np.ones(n)]), np.sqrt(alpha) * np.eye(d, d + 1)])
    best = np.linalg.lstsq(A, np.vstack([T, np.zeros((d, T.shape[1]))]), rcond=None)[0].T
    least = float(((T - X @ best[:, :-1].T - best[:, -1]) ** 2).sum() + alpha * (best[:, :-1] ** 2).sum())
    assert claim.lower <= least * (1 + 1e-9)
    assert costs(rule, X, T, np.ones(n), alpha) <= claim.upper * (1 + 1e-9)
    away = float(np.linalg.norm(rule.coef_ - best[:, :-1]))
    assert away <= claim.distance * (1 + 1e-6) + 1e-7 * float(np.linalg.norm(best))
    assert rule.check(rows, y)


def test_the_check_finds_every_false_number(monkeypatch):
    X, y = problem(40, 4, 3)
    monkeypatch.setattr(least_squares, "pays", lambda problem: False)
    claim = LeastSquares(max_iter=2).fit(X, y).certificate_  # far enough from the best one for every number to tell
    assert claim.status == "budget spent" and claim.relative_gap > 1e-3
    for exact in (check_ridge.EXACT, 0):  # in fractions, and in floating point
        monkeypatch.setattr(check_ridge, "EXACT", exact)
        assert claim.check(X, y)
        for false in (
            {"upper": claim.upper * 0.999}, {"lower": claim.upper * 1.0001}, {"lower": claim.lower * 1.001},
            {"distance": 0.0}, {"violated": claim.violated + 1}, {"size": 41}, {"status": "optimal"},
            {"w": claim.w * 1.01}, {"alpha": 2.0}, {"margins": np.array([2.0])}, {"bias": "none"},
        ):  # fmt: skip
            assert not replace(claim, **false).check(X, y), false
    assert not claim.check(X, (y + 1) % 3)
    assert not claim.check(X, y, sample_weight=np.linspace(0.5, 1.5, 40))
    again = RidgeCertificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again.check(X, y) and str(again) == str(claim)


def test_a_budget_that_is_spent_is_said_and_its_bounds_hold():
    rng = np.random.default_rng(1)
    X = sp.random_array((300, 900), density=0.02, random_state=1, format="csr") * np.geomspace(1, 100, 900)
    y = rng.integers(0, 2, 300)
    rule = LeastSquares(max_iter=3, alpha=1e-3).fit(sp.csr_array(X), y)
    assert rule.certificate_.status == "budget spent" and "3 passes" in str(rule.certificate_)
    assert rule.certificate_.relative_gap > 1e-3 and rule.check(sp.csr_array(X), y)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", ["dense", "csr", "uint8"])
def test_parts_are_the_whole(form, intercept):
    X, y = problem(90, 6, 3)
    weight = np.arange(90) % 4 + 0.5
    parts = LeastSquares(fit_intercept=intercept)
    for rows in np.array_split(np.arange(90), 4):
        parts.partial_fit(FORMS[form](X[rows]), y[rows], classes=[0, 1, 2], sample_weight=weight[rows])
    whole = LeastSquares(tol=1e-12, fit_intercept=intercept).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-9, atol=1e-12)
    begun = LeastSquares(fit_intercept=intercept).fit(X[:50], y[:50], weight[:50])
    begun.partial_fit(X[50:], y[50:], sample_weight=weight[50:])
    np.testing.assert_allclose(begun.coef_, whole.coef_, rtol=1e-9, atol=1e-12)


def test_parts_of_wide_data_say_what_to_do():
    X, y = sp.random_array((50, 5000), density=0.01, random_state=0, format="csr"), np.arange(50) % 2
    rule = LeastSquares().fit(X, y)
    assert rule.certificate_.status == "optimal"
    with pytest.raises(ValueError, match="partial_fit: fit solved these wide or sparse data without equations"):
        rule.partial_fit(X, y)


@pytest.mark.parametrize("way", ["equations", "few rows", "diagonal", "warm"])
def test_every_way_ends_at_the_same_w(way, monkeypatch):
    X, y = problem(60, 90, 2)
    T = np.where(y == 1, 1.0, -1.0)[:, None]
    task = RidgeProblem([points(X, np.ones(60))], T, None, 3.0, True)
    expected = Ridge(3.0, solver="svd").fit(X, T[:, 0]).coef_
    assert ridge.has_few_rows(task) and not pays(task)
    equations = NormalEquations.of(task) if way == "equations" else None
    if way == "diagonal":
        monkeypatch.setattr(ridge, "has_few_rows", lambda problem: False)
    start = np.ones((90, 1)) if way == "warm" else np.zeros((90, 1))
    found = solve_ridge(task, equations, start, 1e-12, range(1, 500))
    np.testing.assert_allclose(found.W[:, 0], expected, atol=1e-6)


def test_columns_of_very_unlike_size_and_far_from_zero():
    X, y = problem(200, 4, 2)
    X = X * [1e-6, 1.0, 1e6, 1e3] + [0.0, 1e5, 0.0, 0.0]
    rule = LeastSquares().fit(X, y)
    assert rule.certificate_.status == "optimal" and rule.check(X, y)


@pytest.mark.parametrize("power", [-300, 70, 300])
def test_a_power_of_two_changes_nothing_but_units(power):
    X, y = problem(30, 3, 3)
    one = LeastSquares(alpha=2.0).fit(X, y)
    other = LeastSquares(alpha=float(np.ldexp(2.0, 2 * power))).fit(np.ldexp(X, power), y)
    np.testing.assert_allclose(np.ldexp(other.coef_, power), one.coef_, rtol=1e-9)
    np.testing.assert_allclose(other.intercept_, one.intercept_, rtol=1e-9)
    assert other.check(np.ldexp(X, power), y)
    assert other.certificate_.upper == pytest.approx(one.certificate_.upper, rel=1e-9)


def test_margins_are_targets():
    X, y = problem(60, 3, 2)
    b = np.linspace(0.5, 2.0, 60)
    rule = LeastSquares(margins=b, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(rule.coef_[0], Ridge(1.0).fit(X, np.where(y == 1, b, -b)).coef_, rtol=1e-8)
    assert rule.check(X, y)
    fisher = LeastSquares(margins="fisher").fit(X, y)
    assert fisher.check(X, y) and fisher.certificate_.margins.shape == (60,)
