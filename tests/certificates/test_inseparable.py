"""Proofs that no hyperplane separates the data: found by learning, accepted by the check, and false ones caught."""

from dataclasses import replace

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from honest_certificates import clouds
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from loop_cases import xor

from linsep import Kozinec, LeastSquares, MaximumMargin, Perceptron
from linsep.certificates.check.inseparable import _pivots, sums_to_zero
from linsep.certificates.prove.inseparable import basis, prove_zero_sum


@pytest.mark.parametrize(
    "rule", [Kozinec(), Kozinec(bias="augmented"), Perceptron(), LeastSquares(method="ho-kashyap")]
)
def test_overlapping_clouds_are_proved_not_separable(rule):
    for X, sign in (xor(), *(clouds(seed, 40, d, 0.1) for seed, d in ((10, 1), (11, 2), (12, 4), (13, 7)))):
        assert not reference.separable(reference.mirrored(X, sign))
        claim = rule.fit(X, sign).certificate_
        assert claim.status == "not separable"
        assert claim.check(X, sign)
        assert claim.check(sp.csr_array(X), sign)
        A = reference.mirrored(X, sign)[claim.rows]
        share = claim.weights / claim.weights.sum()
        assert np.linalg.norm(share @ A) <= 1e-6 * np.linalg.norm(A, axis=1).max()


def test_one_hot_columns_beside_a_number_are_proved_not_separable():
    # one-hot groups and the bias depend on each other: the proof has to leave a column out, and so has its check
    rng = np.random.default_rng(14)
    colour, sign = rng.integers(0, 3, 60), np.where(np.arange(60) % 2, 1, -1)
    for number in (rng.integers(0, 5, 60), rng.normal(size=60)):
        X = np.column_stack([np.eye(3)[colour], number])
        for rule in (Kozinec(), Perceptron()):
            claim = rule.fit(X, sign).certificate_
            assert claim.status == "not separable"
            assert claim.check(X, sign), claim.check(X, sign)


@pytest.mark.parametrize("d", [3, 70, 200])
def test_an_honest_certificate_of_wide_data_is_accepted(d):
    # one point in both classes; the search for proofs is given up at 64 columns, the check must know that
    rng = np.random.default_rng(15)
    X, sign = rng.integers(-2, 3, (6, d)).astype(float), np.array([-1, 1, -1, 1, -1, 1])
    X[1] = X[0]
    for rule in (
        Perceptron(max_iter=50, keep="last"),
        Kozinec(max_iter=50),
        Kozinec(max_iter=50, bias="augmented"),
    ):
        claim = rule.fit(X, sign).certificate_
        assert claim.status in ("not separable", "budget spent")
        verdict = claim.check(X, sign)
        assert verdict, f"{rule}: {verdict}"


def test_a_point_in_both_classes_leaves_solver_and_check_agreed():
    # columns that are fractions of each other: which of them is left out must not matter
    for point in ([-1, -3, -4, -2], [4, 2, 1], [6, 4, 9], [0, 0, 5], [0.5, 0.25, 3]):
        X, sign = np.array([point, point], dtype=float), np.array([-1, 1])
        for rule in (LeastSquares("pinv"), LeastSquares("pinv", fit_intercept=False), Perceptron(), Kozinec()):
            claim = rule.fit(X, sign).certificate_
            assert claim.check(X, sign), f"{rule} {point}: {claim.check(X, sign)}"
            if not isinstance(rule, LeastSquares):  # its weights sum to zero only up to rounding
                assert claim.status == "not separable"


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.long)])
def test_columns_of_very_different_size_leave_solver_and_check_agreed(step):
    # found by random search: the check could prove from the weights what the solver had not claimed
    x1 = [10, -20, -10, 20, -20, 20, 0, -20, 0, -10, -10]
    x2 = [0, 0, 0, -2e-6, -1e-6, 0, 0, 2e-6, -1e-6, -1e-6, -1e-6]
    x3 = [2e5, 2e5, 2e5, 0, -2e5, 2e5, -2e5, 0, 1e5, 2e5, 0]
    X = np.column_stack([x1, x2, x3, np.full(11, -1.0)])
    y = np.array([0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1])
    for passes in range(1, 60, step):
        for keep in ("last", "pocket"):
            claim = Kozinec(eps=1e-6, keep=keep, max_iter=passes).fit(X, y).certificate_
            assert claim.check(X, y), f"{passes} passes: {claim.check(X, y)}"


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
def test_novikoffs_bound_of_a_margin_near_rounding_is_accepted(step):
    # integers near 10,000,000: the sure margin is a part of the true one, its square a small part of the square
    near = [
        [-1, -1, -1, 1, -1], [0, -1, 0, -2, -1], [2, 2, 1, -2, 1], [0, 0, 1, 1, 2], [-2, 2, 1, -2, 0],
        [-1, -2, -2, 0, -1], [-2, 1, 1, -1, 0], [2, 2, 2, -1, 0], [2, 2, 2, 1, -1], [2, 0, 1, -2, -2],
    ]  # fmt: skip
    X, y = 1e7 + np.array(near), np.array([0, 1, 1, 0, 0, 0, 0, 1, 0, 1])
    for passes in range(1, 40, step):
        claim = Kozinec(eps=1e-6, keep="pocket", max_iter=passes).fit(X, y).certificate_
        assert claim.check(X, y), f"{passes} passes: {claim.check(X, y)}"


