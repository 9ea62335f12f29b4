"""Whole CPUs of the rule, against every number."""

from math import ceil, floor, log

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.follow.split_rule import PairLimits, PairUsage, find_target_split, find_whole_cpus
from scheduler.follow.watch_report import build_report
from tests.unit.follow.test_watch import Room


@pytest.mark.parametrize(
    ("io", "guest", "cpus", "vcpus", "number"),
    [
        (1.0, 3.0, 4, (4, 4), 1),
        (2.0, 2.0, 4, (4, 4), 2),
        (2.6, 5.4, 8, (8, 8), 3),
        (0.1, 7.0, 8, (8, 8), 1),
        (7.0, 0.1, 8, (8, 8), 7),
        (2.0, 6.0, 16, (4, 16), 4),  # the I/O domain has four vCPUs
        (3.0, 1.0, 16, (16, 4), 12),
    ],
)
def test_find_whole_cpus_rounds_to_the_larger_reserve(io, guest, cpus, vcpus, number):
    assert find_whole_cpus(PairUsage(io, guest), log(io / guest), cpus, vcpus) == number


@given(cpus=st.integers(2, 256), io=st.floats(0.05, 0.95), load=st.floats(0.2, 1.0))
def test_find_whole_cpus_of_full_host_is_as_good_as_any_number(cpus, io, load):
    use = PairUsage(io * load * cpus, (1 - io) * load * cpus)
    found = find_whole_cpus(use, log(io / (1 - io)), cpus, (cpus, cpus))

    def reserve(number):
        return min(number / use.io_cpus, (cpus - number) / use.guest_cpus)

    assert found in {max(1, floor(io * cpus)), min(cpus - 1, ceil(io * cpus))}
    assert reserve(found) == pytest.approx(max(map(reserve, range(1, cpus))))


def test_target_split_counts_all_shared_cpus():
    allowed = PairLimits(8.0, 8.0, (16.0, 16.0))
    pointed = find_target_split(PairUsage(3.0, 6.0), allowed)
    assert pointed.filled_frac == pytest.approx(9 / 16)
    assert find_whole_cpus(PairUsage(3.0, 6.0), pointed.log_ratio, 16, (16, 16)) in (5, 6)


def test_watch_of_several_cpus_names_whole_cpus():
    seen = Room(lambda second, params: (0.12, 0.36)).watch()
    assert not any("CPUs of their own" in reason for reason in build_report(seen).reasons)
    reasons = build_report(msgspec.structs.replace(seen, cpus=4)).reasons
    assert any("the I/O domain needs 1 of 4, and the guest 3: they used 0.1 and 0.4" in reason for reason in reasons)
