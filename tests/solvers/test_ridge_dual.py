"""The dual of ridge regression: its solver against dense algebra, and certificates with weights of the rows."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from stages import examples

from linsep import LeastSquares, OneVsAll, RidgeCertificate, load
from linsep.certificates.check import ridge as check_ridge
from linsep.certificates.prove.ridge import RidgeProblem
from linsep.estimators import least_squares
from linsep.oracles import points
from linsep.proof_file import save_proof, without_others
from linsep.solvers import ridge
from linsep.solvers.ridge_dual import EVERY, DualAscent, solve_dual
from linsep.verify import verify


def at_once(monkeypatch):
    """After one step of the other way, whatever that proves."""
    monkeypatch.setattr(ridge, "TRIED", 1)
    monkeypatch.setattr(ridge, "NOTHING", 0.0)
    monkeypatch.setattr(ridge, "has_few_rows", lambda problem: False)
    monkeypatch.setattr(least_squares, "pays", lambda problem: False)


@pytest.fixture
def dual_at_once(monkeypatch):
    at_once(monkeypatch)


def counts(n=40, d=25, classes=3, seed=0):
    """Counts of very unlike size, as of words."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.6, (n, d)) * rng.integers(1, 30, (n, d)).astype(float)
    return X, np.arange(n) % classes


def targets(y, classes):
    return np.where(y == 1, 1.0, -1.0)[:, None] if classes == 2 else np.eye(classes)[y]


@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 4])
def test_it_ends_at_the_minimum_of_scikit_learn(kind, intercept, classes):
    X, y = counts(60, 90, classes)
    T, weight = targets(y, classes), np.arange(60) % 5 / 2
    task = RidgeProblem([points(kind(X), np.ones(60), weight)], T, weight, 3.0, intercept)
    W, u, _ = solve_dual(task, np.zeros((90, T.shape[1])), 1e-13, iter(range(1, 400)))
    peer = Ridge(3.0, fit_intercept=intercept, solver="cholesky").fit(X, T, sample_weight=weight)
    np.testing.assert_allclose(W.T, np.atleast_2d(peer.coef_), atol=1e-7)
    np.testing.assert_allclose(X.T @ u / 3.0, W, atol=1e-7)
    assert not u[weight == 0].any()
    if intercept:
        np.testing.assert_allclose(u.sum(axis=0), 0.0, atol=1e-10)


def test_both_bounds_only_improve_and_enclose_the_least():
    X, y = counts(50, 80)
    T = targets(y, 3)
    task = RidgeProblem([points(X, np.ones(50))], T, None, 0.5, True)
    peer = Ridge(0.5).fit(X, T)
    R = T - peer.predict(X)
    least = float((R * R).sum() + 0.5 * (peer.coef_**2).sum())
    found, last = DualAscent(task, np.zeros((80, 3))), (0.0, np.inf)
    rng = np.random.default_rng(0)
    for scale in (0.0, 1e-3, 1e-2, 0.1):  # any V may be looked at
        found.look(scale * rng.standard_normal(T.shape))
        assert last[0] <= found.lower <= least * (1 + 1e-12)
        assert least * (1 - 1e-12) <= found.upper <= last[1]
        last = found.lower, found.upper


@examples(60)
@given(
    seed=st.integers(0, 10_000), n=st.integers(4, 25), d=st.integers(1, 30), classes=st.integers(2, 3),
    alpha=st.sampled_from([1e-6, 0.1, 1.0, 100.0]), steps=st.integers(2, 6), sparse=st.booleans(),
    intercept=st.booleans(), weighted=st.booleans(), exact=st.booleans(),
)  # fmt: skip
def test_bounds_hold_wherever_it_stops(seed, n, d, classes, alpha, steps, sparse, intercept, weighted, exact):
    """The minimum and the best w come from dense algebra."""
    X, y = counts(n, d, classes, seed)
    X *= np.random.default_rng(seed).choice([1e-3, 1.0, 1e3], d)
    rows, weight = sp.csr_array(X) if sparse else X, np.arange(n) % 4 / 2 + 0.5 if weighted else np.ones(n)
    with pytest.MonkeyPatch.context() as patch:
        at_once(patch)
        patch.setattr(check_ridge, "EXACT", check_ridge.EXACT if exact else 0)
        rule = LeastSquares(alpha=alpha, tol=1e-12, max_iter=steps, fit_intercept=intercept)
        claim = rule.fit(rows, y, sample_weight=weight).certificate_
        assert rule.check(rows, y, sample_weight=weight)
    T, root = targets(y, classes), np.sqrt(weight)[:, None]
    A = np.vstack([root * np.column_stack([X, np.full(n, float(intercept))]), np.sqrt(alpha) * np.eye(d, d + 1)])
    best = np.linalg.lstsq(A, np.vstack([root * T, np.zeros((d, T.shape[1]))]), rcond=None)[0]

    def cost(V):
        errors = T - X @ V[:-1] - V[-1]
        return float(weight @ (errors**2).sum(axis=1) + alpha * (V[:-1] ** 2).sum())

    own = np.column_stack([rule.coef_, rule.intercept_]).T
    assert claim.lower <= cost(best) * (1 + 1e-9) and cost(own) <= claim.upper * (1 + 1e-9)
    away = float(np.linalg.norm(own[:-1] - best[:-1]))
    assert away <= claim.distance * (1 + 1e-6) + 1e-7 * float(np.linalg.norm(best))


