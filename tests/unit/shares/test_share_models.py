"""Laws of every share model: what it writes means the split, keeps to the limits, or is refused with the numbers."""

import math
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import HostNotUsable, SpecError
from scheduler.model.scheduler_params import (
    CGROUP_V1,
    CGROUP_V2,
    Credit2Params,
    CreditParams,
    LibvirtParams,
    RtdsParams,
)
from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import GUEST, IO, TIME_MODES, parse_split, split_between
from scheduler.shares.model_lookup import build_share_models, find_share_model, share_model_for_host
from scheduler.shares.rounding import shares_to_split
from scheduler.shares.share_model import HostMachine, build_host_machine
from tests.data_maker import make_facts

NAMES = tuple(build_share_models(HostMachine()))
XEN = ("credit", "credit2", "rtds", "sedf", "sedf-xm")
every_model = pytest.mark.parametrize("name", NAMES)

_parts = st.integers(1, 10_000).map(lambda hundredths: hundredths / 100)
splits = st.tuples(_parts, _parts).filter(lambda p: max(p) / min(p) <= 100).map(lambda p: split_between(*p))
# Splits that most hosts can express, so that the laws of what is set are tried often.
plain_splits = st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda p: split_between(*p))
# Around the floor of the I/O domain, 1:18 to 1:19.
low_splits = st.integers(5, 40).map(lambda parts: split_between(1, parts))
_counts = st.fixed_dictionaries({IO: st.integers(1, 8), GUEST: st.integers(1, 8)})
machines = st.builds(HostMachine, vcpus=_counts, vcpus_all=_counts, tslice_ms=st.integers(1, 1000))
modes = st.sampled_from(TIME_MODES)
periods_us = st.sampled_from([1_000, 5_000, 10_000, 20_000, 30_000, 100_000]) | st.integers(1, 2_000_000)


def encoded(name, machine, split, mode, period_us):
    """Return (model, encoding), or (model, None) after checking that the refusal says what and why."""
    model = find_share_model(name, machine)
    try:
        return model, model.encode(split, mode, period_us)
    except SpecError as error:
        refusal = error
    assert refusal.hint
    if refusal.field != "mode":
        assert split.label in refusal.problem or str(period_us) in refusal.problem
        assert len(re.findall(r"\d+", refusal.problem)) >= 2, refusal.problem
    return model, None


@every_model
@given(machine=machines, split=plain_splits | splits, mode=modes, period_us=periods_us)
def test_what_is_written_means_the_split_or_is_refused_with_the_numbers(name, machine, split, mode, period_us):
    model, encoding = encoded(name, machine, split, mode, period_us)
    if encoding is None:
        return
    got = model.decode(encoding.params)
    assert got == shares_to_split(encoding.achieved) or max(split.io / split.guest, split.guest / split.io) > 98
    factor = encoding.achieved[IO] / encoding.achieved[GUEST] / (split.io / split.guest)
    assert math.isclose(max(factor, 1 / factor) - 1, encoding.rounding_error_frac, abs_tol=1e-9)
    assert encoding.rounding_error_frac <= 0.02
    assert set(encoding.params) == {IO, GUEST}


@every_model
def test_period_is_asked_for_where_it_becomes_something(name):
    model = find_share_model(name)
    short, long = (model.encode(split_between(1, 1), Mode.CAPS, period_us).params for period_us in (20_000, 100_000))
    assert model.takes_period == (short != long)


# An emulator has no vCPUs: its side and the guest's differ.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "qemu-emulator"])
@given(machine=machines, split=plain_splits | splits, mode=modes, period_us=periods_us)
def test_split_and_its_mirror_swap_the_domains(name, machine, split, mode, period_us):
    same = HostMachine(
        vcpus=dict.fromkeys((IO, GUEST), machine.online(IO)),
        vcpus_all=dict.fromkeys((IO, GUEST), machine.entries(IO)),
        tslice_ms=machine.tslice_ms,
    )
    _, encoding = encoded(name, same, split, mode, period_us)
    _, mirrored = encoded(name, same, split_between(split.guest, split.io), mode, period_us)
    if encoding and mirrored:  # the I/O domain has a floor that the guest has not
        assert math.isclose(encoding.rounding_error_frac, mirrored.rounding_error_frac, abs_tol=1e-9)
        assert math.isclose(encoding.total_frac, mirrored.total_frac, abs_tol=1e-9)


@pytest.mark.parametrize("name", [*XEN, "qemu-v1", "qemu-v2", "lxc-v1", "lxc-v2"])
@given(machine=machines, split=plain_splits | splits, period_us=periods_us)
def test_partition_never_hands_out_more_than_the_cpu_less_its_overhead(name, machine, split, period_us):
    _, encoding = encoded(name, machine, split, Mode.CAPS, period_us)
    if encoding:
        assert 0.8 <= encoding.total_frac <= 0.98
        if encoding.total_frac < 0.92:
            assert any("throughput there is lower" in warning for warning in encoding.warnings)


