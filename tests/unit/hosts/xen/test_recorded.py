"""Recorded outputs of toolstacks in the field: each domain keeps its identity, state and pool, and no row is lost."""

import re
from itertools import pairwise

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.xen.cpu_pools import PoolRow, parse_pool_cpus, parse_pools
from scheduler.hosts.xen.xl_tables import parse_domains, parse_vcpus
from scheduler.model.host_properties import Severity
from tests.unit.hosts.xen.recorded import look, recorded

UUID = "58677b50-9f2c-49aa-8085-3e8ccbf30f65"
ZEROS = "00000000-0000-0000-0000-000000000000"


def line(name, domid, state="-b----", uuid=UUID, pool="Pool-0"):
    """Return a line of `xl list -v -c`, by its printf."""
    number = f"{domid:08x}"
    uuid = uuid if domid == 0 else number + uuid[8:]
    return f"{name:<40} {domid:5d} {640:5d} {1:5d}     {state}  {5.0:8.1f} {uuid} {'-':>8} {'-':>16}{pool:>16}\n"


def vcpu(name, domid, hard="0"):
    return f"{name:<32} {domid:5d} {0:5d} {0:4d}   -b- {5.0:9.1f}  {hard} / all\n"


def host(*lines, pools=(("Pool-0", "credit2", (0, 1)),), hards=None):
    """Return the texts of a host with the lines of `xl list` after Dom0's."""
    rows = parse_domains("".join(lines))
    affinities = [vcpu(row.name, row.domid, (hards or {}).get(row.domid, "0")) for row in rows]
    return {
        "list-vc": "Name  ID\n" + line("Domain-0", 0, "r-----", ZEROS) + "".join(lines),
        "vcpu-list": vcpu("Domain-0", 0) + "".join(affinities),
        "cpupool-list": "Name               CPUs   Sched     Active   Domain count\n"
        + "".join(f"{name:<19}{len(cpus):3d} {sched:>9}       y {1:13d}\n" for name, sched, cpus in pools),
        "cpupool-list-c": "Name               CPU list\n"
        + "".join(f"{name:<19}{','.join(map(str, cpus))}\n" for name, _, cpus in pools),
        "info": "host : xen1\nnr_cpus : 2\nmax_cpu_id : 1\nxen_major : 4\nxen_minor : 17\nxen_scheduler : credit2\n",
    }


def errors(facts):
    return [f"{each.text} {each.hint}" for each in facts.findings if each.level is Severity.ERROR]


def test_zombies_are_no_guests():
    zombies = [line("(null)", number, "--p--d") for number in (3, 5, 8)]
    assert look(host(line("db", 9), *zombies)).domains[1].name == "db"
    with pytest.raises(HostNotUsable, match=r"no guest runs there \('\(null\)' is dying"):
        look(host(*zombies))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("--p---", "is paused"),
        ("---s--", "is shut down"),
        ("---ss-", "is suspended"),
        ("---sc-", "is crashed"),
        ("---sw-", "is crashed"),
        ("-----d", "is dying"),
    ],
)
@pytest.mark.parametrize("named", ["", "db"])
def test_guest_that_cannot_run_is_refused_with_a_sentence(state, words, named):
    with pytest.raises(HostNotUsable, match=f"'db'.*{words}"):
        look(host(line("db", 1, state)), guest=named)


def test_guest_that_runs_is_chosen_before_one_that_is_paused():
    assert look(host(line("old", 1, "--p---"), line("gone", 2, "---s--"), line("db", 3))).domains[1].name == "db"


def test_stub_domain_belongs_to_its_guest():
    texts = recorded("qubes-stubdomain")
    for named in ("", "db"):
        facts = look(texts, guest=named)
        assert facts.domains[1].name == "db"
        [found] = [each for each in facts.findings if "'db-dm'" in each.text]
        assert "Do not stop it: it is the stub domain that emulates the devices of 'db'" in found.hint
        assert "outside the split" in found.hint
        assert not facts.second_guest.possible
    with pytest.raises(HostNotUsable, match="'db-dm' is the stub domain that emulates the devices of 'db'"):
        look(texts, guest="db-dm")
    assert look(texts, guest="6f0b7d8e-0000-4000-8000-000000000002").domains[1].name == "db-dm"


def test_no_advice_stops_dom0_or_a_domain_that_others_depend_on():
    facts = look(host(line("netdd", 1), line("db", 2)), io="netdd", guest="db")
    [found] = [each for each in facts.findings if "'Domain-0' may run" in each.text]
    assert "none of which is inside the split" in found.hint
    assert not re.search(r"\b[Ss]top it\b", found.hint)
    other = look(host(line("db", 1), line("netdd", 2)), guest="db")
    assert any("no other domain depends on it" in each.hint for each in other.findings)


