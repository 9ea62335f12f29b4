"""A number is one in ASCII, finite, of a bounded length and within its range."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scheduler.model.number_parsing import MOST_WHOLE, parse_decimal, parse_whole_number

NONE = ["", " 1", "1 ", "1_0", "+-1", "²", "٣", "0x1", "nan", "inf", "-", ".", "1e", "9" * 5000, "1\n", "one", "1,5"]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_number_is_none(text):
    assert parse_whole_number(text) is None
    assert parse_decimal(text) is None


@pytest.mark.parametrize("text", ["1.0", "1.2.3", "1e3", "+1", "", str(2**63), "-1"])
def test_whole_number_has_digits_alone_and_fits(text):
    assert parse_whole_number(text) is None


def test_ranges_include_both_ends():
    assert [parse_whole_number(text, 1, 3) for text in ("0", "1", "3", "4")] == [None, 1, 3, None]
    assert parse_whole_number("-1", least=-1) == -1
    assert [parse_decimal(text, 0.0, 1.0) for text in ("-0.1", "0", "1.0", "1.1")] == [None, 0.0, 1.0, None]


@pytest.mark.parametrize("text", ["1e400", "-1e400", "nan", "-nan", "Infinity", "1e9999"])
def test_number_is_finite(text):
    assert parse_decimal(text) is None


@given(some.integers(0, MOST_WHOLE))
def test_every_whole_number_is_read(value):
    assert parse_whole_number(str(value)) == value


@given(some.floats(-1e300, 1e300, allow_nan=False))
def test_every_number_is_read(value):
    assert parse_decimal(repr(value)) == value


@given(some.text(max_size=60))
def test_no_text_breaks_it(text):
    parse_whole_number(text)
    found = parse_decimal(text)
    assert found is None or math.isfinite(found)
