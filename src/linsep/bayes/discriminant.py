r"""The linear or quadratic discriminants that a strategy amounts to, as coefficients (A2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Form(NamedTuple):
    """One quadratic function x'Ax + <b,x> + c."""

    A: np.ndarray
    b: np.ndarray
    c: float


class Discriminant(NamedTuple):
    r"""One function for each class, the greatest of which decides.

    .. math:: g_k(x) = x^T A_k x + \langle b_k,x\rangle + c_k

    >>> g = Discriminant(None, np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.0, -1.0]))
    >>> g([[2.0, 3.0]])
    array([[2., 2.]])
    >>> g.between(1, 0)                     # the boundary of the two classes: -x + y - 1 = 0
    Form(A=array([[0., 0.],
           [0., 0.]]), b=array([-1.,  1.]), c=-1.0)
    """

    quadratic: np.ndarray | None  # A, classes x columns x columns; None if the functions are linear
    linear: np.ndarray  # b, classes x columns
    constant: np.ndarray  # c, one for each class

    def __call__(self, X: Any) -> np.ndarray:
        """g_k(x): rows x classes."""
        X = np.asarray(X, dtype=np.float64)
        g = X @ self.linear.T + self.constant
        return (
            g if self.quadratic is None else g + np.stack([np.sum(X @ A * X, axis=1) for A in self.quadratic], axis=1)
        )

    def raised(self, by: np.ndarray) -> Discriminant:
        """The same with other constants, c + by."""
        return self._replace(constant=self.constant + by)

    def between(self, i: int, j: int) -> Form:
        """The function g_i - g_j, which is zero on the boundary of classes i and j."""
        A = np.zeros((self.linear.shape[1],) * 2) if self.quadratic is None else self.quadratic[i] - self.quadratic[j]
        return Form(A, self.linear[i] - self.linear[j], float(self.constant[i] - self.constant[j]))

    @property
    def coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        """w and w0 of linear functions as scikit-learn has them: for two classes the difference only."""
        if self.quadratic is not None:
            raise AttributeError("The discriminants are quadratic: see discriminant_, there is no coef_.")
        if len(self.constant) == 2:
            return np.diff(self.linear, axis=0), np.diff(self.constant)
        return self.linear, self.constant


class Centred(NamedTuple):
    r"""Linear discriminants about a point, as a product of matrices that keeps its digits far from the origin.

    .. math:: g_k(x) = \langle C^{-1} (\mu_k - m),\, x - m\rangle - \tfrac12 (\mu_k - m)^T C^{-1} (\mu_k - m)
    """

    middle: np.ndarray  # m
    linear: np.ndarray  # classes x columns
    constant: np.ndarray

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """g_k(x): rows x classes."""
        return (X - self.middle) @ self.linear.T + self.constant


def centred(means: np.ndarray, solve: Callable[[np.ndarray], np.ndarray] = lambda columns: columns) -> Centred:
    """The discriminants of the nearest mean, in the metric of C: ``solve`` multiplies columns by its inverse.

    >>> centred(np.array([[0.0], [2.0]]))(np.array([[1.0], [3.0]]))
    array([[-0.5, -0.5],
           [-2.5,  1.5]])
    """
    middle = means.mean(axis=0)
    rest = means - middle
    linear = solve(rest.T).T
    return Centred(middle, linear, -0.5 * np.sum(rest * linear, axis=1))


def together(forms: list[Form]) -> Discriminant:
    """One discriminant of several functions; linear if their quadratic parts are the same."""
    b, c = np.stack([f.b for f in forms]), np.array([f.c for f in forms])
    if all(np.array_equal(f.A, forms[0].A) for f in forms):
        return Discriminant(None, b, c)
    return Discriminant(np.stack([f.A for f in forms]), b, c)


def discriminant_of(model: Any) -> Discriminant:
    """The discriminants log p(x,k), but for a function common to all classes, of a `Model` or of scikit-learn's rules.

    A model has them if all its densities are `Gaussian`, or all are `Rayleigh`. Of scikit-learn's fitted classifiers
    LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis and GaussianNB have them.

    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> discriminant_of(LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])).between(1, 0)
    Form(A=array([[0.]]), b=array([4.]), c=-12.0)
    """
    if hasattr(model, "densities"):
        return _of_densities(model)
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from sklearn.naive_bayes import GaussianNB

    if isinstance(model, LinearDiscriminantAnalysis):
        b, c = model.coef_, model.intercept_
        if len(model.classes_) == 2:  # scikit-learn keeps the difference only
            b, c = np.vstack([np.zeros_like(b), b]), np.append(0.0, c)
        return Discriminant(None, b, c)
    if isinstance(model, QuadraticDiscriminantAnalysis):
        whole = zip(model.means_, model.rotations_, model.scalings_, model.priors_, strict=True)
        return together([_form(mean, (R / S) @ R.T, np.log(S).sum(), prior) for mean, R, S, prior in whole])
    if isinstance(model, GaussianNB):
        parts = zip(model.theta_, model.var_, model.class_prior_, strict=True)
        return together([_form(mean, np.diag(1 / v), np.log(v).sum(), prior) for mean, v, prior in parts])
    raise ValueError(f"{type(model).__name__}: its discriminants are not known to be linear or quadratic.")


def _of_densities(model: Any) -> Discriminant:
    kinds = {type(density).__name__ for density in model.densities}
    if len(kinds) > 1 or not all(hasattr(density, "form") for density in model.densities):
        raise ValueError(f"The densities are {', '.join(sorted(kinds))}: the discriminants are not quadratic.")
    found = together([density.form() for density in model.densities])
    with np.errstate(divide="ignore"):
        found = found.raised(np.log(model.priors))
    if found.quadratic is None:  # then the normalisers are equal too
        return found
    return found.raised(np.array([density.normaliser() for density in model.densities]))


def _form(mean: np.ndarray, P: np.ndarray, log_det: float, prior: float) -> Form:
    """log of prior times Gaussian, with the precision P."""
    with np.errstate(divide="ignore"):
        return Form(-0.5 * P, P @ mean, float(np.log(prior) - 0.5 * (mean @ P @ mean + log_det)))
