"""Laws of a mix: its loads begin, wait and end together; each has results and a check of its own."""

import msgspec
import pytest

from scheduler.errors import CheckFailed, LoadDied, SpecError
from scheduler.model.documents import LoadChecked, LoadSample, Notice, RunOutcome, TrialDone, TrialStarted
from scheduler.model.host_properties import Severity
from scheduler.model.load import LoadSpec
from scheduler.model.load_name import LoadName
from scheduler.model.setting import label_of
from scheduler.plans.study_plan import list_certain_trials
from scheduler.stats.points import build_points
from scheduler.stats.saved_time import spent_s
from tests.unit.run.conftest import SPEC, Bench, assert_as_found

NOON = (LoadName("osdb-ir", "noon"), LoadName("osdb-oltp", "noon"))
MIXED = msgspec.structs.replace(
    SPEC,
    loads=(
        LoadSpec("osdb-ir"),
        LoadSpec("osdb-oltp"),
        LoadSpec("osdb-ir", mix="noon"),
        LoadSpec("osdb-oltp", mix="noon"),
    ),
)


@pytest.fixture
def noon(bench: Bench) -> Bench:
    bench.spec = MIXED
    return bench


def test_mix_is_measured_next_to_each_load_by_itself(noon):
    assert noon.run() is RunOutcome.COMPLETED
    planned = [(trial.setting, name, trial.block) for trial in list_certain_trials(MIXED) for name in trial.mix]
    assert [(done.setting, done.load, done.block) for done in noon.of(TrialDone)] == planned
    assert {trial.mix for trial in list_certain_trials(MIXED)} == {("osdb-ir",), ("osdb-oltp",), NOON}
    points = {(point.label, point.load): point for point in build_points(noon.of(TrialDone))}
    for label in map(label_of, (None, *MIXED.settings)):
        for name in NOON:  # who shares gets less than who is alone
            assert points[label, name].mean_tps < points[label, name.rpartition("/")[2]].mean_tps
    assert_as_found(noon)


def test_members_of_a_mix_have_the_same_seconds(noon):
    noon.run()
    started = {document.trial: document for document in noon.of(TrialStarted)}
    samples = noon.of(LoadSample)
    mixed = [trial for trial, document in started.items() if document.mix]
    assert mixed
    assert all(started[trial].mix == NOON and started[trial].load == "noon" for trial in mixed)
    for trial in mixed:
        seconds = [[s.t_s for s in samples if (s.trial, s.load) == (trial, name) and not s.settling] for name in NOON]
        assert seconds[0] == seconds[1]
        assert len(seconds[0]) == MIXED.protocol.measure_s
    one = [done for done in noon.of(TrialDone) if done.load != NOON[1]]
    assert spent_s(noon.of(TrialDone)) == spent_s(one)  # a second counts once, however many loads it has


def test_each_member_is_checked_and_named_when_its_check_fails(noon):
    noon.run()
    assert {document.load for document in noon.of(LoadChecked)} == {"osdb-ir", "osdb-oltp", *NOON}
    noon.documents.clear()
    noon.loads.checks_pass = False
    noon.spec = msgspec.structs.replace(MIXED, loads=MIXED.loads[2:])
    assert noon.run() is RunOutcome.FAILED
    assert isinstance(noon.engine.error, CheckFailed)
    assert NOON[0] in str(noon.engine.error)
    assert [document.load for document in noon.of(LoadChecked)] == list(NOON)  # both were looked at
    assert_as_found(noon)


def test_member_that_dies_makes_the_trial_invalid_with_its_name_and_all_begin_again(noon):
    noon.clock.at(68.0, lambda: noon.loads.dying.append(NOON[1]))
    assert noon.run() is RunOutcome.COMPLETED
    invalid = [done for done in noon.of(TrialDone) if not done.valid]
    assert {done.load for done in invalid} == {*NOON}
    assert len({done.trial for done in invalid}) == 1
    assert all("OLTP in noon" in done.reason for done in invalid)
    warnings = [document.text for document in noon.of(Notice) if document.level is Severity.WARNING]
    assert any("OLTP in noon" in text for text in warnings)
    assert noon.loads.prepared.count(NOON[0]) == 1 + sum(
        document.load == NOON[0] for document in noon.of(LoadChecked)
    )  # once more than was checked


def test_member_that_dies_in_each_trial_ends_the_sweep(noon):
    noon.loads.dying += [NOON[0]] * 3
    assert noon.run() is RunOutcome.FAILED
    assert isinstance(noon.engine.error, LoadDied)
    assert "IR in noon" in str(noon.engine.error)
    assert "3 times" in str(noon.engine.error)
    assert_as_found(noon)


def test_mix_waits_in_a_pause_and_while_the_host_is_commanded(noon):
    noon.hold = True
    noon.clock.at(85.0, noon.control.pause)
    noon.clock.at(95.0, noon.control.resume)
    assert noon.run() is RunOutcome.COMPLETED
    assert "paused" in noon.states()
    assert all(done.valid for done in noon.of(TrialDone))
    assert_as_found(noon)


def test_trial_to_a_mix_is_taken_over_only_when_all_its_results_are_there(noon):
    noon.run()
    known = [done for done in noon.of(TrialDone) if done.load in NOON]
    lacking = known[0]
    noon.documents.clear()
    assert noon.run(known=tuple(done for done in known if done is not lacking)) is RunOutcome.COMPLETED
    measured = [document for document in noon.of(TrialStarted) if document.mix]
    assert [(document.setting, document.block) for document in measured] == [(lacking.setting, lacking.block)]


def test_loads_of_one_kind_are_described_once(noon):
    with pytest.raises(SpecError, match="noon/osdb-ir is described otherwise"):
        msgspec.structs.replace(MIXED, loads=(LoadSpec("osdb-ir", users=2), *MIXED.loads[2:]))
