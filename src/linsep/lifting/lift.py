r"""Lifting: rows are replaced by functions of them, in which a hyperplane separates what none could before (B3).

.. math:: x \leftarrow \phi(x), \qquad \phi: R^D \to R^{D+D'}, \qquad g(x) = \langle w, \phi(x)\rangle + w_0

The columns of phi are centred and scaled, as S0 takes x² - 1 rather than x²: Novikoff's bound D²/m² falls, and
with it the number of updates (docs/lifting.md has figures). The learned rule is written back in the original
variables by `Lifted.as_polynomial`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_feature_names_in, _check_sample_weight, check_is_fitted, has_fit_parameter

from ..certificates.margin import Certificate
from ..discriminant import Discriminant, Terms, substitute, variables
from ..estimators._linear import write_polynomials as polynomials
from ..estimators._validation import all_or_nothing
from ..estimators._validation import check_input as checked

FLAT = 1e-7  # a product that varies by less than this share of its size counts as constant


class Lift(TransformerMixin, BaseEstimator):
    """What all lifts share: the columns of phi, centred and scaled, and the way back to the original variables."""

    centre: bool
    scale: bool
    scaler_: StandardScaler  # of the columns of phi

    _parameter_constraints: dict = {"centre": ["boolean"], "scale": ["boolean"]}

    def _learn(self, X, weight) -> None:
        """Look at the rows before phi is known."""

    def _soften(self) -> None:
        """Look at the scaler of the columns of phi."""

    def _phi(self, X):
        """The columns of phi, neither centred nor scaled."""
        raise NotImplementedError(f"{type(self).__name__} names no functions")

    def _expand(self, v: np.ndarray, v0: Fraction) -> Discriminant:
        """The function <v, phi(x)> + v0 of the original variables."""
        raise NotImplementedError(f"{type(self).__name__} can't be written out")

    def _names(self, names: list[str]) -> list[str]:
        """What the columns of phi are called where the variables are called ``names``."""
        raise NotImplementedError(f"{type(self).__name__} names no functions")

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Choose centre and scale of every column from the rows of ``X``; weights 0 leave a row out, y is ignored."""
        self._validate_params()
        X = self._checked(X, reset=True)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if not weight.any():
                raise ValueError("sample_weight: all weights are zero, so there is nothing to learn from.")
            X, weight = X[weight > 0], weight[weight > 0]  # absent means absent: not even rounding may tell
        self._learn(X, weight)
        self.scaler_ = self._scaler(self._phi(X), weight, self._names(variables(self)))
        self._soften()
        return self

    def transform(self, X):
        """The columns of phi for every row of ``X``, centred and scaled."""
        check_is_fitted(self)
        return self.scaler_.transform(self._phi(self._checked(X, reset=False)), copy=False)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """The names of the columns, in scikit-learn's manner: variables without a name are x0, x1, ..."""
        check_is_fitted(self)
        return np.array(self._names(list(_check_feature_names_in(self, input_features))), dtype=object)

    def expand(self, w, w0: float = 0.0) -> Discriminant:
        """The function <w, phi(x)> + w0, for weights of the lifted columns, written in the original variables."""
        check_is_fitted(self)
        w = np.asarray(w, dtype=np.float64).ravel()
        if w.size != self.scaler_.n_features_in_ or not np.isfinite([*w, w0]).all():
            raise ValueError(f"w: {self.scaler_.n_features_in_} finite numbers are wanted, one for each lifted column.")
        means, sizes = _affine(self.scaler_)
        v = w / sizes
        shift = sum((Fraction(a) * Fraction(b) for a, b in zip(v.tolist(), means.tolist(), strict=True)), Fraction(0))
        return self._expand(v, Fraction(float(w0)) - shift)

    def _checked(self, X, *, reset: bool):
        sparse = get_tags(self).input_tags.sparse
        return checked(self, X, accept_sparse="csr" if sparse else False, dtype=np.float64, reset=reset)

    def _scaler(self, X, weight, names: list[str]) -> StandardScaler:
        """Mean and standard deviation of the columns."""
        with np.errstate(all="ignore"):  # what overflows is reported below
            scaler = StandardScaler(with_mean=self.centre, with_std=self.scale).set_output(transform="default")
            scaler.fit(X, sample_weight=weight)
        spread = scaler.var_ if self.scale else np.zeros(len(names))  # infinite where squares overflow
        for j in np.flatnonzero(~np.isfinite([*_affine(scaler), spread]).all(axis=0))[:1]:
            raise ValueError(f"{type(self).__name__}: {names[j]} is too large to be scaled; give it in another unit.")
        return scaler


