"""How following ends of itself, and what it tells."""

import math
import socket

import msgspec
import pytest

from scheduler.model.commit_counter import CommitCount
from scheduler.model.observation_documents import FollowAudit, FollowDone, FollowEnd, FollowMove, FollowPeriod
from scheduler.model.split import GUEST, IO
from tests.unit.follow.host_followed import READS, WRITES, Counting, FollowRoom
from tests.unit.follow.hosts_counted import WEIGHED


def turning(second):
    return READS if int(second // 900) % 2 == 0 else WRITES


def as_found(room, done):
    return done.restored and room.host.params == room.found and not room.journal.path.exists()


def test_weights_without_neighbours_are_left_alone_and_with_them_keep_their_sum(tmp_path):
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


def test_following_that_brings_less_ends_by_evidence_at_the_planned_look(tmp_path, monkeypatch):
    monkeypatch.setattr("scheduler.follow.ab_test._DAY_S", 2 * 3600.0)  # a day has twelve epochs here
    room = FollowRoom(tmp_path, for_s=3 * 3600.0, account_pct=50)
    room.committed = Counting(room.host)
    normal = room.host.committed
    room.committed.look = lambda: CommitCount(
        normal() if room.splits[-1:] == ["1:1"] or not room.splits else less(room, normal())
    )
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


@pytest.mark.parametrize("times", [True, False])
def test_load_with_slack_is_accounted_for_by_the_time_of_a_transaction(tmp_path, times):
    room = FollowRoom(tmp_path, for_s=2 * 3600.0, account_pct=50, static=math.log(1 / 2))
    room.host.wait_ms = 200.0
    room.committed = Counting(room.host, times=times)
    done = room.follow()
    over = next(gain for gain in done.gains if gain.over == "static")
    assert over.slack
    assert abs(over.gain_frac) < 0.02
    assert (over.time_frac is not None, over.time_blocks) == (times, 4 if times else 0)
    assert over.verdict == ("better" if times else "alike")
    reported = {line.transaction_ms is not None for line in room.of(FollowPeriod)}
    assert reported == {times}
    if times:
        assert over.time_high_frac < -0.05
        assert not done.remarks
    assert as_found(room, done)


def test_counter_that_idles_while_the_domains_work_turns_the_accounts_off_and_no_more(tmp_path):
    rooms = [FollowRoom(tmp_path / str(n), turning, account_pct=50) for n in range(2)]
    rooms[0].committed = Counting(rooms[0].host)
    rooms[0].committed.look = lambda: CommitCount(0)
    done = rooms[0].follow()
    rooms[1].follow()
    assert as_found(rooms[0], done)
    assert (done.end, done.gains) == (FollowEnd.TIME, ())
    assert "does not follow the load" in done.remarks[0]
    assert rooms[0].moves == rooms[1].moves


def test_moves_are_looked_at_afterwards_and_only_where_commits_are_counted(tmp_path):
    room = FollowRoom(tmp_path, turning, for_s=2 * 3600.0)
    room.committed = Counting(room.host)
    done = room.follow()
    reported = room.of(FollowAudit)
    moves = {line.t_s: line.predicted_gain for line in room.of(FollowMove)}
    assert done.audited == len(reported) >= 4
    assert all(line.predicted_gain == moves[line.moved_s] and line.t_s > line.moved_s for line in reported)
    assert done.audit_slope is not None
    assert max(line.seen for line in reported) > 0.2
    blind = FollowRoom(tmp_path, turning)
    done = blind.follow()
    assert blind.moves
    assert (blind.of(FollowAudit), done.audited, done.audit_slope) == ([], 0, None)


def test_split_whose_first_write_failed_is_reported_once_it_is_set(tmp_path):
    room = FollowRoom(tmp_path, for_s=600.0)
    room.host.refuses = 1
    done = room.follow()
    assert as_found(room, done)
    first = room.of(FollowMove)[0]
    assert first.predicted_gain > 0.05
    assert done.moves == len(room.moves)


def test_last_line_reports_all_of_it(tmp_path):
    room = FollowRoom(tmp_path, for_s=600.0)
    done = room.follow()
    assert isinstance(done, FollowDone)
    assert (done.t_s, done.moves, done.host) == (600.0, len(room.moves), "fake:counted")


def test_host_that_became_another_one_is_restored(tmp_path):
    for changed, words in (
        ({"scheduler": "credit"}, "scheduler was cgroup-v2, is credit"),
        ({"shared_cpus": (0, 1)}, "CPUs was (0,), is (0, 1)"),
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


def test_service_of_systemd_is_reported_every_finished_window(tmp_path, monkeypatch):
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


def test_following_reports_what_the_host_did_not_see(tmp_path):
    room = FollowRoom(tmp_path, for_s=600.0)
    room.host.warnings = lambda: ("events did not come",)
    assert "events did not come" in room.follow().remarks