def test_dom0_without_a_name_is_an_error_before_the_sweep():
    [error] = errors(look(recorded("dom0-null-name")))
    assert "does not list '(null)'" in error
    assert "xen-init-dom0" in error


def test_two_running_domains_of_one_name_are_an_error_and_named_by_uuid():
    texts = host(line("db", 1), line("db", 2))
    with pytest.raises(HostNotUsable, match=r"2 guests run there: 'db' \(UUID 00000001") as caught:
        look(texts)
    assert caught.value.choices == tuple(row.uuid for row in parse_domains(texts["list-vc"])[1:])
    with pytest.raises(HostNotUsable, match=r"2 domains are called 'db': number 1 \(UUID 00000001"):
        look(texts, guest="db")
    [error] = errors(look(texts, guest=caught.value.choices[1]))
    assert "several running domains are called 'db'" in error
    assert "Rename one of them" in error
    dying = host(line("db", 1), line("db", 2, "--p--d"))
    assert errors(look(dying, guest="db")) == []


LONG = ("databases-on-node1", "sixteen-letters-", "a-pool-of-nineteen-", "node1", "a pool with blanks in it 7")


@pytest.mark.parametrize("name", LONG)
def test_pool_with_a_long_name_keeps_its_scheduler_and_cpus(name):
    pools = [("Pool-0", "credit2", (2,)), (name, "credit", (0, 1)), ("node1-b", "rtds", (3,))]
    texts = host(line("io-dom", 1, pool=name), line("db", 2, pool=name), pools=pools)
    facts = look(texts, io="io-dom", guest="db")
    assert (facts.scheduler, facts.shared_cpus) == ("credit", (0,))
    assert f"the scheduler of CPU pool {name} is credit" in [each.text for each in facts.findings]
    assert errors(facts) == []


def test_pool_that_is_not_listed_is_an_error_where_there_are_several():
    pools = [("Pool-0", "credit2", (0,)), ("other", "credit", (1,))]
    with pytest.raises(HostNotUsable, match="in the CPU pool 'lost', which 'xl cpupool-list' does not list"):
        look(host(line("db", 1, pool="lost"), pools=pools))


def test_pool_of_a_long_name_and_many_cpus_is_read_from_both_tables():
    cpus = tuple(range(511))
    names = ["databases-on-node-1", "databases-on-node-15", "databases-on-node-", "x" * 40]
    for name in names:
        row, cpu_row = f"{name:<19}{511:3d}    credit       y          2", f"{name:<19}{','.join(map(str, cpus))}"
        pools = parse_pools(f"Name  CPUs\n{row}\n", f"Name  CPU list\n{cpu_row}\n")
        assert pools == [PoolRow(name, 511, "credit")]
        assert parse_pool_cpus(cpu_row, pools) == {name: cpus}


def test_pool_without_its_cpus_is_an_error():
    with pytest.raises(HostNotUsable, match="lists the CPU pool 'rt', but not its CPUs"):
        parse_pool_cpus(f"{'Pool-0':<19}0\n", [PoolRow("Pool-0", 1, "credit"), PoolRow("rt", 1, "credit")])


def test_all_cpus_of_a_host_of_512_are_read_and_written_as_ranges():
    facts = look(recorded("512-cpus"), guest="db")
    io, guest = facts.domains
    assert io.cpus == guest.cpus == tuple(range(1, 512))
    assert "share CPU 1-511" in facts.title
    assert facts.placement.choices == tuple(range(1, 512))
    assert any("all 511 CPUs of the pool" in each.text for each in facts.findings)
    assert any("credit, on CPU 1-511" in each.value for each in facts.verified_properties)
    texts = [
        facts.title,
        *(each.text + each.hint for each in facts.findings),
        *(each.value for each in facts.verified_properties),
    ]
    assert not any(re.search(r"\d, \d+, \d+, \d", text) for text in texts)
    assert not any("'web'" in text for text in texts)


@pytest.mark.parametrize("step", [1, 2])
def test_affinity_of_thousands_of_cpus_is_read_whole(step):
    cpus = ",".join(map(str, range(0, 4096, step)))
    [row] = parse_vcpus(vcpu("db", 1, cpus))
    assert row.hard == cpus


def test_names_of_any_kind_are_found_and_those_that_cannot_be_typed_by_uuid():
    texts = recorded("names")
    with pytest.raises(HostNotUsable, match="guests run there") as caught:
        look(texts)
    assert all(len(first) == 36 or first.isprintable() for first, _ in pairwise((*caught.value.choices, "")))
    for choice in caught.value.choices:
        choice.encode()
        assert look(texts, guest=choice).domains[1].uuid
    assert sum(len(choice) == 36 for choice in caught.value.choices) == 1
