"""The soft margin: the optimum of a QP solver and of LIBLINEAR, a gap that anyone can check, and both methods."""

import json
import math
from dataclasses import replace

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from stages import examples

from linsep import MaximumMargin
from linsep.certificates.objective import ObjectiveCertificate
from linsep.certificates.prove.objective import SoftMarginProblem
from linsep.oracles import points
from linsep.solvers.coordinate_ascent import Ascent, Coordinates, visit_rows
from linsep.solvers.curvature import add_outer_products
from linsep.solvers.newton import search_line
from linsep.solvers.soft_margin import Bounds

LOSSES, BIASES, METHODS = ["hinge", "squared_hinge"], ["free", "augmented"], ["auto", "ascent", "newton"]


def clouds(seed, n=60, d=3, apart=0.7):
    rng = np.random.default_rng(seed)
    sign = np.where(rng.random(n) < 0.4, 1, -1)
    sign[:2] = 1, -1
    return rng.standard_normal((n, d)) + apart * sign[:, None], sign


def referee(X, sign, C, loss, bias):
    """The least cost, by Clarabel: variables w, b, xi."""
    n, d = X.shape
    quadratic = np.concatenate([np.ones(d), [bias == "augmented"], 2 * C if loss == "squared_hinge" else np.zeros(n)])
    linear = np.concatenate([np.zeros(d + 1), np.zeros(n) if loss == "squared_hinge" else C])
    margins = np.hstack([sign[:, None] * X, sign[:, None].astype(float), np.eye(n)])
    positive = np.hstack([np.zeros((n, d + 1)), np.eye(n)])
    A, b = -np.vstack([margins, positive]), -np.concatenate([np.ones(n), np.zeros(n)])
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_rel = options.tol_gap_abs = options.tol_feas = 1e-10
    P, cones = sp.csc_matrix(np.diag(quadratic.astype(float))), [clarabel.NonnegativeConeT(2 * n)]
    return clarabel.DefaultSolver(P, linear, sp.csc_matrix(A), b, cones, options).solve().obj_val


def cost(rule, X, sign, C):
    hinge = np.maximum(1.0 - sign * rule.decision_function(X), 0.0)
    w = rule.coef_[0] if rule.bias == "free" else np.append(rule.coef_[0], rule.intercept_)
    return 0.5 * w @ w + C @ (hinge**2 if rule.loss == "squared_hinge" else hinge)


