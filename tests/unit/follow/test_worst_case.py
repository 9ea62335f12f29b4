"""What the worst split of a range costs is said before anybody agrees."""

import math

import pytest

from scheduler.errors import SpecError
from scheduler.follow.move_decision import find_worst_case, follow_bounds, parse_range
from scheduler.follow.split_rule import PairLimits, PairUsage

EVEN = PairLimits(0.5, 0.5)


def test_worst_end_is_the_one_that_starves_who_needs_most():
    bounds = follow_bounds(parse_range("1:5..5:1"))
    io, guest = find_worst_case(PairUsage(0.49, 0.1), EVEN, bounds), find_worst_case(PairUsage(0.1, 0.49), EVEN, bounds)
    assert io.log_ratio == pytest.approx(math.log(1 / 5))
    assert guest.log_ratio == pytest.approx(math.log(5))
    assert io.part == pytest.approx(guest.part)
    assert 0.3 < io.part < 0.36  # from a half to a sixth


def test_narrow_range_costs_less_and_an_idle_host_cannot_report():
    narrow = find_worst_case(PairUsage(0.49, 0.1), EVEN, follow_bounds(parse_range("1:1.5..1.5:1")))
    assert narrow.part > 0.7
    assert find_worst_case(None, EVEN, follow_bounds(parse_range("1:2..1:1"))).part is None
    assert find_worst_case(PairUsage(0.01, 0.01), EVEN, follow_bounds(parse_range("1:2..1:1"))).part is None


@pytest.mark.parametrize("text", ["1:5", "", "5:1..1:5", "1:2..1:2", "1:20..1:1", "1:2..x", "1:2...3:1", "1:1..20:1"])
def test_what_is_no_range_is_refused_with_the_range_that_is_allowed(text):
    with pytest.raises(SpecError) as caught:
        parse_range(text)
    assert caught.value.field == "--range"
    assert "1:9 to 9:1" in f"{caught.value} {caught.value.hint}" or "a:b" in str(caught.value)


def test_widest_range_is_taken():
    bounds = follow_bounds(parse_range("1:9..9:1"))
    assert (bounds.low, bounds.high) == (-math.log(9), math.log(9))
