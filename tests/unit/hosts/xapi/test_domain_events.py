"""What the toolstack does to a swept domain is seen within moments, whatever happens to the connection."""

import re
import threading
import time

import pytest

from scheduler.hosts.xapi.domain_events import EventWatcher
from scheduler.hosts.xapi.pool_inventory import read_inventory
from scheduler.hosts.xapi.xapi_session import XapiConnection
from tests.xapi_double.fixtures import until
from tests.xapi_double.pool import NULL, Fault

GUEST, DOM0 = "OpaqueRef:v1", "OpaqueRef:d1"
LONG_S = 30.0


@pytest.fixture
def watch(session, line, pool, member):
    watchers = []

    def watch(poll_s=LONG_S):
        vms = read_inventory(line).vms
        found = {GUEST: vms[GUEST], DOM0: vms[DOM0]}
        watcher = EventWatcher(XapiConnection(session), found, {"OpaqueRef:h2": "xcp2"}, poll_s=poll_s)
        watchers.append(watcher)
        watcher.start()
        until(lambda: member.asked.count("event.from") >= 2)  # the world of now, then waiting
        return watcher

    yield watch
    for watcher in watchers:
        watcher.stop()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"domid": "7"}, r"db1 was restarted \(domain 3, now 7\)"),
        ({"power_state": "Halted", "domid": "-1", "resident_on": NULL}, r"db1 is halted now \(it was running\)"),
        ({"power_state": "Suspended"}, "db1 is suspended now"),
        ({"power_state": "Paused"}, "db1 is paused now"),
        ({"resident_on": "OpaqueRef:h2", "domid": "4"}, "db1 was moved to xcp2"),
    ],
)
def test_reboot_a_move_or_another_state_is_seen_at_once(pool, watch, change, words):
    watcher = watch()
    begun_s = time.monotonic()
    pool.alter(GUEST, **change)
    until(lambda: watcher.domain_changes)
    assert time.monotonic() - begun_s < LONG_S / 2
    assert re.match(words, watcher.domain_changes[0])


def test_dom0_is_watched_too(pool, watch):
    watcher = watch()
    pool.alter(DOM0, power_state="Halted")
    until(lambda: watcher.domain_changes)
    assert watcher.domain_changes[0].startswith("Control domain")


def test_removed_machine_is_seen(pool, watch):
    watcher = watch()
    pool.remove(GUEST)
    until(lambda: watcher.domain_changes)
    assert watcher.domain_changes == ("db1 was removed",)


@pytest.mark.parametrize("change", [{"name_label": "renamed"}, {"VCPUs_params": {"weight": "512"}}, {}])
def test_changes_that_touch_no_sweep_are_passed_over(pool, watch, change):
    watcher = watch()
    pool.alter(GUEST, **change)
    pool.alter("OpaqueRef:v2", power_state="Running", domid="12")  # somebody else's
    pool.alter(GUEST, domid="7")
    until(lambda: watcher.domain_changes)
    assert [text.partition(" was ")[2].split(" ")[0] for text in watcher.domain_changes] == ["restarted"]


@pytest.mark.parametrize("classes", [["*"], ["vm"], ["VM"], [f"VM/{GUEST}"], ["host", f"vm/{GUEST}"]])
def test_double_reports_what_was_subscribed_to_once_however_often_it_changed(pool, line, classes):
    token = line.call("watching", "event.from", classes, "", 0.0)["token"]
    for domid in ("7", "8", "9"):
        pool.alter(GUEST, domid=domid)
    reported = line.call("watching", "event.from", classes, token, 5.0)["events"]
    assert [(event["ref"], event["operation"], event["snapshot"]["domid"]) for event in reported] == [
        (GUEST, "mod", "9")
    ]


@pytest.mark.parametrize("classes", [["host"], [f"vm/{DOM0}"], ["vmx"]])
def test_double_keeps_quiet_about_the_rest(pool, line, classes):
    token = line.call("watching", "event.from", classes, "", 0.0)["token"]
    pool.alter(GUEST, domid="7")
    assert line.call("watching", "event.from", classes, token, 0.0)["events"] == []


