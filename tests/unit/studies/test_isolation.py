"""Isolation study: its trials, its preparation of the host, its finding and sentences."""

import math
import random
import re

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.hosts.host_registry import ignore_command
from scheduler.model.guests import LoadedGuests, SecondGuestSupport
from scheduler.model.number_texts import format_interval
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.setting import is_host_changed
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, GUEST_2, IO, parse_split
from scheduler.plans.study_plan import duration_s, list_certain_trials
from scheduler.shares.model_lookup import find_share_model
from scheduler.studies.isolation.declaration import ShareProtection
from scheduler.studies.isolation.finding import finding_of
from scheduler.studies.isolation.isolation_texts import _blocks_needed
from scheduler.studies.study_meeting import meet_host
from tests.data_maker import make_facts
from tests.unit.plans.carrying import carried_out

PLAN = 'host = "local:"\nstudy = "isolation"\n'
BOTH = (GUEST, GUEST_2)


def found(rates, cpus=None, more="", *, noise=0.005, blocks=6, clients=0.2, io=0.3):
    """Return the finding of trials with these rates of (guest, setting) and CPU received likewise."""
    spec, rng = parse_plan(f"{PLAN}repeats = {blocks}\n{more}"), random.Random(3)
    luck = [rng.gauss(0, 0.2) for _ in range(100)]
    trials = []
    for trial in carried_out(spec, lambda _: 1.0):
        setting, factor = trial.setting, math.exp(luck[trial.block])
        guests = setting.loaded.guests
        rate_tps = rates(trial.guest, setting) * factor * math.exp(rng.gauss(0, noise))
        received = {IO: io} | {guest: cpus(guest, setting) if cpus and guest in guests else 0.0 for guest in BOTH}
        shares = {domain: setting.split.frac_of(domain) for domain in (IO, *BOTH)}
        trials.append(
            msgspec.structs.replace(
                trial, mean_tps=rate_tps, used_frac=received, allotted_frac=shares, clients_cpu_frac=clients
            )
        )
    return finding_of(trials, (), spec, make_facts())


def cap_that_keeps(guest, setting):
    """Return what caps give alone as together, and weights only where the other guest is idle."""
    del guest
    alone = setting.loaded is not LoadedGuests.BOTH
    return 3000.0 if setting.mode == "weights" and alone else 1000.0


def cpus_of(guest, setting):
    return 3 * setting.split.frac_of(guest) * cap_that_keeps(guest, setting) / 3000


def test_plan_without_further_keys_compares_both_modes_at_its_standard_splits():
    spec = parse_plan(PLAN)
    assert [setting.label for setting in spec.settings[:3]] == [
        "4:1:1 caps, guest alone",
        "4:1:1 caps, guest-2 alone",
        "4:1:1 caps, both",
    ]
    assert len(spec.settings) == 2 * 2 * 3
    assert parse_plan(write_plan(spec)) == spec
    assert all(is_host_changed(setting) for setting in spec.settings)
    assert {split.label for split in spec.splits} == {"4:1:1", "1:1:1"}
    members = {trial.setting.loaded: [each.guest for each in trial.members] for trial in list_certain_trials(spec)}
    assert members == {loaded: list(loaded.guests) for loaded in LoadedGuests}