def test_by_hand_two_points():
    """Points at -1 and 1 with C: w = min(1, 2C), for P(w) = w^2/2 + 2C(1 - w)."""
    for C in (0.1, 0.25, 0.5, 3.0):
        rule = MaximumMargin(C=C, tol=1e-10).fit([[-1.0], [1.0]], [0, 1])
        assert rule.coef_[0, 0] == pytest.approx(min(1.0, 2 * C), abs=1e-5)
        assert rule.intercept_[0] == pytest.approx(0.0, abs=1e-5)
        np.testing.assert_allclose(np.abs(rule.dual_coef_), min(C, 0.5), atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
@examples(40)
@given(
    st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([1e-3, 0.1, 1.0, 30.0]), st.sampled_from(LOSSES),
    st.sampled_from(BIASES), st.sampled_from([0.0, 0.7, 3.0]), st.booleans(),
)  # fmt: skip
def test_the_optimum_is_the_referees(method, seed, d, C, loss, bias, apart, weighted):
    X, sign = clouds(seed, 30, d, apart)
    weight = np.random.default_rng(seed).integers(0, 3, 30).astype(float) if weighted else np.ones(30)
    weight[:2] = 1.0
    rule = MaximumMargin(C=C, loss=loss, bias=bias, method=method, tol=1e-7, max_iter=20_000)
    rule.fit(X, sign, sample_weight=weight)
    claim = rule.certificate_
    true = referee(X, sign, C * weight, loss, bias)
    assert claim.check(X, sign, weight), str(claim.check(X, sign, weight))
    assert claim.lower <= true * (1 + 1e-7) + 1e-9
    assert claim.upper >= true * (1 - 1e-7) - 1e-9
    assert cost(rule, X, sign, C * weight) == pytest.approx(claim.upper, rel=1e-9)
    if method != "ascent":  # ascent alone may take longer than the budget for the last digits
        assert claim.status == "optimal"


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", ["spambase", "a9a"])
def test_the_optimum_is_liblinears(shared, name, loss):
    X, y = shared(name)
    X = X[:3000] if sp.issparse(X) else StandardScaler().fit_transform(X)
    y = y[: X.shape[0]]
    if sp.issparse(X):
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    rule = MaximumMargin(C=0.1, loss=loss, bias="augmented", tol=1e-9).fit(X, y)
    peer = LinearSVC(C=0.1, loss=loss, tol=1e-9, max_iter=200_000, random_state=0, dual=loss == "hinge").fit(X, y)
    claim = rule.certificate_
    sign = np.where(y == rule.classes_[1], 1, -1)
    hinge = np.maximum(1.0 - sign * peer.decision_function(X), 0.0)
    theirs = 0.5 * (peer.coef_**2).sum() + 0.5 * peer.intercept_[0] ** 2
    theirs += 0.1 * (hinge**2 if loss == "squared_hinge" else hinge).sum()
    assert claim.lower <= theirs * (1 + 1e-12)
    assert theirs == pytest.approx(claim.upper, rel=1e-6)
    assert claim.relative_gap <= 1e-9
    assert claim.check(X, y)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_free_bias_of_small_rows_is_certified(loss):
    """Rows times 2^e with C / 4^e are the same problem, of which all costs are divided by 4^e; so is its proof."""
    exponent = -40
    X, sign = clouds(5, 300, 8)
    rule = MaximumMargin(C=1.0, loss=loss, tol=1e-6).fit(X, sign)
    scaled = MaximumMargin(C=4.0**-exponent, loss=loss, tol=1e-6).fit(np.ldexp(X, exponent), sign)
    assert rule.certificate_.status == scaled.certificate_.status == "optimal"
    assert scaled.certificate_.lower * 4.0**exponent == pytest.approx(rule.certificate_.lower, rel=2e-6)
    assert scaled.check(np.ldexp(X, exponent), sign)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_dense_and_the_types_agree(loss, bias):
    X, sign = clouds(1, 200, 6)
    X = np.round(4 * np.abs(X)).astype(np.uint8)
    rules = [
        MaximumMargin(C=0.5, loss=loss, bias=bias, tol=1e-10).fit(data, sign)
        for data in (X, X.astype(np.float32), X.astype(float), sp.csr_array(X.astype(float)))
    ]
    for rule in rules[1:]:
        np.testing.assert_allclose(rule.coef_, rules[0].coef_, atol=1e-5)
        assert rule.certificate_.upper == pytest.approx(rules[0].certificate_.upper, rel=1e-9)


def test_more_columns_than_newton_keeps_a_matrix_for(monkeypatch):
    X, sign = clouds(2, 80, 12)
    narrow = [MaximumMargin(C=1.0, loss=loss, method="newton", tol=1e-9).fit(X, sign) for loss in LOSSES]
    monkeypatch.setattr("linsep.solvers.newton.FEW", 5)
    for rule, loss in zip(narrow, LOSSES, strict=True):
        wide = MaximumMargin(C=1.0, loss=loss, method="newton", tol=1e-9).fit(X, sign)
        assert wide.certificate_.status == "optimal"
        np.testing.assert_allclose(wide.coef_, rule.coef_, atol=1e-4)


@pytest.mark.parametrize("visits", ["random", "cyclic"])
def test_ascent_never_gives_a_row_more_than_C(visits):
    X, sign = clouds(3, 300, 4, 0.2)
    rule = MaximumMargin(C=0.3, method="ascent", visits=visits, tol=1e-5, max_iter=3000).fit(X, sign)
    assert rule.certificate_.status == "optimal"
    assert (np.abs(rule.dual_coef_) <= 0.3).all()
    lowers = [record["lower"] for record in rule.history_]
    assert lowers == sorted(lowers)  # the best so far
    again = MaximumMargin(C=0.3, method="ascent", visits=visits, tol=1e-5, max_iter=3000).fit(X, sign)
    np.testing.assert_array_equal(rule.coef_, again.coef_)


def test_a_weight_is_a_repetition_and_zero_an_absence():
    X, sign = clouds(4)
    weight = np.random.default_rng(0).integers(0, 4, 60).astype(float)
    weight[:2] = 1.0
    heavy = MaximumMargin(C=0.7, tol=1e-10).fit(X, sign, sample_weight=weight)
    times = weight.astype(int)
    often = MaximumMargin(C=0.7, tol=1e-10).fit(np.repeat(X, times, axis=0), np.repeat(sign, times))
    assert heavy.certificate_.upper == pytest.approx(often.certificate_.upper, rel=1e-9)
    np.testing.assert_allclose(heavy.coef_, often.coef_, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_path_is_the_single_fits_and_begins_where_the_last_one_ended(method):
    X, sign = clouds(5, 400, 5, 0.3)
    rule, Cs = MaximumMargin(method=method, tol=1e-6, max_iter=50_000), [0.01, 0.03, 0.1, 0.3]
    path = rule.path(X, sign, Cs)
    for C, warm in zip(Cs, path, strict=True):
        cold = MaximumMargin(C=C, method=method, tol=1e-6, max_iter=50_000).fit(X, sign)
        assert warm.certificate_.status == "optimal"
        assert warm.certificate_.upper == pytest.approx(cold.certificate_.upper, rel=3e-6)
    first = rule.set_params(C=0.1, warm_start=True).fit(X, sign).n_iter_
    assert rule.fit(X, sign).n_iter_ < first
    with pytest.raises(ValueError, match="warm_start: expected 400 rows as in the last fit, got 30"):
        rule.fit(X[:30], sign[:30])


def test_a_large_C_comes_to_the_hard_margin():
    X, sign = clouds(6, 60, 3, 3.0)
    hard, soft = MaximumMargin().fit(X, sign), MaximumMargin(C=1e6, tol=1e-9).fit(X, sign)
    assert hard.certificate_.status == "optimal"
    assert soft.margin_ == pytest.approx(hard.margin_, rel=1e-6)


def test_a_tampered_certificate_is_caught():
    X, sign = clouds(7)
    for loss in LOSSES:
        claim = MaximumMargin(C=0.5, loss=loss).fit(X, sign).certificate_
        assert claim.check(X, sign)
        assert ObjectiveCertificate.from_dict(json.loads(json.dumps(claim.to_dict()))).check(X, sign)
        raised = claim.weights.copy()
        raised[0] += 1.0
        for lie in (
            {"upper": claim.upper * 0.999}, {"lower": claim.lower * 1.001}, {"violated": claim.violated + 1},
            {"size": 59}, {"status": "budget spent"}, {"w": claim.w * 1.01}, {"weights": raised},
            {"weights": -claim.weights}, {"rows": claim.rows[::-1] * 0}, {"C": 0.4}, {"loss": "none"},
            {"bias": "augmented"}, {"w": claim.w[:-1]}, {"w": claim.w * math.nan}, {"classes": (1, 2)},
        ):  # fmt: skip
            assert not replace(claim, **lie).check(X, sign), lie


def test_a_spent_budget_says_so_with_valid_bounds():
    X, sign = clouds(8, 500, 10, 0.1)
    with pytest.warns(match="MaximumMargin: the budget is spent"):
        rule = MaximumMargin(C=10.0, method="ascent", max_iter=2).fit(X, sign)
    assert rule.certificate_.status == "budget spent"
    assert rule.certificate_.check(X, sign)


@pytest.mark.parametrize(
    ("name", "value"),
    [("C", 0.0), ("C", -1.0), ("C", math.nan), ("tol", 0.0), ("loss", "square"), ("method", "cd"), ("visits", "best")],
)
def test_bad_parameters_are_named(name, value):
    X, sign = clouds(9)
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        MaximumMargin(**{"C": 1.0, name: value}).fit(X, sign)


def problem_of(X, sign, C, squared, alpha):
    """A problem with augmented bias, and its coordinates."""
    problem = SoftMarginProblem([points(X, sign)], np.full(len(sign), C), squared=squared, bias="augmented")
    curvature = ((X.toarray() if sp.issparse(X) else X) ** 2).sum(axis=1) + 1.0 + problem.diagonal
    return problem, Coordinates(alpha, problem.limit, problem.diagonal, problem.C.copy(), curvature)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("x", [-1.0, 0.25, 3.0])
def test_a_visit_tells_what_the_row_adds_to_the_gap(x, alpha, squared):
    given = np.array([alpha])
    problem, coordinates = problem_of(np.array([[x]]), np.array([1], dtype=np.int8), 0.5, squared, given)
    w = problem.combine(given)
    gap = problem.primal(w, problem.scores(w)) - problem.dual(given, w)
    one = np.zeros(1, dtype=np.int64)
    missing = visit_rows(problem.part, w, coordinates, 0.0, one, one.copy(), np.inf)[1]
    assert missing == pytest.approx(gap, abs=1e-15)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_ascent_compiled_and_interpreted_do_the_same(kind, squared):
    X, sign = clouds(10, 60, 3, 0.5)
    runs = []
    for run in (visit_rows, visit_rows.py_func):
        w, alpha, active = np.zeros(4), np.zeros(60), np.arange(60)
        problem, coordinates = problem_of(kind(np.round(X, 1)), sign, 0.3, squared, alpha)
        found = [run(problem.part, w, coordinates, 0.1, active, np.arange(15)[::-1].copy(), np.inf)]
        found.append(run(problem.part, w, coordinates, 0.1, active, np.arange(15), 0.01))
        runs.append((found, w, alpha, active))
    assert runs[0][0][1][0] == runs[1][0][1][0] < 60  # some rows fell out
    for one, other in zip(*runs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("squared", [False, True])
def test_conjugate_gradients_raise_D_within_the_limits(squared, bias):
    """Of a free bias with the same sums in both classes as before, and with the bias that makes all slopes vanish."""
    X, sign = clouds(11, 80, 30, 0.3)
    alpha = np.random.default_rng(0).uniform(0.0, 0.5, 80) * (np.arange(80) % 3 > 0)
    problem = SoftMarginProblem([points(X, sign)], np.full(80, 0.5), squared=squared, bias=bias)
    alpha = problem.balance(alpha) if bias == "free" else alpha
    ascent = Ascent(Bounds(problem), alpha)
    alpha, limit, diagonal = ascent.coordinates.alpha, problem.limit, problem.diagonal
    free = np.flatnonzero((alpha > 0) & (alpha < limit))
    before, kept = problem.dual(alpha, problem.combine(alpha)), np.delete(alpha, free)
    ascent.move_together()
    assert problem.dual(alpha, problem.combine(alpha)) > before
    assert ((alpha >= 0) & (alpha <= limit)).all()
    np.testing.assert_array_equal(np.delete(alpha, free), kept)
    np.testing.assert_allclose(ascent.w[:-1], problem.combine(alpha)[:-1], atol=1e-10)
    if bias == "free":
        assert abs(alpha @ sign) < 1e-12
    for _ in range(10):  # until no further row comes to a limit
        ascent.move_together()
    inside = free[(alpha[free] > 0) & (alpha[free] < limit[free])]
    w = np.append(ascent.w[:-1], ascent.bias) if bias == "free" else ascent.w
    gradient = problem.scores(w) - 1.0 + diagonal * alpha
    assert inside.size > 10
    assert np.abs(gradient[inside]).max() < 1e-6


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 1e3, math.inf]))
def test_a_step_ends_where_the_smoothed_objective_is_lowest(seed, limit):
    rng = np.random.default_rng(seed)
    pull, moved, steep = rng.normal(0.3, 1.0, 40), rng.standard_normal(40), rng.uniform(0.1, 5.0, 40)
    limits, norm = np.full(40, limit), rng.uniform(0.01, 10.0)

    def derivative(t, slope):
        return slope + t * norm - np.clip(pull - t * steep * moved, 0.0, limits) @ moved

    slope = -derivative(0.0, 0.0) - rng.uniform(0.1, 10.0)  # downhill
    t = search_line(pull, steep * moved, limits, moved, slope, norm)
    assert t > 0
    assert abs(derivative(t, slope)) <= 0.011 * abs(derivative(0.0, slope))
    assert search_line.py_func(pull, steep * moved, limits, moved, slope, norm) == pytest.approx(t, rel=1e-6)


