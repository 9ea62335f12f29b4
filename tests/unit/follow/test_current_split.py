"""What parameters allow both domains, in every dialect; what is no split is refused with both values."""

import math

import pytest

from scheduler.errors import HostNotUsable
from scheduler.follow.aggregation import has_slack
from scheduler.follow.counter_windows import CounterWindow
from scheduler.follow.current_split import derive_current_split, params_for_split
from scheduler.follow.split_rule import PairUsage
from scheduler.model.host_properties import DomainProperties, HostProperties
from scheduler.model.scheduler_params import (
    CgroupParams,
    Credit2Params,
    CreditParams,
    LibvirtParams,
    RtdsParams,
    RtdsVcpu,
    SedfParams,
)
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO


def facts_of(scheduler="credit2", vcpus=(1, 1), cpus=1):
    names = {IO: "Domain-0", GUEST: "db1"}
    return HostProperties(
        host_id="h",
        url="xl:",
        title="a host",
        scheduler=scheduler,
        pcpus=cpus,
        shared_cpus=tuple(range(cpus)),
        client_cpus=(),
        domains=tuple(
            DomainProperties(id=domain, name=names[domain], vcpus=count, cpus=())
            for domain, count in zip((IO, GUEST), vcpus, strict=True)
        ),
        versions={},
    )


def rtds(budget_us, vcpus=1, *, lends=False):
    return RtdsParams((RtdsVcpu(period_us=10_000, budget_us=budget_us, extratime=lends),) * vcpus)


LIMITED = [
    ("cgroup-v2", (1, 1), CgroupParams(100, 25_000, 100_000), CgroupParams(100, 75_000, 100_000), (0.25, 0.75)),
    ("credit", (1, 1), CreditParams(256, 32), CreditParams(512, 64), (0.32, 0.64)),
    ("credit2", (2, 2), Credit2Params(256, 80), Credit2Params(256, 110), (0.8, 1.1)),
    ("rtds", (2, 1), rtds(1_000, 2), rtds(6_000), (0.2, 0.6)),
    ("sedf", (1, 1), SedfParams(20, 5), SedfParams(20, 14), (0.25, 0.7)),
    ("qemu-v2", (1, 2), LibvirtParams(100, 10_000, 2_500), LibvirtParams(100, 10_000, 6_000), (0.25, 1.2)),
    ("lxc-v1", (8, 8), LibvirtParams(1024, 10_000, 2_500), LibvirtParams(1024, 10_000, 6_000), (0.25, 0.6)),
    (
        "qemu-emulator",
        (2, 2),
        LibvirtParams(None, None, None, 10_000, 2_500),
        LibvirtParams(None, 10_000, 3_000),
        (0.25, 0.6),
    ),
]


@pytest.mark.parametrize(("scheduler", "vcpus", "io", "guest", "cpus"), LIMITED, ids=lambda value: str(value)[:16])
def test_limits_of_every_dialect_are_read_as_cpus_and_moved_within_their_sum(scheduler, vcpus, io, guest, cpus):
    facts = facts_of(scheduler, vcpus, cpus=2)
    standing = derive_current_split({IO: io, GUEST: guest}, facts)
    assert standing.mode is Mode.CAPS
    assert (standing.allowed.io_cpus, standing.allowed.guest_cpus) == pytest.approx(cpus)
    there = derive_current_split(params_for_split(standing, 0.0, facts), facts)
    half = sum(cpus) / 2
    assert (there.allowed.io_cpus, there.allowed.guest_cpus) == pytest.approx((half, half), abs=0.011)
    assert there.allowed.total_cpus <= standing.allowed.total_cpus + 1e-9
    assert params_for_split(standing, standing.allowed.log_ratio, facts) == standing.params


WEIGHED = [
    ("cgroup-v1", (1, 1), CgroupParams(512), CgroupParams(1024), 1 / 2),
    ("credit", (2, 1), CreditParams(256), CreditParams(512), 1.0),  # a weight is per running vCPU
    ("credit2", (1, 1), Credit2Params(256), Credit2Params(256), 1.0),
    ("lxc-v2", (1, 1), LibvirtParams(50, 10_000, None), LibvirtParams(150, 10_000, None), 1 / 3),
]


@pytest.mark.parametrize(("scheduler", "vcpus", "io", "guest", "ratio"), WEIGHED, ids=lambda value: str(value)[:16])
def test_weights_are_a_split_that_keeps_its_sum(scheduler, vcpus, io, guest, ratio):
    facts = facts_of(scheduler, vcpus)
    standing = derive_current_split({IO: io, GUEST: guest}, facts)
    assert standing.mode is Mode.WEIGHTS
    assert math.exp(standing.allowed.log_ratio) == pytest.approx(ratio)
    there = params_for_split(standing, math.log(2.0), facts)
    again = derive_current_split(there, facts)
    assert math.exp(again.allowed.log_ratio) == pytest.approx(2.0, rel=0.02)


REFUSED = [
    (CgroupParams(100, 50_000), CgroupParams(100), "only one is limited"),
    (CreditParams(256), CreditParams(256, 60), "only one is limited"),
    (CgroupParams(100, 90_000), CgroupParams(100, 80_000), "together 1.70 CPUs of 1"),
    (rtds(4_000, lends=True), rtds(4_000, lends=True), "neither limits nor weights"),
    (SedfParams(100, 0, extratime=True), SedfParams(100, 0, extratime=True), "neither limits nor weights"),
    (None, CgroupParams(100), "Domain-0 does not exist"),
    (CgroupParams(100), None, "db1 does not exist"),
]


@pytest.mark.parametrize(("io", "guest", "why"), REFUSED)
def test_what_is_no_split_is_refused_with_both_values(io, guest, why):
    with pytest.raises(HostNotUsable, match=why) as caught:
        derive_current_split({IO: io, GUEST: guest}, facts_of())
    assert caught.value.hint
    for given in (io, guest):
        if io and guest:
            assert given.words in str(caught.value)


@pytest.mark.parametrize(
    ("io", "guest", "full", "limits", "weights"),
    [
        (0.30, 0.30, 0.60, True, True),
        (0.40, 0.10, 0.50, False, True),  # 80 % of its limit
        (0.10, 0.40, 0.90, False, False),
        (0.30, 0.30, 0.95, False, False),  # others left less of the CPU than both limits
    ],
)
def test_slack_is_what_keeps_neither_domain_waiting(io, guest, full, limits, weights):
    pairs = {"cgroup-v2": [CgroupParams(100, 50_000, 100_000)] * 2, "cgroup-v1": [CgroupParams(100)] * 2}
    others = full - io - guest
    window = CounterWindow(PairUsage(io, guest, 1 - others), others, full)
    for params, expected in zip(pairs.values(), (limits, weights), strict=True):
        standing = derive_current_split(dict(zip((IO, GUEST), params, strict=True)), facts_of("cgroup-v2"))
        assert has_slack(window, 1, standing) is expected