def test_second_guest_has_the_last_load_and_its_own_users():
    two = PLAN + 'second_users = 16\n[[load]]\nkind = "osdb-ir"\n[[load]]\nkind = "osdb-oltp"\nusers = 3\n'
    spec = parse_plan(two)
    assert {guest: (load.kind, load.users) for guest, load in spec.guest_loads.items()} == {
        GUEST: ("osdb-ir", 4),
        GUEST_2: ("osdb-oltp", 16),
    }
    assert parse_plan(write_plan(spec)) == spec
    loads = {trial.setting.loaded: trial.load for trial in list_certain_trials(spec)}
    assert loads == {LoadedGuests.FIRST: "osdb-ir", LoadedGuests.SECOND: "osdb-oltp", LoadedGuests.BOTH: "osdb-ir"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('splits = ["1:1"]', "three positive numbers"),
        ('splits = ["1:1:0"]', "three positive numbers"),
        ('splits = ["1000:1:1"]', "at most 100 times apart"),
        ('splits = ["1:1:1", "1:1:1"]', "given more than once"),
        ("splits = []", "names none"),
        ('modes = ["share"]', "'share' is none of caps, weights"),
        ('mode = "weights"', "both are compared"),
        ("second_users = 257", "257 is outside 0..256"),
        ("vcpus = [1, 2]", "vcpus"),
        ('protocol = "adaptive"', "does not suit"),
        ('[[load]]\nkind = "tpcb"\n[[load]]\nkind = "osdb-ir"\n[[load]]\nkind = "osdb-oltp"', "more than one for each"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(more, told):
    with pytest.raises(SpecError, match=told):
        parse_plan(f"{PLAN}{more}\n")


@pytest.mark.parametrize("more", ["second_users = 3", 'modes = ["weights"]'])
def test_keys_of_two_guests_mean_nothing_elsewhere(more):
    with pytest.raises(SpecError, match="has no effect"):
        parse_plan(f'host = "local:"\n{more}\n')


def test_three_trials_of_a_split_and_mode_follow_each_other_in_random_order():
    spec = parse_plan(f"{PLAN}repeats = 4\n")
    trials = list_certain_trials(spec)
    assert len(trials) == 4 * len(spec.settings)
    orders = set()
    for start in range(0, len(trials), 3):
        cell = trials[start : start + 3]
        assert len({(trial.setting.split, trial.setting.mode, trial.block) for trial in cell}) == 1
        assert {trial.setting.loaded for trial in cell} == set(LoadedGuests)
        orders.add(tuple(trial.setting.loaded for trial in cell))
    assert len(orders) > 3
    best, worst = duration_s(spec)
    assert 0 < best <= worst


@pytest.mark.parametrize("scheduler", ["cgroup-v1", "cgroup-v2"])
def test_quotas_of_three_sum_to_one_cpu_and_weights_are_in_proportion(scheduler):
    for text in ("1:1:1", "4:1:1", "3:2:7", "0.5:1:1.25", "10:1:1"):
        split = parse_split(text, count=3)
        capped = find_share_model(scheduler).encode(split, Mode.CAPS, 20_000)
        assert sum(each.quota_us for each in capped.params.values()) == 20_000
        weighted = find_share_model(scheduler).encode(split, Mode.WEIGHTS, 20_000)
        assert all(each.quota_us is None for each in weighted.params.values())
        for encoding in (capped, weighted):
            assert sum(encoding.achieved.values()) == pytest.approx(1)
            assert all(encoding.achieved[each] == pytest.approx(split.frac_of(each), rel=0.02) for each in (IO, *BOTH))
    with pytest.raises(SpecError, match=r"below the kernel's minimum"):
        find_share_model(scheduler).encode(parse_split("100:1:1", count=3), Mode.CAPS, 20_000)


def test_host_without_room_refuses_with_the_reason_and_what_would_do(tmp_path):
    spec = parse_plan(PLAN)
    host = FakeHost(tmp_path / "host.json", InjectedFaults(), ignore_command)
    with pytest.raises(SpecError, match=r"'isolation' cannot be carried out .* it was made with one") as refused:
        meet_host(spec, host, host.facts())
    assert refused.value.hint == "Write fake:FILE?guests=2."
    assert not SecondGuestSupport().possible
    assert "local:" in SecondGuestSupport().hint


def test_facts_have_the_second_guest_and_the_users_places_are_reported(tmp_path):
    spec = parse_plan(PLAN)
    host = FakeHost(tmp_path / "host.json", InjectedFaults(guests=2), ignore_command)
    _, facts, warnings, _ = meet_host(spec, host, host.facts())
    assert [domain.id for domain in facts.domains] == [IO, *BOTH]
    assert host.read(GUEST_2) == host.baseline(GUEST_2)
    assert "users of both guests run on CPU 1" in warnings[0]


@pytest.mark.parametrize("more", ['second_database = "postgresql://u@h/d"', '[domains]\nguest_2 = "db2"'])
def test_host_that_brings_its_second_guest_is_named_none(tmp_path, more):
    host = FakeHost(tmp_path / "host.json", InjectedFaults(guests=2), ignore_command)
    with pytest.raises(SpecError, match="DomTune creates the second guest") as refused:
        meet_host(parse_plan(f"{PLAN}{more}\n"), host, host.facts())
    assert refused.value.hint == "Leave it out."


def test_cap_that_keeps_and_a_weight_that_lends_are_distinguished():
    answer = found(cap_that_keeps, cpus_of)
    capped = [cost for cost in answer.costs if cost.mode == "caps"]
    weighted = [cost for cost in answer.costs if cost.mode == "weights"]
    assert len(capped) == len(weighted) == 4
    assert all(cost.protection is ShareProtection.KEPT and abs(cost.cost_frac) < 0.02 for cost in capped)
    assert all(cost.cost_frac == pytest.approx(2 / 3, abs=0.02) for cost in weighted)
    assert all(cost.share_frac == pytest.approx(2 / 3, abs=0.01) for cost in weighted)
    assert all(abs(cost.beyond_frac) < 0.02 for cost in weighted)
    assert "under the cap a busy second guest costs at most 5 % more than the share" in answer.headline.lower()
    assert "under the weight a busy second guest costs up to 67 % in all, and at most 5 % more" in answer.headline
    assert all(cost.share_frac == 0.0 for cost in capped)
    assert any("cap that guest (1:1:1 and 4:1:1)" in line for line in answer.advice)
    assert any("3 times as much by weight" in line for line in answer.advice)


def test_full_io_domain_is_named_where_a_cap_does_not_protect():
    def rates(guest, setting):
        return 500.0 if setting.loaded is LoadedGuests.BOTH else 1000.0

    answer = found(rates, lambda guest, setting: 0.1, 'splits = ["1:1:1"]\nmodes = ["caps"]', io=0.33)
    assert {cost.protection for cost in answer.costs} == {ShareProtection.BROKEN}
    assert all(cost.io_full for cost in answer.costs)
    assert "by interference" in answer.headline
    assert any("wait for the I/O domain" in line for line in answer.advice)


def test_lines_name_no_loss_beyond_share_where_guest_got_more_than_its_share():
    answer = found(lambda guest, setting: 1000.0, lambda guest, setting: 0.9, 'splits = ["1:1:1"]\nmodes = ["weights"]')
    reported = [line for line in answer.reasons if "alone explains" in line]
    assert len(reported) == 2
    assert all(line.endswith("its share alone explains 63 %, so there is no interference.") for line in reported)


def test_noise_is_called_neither_a_cost_nor_a_protection():
    answer = found(lambda guest, setting: 1000.0, more='splits = ["1:1:1"]\nmodes = ["caps"]', noise=0.2)
    assert {cost.protection for cost in answer.costs} == {ShareProtection.UNKNOWN}
    assert answer.headline.startswith("No answer on interference")
    worst = max(answer.costs, key=lambda cost: cost.beyond_ci95_frac[1])
    assert f"loses {format_interval(*worst.beyond_ci95_frac)} to interference" in answer.headline
    assert re.fullmatch(r"About \d+ blocks with the same noise would show interference of 5 %\.", *answer.advice)
    known = msgspec.structs.replace(worst, beyond_frac=-0.016, beyond_ci95_frac=(-0.1, 0.068), blocks=24)
    assert _blocks_needed(known) == 37  # 24 * (0.0829 / 0.0672)^2, of ln(1 - loss)
    wide = msgspec.structs.replace(known, beyond_frac=0.86, beyond_ci95_frac=(-22.0, 0.98), blocks=5)
    assert _blocks_needed(wide) >= 5
    assert _blocks_needed(msgspec.structs.replace(known, beyond_frac=0.04)) == 0  # there it would take 1,600
    lost = found(lambda guest, setting: 1000.0, more='splits = ["1:1:1"]\nmodes = ["caps"]', noise=3.0, blocks=5)
    assert "differ too much in 5 blocks" in lost.headline
    assert "loses" not in lost.headline
    few = found(lambda guest, setting: 1000.0, more='splits = ["1:1:1"]', blocks=2)
    assert "too few blocks" in few.headline.lower()
    assert all(cost.ci95_frac is None for cost in few.costs)
    assert finding_of((), (), parse_plan(PLAN)).headline.startswith("No answer")


def test_users_who_fill_their_cpu_are_named():
    assert any("load generator was 95 % busy" in line for line in found(cap_that_keeps, clients=0.95).limits)
    assert any("CPU 0" in line for line in found(cap_that_keeps).limits)
