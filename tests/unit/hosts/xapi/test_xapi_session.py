"""Logins: the coordinator is found, sessions are renewed and given back, and no call is made twice unasked."""

import socket
import threading
import time

import pytest

from scheduler.errors import (
    HostKeyChanged,
    HostKeyUnknown,
    HostNotUsable,
    HostUnreachable,
    LoginRefused,
)
from scheduler.hosts.xapi import certificate_pins, rpc
from scheduler.hosts.xapi.https_wire import ConnectionBroken, HttpsWire
from scheduler.hosts.xapi.xapi_failures import XapiFailure
from scheduler.hosts.xapi.xapi_session import LOGIN_S, XapiConnection, XapiSession
from scheduler.hosts.xapi.xapi_url import XapiAddress
from tests.xapi_double.fixtures import until
from tests.xapi_double.pool import PASSWORD, Fault
from tests.xapi_double.server import Member

ASK = "VM.get_VCPUs_params"
SET = "VM.set_VCPUs_params"
GUEST = "OpaqueRef:v1"


@pytest.fixture
def second(pool, member, pairs):
    """The coordinator, while `member` is one of its supporters."""
    second = Member(pool, pairs["xcp2"], "127.0.0.2", member.port)
    pool.coordinator = "127.0.0.2"
    yield second
    second.stop()


def count(member, method):
    return member.asked.count(method)


def test_login_names_us_and_is_restored(member, pool, session, line):
    line.call("looking", "pool.get_all_records")
    assert len(pool.sessions) == 1
    (_, (_, _, version, originator), _) = pool.calls[0]
    assert (version, originator) == ("2.21", "domtune")
    session.close()
    session.close()
    assert pool.sessions == {}
    assert count(member, "session.logout") == 1


def test_closed_session_logs_in_never_again(member, pool, session, line):
    line.call("looking", "pool.get_all_records")
    session.close()
    with pytest.raises(HostUnreachable, match="was closed"):
        line.call("looking", "pool.get_all_records")
    assert pool.sessions == {}
    assert count(member, "session.login_with_password") == 1


def test_line_that_was_cut_asks_nothing_more(member, line):
    line.cut()
    with pytest.raises(ConnectionBroken):
        line.call("looking", "pool.get_all_records")
    assert member.asked == []


def test_line_that_is_cut_while_it_logs_in_asks_nothing_more(member, pool, line):
    ends = []

    def ask():
        with pytest.raises(ConnectionBroken):
            line.call("looking", "pool.get_all_records")
        ends.append("given up")

    asker = threading.Thread(target=ask)
    with pool.change:  # no login ends before this does
        asker.start()
        until(lambda: member.asked)
        line.cut()
    asker.join()
    assert ends == ["given up"]
    assert member.asked == ["session.login_with_password"]


def test_nothing_is_logged_in_before_it_is_needed(member, session):
    session.close()
    assert member.asked == []


def test_wrong_password_is_reported_once_and_not_repeated(member):
    session = XapiSession(XapiAddress("127.0.0.1", member.port), "root", "wrong-word")
    with pytest.raises(LoginRefused, match="user name or password is wrong") as caught:
        XapiConnection(session).call("looking", "pool.get_all_records")
    assert count(member, "session.login_with_password") == 1
    assert "wrong-word" not in f"{caught.value}{caught.value.hint}{session!r}"


def test_user_who_is_known_and_may_not_log_in_is_reported_so(pool, member):
    pool.strangers.add("guest")
    session = XapiSession(XapiAddress("127.0.0.1", member.port), "guest", PASSWORD)
    with pytest.raises(LoginRefused, match="may not log in") as caught:
        XapiConnection(session).call("looking", "pool.get_all_records")
    assert "adds the user" in caught.value.hint
    assert count(member, "session.login_with_password") == 1


def test_login_may_wait_for_the_directory_service(pool, member, line):
    """While that starts, XAPI holds a login back for up to 120 s; a call is given up sooner."""
    assert LOGIN_S > 120
    pool.fail_at("session.login_with_password", Fault("wait", seconds=1.0))
    line.call("looking", "pool.get_all_records", timeout_s=0.9)
    assert len(pool.sessions) == 1


