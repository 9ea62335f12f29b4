"""A calibration says whether splits take effect, and never names one."""

import msgspec
import pytest

from scheduler.model.protocols import PROTOCOLS
from scheduler.model.results import SplitVerdict
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.plans.study_plan import count_certain_trials, list_certain_trials
from scheduler.stats.calibration import summarise_calibration
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents, make_spec
from tests.unit.stats.test_weight_effect import point


def spec_of(mode, kinds=("osdb-ir",)):
    return msgspec.structs.replace(make_spec(mode=mode, kinds=kinds), protocol=PROTOCOLS["calibrate"])


def said(mode, *points, kinds=("osdb-ir",), cpus=1):
    return summarise_calibration(spec_of(mode, kinds), points, {kind: 1 / len(kinds) for kind in kinds}, cpus)


def test_calibration_measures_outermost_splits_and_original_settings_once():
    spec = spec_of(Mode.WEIGHTS, ("osdb-ir", "osdb-oltp"))
    trials = list_certain_trials(spec)
    assert len(trials) == count_certain_trials(spec) == 6
    assert {trial.setting.label for trial in trials if trial.setting} == {"1:10", "10:1"}
    assert [trial.load for trial in trials if trial.setting is None] == ["osdb-ir", "osdb-oltp"]


def test_weights_that_are_followed_take_effect():
    answer = said(Mode.WEIGHTS, point("1:10", 0.09, 0.12), point("10:1", 0.91, 0.85))
    assert answer.headline == "Weights take effect here."
    assert (answer.verdict, answer.label) == (SplitVerdict.NONE, "")
    assert any("IR at 10:1: the I/O domain had 85 % of a CPU (its weight is worth 91 %)" in r for r in answer.sentences)


def test_weights_that_decide_nothing_are_reported_first():
    answer = said(Mode.WEIGHTS, point("1:10", 0.09, 0.42, used=0.6), point("10:1", 0.91, 0.44, used=0.64))
    assert answer.headline.startswith("Weights decide little here")
    assert "38 % idle" in answer.sentences[0]


def test_quota_that_is_exceeded_is_named():
    held = said(Mode.CAPS, point("1:10", 0.09, 0.12), point("10:1", 0.91, 0.92))
    assert held.headline == "The quotas hold here."
    broken = said(Mode.CAPS, point("1:10", 0.09, 0.3), point("10:1", 0.91, 0.92))
    assert broken.headline == "The quotas do not hold here."
    assert "At 1:10 under IR the I/O domain had 30 % of a CPU, though its quota is 9" in broken.sentences[0]


def test_calibration_of_several_cpus_counts_in_cpus():
    answer = said(Mode.CAPS, point("1:10", 0.09, 3.43), point("10:1", 0.91, 3.6), cpus=4)
    assert "the I/O domain had 3.43 CPUs, though its quota is 0.36 CPUs." in answer.sentences[0]
    assert any("the I/O domain had 3.60 CPUs (its quota is 3.64 CPUs)" in each for each in answer.sentences)
    assert not any("% of a CPU (" in each for each in answer.sentences)


@pytest.mark.parametrize("kinds", [("osdb-ir",), ("osdb-ir", "osdb-oltp")])
def test_end_that_was_not_seen_is_reported(kinds):
    answer = said(Mode.WEIGHTS, point("1:10", 0.09, 0.12), kinds=kinds)
    assert answer.headline.startswith("Calibrated in part")
    assert answer.sentences[0] == "IR was not measured at 10:1."


def test_whole_calibration_is_summarised_without_a_recommendation():
    documents = make_documents(spec=spec_of(Mode.CAPS, ("osdb-ir", "osdb-oltp")))
    results = summarise_run(documents)
    assert results.protocol == "calibrate"
    assert results.answer.label == ""
    assert results.answer.headline == "The quotas hold here."
    assert {IO, GUEST} == set(results.points[-1].used_share)
