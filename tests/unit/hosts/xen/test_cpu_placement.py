"""Advice on where domains should run: obeyed as a whole it makes one shared CPU, and it can be undone."""

import itertools
import re
from dataclasses import replace

import pytest

from scheduler.hosts.xen.cpu_pools import PoolRow
from scheduler.hosts.xen.xl_tables import VcpuRow
from scheduler.model.host_properties import Severity
from scheduler.model.plan_file import parse_plan
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.study_concerns import select_findings
from tests.unit.hosts.xen.test_xen_findings import CALM, DB1, DOM0, FOUR, facts_of
from tests.unit.model.test_study_concerns import PLANS

PIN = re.compile(r"xl vcpu-pin ([0-9]+) (all|[0-9]+) ([0-9,all-]+)")
EIGHT = {**FOUR, "nr_cpus": "8", "max_cpu_id": "7"}
ALL = tuple(range(8))
AFFINITIES = ("all", "0-3", "4", "6-7", "0")


def host(dom0, guest, scheduler="credit2", pool=ALL):
    """Return a host of eight CPUs; an affinity for each vCPU of both domains."""
    vcpus = [VcpuRow(0, n, True, 0, hard) for n, hard in enumerate(dom0)]
    vcpus += [VcpuRow(1, n, True, 0, hard) for n, hard in enumerate(guest)]
    pools = [PoolRow("Pool-0", len(pool), scheduler)]
    return replace(CALM, info=EIGHT, pools=pools, pool_cpus={"Pool-0": pool}, vcpus=vcpus)


def obey(vcpus, text):
    """Return the vCPUs after the commands in a text."""
    for domid, number, hard in PIN.findall(text):
        vcpus = [
            replace(row, hard=hard) if row.domid == int(domid) and number in ("all", str(row.vcpu)) else row
            for row in vcpus
        ]
    return vcpus


@pytest.mark.parametrize(("dom0", "guest"), list(itertools.product(AFFINITIES, repeat=2)))
@pytest.mark.parametrize("vcpus", [1, 8])
def test_pins_of_all_findings_agree_and_can_be_undone(dom0, guest, vcpus):
    found = host([dom0] * vcpus, [guest])
    hints = [finding.hint for finding in facts_of(found).findings]
    pinned = obey(found.vcpus, " ".join(hint.split("Undo")[0] for hint in hints))
    assert len({row.hard for row in pinned}) == 1, hints
    assert not any("vcpu-pin" in finding.hint for finding in facts_of(replace(found, vcpus=pinned)).findings)
    for hint in hints:
        assert obey(pinned, hint.split("Undo")[-1]) == found.vcpus or "vcpu-pin" not in hint


def test_pins_that_differ_by_vcpu_are_undone_one_by_one():
    found = host(["0", "1", "2-3"], ["0-3"])
    [hint] = {finding.hint.split("Undo")[-1] for finding in facts_of(found).findings if "vcpu-pin" in finding.hint}
    assert "xl vcpu-pin 0 2 2-3" in hint
    many = host([str(cpu) for cpu in ALL], ["0-3"])
    assert any("save the output of 'xl vcpu-list 0' first" in finding.hint for finding in facts_of(many).findings)


def test_title_of_domains_apart_reports_no_cpu_in_common():
    facts = facts_of(host(["0-3"] * 8, ["4"]))
    assert "have no CPU in common" in facts.title
    assert "share CPU 0-3" in facts_of(host(["0-3"], ["0-3"])).title


def test_cpu_of_another_guest_is_not_the_one_to_share():
    found = host(["all"], ["all"])
    mail = replace(DB1, name="mail", domid=2, uuid=f"1{DB1.uuid[1:]}")
    busy = replace(found, domains=[DOM0, DB1, mail], vcpus=[*found.vcpus, VcpuRow(2, 0, True, 0, "0-2")])
    assert any("xl vcpu-pin 0 all 3" in finding.hint for finding in facts_of(busy).findings)


@pytest.mark.parametrize("scheduler", ["credit", "credit2", "rtds", "sedf"])
@pytest.mark.parametrize(("dom0", "guest"), [("all", "all"), ("all", "0"), ("0", "all"), ("0-3", "2-5")])
def test_caps_are_an_error_where_the_domains_may_run_on_several_cpus(scheduler, dom0, guest):
    found = facts_of(host([dom0], [guest], scheduler)).findings
    caps = [each for each in select_findings(parse_plan(PLANS["split by caps"]), found) if each.level is Severity.ERROR]
    [error] = caps
    assert "caps divide the time of one CPU" in error.text
    assert "one CPU: xl vcpu-pin" in error.hint
    assert ("weights (mode = 'weights')" in error.hint) == (scheduler not in ("rtds", "sedf"))
    if scheduler in ("credit", "credit2"):
        weights = select_findings(parse_plan(PLANS["split by weights"]), found)
        assert not any(each.level is Severity.ERROR for each in weights)


def test_pinning_dom0_of_many_vcpus_names_its_price():
    [text] = {each.hint for each in facts_of(host(["all"] * 8, ["all"])).findings if "caps divide" in each.text}
    assert "All 8 vCPUs of Domain-0 then share one CPU" in text
    assert "xl vcpu-pin 0 all all" in text.split("Undo")[1]


def test_cpu_list_has_ranges():
    assert format_cpu_list(range(512)) == "0-511"
    assert format_cpu_list([5, 0, 1, 3, 1]) == "0-1, 3, 5"
    assert format_cpu_list([]) == "none"