class Polynomial(Lift):
    r"""All products of up to ``degree`` variables, each product centred and scaled.

    .. math:: u_j = (x_j - \bar x_j)/s_j, \qquad \phi_\alpha(x) = (u^\alpha - \overline{u^\alpha})/\sigma_\alpha

    scikit-learn's PolynomialFeatures between two StandardScalers: high powers of variables far from 0 are
    nearly the same function, products of centred ones are not. There is no column of ones: the rule has a bias.

    Parameters
    ----------
    degree : int, default=2
        The largest number of factors.
    centre : bool, default=True
        Subtract means, of the variables and of their products. CSR input stays sparse, so it needs False.
    scale : bool, default=True
        Divide by standard deviations, likewise.

    Examples
    --------
    S0's (32) and (33): the rule 3 - 1.5 x + 3.12 (x² - 1), learned behind (x, x² - 1), in powers of x.

    >>> from linsep import Polynomial
    >>> lift = Polynomial(scale=False).fit([[-1.0], [1.0]])  # the mean of x is 0, that of x² is 1
    >>> lift.transform([[2.0]])
    array([[2., 3.]])
    >>> print(lift.expand([-1.5, 3.12], 3.0))
    3.12·x² − 1.5·x − 0.12 > 0
    """

    inner_: StandardScaler  # of the variables
    products_: PolynomialFeatures

    _parameter_constraints: dict = {
        **Lift._parameter_constraints,
        "degree": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, degree=2, *, centre=True, scale=True):
        self.degree = degree
        self.centre = centre
        self.scale = scale

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.centre
        return tags

    def _checked(self, X, *, reset: bool):
        if self.centre and sp.issparse(X):
            raise TypeError(f"{type(self).__name__}: centring would fill a sparse X with numbers; say centre=False.")
        return super()._checked(X, reset=reset)

    def _learn(self, X, weight) -> None:
        self.inner_ = self._scaler(X, weight, variables(self))
        self.products_ = PolynomialFeatures(self.degree, include_bias=False).set_output(transform="default").fit(X)

    def _soften(self) -> None:
        """Products that hardly vary are centred only: scaled up, they would be little but rounding errors."""
        if self.centre and self.scale:
            deviation = np.sqrt(self.scaler_.var_)
            self.scaler_.scale_[deviation < FLAT * np.hypot(self.scaler_.mean_, deviation)] = 1.0

    def _phi(self, X):
        with np.errstate(all="ignore"):
            phi = self.products_.transform(self.inner_.transform(X))
        if not np.isfinite(phi.data if sp.issparse(phi) else phi).all():
            raise ValueError(
                f"{type(self).__name__}: a product of {self.degree} variables overflows; "
                "scale=True or other units may help."
            )
        return phi

    def _names(self, names: list[str]) -> list[str]:
        return self.products_.get_feature_names_out(names).tolist()

    def _expand(self, v: np.ndarray, v0: Fraction) -> Discriminant:
        names = variables(self)
        terms: Terms = {(): v0}
        for value, powers in zip(v.tolist(), self.products_.powers_, strict=True):
            terms[tuple(np.repeat(np.arange(len(names)), powers).tolist())] = Fraction(value)
        means, sizes = _affine(self.inner_)
        centres, factors = map(Fraction, means.tolist()), map(Fraction, (1 / sizes).tolist())
        return Discriminant(tuple(names), substitute(terms, list(centres), list(factors)), tuple(means.tolist()))


class Quadratic(Polynomial):
    """`Polynomial` of degree 2: g(x) = x'Wx + <w,x> + w0, whose boundary is a conic (S3).

    >>> from linsep import Lifted, Perceptron, Quadratic
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]  # no line does this
    >>> rule = Lifted(Quadratic(), Perceptron()).fit(X, y)
    >>> rule.predict(X).tolist(), rule.as_polynomial().degree
    ([0, 1, 1, 0], 2)
    """

    degree = 2

    def __init__(self, *, centre=True, scale=True):
        self.centre = centre
        self.scale = scale


