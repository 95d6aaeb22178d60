"""The linear machine of soft margin (Crammer and Singer): a certified gap, by referees and by hand."""

import json
import math
import warnings
from dataclasses import replace
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from stages import examples

from linsep import MaximumMargin, load
from linsep.certificates.base import Certificate
from linsep.certificates.prove.objective import SoftMarginProblem
from linsep.oracles import classes
from linsep.solvers.machine_ascent import MachineAscent, look_at_sets, solve_row, visit_sets
from linsep.solvers.soft_margin import Bounds

LOSSES = ["hinge", "squared_hinge"]


def clouds(seed, n=60, d=3, k=4, apart=1.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.standard_normal((n, d)) + apart * rng.standard_normal((k, d))[y], y


def optimum(X, y, C, loss, weight, bias):
    """The least cost, by cvxpy with Clarabel."""
    k, n = y.max() + 1, len(y)
    Z = np.column_stack([X, np.full(n, float(bias))])
    W = cp.Variable((k, Z.shape[1]))
    S = Z @ W.T
    short = cp.hstack([cp.max(S[i] - S[i, y[i]] + (np.arange(k) != y[i])) for i in range(n)])
    cost = cp.square(cp.pos(short)) if loss == "squared_hinge" else short
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(W) + C * cp.sum(cp.multiply(weight, cost))))
    return problem.solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_the_cost_is_the_referees(kind, bias, loss):
    X, y = clouds(1)
    weight = np.arange(60) % 3 / 2.0
    rule = MaximumMargin(C=0.7, loss=loss, tol=1e-5, fit_intercept=bias).fit(kind(X), y, weight)
    claim, least = rule.certificate_, optimum(X, y, 0.7, loss, weight, bias)
    assert claim.status == "optimal" and claim.relative_gap <= 1e-5
    assert claim.lower <= least * (1 + 1e-6) and claim.upper >= least * (1 - 1e-6)
    assert claim.bias == ("augmented" if bias else "none") and claim.w.shape == (4, 4)
    assert rule.check(kind(X), y, weight)
    assert bias or not rule.intercept_.any()
    assert (rule.decision_function(kind(X)).argmax(axis=1) == rule.predict(kind(X))).all()


