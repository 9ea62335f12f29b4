"""Stock XCP-ng hosts of 4 to 512 CPUs: preflight agrees with itself, and a sweep needs no command and no choice."""

import re

import pytest

from scheduler.errors import SpecError
from scheduler.model.host_properties import Severity
from scheduler.model.plan_file import parse_plan
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.studies.study_meeting import meet_host
from tests.unit.hosts.xen.recorded import look

UNREAD = object()  # the host itself: a sweep of splits is planned from the description alone
PLAN = 'host = "xl+ssh://root@xen1"\n{keys}\n[domains]\nguest = "db1"\n'
PLANS = [
    f'mode = "{mode}"\n{cpus}' for mode in ("caps", "weights", "dedicated") for cpus in ("", '[cpus]\nset = "pool"')
]
HOSTS = [(4, 4, 4, 1), (16, 16, 8, 3), (32, 16, 8, 20), (96, 16, 32, 60), (512, 16, 64, 100)]
TYPED = re.compile(r"\b(xl|xm|xe|xenpm|virsh|host-cpu-tune) [a-z-]+|vcpu-pin|cpupool-|\btaskset\b")
MOST_FINDINGS, MOST_CHARS = 12, 400
# Text that doubts a mode.
DOUBTS = {
    "weights": "weights have no effect|weights do not give|sets the weight of Domain-0",
    "caps": "caps can only take",
}
# Texts of which a host can have one only.
EXCLUSIVE = (
    ("while the sweep runs, Domain-0 and db1 run on", "stay on their CPUs during a sweep"),
    ("never compete", "while the sweep runs, .* only"),
    ("Share fewer CPUs", "on fewer of them, weights do not"),
)


def printed(cpus, dom0, guest, threads=2, nodes=2, others=0):
    """Return what the toolstack of a stock XCP-ng host prints, in the formats of Xen 4.17."""
    half = cpus // nodes
    topology = "".join(
        f"{n:3d}:    {n % half // threads:4d}     {n // half:4d}     {n // half:4d}\n" for n in range(cpus)
    )
    memory = "".join(f"{n:4d}:    {65_536:6d}     {60_000:6d}      10,20\n" for n in range(nodes))
    rows = [("Domain-0", 0, dom0, "0" * 8), ("db1", 1, guest, "1" * 8)]
    rows += [(f"web{n}", n, 2, f"{n:08d}") for n in range(2, 2 + others)]
    tail = "-0000-0000-0000-000000000000"
    listed = "".join(
        f"{name:<40} {domid:5d} {4096:5d} {vcpus:5d}     {'r-----' if domid == 0 else '-b----'}  {10.0:8.1f} "
        f"{uuid}{tail} {'-':>8} {'-':>16}{'Pool-0':>16}\n"
        for name, domid, vcpus, uuid in rows
    )
    vcpus = "".join(
        f"{name:<32} {domid:5d} {vcpu:5d} {vcpu:4d}   -b- {1.0:9.1f}  all / all\n"
        for name, domid, count, _ in rows
        for vcpu in range(count)
    )
    return {
        "info": f"host : xcp\nnr_cpus : {cpus}\nmax_cpu_id : {cpus - 1}\nthreads_per_core : {threads}\nfree_cpus : 0\n"
        f"xen_major : 4\nxen_minor : 17\nxen_scheduler : credit\nxen_commandline : dom0_mem=8G,max:8G\n"
        f"cpu_topology           :\ncpu:    core    socket     node\n{topology}numa_info              :\n{memory}",
        "list-vc": "Name ID\n" + listed,
        "vcpu-list": vcpus,
        "cpupool-list": "Name               CPUs   Sched     Active   Domain count\n"
        f"{'Pool-0':<19}{cpus:3d}    credit       y {2:13d}\n",
        "cpupool-list-c": f"Name               CPU list\n{'Pool-0':<19}{','.join(map(str, range(cpus)))}\n",
        "dmesg": "(XEN) setting dom 0 as the privileged domain\n",
        "sched-credit": "Name ID Weight Cap\nDomain-0 0 256 0\ndb1 1 256 0\n",
    }


