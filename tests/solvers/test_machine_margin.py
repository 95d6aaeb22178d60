"""The linear machine of largest margin on uneven data: solved or refuted, and as a QP solver has it (C10, D1)."""

import math
import signal
import time
from dataclasses import replace
from fractions import Fraction

import clarabel
import numpy as np
import pytest
import reference
import scipy.sparse as sp
from uneven_machines import draw_machine_problem

from linsep import MaximumMargin
from linsep.oracles import points
from linsep.solvers import machine_margin
from linsep.solvers.exact_optimum import find_nearest_exactly, round_point

FARTHEST = 1e12  # the longest vector beside the margin, from which on floats need not hold the optimum to 1e-9


def referee(A):
    """The largest margin of all w with A w >= 1: the shortest has length 1/m. None if the solver gives up."""
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_rel = options.tol_gap_abs = options.tol_feas = 1e-12
    n, d = A.shape
    P, cones = sp.csc_matrix(np.eye(d)), [clarabel.NonnegativeConeT(n)]
    solution = clarabel.DefaultSolver(P, np.zeros(d), sp.csc_matrix(-A), -np.ones(n), cones, options).solve()
    return 1.0 / math.sqrt(2 * solution.obj_val) if str(solution.status) == "Solved" else None


def assert_decided(claim, X, y):
    """Optimal or refuted, and so by the check, which is exact where a claim depends on it."""
    assert claim.check(X, y), str(claim.check(X, y))
    if claim.status != "not separable":
        assert claim.status == "optimal" or (claim.separates and claim.longest > FARTHEST * claim.lower), str(claim)


@pytest.mark.parametrize("seed", range(60))
def test_uneven_data_are_solved_or_refuted(seed):
    X, y = draw_machine_problem(seed)
    assert_decided(MaximumMargin().fit(X, y).certificate_, X, y)


@pytest.mark.long
def test_many_uneven_data_are_solved_or_refuted():
    for seed in range(60, 800):
        X, y = draw_machine_problem(seed)
        assert_decided(MaximumMargin().fit(X, y).certificate_, X, y)


@pytest.mark.parametrize("seed", range(40))
def test_the_margin_is_that_of_a_qp_solver(seed):
    X, y = draw_machine_problem(seed, even=True)
    claim = MaximumMargin().fit(X, y).certificate_
    A = np.vstack(reference.kesler(X, y, int(y.max()) + 1))
    assert claim.separable is reference.separable(A)
    true = referee(A) if claim.separates else None
    if true is not None:
        assert claim.status == "optimal"
        assert claim.lower <= true * (1 + 1e-6) and claim.upper >= true * (1 - 1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_vectors_that_are_too_many_to_be_listed_are_decided_too(seed, monkeypatch):
    X, y = draw_machine_problem(seed, even=True)
    listed = MaximumMargin().fit(X, y).certificate_
    monkeypatch.setattr(machine_margin, "LISTED", 0)
    for form in (np.asarray, sp.csr_array):
        claim = MaximumMargin().fit(form(X), y).certificate_
        assert claim.check(form(X), y)
        assert claim.separable is listed.separable
        assert claim.upper == pytest.approx(listed.upper, rel=1e-8, abs=1e-10)


def test_equal_rows_of_two_classes_are_the_proof():
    X, y = np.array([[0.1, 3.0], [5.0, 1.0], [2.0, 2.0], [0.1, 3.0]]), ["a", "b", "c", "c"]
    claim = MaximumMargin().fit(X, y).certificate_
    assert claim.status == "not separable" and claim.integers == (1, 1)
    assert claim.rows.tolist() == [0, 3] and claim.rivals.tolist() == [2, 0]
    assert claim.check(X, y)
    for integers in ((1, 2), (1,), (1, -1), (1.0, 1.0)):
        assert not replace(claim, integers=integers).check(X, y)
    assert not replace(claim, rivals=np.array([1, 0])).check(X, y)


def test_the_dual_coefficients_make_w():
    X, y = draw_machine_problem(3, even=True)
    rule = MaximumMargin().fit(X, y)
    assert rule.certificate_.separates
    np.testing.assert_allclose(rule.dual_coef_ @ rule.support_vectors_, rule.coef_, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("k", [-300, -20, 40, 300])
def test_a_power_of_two_changes_no_decision(k):
    for seed in range(8):
        X, y = draw_machine_problem(seed, even=True)
        one, other = (MaximumMargin().fit(data, y).certificate_ for data in (X, np.ldexp(X, k)))
        assert other.check(np.ldexp(X, k), y), str(other.check(np.ldexp(X, k), y))
        assert (one.status == "not separable") == (other.status == "not separable")


def test_rounding_with_feedback_keeps_the_scores():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 6)) + 1e9
    w = [Fraction(int(x), 10**9) for x in rng.integers(-(10**9), 10**9, 6)]
    plain, better = np.array([float(x) for x in w]), round_point(w, A)

    def off(v):
        return max(abs(sum(Fraction(a) * (Fraction(b) - c) for a, b, c in zip(row, v, w, strict=True))) for row in A)

    assert off(better) < off(plain) / 100
    np.testing.assert_allclose(better, plain, rtol=1e-9)


def test_the_exact_nearest_point_satisfies_its_conditions():
    rng = np.random.default_rng(1)
    for _ in range(20):
        A = rng.integers(-3, 9, (10, 3)).astype(float) + 4
        found = find_nearest_exactly([points(A, np.ones(10), bias=0.0)], np.eye(10)[0])
        w, square = found.w[:3], sum(x * x for x in found.w)
        assert sum(found.weights) == 1 and min(found.weights) > 0
        scores = [sum(Fraction(a) * b for a, b in zip(row, w, strict=True)) for row in A]
        assert min(scores) == square and all(scores[i] == square for i in found.rows)


def test_ctrl_c_in_exact_arithmetic_ends_it(monkeypatch):
    X, y = next(pair for pair in map(draw_machine_problem, range(200)) if _sharpened(*pair))
    monkeypatch.setattr(machine_margin, "find_nearest_exactly", _press_first)
    rule = MaximumMargin()
    with pytest.raises(KeyboardInterrupt):
        rule.fit(X, y)
    assert rule.certificate_.separates and rule.check(X, y)


def _sharpened(X, y):
    """Whether the nearest point was found in integers."""
    calls = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine_margin, "find_nearest_exactly", lambda *a: calls.append(1))
        MaximumMargin().fit(X, y)
    return bool(calls)


def _press_first(parts, start, seconds):
    """Ctrl-C while the exact arithmetic runs."""
    signal.setitimer(signal.ITIMER_REAL, 1e-3)
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            if find_nearest_exactly(parts, start, seconds) is None:
                return None
        raise AssertionError("Ctrl-C was not noticed")
    finally:
        signal.signal(signal.SIGALRM, before)