def test_the_check_finds_every_false_number(dual_at_once, monkeypatch, tmp_path):
    X, y = counts(30, 60)
    rule = LeastSquares(max_iter=5).fit(sp.csr_array(X), y)
    claim = rule.certificate_
    assert claim.status == "budget spent" and claim.weights.shape == (30, 3) and claim.lower > 0
    for exact in (check_ridge.EXACT, 0):  # in fractions, and in floating point
        monkeypatch.setattr(check_ridge, "EXACT", exact)
        assert claim.check(X, y)
        wrong = claim.weights.copy()
        wrong[3, 1] = np.nan
        for false in (
            {"upper": claim.upper * 0.999}, {"lower": claim.lower * 1.001}, {"distance": claim.distance * 0.9},
            {"status": "optimal"}, {"weights": claim.weights * 1.01}, {"weights": claim.weights[:, ::-1]},
            {"weights": np.zeros(0)}, {"weights": claim.weights[1:]}, {"weights": wrong}, {"alpha": 2.0},
        ):  # fmt: skip
            assert not replace(claim, **false).check(X, y), false
        moved = replace(claim, weights=claim.weights + 3.0)  # of any sum: taken less their mean
        assert moved.check(X, y)
    assert not claim.check(X, (y + 1) % 3)
    again = RidgeCertificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again.check(X, y) and np.array_equal(again.weights, claim.weights)
    rule.save(tmp_path / "rule.linsep")
    assert load(tmp_path / "rule.linsep").check(X, y)


def test_counts_of_words_are_proved_where_the_residual_proves_nothing():
    """Columns of few large counts: 1,500 steps of conjugate gradients would be needed, a tenth of that is enough."""
    rng = np.random.default_rng(1)
    X = sp.random_array((400, 3000), density=0.02, rng=rng, format="csr")
    X.data = np.ceil(rng.pareto(1.0, X.data.size))
    y = rng.integers(0, 3, 400)
    rule = LeastSquares(max_iter=150).fit(X, y)
    assert rule.certificate_.status == "optimal" and rule.certificate_.weights.shape == (400, 3)
    assert rule.check(X, y)


def test_targets_that_depend_on_each_other_and_rows_alike():
    """The targets of the classes sum to 1; rows that are alike leave fewer directions than targets."""
    X, y = np.repeat(np.eye(2, 5) * [[3.0], [50.0]], 10, axis=0), np.arange(20) % 4
    task = RidgeProblem([points(X, np.ones(20))], np.eye(4)[y], None, 0.01, True)
    W, _, steps = solve_dual(task, np.zeros((5, 4)), 1e-12, iter(range(1, 100)))
    np.testing.assert_allclose(W.T, Ridge(0.01).fit(X, np.eye(4)[y]).coef_, atol=1e-9)
    assert steps <= EVERY


@pytest.mark.parametrize("weighted", [True, False])
def test_a_proof_by_the_dual_is_verified_without_linsep(weighted, dual_at_once, tmp_path):
    X, y = counts()
    weight = np.where(np.arange(40) % 5, 0.1 + np.arange(40) / 40, 0.0) if weighted else None
    path, data = str(tmp_path / "p.json"), str(tmp_path / "d.csv")
    rule = LeastSquares(alpha=1e-3).fit(X, y, sample_weight=weight)
    assert rule.certificate_.weights.shape == (40, 3)
    rule.save_proof(path, X, y, weight, data=data)
    assert verify(path, data)[0]
    if weighted:  # as linsep fit --test: rows that were held out are not in the files
        kept = np.flatnonzero(weight)
        save_proof(path, without_others(rule.certificate_, kept), X[kept], y[kept], weight[kept], data=data)
        assert verify(path, data)[0]
    else:
        members = OneVsAll(LeastSquares(alpha=1e-3)).fit(X, y)
        assert all(each.certificate_.weights.size for each in members.estimators_)
        members.save_proof(path, X, y, data=data)
        assert verify(path, data)[0]
