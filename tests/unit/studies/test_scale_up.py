"""Scale-up study: its trials, its preparation of the host, its finding and sentences."""

import math
import random
import re

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.model.member import Member
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.scheduler_params import CgroupParams, Credit2Params, CreditParams
from scheduler.model.setting import VcpusSetting, is_host_changed
from scheduler.model.split import GUEST, IO
from scheduler.model.vcpus import VcpuRange
from scheduler.plans.study_plan import count_certain_trials, duration_s, list_certain_trials
from scheduler.studies.scaling.declaration import SaturatedPart
from scheduler.studies.scaling.finding import finding_of
from scheduler.studies.scaling.meeting import assign_client_cpus, guest_limit_warning, placement_warnings
from scheduler.studies.scaling.scaling_curve import blocks_by_vcpus, measure_steps
from tests.data_maker import make_facts
from tests.unit.plans.carrying import carried_out

PLAN = 'host = "local:"\nstudy = "scale-up"\n'
EIGHT = VcpuRange(1, 8, cpus=tuple(range(8)), why="it has eight", hint="Take a larger one.")


def facts_of(vcpus=EIGHT, clients=tuple(range(1, 8)), pcpus=8):
    facts = make_facts()
    return msgspec.structs.replace(facts, vcpus=vcpus, client_cpus=clients, shared_cpus=(0,), pcpus=pcpus)


def dropped_of(asked, spec):
    return [setting for setting in asked.settings if setting not in spec.settings]


def found(tps_of, more="", *, noise=0.01, cpus=None, client=0.0, facts=None, blocks=6):
    """Return the finding of trials with this throughput and CPU received at each number of vCPUs."""
    spec, rng = parse_plan(f"{PLAN}repeats = {blocks}\n{more}"), random.Random(7)
    luck = [rng.gauss(0, 0.2) for _ in range(100)]

    def tps(trial):
        return tps_of(trial.setting.vcpus) * math.exp(luck[trial.block] + rng.gauss(0, noise))

    trials = [
        msgspec.structs.replace(
            trial,
            used_frac=cpus(trial.setting.vcpus) if cpus else {},
            client_cpu_frac=client,
            clients_cpu_frac=client,
        )
        for trial in carried_out(spec, tps)
    ]
    return finding_of(trials, (), spec, facts or facts_of())


