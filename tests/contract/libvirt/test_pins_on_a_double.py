"""Placement on hosts that cannot be brought about here: automatic placement, lost pins, and 256 CPUs."""

import pytest

from scheduler.errors import HostError, ParameterRefused, RestoreFailed, WriteNotVerified
from scheduler.hosts.libvirt.libvirt_opening import open_host, reopen_host
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import HostLease, LeaseScope
from scheduler.run.restore import restore_originals
from tests.contract.libvirt.test_what_no_driver_does_here import double

__all__ = ["double"]

IO_PLACE, GUEST_PLACE = PLACE_SLOTS[IO], PLACE_SLOTS[GUEST]
VCPUS, IOTHREADS = 128, 2
XML = "<domain type='kvm'><vcpu placement='{placement}'>{vcpus}</vcpu><iothreads>{iothreads}</iothreads></domain>"
MANY = {"cpus": 256, "xml": XML.format(placement="static", vcpus=VCPUS, iothreads=IOTHREADS)}


def place(*cpus):
    """Return the placement of the guest's vCPUs, and of its emulator."""
    guest = PlacementParams((cpus,) * VCPUS)
    return guest, PlacementParams((), emulator=cpus, iothreads=((1, cpus), (2, cpus)))


@pytest.fixture
def host(double):
    double(**MANY)
    opened = open_host("qemu:///system", lambda command, answer: None, "", "db1", "")
    yield opened
    opened.close()


def test_domain_with_automatic_placement_is_not_placed_and_nothing_is_pinned(double):
    double(xml=XML.format(placement="auto", vcpus=2, iothreads=1))
    host = open_host("qemu:///system", lambda command, answer: None, "", "db1", "")
    support = host.facts().placement
    assert not support.possible
    assert "placement='auto'" in support.why
    with pytest.raises(ParameterRefused, match="refuses pins of its emulator"):
        host.write(GUEST_PLACE, PlacementParams(((0,), (0,))))
    assert host.read(GUEST_PLACE) == PlacementParams(((), ()))
    host.close()


def test_pins_that_libvirt_throws_away_are_noticed_and_nothing_is_left(double, tmp_path):
    double(**MANY, throws_pins_away=True)
    host = open_host("qemu:///system", lambda command, answer: None, "", "db1", "")
    reopen = lambda undo: reopen_host(undo.host_url, undo.context, lambda command, answer: None)  # noqa: E731
    lease = HostLease(host, tmp_path, "double", "qemu:///system", reopen, LeaseScope((IO, GUEST, GUEST_PLACE)))
    with pytest.raises(WriteNotVerified, match="reads back vCPUs on any CPU"), lease:
        lease.apply({GUEST_PLACE: place(0, 1)[0]})
    assert not UndoJournal(tmp_path, "double").path.exists()
    host.close()


def test_large_guest_is_placed_thread_by_thread_and_only_changes_are_commanded(host):
    facts = host.facts()
    assert len(facts.topology) == len(facts.placement.choices) == 256
    originals = {slot: host.read(slot) for slot in (IO_PLACE, GUEST_PLACE)}
    guest, emulator = place(*range(8, 16))
    assert len(host.commands(GUEST_PLACE, guest)) == VCPUS
    host.write(GUEST_PLACE, guest)
    host.write(IO_PLACE, emulator)
    assert (host.read(GUEST_PLACE), host.read(IO_PLACE)) == (guest, emulator)
    one_more = PlacementParams((*guest.vcpus[:-1], (0,)))
    assert [line.split()[3:] for line in host.commands(GUEST_PLACE, one_more)] == [
        ["vcpupin", host.uuid(GUEST), "127", "0", "--live"]
    ]
    again = reopen_host("qemu:///system", host.context(), lambda command, answer: None)
    restore_originals(again, originals)
    assert {slot: again.read(slot) for slot in originals} == originals
    again.close()


def test_pin_that_is_refused_in_the_middle_is_reported_and_the_rest_restored(host, double):
    originals = {GUEST_PLACE: host.read(GUEST_PLACE)}
    refused = [cpu == 9 for cpu in range(256)]
    double(**MANY, refused=[refused])
    with pytest.raises(HostError, match=r"guest: placing vcpu 100 on CPU 9: .*cpuset cannot be set"):
        host.write(GUEST_PLACE, PlacementParams((*((8,),) * 100, *((9,),) * 28)))
    assert host.read(GUEST_PLACE) == PlacementParams((*((8,),) * 100, *((),) * 28))
    restore_originals(host, originals)
    assert host.read(GUEST_PLACE) == originals[GUEST_PLACE]


def test_domain_that_migrated_away_cannot_be_placed_back(host, double):
    originals = {GUEST_PLACE: host.read(GUEST_PLACE)}
    host.write(GUEST_PLACE, place(3)[0])
    double(**MANY, migrated=True)
    with pytest.raises(RestoreFailed, match="moved to another host"):
        restore_originals(host, originals)
