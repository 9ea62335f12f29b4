"""Splits of three under Xen's schedulers: what is written means the split, or is refused with the numbers."""

import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scheduler.errors import SpecError
from scheduler.model.scheduler_params import Credit2Params, CreditParams, RtdsParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, TIME_MODES, parse_split, split_between
from scheduler.shares.credit import round_up_cap
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import HostMachine

KINDS = {"credit": CreditParams, "credit2": Credit2Params, "rtds": RtdsParams}
_parts = st.integers(1, 9) | st.integers(1, 10_000).map(lambda hundredths: hundredths / 100)
splits = st.tuples(_parts, _parts, _parts).filter(lambda p: max(p) / min(p) <= 100).map(lambda p: split_between(*p))
_counts = st.fixed_dictionaries({domain: st.integers(1, 8) for domain in ROLES})
machines = st.builds(HostMachine, vcpus=_counts, vcpus_all=_counts, tslice_ms=st.integers(1, 1000))
LEAST_TOTAL, MOST = Fraction(80, 100), Fraction(98, 100)  # exact: the float 0.98 lies below 98 %
periods_us = st.sampled_from([1_000, 10_000, 20_000, 100_000]) | st.integers(1, 200_000)


def meant(name, machine, params, mode):
    """Return what the parameters give each domain, worked out anew; of one CPU with caps."""
    if mode is Mode.WEIGHTS:
        return {domain: Fraction(params[domain].weight * machine.online(domain)) for domain in ROLES}
    if name == "rtds":
        online = {domain: params[domain].vcpus[: machine.online(domain)] for domain in ROLES}
        return {domain: sum(Fraction(v.budget_us, v.period_us) for v in vcpus) for domain, vcpus in online.items()}
    caps = {domain: params[domain].cap_pct for domain in ROLES}
    slices = machine.tslice_ms if name == "credit" else 10
    return {domain: round_up_cap(cap, slices) for domain, cap in caps.items()}


def encoded(name, machine, split, mode, period_us):
    """Return the encoding, or None after checking that the refusal says what and why."""
    try:
        return find_share_model(name, machine).encode(split, mode, period_us)
    except SpecError as error:
        refusal = error
    assert refusal.hint
    assert refusal.field == "mode" or len(re.findall(r"\d+", refusal.problem)) >= 2, refusal.problem
    return None


@pytest.mark.parametrize("name", list(KINDS))
@given(machine=machines, split=splits, mode=st.sampled_from(TIME_MODES), period_us=periods_us)
@example(
    HostMachine(dict.fromkeys(ROLES, 1), dict.fromkeys(ROLES, 1)),
    split_between(3, 9, 1.49),
    Mode.CAPS,
    1_000,
)
def test_what_is_written_means_the_split_or_is_refused_with_the_numbers(name, machine, split, mode, period_us):
    encoding = encoded(name, machine, split, mode, period_us)
    if encoding is None:
        return
    given_to = meant(name, machine, encoding.params, mode)
    total = sum(given_to.values())
    assert all(abs(given_to[domain] / total / split.frac_of(domain) - 1) <= 0.0201 for domain in ROLES)
    assert encoding.rounding_error_frac <= 0.02
    scale = total if mode is Mode.WEIGHTS else 1
    assert all(encoding.achieved[domain] == pytest.approx(float(given_to[domain] / scale)) for domain in ROLES)
    assert mode is Mode.WEIGHTS or LEAST_TOTAL <= total <= MOST
    assert all(type(params) is KINDS[name] for params in encoding.params.values())
    for domain, params in encoding.params.items():
        if isinstance(params, RtdsParams):
            assert len(params.vcpus) == machine.entries(domain)
            assert not any(vcpu.extratime for vcpu in params.vcpus)
        else:
            assert 1 <= params.weight <= 65_535
            assert 0 <= params.cap_pct <= 100
            assert (params.cap_pct == 0) == (mode is Mode.WEIGHTS)
            assert domain == IO or params.cap_pct >= 5 or name == "credit" or mode is Mode.WEIGHTS


@pytest.mark.parametrize("name", ["credit", "credit2"])
@pytest.mark.parametrize(
    ("text", "weights", "caps"),
    [
        ("1:1:1", (512, 512, 512), (32, 32, 32)),  # never the weights that domains are found with
        ("4:1:1", (512, 128, 128), (64, 16, 16)),
        ("8:1:1", (616, 77, 77), (73, 9, 9)),
        ("0.5:1:1.25", (140, 280, 350), (17, 34, 43)),
    ],
)
def test_known_splits_become_known_numbers(name, text, weights, caps):
    model, split = find_share_model(name), parse_split(text, count=3)
    shared = model.encode(split, Mode.WEIGHTS, 20_000).params
    assert tuple((each.weight, each.cap_pct) for each in shared.values()) == tuple((weight, 0) for weight in weights)
    capped = model.encode(split, Mode.CAPS, 20_000).params
    assert tuple((each.weight, each.cap_pct) for each in capped.values()) == tuple(zip(weights, caps, strict=True))


def test_weight_is_halved_for_a_domain_of_two_vcpus_and_a_cap_is_not():
    params = (
        find_share_model("credit2", HostMachine(vcpus={GUEST_2: 2}))
        .encode(parse_split("2:1:1", count=3), Mode.CAPS, 20_000)
        .params
    )
    assert params[GUEST].weight == 2 * params[GUEST_2].weight
    assert params[GUEST].cap_pct == params[GUEST_2].cap_pct == 24


@pytest.mark.parametrize(
    ("name", "text", "mode", "told", "hint"),
    [
        ("credit", "1:10:10", Mode.WEIGHTS, r"gives the I/O domain 4\.8 % of the CPU", "more"),
        ("credit2", "30:20:1", Mode.CAPS, r"guest-2 domain 188 us of each 10000 us; the least is 500", "Remove"),
        (
            "credit",
            "50:40:1.5",
            Mode.CAPS,
            r"by rounding \(.*\), .* off; at most 2 % is accepted",
            "whole percents",
        ),
        ("rtds", "1:1:1", Mode.WEIGHTS, "RTDS has no weights", '"caps"'),
        ("rtds", "9:9:1", Mode.CAPS, r"least is 500 us", "period"),
    ],
)
def test_what_cannot_be_set_reports_what_would_do(name, text, mode, told, hint):
    with pytest.raises(SpecError, match=told) as refused:
        find_share_model(name).encode(parse_split(text, count=3), mode, 1_000)
    assert hint in refused.value.hint


def test_io_domains_small_share_and_long_pause_are_reported_beforehand():
    said = find_share_model("credit").encode(parse_split("1:9:8", count=3), Mode.CAPS, 20_000).warnings
    assert any("less than 10 %" in line for line in said)
    assert any("pauses for up to" in line for line in said)