def test_by_hand_three_points():
    """Unit vectors, no bias: by symmetry w_k is a multiple of the unit vector of k less the mean of all."""
    X, y = np.eye(3), [0, 1, 2]
    rule = MaximumMargin(C=10.0, tol=1e-10, fit_intercept=False).fit(X, y)
    # w = c (I - 1/3): every lead is c and must be 1, so that no row costs anything: P = |w|^2 / 2 = 2 c^2 / 2
    np.testing.assert_allclose(rule.coef_, np.eye(3) - 1 / 3, atol=1e-5)
    assert rule.certificate_.upper == pytest.approx(1.0, abs=1e-8)
    soft = MaximumMargin(C=0.1, tol=1e-10, fit_intercept=False).fit(X, y)
    # all weight is used: alpha = C, half against each rival; w_k = C x_k - C/2 (others) = 1.5 C (I - 1/3)
    np.testing.assert_allclose(soft.coef_, 0.15 * (np.eye(3) - 1 / 3), atol=1e-6)
    assert soft.certificate_.lower == pytest.approx(0.3 - 0.15**2, abs=1e-8)  # sum alpha - |w|^2 / 2


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 1.0, math.inf]), st.sampled_from([0.0, 0.5]))
def test_a_visit_finds_the_best_weights_of_a_row(seed, limit, diagonal):
    """No other weights within the limit have a larger D, among many random ones and small changes."""
    rng = np.random.default_rng(seed)
    count, square = int(rng.integers(3, 7)), rng.uniform(0.1, 5.0)
    own, diagonal = int(rng.integers(count)), diagonal if limit < math.inf else 0.5
    share = rng.uniform(0.0, 1.0, count) * (rng.random(count) < 0.5)
    share[own] = 0.0
    share *= min(1.0, min(limit, 3.0) / max(share.sum(), 1e-9))
    score = rng.normal(0.0, 2.0, count)  # 1 + g_k - g_y at the present weights
    wanted = np.zeros(count)
    solve_row(score, own, share, share.sum(), limit, diagonal, square, wanted)
    assert wanted[own] == 0 and (wanted >= 0).all() and wanted.sum() <= limit * (1 + 1e-12)

    def dual(new):
        step = new - share
        linear = score @ step - diagonal * (new.sum() ** 2 / 2)
        return linear - square * (step @ step + step.sum() ** 2) / 2

    score[own] = 0.0
    for _ in range(200):
        other = np.maximum(wanted + rng.normal(0.0, 10.0 ** rng.uniform(-4, 0), count), 0.0)
        other[own] = 0.0
        other *= min(1.0, limit / max(other.sum(), 1e-300))
        assert dual(other) <= dual(wanted) + 1e-9


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_passes_tell_the_gap_and_compiled_and_interpreted_do_the_same(kind, squared):
    X, y = clouds(3, n=12)
    problem = SoftMarginProblem([classes(kind(X), y, 4)], np.full(12, 0.4), squared=squared, bias="augmented")
    found = []
    for run, look in ((visit_sets, look_at_sets), (visit_sets.py_func, look_at_sets.py_func)):
        ascent = MachineAscent(Bounds(problem), np.zeros(48))
        for _ in range(3):
            run(problem.part, ascent.w, ascent.coordinates, np.arange(12), np.arange(3), np.inf, 1 / (1 + ascent.kappa))
        lowest, room = np.zeros(12), np.zeros(12)
        look(problem.part, ascent.w, ascent.coordinates, np.arange(12), lowest, room)
        found.append((ascent.w, ascent.coordinates.share, lowest, room))
        share = ascent.coordinates.share.ravel()
        np.testing.assert_allclose(ascent.total(), problem.combine(share), atol=1e-12)
        np.testing.assert_allclose(lowest, problem.scores(ascent.w), atol=1e-12)
        limit = np.full(12, np.inf) if squared else problem.C
        assert (share >= 0).all() and (problem.masses(share) <= limit * (1 + 1e-12)).all()
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_what_a_pass_adds_up_is_the_gap():
    """One row that fits a pass: the estimate before its visit is P - D to the last digits."""
    X, y = np.array([[1.0, -2.0]]), np.array([1])
    problem = SoftMarginProblem([classes(X, y, 3)], np.full(1, 0.3), squared=False, bias="augmented")
    alpha = np.array([0.1, 0.0, 0.15])
    ascent = MachineAscent(Bounds(problem), alpha)
    ascent.kappa, ascent.centre = 2.0, np.linspace(-1.0, 1.0, 9)
    ascent.w = (problem.combine(alpha) + 2.0 * ascent.centre) / 3.0
    gap = problem.primal(ascent.w, problem.scores(ascent.w)) - problem.dual(alpha, problem.combine(alpha))
    away = 2.0 * np.sum((2.0 * (ascent.w - ascent.centre) / 2.0) ** 2)
    w = ascent.w.copy()
    _, missing = visit_sets(problem.part, w, ascent.coordinates, np.zeros(1, int), np.zeros(1, int), np.inf, 1 / 3)
    assert missing + away == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_certificates_go_to_plain_data_and_model_files_and_back(tmp_path, loss):
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    rule = MaximumMargin(C=1.0, loss=loss).fit(X, names)
    claim = rule.certificate_
    again = Certificate.from_dict(json.loads(json.dumps(claim.to_dict())))
    assert again.check(X, names) and str(again) == str(claim) and again.rivals.dtype == np.int64
    rule.save(tmp_path / "rule.linsep")
    loaded = load(tmp_path / "rule.linsep")
    assert loaded.check(X, names) and (loaded.predict(X) == rule.predict(X)).all()
    assert "this w costs at most" in str(claim) and "rows are on the wrong side" in str(claim)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_lie_is_noticed(loss):
    X, y = load_iris(return_X_y=True)
    claim = MaximumMargin(C=1.0, loss=loss).fit(X, y).certificate_
    assert claim.check(X, y)
    first = claim.weights.copy()
    first[0] *= 3 + 10 * (loss == "squared_hinge")
    lies = {
        "upper": {"upper": claim.upper * (1 - 1e-9)}, "lower": {"lower": claim.lower * (1 + 1e-9)},
        "violated": {"violated": claim.violated + 1}, "size": {"size": 3}, "tol": {"tol": 1e-12},
        "own class": {"rivals": y[claim.rows]}, "negative": {"weights": -claim.weights},
        "rows": {"rows": claim.rows + 1000}, "too much": {"weights": first},
        "twice": {"rows": np.repeat(claim.rows[:1], claim.rows.size)}, "w": {"w": 1.1 * claim.w},
        "free": {"bias": "free"},
    }  # fmt: skip
    for name, lie in lies.items():
        assert not replace(claim, **lie).check(X, y), name


