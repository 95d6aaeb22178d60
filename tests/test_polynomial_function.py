"""Polynomials: how they are printed, evaluated and rewritten, and which data they refuse."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from linsep import Lifted, Perceptron, Polynomial
from linsep.polynomial_function import PolynomialFunction, substitute_affine


def test_substitution_against_a_hand_expansion():
    # 2 u² v with u = 3 (x - 1), v = y + 2: 18 (x² - 2x + 1)(y + 2)
    found = substitute_affine({(0, 0, 1): Fraction(2)}, [Fraction(1), Fraction(-2)], [Fraction(3), Fraction(1)])
    assert found == {(0, 0, 1): 18, (0, 1): -36, (1,): 18, (0, 0): 36, (0,): -72, (): 36}


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


def poly(names, **terms):
    return PolynomialFunction(tuple(names), {tuple(map(int, key[1:])): Fraction(value) for key, value in terms.items()})


@pytest.mark.parametrize(
    ("g", "said"),
    [
        (poly("x", _=-0.12, _0=-1.5, _00=3.12), "3.12·x² − 1.5·x − 0.12 > 0"),
        (poly("ab", _01=1, _0=-1, _1=0), "a·b − a > 0"),
        (poly("ab", _000=-1, _0001=2), "2·a³·b − a³ > 0"),
        (poly("x", _=1), "1 > 0"),
        (poly("x"), "0 > 0"),
        (poly("x", _=-1, _0=1e-7), "1e-07·x − 1 > 0"),
        (PolynomialFunction.linear([2.0], 0.0, ["x² − 1"]), "2·(x² − 1) > 0"),
        (PolynomialFunction(("x",), {(0,) * 12: Fraction(1)}), "x¹² > 0"),
    ],
)
def test_how_a_rule_reads(g, said):
    assert str(g) == said


def test_more_digits_on_request():
    assert PolynomialFunction.linear([1 / 3], 0.0, ["x"]).to_string(8) == "0.33333333·x"
    assert "2 terms" in repr(PolynomialFunction.linear([1 / 3], 1.0, ["x"]))


X, Y = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 9.0]]), np.array([0, 1, 0])


def with_one(value):
    return np.where(np.arange(6).reshape(3, 2) == 3, value, X)


def test_numbers_too_large_or_small_are_said_to_be():
    with pytest.raises(ValueError, match="overflows"):
        Polynomial(centre=False, scale=False).fit(1e200 * X)
    with pytest.raises(ValueError, match="x1 is too large to be scaled"):
        Polynomial(1).fit(1e200 * X)
    rule = Lifted(Polynomial(3), Perceptron()).fit(1e120 * X, Y)
    assert rule.certificate_.separates
    with pytest.raises(ValueError, match=r"coefficient of x1³ is too small"):
        str(rule.as_polynomial())
    g = PolynomialFunction(("x",), {(0, 0): Fraction(10) ** 400})
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
