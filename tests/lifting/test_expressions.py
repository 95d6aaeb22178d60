"""Polynomials as text: read exactly, without running code; lifts by them are multiplied out (S0 (33))."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.preprocessing import SplineTransformer

from linsep import Functions, LeastSquares, Lifted, Perceptron, Polynomial
from linsep.lifting.expressions import read_polynomial

X0, Y0 = [[-2.0], [-1.5], [-0.5], [0.0], [0.5], [1.5], [2.0]], [1, 1, 0, 0, 0, 1, 1]


def test_s0_33_is_s0_32_multiplied_out():
    lift = Functions(["x^2 - 1"], centre=False, scale=False).fit([[0.0], [1.0]])
    assert lift.transform([[3.0]]).tolist() == [[3.0, 8.0]]
    g = lift.expand([-1.5, 3.12], 3.0)
    assert str(g) == "3.12·x² − 1.5·x − 0.12 > 0"
    assert g.terms == {(0, 0): Fraction(3.12), (0,): Fraction(-1.5), (): 3 - Fraction(3.12)}


def test_a_learned_rule_is_multiplied_out_and_decides_the_same():
    named = Functions([("x² − 1", lambda X: X[:, 0] ** 2 - 1)], centre=False, scale=False)
    one = Lifted(named, Perceptron()).fit(X0, Y0)
    other = Lifted(Functions(["x^2 - 1"], centre=False, scale=False), Perceptron()).fit(X0, Y0)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    g = other.as_polynomial()
    assert g.degree == 2 and g.names == ("x",)
    np.testing.assert_allclose(g(X0), other.decision_function(X0), rtol=1e-12)


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("passthrough", [True, False])
def test_texts_and_callables_together(centre, passthrough):
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 3, (40, 2))
    y = (X[:, 0] * X[:, 1] > 4).astype(int)
    lift = Functions(["x1 x2", np.sqrt, ("cube", "x2³ / 8")], passthrough=passthrough, centre=centre, scale=centre)
    rule = Lifted(lift, LeastSquares()).fit(X, y)
    g = rule.as_polynomial()
    assert g.names == ("x1", "x2", "sqrt(x1)", "sqrt(x2)")
    np.testing.assert_allclose(g(X), rule.decision_function(X), rtol=1e-9, atol=1e-10)
    names = [*(["x0", "x1"] * passthrough), "x1 x2", "sqrt(x0)", "sqrt(x1)", "cube"]
    assert rule.get_feature_names_out().tolist() == names
    assert not hasattr(rule, "feature_importances_")  # a callable may use any variable


TREES = st.recursive(
    st.one_of(st.integers(0, 9).map(str), st.sampled_from(["x", "y", "0.5"])),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda each: "({} {} {})".format(*each)),
        inner.map(lambda each: f"({each})**2"),
        inner.map(lambda each: f"({each})/4"),
    ),
    max_leaves=8,
)


@given(TREES, st.integers(-3, 3), st.integers(-3, 3))
def test_values_are_those_of_python(text, x, y):
    terms = read_polynomial(text, ["x", "y"])
    value = sum(c * x ** m.count(0) * y ** m.count(1) for m, c in terms.items())
    given = eval(text.replace("0.5", "Fraction(1, 2)"), {"x": Fraction(x), "y": Fraction(y), "Fraction": Fraction})
    assert value == given


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x^", "a whole power, got the end"), ("x^-1", "a whole power, got '-' at place 3"),
        ("x^1.5", "a whole power"), ("sin(x)", "one of the variables"), ("__import__('os')", "one of the variables"),
        ("x +", "got the end"), ("", "got the end"), ("(x", r"expected '\)', got the end"), ("x)", "at place 2"),
        ("1/x", "a number other than 0 to divide by"), ("x/0", "a number other than 0"), ("x^65", "powers up to 64"),
        ("((x+1)^64)^64", "a degree up to 64"), ("x @ 2", "got '@'"), ("(" * 60, "nested parentheses"),
    ],
)  # fmt: skip
def test_what_is_no_polynomial_is_refused(text, said):
    with pytest.raises(ValueError, match=f"functions: .*{said}"):
        Functions([text]).fit([[0.0], [1.0]])


def test_names_of_columns_longest_first():
    assert read_polynomial("x10 - x1", ["x1", "x10"]) == {(1,): 1, (0,): -1}
    assert read_polynomial("petal width²", ["petal", "petal width"]) == {(1, 1): 1}


def test_a_transformer_of_scikit_learn_lifts_and_says_that_it_has_no_polynomial_form():
    rule = Lifted(SplineTransformer(4), Perceptron()).fit(X0, Y0)
    assert rule.score(X0, Y0) > 0.9 and rule.coef_.shape[1] == rule.get_feature_names_out().size
    with pytest.raises(TypeError, match="SplineTransformer has no polynomial form"):
        rule.as_polynomial()
    assert not hasattr(rule, "feature_importances_")


def test_variables_are_selected_by_the_weights_of_the_columns_that_use_them():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 4))
    y = (X[:, 1] ** 2 + X[:, 3] ** 2 > 1.5).astype(int)  # of the other two nothing depends
    rule = Lifted(Polynomial(2), LeastSquares())
    fitted = rule.fit(X, y)
    columns = dict(zip(fitted.get_feature_names_out(), fitted.coef_[0], strict=True))
    by_hand = [np.sqrt(sum(v * v for name, v in columns.items() if f"x{j}" in name)) for j in range(4)]
    np.testing.assert_allclose(fitted.feature_importances_, by_hand)
    chosen = RFE(rule, n_features_to_select=2, importance_getter="feature_importances_").fit(X, y)
    assert chosen.support_.tolist() == [False, True, False, True]
    model = SelectFromModel(rule, max_features=2, importance_getter="feature_importances_").fit(X, y)
    assert model.get_support().tolist() == [False, True, False, True]


def test_x1_is_x_of_one_column_and_no_name_runs_into_a_number():
    lift = Functions(["x1^2 - 1"], centre=False, scale=False).fit([[1.0], [2.0]])
    assert lift.transform([[3.0]]).tolist() == [[3.0, 8.0]]
    for text, columns in (("x2", 1), ("x12", 1), ("x3", 2), ("x12", 2), ("1e400*x", 1), ("1e200*1e200*x", 1)):
        with pytest.raises(ValueError, match="functions: "):
            Functions([text]).fit(np.eye(3)[:, :columns])