class Functions(Lift):
    r"""Any functions of the row, centred and scaled; the rule is read as a combination of them.

    Parameters
    ----------
    functions : list of callables or of pairs (name, callable)
        Each is given the table X (n x d, float64, read-only) and returns n numbers or an n x k table.
        NumPy's functions of one argument will do: ``np.sin`` makes d columns.
    passthrough : bool, default=True
        Keep the variables themselves: the dimension grows by D', as in S0's (31).
    centre, scale : bool, default=True
        Subtract means, divide by standard deviations of the columns. The functions see X as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep import Functions, Lifted, Perceptron
    >>> X, y = [[-2.0], [-1.5], [-0.5], [0.0], [0.5], [1.5], [2.0]], [1, 1, 0, 0, 0, 1, 1]
    >>> lift = Functions([np.cos, ("x² − 1", lambda X: X[:, 0] ** 2 - 1)], centre=False, scale=False)
    >>> rule = Lifted(lift, Perceptron()).fit(X, y)
    >>> print(rule.as_polynomial())
    −2·x − 0.4161·cos(x) + 3·(x² − 1) + 1 > 0
    """

    widths_: list[int]  # columns that each function makes

    _parameter_constraints: dict = {
        **Lift._parameter_constraints,
        "functions": [list, tuple],
        "passthrough": ["boolean"],
    }

    def __init__(self, functions, *, passthrough=True, centre=True, scale=True):
        self.functions = functions
        self.passthrough = passthrough
        self.centre = centre
        self.scale = scale

    def _named(self) -> Iterator[tuple[str, str, Callable]]:
        """Each function with the name it was given, if any, and the name it goes by."""
        for k, item in enumerate(self.functions, start=1):
            given, function = item if isinstance(item, tuple) and len(item) == 2 else ("", item)
            if not callable(function) or not isinstance(given, str):
                raise ValueError(f"functions: a callable or a pair (name, callable) is wanted, not {item!r}.")
            own = getattr(function, "__name__", "<nameless>")
            yield given, given or (own if own.isidentifier() else f"f{k}"), function

    def _learn(self, X, weight) -> None:
        if not len(self.functions):
            raise ValueError("functions: at least one is wanted.")
        self.widths_ = [block.shape[1] for block in self._blocks(X)]

    def _blocks(self, X) -> Iterator[np.ndarray]:
        """The columns that each function makes of X."""
        seen = X.view()
        seen.flags.writeable = False
        for _, name, function in self._named():
            with np.errstate(all="ignore"):  # what is not finite is reported below
                block = np.asarray(function(seen), dtype=np.float64)
            block = block[:, None] if block.ndim == 1 else block
            if block.ndim != 2 or len(block) != len(X):
                raise ValueError(
                    f"functions: {name} made {block.shape} of {len(X)} rows; as many numbers, or rows, are wanted."
                )
            for row, column in np.argwhere(~np.isfinite(block))[:1]:
                raise ValueError(f"functions: {name} is {block[row, column]} in row {row}, X[{row}] = {X[row]}.")
            yield block

    def _phi(self, X):
        blocks = list(self._blocks(X))
        for (_, name, _), block, width in zip(self._named(), blocks, self.widths_, strict=True):
            if block.shape[1] != width:
                raise ValueError(f"functions: {name} made {block.shape[1]} columns, but {width} in fit.")
        return np.hstack([X, *blocks] if self.passthrough else blocks)

    def _variables(self, X) -> np.ndarray:
        """The functions of rows that are not yet checked."""
        return self._phi(self._checked(X, reset=False))

    def _names(self, names: list[str]) -> list[str]:
        columns = list(names) if self.passthrough else []
        for (given, name, _), width in zip(self._named(), self.widths_, strict=True):
            if width == 1 and (given or len(names) > 1):
                columns.append(given or f"{name}({', '.join(names) if len(names) <= 3 else 'x'})")
            elif width == len(names):
                columns += [f"{name}({variable})" for variable in names]
            else:
                columns += [f"{name}[{k + 1}]" for k in range(width)]
        return columns

    def _expand(self, v: np.ndarray, v0: Fraction) -> Discriminant:
        means, _ = _affine(self.scaler_)
        names = self._names(variables(self))
        return Discriminant.linear(v, v0, names, about=tuple(means.tolist()), of=self._variables)


def _affine(scaler: StandardScaler) -> tuple[np.ndarray, np.ndarray]:
    """What a scaler subtracts from each column, and what it divides it by."""
    count = scaler.n_features_in_
    return (
        scaler.mean_ if scaler.with_mean else np.zeros(count),
        scaler.scale_ if scaler.with_std else np.ones(count),
    )


