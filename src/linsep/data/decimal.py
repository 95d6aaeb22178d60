"""Decimal numbers to doubles, exactly rounded, in compiled code.

A number is m 10^e. If m <= 2^53 and |e| <= 22, both are doubles, and one multiplication or division rounds once. Else,
with up to 19 digits, the product of m with the first 128 bits of 5^e decides (D. Lemire, Number parsing at a gigabyte
per second, 2021). What is left (more digits, numbers near 0 or infinity) is reported as `ODD`: Python's float does it.

Digits are read eight at a time: as one word of 64 bits, in which neighbours are joined to pairs, fours and eight.
"""

from __future__ import annotations

import numpy as np

from ..jit import compiled, load_byte, load_word, trailing_zeros

FINE, ODD, BAD = 0, 1, 2
LEAST, MOST = -342, 308  # powers of ten


def _powers_of_five() -> np.ndarray:
    """The first 128 bits of 5^e, in two halves; rounded up for -27 <= e < 0, as the paper has it."""
    table = []
    for e in range(LEAST, MOST + 1):
        power = 5 ** abs(e)
        length = power.bit_length()
        bits = (power << 128) >> length if e >= 0 else (1 << (length + 127)) // power + (e >= -27)
        table.append((bits >> 64, bits & (2**64 - 1)))
    return np.array(table, dtype=np.uint64)


TENS = np.array([float(f"1e{e}") for e in range(23)])
FIVES = _powers_of_five()
ONE, HALF, LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
NINE, TEN, ZERO = np.uint64(9), np.uint64(10), np.uint64(48)
ZEROS, TOPS, LOWEST = np.uint64(0x3030303030303030), np.uint64(0x8080808080808080), np.uint64(0x000000FF000000FF)
TO_TEN = np.array([10**k for k in range(9)], dtype=np.uint64)
NEAR_END = 40  # bytes; whoever reads words of eight does not read beyond the end


@compiled(inline=True)
def _multiply(a, b):
    """The upper and the lower 64 bits of a b."""
    a_low, a_high, b_low, b_high = a & LOW, a >> HALF, b & LOW, b >> HALF
    low, middle, other = a_low * b_low, a_high * b_low, a_low * b_high
    carry = (low >> HALF) + (middle & LOW) + (other & LOW)
    return a_high * b_high + (middle >> HALF) + (other >> HALF) + (carry >> HALF), a * b


@compiled
def round_product(m, e):
    """(m 10^e, FINE), or (0, ODD) if it is not decided, for m > 0."""
    if e < LEAST or e > MOST:
        return 0.0, ODD
    zeros = np.uint64(0)  # leading ones of m
    for step in (32, 16, 8, 4, 2, 1):
        if (m << zeros) >> np.uint64(64 - step) == 0:
            zeros += np.uint64(step)
    m = m << zeros
    upper, lower = _multiply(m, FIVES[e - LEAST, 0])
    if upper & np.uint64(0x1FF) == np.uint64(0x1FF):
        more = _multiply(m, FIVES[e - LEAST, 1])[0]
        lower = lower + more
        if lower < more:
            upper += ONE
    if lower == np.uint64(0xFFFFFFFFFFFFFFFF):
        return 0.0, ODD
    top = upper >> np.uint64(63)
    shift = top + np.uint64(9)
    mantissa = upper >> shift
    power = ((217706 * e) >> 16) + 63 + np.int64(top) - np.int64(zeros) + 1023
    if power <= 0 or power >= 2046:
        return 0.0, ODD
    if lower <= ONE and -4 <= e <= 23 and mantissa & np.uint64(3) == ONE and (mantissa << shift) == upper:
        mantissa &= ~ONE  # half-way: to even
    mantissa = (mantissa + (mantissa & ONE)) >> ONE
    # a mantissa that has become 2^53 carries into the power by itself
    return np.uint64((np.uint64(power - 1) << np.uint64(52)) + mantissa).view(np.float64), FINE


@compiled(inline=True)
def _others(word):
    """The highest bit of every byte that is no digit; the digits 0 to 9 are these numbers."""
    return ((word & np.uint64(0x7F7F7F7F7F7F7F7F)) + np.uint64(0x7676767676767676) | word) & TOPS


@compiled(inline=True)
def _join(word):
    """The number of eight digits, the first one in the lowest byte: pairs, fours, eight."""
    pairs = word * TEN + (word >> np.uint64(8))
    fours = (pairs & LOWEST) * np.uint64(100 + (1000000 << 32))
    return (fours + ((pairs >> np.uint64(16)) & LOWEST) * np.uint64(1 + (10000 << 32))) >> HALF


