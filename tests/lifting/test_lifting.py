"""Lifting (B3): the columns of phi, the way back to a polynomial, and what centring and scaling are good for."""

import math
import pickle
import runpy
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from conftest import REPOSITORY
from expected_failures import SEQUENTIAL
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from linsep import Functions, Kozinec, LeastSquares, Lifted, MaximumMargin, Perceptron, Polynomial, Quadratic
from linsep.certificates.margin import novikoff
from linsep.discriminant import Discriminant, substitute

# S0's one-dimensional example on points of our own: the positive class lies on both sides of the negative one.
POINTS = np.array([-2.2, -1.7, -1.3, -0.9, -0.5, -0.2, 0.1, 0.4, 0.8, 1.2, 1.6, 2.1])[:, None]
LABELS = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1])


def square(X):
    return X**2


def square_less_one(X):
    return X**2 - 1


def radius(X):
    return np.hypot(X[:, 0], X[:, 1])


# --- scikit-learn's contract -----------------------------------------------------------------------------------------

ESTIMATORS = [
    Polynomial(),
    Polynomial(3, centre=False),
    Polynomial(3, scale=False),
    Quadratic(),
    Functions([np.tanh]),
    Functions([("squares", np.square)], passthrough=False, centre=False, scale=False),
    Lifted(Quadratic(), Perceptron()),
    Lifted(Polynomial(2, centre=False), LeastSquares()),
    Lifted(Functions([np.tanh]), Kozinec(max_passes=200)),
    Lifted(Quadratic(), LogisticRegression()),
]


def expected(estimator):
    return SEQUENTIAL if isinstance(getattr(estimator, "classifier", None), Perceptron | Kozinec) else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected, xfail_strict=True)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# --- the columns -----------------------------------------------------------------------------------------------------


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


def test_data_frames_out_change_nothing():
    X, y = load_iris(return_X_y=True)
    plain = Lifted(Quadratic(), LeastSquares()).fit(X, y == 1)
    with config_context(transform_output="pandas"):
        framed = Lifted(Quadratic(), LeastSquares()).fit(X, y == 1)
        assert isinstance(Quadratic().fit_transform(X), pd.DataFrame)
        assert np.array_equal(framed.decision_function(X), plain.decision_function(X))
        assert framed.check(X, y == 1) and framed.as_polynomial() == plain.as_polynomial()


def test_polars_and_arrow_are_read():
    X, y = load_iris(return_X_y=True)
    plain = Lifted(Quadratic(), LeastSquares()).fit(X, y == 1)
    columns = {name: X[:, j] for j, name in enumerate("abcd")}
    for table in (pl.DataFrame(columns), pa.table(columns)):
        rule = Lifted(Quadratic(), LeastSquares()).fit(table, y == 1)
        assert np.array_equal(rule.decision_function(table), plain.decision_function(X))
        assert rule.as_polynomial().names == tuple("abcd")


# --- the way back ----------------------------------------------------------------------------------------------------


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


def test_substitution_against_a_hand_expansion():
    # 2 u² v with u = 3 (x - 1), v = y + 2: 18 (x² - 2x + 1)(y + 2)
    found = substitute({(0, 0, 1): Fraction(2)}, [Fraction(1), Fraction(-2)], [Fraction(3), Fraction(1)])
    assert found == {(0, 0, 1): 18, (0, 1): -36, (1,): 18, (0, 0): 36, (0,): -72, (): 36}


def test_far_from_zero_the_polynomial_still_decides():
    X, y = np.arange(1e6, 1e6 + 8)[:, None], np.array([0, 1, 1, 0, 0, 1, 1, 0])
    rule = Lifted(Polynomial(5), Perceptron()).fit(X, y)
    g = rule.as_polynomial()
    assert rule.certificate_.separates
    assert np.allclose(g(X), rule.decision_function(X), rtol=1e-9)
    blunt = g.coefficients @ (X.ravel() ** g.exponents)  # its terms are 1e27: what evaluating as written would give
    assert not np.allclose(blunt, rule.decision_function(X), rtol=1.0)


