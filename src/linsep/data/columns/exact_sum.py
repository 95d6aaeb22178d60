"""Sums of floats without rounding: integers in digits of 32 bits. Any order, any grouping, the same result."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...jit import borrowed, compiled, read_only

DIGITS = 70  # of 32 bits: all of float64's range, and room for carries
DIGITS_OF_SQUARES = 104
LARGEST = 1e150  # whose square is still a float
RUN = 512  # numbers whose parts are added up before they are carried: their sums are below 2^63
HIDDEN, HALF = 1 << 52, 26  # the first bit of a float's digits, which is not stored; the bits of their lower half


def new_bins() -> np.ndarray:
    """Room for `add_moments`: of each exponent the sums of m, and of the products of the halves of m."""
    return np.zeros((2048, 4), np.int64)


@compiled(inline=True)
def _add_shifted(number, shift, digits):
    """Add ``number`` 2^shift to a number of signed digits, of which each may hold 2^30 additions."""
    sign = -1 if number < 0 else 1
    size, k, r = abs(number), shift >> 5, shift & 31
    low, high = (size & 0xFFFFFFFF) << r, (size >> 32) << r
    digits[k] += sign * (low & 0xFFFFFFFF)
    digits[k + 1] += sign * ((low >> 32) + (high & 0xFFFFFFFF))
    digits[k + 2] += sign * (high >> 32)


@compiled
def add_moments(values, bins, total, squares):
    """Add the finite values up to 1e150, and their squares, to numbers of signed digits: units 2^-1074 and 2^-2148.

    A float is m 2^e, and m^2 is made of the products of its halves; those of one e are added up as whole numbers.
    """
    values, bins = borrowed(values), borrowed(bins)
    total, squares = borrowed(total), borrowed(squares)
    for begin in range(0, values.size, RUN):
        first, last = 2047, 0
        for i in range(begin, min(begin + RUN, values.size)):
            x = values[i]
            if not abs(x) <= LARGEST:
                continue
            bits = np.float64(x).view(np.int64)
            e, m = (bits >> 52) & 0x7FF, bits & (HIDDEN - 1)
            if e > 0:
                m += HIDDEN
            elif m == 0:
                continue
            else:
                e = 1
            first, last = min(first, e), max(last, e)
            low, high = m & ((1 << HALF) - 1), m >> HALF
            bins[e, 0] += -m if bits < 0 else m
            bins[e, 1] += low * low
            bins[e, 2] += low * high
            bins[e, 3] += high * high
        for e in range(first, last + 1):
            if bins[e, 1] or bins[e, 3]:
                _add_bin(bins, e, total, squares)


@compiled(inline=True)
def _add_bin(bins, e, total, squares):
    _add_shifted(bins[e, 0], e - 1, total)
    _add_shifted(bins[e, 1], 2 * (e - 1), squares)
    _add_shifted(bins[e, 2], 2 * (e - 1) + HALF + 1, squares)
    _add_shifted(bins[e, 3], 2 * (e - 1) + 2 * HALF, squares)
    bins[e] = 0


def whole_number(digits: np.ndarray) -> int:
    """The number of these digits."""
    return sum(digit << (32 * place) for place, digit in enumerate(digits.tolist()))


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
    squares: int = 0  # in units of 2^-2148

    @classmethod
    def of(cls, values: np.ndarray) -> Moments:
        """Those of an array."""
        total, squares = np.zeros(DIGITS, np.int64), np.zeros(DIGITS_OF_SQUARES, np.int64)
        add_moments(read_only(np.ascontiguousarray(values, np.float64)), new_bins(), total, squares)
        return cls(int(values.size), whole_number(total), whole_number(squares))

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
        """The standard deviation of the values, as of a whole population."""
        if not self.count:
            return 0.0
        return float(max(Fraction(self.squares, self.count << 2148) - self.mean**2, Fraction(0))) ** 0.5