@compiled(inline=True)
def _digits_at(text, p):
    """(how many of the eight characters from text[p] on are digits before the first other one, their number)."""
    word = load_word(text, p) ^ ZEROS
    count = trailing_zeros(_others(word)) >> 3
    word = word << np.uint64(56 - 8 * min(count, 7))  # the last digit into the last byte but one, noughts before it
    return count, _join(word if count == 8 else word << np.uint64(8))


@compiled(inline=True)
def read_whole(text, p, most):
    """The digits at text[p]: (their number, or ``most`` if it is larger, the place behind them)."""
    number, count = 0, 8
    if p + NEAR_END <= text.size:
        count, m = _digits_at(text, p)
        number, p = np.int64(m), p + count
    if count == 8:
        while 48 <= load_byte(text, p) <= 57:
            number = min(number * 10 + np.int64(load_byte(text, p)) - 48, most)
            p += 1
    return number, p


@compiled(inline=True)
def read_number(text, p):
    """The number at text[p]: (its value, the place behind it, FINE, ODD or BAD); the text ends in a newline.

    Numbers of at most eight characters beside the sign, such as -0.123456, are read here as one word.
    """
    if p + NEAR_END > text.size:
        return _read_any_number(text, p)
    minus = np.int64(load_byte(text, p) == 45)
    begin = p + minus
    word = load_word(text, begin) ^ ZEROS
    others = _others(word)
    count = whole = trailing_zeros(others) >> 3
    end = begin + whole
    if 0 < whole < 8 and load_byte(text, end) == 46:  # the point
        end = begin + (trailing_zeros(others & (others - ONE)) >> 3)
        count = end - begin - 1
        below = (ONE << np.uint64(8 * whole)) - ONE
        word = (word & below) | ((word >> np.uint64(8)) & ~below)
    if (
        whole == 0
        or whole == 8
        or load_byte(text, end) | 32 == 101
        or (end == begin + 8 and 48 <= load_byte(text, end) <= 57)
    ):
        return _read_longer_number(text, p)
    value = np.float64(np.int64(_join(word << np.uint64(64 - 8 * count)))) / TENS[count - whole]
    return (1.0 - 2.0 * minus) * value, end, FINE  # no branch: signs come at random


@compiled
def _read_longer_number(text, p):
    """As `read_number`, of numbers as they are usually written, [-]1234567.123456789012345; others digit by digit."""
    minus = np.int64(load_byte(text, p) == 45)
    whole, m = _digits_at(text, p + minus)
    end, digits = p + minus + whole, 0
    if load_byte(text, end) == 46:  # the point
        digits, more = _digits_at(text, end + 1)
        m = m * TO_TEN[digits] + more
        end += 1 + digits
        if digits == 8:
            rest, more = _digits_at(text, end)
            m = m * TO_TEN[rest] + more
            digits, end = digits + rest, end + rest
    if whole == 0 or whole == 8 or digits == 16 or whole + digits > 19 or load_byte(text, end) | 32 == 101:
        return _read_any_number(text, p)
    sign = 1.0 - 2.0 * minus
    if m <= np.uint64(1 << 53):
        return sign * (np.float64(np.int64(m)) / TENS[digits]), end, FINE
    value, state = round_product(m, -digits)
    return sign * value, end, state


@compiled
def _read_any_number(text, p):
    """As `read_number`, digit by digit."""
    minus = load_byte(text, p) == 45
    if minus or load_byte(text, p) == 43:
        p += 1
    first, m, e, leading = p, np.uint64(0), 0, 0
    while True:
        digit = np.uint64(load_byte(text, p)) - ZERO
        if digit > NINE:
            break
        m = m * TEN + digit
        p += 1
    digits = p - first
    if load_byte(text, p) == 46:  # the point
        p += 1
        first = p
        while True:
            digit = np.uint64(load_byte(text, p)) - ZERO
            if digit > NINE:
                break
            m = m * TEN + digit
            leading += m == 0  # noughts in front are no digits
            p += 1
        e = first - p
        digits += p - first
    state = FINE if digits > 0 else BAD
    if state == FINE and load_byte(text, p) | 32 == 101:  # e or E
        p += 1
        down = load_byte(text, p) == 45
        if down or load_byte(text, p) == 43:
            p += 1
        first, exponent = p, 0
        while 48 <= load_byte(text, p) <= 57:
            exponent = min(exponent * 10 + np.int64(load_byte(text, p)) - 48, 9999)
            p += 1
        if p == first:
            state = BAD
        e += -exponent if down else exponent
    value = 0.0
    if state == FINE:
        if digits - leading > 19:
            state = ODD
        elif m <= np.uint64(1 << 53) and -22 <= e <= 22:
            value = np.float64(m) / TENS[-e] if e < 0 else np.float64(m) * TENS[e]
        elif m > 0:
            value, state = round_product(m, e)
    return (-value if minus else value), p, state
