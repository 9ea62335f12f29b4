"""The study of Dom0's CPUs: its settings on hosts of different sizes, its race, its decision and its chart."""

import math
import random

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.decision import DecisionKind
from scheduler.model.documents import RunOutcome, RunStarted, RunStopped
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.split import Mode
from scheduler.shares.model_lookup import build_settable_check
from scheduler.stats.results import summarise_run
from scheduler.studies.dom0_cpus.vendors import describe_vendors, list_vendor_numbers
from scheduler.studies.study_charts import study_charts, study_tables
from scheduler.studies.study_meeting import meet_host
from tests.data_maker import WALL_UNIX_S
from tests.unit.plans.carrying import carried_out

PLAN = 'host = "sim:?{query}&scheduler=credit2"\nstudy = "dom0-cpus"\n{keys}[[load]]\nkind = "osdb-ir"\n'


def met(query: str, keys: str = ""):
    plan = parse_plan(PLAN.format(query=query, keys=keys))
    host = open_host(plan.host_url, ignore_command)
    return meet_host(plan, host, host.facts())


def labels(found) -> list[str]:
    return [setting.label for setting in found.spec.settings]


def decided(query: str, gains: dict[int, float], keys: str = 'protocol = "quick"\n'):
    """Return the results of a study whose number of CPUs gains this over the original settings; others lose 40 %."""
    found, rng = met(query, keys), random.Random(3)

    def rate(trial) -> float:
        gain = 0.0 if trial.setting is None else gains.get(round(trial.setting.split.io), -0.4)
        return 1000 * (1 + gain) * math.exp(rng.gauss(0, 0.01))

    settable = build_settable_check(found.facts, Mode.DEDICATED, 20_000)
    trials = carried_out(found.spec, rate, settable=settable)
    trials = [msgspec.structs.replace(each, used_frac={"io": 1.5, "guest": 3.0}) for each in trials]
    started = RunStarted(
        t_s=0.0,
        run_id="20260101T000000-dom0cpus",
        spec=found.spec,
        facts=found.facts,
        wall_unix_s=WALL_UNIX_S,
        trials=len(trials),
    )
    ended = RunStopped(t_s=trials[-1].t_s + 1, outcome=RunOutcome.COMPLETED, restored=True)
    return summarise_run([started, *trials, ended])


@pytest.mark.parametrize(
    ("query", "keys", "expected"),
    [
        ("cpus=4", "", ["1:3", "2:2", "3:1"]),
        ("cpus=8", "", [f"{number}:{8 - number}" for number in range(1, 8)]),
        ("cpus=8", "io_cpus = [4, 2]\n", ["2:6", "4:4"]),
        ("cpus=16", "", ["1:15", "2:14", "4:12", "8:8", "12:4", "14:2"]),
        ("cpus=8&io_vcpus=2&guest_vcpus=7", "", ["1:7", "2:6"]),
    ],
)
def test_settings_are_numbers_of_cpus_that_the_domains_can_use(query, keys, expected):
    found = met(query, keys)
    assert labels(found) == expected
    assert (found.spec.mode, found.facts.confined) == (Mode.DEDICATED, True)


def test_numbers_beyond_the_vcpus_are_left_out_with_the_reason():
    found = met("cpus=8&io_vcpus=4", "io_cpus = [2, 4, 6]\n")
    assert labels(found) == ["2:6", "4:4"]
    assert found.warnings == (
        "6 CPUs are excluded: of 8 shared CPUs, 1 to 4 can be the I/O domain's (Domain-0 has 4 and db1 has 8 vCPUs)",
    )
    with pytest.raises(SpecError, match="can use none of these numbers"):
        met("cpus=8&io_vcpus=4", "io_cpus = [7]\n")


def test_number_of_one_effect_is_measured_once():
    assert labels(met("cpus=8&io_vcpus=2&guest_vcpus=3", '[cpus]\nset = "0-7"\n')) == ["2:6"]