def test_the_curvature_of_sparse_rows_is_the_products():
    rng = np.random.default_rng(12)
    X = rng.standard_normal((50, 20)) * (rng.random((50, 20)) < 0.2)
    part = points(sp.csr_array(X), np.where(np.arange(50) % 2, 1, -1))._replace(bias=0.5)
    beta, rows, A = rng.random(50), np.arange(3, 47), np.column_stack([X, np.full(50, 0.5)])
    for run in (add_outer_products, add_outer_products.py_func):
        H = np.zeros((21, 21))
        run(part, beta, rows, H)
        np.testing.assert_allclose(H, np.triu(A[rows].T @ (beta[rows, None] * A[rows])), atol=1e-13)


def test_where_rounding_hides_the_rest_learning_ends_at_once_and_says_so():
    """Columns far from zero: a gap of 1e-14 is out of reach of floating point, and no pass can change that."""
    X = np.random.default_rng(0).normal(loc=1000.0, size=(100, 2))
    y = X[:, 0] + X[:, 1] + np.random.default_rng(1).normal(size=100) > 2000.0
    rule = MaximumMargin(C=1.0, tol=1e-14)
    with pytest.warns(ConvergenceWarning, match="rounding hides what could still be gained. Scale or centre"):
        rule.fit(X, y)
    assert rule.certificate_.status == "budget spent" and rule.n_iter_ < 1000
    assert rule.certificate_.upper - rule.certificate_.lower < 1e-6 * rule.certificate_.upper
    assert rule.certificate_.check(X, y)