def test_token_of_any_age_is_good(pool, line):
    """`event.from` compares with the database; only `event.next` has a queue that may lose events."""
    for domid in range(2_000):
        pool.alter(GUEST, domid=str(domid))
    reported = line.call("watching", "event.from", ["vm"], f"{1:020d},{0:020d}", 0.0)["events"]
    assert [event["snapshot"]["domid"] for event in reported] == ["1999"]


def test_change_between_looking_and_watching_is_seen(pool, session, line):
    found = {GUEST: read_inventory(line).vms[GUEST]}
    pool.alter(GUEST, domid="7")
    watcher = EventWatcher(XapiConnection(session), found, {})
    watcher.start()
    until(lambda: watcher.domain_changes)
    watcher.stop()


@pytest.mark.parametrize(
    "fault",
    [
        Fault("fail", ("EVENTS_LOST",)),
        Fault("fail", ("EVENT_FROM_TOKEN_PARSE_FAILURE", "x")),
        Fault("fail", ("INTERNAL_ERROR", "x")),
        Fault("cut"),
        Fault("drop"),
        Fault("body", body=b"nonsense"),
    ],
)
def test_change_is_seen_after_events_were_lost(pool, member, watch, fault, monkeypatch):
    monkeypatch.setattr("scheduler.hosts.xapi.domain_events._AGAIN_S", 0.05)
    watcher = watch(poll_s=0.1)
    pool.fail_at("event.from", fault)
    until(lambda: not pool.faults["event.from"])
    pool.alter(GUEST, domid="7")
    until(lambda: watcher.domain_changes)


def test_ended_session_does_not_blind_it(pool, watch, monkeypatch):
    watcher = watch(poll_s=0.1)
    pool.sessions.clear()
    until(lambda: pool.sessions)
    pool.alter(GUEST, domid="7")
    until(lambda: watcher.domain_changes)
    assert watcher.blind == ""


def test_it_reports_when_it_sees_nothing(pool, member, watch):
    watcher = watch(poll_s=0.1)
    member.stop()
    until(lambda: watcher.blind)
    assert "127.0.0.1" in watcher.blind


def test_refused_login_is_not_tried_again_behind_all_s_back(pool, member, watch, monkeypatch):
    """Refused logins wait for each other in XAPI, and too many of them may lock the account."""
    monkeypatch.setattr("scheduler.hosts.xapi.domain_events._AGAIN_S", 0.05)
    watcher = watch(poll_s=0.1)
    pool.users.clear()
    pool.sessions.clear()
    until(lambda: not [thread for thread in threading.enumerate() if thread.name == "xapi-events"])
    assert "user name or password is wrong" in watcher.blind
    assert "does not try again" in watcher.blind
    assert member.asked.count("session.login_with_password") == 2


def test_it_stops_in_the_middle_of_a_long_poll(watch):
    watcher = watch()
    begun_s = time.monotonic()
    watcher.stop()
    watcher.stop()
    assert time.monotonic() - begun_s < LONG_S / 2
    assert not [thread for thread in threading.enumerate() if thread.name == "xapi-events"]


def test_call_that_xapi_does_not_have_is_not_asked_again_and_is_a_lasting_gap(pool, member, session, line):
    pool.fail_at("event.from", *[Fault("fail", ("MESSAGE_METHOD_UNKNOWN", "event.from"))] * 9)
    watcher = EventWatcher(XapiConnection(session), {GUEST: read_inventory(line).vms[GUEST]}, {})
    watcher.start()
    try:
        until(lambda: watcher.missed)
        assert "this version of XAPI has no such call" in watcher.missed
        until(lambda: not watcher._thread.is_alive())
        assert member.asked.count("event.from") == 1
    finally:
        watcher.stop()


def test_gap_longer_than_a_poll_stays_known_after_events_come_again(pool, watch, monkeypatch):
    monkeypatch.setattr("scheduler.hosts.xapi.domain_events._AGAIN_S", 0.05)
    watcher = watch(poll_s=0.1)
    assert watcher.missed == ""
    pool.fail_at("event.from", *[Fault("fail", ("INTERNAL_ERROR", "no"))] * 20)
    until(lambda: watcher.missed)
    until(lambda: not watcher.blind)
    assert "INTERNAL_ERROR" in watcher.missed
