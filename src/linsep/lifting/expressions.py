"""Polynomials written as text, such as ``"x1^2 - 2*x1*x2 + 1"``: read by a small grammar, never evaluated as code (B3).

A sum has products with ``+`` and ``-`` between them; a product has powers with ``*``, ``·``, nothing, or ``/`` and a
number between them; a power is a number, a variable or a sum in parentheses, with ``^``, ``**`` or raised digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NoReturn

from ..polynomial_function import SUPERSCRIPTS, Monomial, drop_zeros

Terms = dict[Monomial, Fraction]
HIGHEST = 64  # degree
DEEPEST = 50  # parentheses
TERMS = 10_000
MOST = Fraction(2) ** 1000  # the largest coefficient
RAISED = {chr(high): chr(low) for low, high in SUPERSCRIPTS.items()}
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<sign>\*\*|.))"
)


def read_polynomial(text: str, names: Sequence[str]) -> Terms:
    """The terms of a polynomial in the variables ``names``, with exact coefficients.

    >>> read_polynomial("(x − 1)(x + 1)", ["x"])
    {(0, 0): Fraction(1, 1), (): Fraction(-1, 1)}
    >>> read_polynomial("sin(x)", ["x"])
    Traceback (most recent call last):
    ValueError: functions: 'sin(x)': expected a number, one of the variables ['x'] or '(', got 's' at place 1.
    """
    return _Reader(text, names).read()


class _Reader:
    """Reads from left to right, one token ahead."""

    def __init__(self, text: str, names: Sequence[str]):
        self.text, self.names, self.at, self.depth = text.replace("−", "-").rstrip(), list(names), 0, 0
        self.longest_first = sorted(range(len(self.names)), key=lambda j: -len(self.names[j]))

    def read(self) -> Terms:
        """The whole text."""
        terms = self._sum()
        if self._sign():
            self._refuse("an operator or the end")
        if any(abs(value) > MOST for value in terms.values()):
            raise ValueError(f"functions: {self.text!r:.60}: expected coefficients below {float(MOST):.3g}.")
        return drop_zeros(terms)

    def _refuse(self, expected: str) -> NoReturn:
        rest = self.text[self.at :].lstrip()
        got = f"{rest[0]!r} at place {len(self.text) - len(rest) + 1}" if rest else "the end"
        raise ValueError(f"functions: {self.text!r}: expected {expected}, got {got}.")

    def _sign(self) -> str:
        """The next token as it stands, which is not read yet; nothing at the end."""
        match = TOKEN.match(self.text, self.at)
        return match.group().strip() if match else ""

    def _take(self, *signs: str) -> str:
        """Read the next token if it is one of these."""
        match = TOKEN.match(self.text, self.at)
        if not match or match["sign"] not in signs:
            return ""
        self.at = match.end()
        return match["sign"]

    def _sum(self) -> Terms:
        sign = self._take("+", "-")
        total = self._times(self._product(), {(): Fraction(-1 if sign == "-" else 1)})
        while sign := self._take("+", "-"):
            for monomial, value in self._product().items():
                total[monomial] = total.get(monomial, Fraction(0)) + (value if sign == "+" else -value)
        return total

    def _product(self) -> Terms:
        product = self._power()
        while self._sign() and self._sign() not in ("+", "-", ")", "^", "**"):
            if self._take("/"):
                divisor = self._power()
                if set(divisor) - {()} or not divisor.get((), 0):
                    self._refuse("a number other than 0 to divide by")
                product = self._times(product, {(): 1 / divisor[()]})
            else:
                self._take("*", "·")
                product = self._times(product, self._power())
        return product

    def _power(self) -> Terms:
        base = self._base()
        match = TOKEN.match(self.text, self.at)
        if match and match["raised"]:
            self.at, power = match.end(), "".join(RAISED[digit] for digit in match["raised"])
        elif self._take("^", "**"):
            match = TOKEN.match(self.text, self.at)
            if match is None or not (match["number"] or "").isdigit():
                self._refuse("a whole power")
            self.at, power = match.end(), match["number"]
        else:
            return base
        if len(power) > 3 or int(power) > HIGHEST:
            raise ValueError(f"functions: {self.text!r:.60}: expected powers up to {HIGHEST}, got {power:.9}.")
        result: Terms = {(): Fraction(1)}
        for _ in range(int(power)):
            result = self._times(result, base)
        return result

    def _base(self) -> Terms:
        match = TOKEN.match(self.text, self.at)
        place = len(self.text) - len(self.text[self.at :].lstrip())
        for j in self.longest_first:
            if self.text.startswith(self.names[j], place):
                self.at = place + len(self.names[j])
                self._end_name()
                return {(j,): Fraction(1)}
        if match and match["number"]:
            self.at = match.end()
            return {(): Fraction(match["number"])}
        if self._take("("):
            self.depth += 1
            if self.depth > DEEPEST:
                raise ValueError(f"functions: {self.text!r:.60}: expected at most {DEEPEST} nested parentheses.")
            inside = self._sum()
            if not self._take(")"):
                self._refuse("')'")
            self.depth -= 1
            return inside
        self._refuse(f"a number, one of the variables {self.names} or '('")

    def _end_name(self) -> None:
        """After the name of a variable: x1 is x where there is one column, and x2 is no product of x and 2."""
        if self.names == ["x"] and re.match(r"1(?!\d)", self.text[self.at :]):
            self.at += 1
        if self.text[self.at : self.at + 1].isdecimal():
            self._refuse(f"one of the variables {self.names}, or * before a number")

    def _times(self, one: Terms, other: Terms) -> Terms:
        """The product, multiplied out."""
        if (
            max(map(len, one), default=0) + max(map(len, other), default=0) > HIGHEST
            or len(one) * len(other) > 9 * TERMS
        ):
            limits = f"a degree up to {HIGHEST} and {TERMS} terms, multiplied out"
            raise ValueError(f"functions: {self.text!r:.60}: expected {limits}.")
        out: Terms = {}
        for a, x in one.items():
            for b, y in other.items():
                monomial = tuple(sorted(a + b))
                out[monomial] = out.get(monomial, Fraction(0)) + x * y
        return out
