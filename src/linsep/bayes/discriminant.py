r"""Linear and quadratic discriminant functions of a strategy, as coefficients (A2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np


class QuadraticFunction(NamedTuple):
    """The function x'Ax + <b,x> + c."""

    A: np.ndarray
    b: np.ndarray
    c: float


class Discriminant(NamedTuple):
    r"""One function per class; the class of the greatest one is decided.

    .. math:: g_k(x) = x^T A_k x + \langle b_k,x\rangle + c_k

    Attributes
    ----------
    quadratic : ndarray of shape (n_classes, n_features, n_features) or None
        A; None if the functions are linear.
    linear : ndarray of shape (n_classes, n_features)
        b.
    constant : ndarray of shape (n_classes,)
        c.

    Examples
    --------
    >>> g = Discriminant(None, np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.0, -1.0]))
    >>> g([[2.0, 3.0]])
    array([[2., 2.]])
    >>> g.boundary(1, 0)                     # -x + y - 1 = 0
    QuadraticFunction(A=array([[0., 0.],
           [0., 0.]]), b=array([-1.,  1.]), c=-1.0)
    """

    quadratic: np.ndarray | None
    linear: np.ndarray
    constant: np.ndarray

    @classmethod
    def from_functions(cls, functions: Sequence[QuadraticFunction]) -> Discriminant:
        """Combine one function per class; linear if their quadratic parts are equal."""
        A, b, c = zip(*functions, strict=True)
        equal = all(np.array_equal(one, A[0]) for one in A)
        return cls(None if equal else np.stack(A), np.stack(b), np.array(c))

    def __call__(self, X: Any) -> np.ndarray:
        """Return g_k(x), an array of shape (n_samples, n_classes)."""
        X = np.asarray(X, dtype=np.float64)
        g = X @ self.linear.T + self.constant
        if self.quadratic is None:
            return g
        return g + np.stack([np.sum(X @ A * X, axis=1) for A in self.quadratic], axis=1)

    def add_constants(self, constants: np.ndarray) -> Discriminant:
        """Return the functions g_k + constants[k]."""
        return self._replace(constant=self.constant + constants)

    def boundary(self, i: int, j: int) -> QuadraticFunction:
        """Return the function g_i - g_j, which is zero on the boundary of classes i and j."""
        A = np.zeros((self.linear.shape[1],) * 2) if self.quadratic is None else self.quadratic[i] - self.quadratic[j]
        return QuadraticFunction(A, self.linear[i] - self.linear[j], float(self.constant[i] - self.constant[j]))

    @property
    def coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        """``coef_`` and ``intercept_`` of linear functions as in scikit-learn: of two classes the difference only."""
        if self.quadratic is not None:
            raise AttributeError("The discriminant is quadratic and has no coef_: see discriminant_.")
        if len(self.constant) == 2:
            return np.diff(self.linear, axis=0), np.diff(self.constant)
        return self.linear, self.constant


class CentredDiscriminant(NamedTuple):
    r"""Linear discriminant in x - m, which loses no digits far from the origin.

    .. math:: g_k(x) = \langle C^{-1} (\mu_k - m),\, x - m\rangle - \tfrac12 (\mu_k - m)^T C^{-1} (\mu_k - m)
    """

    m: np.ndarray
    linear: np.ndarray  # shape (n_classes, n_features)
    constant: np.ndarray

    @classmethod
    def from_means(
        cls, means: np.ndarray, solve: Callable[[np.ndarray], np.ndarray] = lambda columns: columns
    ) -> CentredDiscriminant:
        """Return the discriminant of the nearest mean in the metric of C; ``solve`` multiplies columns by its inverse.

        >>> CentredDiscriminant.from_means(np.array([[0.0], [2.0]]))(np.array([[1.0], [3.0]]))
        array([[-0.5, -0.5],
               [-2.5,  1.5]])
        """
        m = means.mean(axis=0)
        rest = means - m
        linear = solve(rest.T).T
        return cls(m, linear, -0.5 * np.sum(rest * linear, axis=1))

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Return g_k(x), an array of shape (n_samples, n_classes)."""
        return (X - self.m) @ self.linear.T + self.constant


def compute_discriminant(model: Any) -> Discriminant:
    """Return log p(x,k) as a linear or quadratic function per class, up to a function common to all classes.

    Parameters
    ----------
    model : Model or fitted classifier
        A `Model` whose densities are all `Gaussian` or all `Rayleigh`, or scikit-learn's fitted
        LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis or GaussianNB.

    Examples
    --------
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> lda = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
    >>> [round(float(part.item()), 9) for part in map(np.asarray, compute_discriminant(lda).boundary(1, 0))]
    [0.0, 4.0, -12.0]
    """
    if hasattr(model, "densities"):
        return _from_densities(model)
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from sklearn.naive_bayes import GaussianNB

    if isinstance(model, LinearDiscriminantAnalysis):
        b, c = model.coef_, model.intercept_
        if len(model.classes_) == 2:  # scikit-learn keeps the difference only
            b, c = np.vstack([np.zeros_like(b), b]), np.append(0.0, c)
        return Discriminant(None, b, c)
    if isinstance(model, QuadraticDiscriminantAnalysis):
        parts = zip(model.means_, model.rotations_, model.scalings_, model.priors_, strict=True)
        return Discriminant.from_functions(
            [_from_gaussian(mean, (R / S) @ R.T, np.log(S).sum(), prior) for mean, R, S, prior in parts]
        )
    if isinstance(model, GaussianNB):
        columns = zip(model.theta_, model.var_, model.class_prior_, strict=True)
        return Discriminant.from_functions(
            [_from_gaussian(mean, np.diag(1 / v), np.log(v).sum(), prior) for mean, v, prior in columns]
        )
    raise ValueError(f"{type(model).__name__}: its discriminant is not known to be linear or quadratic.")


def _from_densities(model: Any) -> Discriminant:
    kinds = {type(density).__name__ for density in model.densities}
    if len(kinds) > 1 or not all(hasattr(density, "log_kernel") for density in model.densities):
        raise ValueError(f"The densities are {', '.join(sorted(kinds))}: the discriminant is not quadratic.")
    found = Discriminant.from_functions([density.log_kernel() for density in model.densities])
    with np.errstate(divide="ignore"):
        found = found.add_constants(np.log(model.priors))
    if found.quadratic is None:  # then the normalising constants are equal too
        return found
    return found.add_constants(np.array([density.log_constant() for density in model.densities]))


def _from_gaussian(mean: np.ndarray, P: np.ndarray, log_det: float, prior: float) -> QuadraticFunction:
    """Return log of prior times Gaussian, with the precision matrix P."""
    with np.errstate(divide="ignore"):
        return QuadraticFunction(-0.5 * P, P @ mean, float(np.log(prior) - 0.5 * (mean @ P @ mean + log_det)))
