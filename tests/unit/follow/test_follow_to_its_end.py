"""How following ends of itself, and what it tells."""

import socket

import msgspec
import pytest

from scheduler.model.following import FollowDone, FollowEnd
from scheduler.model.split import GUEST, IO
from tests.unit.follow.host_followed import READS, WRITES, Counting, FollowRoom
from tests.unit.follow.hosts_counted import WEIGHED


def turning(second):
    return READS if int(second // 900) % 2 == 0 else WRITES


def as_found(room, done):
    return done.restored and room.host.params == room.found and not room.journal.path.exists()


def test_that_weights_without_neighbours_are_left_alone_and_with_them_keep_their_sum(tmp_path):
    for others, moves in ((0.0, False), (0.4, True)):
        room = FollowRoom(tmp_path / str(others), params=WEIGHED, others=others)
        room.host.tps = lambda second, params: 200.0
        room.host.kind = lambda second: (2.4, 0.55)
        done = room.follow()
        assert as_found(room, done)
        assert bool(room.moves) is moves
        sums = {room.found[IO].weight + room.found[GUEST].weight}
        assert set(_sums(room)) <= sums


def _sums(room):
    weights, seen = {domain: params.weight for domain, params in room.found.items()}, []
    for domain, params, _ in room.host.written:
        weights[domain] = params.weight
        seen.append(dict(weights))
    return [sum(each.values()) for each in seen[1::2]]


def test_that_following_that_brings_less_ends_by_evidence_at_the_planned_look(tmp_path, monkeypatch):
    monkeypatch.setattr("scheduler.follow.accounting._DAY_S", 2 * 3600.0)  # a day has twelve epochs here
    room = FollowRoom(tmp_path, for_s=3 * 3600.0, account_pct=50)
    room.committed = Counting(room.host)
    normal = room.host.committed
    room.committed.look = lambda: normal() if room.splits[-1:] == ["1:1"] or not room.splits else less(room, normal())
    done = room.follow()
    assert done.end is FollowEnd.EVIDENCE
    assert "brings less than the static split" in done.reason
    assert done.t_s == pytest.approx(7200, abs=20)
    assert as_found(room, done)


def less(room, count):
    """A database that loses half of what it does whenever another split than 1:1 is set."""
    lost = getattr(room, "lost", 0.0)
    room.lost = lost + 0.8 * (count - getattr(room, "counted", 0))
    room.counted = count
    return count - int(room.lost)


def test_that_the_last_line_tells_all_of_it(tmp_path):
    room = FollowRoom(tmp_path, for_s=600.0)
    done = room.follow()
    assert isinstance(done, FollowDone)
    assert (done.t_s, done.moves, done.host) == (600.0, len(room.moves), "fake:counted")


def test_that_a_host_that_became_another_one_is_given_back(tmp_path):
    for changed, words in (
        ({"scheduler": "credit"}, "scheduler was cgroup-v2, is credit"),
        ({"contended_cpus": (0, 1)}, "CPUs was (0,), is (0, 1)"),
        ({"domains": ()}, "domains was ['io', 'guest'], is []"),
    ):
        room = FollowRoom(tmp_path / str(len(words)), for_s=900.0)
        room.at(400.0, lambda room=room, changed=changed: room.host.changed.update(changed))
        done = room.follow()
        assert as_found(room, done)
        assert words in done.reason
        assert done.t_s == 600.0
    grown = tuple(msgspec.structs.replace(each, vcpus=2) for each in room.host.facts().domains)
    room = FollowRoom(tmp_path / "grown", for_s=900.0)
    room.host.changed = {"domains": grown}
    assert "guest: vcpus was 1, is 2" in room.follow().reason


def test_that_a_service_of_systemd_is_told_of_every_finished_window(tmp_path, monkeypatch):
    address = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(address))
        systemd.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(address))
        room = FollowRoom(tmp_path / "room", for_s=60.0)
        room.follow()
        heard = [systemd.recv(100) for _ in range(8)]
    assert heard == [b"READY=1", *[b"WATCHDOG=1"] * 6, b"STOPPING=1"]
    assert FollowRoom(tmp_path / "gone", for_s=60.0).follow().end is FollowEnd.TIME  # nobody listens any more