def test_plain_rules_are_polynomials_of_degree_one():
    X, y = load_iris(return_X_y=True, as_frame=True)
    rule = Perceptron().fit(X, y > 0)
    g = rule.as_polynomial()
    assert g.degree == 1 and g.names == tuple(X.columns)
    assert np.allclose(g(X), rule.decision_function(X), rtol=1e-9)
    assert "petal width (cm)" in str(g)
    assert np.array_equal(g.coefficients, np.append(rule.coef_[0], rule.intercept_))
    with pytest.raises(NotFittedError):
        Perceptron().as_polynomial()


def test_a_pipeline_is_read_back_too():
    X, y = load_iris(return_X_y=True)
    pipe = make_pipeline(Quadratic(), LeastSquares()).fit(X, y == 1)
    g = pipe[-1].as_polynomial(pipe[0])
    assert np.allclose(g(X), pipe.decision_function(X), rtol=1e-9)
    assert g == Lifted(Quadratic(), LeastSquares()).fit(X, y == 1).as_polynomial()


def test_many_classes_have_a_polynomial_each():
    X, y = load_iris(return_X_y=True)
    rule = Lifted(Quadratic(), LogisticRegression()).fit(X, y)
    scores = np.column_stack([g(X) for g in rule.as_polynomial()])
    assert np.allclose(scores, rule.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("centre", [False, True])
@pytest.mark.parametrize("scale", [False, True])
def test_rules_of_any_functions_are_read_and_evaluated(centre, scale):
    X = np.random.default_rng(0).normal(3, 2, size=(60, 2))
    y = radius(X) + np.sin(X[:, 0]) > 4
    lift = Functions([radius, np.sin, ("x1·x2", lambda X: X[:, 0] * X[:, 1])], centre=centre, scale=scale)
    rule = Lifted(lift, LeastSquares()).fit(X, y)
    g = rule.as_polynomial()
    assert g.names == ("x1", "x2", "radius(x1, x2)", "sin(x1)", "sin(x2)", "x1·x2")
    assert np.allclose(g(X), rule.decision_function(X), rtol=1e-9)
    assert g.text().count("·(x1·x2)") == 1 and "·sin(x2)" in g.text()


# --- how it reads ----------------------------------------------------------------------------------------------------


def poly(names, **terms):
    return Discriminant(tuple(names), {tuple(map(int, key[1:])): Fraction(value) for key, value in terms.items()})


@pytest.mark.parametrize(
    ("g", "said"),
    [
        (poly("x", _=-0.12, _0=-1.5, _00=3.12), "3.12·x² − 1.5·x − 0.12 > 0"),
        (poly("ab", _01=1, _0=-1, _1=0), "a·b − a > 0"),
        (poly("ab", _000=-1, _0001=2), "2·a³·b − a³ > 0"),
        (poly("x", _=1), "1 > 0"),
        (poly("x"), "0 > 0"),
        (poly("x", _=-1, _0=1e-7), "1e-07·x − 1 > 0"),
        (Discriminant.linear([2.0], 0.0, ["x² − 1"]), "2·(x² − 1) > 0"),
        (Discriminant(("x",), {(0,) * 12: Fraction(1)}), "x¹² > 0"),
    ],
)
def test_how_a_rule_reads(g, said):
    assert str(g) == said


def test_more_digits_on_request():
    assert Discriminant.linear([1 / 3], 0.0, ["x"]).text(8) == "0.33333333·x"
    assert "2 terms" in repr(Discriminant.linear([1 / 3], 1.0, ["x"]))


# --- S0's example, and Novikoff --------------------------------------------------------------------------------------


def bound(lift):
    """Novikoff's bound with the true m, for the points behind a lift; and the updates that a perceptron makes there."""
    best = Lifted(lift, MaximumMargin(bias="augmented")).fit(POINTS, LABELS)
    made = Lifted(lift, Perceptron(keep="last", max_passes=1000)).fit(POINTS, LABELS)
    assert best.certificate_.status == "optimal" and best.check(POINTS, LABELS)
    assert made.certificate_.status == "separated" and np.array_equal(made.predict(POINTS), LABELS)
    limit = novikoff(best.certificate_.longest, best.certificate_.lower)
    assert made.certificate_.updates <= limit
    return limit, made.certificate_.updates


def test_no_line_separates_s0s_points_but_a_parabola_does():
    assert MaximumMargin().fit(POINTS, LABELS).certificate_.status == "not separable"
    rule = Lifted(Quadratic(), Perceptron()).fit(POINTS, LABELS)
    assert rule.certificate_.status == "separated" and rule.check(POINTS, LABELS)
    g = rule.as_polynomial()
    w0, w1, w2 = (float(g.terms[monomial]) for monomial in ((), (0,), (0, 0)))
    low, high = sorted(np.roots([w2, w1, w0]).real)
    assert w2 > 0 and -1.3 < low < -0.9 and 0.8 < high < 1.2  # positive outside, and between the classes


def test_centring_and_scaling_lower_novikoffs_bound():
    raw, raw_updates = bound(Functions([square], centre=False, scale=False))
    s0, _ = bound(Functions([square_less_one], centre=False, scale=False))
    ours, our_updates = bound(Quadratic())
    assert raw == pytest.approx(bound(Polynomial(2, centre=False, scale=False))[0], rel=1e-9)
    assert s0 < 0.8 * raw  # S0's remark
    assert ours < 0.4 * raw and our_updates < raw_updates


def test_where_the_points_lie_does_not_matter_to_a_centred_lift():
    here, there = Quadratic().fit_transform(POINTS), Quadratic().fit_transform(POINTS + 50)
    assert np.allclose(here, there, atol=1e-9)


def test_what_no_line_separates_a_quartic_does(shared):
    X, y = shared("vltava")
    assert MaximumMargin().fit(X, y).certificate_.status == "not separable"
    rule = Lifted(Polynomial(4), MaximumMargin()).fit(X, y)
    assert rule.certificate_.status == "optimal" and rule.check(X, y)
    assert np.array_equal(rule.as_polynomial()(X) > 0, y == rule.classes_[1])


def test_the_example_tells_s0s_story(tmp_path, capsys):
    runpy.run_path(str(REPOSITORY / "examples" / "lifting.py"))["main"](str(tmp_path))
    said = capsys.readouterr().out
    for line in ("Not separable", "at most 383 updates", "at most 120 updates", "at most 117 updates", "·x² + "):
        assert line in said
    assert said.count("The certificate holds") == 3
    assert (tmp_path / "lifting.png").stat().st_size > 10_000


# --- bad input -------------------------------------------------------------------------------------------------------

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
        (Functions([]), "functions: at least one"),
        (Functions(np.sin), "functions"),
        (Functions([3]), "functions.*3"),
        (Functions([(3, np.sin)]), "functions.*3"),
        (Functions([np.log]), r"functions: log is -inf in row 0"),
        (Functions([("ratio", lambda X: X[:, 0] / X[:, 0])]), r"functions: ratio is nan in row 0"),
        (Functions([np.sum]), r"functions: sum made \(\) of 3 rows"),
        (Functions([lambda X: X[:2]]), r"functions: f1 made \(2, 2\) of 3 rows"),
        (Functions([lambda X: X.sort(axis=0)]), "read-only"),
    ],
)
def test_bad_parameters_are_refused(lift, said):
    with pytest.raises(ValueError, match=said):
        lift.fit(X)


