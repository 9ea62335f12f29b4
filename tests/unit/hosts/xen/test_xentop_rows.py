"""xentop's lines; the first text is from a real Xen 4.17, the others follow tools/xentop/xentop.c."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scheduler.hosts.xen.xentop_meter import choose_interval_s
from scheduler.hosts.xen.xentop_rows import CpuCounter, TopRow, is_header, parse_top_row

HEADER = (
    "      NAME  STATE   CPU(sec) CPU(%)     MEM(k) MEM(%)  MAXMEM(k) MAXMEM(%) VCPUS NETS NETTX(k) NETRX(k) VBDS"
    "   VBD_OO   VBD_RD   VBD_WR  VBD_RSECT  VBD_WSECT SSID"
)
DB1 = (
    "       db1 --b---         71    2.5     655360   31.3     656384      31.3     1    1       14       11    1"
    "        0     1346      228     115658       6992    0"
)
DOM0_NO_LIMIT = (
    "  Domain-0 -----r        299   36.6     786432   37.5   no limit       n/a     1    0        0        0    0"
    "        -        -        -          -          -    0"
)


def test_row_is_read():
    assert parse_top_row(DB1) == TopRow("db1", 71, 2.5, 655_360, 14, 11, 115_658 + 6_992)


def test_dom0_without_a_limit_is_read():
    assert parse_top_row(DOM0_NO_LIMIT) == TopRow("Domain-0", 299, 36.6, 786_432, 0, 0)


@pytest.mark.parametrize("name", ["rt guest", "a b;$(touch x)'\"", "x --b--- 1 2.0", "no limit n/a", "7 8 9"])
def test_name_may_hold_anything(name):
    row = parse_top_row(DB1.replace("       db1", f"{name:>10}"))
    assert row is not None
    assert (row.name, row.seconds) == (name, 71)


def test_other_lines_are_no_rows():
    net = "Net0 RX:    11778bytes      126pkts        0err        0drop  TX:    14528bytes      214pkts        0err"
    assert is_header(HEADER)
    assert not is_header(DB1)
    assert [parse_top_row(line) for line in (HEADER, net, "VCPUs(sec):   0:         72s", "")] == [None] * 4


def rows(per_second, seconds):
    """Return what xentop says of a domain that uses a steady part of a CPU."""
    for number in range(seconds + 1):
        percent = 0.0 if number == 0 else round(per_second * 100, 1)
        yield TopRow("db1", int(5 + per_second * number), percent, 1, 0, 0), float(number)


@given(per_second=some.floats(0.0, 4.0), seconds=some.integers(1, 120), fine=some.booleans())
def test_counter_follows_and_never_runs_backwards(per_second, seconds, fine):
    looks = list(rows(per_second, seconds))
    counter = CpuCounter(*looks[0], fine_s=5.0 if fine else 0.0)
    reported = [counter.cpu_s(looks[0][1])]
    for row, at_s in looks[1:]:
        counter.take(row, at_s)
        reported += [counter.cpu_s(at_s), counter.cpu_s(at_s + 0.7)]
    assert reported == sorted(reported)
    assert reported[-2] == pytest.approx(5 + per_second * seconds, abs=1.0 + per_second)
    assert not counter.restarted


def test_tenths_are_not_lost():
    counter = CpuCounter(TopRow("db1", 71, 0.0, 1, 0, 0), 0.0, fine_s=71.6)
    for number in range(1, 11):
        counter.take(TopRow("db1", 71, 3.0, 1, 0, 0), float(number))
    assert counter.cpu_s(10.0) == pytest.approx(71.9)


def test_another_life_is_noticed():
    counter = CpuCounter(TopRow("db1", 71, 0.0, 1, 0, 0), 0.0, fine_s=71.6)
    counter.take(TopRow("db1", 0, 12.0, 1, 0, 0), 1.0)
    assert counter.restarted


@pytest.mark.parametrize(
    ("list_s", "every_s"), [("0m0.015s", 1), ("0m0.25s", 1), ("0m0.41s", 2), ("0m0.700000s", 3), ("1m10.5s", 3)]
)
def test_xentop_looks_the_less_often_the_dearer_a_look_is(list_s, every_s):
    assert choose_interval_s(f"Domain-0 0 768 1 r----- 12.3\n0m0.100s 0m0.100s\n0m0.000s {list_s}\n") == every_s


@pytest.mark.parametrize("said", ["", "sh: times: not found", "0m0.01s"])
def test_xentop_looks_each_second_where_nothing_reports_its_cost(said):
    assert choose_interval_s(said) == 1


def test_figure_is_carried_on_from_one_look_to_the_next_however_far_apart():
    counter = CpuCounter(TopRow("db", 10, 50.0, 640, 1, 1), 100.0, 10.4, every_s=3.0)
    assert counter.cpu_s(103.0) == pytest.approx(10.4 + 1.5)
