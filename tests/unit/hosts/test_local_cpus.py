"""What the kernel says of one CPU."""

import os

import pytest

from scheduler.hosts.local.local_cpus import parse_stat_row

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def test_row_of_counters_is_read_by_its_columns():
    user, nice, system, idle, iowait, irq, softirq, stolen = (TICKS_PER_S * n for n in (7, 1, 4, 90, 5, 2, 3, 6))
    row = f"cpu1 {user} {nice} {system} {idle} {iowait} {irq} {softirq} {stolen} {user} 0"
    seen = parse_stat_row(row, 1800.0)
    assert seen is not None
    assert (seen.stolen_s, seen.busy_s, seen.clock_mhz) == pytest.approx((6, 17, 1800))  # guests are not counted twice


@pytest.mark.parametrize("row", ["", "cpu1 1 2 3 4 5 6 7"])
def test_kernel_that_does_not_report_is_none_and_not_zero(row):
    assert parse_stat_row(row, None) is None
