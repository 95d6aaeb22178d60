"""The hard margin against a QP solver (Clarabel): random, duplicated, scaled, shifted and degenerate data."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from stages import examples

from linsep import MaximumMargin


def referee(X, sign, bias):
    """The largest margin: of all w with <w,a> >= 1 the shortest has the length 1/m. None if the solver gives up."""
    n, d = X.shape
    P = sp.csc_matrix(np.diag(np.append(np.ones(d), 1.0 if bias == "augmented" else 0.0)))
    A = sp.csc_matrix(-sign[:, None] * np.column_stack([X, np.ones(n)]))
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_rel = options.tol_gap_abs = options.tol_feas = 1e-12
    cones = [clarabel.NonnegativeConeT(n)]
    solution = clarabel.DefaultSolver(P, np.zeros(d + 1), A, -np.ones(n), cones, options).solve()
    return 1.0 / np.sqrt(2 * solution.obj_val) if str(solution.status) == "Solved" else None


def separated(seed, n, d, gap, kind):
    """Rows of two classes that a hyperplane separates by at least ``gap``, in some way degenerate."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    if kind == "integers":
        X = np.round(2 * X)
    if kind == "flat" and d > 1:  # all in a plane of one dimension less
        v = rng.standard_normal(d)
        u = u - (u @ v) / (v @ v) * v
        u /= np.linalg.norm(u)
        X -= np.outer(X @ v / (v @ v), v)
    if kind == "line":
        X = np.outer(X[:, 0], u)
    sign = np.where(np.arange(n) % 2, 1, -1)
    X = X - np.outer(X @ u, u) + np.outer(sign * (gap + np.abs(X @ u)), u)
    if kind == "doubled":
        X, sign = np.vstack([X, X[::2], X[::3]]), np.concatenate([sign, sign[::2], sign[::3]])
    return X, sign


@pytest.mark.long
@pytest.mark.parametrize("bias", ["free", "augmented"])
@examples(150)
@given(
    st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 12), st.sampled_from([0.05, 0.5, 2.0]),
    st.sampled_from(["random", "doubled", "integers", "flat", "line"]),
    st.sampled_from([1e-8, 1e-3, 1.0, 1e3, 1e8]), st.sampled_from([0.0, 1.0, 1e3]),
)  # fmt: skip
def test_the_margin_is_that_of_a_qp_solver(bias, seed, n, d, gap, kind, scale, shift):
    X, sign = separated(seed, n, d, gap, kind)
    true = referee(X + shift, sign, bias) if bias == "free" else referee(scale * (X + shift), sign, bias)
    assume(true is not None)
    true *= scale if bias == "free" else 1.0  # a geometric margin scales; the solver would rather not
    X = scale * (X + shift)
    claim = MaximumMargin(bias=bias).fit(X, sign).certificate_
    assert claim.check(X, sign), str(claim.check(X, sign))
    assert claim.separable is not False
    if claim.separates:
        assert claim.lower <= true * (1 + 1e-5)
        assert claim.upper >= true * (1 - 1e-5)
    if scale == 1.0 and shift <= 1.0:
        assert claim.status == "optimal", str(claim)


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from([1e-8, 1.0, 1e8]), st.integers(1, 5))
def test_scaling_scales_the_margin(seed, scale, d):
    X, sign = separated(seed, 20, d, 0.5, "random")
    plain, scaled = MaximumMargin().fit(X, sign), MaximumMargin().fit(scale * X, sign)
    assert scaled.certificate_.status == "optimal"
    assert scaled.margin_ == pytest.approx(scale * plain.margin_, rel=2e-9)


@pytest.mark.parametrize("shift", [1e4, 1e6, 1e8])
def test_a_huge_offset_moves_the_hyperplane_only(shift):
    X, sign = separated(1, 40, 4, 0.5, "random")
    X = X + shift - shift  # what is left of the digits
    here, there = MaximumMargin().fit(X, sign), MaximumMargin().fit(X + shift, sign)
    assert there.certificate_.check(X + shift, sign)
    assert there.certificate_.separates
    assert there.margin_ == pytest.approx(here.margin_, rel=1e-7)


def test_one_point_a_class_and_more_columns_than_rows():
    rng = np.random.default_rng(0)
    for n, d in ((2, 1), (2, 50), (5, 300)):
        X, sign = rng.standard_normal((n, d)), np.where(np.arange(n) % 2, 1, -1)
        claim = MaximumMargin().fit(X, sign).certificate_
        assert claim.status == "optimal"
        assert claim.upper == pytest.approx(referee(X, sign, "free"), rel=1e-6)
