"""Spans of time as people write them."""

import pytest

from scheduler.errors import SpecError
from scheduler.model.duration_text import parse_duration_s


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("5m", 300), ("1.5h", 5400), ("7d", 604_800), (" 5m ", 300)]
)
def test_span_is_a_number_and_its_unit(text, seconds):
    assert parse_duration_s(text, "--for", "1m", "7d") == seconds


@pytest.mark.parametrize(
    "text",
    ["", "5", "m", "0s", "0m", "-5m", "8d", "59s", "169h", "1e3s", "5 m", "5min", "infs", "nand", "\u0665m", "9" * 99],
)
def test_anything_else_is_refused_with_the_range_that_is_allowed(text):
    with pytest.raises(SpecError, match="from 1m to 7d") as caught:
        parse_duration_s(text, "--for", "1m", "7d")
    assert caught.value.hint
