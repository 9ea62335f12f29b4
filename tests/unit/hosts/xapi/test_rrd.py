"""Metrics: every writing of numbers that XAPI has had, and nothing that a broken answer could break."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.hosts.xapi import rrd
from tests.xapi_double.pool import GUEST_UUID, HOST_UUID

CPU0, CPU1 = f"AVERAGE:vm:{GUEST_UUID}:cpu0", f"AVERAGE:vm:{GUEST_UUID}:cpu1"
LOAD = f"AVERAGE:host:{HOST_UUID}:loadavg"

LEAVES = st.none() | st.floats() | st.text(max_size=5)
NAMES = st.sampled_from(["meta", "legend", "data", "t", "values"])


def answer(legend, rows):
    meta = {"start": 0, "step": 5, "end": 10, "rows": len(rows), "columns": len(legend), "legend": legend}
    return json.dumps({"meta": meta, "data": [{"t": t, "values": values} for t, values in rows]}).encode()


@pytest.mark.parametrize(
    "rows", [[(10, ["0.5"]), (5, ["0.25"])], [(10, [0.5]), (5, [0.25])], [("10", ["5e-1"]), ("5", [".25"])]]
)
def test_that_rows_come_out_oldest_first_whatever_numbers_look_like(rows):
    series = rrd.parse(answer([CPU0], rows))
    assert series == {("vm", GUEST_UUID, "cpu0"): ((5, 0.25), (10, 0.5))}
    assert rrd.newest(series, "vm", GUEST_UUID.upper(), "cpu0") == 0.5


@pytest.mark.parametrize("hole", ["NaN", "nan", "Infinity", "-Infinity", math.nan, math.inf, "", "x", "9" * 100, None])
def test_that_holes_are_left_out(hole):
    series = rrd.parse(answer([CPU0, CPU1], [(10, [hole, 0.5]), (5, [0.25, 0.5])]))
    assert series["vm", GUEST_UUID, "cpu0"] == ((5, 0.25),)
    assert series["vm", GUEST_UUID, "cpu1"] == ((5, 0.5), (10, 0.5))


def test_that_numbers_without_quotes_that_json_does_not_know_are_read():
    body = b'{"meta":{"legend":["%b","%b"]},"data":[{"t":5,"values":[nan,-inf]},{"t":10,"values":[ 0.5 ,NaN]}]}'
    series = rrd.parse(body % (CPU0.encode(), CPU1.encode()))
    assert series["vm", GUEST_UUID, "cpu0"] == ((10, 0.5),)
    assert series["vm", GUEST_UUID, "cpu1"] == ()


def test_that_a_domain_used_the_sum_of_its_vcpus():
    names = [CPU0, CPU1, f"AVERAGE:vm:{GUEST_UUID}:cpu_usage", LOAD, f"MAX:vm:{GUEST_UUID}:cpu0"]
    series = rrd.parse(answer(names, [(10, [0.5, 1, 0.75, 3.5, 9]), (5, [0.7, 1, 0.85, 3, 9])]))
    assert rrd.cpus_used(series, GUEST_UUID) == pytest.approx(1.6)
    assert rrd.newest(series, "host", HOST_UUID, "loadavg") == 3.5
    assert rrd.cpus_used(series, HOST_UUID) is None


def test_that_runstates_are_there_only_when_recorded():
    name = f"AVERAGE:vm:{GUEST_UUID}:runstate_full_contention"
    assert rrd.runstates(rrd.parse(answer([name, CPU0], [(5, ["0.4", 0])])), GUEST_UUID) == {
        "runstate_full_contention": 0.4
    }
    assert rrd.runstates(rrd.parse(answer([CPU0], [(5, [0])])), GUEST_UUID) == {}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<xport></xport>",
        b"null",
        b"[]",
        b'{"meta":{}}',
        b'{"meta":{"legend":"x"},"data":[]}',
        b'{"meta":{"legend":[]},"data":{}}',
        b'{"meta":{"legend":["a"]},"data":[1]}',
        b'{"meta":{"legend":["a"]},"data":[{"t":1}]}',
        b'{"meta":{"legend":["a"]},"data":[{"t":"NaN","values":[1]}]}',
        b"\xff\xfe",
    ],
)
def test_that_another_answer_is_no_metric(body):
    assert rrd.parse(body) == {}


def test_that_a_row_of_another_width_is_left_out():
    series = rrd.parse(answer([CPU0], [(10, [1, 2]), (5, [0.25]), (1, [])]))
    assert series["vm", GUEST_UUID, "cpu0"] == ((5, 0.25),)


@given(st.binary(max_size=200))
def test_that_no_bytes_break_it(body):
    rrd.parse(body)


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner), max_leaves=12))
def test_that_no_json_breaks_it(value):
    rrd.parse(json.dumps(value).encode())
