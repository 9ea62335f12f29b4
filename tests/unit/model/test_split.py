import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import SpecError
from scheduler.model.setting import BASELINE, label_of, parse_split_setting
from scheduler.model.split import GUEST, IO, parse_split, split_between

parts = st.integers(1, 10_000).map(lambda n: n / 100)


@given(parts, parts)
def test_shares_sum_to_one_and_keep_the_ratio(io, guest):
    if max(io, guest) / min(io, guest) > 100:
        with pytest.raises(SpecError):
            split_between(io, guest)
        return
    split = split_between(io, guest)
    assert split.io_frac + split.frac_of(GUEST) == pytest.approx(1)
    assert split.frac_of(IO) / split.frac_of(GUEST) == pytest.approx(io / guest)


@given(st.integers(1, 999), st.integers(1, 999))
def test_label_reads_back(io, guest):
    if max(io, guest) / min(io, guest) <= 100:
        assert parse_split(split_between(io, guest).label) == split_between(io, guest)


@pytest.mark.parametrize("text", ["12345.67:12345.68", "999999.99:10000", "1000000:100000", "0.01:0.5"])
def test_label_loses_no_digit_that_can_be_written(text):
    io, guest = map(float, text.split(":"))
    assert split_between(io, guest).label == text


@pytest.mark.parametrize(
    "text",
    ["0:1", "1:0", "1:", ":1", "a:b", "-1:2", "1:-2", "1:100000", "1:101", "nan:1", "inf:1", "1:2:3", "", "1e3:1"],
)
def test_bad_split_is_refused_with_its_field_and_text(text):
    with pytest.raises(SpecError) as refused:
        parse_split(text, "splits[3]")
    assert refused.value.field == "splits[3]"
    assert repr(text) in str(refused.value)
    assert "100 times" in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize("text", [" 1:2 ", "1 : 2", "1.0:2.00"])
def test_spaces_and_decimals_do_not_matter(text):
    assert parse_split(text) == split_between(1, 2)


def test_axis_is_the_logarithm_of_the_ratio():
    assert parse_split_setting("1:1").position == 0
    assert parse_split_setting("10:1").position == pytest.approx(math.log(10))
    assert parse_split_setting("1:10").position == pytest.approx(-math.log(10))


def test_host_original_has_its_own_label():
    assert label_of(None) == BASELINE
    assert label_of(parse_split_setting("2:5")) == "2:5"