@pytest.mark.parametrize(
    ("keys", "field"),
    [
        ('mode = "caps"\n', "mode"),
        ('splits = ["1:3"]\n', "splits"),
        ("io_cpus = [2, 2]\n", "io_cpus"),
        ("refine = true\n", "refine"),
        ("io_cpus = [0]\n", "io_cpus"),
        ('study = "split"\nio_cpus = [2]\n', "io_cpus"),
    ],
)
def test_plan_refuses_keys_that_the_study_does_not_have(keys, field):
    plan = PLAN.format(query="cpus=8", keys=keys)
    if "study" in keys:
        plan = plan.replace('study = "dom0-cpus"\n', "", 1)
    with pytest.raises(SpecError, match=field):
        parse_plan(plan)


def test_host_of_one_cpu_is_refused():
    with pytest.raises(SpecError, match="dedicated CPUs need domains that can be placed"):
        met("noise=none")


def test_plan_is_written_with_its_numbers_and_without_splits():
    found = met("cpus=8", "io_cpus = [1, 3]\n").spec
    text = write_plan(found)
    assert "io_cpus = [1, 3]" in text
    assert "splits" not in text
    assert parse_plan(text).study == found.study


def test_race_finds_a_number_between_those_of_the_plan():
    results = decided("cpus=16", {7: 0.1, 6: 0.05, 8: 0.06, 5: 0.0, 9: -0.02, 4: -0.1})
    answer = results.answer
    assert answer.decision.kind is DecisionKind.CHANGE
    assert answer.decision.label == "7:9"
    assert answer.headline.startswith("Give Dom0 7 CPUs of its own: +")
    assert any("next to the best number so far" in line for line in answer.reasons)
    assert any("The best is sharp" in line for line in answer.reasons)
    assert any("measure again" in line for line in answer.limits)


def test_plan_with_numbers_measures_no_others():
    results = decided("cpus=16", {8: -0.05, 7: 0.1}, 'protocol = "quick"\nio_cpus = [4, 8]\n')
    assert {point.label for point in results.points} == {"baseline", "4:12", "8:8"}
    assert results.answer.headline.startswith(
        "Leave it: no measured number of CPUs gains 2 % over the original settings"
    )


def test_original_settings_win_ties_and_flat_numbers_are_named():
    results = decided("cpus=4", {1: -0.001, 2: 0.0})
    answer = results.answer
    assert answer.decision.kind is DecisionKind.STAY
    assert answer.headline.startswith("Leave it: no number of CPUs gains 2 % over the original settings (the best, ")
    assert "The best is flat: 1 and 2 CPUs reach 98 % of the best, as measured." in answer.reasons


def test_short_grid_leaves_the_decision_open():
    results = decided("cpus=4", {2: 0.03}, 'protocol = "grid"\nrepeats = 1\n')
    assert results.answer.decision.kind is DecisionKind.NOT_YET
    assert results.answer.headline.startswith("Keep the original settings for now: ")


def test_chart_and_table_hold_each_number_next_to_the_original_settings():
    results = decided("cpus=4", {1: 0.05, 2: 0.1})
    rates, usage = study_charts(results)
    assert [tick.tick for tick in rates.x.ticks] == ["1", "2", "3"]
    assert [tick.tick for tick in rates.x.ticks if tick.strong] == ["2"]
    assert [round(mark.y.value) for mark in rates.marks] == pytest.approx([105, 110, 60], abs=1)
    assert rates.leads
    assert usage.view
    assert {mark.y.value for mark in usage.marks} == {1.5, 3.0}
    assert max(y for line in usage.lines for _, y in line.points) == 4.0
    table, vendors = study_tables(results)
    assert [row[0] for row in table.rows] == ["original settings", "1", "2", "3"]
    assert [row[0] for row in vendors.rows] == ["XenServer and XCP-ng", "Xen's default"]


@pytest.mark.parametrize(
    ("pcpus", "numbers"),
    [
        (8, [("XenServer and XCP-ng", 8, False), ("Xen's default", 8, False)]),
        (32, [("XenServer and XCP-ng", 16, False), ("Xen's wiki", 8, True), ("Xen's default", 32, False)]),
        (64, [("XenServer and XCP-ng", 16, True), ("Xen's wiki", 8, True), ("Xen's default", 64, False)]),
    ],
)
def test_vendor_numbers_follow_the_size_of_the_host(pcpus, numbers):
    assert [(each.vendor, each.cpus, each.pinned) for each in list_vendor_numbers(pcpus)] == numbers
    assert all(str(cpus) in describe_vendors(pcpus) for _, cpus, _ in numbers)