def test_host_that_takes_no_connection_is_reported_sooner_than_a_login_may_take(home, monkeypatch):
    monkeypatch.setattr("scheduler.hosts.xapi.xapi_session.CONNECT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = XapiAddress(*silent.getsockname())
        certificate_pins.accept_fingerprint(address, "ab" * 32)
        with pytest.raises(HostUnreachable, match=r"within 0\.3 s"):
            XapiSession(address, "root", PASSWORD).current()


def test_closing_waits_no_longer_than_a_while_for_a_login(pool, member, session, monkeypatch):
    monkeypatch.setattr("scheduler.hosts.xapi.xapi_session._ENTERING_S", 0.2)
    pool.fail_at("session.login_with_password", Fault("wait", seconds=20.0))
    ends = []

    def enter():
        with pytest.raises(HostUnreachable):
            session.current()
        ends.append("given up")

    entering = threading.Thread(target=enter)
    entering.start()
    until(lambda: member.asked)
    begun_s = time.monotonic()
    session.close()
    entering.join()
    assert ends == ["given up"]
    assert time.monotonic() - begun_s < 30


def test_supporter_leads_to_its_coordinator_and_vouches_for_it(pool, member, second, line, pairs):
    pool.thumbprints["127.0.0.2"] = certificate_pins.format_fingerprint(pairs["xcp2"].fingerprint)
    line.call("looking", "pool.get_all_records")
    assert count(member, "session.login_with_password") == 1
    assert second.asked == ["session.login_with_password", "pool.get_all_records"]


def test_coordinator_that_no_one_vouches_for_is_shown_first(pool, member, second, line, pairs):
    with pytest.raises(HostKeyUnknown, match=r"127\.0\.0\.2") as caught:
        line.call("looking", "pool.get_all_records")
    assert certificate_pins.normalise_fingerprint(caught.value.fingerprint) == pairs["xcp2"].fingerprint
    assert second.asked == []
    certificate_pins.accept_fingerprint(XapiAddress("127.0.0.2", member.port), caught.value.fingerprint)
    line.call("looking", "pool.get_all_records")


def test_supporter_cannot_replace_an_accepted_certificate(pool, member, second, line, pairs):
    certificate_pins.accept_fingerprint(XapiAddress("127.0.0.2", member.port), pairs["old"].fingerprint)
    pool.thumbprints["127.0.0.2"] = certificate_pins.format_fingerprint(pairs["xcp2"].fingerprint)
    with pytest.raises(HostKeyChanged, match=r"127\.0\.0\.2"):
        line.call("looking", "pool.get_all_records")
    assert second.asked == []


def test_members_that_send_us_in_a_circle_are_left_after_three_hops(pool, member, line):
    pool.coordinator = "127.0.0.9"  # neither of the two
    pool.fail_at("session.login_with_password", *[Fault("fail", ("HOST_IS_SLAVE", "127.0.0.1"))] * 9)
    with pytest.raises(HostNotUsable, match="after 3 hops"):
        line.call("looking", "pool.get_all_records")
    assert count(member, "session.login_with_password") == 4


def test_pool_whose_coordinator_changes_is_followed(pool, member, second, line, pairs):
    pool.coordinator = "127.0.0.1"
    certificate_pins.accept_fingerprint(XapiAddress("127.0.0.2", member.port), pairs["xcp2"].fingerprint)
    line.call("looking", "pool.get_all_records")
    pool.coordinator = "127.0.0.2"
    assert line.call("looking", "VM.get_by_uuid", pool.vms[GUEST]["uuid"]) == GUEST
    assert second.asked == ["session.login_with_password", "VM.get_by_uuid"]


def test_ended_session_is_renewed_once(pool, member, line):
    line.call("looking", ASK, GUEST)
    pool.sessions.clear()
    assert line.call("looking", ASK, GUEST) == {}
    assert count(member, "session.login_with_password") == 2


def test_session_that_is_ended_again_and_again_is_no_endless_loop(pool, member, line):
    pool.fail_at(ASK, *[Fault("fail", ("SESSION_INVALID", "OpaqueRef:x"))] * 9)
    with pytest.raises(HostNotUsable, match="twice in a row"):
        line.call("looking", ASK, GUEST)
    assert count(member, ASK) == 2


@pytest.mark.parametrize("kind", ["drop", "cut"])
def test_question_is_asked_once_more_when_the_connection_breaks(pool, member, line, kind):
    pool.fail_at(ASK, Fault(kind))
    assert line.call("looking", ASK, GUEST) == {}
    assert count(member, ASK) == 2


def test_connection_that_keeps_breaking_is_an_error(pool, member, line):
    pool.fail_at(ASK, *[Fault("cut")] * 9)
    with pytest.raises(ConnectionBroken, match="broke"):
        line.call("looking", ASK, GUEST)
    assert count(member, ASK) == 2


def test_wire_itself_never_sends_twice(pool, member, session):
    """The standard library's transport would: the second call then fails although the first succeeded."""
    ref, address, pin = session.current()
    pool.fail_at("VM.add_to_VCPUs_params", Fault("drop"))
    wire = HttpsWire(address, pin)
    with pytest.raises(ConnectionBroken):
        rpc.call_method(wire, "VM.add_to_VCPUs_params", (ref, GUEST, "weight", "512"), 5.0)
    assert count(member, "VM.add_to_VCPUs_params") == 1
    with pytest.raises(XapiFailure, match="MAP_DUPLICATE_KEY"):
        rpc.call_method(wire, "VM.add_to_VCPUs_params", (ref, GUEST, "weight", "512"), 5.0)
    wire.close()


def test_whole_map_may_be_set_twice(pool, member, line):
    pool.fail_at(SET, Fault("drop"))
    line.call("keeping", SET, GUEST, {"weight": "512"})
    assert count(member, SET) == 2
    assert pool.vms[GUEST]["VCPUs_params"] == {"weight": "512"}


def test_integers_travel_as_text(member, pool, session):
    ref, address, pin = session.current()
    wire = HttpsWire(address, pin)
    with pytest.raises(XapiFailure, match="UUID_INVALID"):  # the double refuses anything else as FIELD_TYPE_ERROR
        rpc.call_method(wire, "VM.get_by_uuid", (ref, 2**40), 5.0)
    wire.close()


def test_logout_that_fails_is_no_error(member, pool, line, session):
    line.call("looking", ASK, GUEST)
    pool.fail_at("session.logout", Fault("cut"))
    session.close()
