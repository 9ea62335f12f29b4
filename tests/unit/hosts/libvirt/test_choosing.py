"""Laws of choosing: domains, CPUs, an interpreter."""

import sys

import pytest

from scheduler.errors import HostNotUsable, SpecError
from scheduler.hosts.libvirt import cpu_sets, libvirt_python, libvirt_usage
from scheduler.hosts.libvirt.domain_pair import choose_pair
from scheduler.hosts.libvirt.worker_answers import DomainCounters, DomainDescription, ListedDomain
from scheduler.model.split import GUEST, IO
from scheduler.toolstacks.virsh import IoSide

TOO_LONG = "x" * 300  # no folder can be called so: as closed to root as another account's is to us


def domains(*names, off=()):
    return [ListedDomain(uuid=f"uuid-{name}", name=name, active=name not in off) for name in names]


def test_lone_guest_under_qemu_is_swept_against_its_own_emulator():
    pair = choose_pair("qemu", domains("db1"), "", "")
    assert (pair.io, pair.guest, pair.side) == ("uuid-db1", "uuid-db1", IoSide.EMULATOR)
    assert choose_pair("qemu", domains("a", "db1"), "emulator", "db1").side is IoSide.EMULATOR


def test_domain_that_is_called_emulator_is_a_domain():
    pair = choose_pair("qemu", domains("emulator", "db1"), "emulator", "db1")
    assert (pair.io, pair.side) == ("uuid-emulator", IoSide.DOMAIN)


def test_named_pair_is_taken_by_name_or_identity():
    pair = choose_pair("qemu", domains("a", "b", "c"), "uuid-a", "b")
    assert (pair.io, pair.guest, pair.side) == ("uuid-a", "uuid-b", IoSide.DOMAIN)


@pytest.mark.parametrize(("driver", "io"), [("xen", "Domain-0"), ("lxc", "io"), ("test", "Domain-0")])
def test_obvious_io_domain_need_not_be_named(driver, io):
    pair = choose_pair(driver, domains("db1", io), "", "")
    assert (pair.io, pair.guest) == (f"uuid-{io}", "uuid-db1")


@pytest.mark.parametrize(
    ("driver", "names", "io", "guest", "said"),
    [
        ("lxc", ("a", "b"), "", "a", "no own I/O side"),
        ("lxc", ("a", "b"), "a", "a", "cannot be both"),
        ("xen", ("Domain-0", "a", "b"), "", "", "several domains"),
        ("xen", ("Domain-0", "a"), "", "c", "no domain 'c'"),
        ("qemu", ("a", "off"), "", "off", "not running"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_choices(driver, names, io, guest, said):
    with pytest.raises(SpecError, match=said) as caught:
        choose_pair(driver, domains(*names, off=("off",)), io, guest)
    assert caught.value.hint


def test_host_without_domains_is_not_usable():
    for found in ([], domains("off", off=("off",))):
        with pytest.raises(HostNotUsable, match="no domain runs"):
            choose_pair("qemu", found, "", "")
    with pytest.raises(HostNotUsable, match="only 'Domain-0' runs"):
        choose_pair("xen", domains("Domain-0"), "", "")


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("0", {0}), ("0-3,^2", {0, 1, 3}), ("1,3", {1, 3}), ("", {0, 1, 2, 3}), ("9", {0, 1, 2, 3})],
)
def test_cpu_sets_are_read_as_libvirt_writes_them(text, cpus):
    seen = DomainDescription(xml=f"<domain><vcpu cpuset='{text}'>1</vcpu></domain>")
    assert cpu_sets.cpus_of_vcpus(seen, 4) == cpus
    assert cpu_sets.cpus_of_emulator(seen, 4) == cpus


def test_pins_come_before_the_description():
    seen = DomainDescription(
        xml="<domain><vcpu>2</vcpu></domain>", vcpu_pins=((True, False), (False, True)), emulator_pins=(False, True)
    )
    assert cpu_sets.cpus_of_vcpus(seen, 2) == {0, 1}
    assert cpu_sets.cpus_of_emulator(seen, 2) == {1}


def test_both_sides_of_a_guest_add_up_to_all_it_used():
    seen = DomainCounters(cpu_ns=10_000_000_000, system_ns=3_000_000_000, vcpu_ns=6_000_000_000)
    sides = [libvirt_usage.count_role(role, IoSide.EMULATOR, seen) for role in (IO, GUEST)]
    assert sum(side.user_s + side.system_s for side in sides) == pytest.approx(10.0)
    assert sides[1].user_s == pytest.approx(6.0)
    whole = libvirt_usage.count_role(GUEST, IoSide.DOMAIN, seen)
    assert (whole.user_s, whole.system_s) == (pytest.approx(7.0), pytest.approx(3.0))


def test_counters_of_two_clocks_never_step_back():
    first = libvirt_usage.count_emulator(DomainCounters(cpu_ns=5_000_000_000, vcpu_ns=4_900_000_000))
    second = libvirt_usage.keep_monotonic(
        first, libvirt_usage.count_emulator(DomainCounters(cpu_ns=5_001_000_000, vcpu_ns=4_910_000_000))
    )
    assert second.user_s >= first.user_s


def test_computer_without_the_binding_learns_what_to_install(monkeypatch):
    monkeypatch.setenv(libvirt_python.PYTHON_VARIABLE, "/nowhere/python")
    with pytest.raises(HostNotUsable, match="/nowhere/python: not there") as said:
        libvirt_python.find_python()
    assert "python3-libvirt" in said.value.hint


def test_interpreter_without_it_reports_it_itself():
    assert libvirt_python.find_import_error("/bin/true") == ""
    assert libvirt_python.find_import_error("/bin/false") == "exit code 1"
    for missing in (sys.executable + "-missing", f"/{TOO_LONG}/python3"):
        assert "not there" in libvirt_python.find_import_error(missing)