class Lifted(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A lift and a classifier in the lifted space, as one classifier: decide by g(x) = <w, phi(x)> + w0.

    Parameters
    ----------
    lift : transformer
        `Polynomial`, `Quadratic`, `Functions`; any other transformer, too, but without `as_polynomial`.
    classifier : classifier
        Any of this package, or another with ``coef_`` and ``intercept_``.

    Attributes
    ----------
    lift_, classifier_
        Both, fitted.
    certificate_ : Certificate
        The classifier's: it speaks of the lifted rows, and `check` computes it again.
    classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from linsep import Lifted, MaximumMargin, Polynomial
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [6.0]], [1, 1, 0, 0, 1, 1]
    >>> rule = Lifted(Polynomial(2), MaximumMargin()).fit(X, y)
    >>> rule.certificate_.status, bool(rule.check(X, y)), rule.predict(X).tolist()
    ('optimal', True, [1, 1, 0, 0, 1, 1])
    >>> print(rule.as_polynomial())
    0.06188·x² − 0.3094·x + 0.3094 > 0
    """

    _parameter_constraints: dict = {
        "lift": [HasMethods(["fit", "transform"])],
        "classifier": [HasMethods(["fit", "predict"])],
    }

    def __init__(self, lift, classifier):
        self.lift = lift
        self.classifier = classifier

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.lift).input_tags.sparse
        tags.classifier_tags = get_tags(self.classifier).classifier_tags
        return tags

    @all_or_nothing
    def fit(self, X, y, sample_weight=None):
        """Fit the lift to ``X``, then the classifier to the lifted rows and ``y``; weights go to both."""
        self._validate_params()
        self._raise(X, y, sample_weight)
        self.classifier_ = clone(self.classifier).fit(self.lift_.transform(X), y, **_weights(sample_weight))
        return self

    @available_if(lambda self: hasattr(self.classifier, "partial_fit"))
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Go on learning from more rows. Centre and scale are those of the first ones."""
        self._validate_params()
        if not hasattr(self, "classifier_"):
            self._raise(X, y, sample_weight)
            self.classifier_ = clone(self.classifier)
        self.classifier_.partial_fit(self.lift_.transform(X), y, classes=classes, **_weights(sample_weight))
        return self

    def _raise(self, X, y, sample_weight) -> None:
        """Fit the lift. The classifier gets plain tables from it, whatever scikit-learn is told to put out."""
        weights = _weights(sample_weight) if has_fit_parameter(self.lift, "sample_weight") else {}
        lift = clone(self.lift)
        self.lift_ = (lift.set_output(transform="default") if hasattr(lift, "set_output") else lift).fit(
            X, y, **weights
        )

    @property
    def classes_(self) -> np.ndarray:
        """The labels."""
        return self.classifier_.classes_

    @property
    def certificate_(self) -> Certificate:
        """What is proved about the lifted rows."""
        if hasattr(self.classifier_, "certificates_"):
            raise AttributeError("a committee has no certificate_ but certificates_, one a problem.")
        return self.classifier_.certificate_

    @property
    def certificates_(self) -> list:
        """What is proved about each problem of a committee."""
        return self.classifier_.certificates_

    @property
    def n_features_in_(self) -> int:
        """The number of original variables."""
        return self.lift_.n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """The names of the original variables, where they have names."""
        return self.lift_.feature_names_in_

    def decision_function(self, X) -> np.ndarray:
        """g(x) = <w, phi(x)> + w0."""
        check_is_fitted(self)
        return self.classifier_.decision_function(self.lift_.transform(X))

    def predict(self, X) -> np.ndarray:
        """The class that the classifier decides for."""
        check_is_fitted(self)
        return self.classifier_.predict(self.lift_.transform(X))

    def check(self, X, y, sample_weight=None) -> Any:
        """Compute every claim of the certificate again from the lifted rows, with code of its own."""
        check_is_fitted(self)
        return self.certificate_.check(self.lift_.transform(X), y, sample_weight)

    def as_polynomial(self) -> Discriminant | tuple[Discriminant, ...]:
        """g in the original variables; for more than two classes one g a class, in the order of ``classes_``."""
        check_is_fitted(self)
        for part, needed in ((self.lift_, "expand"), (self.classifier_, "coef_")):
            if not hasattr(part, needed):
                raise TypeError(f"as_polynomial: {type(part).__name__} has no {needed}, so g can't be written out.")
        return polynomials(self.classifier_, self.lift_)


def _weights(sample_weight) -> dict[str, Any]:
    """Weights as an argument, where there are any: not every ``fit`` takes them."""
    return {} if sample_weight is None else {"sample_weight": sample_weight}
