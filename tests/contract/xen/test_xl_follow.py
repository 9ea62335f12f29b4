"""Following a Xen host: a guard that no thread of ours keeps quiet, caps that are lowered before others are raised."""

import threading

import pytest

from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.follow.ab_test import Variant
from scheduler.follow.current_split import derive_current_split
from scheduler.follow.move_decision import FollowBounds
from scheduler.hosts.host_registry import open_host
from scheduler.model.observation_documents import FollowEnd, FollowMove
from scheduler.model.split import GUEST, IO
from scheduler.run.control import RunControl
from scheduler.run.follow_actor import FollowParts, FollowPlan
from scheduler.run.follow_session import FollowSession
from scheduler.run.lease import FOLLOW_SCOPE, HostLease
from scheduler.run.local_guard import LocalGuard
from scheduler.run.simulated_clock import SimulatedClock
from scheduler.run.split_setter import SplitSetter, host_differences
from tests.contract.xen.test_xl_watch import set_caps


@pytest.fixture
def told():
    return []


@pytest.fixture
def host(double, told):
    set_caps(double, 40, 40)
    host = open_host("xl:", lambda command, answer: told.append(command))
    yield host
    host.close()


def lease_on(host, folder):
    return HostLease(host, folder, host.facts().host_id, "xl:", reopen_recorded_host, FOLLOW_SCOPE)


def test_caps_are_followed_behind_a_guard_and_restored(double, host, told, tmp_path):
    before = double.parameters()
    with lease_on(host, tmp_path) as lease:
        assert host.follow(1000.0) is True
        assert "guard heartbeat" not in {thread.name for thread in threading.enumerate()}
        steering = SplitSetter(host, lease, host.facts())
        for log_ratio in (0.7, -0.7):
            assert steering.set_params(steering.params_for(log_ratio))
            host.guard.check_guard()
            steering.verify_params()
        assert host_differences(host.facts(), host.look_again()) == []
        caps = {domain: steering.standing.params[domain].cap_pct for domain in (IO, GUEST)}
        assert caps[IO] < 40 < caps[GUEST]
        assert sum(caps.values()) in (79, 80)
    assert double.parameters() == before
    caps = {"0": 40, "3": 40}
    for words in (command.split() for command in told if " -c " in command):
        number = words[words.index("-d") + 1]
        caps["0" if number == "0" else "3"] = int(words[words.index("-c") + 1])
        assert sum(caps.values()) <= 80, told


def test_cap_of_another_else_is_noticed_and_left_by_the_guard_too(double, host, guard, tmp_path):
    lease = lease_on(host, tmp_path)
    asked = derive_current_split({domain: host.read(domain) for domain in (IO, GUEST)}, host.facts())
    how = {"bounds": FollowBounds(), "static": -0.7, "for_s": 3600.0, "account_pct": 50}
    plans = (FollowPlan(**how, seed=seed) for seed in range(99))
    plan = next(plan for plan in plans if plan.schedule.at(0.0).arm is Variant.STATIC)

    def emit(line):
        if isinstance(line, FollowMove):
            with double.changing() as state:
                state["domains"][1]["cap"] = 77

    parts = FollowParts(host, lease, LocalGuard(["false"], 1.0), RunControl(SimulatedClock()), plan, asked, emit)
    done = FollowSession(parts).run()
    assert (done.end, done.restored) == (FollowEnd.HOST, False)
    assert "cap 77 %" in done.reason
    host.close()
    assert [domain["cap"] for domain in double.parameters()] == [40, 77]
    assert not guard().changed


def test_what_every_guest_exchanges_is_reported_and_dom0_is_none_of_them(double, host):
    host.facts()  # chosen by now: a second guest comes later
    with double.changing() as state:
        state["domains"].append({**state["domains"][1], "domid": 9, "name": "mail", "uuid": "9" * 36})
    host.usage()
    bytes_each = 1024 * (14 + 11) + 512 * (115_658 + 6_968)
    assert host.passed() == {"rt guest": bytes_each, "mail": bytes_each}
