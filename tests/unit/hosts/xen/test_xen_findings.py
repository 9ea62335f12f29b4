"""What preflight sees on Xen hosts; surveys are made up, texts in them are those of Xen 4.17."""

from dataclasses import replace

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.remote.guard import holder_name
from scheduler.hosts.remote.guard_state import GuardState
from scheduler.hosts.xen.cpu_pools import PoolRow
from scheduler.hosts.xen.describe import describe_xen, parse_pool_settings
from scheduler.hosts.xen.domain_choice import choose_domains
from scheduler.hosts.xen.domain_view import build_domain_view
from scheduler.hosts.xen.host_survey import HostSurvey
from scheduler.hosts.xen.toolstack_access import ToolstackAccess
from scheduler.hosts.xen.xen_setup import NO_UUID
from scheduler.hosts.xen.xl_tables import DomainRow, VcpuRow
from scheduler.model.host_properties import Severity
from scheduler.model.placement import HostCpu
from scheduler.model.scheduler_params import Credit2Params, RtdsParams, RtdsVcpu
from scheduler.model.split import GUEST, IO

UUID = "58677b50-9f2c-49aa-8085-3e8ccbf30f65"
DOM0 = DomainRow("Domain-0", 0, 1, "r-----", 100.0, "0" * 36, "Pool-0")
DB1 = DomainRow("db1", 1, 1, "-b----", 50.0, UUID, "Pool-0")
CALM = HostSurvey(
    access=ToolstackAccess((), "/usr/sbin/xl", (4, 17)),
    info={
        "host": "dom0",
        "nr_cpus": "1",
        "max_cpu_id": "0",
        "threads_per_core": "1",
        "free_cpus": "0",
        "xen_version": "4.17.7",
        "xen_scheduler": "credit2",
        "xen_commandline": "dom0_mem=768M,max:768M",
    },
    topology=(),
    domains=[DOM0, DB1],
    later=[DOM0, DB1],
    look_s=3.0,
    vcpus=[VcpuRow(0, 0, True, 0, "all"), VcpuRow(1, 0, True, 0, "all")],
    pools=[PoolRow("Pool-0", 1, "credit2")],
    pool_cpus={"Pool-0": (0,)},
    log="",
    governor="",
    idle="",
    config="",
    boot_id="b",
    machine_id="m",
)
FOUR = {**CALM.info, "nr_cpus": "4", "max_cpu_id": "3"}
PINNED = [VcpuRow(0, 0, True, 0, "0"), VcpuRow(1, 0, True, 0, "0")]


DEFAULT = Credit2Params(256)
NO_GUARD = GuardState("xen1")


def facts_of(survey, params=DEFAULT, pool_text="", url="xl+ssh://root@xen1", guard=NO_GUARD):
    view = build_domain_view(survey, *choose_domains(survey.domains, "", "db1", "xen1"))
    return describe_xen(url, view, {"Domain-0": params, "db1": params}, pool_text, guard)


def seen(survey, level, **more):
    return [finding.text for finding in facts_of(survey, **more).findings if finding.level == level]


def said(survey, level, words, **more):
    return any(words in text for text in seen(survey, level, **more))


def test_calm_host_is_reported_nothing_but_its_scheduler():
    facts = facts_of(CALM)
    assert [finding.text for finding in facts.findings] == ["the scheduler of CPU pool Pool-0 is credit2"]
    assert (facts.scheduler, facts.pcpus, facts.shared_cpus) == ("credit2", 1, (0,))
    assert facts.title == "dom0: Domain-0 and db1 share CPU 0 (Xen 4.17.7, credit2)"
    assert {domain.id: domain.name for domain in facts.domains} == {IO: "Domain-0", GUEST: "db1"}


def test_identity_follows_the_machine_and_does_not_give_its_own_away():
    renamed = replace(CALM, info={**CALM.info, "host": "other"})
    assert facts_of(CALM).host_id == facts_of(renamed).host_id != facts_of(replace(CALM, machine_id="n")).host_id
    assert "machine-secret" not in facts_of(replace(CALM, machine_id="machine-secret")).host_id


