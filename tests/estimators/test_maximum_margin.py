"""The optimal hyperplane: the nearest point of the hulls, exactly, or a proof that they meet."""

from dataclasses import replace

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from stages import examples

from linsep import MaximumMargin
from linsep.solvers.active_set import active_set
from linsep.solvers.nearest_point import nearest_point

BIASES = ["free", "augmented"]


def clouds(seed, n=60, d=3, apart=1.5):
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(n) % 2, 1, -1)
    return rng.standard_normal((n, d)) + apart * sign[:, None], sign


def test_by_hand_two_points_and_a_far_one():
    rule = MaximumMargin().fit([[0.0, 0.0], [4.0, 0.0], [9.0, 9.0]], [0, 1, 1])
    np.testing.assert_allclose(rule.coef_ / np.linalg.norm(rule.coef_), [[1.0, 0.0]], atol=1e-12)
    assert rule.margin_ == pytest.approx(2.0, abs=1e-12)
    assert rule.support_.tolist() == [0, 1]
    assert rule.distance([[2.0, 5.0]]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", ["tulip", "iris_setosa", "vltava_q", "seed001"])
def test_known_optima_are_reached_to_1e_9(shared, optimum, name, bias):
    X, y = shared(name)
    true = optimum[name][{"free": "margin_free_bias", "augmented": "margin_augmented"}[bias]]
    claim = MaximumMargin(bias=bias).fit(X, y).certificate_
    assert claim.status == "optimal"
    assert claim.lower <= true * (1 + 1e-12)
    assert claim.upper >= true * (1 - 1e-12)
    assert claim.upper - claim.lower <= 1e-9 * true
    assert claim.check(X, y)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", ["vltava", "riply_trn"])
def test_what_is_not_separable_is_proved_with_few_points(shared, name, bias):
    X, y = shared(name)
    claim = MaximumMargin(bias=bias).fit(X, y).certificate_
    assert claim.status == "not separable"
    assert claim.rows.size <= X.shape[1] + 2
    assert claim.check(X, y)


@pytest.mark.parametrize("bias", BIASES)
def test_sparse_and_dense_agree(bias):
    X, sign = clouds(0)
    X[np.abs(X) < 0.5] = 0.0
    dense, sparse = MaximumMargin(bias=bias).fit(X, sign), MaximumMargin(bias=bias).fit(sp.csr_array(X), sign)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9)
    assert dense.certificate_.status == "optimal"


@examples(60)
@given(st.integers(0, 10**6), st.integers(1, 6), st.floats(0.0, 3.0), st.sampled_from([1e-4, 1.0, 1e4]), st.booleans())
def test_the_margin_is_the_referees(seed, d, apart, scale, doubled):
    X, sign = clouds(seed, 24, d, apart)
    X, sign = (np.vstack([X, X[::3]]), np.append(sign, sign[::3])) if doubled else (X, sign)
    for bias in BIASES:
        rule = MaximumMargin(bias=bias).fit(scale * X, sign)
        claim = rule.certificate_
        assert claim.check(scale * X, sign)
        separable = reference.separable(reference.mirrored(X, sign))
        assert not (claim.separates and not separable)
        assert not (claim.status == "not separable" and separable)
        if claim.separates:
            true = reference.largest_margin(scale * X, sign, bias)
            assert claim.lower <= true * (1 + 1e-6)
            assert claim.upper >= true * (1 - 1e-6)
            assert claim.status == "optimal" or claim.rounding > 1e-10 * true  # what rounding leaves of 1e-9


def test_degenerate_input_is_normal_input():
    one = MaximumMargin().fit([[1.0, 2.0], [1.0, 2.0], [5.0, 2.0]], [0, 0, 1])
    assert one.margin_ == pytest.approx(2.0)
    line = np.outer(np.arange(10.0), [1.0, 2.0, 3.0])  # collinear
    assert MaximumMargin().fit(line, np.arange(10) > 4).certificate_.status == "optimal"
    wide = np.random.default_rng(0).standard_normal((6, 40))  # fewer rows than columns
    assert MaximumMargin().fit(wide, [0, 1, 0, 1, 0, 1]).certificate_.status == "optimal"
    both = MaximumMargin().fit([[1.0, 1.0], [1.0, 1.0], [3.0, 0.0]], [0, 1, 1]).certificate_
    assert both.status == "not separable"
    assert both.check([[1.0, 1.0], [1.0, 1.0], [3.0, 0.0]], [0, 1, 1])


