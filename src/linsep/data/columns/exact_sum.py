"""Sums of floats without rounding: integers in digits of 32 bits. Any order, any grouping, the same result."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...jit import borrowed, compiled

DIGITS = 70  # of 32 bits: all of float64's range, and room for carries
LARGEST = 1e150  # whose square is still a float


@compiled(inline=True)
def add_bits(b, digits):
    """Add the float64 with these bits to a number of signed digits, of which each may hold 2^31 additions."""
    exponent, m = (b >> 52) & 0x7FF, b & 0xFFFFFFFFFFFFF
    if exponent == 0:
        exponent = 1
    else:
        m |= 0x10000000000000
    k, r = (exponent - 1) >> 5, (exponent - 1) & 31
    sign = -1 if b < 0 else 1
    low, high = np.uint64(m & 0xFFFFFFFF) << np.uint64(r), np.int64(m >> 32) << r
    digits[k] += sign * np.int64(low & np.uint64(0xFFFFFFFF))
    digits[k + 1] += sign * (np.int64(low >> np.uint64(32)) + (high & 0xFFFFFFFF))
    digits[k + 2] += sign * (high >> 32)


@compiled
def _add_all(bits, digits):
    digits = borrowed(digits)
    for i in range(bits.size):
        add_bits(bits[i], digits)


def whole_number(digits: np.ndarray) -> int:
    """The number of these digits."""
    return sum(digit << (32 * place) for place, digit in enumerate(digits.tolist()))


def _sum(values: np.ndarray) -> int:
    """The sum of finite floats, in units of 2^-1074."""
    digits = np.zeros(DIGITS, dtype=np.int64)
    _add_all(np.ascontiguousarray(values, dtype=np.float64).view(np.int64), digits)
    return whole_number(digits)


@dataclass
class Moments:
    """Number, sum and sum of squares of finite floats up to 1e150, without rounding.

    >>> a, b = Moments.of(np.array([1e16, 1.0])), Moments.of(np.array([-1e16]))
    >>> a.merge(b)
    >>> float(a.mean), a.count
    (0.3333333333333333, 3)
    """

    count: int = 0
    total: int = 0  # in units of 2^-1074
    squares: int = 0

    @classmethod
    def of(cls, values: np.ndarray) -> Moments:
        """Those of an array. A square is the exact sum of two floats (Dekker)."""
        square = values * values
        c = 134217729.0 * values
        high = c - (c - values)
        low = values - high
        rest = ((high * high - square) + 2.0 * high * low) + low * low
        return cls(int(values.size), _sum(values), _sum(square) + _sum(rest))

    def merge(self, other: Moments) -> None:
        """Add those of other rows."""
        self.count += other.count
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> Fraction:
        """The mean; 0 of no values."""
        return Fraction(self.total, self.count << 1074) if self.count else Fraction(0)

    @property
    def deviation(self) -> float:
        """The standard deviation of the values, as of a whole population; Dekker's rest may be off below 1e-140."""
        if not self.count:
            return 0.0
        return float(max(Fraction(self.squares, self.count << 1074) - self.mean**2, Fraction(0))) ** 0.5
