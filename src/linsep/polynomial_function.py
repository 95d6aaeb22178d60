r"""Polynomials with exact coefficients: discriminant functions to be printed and evaluated (B1, B3).

.. math:: g(x) = \sum_\alpha c_\alpha\, x^\alpha , \qquad \text{decide for } classes\_[1] \text{ if } g(x) > 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from sklearn.utils import check_array

Monomial = tuple[int, ...]  # indices of its variables in order, repeated by power: (0, 0, 2) is x1² x3
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, repr=False)
class PolynomialFunction:
    """A polynomial g in named variables; ``g(X)`` evaluates it, ``str(g)`` is the decision rule "g > 0".

    The coefficients are fractions, so that rewriting a lifted rule in the original variables is exact. Far from 0
    the terms of a polynomial are huge and cancel each other; g is therefore evaluated in the variables x - centre.

    Parameters
    ----------
    names : tuple of str
        Names of the variables.
    terms : dict
        Maps each monomial, a tuple of variable indices, to its coefficient, a `Fraction`.
    centre : tuple of float, default=()
        A point near the data; empty: the origin.
    compute_variables : callable, default=None
        Computes the variables from X where they are functions of its columns; None: the columns themselves.

    Examples
    --------
    >>> g = PolynomialFunction(("x1", "x2"), {(0, 0): Fraction(1, 2), (0, 1): Fraction(-2), (): Fraction(3)})
    >>> print(g)
    0.5·x1² − 2·x1·x2 + 3 > 0
    >>> g([[2.0, 1.0], [2.0, 3.0]])
    array([ 1., -7.])
    >>> g.exponents.tolist(), g.coefficients.tolist()
    ([[2, 0], [1, 1], [0, 0]], [0.5, -2.0, 3.0])
    """

    names: tuple[str, ...]
    terms: dict[Monomial, Fraction]
    centre: tuple[float, ...] = ()
    compute_variables: Callable[[Any], np.ndarray] | None = None

    @classmethod
    def linear(cls, w: Any, w0: float | Fraction, names: Sequence[str], **fields: Any) -> PolynomialFunction:
        """Return the polynomial <w,x> + w0 of degree one.

        >>> print(PolynomialFunction.linear([2.5, -4.5], -1.0, ["x1", "x2"]))
        2.5·x1 − 4.5·x2 − 1 > 0
        """
        terms: dict[Monomial, Fraction] = {(j,): Fraction(value) for j, value in enumerate(map(float, w))}
        terms[()] = Fraction(w0)
        return cls(tuple(names), drop_zeros(terms), **fields)

    @property
    def degree(self) -> int:
        """Largest number of factors in a term."""
        return max(map(len, self.terms), default=0)

    @cached_property
    def _monomials(self) -> list[Monomial]:
        """The monomials in the order of printing: high degrees first."""
        return sorted(self.terms, key=lambda monomial: (-len(monomial), monomial))

    @property
    def exponents(self) -> np.ndarray:
        """Array of shape (n_terms, n_variables)."""
        return np.array(
            [[monomial.count(j) for j in range(len(self.names))] for monomial in self._monomials], dtype=np.int64
        ).reshape(-1, len(self.names))

    @property
    def coefficients(self) -> np.ndarray:
        """One number per term, in the order of ``exponents``: the exact coefficient, rounded once."""
        return np.array([self._round(monomial, self.terms[monomial]) for monomial in self._monomials])

    def to_string(self, digits: int = 4) -> str:
        """Return the polynomial with this number of significant digits: '0.5·x1² − 2·x1·x2 + 3'."""
        names = [self._format_monomial(monomial) for monomial in self._monomials]
        return format_sum(zip(self.coefficients, names, strict=True), digits)

    def __str__(self) -> str:
        return f"{self.to_string()} > 0"

    def __repr__(self) -> str:
        return f"<PolynomialFunction of degree {self.degree}: {len(self.terms)} terms in {len(self.names)} variables>"

    def __call__(self, X: Any) -> np.ndarray:
        """Evaluate g at every row of X."""
        V = self._check_columns(X) if self.compute_variables is None else self.compute_variables(X)
        columns: dict[int, np.ndarray] = {}
        total = np.zeros(V.shape[0])
        with np.errstate(all="ignore"):  # an overflow is reported below
            for monomial, value in self._centred_terms:
                product = np.full(total.size, value)
                for j in monomial:
                    if j not in columns:
                        column = V[:, j] if isinstance(V, np.ndarray) else V[:, [j]].toarray()[:, 0]
                        columns[j] = column - (self.centre[j] if self.centre else 0.0)
                    product *= columns[j]
                total += product
        for row in np.flatnonzero(~np.isfinite(total))[:1]:
            raise ValueError(f"The polynomial overflows in row {row}: give the variables in other units.")
        return total

    def _check_columns(self, X: Any) -> Any:
        """X as float64, its columns those of the polynomial."""
        columns = list(map(str, getattr(X, "columns", ())))
        X = check_array(X, dtype=np.float64, accept_sparse="csc", estimator="PolynomialFunction", input_name="X")
        if X.shape[1] != len(self.names):
            raise ValueError(f"X has {X.shape[1]} columns, but the polynomial has {len(self.names)} variables.")
        if set(columns) == set(self.names) and columns != list(self.names):
            raise ValueError(f"X has the columns {columns}, but the polynomial's variables are {list(self.names)}.")
        return X

    @cached_property
    def _centred_terms(self) -> list[tuple[Monomial, float]]:
        """The terms in the variables x - centre."""
        terms = substitute_affine(self.terms, [-Fraction(at) for at in self.centre]) if self.centre else self.terms
        return [(monomial, self._round(monomial, value)) for monomial, value in terms.items()]

    def _format_monomial(self, monomial: Monomial) -> str:
        """The names of the factors with their powers; names that are sums or products stand in parentheses."""
        factors = []
        for j in dict.fromkeys(monomial):
            name = f"({self.names[j]})" if set(self.names[j]) & set("+-−·*/^") else self.names[j]
            power = monomial.count(j)
            factors.append(name + (str(power).translate(SUPERSCRIPTS) if power > 1 else ""))
        return "·".join(factors)

    def _round(self, monomial: Monomial, value: Fraction) -> float:
        try:
            rounded = float(value)
        except OverflowError:
            rounded = 0.0
        if rounded == 0 != value:
            kind = "large" if abs(value) > 1 else "small"
            name = self._format_monomial(monomial) or "1"
            raise ValueError(f"The coefficient of {name} is too {kind} for a float: give the variables in other units.")
        return rounded


def format_sum(terms: Iterable[tuple[float, str]], digits: int = 4) -> str:
    """Format a sum of coefficients times names; terms with coefficient 0 are left out.

    >>> format_sum([(2.5, "x"), (-1.0, "y"), (0.0, "z"), (-1 / 3, "")])
    '2.5·x − y − 0.3333'
    """
    formatted = ""
    for value, name in terms:
        if value != 0:
            sign = ("−" if value < 0 else "") if not formatted else (" − " if value < 0 else " + ")
            size = f"{abs(value):.{digits}g}"
            formatted += sign + (name if name and abs(value) == 1 else f"{size}·{name}" if name else size)
    return formatted or "0"


def substitute_affine(
    terms: dict[Monomial, Fraction], centres: Sequence[Fraction], factors: Sequence[Fraction] | None = None
) -> dict[Monomial, Fraction]:
    """Rewrite a polynomial in the variables u = factor · (x - centre) as a polynomial in x, exactly.

    One variable after the other, by the binomial theorem: c u^n = Σ_i c f^n C(n,i) (-centre)^(n-i) x^i.

    >>> substitute_affine({(0, 0): Fraction(2)}, [Fraction(3)])  # 2 (x - 3)²
    {(): Fraction(18, 1), (0,): Fraction(-12, 1), (0, 0): Fraction(2, 1)}
    """
    terms = dict(terms)
    for j, centre in enumerate(centres):
        factor = Fraction(1) if factors is None else factors[j]
        if centre == 0 and factor == 1:
            continue
        binomial: dict[int, list[Fraction]] = {}
        for monomial, value in [(monomial, terms.pop(monomial)) for monomial in list(terms) if j in monomial]:
            at, n = monomial.index(j), monomial.count(j)
            if n not in binomial:
                binomial[n] = [factor**n * comb(n, i) * (-centre) ** (n - i) for i in range(n + 1)]
            for i, share in enumerate(binomial[n]):
                lower = monomial[:at] + (j,) * i + monomial[at + n :]
                terms[lower] = terms.get(lower, Fraction(0)) + value * share
    return drop_zeros(terms)


def drop_zeros(terms: dict[Monomial, Fraction]) -> dict[Monomial, Fraction]:
    """Return the terms with a coefficient other than 0."""
    return {monomial: value for monomial, value in terms.items() if value != 0}


def variable_names(estimator: Any) -> list[str]:
    """Return the names of an estimator's columns: those it was fitted with, or x1, x2, ..., or x for a single one."""
    count = estimator.n_features_in_
    plain = ["x"] if count == 1 else [f"x{j + 1}" for j in range(count)]
    return list(getattr(estimator, "feature_names_in_", plain))


def write_polynomials(rule: Any, lift: Any = None) -> PolynomialFunction | tuple[PolynomialFunction, ...]:
    """The g of every row of ``coef_`` written out; a single one as it is."""
    if len(rule.classes_) > 2 and hasattr(getattr(rule, "committee_", rule), "pairs_"):
        raise ValueError("as_polynomial: one versus one decides by votes, no class has a g of its own.")
    w = np.atleast_2d(rule.coef_)
    rows = zip(w, np.broadcast_to(rule.intercept_, len(w)).tolist(), strict=True)
    found = tuple(
        PolynomialFunction.linear(*row, variable_names(rule)) if lift is None else lift.expand(*row) for row in rows
    )
    return found[0] if len(found) == 1 else found