def contradictions(texts):
    """Return what these sentences say for and against the same thing."""
    told = " ".join(texts)
    advised = set(re.findall(r"""mode = ['"](\w+)""", told)) | set(re.findall(r"or '(\w+)'\.", told))
    doubted = {mode for mode, doubt in DOUBTS.items() if re.search(doubt, told)}
    both = [pair for pair in EXCLUSIVE if all(re.search(text, told) for text in pair)]
    return [*(advised & doubted), *both]


@pytest.mark.parametrize(("cpus", "dom0", "guest", "others"), HOSTS)
def test_stock_xcp_ng_findings_agree_ask_for_no_command_and_are_bounded(cpus, dom0, guest, others):
    facts = look(printed(cpus, dom0, guest, nodes=1 if cpus < 16 else 2, others=others), guest="db1")
    assert (facts.pcpus, len(facts.topology), facts.shared_cpus) == (cpus, cpus, tuple(range(cpus)))
    assert len({cpu.core for cpu in facts.topology}) == cpus // 2
    assert not any(each.level is Severity.ERROR for each in facts.findings)
    for keys in PLANS if cpus <= 96 else PLANS[::2]:  # 512 CPUs are more than one sweep can share
        met = meet_host(parse_plan(PLAN.format(keys=keys)), UNREAD, facts)
        findings = [f"{each.text} {each.hint}" for each in met.facts.findings]
        told = [*findings, *met.warnings, *met.split_warnings]
        assert len(findings) <= MOST_FINDINGS
        assert max(map(len, told)) <= MOST_CHARS
        assert not any(TYPED.search(each) for each in told)
        assert contradictions(told) == [], keys
        assert met.facts.confined == (met.facts.shared_cpus != facts.shared_cpus or "dedicated" in keys)
        placed = [each for each in findings if each.startswith("while the sweep runs")]
        assert len(placed) == met.facts.confined
        assert all(f"CPU {format_cpu_list(met.facts.shared_cpus)} " in each for each in placed)
        assert len(met.spec.settings) >= 2


def test_enter_alone_sweeps_dedicated_cpus_of_a_stock_host_of_four():
    facts = look(printed(4, 4, 4, nodes=1, others=1), guest="db1")
    met = meet_host(parse_plan(PLAN.format(keys='mode = "dedicated"')), UNREAD, facts)
    assert [setting.label for setting in met.spec.settings] == ["1:3", "2:2", "3:1"]
    assert (met.facts.shared_cpus, met.facts.confined) == ((0, 1, 2, 3), True)
    assert met.warnings == met.split_warnings == ()


def test_presets_below_the_floor_of_a_wide_dom0_are_left_out_and_chosen_ones_refused():
    facts = look(printed(4, 8, 4, nodes=1), guest="db1")
    met = meet_host(parse_plan(PLAN.format(keys='mode = "caps"')), UNREAD, facts)
    assert "1:10" not in [setting.label for setting in met.spec.settings]
    assert met.warnings[0].startswith("a preset split is excluded on this host: 1:10 gives each of the I/O domain's 8")
    with pytest.raises(SpecError, match="1:10 gives each of the I/O domain's 8 vCPUs"):
        meet_host(parse_plan(PLAN.format(keys='mode = "caps"\nsplits = ["1:10", "1:1"]')), UNREAD, facts)


def test_contradictions_are_found_where_there_are_some():
    assert contradictions(["Use mode = 'caps' or 'dedicated'.", "caps can only take CPU away"]) == ["caps"]
    assert contradictions(
        ["Domain-0 and db1 stay on their CPUs during a sweep", *["while the sweep runs, Domain-0 and db1 run on"]]
    )