def test_rows_of_weight_zero_are_absent():
    X, sign = clouds(3)
    weight = (np.arange(60) % 5 > 0).astype(float)
    kept = MaximumMargin().fit(X[weight > 0], sign[weight > 0])
    np.testing.assert_allclose(MaximumMargin().fit(X, sign, sample_weight=weight).coef_, kept.coef_, rtol=1e-9)


def test_a_spent_budget_leaves_valid_bounds():
    X, sign = clouds(4, n=3000, d=8, apart=1.2)
    X, sign = X[np.abs(X.sum(axis=1)) > 0.05], sign[np.abs(X.sum(axis=1)) > 0.05]
    claim = MaximumMargin(max_iter=1).fit(X, sign).certificate_
    assert claim.check(X, sign)


def test_the_weights_are_those_of_w():
    X, sign = clouds(5)
    rule = MaximumMargin().fit(X, sign)
    np.testing.assert_allclose(rule.dual_coef_ @ rule.support_vectors_, rule.coef_, rtol=1e-9)


def test_active_set_against_nonnegative_least_squares():
    rng = np.random.default_rng(6)
    for _ in range(50):
        B = rng.integers(-3, 6, (12, 3)).astype(float) + 2.0
        found = active_set(B, np.zeros(12, int), np.ones(1), np.eye(12)[0])
        assert found.sum() == pytest.approx(1.0)
        assert (found >= 0).all()
        point = B.T @ found
        assert (B @ point).min() >= point @ point - 1e-9


@pytest.mark.parametrize("bias", BIASES)
def test_many_columns_by_ascent_are_the_same_margin(bias, monkeypatch):
    X, sign = np.random.default_rng(7).standard_normal((40, 300)), np.where(np.arange(40) % 2, 1, -1)
    narrow = MaximumMargin(bias=bias).fit(X, sign)
    monkeypatch.setattr("linsep.estimators._hard_margin.WIDE", 100)
    for data in (X, sp.csr_array(X)):
        wide = MaximumMargin(bias=bias).fit(data, sign)
        assert wide.certificate_.status == "optimal"
        assert wide.n_iter_ != narrow.n_iter_
        assert wide.margin_ == pytest.approx(narrow.margin_, rel=2e-9)
        assert wide.certificate_.check(data, sign)
    weight = (np.arange(40) > 3).astype(float)
    kept = MaximumMargin(bias=bias).fit(X[4:], sign[4:])
    assert MaximumMargin(bias=bias).fit(X, sign, weight).margin_ == pytest.approx(kept.margin_, rel=2e-9)


def test_where_no_w_separates_the_rule_is_a_good_one_all_the_same(shared, monkeypatch):
    X, y = shared("riply_trn")
    for _ in range(2):
        rule = MaximumMargin().fit(X, y)
        assert rule.certificate_.status == "not separable"
        assert rule.score(X, y) > 0.84
        monkeypatch.setattr("linsep.estimators._hard_margin.WIDE", 1)
        monkeypatch.setattr("linsep.estimators._hard_margin.nearest_point_by_ascent", nearest_point)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("bias", BIASES)
def test_where_no_column_tells_the_classes_apart_w_is_0_and_not_rounding_error(bias, offset):
    """Least squares of labels 0, 1, 0 at 0, 1, 2: the slope is 0 and the bias the mean of -1, 1, -1."""
    X, y = np.array([[0.0], [1.0], [2.0]]) + offset, [0, 1, 0]
    rule = MaximumMargin(bias=bias).fit(X, y)
    assert rule.coef_.tolist() == [[0.0]] and rule.intercept_[0] == pytest.approx(-1 / 3, abs=1e-12)
    assert rule.certificate_.status == "not separable" and rule.check(X, y)
    assert "0 but for its bias: it decides for one class" in str(rule.certificate_)
    assert rule.predict(X).tolist() == [0, 0, 0] and -rule.margin_ >= 1.0
    weighted = MaximumMargin(bias=bias).fit(X, y, sample_weight=[1.0, 4.0, 1.0])
    assert weighted.predict(X).tolist() == [1, 1, 1]


