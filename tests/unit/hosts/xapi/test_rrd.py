"""Metrics: every number that XAPI has printed, and nothing that a broken or hostile answer could break."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.hosts.xapi import rrd
from tests.xapi_double.pool import GUEST_UUID, HOST_UUID
from tests.xapi_double.rrd import xml

CPU0, CPU1 = f"AVERAGE:vm:{GUEST_UUID}:cpu0", f"AVERAGE:vm:{GUEST_UUID}:cpu1"
LOAD = f"AVERAGE:host:{HOST_UUID}:loadavg"

NAMES = st.sampled_from(["xport", "meta", "legend", "entry", "data", "row", "t", "v", "other"])


def _elements(children):
    return "".join(f"<{name}>{text}</{name}>" for name, text in children)


LEAVES = st.sampled_from(["", CPU0, "5", "0.5", "NaN", "9" * 400, "²", "&lt;"]) | st.text(
    "0123456789.eE+-naif ", max_size=8
)


def test_rows_come_out_oldest_first():
    series = rrd.parse_metrics(xml([CPU0], [(10, [0.5]), (5, [0.25])]))
    assert series == {("vm", GUEST_UUID, "cpu0"): ((5, 0.25), (10, 0.5))}
    assert rrd.newest_value(series, "vm", GUEST_UUID.upper(), "cpu0") == 0.5


def test_answer_as_xapi_prints_it_is_read():
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<xport><meta><start>1763900000</start><step>5</step>'
        "<end>1763900005</end><rows>2</rows><columns>2</columns><legend>"
        f"<entry>{CPU0}</entry><entry>{LOAD}</entry></legend></meta><data>"
        "<row><t>1763900005</t><v>0.1234</v><v>0.0</v></row><row><t>1763900000</t><v>NaN</v><v>1.5000</v></row>"
        "</data></xport>"
    )
    assert rrd.parse_metrics(body.encode()) == {
        ("vm", GUEST_UUID, "cpu0"): ((1763900005, 0.1234),),
        ("host", HOST_UUID, "loadavg"): ((1763900000, 1.5), (1763900005, 0.0)),
    }


@pytest.mark.parametrize("value", ["5e-1", ".5", "0.5", "+0.5", " 0.5 ", "0.5000"])
def test_number_may_be_written_in_any_usual_way(value):
    assert rrd.parse_metrics(xml([CPU0], [(5, [value])]))["vm", GUEST_UUID, "cpu0"] == ((5, 0.5),)


@pytest.mark.parametrize(
    "hole",
    [
        math.nan,
        math.inf,
        -math.inf,
        "nan",
        "-nan",
        "-NaN",
        "inf",
        "",
        "x",
        "9" * 100,
        "9" * 900,
        "1e999",
        "1_0",
        "²",
        "٣",
    ],
)
def test_holes_are_left_out(hole):
    series = rrd.parse_metrics(xml([CPU0, CPU1], [(10, [hole, 0.5]), (5, [0.25, 0.5])]))
    assert series["vm", GUEST_UUID, "cpu0"] == ((5, 0.25),)
    assert series["vm", GUEST_UUID, "cpu1"] == ((5, 0.5), (10, 0.5))


def test_domain_used_the_sum_of_its_vcpus():
    names = [CPU0, CPU1, f"AVERAGE:vm:{GUEST_UUID}:cpu_usage", LOAD, f"MAX:vm:{GUEST_UUID}:cpu0"]
    series = rrd.parse_metrics(xml(names, [(10, [0.5, 1, 0.75, 3.5, 9]), (5, [0.7, 1, 0.85, 3, 9])]))
    assert rrd.cpus_used(series, GUEST_UUID) == pytest.approx(1.6)
    assert rrd.newest_value(series, "host", HOST_UUID, "loadavg") == 3.5
    assert rrd.cpus_used(series, HOST_UUID) is None


def test_runstates_are_there_only_when_recorded():
    name = f"AVERAGE:vm:{GUEST_UUID}:runstate_full_contention"
    assert rrd.read_runstates(rrd.parse_metrics(xml([name, CPU0], [(5, [0.4, 0])])), GUEST_UUID) == {
        "runstate_full_contention": 0.4
    }
    assert rrd.read_runstates(rrd.parse_metrics(xml([CPU0], [(5, [0])])), GUEST_UUID) == {}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<xport>",
        b"<html><body>Unauthorised</body></html>",
        b"{}",
        b"\xff\xfe",
        b'<?xml version="1.0" encoding="nobody-knows"?><xport/>',
        b"<xport><data><row><t>5</t><v>1</v></row></data></xport>",
        b"<xport><meta><legend><entry>a</entry></legend></meta><data><row><t>NaN</t><v>1</v></row></data></xport>",
    ],
)
def test_another_answer_is_no_metric(body):
    assert rrd.parse_metrics(body) == {}


def test_row_of_another_width_is_left_out():
    series = rrd.parse_metrics(xml([CPU0], [(10, [1, 2]), (5, [0.25]), (1, [])]))
    assert series["vm", GUEST_UUID, "cpu0"] == ((5, 0.25),)


def laughs():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    return f'<!DOCTYPE xport [<!ENTITY l0 "ha">{entities}]><xport><meta>&l8;</meta></xport>'.encode()


# Made when they are needed: some have many megabytes.
GREEDY = {
    "laughs": laughs,
    "outside": lambda: b'<!DOCTYPE xport SYSTEM "file:///etc/passwd"><xport></xport>',
    "entity": lambda: b'<!DOCTYPE xport [<!ENTITY e SYSTEM "file:///etc/passwd">]><xport><meta>&e;</meta></xport>',
    "deep": lambda: b"<xport>" * 200_000,
    "deeper": lambda: b"<xport><data>" + b"<row>" * 500_000,
    "long": lambda: b"<xport><meta><legend><entry>" + b"x" * (2 << 20),
    "names": lambda: b"<xport><meta><legend>" + b"<entry/>" * 1_000_000,
    "values": lambda: b"<xport><data><row>" + b"<v/>" * 2_100_000,
    "attributes": lambda: b"<xport " + b" ".join(b"a%d='1'" % number for number in range(100_000)) + b">",
    "huge": lambda: b" " * (rrd.MOST_BYTES + 1),
}


@pytest.mark.parametrize("name", GREEDY)
def test_what_is_made_to_eat_memory_is_refused_in_time(name):
    body = GREEDY[name]()
    begun_s = time.process_time()
    assert rrd.parse_metrics(body) == {}
    assert time.process_time() - begun_s < 10


@given(st.binary(max_size=200))
def test_no_bytes_break_it(body):
    rrd.parse_metrics(body)


@given(st.recursive(LEAVES, lambda inner: st.lists(st.tuples(NAMES, inner), max_size=4).map(_elements), max_leaves=12))
def test_no_xml_breaks_it(text):
    rrd.parse_metrics(f"<xport>{text}</xport>".encode())
