"""Watching reads and never writes, believes no strange counter, and goes on beside whatever else happens."""

import math

import pytest

from scheduler.errors import DatabaseUnreachable, DomainGone, HostError, HostNotUsable, HostUnreachable
from scheduler.follow.split_rule import rounded_split
from scheduler.follow.watch_report import build_report
from scheduler.model.commit_counter import CommitCount
from scheduler.model.observation_documents import WatchOutlook
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.control import AbortRequested, RunControl
from scheduler.run.simulated_clock import SimulatedClock
from scheduler.run.watch_session import WatchSession
from tests.unit.follow.hosts_counted import LIMITED, WEIGHED, CountedHost

FIVE_MIN_S = 300.0
STEADY = (0.2, 0.3)


class Room:
    """A host, a clock and a watch over both."""

    def __init__(self, uses=lambda second, params: STEADY, params=LIMITED, others=None, committed=None, held=None):
        self.clock = SimulatedClock()
        self.control = RunControl(self.clock)
        self.host = CountedHost(self.clock.now, uses, params, others, held)
        self.committed = committed
        self.told, self.rates, self.usable = [], [], []

    def watch(self, for_s=FIVE_MIN_S):
        return WatchSession(self.host, self.control, self.clock.now, self._take, self.committed).run(for_s)

    def _take(self, seen):
        self.told.append((seen.elapsed_s, seen.trouble))
        self.rates.append(seen.rate_tps)
        self.usable.append(seen.usable)


def test_watching_sends_no_write_and_names_the_split_of_the_rule():
    seen = Room(lambda second, params: (0.12, 0.49)).watch()  # the host fails on any write
    reported = build_report(seen)
    assert (seen.windows, len(seen.minutes), seen.dropped) == (30, 5, {})
    filled, ratio = 0.8, 0.12 / 0.49  # the guest is at its limit
    share = filled * ratio / (1 + ratio) + (1 - filled) * math.sqrt(ratio) / (1 + math.sqrt(ratio))
    assert reported.log_ratio is not None
    assert reported.outlook is WatchOutlook.STATIC
    assert math.exp(reported.log_ratio) == pytest.approx(share / (1 - share), rel=0.05)


def test_what_is_set_is_read_once_a_minute_and_counters_every_ten_seconds():
    room = Room()
    room.watch()
    assert room.host.reads == 2 * (1 + 5)
    assert [watched_s for watched_s, _ in room.told] == [10.0 * count for count in range(1, 31)]


def test_split_which_another_else_sets_is_noticed_and_its_minute_left_out():
    room = Room()
    changed = {IO: CgroupParams(100, 20_000), GUEST: CgroupParams(100, 80_000)}
    room.host.breaks = lambda now_s: room.host.params.update(changed) if now_s > 130 else None
    seen = room.watch()
    assert seen.changes == 1
    assert seen.dropped == {"another split was set meanwhile": 6}
    assert seen.standing.params == changed
    assert any("set a different split once" in reason for reason in build_report(seen).reasons)


def test_limits_which_become_weights_begin_again():
    room = Room()
    room.host.breaks = lambda now_s: room.host.params.update(WEIGHED) if now_s > 130 else None
    seen = room.watch()
    assert seen.standing.mode == "weights"
    assert len(seen.minutes) == 2  # the third minute held the change, the first window after it is dropped


def test_counters_that_fail_for_a_while_cost_their_windows_only():
    room = Room()
    room.host.breaks = lambda now_s: HostUnreachable("no answer within 10 s") if 95 < now_s < 115 else None
    seen = room.watch()
    assert seen.dropped == {"the host gave no counters": 3}  # two looks, three windows
    assert "no answer within 10 s" in {trouble for _, trouble in room.told}
    assert seen.windows == 27
    assert any("3 of the windows" in reason for reason in build_report(seen).reasons)


def test_discarded_window_shows_no_figures_of_the_one_before():
    room = Room(others=0.1)
    room.host.breaks = lambda now_s: HostUnreachable("no answer within 10 s") if 95 < now_s < 115 else None
    room.watch()
    assert [usable is None for usable in room.usable] == [bool(trouble) for _, trouble in room.told]
    assert sum(usable is None for usable in room.usable) == 3


def test_minute_whose_split_cannot_be_read_is_left_out():
    room = Room()
    room.host.breaks = lambda now_s: HostUnreachable("no answer within 10 s") if 119 < now_s < 121 else None
    assert room.watch().dropped == {"the host gave no counters": 2, "the current settings could not be read": 5}


def test_counter_that_goes_back_drops_its_window():
    room = Room()
    room.host.breaks = lambda now_s: room.host.reset_counters() if 95 < now_s < 105 else None
    assert room.watch().dropped == {"the counter of io went back": 1}


