"""Decimal numbers become the double that Python's float gives, to the last bit, or are left to it."""

import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stages import examples

from linsep.data.decimal import BAD, FINE, ODD, read_number
from linsep.jit import compiled


@compiled
def read(text):
    return read_number(text, 0)


def value_of(text):
    """Near the end of the text, and before other cells: the number is read in two ways, which agree."""
    ways = [read(np.frombuffer(f"{text}{behind}\n".encode(), np.uint8)) for behind in ("", " 7:0.25" * 8)]
    (value, end, state), other = ways
    assert (end, state) == other[1:] and struct.pack("d", value) == struct.pack("d", other[0])
    return value, end, state


def same(text):
    value, end, state = value_of(text)
    assert end == len(text) and state in (FINE, ODD)
    if state == FINE:
        assert struct.pack("d", value) == struct.pack("d", float(text))
    return state


@examples(2000)
@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["r", ".16g", ".17g", ".18e", ".3f", ".6g"]))
@example(5e-324, "r")
@example(1.7976931348623157e308, "r")
@example(2.2250738585072014e-308, "r")
def test_floats_in_any_writing(number, form):
    same(repr(number) if form == "r" else format(number, form))


@examples(2000)
@given(st.integers(0, 10**19 - 1), st.integers(-40, 40))
@example(9007199254740993, 0)
@example(9007199254740995, 0)
@example(9007199254740993, 23)
@example(18014398509481989, -4)
def test_half_way_cases_and_long_mantissas(mantissa, exponent):
    assert same(f"{mantissa}e{exponent}") == FINE


def test_usual_numbers_are_not_left_to_python():
    rng = np.random.default_rng(0)
    for text in (
        *map(repr, rng.normal(size=500).tolist()),
        "0",
        "-0",
        "0.000",
        "+3",
        ".5",
        "5.",
        "1E5",
        "0." + "0" * 30 + "1",
    ):
        assert same(text) == FINE


@pytest.mark.parametrize("text", ["", "x", "-", "e5", "1e", ".", "nan", "inf", "+-1"])
def test_what_is_no_number_is_bad(text):
    assert value_of(text)[2] == BAD