@pytest.mark.parametrize(
    ("change", "level", "words"),
    [
        ({"pools": [PoolRow("Pool-0", 1, "null")]}, Severity.ERROR, "'null', which has no parameters"),
        ({"pools": [PoolRow("Pool-0", 1, "arinc653")]}, Severity.ERROR, "no parameters"),
        (
            {
                "domains": [DOM0, replace(DB1, pool="rt")],
                "pools": [PoolRow("Pool-0", 1, "credit"), PoolRow("rt", 1, "rtds")],
                "pool_cpus": {"Pool-0": (0,), "rt": (1,)},
                "info": FOUR,
            },
            Severity.ERROR,
            "db1 under rtds",
        ),
        (
            {"info": FOUR, "pool_cpus": {"Pool-0": (0, 1, 2, 3)}, "vcpus": [PINNED[0], replace(PINNED[1], hard="2-3")]},
            Severity.INFO,
            "with the original settings they never compete",
        ),
        (
            {
                "info": FOUR,
                "vcpus": PINNED,
                "pools": [PoolRow("Pool-0", 4, "credit")],
                "pool_cpus": {"Pool-0": (0, 1)},
            },
            Severity.WARNING,
            "weights do not give their ratio",
        ),
        ({"log": "(XEN) setting dom 0 as the privileged domain"}, Severity.WARNING, "weight of Domain-0 itself"),
        (
            {"log": "(XEN) Could not find scheduler: rtds"},
            Severity.WARNING,
            "sched=rtds, which this build does not have",
        ),
        (
            {
                "info": {**FOUR, "threads_per_core": "2"},
                "topology": (HostCpu(0, 0), HostCpu(1, 0), HostCpu(2, 1), HostCpu(3, 1)),
                "pool_cpus": {"Pool-0": (0, 1, 2, 3)},
                "vcpus": PINNED,
            },
            Severity.WARNING,
            "CPU 0 and CPU 1 are threads of one core",
        ),
        ({"info": {**CALM.info, "xen_commandline": "dom0_mem=1G sched-gran=core"}}, Severity.INFO, "sched-gran"),
        ({"info": {**CALM.info, "free_cpus": "3"}}, Severity.WARNING, "3 CPUs belong to no pool"),
        ({"governor": "current_governor     : ondemand"}, Severity.WARNING, "'ondemand'"),
        ({"governor": "current_governor     : hwp"}, Severity.WARNING, "the processor chooses its own speed"),
        ({"governor": "turbo mode           : enabled"}, Severity.WARNING, "turbo mode is on"),
        (
            {"idle": "Max possible C-state: unlimited\n\ncpu id               : 0\ntotal C-states       : 5\n"},
            Severity.WARNING,
            "in 4 C-states",
        ),
        ({"info": {**CALM.info, "xen_commandline": ""}}, Severity.INFO, "autoballoon"),
        ({"config": 'autoballoon="on"'}, Severity.INFO, "autoballoon"),
        ({"later": [replace(DOM0, time_s=102.0), DB1]}, Severity.WARNING, "Domain-0 used 0.67 CPUs"),
    ],
)
def test_mis_setup_is_found_with_its_level(change, level, words):
    assert said(replace(CALM, **change), level, words), facts_of(replace(CALM, **change)).findings
    assert not said(CALM, level, words)


def test_cpu_of_one_speed_is_no_finding():
    steady = "current_governor     : performance\nturbo mode           : disabled or n/a\n"
    assert facts_of(replace(CALM, governor=steady)).findings == facts_of(CALM).findings


@pytest.mark.parametrize(
    "told", ["Max possible C-state: C1\n\ntotal C-states       : 5\n", "total C-states       : 2\n"]
)
def test_cpu_that_sleeps_lightly_is_fine(told):
    assert facts_of(replace(CALM, idle=told)).findings == facts_of(CALM).findings


@pytest.mark.parametrize(
    ("used_s", "level", "words"),
    [
        (0.0, Severity.INFO, "was idle"),
        (0.3, Severity.WARNING, "used 0.10 CPUs"),
        (1.5, Severity.ERROR, "used 0.50 CPUs"),
    ],
)
def test_another_domain_on_the_same_cpu_matters_by_what_it_does(used_s, level, words):
    other = replace(DB1, name="mail", domid=2, uuid=f"1{UUID[1:]}")
    vcpus = [*CALM.vcpus, VcpuRow(2, 0, True, 0, "all")]
    busy = replace(
        CALM, domains=[DOM0, DB1, other], later=[DOM0, DB1, replace(other, time_s=50.0 + used_s)], vcpus=vcpus
    )
    assert said(busy, level, words)
    advice = [
        [each.hint for each in facts_of(host).findings if "mail" in each.text]
        for host in (busy, replace(busy, info=FOUR))
    ]
    assert ['others = "away"' in hint for [hint] in advice] == [False, True]
    away = replace(busy, info=FOUR, vcpus=[*PINNED, VcpuRow(2, 0, True, 3, "3")])
    assert not any("mail" in finding.text for finding in facts_of(away).findings)


def test_another_domain_is_reported_where_the_numbers_of_cpus_have_gaps():
    """Two cores whose second threads are switched off are CPU 0 and CPU 2."""
    other = replace(DB1, name="mail", domid=2, uuid=f"1{UUID[1:]}")
    gaps = replace(
        CALM,
        info={**CALM.info, "nr_cpus": "2", "max_cpu_id": "3"},
        pool_cpus={"Pool-0": (0, 2)},
        domains=[DOM0, DB1, other],
        vcpus=[*(replace(pinned, cpu=2, hard="2") for pinned in PINNED), VcpuRow(2, 0, True, 0, "all")],
    )
    assert said(gaps, Severity.INFO, "'mail' may run on the same CPU")


def test_values_that_another_set_are_reported_as_originals():
    assert said(CALM, Severity.WARNING, "db1 has weight 512, cap 50 %", params=Credit2Params(512, 50))
    rtds = RtdsParams((RtdsVcpu(10_000, 4000, True),))
    assert said(CALM, Severity.INFO, "extra time", params=rtds)


