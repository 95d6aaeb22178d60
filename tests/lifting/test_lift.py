"""Polynomial and Functions: the columns of phi, and the way back to a polynomial."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from expected_failures import SEQUENTIAL
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

from linsep import Functions, Kozinec, LeastSquares, Lifted, Perceptron, Polynomial, Quadratic

# S0's one-dimensional example on points of our own: the positive class lies on both sides of the negative one.
POINTS = np.array([-2.2, -1.7, -1.3, -0.9, -0.5, -0.2, 0.1, 0.4, 0.8, 1.2, 1.6, 2.1])[:, None]


def radius(X):
    return np.hypot(X[:, 0], X[:, 1])


ESTIMATORS = [
    Polynomial(),
    Polynomial(3, centre=False),
    Polynomial(3, scale=False),
    Quadratic(),
    Functions([np.tanh]),
    Functions([("squares", np.square)], passthrough=False, centre=False, scale=False),
    Lifted(Quadratic(), Perceptron()),
    Lifted(Polynomial(2, centre=False), LeastSquares("pinv")),
    Lifted(Functions([np.tanh]), Kozinec(max_iter=200)),
    Lifted(Quadratic(), LogisticRegression()),
]


def expected(estimator):
    return SEQUENTIAL if isinstance(getattr(estimator, "classifier", None), Perceptron | Kozinec) else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected, xfail_strict=True)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_polynomial_is_scikit_learns_between_two_scalers(degree):
    X = np.random.default_rng(0).normal(5, 3, size=(40, 3))
    by_hand = standardised(PolynomialFeatures(degree, include_bias=False).fit_transform(standardised(X)))
    assert np.allclose(Polynomial(degree).fit_transform(X), by_hand, rtol=1e-9, atol=1e-9)
    plain = Polynomial(degree, centre=False, scale=False).fit_transform(X)
    assert np.array_equal(plain, PolynomialFeatures(degree, include_bias=False).fit_transform(X))


def test_quadratic_is_the_polynomial_of_degree_two():
    X = np.random.default_rng(0).normal(size=(20, 4))
    assert np.array_equal(Quadratic().fit_transform(X), Polynomial(2).fit_transform(X))
    assert Quadratic().fit_transform(X).shape[1] == 4 + 10


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("degree", [2, 4])
def test_sparse_rows_stay_sparse_and_equal_dense_ones(make, degree):
    X = sp.random(50, 4, 0.3, random_state=0).toarray()
    lift = Polynomial(degree, centre=False).fit(make(X))
    lifted = lift.transform(make(X))
    assert sp.issparse(lifted) and lifted.format == "csr"
    assert np.allclose(lifted.toarray(), Polynomial(degree, centre=False).fit_transform(X), rtol=1e-12)
    w = np.random.default_rng(1).normal(size=lifted.shape[1])
    g = lift.expand(w, 0.5)
    assert np.allclose(g(make(X)), lifted @ w + 0.5, rtol=1e-9, atol=1e-9)
    assert np.array_equal(g(make(X)), g(X))


def test_columns_of_functions_in_order():
    X = np.array([[3.0, 4.0], [6.0, 8.0], [1.0, 0.0]])
    lift = Functions([radius, np.square, ("sum", lambda X: X.sum(axis=1, keepdims=True))], centre=False, scale=False)
    assert np.array_equal(lift.fit_transform(X), np.column_stack([X, [5, 10, 1], X**2, X.sum(axis=1)]))
    assert lift.get_feature_names_out().tolist() == [
        "x0", "x1", "radius(x0, x1)", "square(x0)", "square(x1)", "sum",
    ]  # fmt: skip
    assert np.allclose(lift.set_params(centre=True, scale=True).fit_transform(X).mean(axis=0), 0)


def test_a_weight_of_zero_is_absence_and_weights_count():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(30, 2)), rng.integers(0, 3, 30).astype(float)
    X[weight == 0] = 1e6
    lift = Quadratic().fit(X, sample_weight=weight)
    assert np.array_equal(
        lift.transform(X), Quadratic().fit(X[weight > 0], sample_weight=weight[weight > 0]).transform(X)
    )
    repeated = Quadratic().fit(np.repeat(X, weight.astype(int), axis=0))
    assert np.allclose(lift.transform(X), repeated.transform(X), rtol=1e-9)


def test_products_that_hardly_vary_are_not_blown_up():
    # two rows are at +1 and -1 when standardised: the product of the variables is 1 in both, but for rounding
    X = np.array([[1e7, 3e6 + 0.1], [1e7 + 7e4, 3e6 + 0.4]])
    lifted = Quadratic().fit_transform(X)
    assert np.allclose(np.abs(lifted[:, :2]), 1) and np.all(np.abs(lifted[:, 2:]) < 1e-6)


def test_names_of_the_columns():
    frame = pd.DataFrame({"width": [1.0, 2.0, 4.0], "height": [1.0, 0.0, 2.0]})
    lift = Quadratic().set_output(transform="pandas").fit(frame)
    assert list(lift.transform(frame)) == ["width", "height", "width^2", "width height", "height^2"]


@st.composite
def lifted_weights(draw):
    """Any lift of degree at most 5, fitted to rows with any centres and sizes, and weights behind it."""
    seed, dimension = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 4))
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.integers(-3, 4, dimension)
    X = rng.normal(size=(draw(st.integers(2, 30)), dimension)).round(draw(st.sampled_from([0, 1, 16])))
    X = (X + rng.choice([0, 1, 30, 10**5], dimension)) * sizes
    lift = Polynomial(draw(st.integers(1, 5)), centre=draw(st.booleans()), scale=draw(st.booleans())).fit(X)
    w = rng.normal(size=lift.transform(X).shape[1])
    return lift, X, w, float(rng.normal())


@given(lifted_weights())
def test_the_polynomial_is_the_decision_function(case):
    lift, X, w, w0 = case
    Z = lift.transform(X)
    g = lift.expand(w, w0)
    size = np.abs(Z) @ np.abs(w) + abs(w0)  # what rounding errors are relative to, where the sum cancels
    assert np.all(np.abs(g(X) - (Z @ w + w0)) <= 1e-9 * size)
    assert g.degree <= lift.degree and len(g.terms) <= len(w) + 1


@given(lifted_weights())
def test_the_expansion_is_exact(case):
    """Evaluated in fractions from the original variables, term by term, without a hint where the data are."""
    lift, X, w, w0 = case
    g = lift.expand(w, w0)
    row = [Fraction(x) for x in X[0].tolist()]
    exact = sum(c * math.prod(row[j] for j in monomial) for monomial, c in g.terms.items())
    assert isinstance(exact, Fraction)
    z = lift.transform(X[:1])[0]
    assert abs(float(exact) - (z @ w + w0)) <= 1e-9 * (np.abs(z) @ np.abs(w) + abs(w0))


@given(lifted_weights())
def test_coefficients_and_exponents_say_the_same(case):
    lift, X, w, w0 = case
    g = lift.expand(w, w0)
    terms = g.coefficients * np.prod(X[:, None, :] ** g.exponents[None], axis=2)
    assert np.all(np.abs(terms.sum(axis=1) - g(X)) <= 1e-9 * np.abs(terms).sum(axis=1))


def test_where_the_points_lie_does_not_matter_to_a_centred_lift():
    here, there = Quadratic().fit_transform(POINTS), Quadratic().fit_transform(POINTS + 50)
    assert np.allclose(here, there, atol=1e-9)


X, Y = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 9.0]]), np.array([0, 1, 0])


def with_one(value):
    return np.where(np.arange(6).reshape(3, 2) == 3, value, X)


@pytest.mark.parametrize("lift", [Polynomial(), Quadratic(), Functions([np.sin])], ids=lambda lift: type(lift).__name__)
def test_bad_tables_are_refused(lift):
    for bad, said in (
        (with_one(np.nan), "NaN.*row 1, column 1"),
        (with_one(np.inf), "infinity.*row 1, column 1"),
        (np.zeros((0, 2)), "0 sample"),
        (X[:, 0], "2D array"),
        (X.astype(str).astype(object) + "cm", "0.0cm"),
    ):
        with pytest.raises(ValueError, match=said):
            clone(lift).fit(bad)
        with pytest.raises(ValueError, match=said):
            Lifted(lift, Perceptron()).fit(bad, Y[: len(bad)])
    fitted = clone(lift).fit(X)
    before = pickle.dumps(fitted)
    for refused in (
        lambda: fitted.transform(X[:, :1]),
        lambda: fitted.expand([1.0]),
        lambda: fitted.fit(with_one(np.nan)),
    ):
        with pytest.raises(ValueError):
            refused()
    with pytest.raises(ValueError, match="finite"):
        fitted.expand(np.full(fitted.transform(X).shape[1], np.nan))
    with pytest.raises(ValueError, match="zero"):
        fitted.fit(X, sample_weight=np.zeros(3))
    assert pickle.dumps(fitted) == before
    with pytest.raises((TypeError, ValueError), match=r"[Ss]parse"):
        clone(lift).fit(sp.csr_array(X))
    with pytest.raises(NotFittedError):
        clone(lift).expand([1.0])


@pytest.mark.parametrize(
    ("lift", "said"),
    [
        (Polynomial(0), "degree"),
        (Polynomial(1.5), "degree"),
        (Polynomial(centre="yes"), "centre"),
        (Functions([]), "functions: expected at least one"),
        (Functions(np.sin), "functions"),
        (Functions([3]), "functions.*3"),
        (Functions([(3, np.sin)]), "functions.*3"),
        (Functions([np.log]), r"functions: log is -inf in row 0"),
        (Functions([("ratio", lambda X: X[:, 0] / X[:, 0])]), r"functions: ratio is nan in row 0"),
        (Functions([np.sum]), r"expected 3 rows from sum, got an array of shape \(\)"),
        (Functions([lambda X: X[:2]]), r"expected 3 rows from f1, got an array of shape \(2, 2\)"),
        (Functions([lambda X: X.sort(axis=0)]), "read-only"),
    ],
)
def test_bad_parameters_are_refused(lift, said):
    with pytest.raises(ValueError, match=said):
        lift.fit(X)


def test_a_function_must_make_as_many_columns_as_before():
    lift = Functions([lambda X: X[:, : len(X) - 1]]).fit(X)
    with pytest.raises(ValueError, match="expected 2 columns from f1, as in fit, got 1"):
        lift.transform(X[:2])