@pytest.mark.parametrize("name", XEN)
@given(machine=machines, split=low_splits | splits, mode=modes, period_us=periods_us)
def test_io_domain_keeps_its_floor_and_a_person_hears_when_it_is_near(name, machine, split, mode, period_us):
    _, encoding = encoded(name, machine, split, mode, period_us)
    if encoding is None:
        return
    share = split.io_frac * (0.96 if mode is Mode.CAPS else 1)
    assert share >= 0.05 - 1e-9
    warned = any("less than 10 %" in warning for warning in encoding.warnings)
    if not math.isclose(share, 0.1, abs_tol=1e-9):
        assert warned == (share < 0.1)


@pytest.mark.parametrize("name", ["credit", "credit2"])
@given(machine=machines, split=plain_splits | splits, mode=modes)
def test_weights_and_caps_stay_in_xens_ranges(name, machine, split, mode):
    _, encoding = encoded(name, machine, split, mode, 20_000)
    for domain in (IO, GUEST) if encoding else ():
        params = encoding.params[domain]
        assert isinstance(params, CreditParams if name == "credit" else Credit2Params)
        assert 64 <= params.weight <= 65_535
        assert 0 <= params.cap_pct <= 100 * machine.online(domain)
        assert (params.cap_pct > 0) == (mode is Mode.CAPS)


@pytest.mark.parametrize("name", ["credit", "credit2"])
@given(machine=machines, split=plain_splits)
def test_weight_counts_once_per_running_vcpu(name, machine, split):
    _, encoding = encoded(name, machine, split, Mode.WEIGHTS, 20_000)
    if encoding:
        io, guest = (encoding.params[domain].weight * machine.online(domain) for domain in (IO, GUEST))
        assert math.isclose(io / guest, split.io / split.guest, rel_tol=0.02)


@pytest.mark.parametrize("name", ["credit", "credit2"])
def test_no_split_of_the_paper_is_refused_for_the_number_of_vcpus(name):
    for io, guest, text in product((1, 2, 3, 8), (1, 2, 3, 8), PAPER_SPLITS):
        machine, split = HostMachine(vcpus={IO: io, GUEST: guest}), parse_split(text)
        params = find_share_model(name, machine).encode(split, Mode.WEIGHTS, 20_000).params
        assert math.isclose(params[IO].weight * io * split.guest, params[GUEST].weight * guest * split.io, rel_tol=0.02)


@given(machine=machines, split=plain_splits | splits, period_us=periods_us)
def test_rtds_reserves_on_every_vcpu_without_extra_time(machine, split, period_us):
    _, encoding = encoded("rtds", machine, split, Mode.CAPS, period_us)
    for domain in (IO, GUEST) if encoding else ():
        params = encoding.params[domain]
        assert isinstance(params, RtdsParams)
        assert len(params.vcpus) == machine.entries(domain)
        assert len(set(params.vcpus)) == 1
        assert not params.vcpus[0].extratime
        assert 500 <= params.vcpus[0].budget_us <= params.vcpus[0].period_us == period_us <= 100_000


@given(split=plain_splits | splits, period_us=periods_us)
def test_sedf_by_xl_takes_whole_milliseconds_and_by_xm_fractions(split, period_us):
    for name, step_ms in (("sedf", 1), ("sedf-xm", 0.001)):
        _, encoding = encoded(name, HostMachine(), split, Mode.CAPS, period_us)
        for params in encoding.params.values() if encoding else ():
            assert math.isclose(params.slice_ms / step_ms, round(params.slice_ms / step_ms), rel_tol=1e-9)
            assert max(0.5, step_ms) <= params.slice_ms < params.period_ms == period_us / 1000
            assert (params.extratime, params.latency_ms, params.weight) == (False, 0, 0)


@pytest.mark.parametrize("name", ["rtds", "sedf", "sedf-xm"])
def test_scheduler_that_reserves_time_offers_no_share_mode(name):
    assert find_share_model(name).modes == (Mode.CAPS,)
    with pytest.raises(SpecError, match="has no weights") as caught:
        find_share_model(name).encode(split_between(1, 1), Mode.WEIGHTS, 20_000)
    assert "caps" in caught.value.hint


@given(split=splits, period_us=st.integers(1, 100).map(lambda ms: 1000 * ms))
def test_period_named_in_a_refusal_by_sedf_would_do(split, period_us):
    model = find_share_model("sedf")
    try:
        model.encode(split, Mode.CAPS, period_us)
    except SpecError as error:
        named = re.search(r"Use a period of (?:at least )?(\d+) us", error.hint)
        if named and "by rounding" in error.problem:
            model.encode(split, Mode.CAPS, int(named[1]))


@pytest.mark.parametrize(
    ("tslice_ms", "cap_pct", "given_frac"),
    [(30, 5, 0.05), (10, 5, 0.05), (5, 5, 0.06), (1, 5, 0.10), (30, 20, 0.20)],
)
def test_credit_rounds_a_cap_up_to_its_time_slice(tslice_ms, cap_pct, given_frac):
    model = find_share_model("credit", HostMachine(tslice_ms=tslice_ms))
    got = model.decode({IO: CreditParams(256, cap_pct), GUEST: CreditParams(256, 50)})
    assert math.isclose(got.io / got.guest, given_frac / 0.5)