def test_time_slice_that_makes_caps_coarse_is_reported():
    credit = replace(CALM, pools=[PoolRow("Pool-0", 1, "credit")])
    line = "Cpupool Pool-0: tslice=5ms ratelimit=1000us migration-delay=0us\n"
    assert said(credit, Severity.WARNING, "time slice is 5 ms", pool_text=line)
    assert not said(credit, Severity.WARNING, "time slice", pool_text=line.replace("5ms", "30ms"))
    assert parse_pool_settings(line, "Pool-0") == {"tslice_ms": 5, "ratelimit_us": 1000}
    assert parse_pool_settings(line, "Pool-1") == {}


def test_guard_that_holds_there_is_reported():
    guard = GuardState("xen1", state="armed", alive=True, holder="process 1 on pc", ttl_s=60)
    assert said(CALM, Severity.WARNING, "a sweep (process 1 on pc, since unknown) holds this host", guard=guard)
    followed = replace(guard, holder=holder_name(follows=True))
    assert said(CALM, Severity.WARNING, f"following ({holder_name()}, since unknown) holds this host", guard=followed)


@pytest.mark.parametrize("state", ["armed", "fired"])
def test_values_that_a_dead_sweep_left_are_not_called_originals(state):
    guard = GuardState("xen1", state=state, alive=False, holder="process 1 on pc", ttl_s=60)
    facts = facts_of(CALM, params=Credit2Params(342, 64), guard=guard)
    hints = [finding.hint for finding in facts.findings if "weight 342" in finding.text]
    assert len(hints) == 2
    assert all("the next sweep restores the originals first" in hint for hint in hints)


def test_host_that_its_guard_restored_is_reported_as_restored():
    guard = GuardState("xen1", state="restored", holder="process 1 on pc", ttl_s=60)
    assert said(CALM, Severity.INFO, "fired and restored this host", guard=guard)


def test_load_in_dom0_itself_is_reported():
    assert said(CALM, Severity.WARNING, "run in Domain-0 and use CPU time", url="xl:")


class TestChoosing:
    OTHER = replace(DB1, name="mail", domid=2)

    def test_only_guest_needs_no_name(self):
        assert choose_domains([DOM0, DB1], "", "", "xen1") == (DOM0, DB1)

    def test_driver_domain_may_be_the_io_domain(self):
        assert choose_domains([DOM0, DB1, self.OTHER], "mail", "", "xen1") == (self.OTHER, DB1)

    @pytest.mark.parametrize(
        ("rows", "io", "guest", "words"),
        [
            ([DOM0], "", "", "no guest runs there"),
            ([DOM0, DB1, OTHER], "", "", "2 guests run there: 'db1', 'mail'"),
            ([DOM0, DB1], "", "db9", "no domain 'db9' runs there"),
            ([DOM0, DB1, replace(OTHER, name="db1")], "", "db1", "2 domains are called 'db1'"),
            ([DOM0, DB1], "db1", "db1", "cannot be both"),
            ([], "", "", "no Domain-0"),
            ([DOM0, replace(DB1, uuid="")], "", "db1", "'db1' .number 1. has no UUID"),
            ([DOM0, replace(DB1, uuid=NO_UUID)], "", "", "'db1' .number 1. has no UUID"),
            ([DOM0, DB1, replace(OTHER, uuid=NO_UUID)], "mail", "", "'mail' .number 2. has no UUID"),
        ],
    )
    def test_what_cannot_be_chosen_is_reported(self, rows, io, guest, words):
        with pytest.raises(HostNotUsable, match=words):
            choose_domains(rows, io, guest, "xen1")


DB2 = replace(DB1, name="db2", domid=2, uuid=f"2{UUID[1:]}")


def facts_of_three(**change):
    survey = replace(CALM, domains=[DOM0, DB1, DB2], later=[DOM0, DB1, DB2], **change)
    view = build_domain_view(survey, *choose_domains(survey.domains, "", "db1", "xen1")).with_second(DB2)
    return describe_xen("xl+ssh://root@xen1", view, dict.fromkeys(("Domain-0", "db1", "db2"), DEFAULT), "", NO_GUARD)


def test_three_domains_are_looked_at_as_two_are():
    third = [*CALM.vcpus, VcpuRow(2, 0, True, 0, "all")]
    calm = facts_of_three(vcpus=third)
    assert [finding.level for finding in calm.findings] == [Severity.INFO]
    assert (calm.second_guest.names, calm.shared_cpus) == (("db2",), (0,))
    away = [*PINNED, VcpuRow(2, 0, True, 3, "3")]
    apart = facts_of_three(info=FOUR, pool_cpus={"Pool-0": (0, 1, 2, 3)}, vcpus=away)
    assert any("db2 on CPU 3: with the original settings they never compete" in each.text for each in apart.findings)
    assert apart.placement.choices == (0, 1, 2, 3)


def test_host_with_one_guest_has_no_second_one_to_take():
    found = facts_of(CALM).second_guest
    assert (found.possible, found.names) == (False, ())
    assert "no guest runs there except db1" in found.why
    assert "Start another guest" in found.hint
