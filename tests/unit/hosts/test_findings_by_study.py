"""Every finding of preflight, and the studies that show it: each host with as much wrong as it can have at once."""

import re
from dataclasses import replace

import pytest

from scheduler.hosts.libvirt.libvirt_findings import PairObservation
from scheduler.hosts.libvirt.libvirt_findings import list_findings as libvirt_findings
from scheduler.hosts.libvirt.worker_answers import DomainDescription
from scheduler.hosts.local.cgroup_paths import CgroupPaths
from scheduler.hosts.local.cpu_load import LoadReading
from scheduler.hosts.local.describe_computer import list_findings as local_findings
from scheduler.hosts.xen.cpu_pools import PoolRow
from scheduler.hosts.xen.xl_tables import VcpuRow
from scheduler.model.placement import HostCpu, PlacementSupport
from scheduler.model.plan_file import parse_plan
from scheduler.model.scheduler_params import CreditParams, RtdsParams, RtdsVcpu
from scheduler.model.split import GUEST, IO
from scheduler.model.study_concerns import select_findings
from scheduler.toolstacks.virsh import IoSide
from tests.unit.hosts.xen.test_xen_findings import CALM, DB1, DOM0, FOUR, PINNED, facts_of
from tests.unit.model.test_study_concerns import PLANS

BY_WEIGHTS = {"split by weights", "isolation"}
BY_CAPS = {"split by caps", "capacity at a split", "overhead", "isolation", "isolation by caps"}
DIVIDE = BY_WEIGHTS | BY_CAPS
COMPETE = DIVIDE - {"overhead"}
EVERY = set(PLANS)

WIDE = {"info": FOUR, "pool_cpus": {"Pool-0": (0, 1, 2, 3)}}
CREDIT = {"pools": [PoolRow("Pool-0", 4, "credit")]}
TWO_POOLS = {
    "info": {**FOUR, "free_cpus": "1"},
    "domains": [DOM0, replace(DB1, pool="rt")],
    "pools": [PoolRow("Pool-0", 1, "credit"), PoolRow("rt", 1, "rtds")],
    "pool_cpus": {"Pool-0": (0,), "rt": (1,)},
}
OTHER = replace(DB1, name="mail", domid=2)
BUSY = {
    "domains": [DOM0, DB1, OTHER],
    "later": [replace(DOM0, time_s=102.0), DB1, replace(OTHER, time_s=51.0)],
    "vcpus": [*CALM.vcpus, VcpuRow(2, 0, True, 0, "all")],
}
SPEED = {"governor": "current_governor : hwp\nturbo mode : enabled", "idle": "total C-states : 5\n"}
TWO_VCPUS = {"vcpus": [*CALM.vcpus, VcpuRow(0, 1, True, 0, "all"), VcpuRow(1, 1, True, 0, "all")]}
SMT = {
    **WIDE,
    "info": {**FOUR, "threads_per_core": "2", "xen_commandline": "sched-gran=core"},
    "topology": (HostCpu(0, 0), HostCpu(1, 0)),
}
EXTRA_TIME = RtdsParams((RtdsVcpu(10_000, 4000, True),))
SLICE = "Cpupool Pool-0: tslice=5ms ratelimit=1000us migration-delay=0us\n"

XEN = [
    (CALM, {}, {"the scheduler of CPU pool": EVERY}),
    (
        replace(CALM, **TWO_POOLS),
        {},
        {
            "db1 under rtds": DIVIDE,
            "they never compete": COMPETE,
            "2 CPU pools": EVERY,
            "belong to no pool": EVERY,
        },
    ),
    (replace(CALM, pools=[PoolRow("Pool-0", 1, "null")]), {}, {"has no parameters": DIVIDE}),
    (
        replace(CALM, **WIDE, **CREDIT, **SPEED, log="setting dom 0 as the privileged domain"),
        {"params": CreditParams(512, 50), "pool_text": SLICE},
        {
            "the scheduler of CPU pool": EVERY,
            "credit divides the time of all 4 CPUs": BY_WEIGHTS,
            "sets the weight of Domain-0 itself": BY_WEIGHTS,
            "Domain-0 has weight 512": EVERY,
            "db1 has weight 512": EVERY,
            "caps are then rounded up": BY_CAPS,
            "the processor chooses": EVERY,
            "turbo mode is on": EVERY,
            "in 4 C-states": EVERY,
        },
    ),
    (
        replace(CALM, **{**WIDE, **TWO_VCPUS}),
        {},
        {
            "the scheduler of CPU pool": EVERY,
        },
    ),
    (
        replace(CALM, **SMT, log="Could not find scheduler: rtds"),
        {},
        {
            "the scheduler of CPU pool": EVERY,
            "sched-gran": DIVIDE,
            "sched=rtds": EVERY,
            "autoballoon": EVERY,
        },
    ),
    (
        replace(CALM, **BUSY, governor="current_governor : ondemand"),
        {"params": EXTRA_TIME, "url": "xl:"},
        {
            "run in Domain-0 and use CPU time": EVERY,
            "the scheduler of CPU pool": EVERY,
            "Domain-0 has": DIVIDE,
            "db1 has": DIVIDE,
            "'mail' may run on the same CPU": EVERY,
            "Domain-0 used 0.67 CPUs": EVERY,
            "the frequency governor": EVERY,
        },
    ),
    (
        replace(CALM, vcpus=[CALM.vcpus[0], replace(CALM.vcpus[1], online=False)]),
        {},
        {"the scheduler of CPU pool": EVERY, "they never compete": COMPETE, "has no vCPU online": EVERY},
    ),
    (replace(CALM, **WIDE, vcpus=PINNED), {}, {"the scheduler of CPU pool": EVERY}),
    (
        replace(CALM, **WIDE, **CREDIT, vcpus=PINNED),
        {},
        {"the scheduler of CPU pool": EVERY, "credit divides the time of all 4 CPUs": BY_WEIGHTS},
    ),
]


