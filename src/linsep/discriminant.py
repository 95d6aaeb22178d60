r"""Discriminant functions written out: polynomials with exact coefficients, to be read and evaluated (B1, B3).

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

Monomial = tuple[int, ...]  # its variables in order, each as often as it is a factor: (0, 0, 2) is x1² x3
Terms = dict[Monomial, Fraction]


@dataclass(frozen=True, repr=False)
class Discriminant:
    """A polynomial g in named variables; ``g(X)`` evaluates it, ``str(g)`` writes the rule "g > 0".

    Coefficients are kept as fractions, so that nothing is lost in writing a lifted rule back in the original
    variables; ``coefficients`` are these rounded once. ``about`` is a point near the data: far from 0 the
    terms of a polynomial are huge and cancel, so g is evaluated in the variables x - about, which do not.
    Where the variables are functions of X, ``of`` computes them.

    >>> g = Discriminant(("x1", "x2"), {(0, 0): Fraction(1, 2), (0, 1): Fraction(-2), (): Fraction(3)})
    >>> print(g)
    0.5·x1² − 2·x1·x2 + 3 > 0
    >>> g([[2.0, 1.0], [2.0, 3.0]])
    array([ 1., -7.])
    >>> g.exponents.tolist(), g.coefficients.tolist()
    ([[2, 0], [1, 1], [0, 0]], [0.5, -2.0, 3.0])
    """

    names: tuple[str, ...]
    terms: Terms
    about: tuple[float, ...] = ()
    of: Callable[[Any], np.ndarray] | None = None

    @classmethod
    def linear(cls, w: Iterable[float], w0: float | Fraction, names: Sequence[str], **more: Any) -> Discriminant:
        """The polynomial of degree one <w,x> + w0.

        >>> print(Discriminant.linear([2.5, -4.5], -1.0, ["x1", "x2"]))
        2.5·x1 − 4.5·x2 − 1 > 0
        """
        terms: Terms = {(j,): Fraction(value) for j, value in enumerate(map(float, w))}
        terms[()] = Fraction(w0)
        return cls(tuple(names), nonzero(terms), **more)

    @property
    def degree(self) -> int:
        """The largest number of factors in a term."""
        return max(map(len, self.terms), default=0)

    @cached_property
    def _ordered(self) -> list[Monomial]:
        """The monomials as they are written: high degrees first."""
        return sorted(self.terms, key=lambda monomial: (-len(monomial), monomial))

    @property
    def exponents(self) -> np.ndarray:
        """One row a term, one column a variable."""
        powers = np.zeros((len(self.terms), len(self.names)), dtype=np.int64)
        for row, monomial in zip(powers, self._ordered, strict=True):
            for j in monomial:
                row[j] += 1
        return powers

    @property
    def coefficients(self) -> np.ndarray:
        """One number a term, in the order of ``exponents``: the exact coefficient, rounded once."""
        return np.array([self._rounded(monomial, self.terms[monomial]) for monomial in self._ordered])

    def text(self, digits: int = 4) -> str:
        """The polynomial with so many digits: '0.5·x1² − 2·x1·x2 + 3'."""
        names = [self._written(monomial) for monomial in self._ordered]
        return written(zip(self.coefficients, names, strict=True), digits)

    def __str__(self) -> str:
        return f"{self.text()} > 0"

    def __repr__(self) -> str:
        return f"<Discriminant of degree {self.degree}: {len(self.terms)} terms in {len(self.names)} variables>"

    def __call__(self, X: Any) -> np.ndarray:
        """g of every row of X."""
        V = self.of(X) if self.of is not None else self._checked(X)
        columns: dict[int, np.ndarray] = {}
        total = np.zeros(V.shape[0])
        with np.errstate(all="ignore"):  # what overflows is reported below
            for monomial, value in self._local:
                product = np.full(total.size, value)
                for j in monomial:
                    if j not in columns:
                        columns[j] = _column(V, j) - (self.about[j] if self.about else 0.0)
                    product *= columns[j]
                total += product
        for row in np.flatnonzero(~np.isfinite(total))[:1]:
            raise ValueError(f"The polynomial overflows in row {row}: give the variables in other units.")
        return total

    def _checked(self, X: Any) -> Any:
        """X as float64, its columns those of the polynomial."""
        columns = list(map(str, getattr(X, "columns", ())))
        X = check_array(X, dtype=np.float64, accept_sparse="csc", estimator="Discriminant", input_name="X")
        if X.shape[1] != len(self.names):
            raise ValueError(f"X has {X.shape[1]} columns, but the polynomial has {len(self.names)} variables.")
        if set(columns) == set(self.names) and columns != list(self.names):
            raise ValueError(f"X has the columns {columns}, but the polynomial's variables are {list(self.names)}.")
        return X

    @cached_property
    def _local(self) -> list[tuple[Monomial, float]]:
        """The terms in the variables x - about."""
        local = substitute(self.terms, [-Fraction(at) for at in self.about]) if self.about else self.terms
        return [(monomial, self._rounded(monomial, value)) for monomial, value in local.items()]

    def _written(self, monomial: Monomial) -> str:
        """A monomial with the names of its variables; sums and products among the names in parentheses."""
        names = {j: f"({self.names[j]})" if set(self.names[j]) & set("+-−·*/^") else self.names[j] for j in monomial}
        raised = {j: str(monomial.count(j)).translate(RAISED) if monomial.count(j) > 1 else "" for j in monomial}
        return "·".join(names[j] + raised[j] for j in names)

    def _rounded(self, monomial: Monomial, value: Fraction) -> float:
        try:
            rounded = float(value)
        except OverflowError:
            rounded = 0.0
        if rounded == 0 != value:
            kind = "large" if abs(value) > 1 else "small"
            name = self._written(monomial) or "1"
            raise ValueError(f"The coefficient of {name} is too {kind} for a float: give the variables in other units.")
        return rounded


RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def written(terms: Iterable[tuple[float, str]], digits: int = 4) -> str:
    """A sum of numbers times names, as one writes it; terms that are 0 are left out.

    >>> written([(2.5, "x"), (-1.0, "y"), (0.0, "z"), (-1 / 3, "")])
    '2.5·x − y − 0.3333'
    """
    text = ""
    for value, name in terms:
        if value != 0:
            sign = ("−" if value < 0 else "") if not text else (" − " if value < 0 else " + ")
            size = f"{abs(value):.{digits}g}"
            text += sign + (name if name and abs(value) == 1 else f"{size}·{name}" if name else size)
    return text or "0"


def substitute(terms: Terms, centres: Sequence[Fraction], factors: Sequence[Fraction] | None = None) -> Terms:
    """The polynomial in x that ``terms`` are in the variables u = factor · (x - centre), exactly.

    One variable after the other, by the binomial theorem: c u^n = Σ_i c f^n C(n,i) (-centre)^(n-i) x^i.

    >>> substitute({(0, 0): Fraction(2)}, [Fraction(3)])  # 2 (x - 3)²
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
    return nonzero(terms)


def nonzero(terms: Terms) -> Terms:
    """The terms that are not 0."""
    return {monomial: value for monomial, value in terms.items() if value != 0}


def variables(estimator: Any) -> list[str]:
    """What the columns that an estimator has seen are called: by their names, or x1, x2, ..., a single one x."""
    count = estimator.n_features_in_
    plain = ["x"] if count == 1 else [f"x{j + 1}" for j in range(count)]
    return list(getattr(estimator, "feature_names_in_", plain))


def _column(V: Any, j: int) -> np.ndarray:
    return V[:, j] if isinstance(V, np.ndarray) else V[:, [j]].toarray()[:, 0]
