"""Laws of computers that are lost while they make the load: the trial is void, and the sweep goes on."""

import pytest

from scheduler.model.documents import LoadChecked, Notice, RunOutcome, TrialDone
from scheduler.model.host_properties import Severity
from scheduler.stats.points import build_points
from tests.unit.run.conftest import assert_as_found


def void(bench):
    return [done for done in bench.of(TrialDone) if not done.valid]


@pytest.mark.parametrize("hold", [False, True])
def test_lost_worker_voids_its_trial_only_and_the_sweep_goes_on(bench, hold):
    bench.hold = hold
    bench.run()
    planned = len(bench.of(TrialDone))
    bench.documents.clear()
    bench.loads.lost_after = [7]
    assert bench.run() is RunOutcome.COMPLETED
    (done,) = void(bench)
    assert done.responsive  # the split is not to blame
    assert done.reason.startswith("a made-up worker was lost, as asked for; ")
    assert len(bench.of(TrialDone)) == planned
    assert_as_found(bench)
    assert bench.last().restored


def test_its_figure_is_in_no_mean(bench):
    bench.loads.lost_after = [7]
    bench.run()
    (done,) = void(bench)
    fine = [each for each in bench.of(TrialDone) if each.valid]
    label = done.setting.label if done.setting else "baseline"
    (point,) = [p for p in build_points(bench.of(TrialDone)) if (p.label, p.load) == (label, done.load)]
    assert point.trial_tps == tuple(e.mean_tps for e in fine if (e.setting, e.load) == (done.setting, done.load))


def test_load_is_begun_again_and_settles_again(bench):
    bench.run()
    usual = len(bench.loads.prepared)
    bench.documents.clear()
    bench.loads.prepared.clear()
    bench.loads.lost_after = [7]
    bench.run()
    assert len(bench.loads.prepared) == usual + 1
    (done,) = void(bench)
    later = bench.of(TrialDone)[done.trial + 1]
    assert later.settled_s >= 2  # as after a change of the load


def test_warning_reports_it_and_of_what_was_not_checked(bench):
    bench.loads.lost_after = [7]
    bench.run()
    (notice,) = [notice for notice in bench.of(Notice) if notice.level is Severity.WARNING]
    assert "a made-up worker was lost" in notice.text
    assert "not checked against the database" in notice.hint
    assert all(check.passed for check in bench.of(LoadChecked))


def test_pause_after_it_gives_the_host_back_and_goes_on(bench):
    bench.loads.lost_after = [7]
    bench.clock.at(7.5, bench.control.pause)
    bench.clock.at(13.0, bench.control.resume)
    assert bench.run() is RunOutcome.COMPLETED
    assert "paused" in bench.states()
    assert_as_found(bench)