def test_the_shortest_w_with_scores_of_b_by_hand():
    """S3's example 2: 4 w1 + w0 >= 3 and -w0 >= 3 at the points (4, 0) and (0, 0), so w = (1.5, 0) and w0 = -3."""
    X, y = [[0.0, 0.0], [4.0, 0.0], [9.0, 9.0]], [0, 1, 1]
    for bias in BIASES:
        rule = MaximumMargin(least_score=3.0, bias=bias).fit(X, y)
        np.testing.assert_allclose([*rule.coef_[0], *rule.intercept_], [1.5, 0.0, -3.0], atol=1e-9)
        np.testing.assert_allclose(rule.dual_coef_ @ rule.support_vectors_, rule.coef_, atol=1e-9)
        claim = rule.certificate_
        assert claim.status == "optimal" and rule.check(X, y) and claim.least_score == 3.0
        norm = np.linalg.norm(claim.w[:-1] if bias == "free" else claim.w)
        assert 3.0 / claim.upper <= norm * (1 + 1e-12) and norm <= 3.0 / claim.upper * (1 + 2e-9)
        most, least = {"free": ("1.5", "1.5"), "augmented": ("3.35411", "3.3541")}[bias]  # sqrt(1.5² + 3²), outwards
        assert f"shortest w with <w,a> >= 3: |w| = {most}, none is shorter than {least};" in str(claim)
        for forged in (
            {"least_score": 3.0 + 1e-6},
            {"least_score": -1.0},
            {"least_score": np.nan},
            {"w": 0.999 * claim.w},
        ):
            assert "least_score" in str(replace(claim, **forged).check(X, y)), forged
        assert not MaximumMargin(bias=bias).fit(X, y).certificate_.least_score
    with pytest.raises(ValueError, match="least_score: expected None with a soft margin"):
        MaximumMargin(C=1.0, least_score=1.0).fit(X, y)


@examples(15)
@given(st.integers(0, 10**6), st.floats(1e-3, 1e3), st.integers(2, 4))
def test_no_score_is_below_b_and_w_is_the_referees(seed, b, k):
    rng = np.random.default_rng(seed)
    y = np.arange(12) % k
    X = rng.standard_normal((12, 3)) + 20.0 * rng.standard_normal((k, 3))[y]
    rule = MaximumMargin(least_score=b, bias="augmented").fit(X, y)
    if not rule.certificate_.separates:
        return
    W, Z = np.atleast_2d(rule.certificate_.w), np.column_stack([X, np.ones(12)])
    g = Z @ W.T
    rivals = np.where(np.arange(k) == y[:, None], -np.inf, g) if k > 2 else None
    scores = g[np.arange(12), y] - rivals.max(axis=1) if k > 2 else np.where(y == 1, 1, -1) * g[:, 0]
    assert scores.min() == pytest.approx(b, rel=1e-9)
    assert replace(rule.certificate_, least_score=b * (1 - 1e-9)).check(X, y)  # a weaker claim is true as well
    assert "least_score" in str(replace(rule.certificate_, least_score=b * (1 + 1e-6)).check(X, y))
    plain = MaximumMargin(bias="augmented").fit(X, y).certificate_
    assert np.linalg.norm(W) == pytest.approx(b / plain.upper, rel=1e-6)
    assert rule.check(X, y)


@pytest.mark.parametrize("power", [-300, 300])
@pytest.mark.parametrize("bias", BIASES)
def test_the_shortest_w_of_rows_far_from_1(power, bias):
    X, y = np.ldexp([[0.0, 0.0], [4.0, 0.0], [9.0, 9.0]], power), [0, 1, 1]
    rule = MaximumMargin(least_score=3.0, bias=bias).fit(X, y)
    if rule.certificate_.separates:  # beside a bias of 1, tiny rows may be lost
        assert rule.certificate_.least_score == 3.0 and rule.check(X, y)
        assert "least_score" in str(replace(rule.certificate_, least_score=3.001).check(X, y))


@pytest.mark.parametrize("classes", [2, 3])
def test_data_that_are_not_separable_get_one_warning_that_names_the_soft_margin(classes):
    X, y = np.zeros((6, 1)), np.arange(6) % classes
    with pytest.warns(ConvergenceWarning, match="not separable.*MaximumMarginCV") as said:
        rule = MaximumMargin().fit(X, y)
    assert len(said) == 1 and rule.certificate_.status == "not separable"
