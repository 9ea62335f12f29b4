"""Metrics come from the host where a domain runs, and only when somebody vouches for its certificate."""

import json
import xmlrpc.client

import pytest

from scheduler.errors import HostKeyChanged, HostKeyUnknown
from scheduler.hosts.xapi import pins, rrd
from scheduler.hosts.xapi.inventory import look
from scheduler.hosts.xapi.metrics import certificates, fetch
from scheduler.hosts.xapi.url import Address
from tests.xapi_double.pool import GUEST_UUID
from tests.xapi_double.server import Member

NAME = f"AVERAGE:vm:{GUEST_UUID}:cpu0"


@pytest.fixture
def other(pool, member, pairs):
    """A supporter on which the guest runs."""
    pool.coordinator = "127.0.0.1"
    pool.add_host("OpaqueRef:h2", address="127.0.0.2")
    pool.metrics = json.dumps({"meta": {"legend": [NAME]}, "data": [{"t": 5, "values": ["0.5"]}]}).encode()
    other = Member(pool, pairs["xcp2"], "127.0.0.2", member.port)
    yield other
    other.stop()


def ask(session, line):
    return fetch(session, look(line).hosts["OpaqueRef:h2"], certificates(line).get("OpaqueRef:h2"))


def vouch(pool, pair):
    pool.certificates["OpaqueRef:c2"] = {
        "type": "host",
        "host": "OpaqueRef:h2",
        "fingerprint": pins.shown(pair.fingerprint),
        "not_after": xmlrpc.client.DateTime("20360101T00:00:00Z"),
    }


def test_that_the_pool_vouches_for_its_members(pool, other, session, line, pairs):
    vouch(pool, pairs["xcp2"])
    assert rrd.cpus_used(ask(session, line), GUEST_UUID) == 0.5
    assert other.asked == ["/rrd_updates"]


def test_that_an_unknown_member_is_asked_nothing(other, session, line):
    with pytest.raises(HostKeyUnknown):
        ask(session, line)
    assert other.asked == []


def test_that_a_member_with_another_certificate_than_the_pool_knows_is_asked_nothing(pool, other, session, line, pairs):
    vouch(pool, pairs["old"])
    with pytest.raises(HostKeyChanged):
        ask(session, line)
    assert other.asked == []


def test_that_what_a_person_accepted_counts_before_what_the_pool_says(pool, other, session, line, pairs):
    vouch(pool, pairs["old"])
    pins.keep(Address("127.0.0.2", other.port), pairs["xcp2"].fingerprint)
    assert rrd.cpus_used(ask(session, line), GUEST_UUID) == 0.5


def test_that_an_ended_session_brings_no_metrics(pool, other, session, line, pairs):
    vouch(pool, pairs["xcp2"])
    host, certificate = look(line).hosts["OpaqueRef:h2"], certificates(line)["OpaqueRef:h2"]
    pool.sessions.clear()
    assert fetch(session, host, certificate) == {}