def assert_shown(found, table):
    """Fail unless exactly the findings of the table exist, each in its studies only."""
    for name, plan in PLANS.items():
        texts = [finding.text for finding in select_findings(parse_plan(plan), found)]
        expected = [words for words, studies in table.items() if name in studies]
        missing = [words for words in expected if not any(words in text for text in texts)]
        others = [text for text in texts if not any(words in text for words in expected)]
        assert (missing, others) == ([], []), name


@pytest.mark.parametrize(("survey", "more", "table"), XEN)
def test_xen_findings_fit_each_study(survey, more, table):
    assert_shown(facts_of(survey, **more).findings, table)


VM = "<domain type='qemu'><iothreads>2</iothreads></domain>"
SEEN = PairObservation(
    side=IoSide.EMULATOR,
    domains={IO: DomainDescription(name="db1", xml=VM), GUEST: DomainDescription(name="db1", xml=VM)},
    cpus={IO: frozenset({0}), GUEST: frozenset({1})},
    clients=(),
    raw={"global_quota": 10_000},
    here=True,
    encrypted=False,
)
ALWAYS = {
    "only caps can be swept": DIVIDE,
    "2 I/O threads": DIVIDE,
    "emulated in software": EVERY,
    "limited already": EVERY,
    "takes CPU time from both": EVERY,
    "not encrypted": EVERY,
    "killed in the middle": EVERY,
}
PLACED = PlacementSupport(possible=True, choices=(0, 1), why="")
APART, WIDER = {IO: frozenset({0}), GUEST: frozenset({1})}, {IO: frozenset({0, 1}), GUEST: frozenset({1})}
LIBVIRT = [
    (APART, PLACED, {**ALWAYS, "with the original settings they never compete": COMPETE}),
    (APART, PlacementSupport(), {**ALWAYS, "no split can have an effect": COMPETE}),
    (WIDER, PLACED, ALWAYS),
    (
        WIDER,
        PlacementSupport(),
        {**ALWAYS, "both stay there during a sweep": DIVIDE, "weights have no effect": BY_WEIGHTS},
    ),
]


def look_at(cpus, placement):
    seen = PairObservation(
        SEEN.side, SEEN.domains, cpus, SEEN.clients, SEEN.raw, here=True, encrypted=False, placement=placement
    )
    return list(libvirt_findings(seen))


@pytest.mark.parametrize(("cpus", "placement", "table"), LIBVIRT)
def test_libvirt_findings_fit_each_study(cpus, placement, table):
    assert_shown(look_at(cpus, placement), table)


@pytest.mark.parametrize(("cpus", "placement", "_"), LIBVIRT)
def test_libvirt_findings_ask_for_no_command(cpus, placement, _):
    texts = [text for each in look_at(cpus, placement) for text in (each.text, each.hint)]
    assert [text for text in texts if re.search(r"\bvirsh\b|vcpupin|emulatorpin|taskset|cpuset", text)] == []


def test_scale_up_on_xen_or_libvirt_is_never_advised_to_pin_to_one_cpu():
    scale_up = parse_plan(PLANS["scale-up"])
    found = [finding for survey, more, _ in XEN for finding in facts_of(survey, **more).findings]
    for cpus, placement, _ in LIBVIRT:
        found += look_at(cpus, placement)
    kept = select_findings(scale_up, found)
    assert [finding.hint for finding in kept if "Pin" in finding.hint or "vcpu-pin" in finding.hint] == []


def test_local_findings_confine_the_guest_in_no_scale_up_study():
    place = CgroupPaths(
        scheduler="cgroup-v2",
        cpu="/sys/fs/cgroup",
        cpuacct="/sys/fs/cgroup",
        cpuset="/sys/fs/cgroup",
        machine_root=True,
        contended_cpu=0,
        client_cpus=(0,),
    )
    found = list(local_findings(place, LoadReading(0.0, [], {})))
    for name, plan in PLANS.items():
        texts = [finding.text for finding in select_findings(parse_plan(plan), found)]
        assert any("one CPU only" in text for text in texts), name
        assert any("will be confined" in text for text in texts) == (name != "scale-up"), name