@pytest.mark.parametrize("name", ["credit", "credit2", "rtds", "sedf-xm"])
def test_worked_example_of_1_to_3_comes_out_as_calculated_by_hand(name):
    params = find_share_model(name).encode(split_between(1, 3), Mode.CAPS, 10_000).params
    words = [params[domain].words for domain in (IO, GUEST)]
    assert (
        words
        == {
            "credit": ["weight 128, cap 24 % of one CPU", "weight 384, cap 72 % of one CPU"],
            "credit2": ["weight 128, cap 24 % of one CPU", "weight 384, cap 72 % of one CPU"],
            "rtds": ["2400 us per 10000 us on 1 vCPU", "7200 us per 10000 us on 1 vCPU"],
            "sedf-xm": ["2.4 ms per 10 ms", "7.2 ms per 10 ms"],
        }[name]
    )


@every_model
def test_host_original_means_no_split(name):
    model = find_share_model(name)
    found = {
        "credit": CreditParams(256),
        "credit2": Credit2Params(256),
        "qemu-v1": LibvirtParams(CGROUP_V1.default_weight, 100_000, None, 100_000),
        "qemu-v2": LibvirtParams(CGROUP_V2.default_weight, 100_000, None, 100_000),
        "lxc-v1": LibvirtParams(CGROUP_V1.default_weight, 100_000, None),
        "lxc-v2": LibvirtParams(CGROUP_V2.default_weight, None, None),
    }.get(name)
    if found:
        assert model.decode({IO: found, GUEST: found}) is None
        assert model.encode(split_between(1, 1), Mode.WEIGHTS, 20_000).params[IO] != found
    assert model.decode({}) is None


@every_model
def test_another_dialect_or_half_a_setting_means_no_split(name):
    model = find_share_model(name)
    own = model.encode(split_between(1, 2), Mode.CAPS, 100_000).params
    assert model.decode({IO: own[IO]}) is None
    for stranger in build_share_models(HostMachine()).values():
        params = stranger.encode(split_between(1, 2), Mode.CAPS, 100_000).params
        if type(params[IO]) is not type(own[IO]):
            assert model.decode(params) is None
            assert model.decode({IO: own[IO], GUEST: params[GUEST]}) is None


@given(split=splits, machine=machines, period_us=st.integers(1_000, 1_000_000))
def test_libvirts_quotas_count_per_vcpu_for_qemu_and_once_for_lxc(split, machine, period_us):
    for name in ("qemu-v1", "lxc-v2"):
        _, encoding = encoded(name, machine, split, Mode.CAPS, period_us)
        if encoding is None:
            continue
        threads = {domain: machine.online(domain) if name == "qemu-v1" else 1 for domain in (IO, GUEST)}
        io, guest = (encoding.params[domain].vcpu_quota_us * threads[domain] for domain in (IO, GUEST))
        assert math.isclose(io / guest, split.io / split.guest, rel_tol=0.02)
        assert min(encoding.params[domain].vcpu_quota_us for domain in (IO, GUEST)) >= 1_000
        assert (encoding.params[IO].emulator_period_us is None) == (name == "lxc-v2")


def test_facts_report_the_model_of_vcpus_and_the_time_slice():
    facts = make_facts(scheduler="credit")
    assert build_host_machine(facts).tslice_ms == 30
    assert share_model_for_host(facts).name == "credit"
    with pytest.raises(HostNotUsable, match="'null'") as caught:
        share_model_for_host(make_facts(scheduler="null"))
    assert "credit2" in caught.value.hint


@pytest.mark.parametrize(("tslice_ms", "guest", "advised"), [(8, 11.16, False), (10, 9.2, False), (15, 6.05, True)])
def test_time_slice_of_10_ms_is_advised_only_where_it_would_be_shorter(tslice_ms, guest, advised):
    model = find_share_model("credit", HostMachine(tslice_ms=tslice_ms))
    warnings = model.encode(split_between(1, guest), Mode.CAPS, 10_000).warnings
    [pause] = [warning for warning in warnings if "I/O domain pauses" in warning]
    assert f"a time slice of {tslice_ms} ms" in pause
    assert ("a time slice of 10 ms shortens that" in pause) == advised


def test_credit2_advises_no_period_for_its_own_is_fixed():
    with pytest.raises(SpecError, match="480 us of each 10000 us") as caught:
        find_share_model("credit2").encode(split_between(19, 1), Mode.CAPS, 100_000)
    assert not re.search(r"\d+ us", caught.value.hint)
    assert "Remove this split" in caught.value.hint


@pytest.mark.parametrize("name", ["qemu-v1", "lxc-v1"])
@pytest.mark.parametrize("split", ["1:2", "1:40", "100:1"])
def test_encode_weights_for_libvirt_stay_in_the_range_of_both_versions(name, split):
    params = find_share_model(name).encode(parse_split(split), Mode.WEIGHTS, 100_000).params
    low, high = CGROUP_V2.weights
    assert all(max(2, low) <= params[domain].cpu_shares <= high for domain in (IO, GUEST))
