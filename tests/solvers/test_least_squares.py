"""Least squares: four methods, any rank, any margins; Ho-Kashyap decides separability."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from stages import examples

from linsep import LeastSquares
from linsep.oracles import points
from linsep.rows.matrix import BLOCK, VectorMatrix
from linsep.solvers import least_squares
from linsep.solvers.least_squares import Triangle


def problem(n=60, d=4, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X @ np.arange(1.0, d + 1) + noise * rng.standard_normal(n) > 0.2).astype(int)
    return X, y


def mirrored(X, y):
    return np.where(y == np.unique(y)[1], 1.0, -1.0)[:, None] * np.column_stack([X, np.ones(len(X))])


def weights(rule):
    return np.append(rule.coef_[0], rule.intercept_[0])


def test_by_hand_two_points_on_a_line():
    # <w,a> = 1 for a = -(0, 1) and a = (2, 1): w0 = -1, 2w + w0 = 1
    rule = LeastSquares("pinv").fit([[0.0], [2.0]], [0, 1])
    np.testing.assert_allclose(weights(rule), [1.0, -1.0], atol=1e-14)


@pytest.mark.parametrize("margins", [1.0, "vector", "fisher"])
@pytest.mark.parametrize("shape", [(60, 4), (5, 12), (2 * BLOCK + 17, 3)])
@pytest.mark.parametrize("sparse", [False, True])
def test_pinv_is_the_pseudo_inverse_for_any_margins_and_shape(margins, shape, sparse):
    X, y = problem(*shape)
    b = {"vector": np.linspace(0.5, 2.0, len(y)), "fisher": len(y) / np.bincount(y)[y]}.get(margins, np.ones(len(y)))
    rule = LeastSquares("pinv", margins=b if margins == "vector" else margins).fit(sp.csr_array(X) if sparse else X, y)
    np.testing.assert_allclose(weights(rule), np.linalg.pinv(mirrored(X, y)) @ b, rtol=1e-9, atol=1e-10)


def test_pinv_of_rank_deficient_data_is_the_shortest_solution():
    X, y = problem()
    X = np.column_stack([X, X[:, 0], 2 * X[:, 1] - X[:, 2], np.full(len(X), 3.0)])
    rule = LeastSquares("pinv").fit(X, y)
    np.testing.assert_allclose(weights(rule), np.linalg.pinv(mirrored(X, y)) @ np.ones(len(y)), rtol=1e-8, atol=1e-10)


def test_wide_sparse_data_are_solved_without_a_triangle(monkeypatch):
    X, y = problem(40, 30)
    dense = LeastSquares("pinv").fit(X, y)
    monkeypatch.setattr(least_squares, "WIDE", 10)
    rule = LeastSquares("pinv").fit(sp.csr_array(X), y)
    np.testing.assert_allclose(weights(rule), weights(dense), rtol=1e-6, atol=1e-8)
    with pytest.raises(ValueError, match="without equations to add to"):
        rule.partial_fit(sp.csr_array(X), y)


def test_fisher_margins_give_fishers_discriminant():
    X, y = problem(300)
    rule, lda = LeastSquares("pinv", margins="fisher").fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    cosine = rule.coef_[0] @ lda.coef_[0] / np.linalg.norm(rule.coef_) / np.linalg.norm(lda.coef_)
    assert cosine == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("method", ["gradient", "lms"])
def test_iterative_methods_approach_the_pseudo_inverse(method):
    X, y = problem()
    exact = LeastSquares("pinv").fit(X, y)
    rule = LeastSquares(method=method, step_tol=1e-10, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(weights(rule), weights(exact), rtol=1e-2 if method == "lms" else 1e-5, atol=1e-2)
    values = [record["value"] for record in rule.history_]
    assert values[-1] < values[0]


def test_lms_is_widrow_hoff_row_by_row():
    X, y = problem(20)
    rule = LeastSquares(method="lms", rate=0.01, max_iter=3, step_tol=0.0).fit(X, y)
    w = np.zeros(5)
    for _ in range(3):
        for a in mirrored(X, y):
            w += 0.01 * (1.0 - w @ a) * a
    np.testing.assert_allclose(weights(rule), w, rtol=1e-12)


@pytest.mark.parametrize("method", ["gradient", "lms"])
def test_a_rate_that_is_too_large_is_named(method):
    X, y = problem()
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="rate"):
        LeastSquares(method=method, rate=1e6, max_iter=500).fit(X, y)


def test_triangles_of_parts_merge_and_partial_fit_equals_fit():
    X, y = problem(100)
    sign, b = np.where(y == 1, 1, -1), np.ones(100)
    A = VectorMatrix(points(X, sign))
    parts = [Triangle.of(VectorMatrix(points(X[i::3], sign[i::3])), b[i::3]) for i in range(3)]
    np.testing.assert_allclose(parts[0].merge(parts[1]).merge(parts[2]).solve(), Triangle.of(A, b).solve(), rtol=1e-10)
    rule = LeastSquares("pinv")
    for at in range(0, 100, 25):
        rule.partial_fit(X[at : at + 25], y[at : at + 25], classes=[0, 1])
    np.testing.assert_allclose(weights(rule), weights(LeastSquares("pinv").fit(X, y)), rtol=1e-10)


def test_ho_kashyap_separates_separable_data_where_the_pseudo_inverse_need_not():
    X = np.array([[0.0], [1.0], [2.0], [12.0]])
    y = np.array([0, 0, 1, 1])
    assert LeastSquares("pinv").fit(X, y).certificate_.status == "not separated"
    rule = LeastSquares(method="ho-kashyap").fit(X, y)
    assert rule.certificate_.status == "separated"
    assert (rule.margins_ >= 1.0).all()


def test_ho_kashyap_proves_that_xor_is_not_separable():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    certificate = LeastSquares(method="ho-kashyap").fit(X, y).certificate_
    assert certificate.status == "not separable"
    assert certificate.check(X, y)


@examples(40)
@given(st.integers(0, 10_000), st.floats(0.0, 2.0))
def test_ho_kashyap_never_contradicts_the_truth(seed, noise):
    X, y = problem(15, 2, seed, noise)
    if len(np.unique(y)) < 2:
        return
    rule = LeastSquares(method="ho-kashyap", max_iter=200).fit(X, y)
    certificate = rule.certificate_
    assert certificate.check(X, y)
    from scipy.optimize import linprog

    A = mirrored(X, y)
    separable = linprog(np.zeros(3), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None)).status == 0
    assert not (certificate.status == "separated" and not separable)
    assert not (certificate.status == "not separable" and separable)


@pytest.mark.parametrize("method", ["pinv", "gradient", "ho-kashyap"])
def test_integer_weights_are_repetitions(method):
    X, y = problem(30)
    weight = np.arange(30) % 4
    options = {"method": method, "step_tol": 1e-9, "max_iter": 5000}
    weighted = LeastSquares(**options).fit(X, y, sample_weight=weight)
    repeated = LeastSquares(**options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weights(weighted), weights(repeated), rtol=1e-4, atol=1e-6)


def test_certificates_of_all_methods_check():
    X, y = problem()
    for method in ("pinv", "gradient", "lms", "ho-kashyap"):
        for intercept in (True, False):
            rule = LeastSquares(method=method, fit_intercept=intercept, max_iter=50).fit(X, y)
            verdict = rule.certificate_.check(X, y)
            assert verdict, f"{method}: {verdict}"


def mean_of_visits(X, targets, weight, passes, rate=None):
    """Averaged LMS written out, a column of w for each column of the targets."""
    rows = np.column_stack([X, np.ones(len(X))])
    rate = 0.5 / (weight * (rows**2).sum(axis=1)).max() if rate is None else rate
    w, visited = np.zeros((rows.shape[1], targets.shape[1])), []
    for i in [*range(len(X))] * passes:
        if weight[i] > 0:
            w = w + rate * weight[i] * np.outer(rows[i], targets[i] - rows[i] @ w)
            visited.append(w)
    return np.mean(visited, axis=0)


@pytest.mark.parametrize("form", [np.array, sp.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("options", [{}, {"max_iter": 2, "rate": 0.01}])
def test_averaged_lms_is_the_mean_of_all_visits(form, classes, options):
    X, weight = problem(40)[0].astype(np.float32).astype(float), np.arange(40) % 4
    y = np.arange(40) % classes
    rule = LeastSquares("lms", keep="average", **options).fit(form(X), y, sample_weight=weight)
    targets = np.where(y == 1, 1.0, -1.0)[:, None] if classes == 2 else (y[:, None] == np.arange(classes)).astype(float)
    expected = mean_of_visits(X, targets, weight, options.get("max_iter", 5), options.get("rate"))
    np.testing.assert_allclose(np.column_stack([rule.coef_, rule.intercept_]), expected.T, rtol=1e-10, atol=1e-12)
    assert rule.n_iter_ == options.get("max_iter", 5)
    assert rule.certificate_.check(form(X), y, sample_weight=weight)


def test_averaged_lms_comes_to_the_pseudo_inverse():
    X, y = problem(200)
    rule = LeastSquares("lms", keep="average", max_iter=2000).fit(X, y)
    np.testing.assert_allclose(weights(rule), weights(LeastSquares("pinv").fit(X, y)), atol=0.02)


def test_an_average_is_of_lms_only_and_ends_with_its_call():
    X, y = problem()
    with pytest.raises(ValueError, match="keep='average': expected method='lms', got 'ridge'"):
        LeastSquares(keep="average").fit(X, y)
    with pytest.raises(ValueError, match=r"rate=1000000.0: w is infinite"):
        LeastSquares("lms", keep="average", rate=1e6, max_iter=500).fit(X, y)
    assert not hasattr(LeastSquares("lms", keep="average"), "partial_fit")


def test_uint8_and_bool_are_read_in_place():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 255, (50, 3), dtype=np.uint8), np.arange(50) % 2
    np.testing.assert_allclose(
        weights(LeastSquares("pinv").fit(X, y)), weights(LeastSquares("pinv").fit(X.astype(float), y))
    )


@pytest.mark.parametrize("method", ["pinv", "gradient", "lms", "ho-kashyap"])
@pytest.mark.parametrize("margins", [0.0, -1.0, [1.0, 2.0, 0.0]], ids=str)
def test_margins_that_are_not_positive_are_refused(method, margins):
    with pytest.raises(ValueError, match=r"margins: expected numbers > 0, got (0|-1)\."):
        LeastSquares(method, margins).fit([[0.0], [1.0], [3.0]], [0, 0, 1])


def test_a_rate_that_is_a_function_is_called_once_per_pass():
    calls = []

    def rate(k):
        calls.append(k)
        return 0.01 / k

    rule = LeastSquares("lms", rate=rate, max_iter=50, step_tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule.fit([[0.0], [1.0], [3.0]], [0, 0, 1])
        assert calls == list(range(1, 51))
        rule.partial_fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    assert calls == list(range(1, 52))
