"""Following ends as it began: whatever happens meanwhile, the host reads as found, or it is said what does not."""

import math
import threading

import pytest

from scheduler.errors import DatabaseUnreachable, HostUnreachable, RestoreFailed
from scheduler.follow.move_decision import FollowBounds
from scheduler.model.observation_documents import FollowEnd, FollowHold, FollowMove, ObservationWindow
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.lease import restore_from_record
from tests.unit.follow.host_followed import HOUR_S, READS, WRITES, Counting, FollowRoom

FOREIGN = CgroupParams(100, 33_000)


def turning(second):
    return READS if int(second // 900) % 2 == 0 else WRITES


def as_found(room, done):
    return done.restored and room.host.params == room.found and not room.journal.path.exists()


def test_load_that_turns_is_followed_and_the_host_is_restored(tmp_path):
    room = FollowRoom(tmp_path, turning)
    room.committed = Counting(room.host)
    done = room.follow()
    assert (done.end, done.error) == (FollowEnd.TIME, "")
    assert as_found(room, done)
    ends = [float(label.split(":")[0]) / float(label.split(":")[1]) for label in room.splits[85::90]]
    assert ends[0] > 1.5 > 1 / 1.5 > ends[1]
    assert ends[2] > 1.5 > 1 / 1.5 > ends[3]
    assert 4 <= done.moves <= 12
    at_rest = FollowRoom(tmp_path, turning, bounds=FollowBounds(low=-1e-3, high=1e-3))
    at_rest.committed = Counting(at_rest.host)
    at_rest.follow()
    assert room.host.done > 1.3 * at_rest.host.done


def test_both_domains_together_never_have_more_than_was_found(tmp_path):
    room = FollowRoom(tmp_path, turning)
    room.follow()
    assert len(room.host.written) > 8
    assert max(together for _, _, together in room.host.written) <= 1.0 + 1e-9
    assert min(together for _, _, together in room.host.written[1::2]) > 0.9998  # and no less, but for a rounding


def test_no_split_outside_the_range_is_ever_set(tmp_path):
    room = FollowRoom(tmp_path, turning, bounds=FollowBounds(low=math.log(1 / 1.5), high=math.log(1.5)))
    room.follow()
    assert {"1:1", "1:1.5", "1.5:1"} >= set(room.splits)
    assert len(room.moves) > 2


def test_what_may_be_set_is_on_disk_before_it_is_written(tmp_path):
    room = FollowRoom(tmp_path)
    write, records = room.host.write, []

    def looking(domain, params):
        undo = room.journal.record()
        records.append((undo.originals, params in (*undo.ours[domain], undo.originals[domain])))
        write(domain, params)

    room.host.write = looking
    room.follow()
    assert len(records) > 2
    assert all(record == (room.found, True) for record in records)


def test_sequence_of_splits_is_the_same_with_and_without_a_database(tmp_path):
    def broken():
        raise DatabaseUnreachable("no connection to db: it is starting or stopping")

    rooms = [FollowRoom(tmp_path / str(n), turning, account_pct=50, static=math.log(0.5)) for n in range(3)]
    rooms[1].committed = Counting(rooms[1].host)
    rooms[2].committed = Counting(rooms[2].host, lambda: broken() if rooms[2].clock.now() > 900 else None)
    dones = [room.follow() for room in rooms]
    assert rooms[0].moves == rooms[1].moves == rooms[2].moves
    assert {arm for _, arm, _ in rooms[0].moves} == {"following", "static", "found"}
    assert rooms[0].splits == rooms[1].splits == rooms[2].splits
    assert [len(done.gains) for done in dones] == [0, 2, 0]
    assert "looks, the last time because: no connection to db" in dones[2].remarks[0]


def test_one_lost_connection_leaves_the_account_of_following_standing(tmp_path):
    room = FollowRoom(tmp_path, turning, account_pct=50, static=math.log(0.5))
    failures = iter([DatabaseUnreachable("the connection broke")])

    def failing_once():
        if room.clock.now() > 900 and (failure := next(failures, None)):
            raise failure

    room.committed = Counting(room.host, failing_once)
    done = room.follow()
    assert len(done.gains) == 2
    assert "around 1 of" in done.remarks[0]


def test_after_a_turn_following_goes_on_where_it_was_or_would_have_moved_to(tmp_path):
    """Else what is measured would be following that begins anew every ten minutes."""
    room = FollowRoom(tmp_path, for_s=2 * HOUR_S, account_pct=50, static=math.log(0.5))
    room.follow()
    at_work = [line for line in room.of(ObservationWindow) if line.arm == "following"]
    assert len({line.split.label for line in at_work if line.t_s > HOUR_S / 2}) == 1
    turned = FollowRoom(tmp_path, lambda second: turning(second // 2), for_s=2 * HOUR_S, account_pct=50)
    turned.follow()
    begins = [line for line in turned.of(FollowMove) if line.arm == "following" and line.io_used_frac is None]
    ratios = {line.t_s: line.after.io / line.after.guest for line in begins}
    for at_s, ratio in ratios.items():
        if at_s % 1800 > 600:  # the load has been the same for the whole turn before
            assert (ratio > 1) == (turning(at_s // 2) is READS), at_s


def test_heartbeats_come_after_windows_and_from_the_loop_itself(tmp_path):
    room = FollowRoom(tmp_path, for_s=600.0)
    room.follow()
    assert [at_s for at_s, _ in room.host.assured] == pytest.approx([10.0 * n for n in range(1, 61)])
    assert {thread for _, thread in room.host.assured} == {threading.get_ident()}
    assert room.host.hard_s == 900.0


def test_value_of_another_else_ends_it_and_is_left_until_it_is_forced(tmp_path):
    room = FollowRoom(tmp_path)
    room.at(600.0, lambda: room.host.params.update({GUEST: FOREIGN}))
    done = room.follow()
    assert (done.end, done.restored) == (FollowEnd.HOST, False)
    assert room.lines[-1].t_s < 620
    assert "quota 33000 us" in done.reason
    assert "quota 50000 us" in done.reason
    assert "restore --force" in done.hint
    assert room.host.params == {IO: room.found[IO], GUEST: FOREIGN}
    undo = room.journal.read()
    with pytest.raises(RestoreFailed, match="does not touch it"):
        restore_from_record(undo, room.journal, lambda _: room.host)
    assert room.host.params[GUEST] == FOREIGN
    restore_from_record(undo, room.journal, lambda _: room.host, force=True)
    assert room.host.params == room.found
    assert not room.journal.path.exists()


def test_value_of_another_else_before_the_first_move_ends_it_with_nothing_written(tmp_path):
    room = FollowRoom(tmp_path)
    room.at(15.0, lambda: room.host.params.update({GUEST: FOREIGN}))
    done = room.follow()
    assert (done.end, room.host.written) == (FollowEnd.HOST, [])
    assert not room.journal.path.exists()


def test_domain_that_is_gone_ends_it_and_the_other_is_restored(tmp_path):
    room = FollowRoom(tmp_path)
    room.at(600.0, lambda: room.host.params.update({GUEST: None}))
    done = room.follow()
    assert (done.end, done.restored) == (FollowEnd.HOST, True)
    assert "not there any more" in done.reason
    assert room.host.params == {IO: room.found[IO], GUEST: None}


def unreachable_from(room, first_s, last_s):
    room.host.breaks = lambda now_s: HostUnreachable("no answer within 10 s") if first_s < now_s < last_s else None


def test_counters_that_fail_for_a_while_hold_it_and_no_more(tmp_path):
    room = FollowRoom(tmp_path)
    unreachable_from(room, 595, 635)
    done = room.follow()
    assert as_found(room, done)
    assert done.end is FollowEnd.TIME
    missing = [line.t_s for line in room.of(FollowHold) if line.reason == "missing"]
    assert missing == [pytest.approx(630.0)]
    assert {line.trouble for line in room.of(ObservationWindow) if 595 < line.t_s < 635} == {"no answer within 10 s"}


def test_minute_without_counters_gives_the_host_back(tmp_path):
    room = FollowRoom(tmp_path)
    room.host.breaks = lambda now_s: room.host._cpu_s.__setitem__(0, -now_s) if now_s > 595 else None
    done = room.follow()
    assert as_found(room, done)
    assert done.end is FollowEnd.HOST
    assert "no counters that can be used for 70 s: the counter of io went back" in done.reason


def test_host_that_is_not_reached_stays_due(tmp_path):
    room = FollowRoom(tmp_path)
    unreachable_from(room, 595, math.inf)
    done = room.follow()
    assert (done.end, done.restored) == (FollowEnd.HOST, False)
    assert "no answer within 10 s" in done.reason
    assert room.journal.path.exists()
    room.host.breaks = lambda now_s: None
    restore_from_record(room.journal.read(), room.journal, lambda _: room.host)
    assert room.host.params == room.found


def test_missed_minute_gives_the_host_back(tmp_path):
    """A computer that slept, or a process that was stopped and goes on."""
    room = FollowRoom(tmp_path)
    sleep = room.clock.sleep

    def asleep(seconds, wake):
        sleep(seconds + (90 if 600 <= room.clock.now() < 610 else 0), wake)

    room.clock.sleep = asleep
    done = room.follow()
    assert as_found(room, done)
    assert done.end is FollowEnd.HOST
    assert "s passed since the last window" in done.reason


def test_sleep_of_this_computer_restores_the_host_and_is_named(tmp_path):
    room = FollowRoom(tmp_path)
    sleep, slept = room.clock.sleep, []

    def asleep(seconds, wake):
        falls = not slept and room.clock.now() > 600
        sleep(seconds + (660 if falls else 0), wake)
        slept.extend([660.0] * falls)

    room.clock.sleep, room.clock.asleep_s = asleep, lambda: sum(slept)
    done = room.follow()
    assert as_found(room, done)
    assert done.end is FollowEnd.HOST
    assert done.reason.startswith("the computer slept 11 min: ")
    assert "The computer slept 11 min." in done.remarks


def test_user_ends_it_at_once(tmp_path):
    room = FollowRoom(tmp_path)
    room.told = lambda line: (room.lines.append(line), len(room.lines) == 40 and room.control.abort_soon("stopped"))
    done = room.follow()
    assert (done.end, done.reason) == (FollowEnd.USER, "stopped")
    assert as_found(room, done)
    assert len(room.host.written) >= 4


def test_writes_that_fail_are_tried_thrice(tmp_path):
    for fails, end in ((2, FollowEnd.TIME), (3, FollowEnd.HOST)):
        room = FollowRoom(tmp_path / str(fails))
        room.host.refuses = fails
        done = room.follow()
        assert as_found(room, done)
        assert done.end is end
        assert ("refused, as asked for" in done.reason) == (fails == 3)


def test_value_that_reads_back_otherwise_gives_the_host_back_whole(tmp_path):
    """What came of our own write is ours: it is overwritten by what was found."""
    room = FollowRoom(tmp_path)
    room.host.takes_otherwise = True
    put = room.host.write

    def once(domain, params):
        put(domain, params)
        room.host.takes_otherwise = False

    room.host.write = once
    done = room.follow()
    assert (done.end, len(room.moves)) == (FollowEnd.HOST, 0)
    assert as_found(room, done)


def test_what_was_changed_since_it_was_asked_about_is_not_followed(tmp_path):
    room = FollowRoom(tmp_path)
    follow, read = room.follow, room.host.read
    room.host.read = lambda domain: FOREIGN if domain == GUEST else read(domain)
    done = follow()
    assert (done.end, done.busy, room.host.written) == (FollowEnd.HOST, True, [])
    assert "changed after the question" in done.reason


def test_reader_that_is_gone_gives_the_host_back(tmp_path):
    room = FollowRoom(tmp_path)

    def gone(line):
        room.lines.append(line)
        if isinstance(line, FollowMove):
            raise BrokenPipeError

    room.told = gone
    with pytest.raises(BrokenPipeError):
        room.follow()
    assert room.host.params == room.found
    assert not room.journal.path.exists()
