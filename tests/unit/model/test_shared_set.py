from itertools import product

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.model.host_properties import DomainProperties, HostProperties, PreflightFinding, Severity, StudyConcern
from scheduler.model.other_guests import NONE_AWAY, KeptAway, OtherGuest, describe_others
from scheduler.model.placement import (
    HostCpu,
    PlacementParams,
    PlacementSupport,
    count_whole_cpus,
    divide_cpus,
    preset_dedicated_splits,
)
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.shared_set import (
    CpusSpec,
    SharedSet,
    choose_shared_set,
    describe_confinement,
    parse_cpu_list,
    place_domains,
)
from scheduler.model.split import GUEST, IO, Mode, parse_split
from tests.data_maker import make_facts

CAPS, WEIGHTS, DEDICATED = (Mode.CAPS,), (Mode.WEIGHTS,), (Mode.DEDICATED,)


def host_of(cpus: int, io: int, guest: int, *, threads: int = 1, nodes: int = 1, **changes) -> HostProperties:
    """Return a host whose domains float over all CPUs; threads of a core have neighbouring numbers."""
    all_cpus = tuple(range(cpus))
    domains = (
        DomainProperties(IO, "Domain-0", io, changes.pop("io_cpus", all_cpus)),
        DomainProperties(GUEST, "db1", guest, changes.pop("guest_cpus", all_cpus)),
    )
    topology = tuple(HostCpu(cpu, cpu // threads, node=cpu * nodes // cpus) for cpu in all_cpus)
    support = PlacementSupport(possible=True, choices=changes.pop("choices", all_cpus))
    facts = msgspec.structs.replace(
        make_facts("xl:", scheduler="credit2"), pcpus=cpus, shared_cpus=all_cpus, domains=domains, topology=topology
    )
    return msgspec.structs.replace(facts, placement=support, **changes)


@pytest.mark.parametrize(
    ("facts", "modes", "cpus"),
    [
        (host_of(4, 4, 4), CAPS, (0, 1, 2, 3)),
        (host_of(16, 2, 4), CAPS, tuple(range(6))),
        (host_of(16, 2, 4), DEDICATED, tuple(range(6))),
        (host_of(16, 2, 4), WEIGHTS, (0, 1)),
        (host_of(16, 3, 4, threads=2), CAPS, tuple(range(6))),
        (host_of(16, 1, 4, threads=2), WEIGHTS, (0,)),
        (host_of(16, 8, 4, nodes=2, guest_cpus=tuple(range(6, 16))), DEDICATED, tuple(range(8, 16))),
        (host_of(512, 16, 4, nodes=4), DEDICATED, tuple(range(20))),
        (host_of(8, 8, 4, io_cpus=(0, 1, 2, 3), guest_cpus=(2, 3, 4, 5)), CAPS, (2, 3)),
        (host_of(8, 2, 2, io_cpus=(0, 1), guest_cpus=(2, 3)), CAPS, (0, 1, 2, 3)),
    ],
)
def test_choose_shared_set_auto_takes_whole_cores_of_one_node(facts, modes, cpus):
    chosen = choose_shared_set(facts, CpusSpec(), modes)
    assert chosen.cpus == cpus
    assert chosen.confined == (facts.domains[0].cpus != cpus or modes == DEDICATED)


WEB = OtherGuest("web1", "u-1", (0, 1, 9), used_cpus=0.06)
MAIL = OtherGuest("mail", "u-2", (12, 13))


def with_others(*others, moves_others=True):
    support = PlacementSupport(possible=True, choices=tuple(range(16)), moves_others=moves_others)
    return msgspec.structs.replace(host_of(16, 2, 4), placement=support, others=others)


def test_others_away_marks_guests_on_the_set_and_names_their_load():
    left = place_domains(with_others(WEB, MAIL), choose_shared_set(with_others(WEB, MAIL), CpusSpec(), CAPS))
    assert describe_confinement(left).endswith("; web1 (0.06 CPUs) also runs there")
    assert left.kept_away == NONE_AWAY
    facts = with_others(WEB, MAIL)
    placed = place_domains(facts, choose_shared_set(facts, CpusSpec(others="away"), CAPS))
    assert describe_confinement(placed).endswith("; web1 (0.06 CPUs) is kept off these CPUs")
    assert placed.kept_away == KeptAway((WEB.slot,), tuple(range(6, 16)))
    many = [msgspec.structs.replace(WEB, name=f"web{n}", uuid=f"{n}", used_cpus=n / 100) for n in range(60)]
    text = describe_others(many, (0, 1))
    assert text.startswith("web59 (0.59 CPUs), web58 (0.58 CPUs), web57 (0.57 CPUs) and 57 more (15.96 CPUs together)")


@pytest.mark.parametrize(
    ("facts", "spec", "modes", "problem"),
    [
        (with_others(WEB), CpusSpec("pool", others="away"), CAPS, "no CPU is left for web1"),
        (with_others(WEB, moves_others=False), CpusSpec(others="away"), CAPS, "moves no other guests on such a host"),
        (with_others(WEB), CpusSpec(others="away"), (), "this study confines no domain"),
        (
            with_others(*(msgspec.structs.replace(WEB, uuid=f"{n}") for n in range(65))),
            CpusSpec(others="away"),
            CAPS,
            "65 guests may run on the set .*at most 64",
        ),
    ],
)
def test_others_away_is_refused_where_no_guest_can_be_moved(facts, spec, modes, problem):
    with pytest.raises(SpecError, match=problem) as refused:
        choose_shared_set(facts, spec, modes)
    assert refused.value.field == "cpus.others"
    assert refused.value.hint


def test_placement_reduced_to_other_cpus_keeps_what_lies_there():
    found = PlacementParams(((), (1, 5), (2, 3), (6,)), ((), (1,), (), ()))
    assert found.reduced_to((4, 5, 6)) == PlacementParams(((4, 5, 6), (5,), (4, 5, 6), (6,)), found.soft)


@pytest.mark.parametrize("modes", [CAPS, WEIGHTS])
def test_choose_shared_set_leaves_domains_that_share_one_cpu_alone(modes):
    facts = host_of(4, 1, 1, io_cpus=(0,), guest_cpus=(0,))
    chosen = choose_shared_set(facts, CpusSpec(), modes)
    assert (chosen.cpus, chosen.confined, chosen.remarks) == ((0,), False, ())


def test_choose_shared_set_confines_nothing_on_host_that_cannot_place():
    facts = msgspec.structs.replace(host_of(4, 4, 4), placement=PlacementSupport(), shared_cpus=(1, 2))
    assert choose_shared_set(facts, CpusSpec(), CAPS).cpus == (1, 2)
    assert not choose_shared_set(facts, CpusSpec(), CAPS).confined
    assert not choose_shared_set(host_of(4, 4, 4), CpusSpec("as-found"), CAPS).confined
    for spec, modes in ((CpusSpec("0-1"), CAPS), (CpusSpec(), DEDICATED)):
        with pytest.raises(SpecError, match="cannot place domains"):
            choose_shared_set(facts, spec, modes)


@pytest.mark.parametrize(
    ("spec", "cpus"),
    [
        (CpusSpec("2-3, 5"), (2, 3, 5)),
        (CpusSpec("pool"), (0, 1, 2, 3, 4, 5)),
        (CpusSpec("node 1"), (4, 5)),
        (CpusSpec("pool", 3), (0, 1, 2)),
        (CpusSpec(count=3), (0, 1, 2)),
    ],
)
def test_choose_shared_set_takes_named_cpus(spec, cpus):
    facts = host_of(8, 8, 8, nodes=2, choices=(0, 1, 2, 3, 4, 5))
    assert choose_shared_set(facts, spec, CAPS).cpus == cpus


@pytest.mark.parametrize(
    ("spec", "modes", "says"),
    [
        (CpusSpec("7"), CAPS, "CPU 7 is not available to Domain-0 and db1"),
        (CpusSpec("6-9"), CAPS, "the host has no CPU 8-9"),
        (CpusSpec("node 3"), CAPS, "no CPU of node 3 is open"),
        (CpusSpec("2"), DEDICATED, "fewer than one CPU each for Domain-0 and db1"),
        (CpusSpec("as-found"), DEDICATED, "the plan confines no domain"),
    ],
)
def test_choose_shared_set_refuses_set_that_does_not_fit(spec, modes, says):
    with pytest.raises(SpecError, match=says) as refused:
        choose_shared_set(host_of(8, 4, 4, choices=(0, 1, 2, 3, 4, 5, 6)), spec, modes)
    assert refused.value.hint


@pytest.mark.parametrize("text", ["", "all", "3-1", "0-", "0,,1", "4096", "0-256", "node", "node x", "-1", "٣"])
def test_cpus_spec_refuses_other_texts(text):
    with pytest.raises(SpecError) as refused:
        CpusSpec(text)
    assert refused.value.field == "cpus.set"


def test_choose_shared_set_names_limits_of_the_answer():
    wide = choose_shared_set(host_of(16, 2, 4), CpusSpec("pool"), WEIGHTS)
    assert "2 + 4 vCPUs never wait" in wide.remarks[0]
    spread = choose_shared_set(host_of(8, 8, 8, nodes=2), CpusSpec("pool"), CAPS)
    assert "NUMA nodes 0 and 1" in spread.remarks[0]
    halves = choose_shared_set(host_of(8, 8, 8, threads=2), CpusSpec("0-2"), CAPS)
    assert "CPU 3 shares cores with CPU 0-2" in halves.remarks[0]


def test_place_domains_says_what_will_be_done():
    facts = host_of(8, 4, 4, guest_cpus=(2, 3, 4, 5))
    placed = place_domains(facts, choose_shared_set(facts, CpusSpec(), CAPS))
    assert placed.confined
    assert placed.shared_cpus == (2, 3, 4, 5)
    assert placed.findings[-1].text == (
        "while the sweep runs, Domain-0 and db1 run on CPU 2-5 only (now Domain-0 on CPU 0-7 and db1 on CPU 2-5)"
    )


@pytest.mark.parametrize("cpus", [2, 3, 4, 8, 16, 100, 256])
def test_preset_dedicated_splits_are_whole_cpus(cpus):
    counts = [count_whole_cpus(cpus, parse_split(text))[IO] for text in preset_dedicated_splits(cpus)]
    assert counts == sorted(set(counts))
    assert counts[0] == (1 if cpus <= 101 else 3)  # a split is at most 1:100
    assert cpus > 8 or counts == list(range(1, cpus))


def test_divide_cpus_gives_io_domain_the_first_ones():
    for cpus, io in product((2, 4, 9), (1, 2, 8)):
        if io < cpus:
            parts = divide_cpus(tuple(range(10, 10 + cpus)), parse_split(f"{io}:{cpus - io}"))
            assert parts == {IO: tuple(range(10, 10 + io)), GUEST: tuple(range(10 + io, 10 + cpus))}
    with pytest.raises(SpecError, match=r"1:2 gives the I/O domain 1.33 of 4 CPUs, not whole CPUs"):
        divide_cpus((0, 1, 2, 3), parse_split("1:2"))
    with pytest.raises(SpecError, match="1 shared CPU cannot be divided into whole CPUs for 2 domains"):
        divide_cpus((0,), parse_split("1:1"))


def test_confined_placement_keeps_its_shape():
    found = PlacementParams(((), (1, 2)), soft=((0,), ()), emulator=(0, 1), iothreads=((3, (0, 1)),))
    confined = found.confined_to((4, 5))
    assert confined == PlacementParams(((4, 5), (4, 5)), ((0,), ()), (4, 5), ((3, (4, 5)),))
    assert found.joined(confined).vcpus == ((), (1, 2, 4, 5))


def test_plan_without_splits_gets_those_of_the_host():
    plan = parse_plan('host = "xl:"\nmode = "dedicated"\n[cpus]\nset = "0-2"\n')
    assert parse_plan(write_plan(plan)) == plan
    fitted = plan.fit_to_host(msgspec.structs.replace(host_of(8, 4, 4), shared_cpus=(0, 1, 2)))
    assert [setting.label for setting in fitted.settings] == ["1:2", "2:1"]
    assert parse_plan(write_plan(fitted)) == fitted


@pytest.mark.parametrize(("cpus", "users"), [(1, 5), (2, 8), (16, 64), (64, 256), (256, 256)])
def test_users_grow_with_the_cpus_unless_the_plan_names_them(cpus, users):
    facts = msgspec.structs.replace(make_facts(), shared_cpus=tuple(range(cpus)))
    fitted = parse_plan('host = "xl:"\n').fit_to_host(facts)
    assert {load.users for load in fitted.loads} == {users}
    named = parse_plan('host = "xl:"\n[[load]]\nkind = "osdb-ir"\nusers = 7\n').fit_to_host(facts)
    assert named.loads[0].users == 7


def test_parse_cpu_list_reads_ranges():
    assert parse_cpu_list("7, 0-2,1", "cpus.set") == (0, 1, 2, 7)


@pytest.mark.parametrize(
    ("cpus", "clients", "left"),
    [
        ((0, 1), (2, 3), ()),
        ((1, 2), (0, 3), ()),  # CPU 0, which the domains leave, is free
        ((0, 1, 2, 3), (3,), ("no CPU is left for the load: it runs on CPU 3, which the domains share",)),
    ],
)
def test_place_domains_keeps_load_off_the_shared_set_where_possible(cpus, clients, left):
    facts = msgspec.structs.replace(host_of(4, 1, 1), shared_cpus=(0,), client_cpus=(1, 2, 3))
    found = PreflightFinding(Severity.WARNING, "the domains may use every CPU", concern=StudyConcern.AS_FOUND)
    facts = msgspec.structs.replace(facts, findings=(found,))
    placed = place_domains(facts, SharedSet(cpus, confined=True))
    assert placed.client_cpus == clients
    warnings = [each.text for each in placed.findings if each.level is Severity.WARNING]
    assert len(warnings) == len(left)
    assert all(each.startswith(text) for each, text in zip(warnings, left, strict=True))
    elsewhere = place_domains(msgspec.structs.replace(facts, client_cpus=()), SharedSet(cpus, confined=True))
    assert elsewhere.client_cpus == ()


@pytest.mark.parametrize("scheduler", ["cgroup-v1", "cgroup-v2", "lxc-v1", "lxc-v2"])
def test_choose_shared_set_counts_no_vcpus_of_control_groups(scheduler):
    facts = msgspec.structs.replace(host_of(4, 1, 1), scheduler=scheduler)
    assert choose_shared_set(facts, CpusSpec("0-3"), CAPS).remarks == ()