def test_the_checks_fractions_enclose_the_optimum():
    """The exact cost and dual of the check are the floats to rounding, and the claim is on their safe sides."""
    from linsep.certificates.check.machine_objective import exact_rival_dual
    from linsep.certificates.check.objective import exact_cost

    X, y = clouds(5, n=20)
    claim = MaximumMargin(C=0.5, tol=1e-6).fit(X, y).certificate_
    cost = np.full(20, 0.5)
    above, below = exact_cost(X, y, claim, 1.0, cost), exact_rival_dual(X, y, claim, 1.0, cost)
    assert isinstance(above, Fraction) and below <= above
    assert Fraction(claim.lower) <= below and above <= Fraction(claim.upper)
    assert float(above - below) <= 1e-6 * claim.upper


@examples(25)
@given(
    st.integers(0, 10**6), st.integers(1, 5), st.integers(3, 5), st.sampled_from(LOSSES),
    st.sampled_from([1e-3, 1.0, 1e3]), st.sampled_from([1e-30, 1.0, 1e30]),
)  # fmt: skip
def test_certificates_hold_on_any_data(seed, d, k, loss, C, scale):
    """Of rows of any size: both bounds enclose the cost of every other w."""
    X, y = clouds(seed, 30, d, k, 1.0)
    rule = MaximumMargin(C=C / scale**2, loss=loss, tol=1e-2, max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule.fit(scale * X, y)
    assert rule.check(scale * X, y), rule.check(scale * X, y)
    other = np.random.default_rng(seed).standard_normal((k, d + 1)) / scale
    S = np.column_stack([scale * X, np.ones(30)]) @ other.T
    short = np.maximum((S - S[np.arange(30), y][:, None] + (np.arange(k) != y[:, None])).max(axis=1), 0.0)
    cost = 0.5 * (other**2).sum() + C / scale**2 * (short**2 if loss == "squared_hinge" else short).sum()
    assert rule.certificate_.lower <= cost


def test_support_of_machines_and_committees():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for way in ("machine", "one-vs-all", "one-vs-one"):
        rule = MaximumMargin(C=0.1, multi_class=way, tol=1e-6).fit(X, y)
        np.testing.assert_allclose(rule.dual_coef_ @ rule.support_vectors_, rule.coef_, atol=2e-2)
        np.testing.assert_array_equal(rule.support_vectors_, X[rule.support_])
        np.testing.assert_array_equal(rule.n_support_, np.bincount(y[rule.support_]))
        assert rule.n_iter_ > 0


def test_warm_starts_and_paths_of_a_machine():
    X, y = load_iris(return_X_y=True)
    rules = MaximumMargin(tol=1e-3).path(X, y, [0.01, 0.1, 1.0])
    assert all(rule.certificate_.status == "optimal" and rule.check(X, y) for rule in rules)
    again = MaximumMargin(C=1.0, tol=1e-3, warm_start=True)
    first = again.fit(X, y).n_iter_
    assert again.fit(X, y).n_iter_ < first
    with pytest.raises(ValueError, match="expected 150 rows as in the last fit, got 100"):
        again.fit(X[25:125], y[25:125])


def test_newton_is_refused():
    with pytest.raises(ValueError, match="expected 'auto' or 'ascent' for a linear machine"):
        MaximumMargin(C=1.0, method="newton").fit(*load_iris(return_X_y=True))


def test_rows_of_zeros_without_a_bias_cost_what_they_cost():
    X = np.array([[0.0], [1.0], [-1.0], [0.0]])
    rule = MaximumMargin(C=1.0, fit_intercept=False, tol=1e-6).fit(X, [0, 1, 2, 2])
    assert rule.certificate_.status == "optimal" and rule.check(X, [0, 1, 2, 2])
    assert rule.certificate_.lower > 2.0  # two rows with a lead of 0 cost 1 each


def test_columns_of_unlike_size_are_learned_one_versus_all():
    X, y = load_wine(return_X_y=True)
    raw, scaled = MaximumMargin(C=1.0).fit(X, y), MaximumMargin(C=1.0).fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert hasattr(raw, "committee_") and raw.check(X, y) and raw.score(X, y) > 0.95
    assert not hasattr(scaled, "committee_") and scaled.certificate_.status == "optimal"
    assert not hasattr(MaximumMargin(C=1.0, multi_class="machine", max_iter=5).fit(X, y), "committee_")