def test_a_function_must_make_as_many_columns_as_before():
    lift = Functions([lambda X: X[:, : len(X) - 1]]).fit(X)
    with pytest.raises(ValueError, match="f1 made 1 columns, but 2 in fit"):
        lift.transform(X[:2])


def test_numbers_too_large_or_small_are_said_to_be():
    with pytest.raises(ValueError, match="overflows"):
        Polynomial(centre=False, scale=False).fit(1e200 * X)
    with pytest.raises(ValueError, match="x1 is too large to be scaled"):
        Polynomial(1).fit(1e200 * X)
    rule = Lifted(Polynomial(3), Perceptron()).fit(1e120 * X, Y)
    assert rule.certificate_.separates
    with pytest.raises(ValueError, match=r"coefficient of x1³ is too small"):
        str(rule.as_polynomial())
    g = Discriminant(("x",), {(0, 0): Fraction(10) ** 400})
    with pytest.raises(ValueError, match=r"coefficient of x² is too large"):
        g([[1.0]])
    with pytest.raises(ValueError, match="overflows in row 1"):
        poly("x", _00=1)([[1.0], [1e200]])


def test_a_polynomial_refuses_other_tables():
    g = Perceptron().fit(pd.DataFrame(X, columns=["a", "b"]), Y).as_polynomial()
    with pytest.raises(ValueError, match=r"3 columns.*2 variables"):
        g(np.ones((2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        g(with_one(np.nan))
    with pytest.raises(ValueError, match=r"columns \['b', 'a'\]"):
        g(pd.DataFrame(X, columns=["b", "a"]))


def test_what_can_not_be_written_out_says_so():
    rng = np.random.default_rng(0)
    many, labels = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    kernel = Lifted(Nystroem(n_components=10, random_state=0), Perceptron()).fit(many, labels)
    with pytest.raises(TypeError, match="Nystroem has no expand"):
        kernel.as_polynomial()
    tree = Lifted(Quadratic(), DecisionTreeClassifier()).fit(many, labels)
    with pytest.raises(TypeError, match="DecisionTreeClassifier has no coef_"):
        tree.as_polynomial()
    for bad in (Lifted(3, Perceptron()), Lifted(Quadratic(), 3)):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            bad.fit(many, labels)


# --- one classifier --------------------------------------------------------------------------------------------------


def test_lifted_is_the_pipeline():
    X, y = load_iris(return_X_y=True)
    ours, theirs = (
        Lifted(Quadratic(), LeastSquares()),
        make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), LeastSquares()),
    )
    ours.fit(X, y == 1), theirs.fit(X, y == 1)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9, atol=1e-12)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert ours.check(X, y == 1) and not ours.check(X, y == 0)


