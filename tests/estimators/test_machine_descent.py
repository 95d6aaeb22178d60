"""Linear machines by gradient descent on any criterion and by Ho-Kashyap (D1), against Kesler's vectors written out."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from machine_cases import clouds
from scipy.optimize import linprog, minimize
from stages import examples

from linsep import GradientDescent, LeastSquares
from linsep.oracles import classes
from linsep.rows.rivals import RivalMatrix


def kesler(X, label, count, constant=1.0):
    """All vectors, row by row and rival by rival, one class after the other."""
    out = []
    for x, y in zip(np.column_stack([X, np.full(len(X), constant)]), label, strict=True):
        for k in range(count):
            if k != y:
                a = np.zeros((count, x.size))
                a[y], a[k] = x, -x
                out.append(a.ravel())
    return np.array(out)


def stacked(rule):
    return np.column_stack([rule.coef_, rule.intercept_])


@pytest.mark.parametrize("form", [np.array, sp.csr_array, lambda X: X.astype(np.float32)], ids=["dense", "csr", "32"])
@pytest.mark.parametrize("constant", [1.0, 0.0])
def test_the_matrix_has_keslers_vectors(form, constant):
    X, label = clouds(3)
    X, count = X.astype(np.float32).astype(float), label.max() + 1
    A, full = RivalMatrix(classes(form(X), label, count, bias=constant)), kesler(X, label, count, constant)
    rng = np.random.default_rng(0)
    w, r = rng.standard_normal(full.shape[1]), rng.standard_normal(full.shape[0])
    assert A.shape == full.shape
    np.testing.assert_allclose(A @ w, full @ w, atol=1e-10)
    np.testing.assert_allclose(A.T @ r, full.T @ r, atol=1e-10)
    np.testing.assert_allclose(A.squares, (full**2).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(A.dense(np.arange(len(full))), full)
    wrong = (full @ w).reshape(len(X), -1).min(axis=1) <= 0
    assert A.errors(w) == wrong.sum()


STEPS = {  # J and the weights r with gradient -A'r, of scores s and squared norms q
    "perceptron": lambda s, q: (s <= 0).astype(float),
    "relaxation": lambda s, q: np.where(s <= 1, (1 - s) / q, 0.0),
    "squares": lambda s, q: 2 * (1 - s),
}


@pytest.mark.parametrize("criterion", STEPS)
@pytest.mark.parametrize("intercept", [True, False])
def test_named_criteria_go_down_keslers_vectors(criterion, intercept):
    X, label = clouds(5, apart=1.0)
    count = label.max() + 1
    A = kesler(X, label, count, float(intercept))
    rule = GradientDescent(criterion, rate=1e-3, max_iter=7, keep="last", fit_intercept=intercept, theta=1e-300)
    rule.fit(X, label)
    w = np.zeros(A.shape[1])
    for _ in range(7):
        w += 1e-3 * A.T @ STEPS[criterion](A @ w, (A**2).sum(axis=1))
    np.testing.assert_allclose(stacked(rule).ravel(), w, rtol=1e-10, atol=1e-13)
    assert (rule.n_iter_ == 7 or criterion == "perceptron") and rule.check(X, label)


def test_a_criterion_of_the_users_own():
    """The logistic one with a short w, whose minimum SciPy finds on the vectors written out."""
    X, label = clouds(8, apart=0.7)
    A = kesler(X, label, 4)

    def J(w, A):
        return float(np.logaddexp(0, -(A @ w)).sum() + 0.5 * w @ w)

    def gradient(w, A):
        return w - A.T @ (1 / (1 + np.exp(A @ w)))

    rule = GradientDescent((J, gradient), max_iter=5000, theta=1e-9).fit(X, label)
    best = minimize(J, np.zeros(A.shape[1]), (A,), jac=gradient, tol=1e-12).x
    np.testing.assert_allclose(stacked(rule).ravel(), best, atol=1e-4)
    assert rule.check(X, label) and rule.score(X, label) > 0.5


def test_what_separates_is_proved_and_parts_go_on():
    X, label = clouds(11, apart=6.0)
    rule = GradientDescent(max_iter=2000).fit(X, label)
    assert rule.certificate_.status == "separated" and rule.check(X, label)
    parts = GradientDescent(rate=0.05)
    for _ in range(60):
        parts.partial_fit(X, label, classes=range(4))
    np.testing.assert_allclose(
        stacked(parts), stacked(GradientDescent(rate=0.05, max_iter=60, theta=1e-300).fit(X, label))
    )
    weight = np.arange(len(X)) % 3
    weighted = GradientDescent(rate=0.05, max_iter=20).fit(X, label, sample_weight=weight)
    repeated = GradientDescent(rate=0.05, max_iter=20).fit(np.repeat(X, weight, axis=0), np.repeat(label, weight))
    np.testing.assert_allclose(stacked(weighted), stacked(repeated), rtol=1e-9)


@examples(25)
@given(seed=st.integers(0, 10_000), apart=st.floats(0.0, 4.0), intercept=st.booleans())
def test_ho_kashyap_never_contradicts_a_linear_program(seed, apart, intercept):
    X, label = clouds(seed, n=18, apart=apart)
    rule = LeastSquares("ho-kashyap", max_iter=300, fit_intercept=intercept).fit(X, label)
    A = kesler(X, label, 4, float(intercept))
    separable = linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None)).status == 0
    status = rule.certificate_.status
    assert rule.check(X, label)
    assert not (status == "separated" and not separable) and not (status == "not separable" and separable)


def test_ho_kashyap_of_classes_separates_and_learns_margins():
    X, label = clouds(2, apart=5.0)
    names = np.array(["ant", "bee", "cat", "dog"])[label]
    rule = LeastSquares("ho-kashyap").fit(sp.csr_array(X), names)
    assert rule.certificate_.status == "separated" and rule.score(X, names) == 1.0
    own = np.arange(len(X)), label
    assert rule.margins_.shape == (len(X), 4) and (rule.margins_[own] == 0).all()
    assert (np.delete(rule.margins_.ravel(), label + 4 * own[0]) >= 1.0).all()


def test_ho_kashyap_proves_that_classes_are_not_separable():
    X, label = np.array([[1.0], [1.0], [1.0]]), np.array([0, 1, 2])  # one point of three classes
    rule = LeastSquares("ho-kashyap").fit(X, label)
    assert rule.certificate_.status == "not separable" and rule.check(X, label)


def test_an_own_gradient_may_multiply_the_transposed_matrix():
    X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    plain, doubled = (
        GradientDescent((lambda w, A: float(np.sum((A @ w - 1) ** 2)), gradient), max_iter=20).fit(X, y).coef_
        for gradient in (lambda w, A: 2 * (A.T @ (A @ w - 1)), lambda w, A: -(-A.T * 2) @ (A @ w - 1))
    )
    assert np.allclose(plain, doubled)
