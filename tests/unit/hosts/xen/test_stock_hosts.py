"""Stock XCP-ng hosts of 4 to 512 CPUs: preflight agrees with itself, and a sweep needs no command and no choice."""

import ast
import contextlib
import inspect
import re
from pathlib import Path
from random import Random

import pytest

from scheduler.errors import SpecError
from scheduler.model.host_properties import Severity
from scheduler.model.plan_file import parse_plan
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.studies.study_meeting import meet_host
from tests.unit.hosts.xen.recorded import look

ROOT = Path(__file__).resolve().parents[4]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
clean = inspect.cleandoc
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


def printed(cpus, dom0, guest, threads=2, nodes=2, *, others=0, mask=lambda domid: "all"):
    """Return what the toolstack of a stock XCP-ng host prints, in the formats of Xen 4.17; `mask` by domain."""
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
        f"{name:<32} {domid:5d} {vcpu:5d} {vcpu:4d}   -b- {1.0:9.1f}  {mask(domid)} / all\n"
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


def scattered(seed):
    """Return what a host prints that somebody has set up by hand: scattered masks, busy guests, pools, other boots."""
    random = Random(seed)
    cpus, nodes = random.choice([(16, 1), (48, 2), (64, 4), (256, 2), (512, 4)])
    threads, others = random.choice([1, 2]), random.randint(1, 100)

    def mask(domid):
        if (domid < 2 and seed % 2) or random.random() < 0.5:
            return "all"
        return ",".join(map(str, sorted(random.sample(range(cpus), cpus // random.randint(2, 8)))))

    masks = {domid: mask(domid) for domid in range(2 + others)}
    texts = printed(
        cpus, random.choice([1, 4, 16]), random.choice([1, 8, 64]), threads, nodes, others=others, mask=masks.get
    )
    later = re.sub(r"(-b----  +)10\.0", lambda found: f"{found[1]}{10 + random.expovariate(1):.1f}", texts["list-vc"])
    texts["list-vc"] = iter([texts["list-vc"], later])
    options = random.choice(["", "sched-gran=core", "dom0_vcpus_pin dom0_max_vcpus=4", "smt=0"])
    texts["info"] = texts["info"].replace("dom0_mem=8G,max:8G", options)
    if random.random() < 0.3:
        texts["info"] = texts["info"].replace("xen_minor : 17", "xen_minor : 12")
    if random.random() < 0.3:  # every other CPU in a pool of its own
        pools = {"Pool-0": range(0, cpus, 2), **{f"db{n}": [2 * n + 1] for n in range(8)}}
        texts["cpupool-list"] += "".join(f"{name:<19}{1:3d}    credit       y {0:13d}\n" for name in list(pools)[1:])
        texts["cpupool-list-c"] = "Name               CPU list\n" + "".join(
            f"{name:<19}{','.join(map(str, numbers))}\n" for name, numbers in pools.items()
        )
    if random.random() < 0.5:
        texts |= {name: text.replace("credit", "credit2") for name, text in texts.items() if isinstance(text, str)}
        texts["sched-credit2"] = texts["sched-credit"]
    return texts


def contradictions(texts):
    """Return what these sentences say for and against the same thing."""
    sentences = " ".join(texts)
    advised = set(re.findall(r"""mode = ['"](\w+)""", sentences)) | set(re.findall(r"or '(\w+)'\.", sentences))
    doubted = {mode for mode, doubt in DOUBTS.items() if re.search(doubt, sentences)}
    both = [pair for pair in EXCLUSIVE if all(re.search(text, sentences) for text in pair)]
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
        sentences = [*findings, *met.warnings, *met.split_warnings]
        assert len(findings) <= MOST_FINDINGS
        assert max(map(len, sentences)) <= MOST_CHARS
        assert not any(TYPED.search(each) for each in sentences)
        assert contradictions(sentences) == [], keys
        assert met.facts.confined == (met.facts.shared_cpus != facts.shared_cpus or "dedicated" in keys)
        placed = [each for each in findings if each.startswith("while the sweep runs")]
        assert len(placed) == met.facts.confined
        assert all(f"CPU {format_cpu_list(met.facts.shared_cpus)} " in each for each in placed)
        assert len(met.spec.settings) >= 2


@pytest.mark.parametrize("seed", range(24))
def test_findings_of_scattered_hosts_agree_ask_for_no_command_and_are_bounded(seed):
    facts = look(scattered(seed), guest="db1")
    met = [facts]
    for keys in (PLANS[seed % len(PLANS)], '[cpus]\nset = "as-found"'):
        with contextlib.suppress(SpecError):  # this host cannot do what the plan says: nothing is shown but the error
            met.append(meet_host(parse_plan(PLAN.format(keys=keys)), UNREAD, facts).facts)
    assert len(met) > 1
    for each in met:
        sentences = [f"{finding.text} {finding.hint}" for finding in each.findings]
        assert len(sentences) <= MOST_FINDINGS + 3
        assert max(map(len, (*sentences, each.title))) <= MOST_CHARS + 150  # one sentence may have two shortened masks
        assert [text for text in sentences if TYPED.search(text)] == []
        assert each is facts or contradictions(sentences) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("scheduler/hosts/**/*finding*.py")), ids=lambda path: path.stem)
def test_no_text_in_the_modules_of_findings_has_a_command_to_type(path):
    texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    prose = {ast.get_docstring(node) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, DOCUMENTED)}
    assert [text for text in texts if isinstance(text, str) and TYPED.search(text) and clean(text) not in prose] == []


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
