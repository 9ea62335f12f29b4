"""Scale-up study with a reference: its trials, and the guest's share of the throughput of the reference."""

import math
import random

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.model.member import Route
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.setting import is_host_changed
from scheduler.model.vcpus import VcpuRange
from scheduler.plans.study_plan import count_certain_trials, list_certain_trials
from scheduler.studies.scaling.finding import finding_of
from scheduler.studies.scaling.meeting import placement_warnings
from tests.unit.plans.carrying import carried_out
from tests.unit.studies.test_scale_up import PLAN, dropped_of, facts_of, found
from tests.volume import times

NATIVE = f'{PLAN}base = "direct"\n'


def test_base_is_measured_at_the_same_numbers_of_cpus_in_the_same_blocks():
    spec = parse_plan(NATIVE)
    bases = [setting for setting in spec.settings if setting.base]
    labels = ["1 CPU, direct", "2 CPUs, direct", "4 CPUs, direct", "8 CPUs, direct"]
    assert [setting.label for setting in bases] == labels
    assert all(is_host_changed(setting) for setting in spec.settings)
    assert parse_plan(write_plan(spec)) == spec
    trials = list_certain_trials(spec)
    for block in range(spec.protocol.repeats):
        there = {
            (trial.setting.vcpus, trial.members[0].route is Route.DIRECT) for trial in trials if trial.block == block
        }
        assert there == {(number, base) for number in (1, 2, 4, 8) for base in (False, True)}
    assert count_certain_trials(spec) == 2 * count_certain_trials(parse_plan(PLAN))


@pytest.mark.parametrize(
    ("plan", "told", "hint"),
    [
        (f'{PLAN}base = "postgresql://u@bare/d"\n', "whose number of CPUs DomTune cannot set", "another machine"),
        (f'{PLAN}base = "postgresql://u:secret@bare/d"\n', "password", "Take it out"),
        (
            'host = "local:"\nstudy = "capacity"\nbase = "direct"\n',
            "has no effect in the study 'capacity'",
            "Leave it out",
        ),
        ('host = "local:"\nstudy = "overhead"\nbase = "direct"\n', "is already the default", "Leave it out"),
    ],
)
def test_base_that_cannot_be_compared_is_refused_with_the_reason(plan, told, hint):
    with pytest.raises(SpecError, match=told) as refused:
        parse_plan(plan)
    assert hint in refused.value.hint
    assert "secret" not in str(refused.value)


def test_base_at_other_numbers_than_the_guests_cannot_be_made():
    spec = parse_plan(NATIVE)
    for settings in (spec.settings[:5], spec.settings[:4]):
        with pytest.raises(SpecError, match="numbers of vCPUs of the guest"):
            msgspec.structs.replace(spec, settings=settings)


def test_numbers_that_the_host_lacks_are_left_out_on_both_sides_and_reported_once():
    asked, facts = parse_plan(NATIVE), facts_of(VcpuRange(1, 4, why="it was made so", hint="Make it larger."))
    spec = asked.fit_to_host(facts)
    assert [(setting.vcpus, setting.base) for setting in spec.settings] == [
        (number, base) for base in (False, True) for number in (1, 2, 4)
    ]
    assert placement_warnings(spec, facts, dropped_of(asked, spec)) == (
        "8 vCPUs are excluded: the guest can have 4 at most (it was made so)",
    )
    with pytest.raises(SpecError, match=r"of 4 and 8 the guest can have 1, only 1\.\.4"):
        parse_plan(f"{NATIVE}vcpus = [4, 8]\n").fit_to_host(facts)


def beside_native(frac_of, *, noise=0.01, blocks=6, seed=7):
    """Return the finding where the guest reaches this share of the reference at each number."""
    spec, rng = parse_plan(f"{NATIVE}repeats = {blocks}\n"), random.Random(seed)
    luck = [rng.gauss(0, 0.2) for _ in range(blocks)]

    def tps(trial):
        part = 1.0 if trial.setting.base else frac_of(trial.setting.vcpus)
        return 100.0 * trial.setting.vcpus**0.9 * part * math.exp(luck[trial.block] + rng.gauss(0, noise))

    return finding_of(carried_out(spec, tps), (), spec, facts_of())


def test_what_the_guest_reaches_of_reference_is_reported_at_each_number_with_its_interval():
    finding = beside_native(lambda n: {1: 1.0, 2: 0.95, 4: 0.9, 8: 0.85}[n])
    assert [reference.vcpus for reference in finding.references] == [1, 2, 4, 8]
    for reference, frac in zip(finding.references, (1.0, 0.95, 0.9, 0.85), strict=True):
        assert reference.ratio == pytest.approx(frac, rel=0.03)
        assert reference.ci95[1] - reference.ci95[0] < 0.1  # luck of a block, 20 %, cancels
        assert reference.guest_tps / reference.base_tps == pytest.approx(reference.ratio, rel=0.03)
    assert [reference.differs_from_base for reference in finding.references] == [False, True, True, True]
    assert "; with 8 vCPUs it reaches 8" in finding.headline
    (line,) = (line for line in finding.reasons if line.startswith("Orders at 1 vCPU: ") and "of the reference" in line)
    assert "within noise; 6 blocks" in line
    assert any("The reference is the same server" in line for line in finding.limits)
    assert [size.vcpus for size in finding.sizes] == [1, 2, 4, 8]  # of the guest alone


def test_difference_from_reference_that_noise_hides_is_called_so():
    finding = beside_native(lambda _: 1.0, noise=0.05)
    assert not any(reference.differs_from_base for reference in finding.references)
    assert "no significant difference from the reference" in finding.headline
    few = beside_native(lambda _: 0.5, blocks=2)
    assert "reference" not in few.headline
    assert all(reference.ci95 is None for reference in few.references)
    assert found(lambda n: 100.0 * n).references == ()


def test_95_percent_intervals_of_what_is_reached_of_reference_hold_it():
    references = [
        reference for seed in range(times(40, 200)) for reference in beside_native(lambda _: 0.85, seed=seed).references
    ]
    held = [reference.ci95[0] <= 0.85 <= reference.ci95[1] for reference in references]
    assert 0.9 <= sum(held) / len(held) <= 0.99
