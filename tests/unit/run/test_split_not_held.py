"""Laws of splits that make the host too slow to be commanded: they are left, and the sweep goes on."""

import msgspec
import pytest

from scheduler.errors import GuardFired
from scheduler.model.documents import Notice, RunOutcome, TrialDone
from scheduler.model.host_properties import Severity
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import Mode
from scheduler.model.split import IO
from scheduler.plans.study_plan import choose_plan
from scheduler.run import unresponsive
from scheduler.shares.model_lookup import find_share_model
from scheduler.stats.points import build_points
from scheduler.stats.recommendation import recommend_split
from tests.unit.run.conftest import FOUND, SPEC, assert_as_found

STARVING = parse_split_setting("1:2")


@pytest.fixture
def starving(bench):
    """A host that 1:2 starves."""
    bench.spec = msgspec.structs.replace(SPEC, mode=Mode.WEIGHTS)
    params = find_share_model("cgroup-v2").encode(STARVING.split, Mode.WEIGHTS, bench.spec.period_us).params
    bench.host.faults.unheld_weight = params[IO].weight
    return bench


def left(bench):
    return [done for done in bench.of(TrialDone) if not done.responsive]


@pytest.mark.parametrize("fires", [0, 1])
@pytest.mark.parametrize("protocol", ["grid", "quick"])
def test_split_that_starves_the_host_does_not_end_the_sweep(starving, fires, protocol):
    brief = {"repeats": 2, "measure_s": 3, "settle_s": 1, "load_settle_s": 2}
    protocol = msgspec.structs.replace(PROTOCOLS[protocol], **brief)
    starving.spec = msgspec.structs.replace(starving.spec, protocol=protocol)
    starving.host.faults.fires = fires
    assert starving.run() is RunOutcome.COMPLETED
    (done,) = left(starving)  # once is enough: it is not measured again, under no load
    assert done.setting == STARVING
    assert not done.valid
    assert done.reason.startswith("became unresponsive: ")
    assert ("new guard was armed" in done.reason) == bool(fires)
    assert {trial.setting for trial in starving.of(TrialDone) if trial.responsive} >= {None, *SPEC.settings} - {
        STARVING
    }
    assert_as_found(starving)


def test_its_point_reports_it_with_its_figures_so_far(starving):
    starving.run()
    (done,) = left(starving)
    assert 0 < done.seconds < 3
    assert done.mean_tps > 0
    assert f"{done.seconds:g} of 3 s were measured before that, with" in done.reason
    (point,) = [point for point in build_points(starving.of(TrialDone)) if not point.responsive]
    assert (point.label, point.valid, point.mean_tps, point.reason) == ("1:2", False, None, done.reason)
    (notice,) = [notice for notice in starving.of(Notice) if notice.level is Severity.WARNING]
    assert done.reason in notice.text


def test_it_is_never_recommended_however_good_it_was_before(starving):
    starving.run()
    trials = starving.of(TrialDone)
    (done,) = left(starving)
    best = 100 * max(trial.mean_tps for trial in trials)
    fine = [
        msgspec.structs.replace(done, trial=-1 - n, load=load.kind, block=n, mean_tps=best, valid=True, responsive=True)
        for n in range(2)
        for load in SPEC.loads
    ]
    assert recommend_split([*fine, *trials[:-1]], starving.spec).label != "1:2"
    answer = recommend_split([*fine, *trials], starving.spec)
    assert answer.label in ("1:1", "2:1")
    assert "1:2" not in (*answer.equivalent, *answer.possible, answer.runner_up, *(row.label for row in answer.regret))
    assert any(line.startswith("1:2 was excluded: under") and "unresponsive" in line for line in answer.sentences)


def test_undo_record_is_due_all_the_while(starving):
    seen = []
    starving.host.faults.fires = 1
    regain = starving.host.rearm_guard

    def look():
        seen.append(starving.journal.read())
        regain()
        seen.append(starving.journal.read())

    starving.host.rearm_guard = look
    starving.run()
    assert seen[0] is not None
    assert seen == [seen[0]] * len(seen)
    assert dict(seen[0].originals) == FOUND


def test_guard_that_fires_and_puts_nothing_back_ends_the_sweep_with_the_record_due(starving):
    starving.host.faults.fires = 2
    plain = starving.host.rearm_guard

    def regain():
        starving.host.faults.fail_writes_after = 0  # not even the way out gets through
        plain()

    starving.host.rearm_guard = regain
    assert starving.run() is RunOutcome.FAILED
    assert not starving.last().restored
    assert starving.journal.path.exists()


def test_originals_that_do_not_read_back_after_the_guard_end_the_sweep(starving):
    starving.host.faults.fires = 1
    plain = starving.host.rearm_guard

    def another_program():
        plain()
        starving.host._store_state({**FOUND, IO: msgspec.structs.replace(FOUND[IO], weight=77)})

    starving.host.rearm_guard = another_program
    assert starving.run() is RunOutcome.FAILED
    assert "not as it was found: io reads" in starving.last().reason
    assert left(starving) == []
    assert_as_found(starving)


def test_host_that_nothing_holds_ends_the_sweep(starving):
    starving.spec = msgspec.structs.replace(
        starving.spec, settings=tuple(parse_split_setting(f"{n}:1") for n in range(1, 9)), loads=SPEC.loads[:1]
    )
    overdue = "no heartbeat was answered"
    starving.host.unresponsive_reason = lambda: overdue
    assert starving.run() is RunOutcome.FAILED
    assert overdue in starving.last().reason
    assert len(left(starving)) == unresponsive.MOST_IN_A_ROW
    assert_as_found(starving)


def test_guard_that_fires_at_the_host_original_ends_the_sweep(starving):
    def fired():
        raise GuardFired("the guard fired", restored=True)

    starving.host.usage = fired
    assert starving.run() is RunOutcome.FAILED
    assert starving.of(TrialDone) == []
    assert_as_found(starving)


def test_plan_ends_when_no_split_is_left(starving):
    for protocol in ("grid", "quick", "adaptive"):
        spec = msgspec.structs.replace(starving.spec, protocol=PROTOCOLS[protocol])
        plan, seen = choose_plan(spec), []
        trial = next(plan)
        try:
            while len(seen) < 50:
                seen.append(trial)
                done = TrialDone(
                    t_s=0.0,
                    trial=len(seen),
                    setting=trial.setting,
                    load=trial.load,
                    block=trial.block,
                    seconds=1.0,
                    settled_s=0.0,
                    mean_tps=1.0,
                    responsive=trial.setting is None,
                    valid=trial.setting is None,
                )
                trial = plan.send((done,))
        except StopIteration:
            pass
        assert len([trial for trial in seen if trial.setting]) == len(spec.settings)