def test_the_degree_is_searched_for():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(200, 1))
    y = X[:, 0] ** 3 - 2 * X[:, 0] > 0  # three changes of side
    search = GridSearchCV(Lifted(Polynomial(), LeastSquares()), {"lift__degree": [1, 2, 3]}, cv=4).fit(X, y)
    assert search.best_params_ == {"lift__degree": 3}


def test_partial_fit_keeps_the_first_centre():
    X, y = np.vstack([POINTS, POINTS + 0.01]), np.tile(LABELS, 2)
    whole = Lifted(Quadratic(), Perceptron(keep="last"))
    whole.partial_fit(POINTS, LABELS, classes=[0, 1]).partial_fit(X[12:], y[12:])
    lift = Quadratic().fit(POINTS)
    rule = Perceptron(keep="last").partial_fit(lift.transform(POINTS), LABELS, classes=[0, 1])
    rule.partial_fit(lift.transform(X[12:]), y[12:])
    assert np.array_equal(whole.classifier_.coef_, rule.coef_)
    assert not hasattr(Lifted(Quadratic(), MaximumMargin()), "partial_fit")
    fresh = Lifted(Quadratic(), Perceptron())
    with pytest.raises(ValueError, match="classes"):
        fresh.partial_fit(POINTS, LABELS)
    assert not hasattr(fresh, "lift_")


def test_a_rule_and_its_polynomial_are_pickled():
    rule = Lifted(Functions([square]), Perceptron()).fit(POINTS, LABELS)
    again = pickle.loads(pickle.dumps(rule))
    assert np.array_equal(again.decision_function(POINTS), rule.decision_function(POINTS))
    g = pickle.loads(pickle.dumps(rule.as_polynomial()))
    assert np.array_equal(g(POINTS), rule.as_polynomial()(POINTS)) and str(g) == str(rule.as_polynomial())


def test_frames_keep_their_names():
    frame, y = load_iris(return_X_y=True, as_frame=True)
    rule = Lifted(Functions([np.sqrt]), LeastSquares()).fit(frame, y == 1)
    assert list(rule.feature_names_in_) == list(frame)
    g = rule.as_polynomial()
    assert "sqrt(petal width (cm))" in g.names
    assert np.allclose(g(frame), rule.decision_function(frame), rtol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        rule.predict(frame[frame.columns[::-1]])


def test_a_lifted_committee_shows_its_certificates():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 3
    rule = Lifted(Quadratic(), Perceptron(multi_class="one-vs-all")).fit(X, y)
    assert len(rule.certificates_) == 3
    with pytest.raises(AttributeError, match="certificates_"):
        _ = rule.certificate_
