"""Findings on where domains run: no finding contradicts another, and none asks for a command."""

import itertools
import re
from dataclasses import replace

import pytest

from scheduler.hosts.xen.cpu_pools import PoolRow
from scheduler.hosts.xen.xl_tables import VcpuRow
from scheduler.model.host_properties import Severity
from scheduler.model.placement import HostCpu
from scheduler.model.sentence_texts import encode_cpu_list, format_cpu_list
from scheduler.toolstacks.tool_output import parse_cpu_list
from tests.unit.hosts.xen.test_xen_findings import CALM, DB1, DOM0, FOUR, facts_of

TYPED = re.compile(r"\b(xl|xm|xe) [a-z-]+|vcpu-pin|cpupool-|host-cpu-tune")
EIGHT = {**FOUR, "nr_cpus": "8", "max_cpu_id": "7"}
ALL = tuple(range(8))
AFFINITIES = ("all", "0-3", "4", "6-7")


def host(dom0, guest, scheduler="credit2", pool=ALL, **changes):
    """Return a host of eight CPUs; an affinity for each vCPU of both domains."""
    vcpus = [VcpuRow(0, n, True, 0, hard) for n, hard in enumerate(dom0)]
    vcpus += [VcpuRow(1, n, True, 0, hard) for n, hard in enumerate(guest)]
    pools = [PoolRow("Pool-0", len(pool), scheduler)]
    found = replace(CALM, info=EIGHT, pools=pools, pool_cpus={"Pool-0": pool}, vcpus=vcpus)
    return replace(found, **changes)


def texts(survey):
    return [f"{each.level}: {each.text} {each.hint}" for each in facts_of(survey).findings]


@pytest.mark.parametrize(("dom0", "guest"), list(itertools.product(AFFINITIES, repeat=2)))
def test_stock_host_of_many_cpus_has_no_error_and_no_command_to_type(dom0, guest):
    for scheduler in ("credit", "credit2"):
        facts = facts_of(host([dom0] * 8, [guest] * 4, scheduler))
        assert [each for each in facts.findings if each.level is Severity.ERROR] == []
        assert not any(TYPED.search(f"{each.text} {each.hint}") for each in facts.findings)
        apart = {*facts.domains[0].cpus}.isdisjoint(facts.domains[1].cpus)
        assert any("with the original settings they never compete" in each.text for each in facts.findings) == apart
        assert facts.placement.possible
        assert facts.placement.choices == ALL


def test_title_of_domains_apart_reports_no_cpu_in_common():
    facts = facts_of(host(["0-3"] * 8, ["4"]))
    assert "have no CPU in common" in facts.title
    assert "share CPU 0-3" in facts_of(host(["0-3"], ["0-3"])).title


def test_domains_apart_that_cannot_be_placed_are_an_error_with_the_reason():
    pinned = {**EIGHT, "xen_commandline": "dom0_vcpus_pin"}
    old = host(["0"], ["4"], info=pinned, access=replace(CALM.access, version=(4, 12)))
    [error] = [each for each in texts(old) if each.startswith("error")]
    assert "never compete" in error
    assert "before Xen 4.13 Domain-0 cannot be moved" in error
    assert not any("stay on their CPUs" in each for each in texts(old))
    together = replace(old, vcpus=[*old.vcpus[:1], replace(old.vcpus[1], hard="all")])
    assert any("info: Domain-0 and db1 stay on their CPUs during a sweep: Xen 4.12" in each for each in texts(together))
    for changes in ({"access": CALM.access}, {"info": {**EIGHT, "xen_commandline": "dom0_vcpus_pin=0"}}):
        assert facts_of(replace(old, **changes)).placement.possible


def test_numbers_of_cpus_with_gaps_are_open_where_the_tool_shows_them():
    gaps = host(
        ["all"], ["all"], topology=tuple(HostCpu(2 * core, core) for core in range(8)), pool=tuple(range(0, 16, 2))
    )
    assert facts_of(gaps).placement.choices == tuple(range(0, 16, 2))
    old = facts_of(replace(gaps, access=replace(CALM.access, version=(4, 11)))).placement
    assert not old.possible
    assert "shows affinity up to CPU 7 only" in old.why


def test_vcpu_that_is_shown_without_a_cpu_cannot_be_placed():
    support = facts_of(host(["none"], ["all"])).placement
    assert not support.possible
    assert "each vCPU of Domain-0" in support.why


def test_guest_with_an_offline_vcpu_between_is_not_sized():
    found = host(["all"], ["all", "all"])
    holes = [replace(each, online=each.vcpu == 1 or each.domid == 0) for each in found.vcpus]
    vcpus = facts_of(replace(found, vcpus=holes)).vcpus
    assert not vcpus.choices
    assert "vCPU 0 of db1 is offline" in vcpus.why
    assert facts_of(found).vcpus.choices == (1, 2)


@pytest.mark.parametrize(
    ("changes", "scheduler", "words"),
    [
        ({}, "credit", "credit divides the time of all 8 CPUs of the pool"),
        ({"topology": tuple(HostCpu(n, n, n // 4) for n in ALL)}, "credit2", "one run queue only"),
        ({"info": {**EIGHT, "xen_commandline": "sched-gran=core"}}, "credit2", "Xen schedules whole cores"),
        ({"config": '#vm.cpumask=0-3\nvm.pv.cpumask="0-3"\n'}, "credit2", "vm.cpumask in xl.conf"),
    ],
)
def test_limits_of_a_division_are_findings(changes, scheduler, words):
    assert any(words in each for each in texts(host(["all"], ["all"], scheduler, **changes)))
    assert not any(words in each for each in texts(host(["all"], ["all"], "rtds")))


def test_many_other_domains_share_one_finding():
    others = [replace(DB1, name=f"web{n}", domid=n, uuid=f"{n:08d}{DB1.uuid[8:]}") for n in range(2, 102)]
    vcpus = [VcpuRow(n, 0, True, 0, "all") for n in range(2, 102)]
    later = [replace(each, time_s=each.time_s + (2.0 if each.domid == 50 else 0.0)) for each in others]
    found = host(["all"] * 8, ["all"])
    wide = replace(found, domains=[DOM0, DB1, *others], later=[DOM0, DB1, *later], vcpus=[*found.vcpus, *vcpus])
    reported = [each for each in texts(wide) if "may run on the same CPU" in each]
    assert len(reported) == 5
    assert reported[0].startswith("warning: 'web50' may run on the same CPU and used 0.67 CPUs")
    assert "96 further domains" in reported[-1]
    assert max(map(len, reported)) < 400


def test_cpu_list_has_ranges():
    assert format_cpu_list(range(512)) == "0-511"
    assert format_cpu_list([5, 0, 1, 3, 1]) == "0-1, 3, 5"
    assert format_cpu_list([]) == "none"


def test_scattered_cpus_are_counted_in_texts_and_complete_for_programs():
    odd = range(1, 512, 2)
    assert format_cpu_list(odd) == "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 244 more"
    assert parse_cpu_list(encode_cpu_list(odd)) == set(odd)
    assert encode_cpu_list([5, 0, 1, 3]) == "0-1,3,5"