def test_gap_is_no_window():
    """A computer that was asleep, or a host that took a minute to answer."""
    room = Room()
    sleep = room.clock.sleep

    def asleep(seconds, wake):
        sleep(seconds + (90 if room.clock.now() == pytest.approx(100.0) else 0), wake)

    room.clock.sleep = asleep
    seen = room.watch()
    assert seen.dropped == {"90 s passed between two looks": 1}
    assert seen.windows == 21


def test_sleep_of_this_computer_is_named_and_its_window_excluded():
    room = Room()
    sleep, slept = room.clock.sleep, []

    def asleep(seconds, wake):
        falls = not slept and room.clock.now() > 100.0
        sleep(seconds + (60 if falls else 0), wake)
        slept.extend([60.0] * falls)

    room.clock.sleep, room.clock.asleep_s = asleep, lambda: sum(slept)
    seen = room.watch()
    assert seen.dropped == {"the computer slept 1 min": 1}
    assert "The computer slept 1 min." in build_report(seen).reasons


@pytest.mark.parametrize("error", [DomainGone("db1 was restarted"), HostNotUsable("only one is limited")])
def test_domain_that_goes_ends_it_with_what_was_seen(error):
    room = Room()
    room.host.breaks = lambda now_s: error if now_s > 200 else None
    seen = room.watch()
    assert seen.ended == str(error)
    assert not seen.stopped
    assert len(seen.minutes) == 3
    reported = build_report(seen)
    assert reported.log_ratio is not None
    assert any(str(error) in reason for reason in reported.reasons)


def test_user_ends_it_with_what_was_seen():
    room = Room()
    room.host.breaks = lambda now_s: room.control.abort_soon("stopped by SIGINT") if now_s > 155 else None
    seen = room.watch()
    assert (seen.stopped, seen.ended) == (True, "stopped by SIGINT")
    assert len(seen.minutes) == 3
    with pytest.raises(AbortRequested):
        room.control.check()


def test_host_without_counters_is_an_error_at_once():
    room = Room()
    room.host.breaks = lambda now_s: HostError("no counters here")
    with pytest.raises(HostError, match="no counters here"):
        room.watch()


class Committing:
    """A database that commits ten transactions a second, or fails from some moment on."""

    def __init__(self, now, per_s=10.0, fails_at_s=math.inf, back_at_s=math.inf, restarts_at_s=math.inf):
        self.now, self.per_s, self.restarts_at_s = now, per_s, restarts_at_s
        self.fails_at_s, self.back_at_s = fails_at_s, back_at_s

    def look(self):
        if self.back_at_s > self.now() > self.fails_at_s:
            raise DatabaseUnreachable("no connection to db: it is starting or stopping")
        lost = self.restarts_at_s if self.now() > self.restarts_at_s else -1e6
        return CommitCount(int(self.per_s * (self.now() - lost)))


def committing(**how):
    room = Room()
    room.committed = Committing(room.clock.now, **how)
    return room


def test_rate_of_the_database_is_reported_and_a_restart_leaves_one_window_out():
    for room, lost in ((committing(), 0), (committing(restarts_at_s=101.0), 1)):
        seen = room.watch()
        assert seen.commits / seen.commits_s == pytest.approx(10.0, rel=0.05)
        assert room.rates.count(None) == lost
        assert [rate for rate in room.rates if rate] == pytest.approx([10.0] * (30 - lost), rel=0.05)
    uncounted = Room()
    uncounted.watch()
    assert set(uncounted.rates) == {None}


def test_split_is_the_same_with_and_without_a_database():
    named = {build_report(room.watch()).log_ratio for room in (Room(), committing(), committing(fails_at_s=50.0))}
    assert len(named) == 1


def test_database_that_fails_is_reported_and_nothing_else_is_lost():
    seen = committing(fails_at_s=150.0).watch()
    assert len(seen.minutes) == 5
    remark = "around 15 of 31 looks, the last time because: no connection to db"
    assert any(remark in reason for reason in build_report(seen).reasons)


def test_lost_connection_leaves_a_gap_and_counting_goes_on():
    room = committing(fails_at_s=105.0, back_at_s=115.0)
    seen = room.watch()
    assert room.rates.count(None) == 2  # before and behind it
    assert [rate for rate in room.rates if rate] == pytest.approx([10.0] * 28, rel=0.05)
    assert seen.commits_s == pytest.approx(280.0, abs=1.0)
    assert any("around 1 of 31 looks" in reason for reason in build_report(seen).reasons)


def test_database_that_idles_while_the_domains_work_is_another_one():
    reported = build_report(committing(per_s=0.0).watch())
    assert any("does not follow the load" in reason for reason in reported.reasons)


def test_split_that_does_is_left_alone():
    reported = build_report(Room().watch())
    assert reported.log_ratio == pytest.approx(0.0)
    assert reported.headline.startswith(
        "Keep the current split for now: another split may gain a little (estimate of less than 30"
    )
    assert any("removing the caps is faster" in reason for reason in reported.reasons)


