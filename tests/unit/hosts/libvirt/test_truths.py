"""A libvirt host says which scheduler libvirt names for whom, and how the version of control groups is known."""

from scheduler.hosts.libvirt.describe import list_scheduler_properties
from scheduler.hosts.libvirt.worker_answers import DomainDescription
from scheduler.model.split import GUEST, IO


def rows(io, guest, scheduler, version=2, *, here=False):
    domains = {
        IO: DomainDescription(name=io, scheduler=scheduler),
        GUEST: DomainDescription(name=guest, scheduler=scheduler),
    }
    return {truth.label: truth for truth in list_scheduler_properties(domains, version, here=here)}


def test_each_domain_has_its_scheduler_and_a_command_that_shows_it():
    reported = rows("io", "a b;$(touch x)'", "credit2")
    assert reported["Scheduler of io"].value == "credit2"
    assert reported["Scheduler of io"].evidence == "virsh schedinfo -- io"
    assert reported["Scheduler of a b;$(touch x)'"].evidence == """virsh schedinfo -- 'a b;$(touch x)'"'"''"""
    assert "Control groups" not in reported


def test_domain_next_to_its_own_emulator_is_reported_once():
    assert list(rows("db", "db", "posix")) == ["Scheduler of db", "Control groups"]


def test_version_that_was_read_is_distinguished_from_one_that_was_inferred():
    assert rows("io", "db", "posix", 1, here=True)["Control groups"].value == "version 1"
    assert "inferred" not in rows("io", "db", "posix", 1, here=True)["Control groups"].evidence
    assert "inferred" in rows("io", "db", "posix")["Control groups"].evidence