def test_a_false_proof_of_inseparability_is_caught():
    X, sign = clouds(16, 30, 2, 1.6)
    claim = Kozinec().fit(X, sign).certificate_
    assert claim.status == "eps-optimal"
    rows = np.arange(30)
    for weights in (np.ones(30), np.random.default_rng(0).random(30)):
        for w in (-claim.w, claim.w):
            false = replace(claim, status="not separable", rows=rows, weights=weights, w=w, upper=0.0)
            verdict = false.check(X, sign)
            assert not verdict
            assert "status" in str(verdict)


# --- columns that depend on others, exactly, are no obstacle ----------------------------------------------------------


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(-3, 3).map(float)))
def test_a_basis_has_as_many_columns_as_the_rank(A):
    for found in (basis(A), _pivots(A)):
        assert len(found) == np.linalg.matrix_rank(A)
        assert not len(found) or np.linalg.matrix_rank(A[:, found]) == len(found)  # NumPy 2.1 fails on no columns


def test_real_columns_that_depend_on_others_leave_an_interior():
    rng = np.random.default_rng(0)
    line = rng.normal(size=4)
    A = np.outer([1.0, -1.0, 1.0], line)  # three points of a line through 0: rank 1 in four columns of any numbers
    A[1] *= 0.5
    weights = np.array([1.0, 4.0, 1.0])
    proof = prove_zero_sum(A, weights * (1 + 1e-13))
    assert proof is not None and (proof > 0).all()
    assert prove_zero_sum(A[[0, 2]], np.ones(2)) is None


@pytest.mark.parametrize("seed", [19, 29, 36, 97])
def test_a_proof_is_found_in_the_columns_that_the_check_sees(seed):
    """Without the outlier the first column is a power of two times shorter, and another scale is right for it."""
    rng, sign = np.random.default_rng(seed), np.where(np.arange(11) % 2, 1.0, -1.0)
    X = np.column_stack([1e6 + rng.uniform(-1, 1, 11), rng.uniform(-1, 1, 11)])
    X[10] = 1e11, -15809.8
    weights = prove_zero_sum(sign[:, None] * np.column_stack([X, np.ones(11)]), np.append(np.ones(10), 0.1))
    assert weights is not None
    rows = np.flatnonzero(weights)
    claim = replace(Perceptron(max_iter=1).fit(X, sign).certificate_, rows=rows, weights=weights[rows], integers=())
    assert sums_to_zero(X, sign, claim, 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_point_between_two_of_another_class_is_a_proof_in_any_number_of_columns(seed):
    """Three points on a line in ten dimensions: the hulls meet, in a face far below the dimension."""
    rng = np.random.default_rng(seed)
    p, u = rng.integers(-50, 50, 10).astype(float), rng.integers(-50, 50, 10).astype(float)
    X, y = np.array([p, p + u, p + 2 * u]), [0, 1, 0]
    found = MaximumMargin().fit(X, y).certificate_
    assert found.status == "not separable" and found.check(X, y)
