"""Metrics come from the host where a domain runs, and only when somebody vouches for its certificate."""

import xmlrpc.client

import pytest

from scheduler.errors import HostKeyChanged, HostKeyUnknown, HostNotUsable
from scheduler.hosts.xapi import certificate_pins, rrd
from scheduler.hosts.xapi.metrics import fetch_metrics, read_certificates
from scheduler.hosts.xapi.pool_inventory import read_inventory
from scheduler.hosts.xapi.xapi_session import XapiSession
from scheduler.hosts.xapi.xapi_url import XapiAddress
from tests.xapi_double.pool import GUEST_UUID, PASSWORD, Fault
from tests.xapi_double.rrd import Metrics
from tests.xapi_double.server import Member

MINUTE = Metrics([f"AVERAGE:vm:{GUEST_UUID}:cpu0"], [(5, [0.5])])
SECOND = "OpaqueRef:h2"


@pytest.fixture
def other(pool, member, pairs):
    """A supporter on which the guest runs."""
    pool.coordinator = "127.0.0.1"
    pool.add_host("OpaqueRef:h2", address="127.0.0.2")
    pool.metrics = MINUTE
    other = Member(pool, pairs["xcp2"], "127.0.0.2", member.port)
    yield other
    other.stop()


def ask(session, line):
    return fetch_metrics(session, read_inventory(line), SECOND, read_certificates(line).get(SECOND))


def vouch(pool, pair):
    pool.certificates["OpaqueRef:c2"] = {
        "type": "host",
        "host": "OpaqueRef:h2",
        "fingerprint": certificate_pins.format_fingerprint(pair.fingerprint),
        "not_after": xmlrpc.client.DateTime("20360101T00:00:00Z"),
    }


def test_pool_vouches_for_its_members(pool, other, session, line, pairs):
    vouch(pool, pairs["xcp2"])
    assert rrd.cpus_used(ask(session, line), GUEST_UUID) == 0.5
    assert other.asked == ["/rrd_updates"]


def test_unknown_member_is_asked_nothing(other, session, line):
    with pytest.raises(HostKeyUnknown):
        ask(session, line)
    assert other.asked == []


def test_member_with_another_certificate_than_the_pool_knows_is_asked_nothing(pool, other, session, line, pairs):
    vouch(pool, pairs["old"])
    with pytest.raises(HostKeyChanged):
        ask(session, line)
    assert other.asked == []


def test_what_a_person_accepted_counts_before_what_the_pool_reports(pool, other, session, line, pairs):
    vouch(pool, pairs["old"])
    certificate_pins.accept_fingerprint(XapiAddress("127.0.0.2", other.port), pairs["xcp2"].fingerprint)
    assert rrd.cpus_used(ask(session, line), GUEST_UUID) == 0.5


def test_ended_session_brings_no_metrics(pool, other, session, line, pairs):
    vouch(pool, pairs["xcp2"])
    world, certificate = read_inventory(line), read_certificates(line)[SECOND]
    pool.sessions.clear()
    assert fetch_metrics(session, world, SECOND, certificate) == {}


def old(pool):
    """Have no class of certificates, as up to XCP-ng 8.2."""
    pool.fail_at("Certificate.get_all_records", *[Fault("fail", ("MESSAGE_METHOD_UNKNOWN", "Certificate"))] * 9)


def test_coordinator_is_asked_by_the_name_it_was_accepted_by(pool, member, session, line):
    """Its own address of the management interface is another one, and nobody accepted that."""
    old(pool)
    pool.hosts["OpaqueRef:h1"]["address"] = "127.0.0.77"
    pool.metrics = MINUTE
    assert read_certificates(line) == {}
    assert rrd.cpus_used(fetch_metrics(session, read_inventory(line), "OpaqueRef:h1", None), GUEST_UUID) == 0.5


def test_named_member_is_asked_by_its_name(pool, other, line, pairs):
    old(pool)
    pool.thumbprints["127.0.0.1"] = certificate_pins.format_fingerprint(pairs["xcp1"].fingerprint)
    certificate_pins.accept_fingerprint(XapiAddress("127.0.0.2", other.port), pairs["xcp2"].fingerprint)
    pool.hosts[SECOND].update(address="127.0.0.78", hostname="127.0.0.2")
    named = XapiSession(XapiAddress("127.0.0.2", other.port), "root", PASSWORD)
    world = read_inventory(line)
    assert rrd.cpus_used(fetch_metrics(named, world, SECOND, None), GUEST_UUID) == 0.5
    named.close()


def test_newer_name_of_a_fingerprint_counts_first(pool, other, session, line, pairs):
    vouch(pool, pairs["old"])
    pool.certificates["OpaqueRef:c2"]["fingerprint_sha256"] = certificate_pins.format_fingerprint(
        pairs["xcp2"].fingerprint
    )
    assert rrd.cpus_used(ask(session, line), GUEST_UUID) == 0.5


def test_older_name_of_a_fingerprint_may_be_gone(pool, other, session, line, pairs):
    vouch(pool, pairs["xcp2"])
    pool.certificates["OpaqueRef:c2"]["fingerprint_sha256"] = pool.certificates["OpaqueRef:c2"].pop("fingerprint")
    assert rrd.cpus_used(ask(session, line), GUEST_UUID) == 0.5


def test_answer_beyond_every_measure_is_not_read_to_its_end(pool, other, session, line, pairs):
    vouch(pool, pairs["xcp2"])
    pool.metrics_body = b" " * (rrd.MOST_BYTES + 2)
    with pytest.raises(HostNotUsable, match="more than 24 MiB"):
        ask(session, line)
