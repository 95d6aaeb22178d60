"""Lifting to any functions of the row: `Functions` (B3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from ..polynomial_function import PolynomialFunction, drop_zeros, variable_names
from .expressions import Terms, read_polynomial
from .lift import Lift, get_affine


class Functions(Lift):
    r"""Any functions of the row, centred and scaled; the rule is a linear combination of them.

    Parameters
    ----------
    functions : list of callables, polynomials as text, or pairs (name, one of these)
        A callable gets the array X of shape (n, d), float64 and read-only, and returns n numbers or an array of n rows.
        NumPy's functions of one argument can be used: ``np.sin`` returns d columns. A text such as "x1^2 - x1*x2", in
        the names of the variables (x, or x1, x2, ...; of data frames their columns), is read without running code, and
        `as_polynomial` multiplies it out.
    passthrough : bool, default=True
        Keep the variables themselves: the dimension grows by D', as in S0's (31).
    centre : bool, default=True
        Subtract the means of the columns. The functions get X as it is.
    scale : bool, default=True
        Divide the columns by their standard deviations.

    Attributes
    ----------
    widths_ : list of int
        Number of columns per function.
    scaler_ : StandardScaler
        Scaler of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from linsep import Functions, Lifted, Perceptron
    >>> X, y = [[-2.0], [-1.5], [-0.5], [0.0], [0.5], [1.5], [2.0]], [1, 1, 0, 0, 0, 1, 1]
    >>> lift = Functions([np.cos, ("x² − 1", lambda X: X[:, 0] ** 2 - 1)], centre=False, scale=False)
    >>> rule = Lifted(lift, Perceptron()).fit(X, y)
    >>> print(rule.as_polynomial())
    −2·x − 0.4161·cos(x) + 3·(x² − 1) + 1 > 0
    >>> rule = Lifted(Functions([np.cos, "x^2 - 1"], centre=False, scale=False), Perceptron()).fit(X, y)
    >>> print(rule.as_polynomial())
    3·x² − 2·x − 0.4161·cos(x) − 2 > 0
    """

    widths_: list[int]

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

    def _name_functions(self) -> Iterator[tuple[str, str, Callable]]:
        """Yield for each function the name given by the user or "", the name used in messages, and the function."""
        for k, item in enumerate(self._learned_with[0], start=1):
            given, function = item if isinstance(item, tuple) and len(item) == 2 else ("", item)
            if isinstance(function, str) and isinstance(given, str):
                names = variable_names(self)
                terms = read_polynomial(function, names)
                yield given or function, given or function, PolynomialFunction(tuple(names), terms)
                continue
            if not callable(function) or not isinstance(given, str):
                raise ValueError(
                    f"functions: expected a callable, a polynomial as text, or a pair with a name first, got {item!r}."
                )
            own = getattr(function, "__name__", "<nameless>")
            yield given, given or (own if own.isidentifier() else f"f{k}"), function

    def _fit_columns(self, X, weight) -> None:
        if not len(self.functions):
            raise ValueError("functions: expected at least one function, got none.")
        self._learned_with = list(self.functions), self.passthrough
        self.widths_ = [block.shape[1] for block in self._compute_blocks(X)]

    def _compute_blocks(self, X) -> Iterator[np.ndarray]:
        """Yield the columns of each function."""
        read_only = X.view()
        read_only.flags.writeable = False
        for _, name, function in self._name_functions():
            with np.errstate(all="ignore"):  # what is not finite is reported below
                block = np.asarray(_evaluate(function, read_only), dtype=np.float64)
            block = block[:, None] if block.ndim == 1 else block
            if block.ndim != 2 or len(block) != len(X):
                raise ValueError(f"functions: expected {len(X)} rows from {name}, got an array of shape {block.shape}.")
            for row, column in np.argwhere(~np.isfinite(block))[:1]:
                raise ValueError(f"functions: {name} is {block[row, column]} in row {row}, X[{row}] = {X[row]}.")
            yield block

    def _compute_columns(self, X):
        blocks = list(self._compute_blocks(X))
        for (_, name, _), block, width in zip(self._name_functions(), blocks, self.widths_, strict=True):
            if block.shape[1] != width:
                raise ValueError(f"functions: expected {width} columns from {name}, as in fit, got {block.shape[1]}.")
        return np.hstack([X, *blocks] if self._learned_with[1] else blocks)

    def _compute_variables(self, X) -> np.ndarray:
        """Check X and compute what polynomials are written in: its columns, and those of functions that are none."""
        X = self._check(X, reset=False)
        return np.hstack([X, self._compute_columns(X)[:, self._in_own_name()]])

    def _name_columns(self, names: list[str]) -> list[str]:
        columns = list(names) if self._learned_with[1] else []
        for (given, name, _), width in zip(self._name_functions(), self.widths_, strict=True):
            if width == 1 and (given or len(names) > 1):
                columns.append(given or f"{name}({', '.join(names) if len(names) <= 3 else 'x'})")
            elif width == len(names):
                columns += [f"{name}({variable})" for variable in names]
            else:
                columns += [f"{name}[{k + 1}]" for k in range(width)]
        return columns

    def _polynomials(self) -> list[Terms | None]:
        """The polynomial in the variables that each column is; None: of a callable."""
        d = self.n_features_in_
        columns: list[Terms | None] = [{(j,): Fraction(1)} for j in range(d)] if self._learned_with[1] else []
        for (_, _, function), width in zip(self._name_functions(), self.widths_, strict=True):
            columns += [function.terms if isinstance(function, PolynomialFunction) else None] * width
        return columns

    def _in_own_name(self) -> list[int]:
        """The columns that are no polynomials."""
        return [k for k, terms in enumerate(self._polynomials()) if terms is None]

    def _uses(self) -> np.ndarray:
        columns = self._polynomials()
        if None in columns:
            raise AttributeError("feature_importances_: a callable of Functions may use any variable.")
        return np.array(
            [[any(j in each for each in terms or ()) for j in range(self.n_features_in_)] for terms in columns]
        )

    def _expand(self, v: np.ndarray, v0: Fraction) -> PolynomialFunction:
        names, (means, _), own = variable_names(self), get_affine(self.scaler_), self._in_own_name()
        terms: Terms = {(): v0}
        for k, (value, polynomial) in enumerate(zip(v.tolist(), self._polynomials(), strict=True)):
            factor = Fraction(value)
            for monomial, share in (
                {(len(names) + own.index(k),): Fraction(1)} if k in own else polynomial or {}
            ).items():
                terms[monomial] = terms.get(monomial, Fraction(0)) + factor * share
        near = means[: len(names)].tolist() if self._learned_with[1] else [0.0] * len(names)
        columns = self._name_columns(names)
        return PolynomialFunction(
            (*names, *(columns[k] for k in own)), drop_zeros(terms), (*near, *(float(means[k]) for k in own)),
            self._compute_variables if own else None,
        )  # fmt: skip


def _evaluate(function: Callable, X: np.ndarray) -> np.ndarray:
    """The columns of a function; a polynomial is evaluated term by term."""
    if not isinstance(function, PolynomialFunction):
        return function(X)
    terms = function.terms.items()
    return sum((float(c) * np.prod(X[:, list(monomial)], axis=1) for monomial, c in terms), np.zeros(len(X)))
