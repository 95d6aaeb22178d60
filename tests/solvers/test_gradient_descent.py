"""Gradient descent on J_p, J_r, J_s and on a criterion of one's own."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from linsep import GradientDescent, LeastSquares, Perceptron
from linsep.oracles import points
from linsep.rows.matrix import VectorMatrix
from linsep.solvers.gradient_descent import named_criterion


def problem(seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 3))
    return X, (X @ [1.0, 2.0, -1.0] + noise * rng.standard_normal(40) > 0.3).astype(int)


def vectors(X, y, weight=None):
    return VectorMatrix(points(X, np.where(y == 1, 1, -1), weight))


def weights(rule):
    return np.append(rule.coef_[0], rule.intercept_[0])


@pytest.mark.parametrize("name", ["perceptron", "relaxation", "squares"])
def test_the_gradient_is_that_of_the_criterion(name):
    X, y = problem()
    A, J = vectors(X, y, np.arange(40) % 3 + 0.5), named_criterion(name, 0.7)
    w = np.array([0.3, -0.2, 0.5, 0.1])
    assert check_grad(lambda w: J.value(w, A), lambda w: J.gradient(w, A), w) < 1e-4


def test_the_criteria_are_the_lectures_by_hand():
    A = VectorMatrix(points(np.array([[1.0], [2.0]]), np.array([1, -1])))  # a1 = (1, 1), a2 = (-2, -1)
    w = np.array([1.0, 0.0])  # scores 1 and -2
    assert named_criterion("perceptron", 0.0).value(w, A) == 2.0
    assert named_criterion("relaxation", 1.0).value(w, A) == pytest.approx(0.5 * 9 / 5)
    assert named_criterion("squares", 1.0).value(w, A) == 9.0


def test_rows_of_zero_count_for_nothing_in_j_r():
    X, y, weight = np.array([[0.0], [1.0], [1.0], [0.0]]), np.array([0, 1, 0, 1]), np.array([1.0, 1.5, 0.5, 0.5])
    full = GradientDescent("relaxation", fit_intercept=False).fit(X, y, weight)
    rest = GradientDescent("relaxation", fit_intercept=False).fit(X[1:3], y[1:3], weight[1:3])
    assert full.coef_ == rest.coef_ and full.check(X, y, weight)


def test_j_p_with_rate_1_is_the_batch_perceptron():
    X, y = problem(noise=0.0)
    descent = GradientDescent("perceptron", margin=0.0, rate=1.0, keep="last", max_iter=7).fit(X, y)
    batch = Perceptron(batch=True, keep="last", max_iter=7).fit(X, y)
    np.testing.assert_allclose(weights(descent), weights(batch), rtol=1e-12)


def test_j_s_ends_at_the_least_squares_solution():
    X, y = problem()
    rule = GradientDescent("squares", theta=1e-12, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(weights(rule), weights(LeastSquares("pinv").fit(X, y)), rtol=1e-6, atol=1e-8)
    assert rule.certificate_.reason == ""


def test_j_r_separates_separable_data():
    X, y = problem(noise=0.0)
    assert GradientDescent(max_iter=5000).fit(X, y).certificate_.status == "separated"


def test_a_criterion_of_ones_own_is_minimised():
    X, y = problem()
    A = vectors(X, y)

    def J(w, A):
        return float(A.weight @ np.logaddexp(0, -(A @ w)) + 0.5 * w @ w)

    def gradient(w, A):
        return w - A.T @ (A.weight / (1 + np.exp(A @ w)))

    rule = GradientDescent(criterion=(J, gradient), theta=1e-10).fit(X, y)
    best = minimize(J, np.zeros(4), args=(A,), jac=gradient, tol=1e-12)
    np.testing.assert_allclose(weights(rule), best.x, atol=1e-5)


def test_the_search_never_raises_the_criterion():
    X, y = problem()
    values = [record["value"] for record in GradientDescent(max_iter=200).fit(X, y).history_]
    assert (np.diff(values) <= 1e-12).all()


@pytest.mark.parametrize("rate", [0.01, "1/k", "1/sqrt(k)", lambda k: 0.1 / k])
def test_rates_follow_their_schedule(rate):
    X, y = problem()
    eta = {"1/k": lambda k: 1 / k, "1/sqrt(k)": lambda k: k**-0.5}.get(rate) if isinstance(rate, str) else rate
    rule = GradientDescent("relaxation", rate=rate, max_iter=3, theta=1e-30).fit(X, y)
    A, J, w = vectors(X, y), named_criterion("relaxation", 1.0), np.zeros(4)
    for k in (1, 2, 3):
        w = w - (eta(k) if callable(eta) else eta) * J.gradient(w, A)
    np.testing.assert_allclose(weights(rule), w, rtol=1e-12)


def test_theta_ends_the_descent():
    X, y = problem()
    short = GradientDescent("squares", theta=1e-1).fit(X, y)
    long = GradientDescent("squares", theta=1e-9).fit(X, y)
    assert short.n_iter_ < long.n_iter_ < 1000


def test_partial_fit_steps_and_warm_start_go_on():
    X, y = problem()
    rule = GradientDescent("relaxation", rate=0.01)
    for _ in range(3):
        rule.partial_fit(X, y, classes=[0, 1])
    whole = GradientDescent("relaxation", rate=0.01, max_iter=3, theta=1e-30).fit(X, y)
    np.testing.assert_allclose(weights(rule), weights(whole), rtol=1e-12)
    warm = GradientDescent("relaxation", rate=0.01, max_iter=2, theta=1e-30, warm_start=True).fit(X, y)
    warm.set_params(max_iter=1).fit(X, y)
    np.testing.assert_allclose(weights(warm), weights(whole), rtol=1e-12)


def test_certificates_check():
    X, y = problem()
    for criterion in ("perceptron", "relaxation", "squares"):
        for intercept in (True, False):
            rule = GradientDescent(criterion, fit_intercept=intercept, max_iter=100).fit(X, y)
            verdict = rule.certificate_.check(X, y)
            assert verdict, f"{criterion}: {verdict}"


def test_the_perceptrons_criterion_is_j_p_by_default():
    X, y = problem(noise=0.0)
    rule = GradientDescent("perceptron", max_iter=500).fit(X, y)
    A, w, k = np.column_stack([X, np.ones(40)]) * np.where(y == 1, 1.0, -1.0)[:, None], np.zeros(4), 0
    while (A @ w <= 0).any():  # S3's algorithm 2 with eta = 1
        w, k = w + A[A @ w <= 0].sum(axis=0), k + 1
    np.testing.assert_allclose(weights(rule), w, rtol=1e-12)
    assert rule.n_iter_ == k + 1 and rule.certificate_.status == "separated"  # and one step of length 0
    assert rule.history_[-1]["value"] == 0.0
    with pytest.raises(ValueError, match="margin=0: J_s is zero at w = 0"):
        GradientDescent("squares", margin=0.0).fit(X, y)