def test_starved_domain_is_given_more_and_reported_to_be_a_first_step():
    starved = {IO: CgroupParams(100, 10_000), GUEST: CgroupParams(100, 90_000)}
    reported = build_report(Room(lambda second, params: (0.0999, 0.1), starved).watch())
    assert reported.log_ratio is not None
    assert rounded_split(reported.log_ratio).io_frac > 0.35
    assert reported.gain_frac is not None
    assert reported.gain_frac > 1
    assert "times the current throughput" in reported.headline
    assert any("first step" in reason for reason in reported.reasons)


def test_pair_at_both_limits_is_reported_to_be_blind():
    reported = build_report(Room(lambda second, params: (0.499, 0.499)).watch())
    assert reported.outlook is WatchOutlook.BLIND
    assert reported.log_ratio is None


def test_idle_pair_is_reported_to_be_idle():
    assert build_report(Room(lambda second, params: (0.01, 0.01)).watch()).outlook is WatchOutlook.IDLE


def test_one_minute_is_enough_and_less_is_too_little():
    assert build_report(Room().watch(60.0)).log_ratio is not None
    assert build_report(Room().watch(20.0)).outlook is WatchOutlook.UNKNOWN


@pytest.mark.parametrize(
    ("used", "others", "words"),
    [
        ((0.2, 0.3), 0.1, "had no effect: the CPU was never saturated"),
        ((0.4, 0.59), 0.0, "only the two domains used the CPU"),
        ((0.2, 0.3), None, "no visible effect"),
    ],
)
def test_weights_without_a_full_cpu_and_neighbours_decide_nothing(used, others, words):
    reported = build_report(Room(lambda second, params: used, WEIGHED, others).watch())
    assert reported.outlook is WatchOutlook.NOTHING
    assert words in reported.headline
    assert (reported.log_ratio, reported.gain_frac) == (None, None)


def test_limits_which_no_one_reaches_next_to_others_that_fill_the_cpu_decide_nothing():
    """A computer on which others build: 7 and 5 % of the CPU are received, far below any limit, at every split."""
    starved = {IO: CgroupParams(100, 16_667), GUEST: CgroupParams(100, 83_333)}
    reported = build_report(Room(lambda second, params: (0.07, 0.05), starved, others=0.88).watch())
    assert reported.outlook is WatchOutlook.NOTHING
    assert "other programs saturated the CPU" in reported.headline
    assert reported.log_ratio is None


def test_others_who_leave_enough_for_both_limits_change_nothing():
    small = {IO: CgroupParams(100, 5_000), GUEST: CgroupParams(100, 5_000)}
    alone, beside = (
        build_report(Room(lambda second, params: (0.0499, 0.02), small, others=others, held=0.3).watch())
        for others in (0.0, 0.85)
    )
    assert beside.log_ratio == alone.log_ratio
    assert beside.gain_frac == pytest.approx(alone.gain_frac)


def test_limits_which_hold_back_next_to_others_decide_all_the_same():
    starved = {IO: CgroupParams(100, 10_000), GUEST: CgroupParams(100, 90_000)}
    reported = build_report(Room(lambda second, params: (0.09, 0.1), starved, others=0.81, held=0.6).watch())
    assert reported.log_ratio is not None


def test_cap_which_is_reached_next_to_others_decides_also_where_the_host_reports_no_waiting():
    """None of today's does that: `local:` and `sim:` tell of others and of waiting, Xen and libvirt of neither."""
    starved = {IO: CgroupParams(100, 10_000), GUEST: CgroupParams(100, 90_000)}
    reported = build_report(Room(lambda second, params: (0.0999, 0.1), starved, others=0.8).watch())
    assert reported.log_ratio is not None
    assert reported.log_ratio > math.log(1 / 5)


def test_what_the_kernel_takes_for_a_full_pair_hides_no_split():
    """The guest writes: 6 % of the CPU are the kernel's, so that both take all they can, and no limit holds them."""
    reported = build_report(Room(lambda second, params: (0.46, 0.475), others=0.06, held=0.02).watch())
    assert reported.log_ratio == pytest.approx(0.0)
    assert "another split may gain a little" in reported.headline
    assert not any("first step" in reason for reason in reported.reasons)


@pytest.mark.parametrize("held", [None, 0.3])
def test_such_a_pair_is_blind_where_limits_hold_it_or_no_report_has_it(held):
    reported = build_report(Room(lambda second, params: (0.46, 0.475), others=0.06, held=held).watch())
    assert reported.outlook is WatchOutlook.BLIND


def test_weights_next_to_neighbours_are_named_without_a_promise():
    reported = build_report(Room(lambda second, params: (0.2, 0.4), WEIGHED, 0.39).watch())
    assert reported.log_ratio is not None
    assert (reported.gain_frac, reported.following_frac) == (None, None)
    assert "depends on the demand of other guests" in " ".join(reported.reasons)
