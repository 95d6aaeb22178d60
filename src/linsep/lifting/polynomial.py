"""Lifting to products of the variables: `Polynomial`, and `Quadratic` for degree 2 (B3)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from ..estimators._validation import AT_LEAST_ONE
from ..polynomial_function import Monomial, PolynomialFunction, substitute_affine, variable_names
from .lift import Lift, get_affine

NEARLY_CONSTANT = 1e-7  # a product whose deviation is below this share of its size is not scaled


class Polynomial(Lift):
    r"""All products of up to ``degree`` variables, each product centred and scaled.

    .. math:: u_j = (x_j - \bar x_j)/s_j, \qquad \phi_\alpha(x) = (u^\alpha - \overline{u^\alpha})/\sigma_\alpha

    This is scikit-learn's PolynomialFeatures between two StandardScalers: high powers of variables far from 0 are
    nearly the same function, products of centred ones are not. There is no column of ones: the rule has a bias.

    Parameters
    ----------
    degree : int, default=2
        The largest number of factors.
    centre : bool, default=True
        Subtract the means of the variables and of their products. Sparse input needs False, it then stays sparse.
    scale : bool, default=True
        Divide the variables and their products by their standard deviations.

    Attributes
    ----------
    inner_ : StandardScaler
        Scaler of the variables.
    products_ : PolynomialFeatures
        The products.
    scaler_ : StandardScaler
        Scaler of the products.

    Examples
    --------
    S0's (32) and (33): the rule 3 - 1.5 x + 3.12 (x² - 1), learned on (x, x² - 1), in powers of x.

    >>> from linsep import Polynomial
    >>> lift = Polynomial(scale=False).fit([[-1.0], [1.0]])  # the mean of x is 0, that of x² is 1
    >>> lift.transform([[2.0]])
    array([[2., 3.]])
    >>> print(lift.expand([-1.5, 3.12], 3.0))
    3.12·x² − 1.5·x − 0.12 > 0
    """

    inner_: StandardScaler
    products_: PolynomialFeatures

    _parameter_constraints: dict = {
        **Lift._parameter_constraints,
        "degree": [AT_LEAST_ONE],
    }

    def __init__(self, degree=2, *, centre=True, scale=True):
        self.degree = degree
        self.centre = centre
        self.scale = scale

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.centre
        return tags

    def _check(self, X, *, reset: bool):
        if self.centre and sp.issparse(X):
            raise TypeError(f"{type(self).__name__}: centring would make a sparse X dense; set centre=False.")
        return super()._check(X, reset=reset)

    def _fit_columns(self, X, weight) -> None:
        self.inner_ = self._fit_scaler(X, weight, variable_names(self))
        self.products_ = PolynomialFeatures(self.degree, include_bias=False).set_output(transform="default").fit(X)

    def _adjust_scaler(self) -> None:
        """Only centre the products that hardly vary: scaled up, they would be little but rounding errors."""
        if self.centre and self.scale:
            deviation = np.sqrt(self.scaler_.var_)
            self.scaler_.scale_[deviation < NEARLY_CONSTANT * np.hypot(self.scaler_.mean_, deviation)] = 1.0

    def _compute_columns(self, X):
        with np.errstate(all="ignore"):
            phi = self.products_.transform(self.inner_.transform(X))
        if not np.isfinite(phi.data if sp.issparse(phi) else phi).all():
            raise ValueError(
                f"{type(self).__name__}: a product of {self.degree} variables overflows; "
                "scale=True or other units may help."
            )
        return phi

    def _uses(self) -> np.ndarray:
        return self.products_.powers_ > 0

    def _name_columns(self, names: list[str]) -> list[str]:
        return self.products_.get_feature_names_out(names).tolist()

    def _expand(self, v: np.ndarray, v0: Fraction) -> PolynomialFunction:
        names = variable_names(self)
        terms: dict[Monomial, Fraction] = {(): v0}
        for value, powers in zip(v.tolist(), self.products_.powers_, strict=True):
            terms[tuple(np.repeat(np.arange(len(names)), powers).tolist())] = Fraction(value)
        means, sizes = get_affine(self.inner_)
        centres, factors = map(Fraction, means.tolist()), map(Fraction, (1 / sizes).tolist())
        terms = substitute_affine(terms, list(centres), list(factors))
        return PolynomialFunction(tuple(names), terms, tuple(means.tolist()))


class Quadratic(Polynomial):
    """`Polynomial` of degree 2: g(x) = x'Wx + <w,x> + w0, whose boundary is a conic (S3).

    Parameters
    ----------
    centre : bool, default=True
        As for `Polynomial`.
    scale : bool, default=True
        As for `Polynomial`.

    Attributes
    ----------
    inner_, products_, scaler_
        As for `Polynomial`.

    Examples
    --------
    >>> from linsep import Lifted, Perceptron, Quadratic
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]  # no line separates them
    >>> rule = Lifted(Quadratic(), Perceptron()).fit(X, y)
    >>> rule.predict(X).tolist(), rule.as_polynomial().degree
    ([0, 1, 1, 0], 2)
    """

    degree = 2

    def __init__(self, *, centre=True, scale=True):
        self.centre = centre
        self.scale = scale