def test_plan_without_further_keys_runs_on_its_defaults():
    spec = parse_plan(PLAN)
    assert [setting.label for setting in spec.settings] == ["1 vCPU", "2 vCPUs", "4 vCPUs", "8 vCPUs"]
    assert spec.protocol.name == "blocks"
    assert parse_plan(write_plan(spec)) == spec
    assert all(is_host_changed(setting) for setting in spec.settings)
    chosen = parse_plan(PLAN + "vcpus = [4, 1, 3]\n")
    assert [setting.vcpus for setting in chosen.settings] == [1, 3, 4]
    assert parse_plan(write_plan(chosen)) == chosen


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("vcpus = [2]", "two numbers"),
        ("vcpus = [0, 1]", "0 is outside 1..128"),
        ("vcpus = [1, 1]", "1 vCPU given more than once"),
        ('splits = ["1:1"]', "keeps its original settings"),
        ("demand_users = 3", "demand_users"),
        ('protocol = "adaptive"', "does not suit"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(more, told):
    with pytest.raises(SpecError, match=told):
        parse_plan(PLAN + more)


def test_numbers_of_vcpus_mean_nothing_in_other_studies():
    with pytest.raises(SpecError, match="vcpus: has no effect in the study 'split'"):
        parse_plan('host = "local:"\nvcpus = [1, 2]\n')


def test_every_block_measures_every_number_once_in_an_order_of_its_own():
    spec = parse_plan(PLAN)
    trials = list_certain_trials(spec)
    orders = [tuple(v.setting.vcpus for v in trials if v.block == block) for block in range(spec.protocol.repeats)]
    assert all(sorted(order) == [1, 2, 4, 8] for order in orders)
    assert len(set(orders)) > 1
    assert count_certain_trials(spec) == len(trials) == 72
    assert duration_s(spec)[0] < duration_s(spec)[1]


def test_host_with_fewer_gets_those_it_has_and_reports_which_are_left_out():
    asked, facts = parse_plan(PLAN), facts_of(VcpuRange(1, 4, why="it was made so", hint="Make it larger."))
    spec = asked.fit_to_host(facts)
    assert [setting.vcpus for setting in spec.settings] == [1, 2, 4]
    assert placement_warnings(spec, facts, dropped_of(asked, spec)) == (
        "8 vCPUs are excluded: the guest can have 4 at most (it was made so)",
    )
    assert spec.fit_to_host(facts) == spec


@pytest.mark.parametrize("most", [0, 1])
def test_host_that_cannot_change_them_is_refused_with_the_reason_and_what_would_do(most):
    facts = facts_of(VcpuRange(1, most, why="the pool cannot do it", hint="Take xl:."))
    with pytest.raises(SpecError, match="the pool cannot do it") as refused:
        parse_plan(PLAN).fit_to_host(facts)
    assert refused.value.hint == "Take xl:."
    plan = parse_plan('host = "local:"\n')
    assert plan.fit_to_host(facts) == msgspec.structs.replace(plan, by_host=())


def test_users_stay_on_the_same_cpus_off_the_guests_as_long_as_there_are_others():
    asked = parse_plan(PLAN + "vcpus = [1, 2, 4]\n")
    assert assign_client_cpus(asked, facts_of()).client_cpus == (4, 5, 6, 7)
    assert placement_warnings(asked, facts_of(), ()) == ()
    two = facts_of(VcpuRange(1, 2, cpus=(0, 1), why="two"), clients=(1,))
    spec = asked.fit_to_host(two)
    assert assign_client_cpus(spec, two).client_cpus == (1,)
    assert "CPU 1, where the users run" in placement_warnings(spec, two, dropped_of(asked, spec))[1]


@pytest.mark.parametrize(
    ("guest", "warns"),
    [
        (CgroupParams(100), False),
        (CgroupParams(100, 10_000, 20_000), True),
        (Credit2Params(256), False),
        (CreditParams(256, 50), True),
    ],
)
def test_limit_that_holds_is_reported_to_hold_the_guest(guest, warns):
    said = guest_limit_warning(guest)
    assert bool(said) == warns
    assert all(guest.words in line for line in said)


def test_where_gains_end_is_named_with_normalised_throughput_and_intervals_that_hold_it():
    finding = found(lambda n: 100.0 * min(n, 4))
    assert finding.headline.startswith("4 vCPUs are enough, ")
    assert [size.vcpus for size in finding.sizes] == [1, 2, 4, 8]
    for size in finding.sizes[1:]:
        low, high = size.ci95
        assert low < min(size.vcpus, 4) < high
        assert (high - low) / size.ratio < 0.1  # luck of a block, 20 %, cancels
    assert [step.gains for step in finding.steps] == [True, True, False]
    assert not finding.steps[2].gain.differs_from()
    assert any(line.startswith("Orders: give the guest 4 vCPUs") for line in finding.advice)


def test_step_that_is_no_doubling_is_reported_per_doubling_too():
    finding = found(lambda n: 100.0 * n**0.9, "vcpus = [1, 2, 6]\n")
    step = finding.steps[1]
    assert step.gain_frac == pytest.approx(3**0.9 - 1, rel=0.03)
    assert step.doubling_frac == pytest.approx(2**0.9 - 1, rel=0.03)
    assert any("per doubling" in line for line in finding.reasons)


def test_noise_alone_is_never_called_a_gain():
    finding = found(lambda _: 100.0, noise=0.05)
    assert finding.headline.startswith("A gain of 2 over 1 is not significant")
    assert "repeat more often" in finding.advice[0]
    sure = found(lambda _: 100.0, noise=0.005)
    assert sure.headline.startswith("1 vCPU is enough")
    assert sure.advice == ("Orders: give the guest 1 vCPU.",)
    assert not any(step.gains for step in finding.steps)


def test_gain_up_to_the_last_number_claims_no_end():
    finding = found(lambda n: 100.0 * n)
    assert finding.headline.startswith("Each step gains")
    assert "most that were tried" in finding.headline


def test_vcpus_that_cost_throughput_are_reported_to():
    finding = found(lambda n: {1: 100.0, 2: 190.0, 4: 150.0, 8: 100.0}[n])
    assert finding.headline.startswith("2 vCPUs are enough")
    assert any(re.search("4 vCPUs cost 2[0-2] % against 2", line) for line in finding.advice)


def test_too_few_blocks_claim_nothing():
    finding = found(lambda n: 100.0 * n, blocks=2)
    assert finding.headline.startswith("Too few blocks to measure gains")
    assert finding.advice == ()
    assert all(size.ci95 is None for size in finding.sizes)
    assert found(lambda n: math.nan if n > 1 else 1.0).headline.startswith("No answer")


def cpus(guest, io):
    return lambda n: {GUEST: guest(n), IO: io(n)}


@pytest.mark.parametrize(
    ("received", "client", "filled"),
    [
        (cpus(lambda n: 0.97 * n, lambda n: 0.02), 0.1, [SaturatedPart.GUEST] * 4),
        (
            cpus(lambda n: 0.6 * n, lambda n: min(0.4 * n, 0.98)),
            0.1,
            [SaturatedPart.BOTH, SaturatedPart.BOTH, SaturatedPart.IO, SaturatedPart.IO],
        ),
        (cpus(lambda n: 0.5 * n, lambda n: 0.2), 0.95, [SaturatedPart.CLIENT] * 4),
        (cpus(lambda n: 0.5 * n, lambda n: 0.2), 0.2, [SaturatedPart.NOTHING] * 4),
        (None, 0.2, [SaturatedPart.UNKNOWN] * 4),
    ],
)
def test_what_was_full_is_distinguished_from_cpu_received(received, client, filled):
    finding = found(lambda n: 100.0 * n, cpus=received, client=client)
    assert [size.filled for size in finding.sizes] == filled


def test_guest_with_cpus_of_its_own_does_not_fill_the_io_domains():
    facts = facts_of(VcpuRange(1, 8))
    finding = found(lambda n: 100.0 * n, cpus=cpus(lambda n: 0.7, lambda n: 0.4), facts=facts)
    assert [size.filled for size in finding.sizes] == [SaturatedPart.NOTHING] * 4


def test_cpu_taken_from_the_io_domain_is_reported_and_no_more_than_noise_is_not():
    rng = random.Random(3)
    taken = {1: 0.40, 2: 0.28, 4: 0.28, 8: 0.28}
    finding = found(lambda n: 100.0, cpus=cpus(lambda n: 0.5 * n, lambda n: taken[n] + rng.gauss(0, 0.005)))
    low, high = finding.steps[0].io_added_ci95_cpus
    assert low < -0.12 < high < 0
    said = [line for line in finding.reasons if "I/O domain, and throughput does not rise" in line]
    assert len(said) == 1
    assert re.match(r"Orders: the second vCPU takes 0\.1\d+ CPUs \(0\.1\d+ to 0\.1\d+\) from", said[0])


def test_95_percent_intervals_of_a_step_hold_its_gain():
    spec = parse_plan(PLAN + "repeats = 6\nvcpus = [1, 2]\n")
    trials, rng, held, runs = carried_out(spec, lambda trial: 1.0), random.Random(11), 0, 600
    for _ in range(runs):
        luck = [rng.gauss(0, 0.2) for _ in range(6)]
        drawn = [
            msgspec.structs.replace(
                trial, mean_tps=trial.setting.vcpus**0.9 * math.exp(luck[trial.block] + rng.gauss(0, 0.04))
            )
            for trial in trials
        ]
        (step,) = measure_steps(blocks_by_vcpus(drawn, "order-entry"))
        held += step.ci95_frac[0] <= 2**0.9 - 1 <= step.ci95_frac[1]
    assert 0.93 <= held / runs <= 0.975


def test_setting_of_vcpus_leaves_how_the_load_runs_alone():
    assert {trial.members for trial in list_certain_trials(parse_plan(PLAN))} == {(Member("order-entry", users=16),)}
    assert VcpusSetting(2).split is None
