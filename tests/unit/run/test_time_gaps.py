"""Gaps in time: the computer sleeps during a sweep, and the answer stays right."""

import pytest

from scheduler.errors import GuardFired
from scheduler.model.documents import Notice, RunOutcome, TrialDone, TrialStarted
from scheduler.plans.study_plan import list_certain_trials
from scheduler.run.time_gaps import STOPPED_S, GapMeter, TimeGap
from scheduler.stats.points import build_points
from tests.unit.run.conftest import SPEC, Bench, assert_as_found

ELEVEN_MIN_S = 660.0
MID_TRIAL_S = 12.0


def sleep_now(bench):
    bench.clock.slept_s += ELEVEN_MIN_S


def marked(bench):
    return [done for done in bench.of(TrialDone) if "the computer slept 11 min" in done.reason]


def means(bench):
    return {(point.setting, point.load): point.mean_tps for point in build_points(bench.of(TrialDone))}


def test_meter_separates_sleep_from_a_stopped_process():
    meter = GapMeter(100.0)
    meter.note_wait(STOPPED_S - 0.1, 100.0001)  # a busy computer, and two clocks read one after the other
    assert meter.take(100.0002) is None
    meter.note_wait(STOPPED_S + 2.0, 100.0)
    assert meter.take(100.0) == TimeGap(STOPPED_S + 2.0, asleep=False)
    assert meter.take(760.0) == TimeGap(660.0, asleep=True)
    assert meter.take(760.0) is None
    assert TimeGap(660.0, asleep=False).sentence == "DomTune was stopped for 11 min."


def test_trial_with_a_gap_is_measured_again_and_marked(bench, tmp_path):
    (tmp_path / "whole").mkdir()
    whole = Bench(tmp_path / "whole")
    whole.run()
    bench.clock.at(MID_TRIAL_S, lambda: sleep_now(bench))
    assert bench.run() is RunOutcome.COMPLETED
    (done,) = marked(bench)
    assert done.valid
    assert done.reason == "measured again, because the computer slept 11 min"
    numbers = [started.trial for started in bench.of(TrialStarted)]
    assert [number for number in set(numbers) if numbers.count(number) == 2] == [done.trial]
    assert len(bench.of(TrialDone)) == len(list_certain_trials(SPEC))
    (notice,) = [each for each in bench.of(Notice) if "slept" in each.text]
    assert (notice.text, notice.hint) == (
        "The computer slept 11 min.",
        f"Trial {done.trial + 1} is measured again: no second around the gap is used.",
    )
    assert means(bench) == pytest.approx(means(whole), rel=0.05)  # noise of the fake loads
    assert_as_found(bench)


def test_seconds_around_a_gap_do_not_count(bench):
    bench.clock.at(MID_TRIAL_S, lambda: sleep_now(bench))
    bench.run()
    (done,) = marked(bench)
    again = [started for started in bench.of(TrialStarted) if started.trial == done.trial][-1]
    counted = [each for each in bench.samples()[0] if each.trial == done.trial and each.t_s > again.t_s]
    measured = [each for each in counted if not each.settling][: int(done.seconds)]
    assert done.mean_tps == pytest.approx(sum(each.throughput_tps for each in measured) / len(measured))


def test_guard_that_fired_in_a_gap_does_not_exclude_the_split(bench):
    bench.host.faults.fires = 1  # the host has a guard, which restores everything

    def sleep_past_the_guard():
        sleep_now(bench)
        bench.host._fire_guard()

    bench.clock.at(MID_TRIAL_S, sleep_past_the_guard)
    assert bench.run() is RunOutcome.COMPLETED
    assert len(marked(bench)) == 1
    assert all(done.responsive and done.valid for done in bench.of(TrialDone))
    assert_as_found(bench)


def test_guard_that_fired_without_a_gap_still_counts_against_the_split(bench):
    bench.host.faults.fires = 1
    bench.clock.at(MID_TRIAL_S, bench.host._fire_guard)
    bench.host.usage = failing_once(bench.host, bench.clock)
    bench.run()
    assert not marked(bench)
    assert [done for done in bench.of(TrialDone) if not done.responsive]


def failing_once(host, clock):
    usage = host.usage

    def read():
        if host._fired:
            raise GuardFired("the guard fired, as asked for", restored=True)
        return usage()

    return read


def test_users_that_died_in_a_gap_are_started_again(bench):
    def sleep_and_kill():
        sleep_now(bench)
        bench.loads.dying = [bench.loads.prepared[-1]]

    bench.clock.at(MID_TRIAL_S, sleep_and_kill)
    assert bench.run() is RunOutcome.COMPLETED, bench.engine.error
    assert len(marked(bench)) == 1


def test_trial_is_excluded_after_several_gaps(bench):
    for second in range(4):
        bench.clock.at(MID_TRIAL_S + 3.5 * second, lambda: sleep_now(bench))
    assert bench.run() is RunOutcome.COMPLETED
    excluded = [done for done in bench.of(TrialDone) if not done.valid]
    assert [done.reason for done in excluded] == ["the computer slept 11 min; nothing was measured before that"]
    assert any("is excluded after 4 gaps" in notice.hint for notice in bench.of(Notice))
    assert_as_found(bench)


def test_gap_during_a_pause_marks_no_trial(bench):
    bench.clock.at(MID_TRIAL_S, bench.control.pause)
    bench.clock.at(MID_TRIAL_S + 10, lambda: sleep_now(bench))
    bench.clock.at(MID_TRIAL_S + 20, bench.control.resume)
    assert bench.run() is RunOutcome.COMPLETED
    assert not marked(bench)
