"""Threads of real QEMU domains are pinned by libvirt's API and by virsh behind a guard, read back, and restored."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from scheduler.errors import ParameterRefused
from scheduler.hosts.host_registry import ignore_command, open_host, reopen_host
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import restore_from_record
from tests.contract.host_contract import REPO, restore_elsewhere
from tests.contract.libvirt.test_over_ssh import far, url_of
from tests.lacking import lacking

IO_PLACE, GUEST_PLACE = PLACE_SLOTS[IO], PLACE_SLOTS[GUEST]
SLOTS = (IO_PLACE, GUEST_PLACE)
NAMES = {IO: f"pio{os.getpid()}", GUEST: f"pdb{os.getpid()}"}
HALT = "f4ebfd"  # hlt; jmp to it
ANY = PlacementParams(((), (), ()), emulator=(), iothreads=((1, ()),))

GUEST_XML = """
<domain type='qemu'>
  <name>{name}</name>
  <memory unit='MiB'>32</memory>
  <vcpu placement='static' current='2'>3</vcpu>
  <iothreads>1</iothreads>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <devices>
    <disk type='file' device='disk'><source file='{disk}'/><target dev='hda' bus='ide'/></disk>
    <controller type='usb' model='none'/>
    <memballoon model='none'/>
  </devices>
</domain>
"""


def on(*cpus):
    return PlacementParams((cpus,) * 3, emulator=cpus, iothreads=((1, cpus),))


@pytest.fixture(scope="module")
def guests(libvirtd):
    if os.cpu_count() < 2:
        lacking("two CPUs")
    for name in NAMES.values():
        disk = libvirtd.folder / f"{name}.img"
        disk.write_bytes(bytes.fromhex(HALT).ljust(510, b"\0") + bytes.fromhex("55aa"))
        libvirtd.define("qemu", GUEST_XML.format(name=name, disk=disk))
        libvirtd.virsh("qemu", "start", name)
    return libvirtd


def threads_of(name):
    """Return the kernel's affinity of the vCPUs, I/O threads and main loop of a guest, by their names."""
    [qemu] = [
        each
        for each in psutil.process_iter(["cmdline"])
        if (words := each.info["cmdline"]) and "qemu" in words[0] and f"guest={name}," in " ".join(words)
    ]
    found = {}
    for task in Path(f"/proc/{qemu.pid}/task").iterdir():
        comm = (task / "comm").read_text().strip()
        if comm.startswith(("CPU ", "IO iothread", "qemu-system")):
            found[comm] = tuple(sorted(os.sched_getaffinity(int(task.name))))
    return found


def seen(guests):
    """Return everything that a placement may change, as a stranger sees it."""
    return guests.kept("qemu", NAMES.values()), {name: threads_of(name) for name in NAMES.values()}


@pytest.fixture
def opened(guests):
    before = seen(guests)
    host = open_host(guests.url("qemu"), ignore_command, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
    yield host
    host.close()
    assert seen(guests) == before


def test_three_placements_are_set_read_back_from_the_kernel_and_restored(opened, guests):
    facts, command_log = opened.facts(), []
    assert facts.placement.possible
    assert [cpu.number for cpu in facts.topology] == list(facts.placement.choices)
    opened.placement._command_log = lambda command, answer: command_log.append(command)
    originals = {slot: opened.read(slot) for slot in SLOTS}
    assert originals == {IO_PLACE: ANY, GUEST_PLACE: ANY}
    said = []
    for io, guest in (((0, 1), (0, 1)), ((0,), (1,)), ((1,), (1,))):
        for slot, cpus in ((IO_PLACE, io), (GUEST_PLACE, guest)):
            announced = opened.commands(slot, on(*cpus))
            command_log.clear()
            opened.write(slot, on(*cpus))
            assert opened.read(slot) == on(*cpus)
            assert command_log == list(announced)
            said += command_log
        assert set(threads_of(NAMES[IO]).values()) == {io}
        assert set(threads_of(NAMES[GUEST]).values()) == {guest}
    assert {line.split()[3] for line in said} == {"vcpupin", "emulatorpin", "iothreadpin"}
    for slot, original in originals.items():
        opened.write(slot, original)
        assert opened.read(slot) == original


def test_offline_vcpu_keeps_its_pin_until_it_comes_online(opened, guests):
    opened.write(GUEST_PLACE, on(1))
    guests.virsh("qemu", "setvcpus", NAMES[GUEST], "3", "--live")
    assert threads_of(NAMES[GUEST])["CPU 2/TCG"] == (1,)
    opened.write(GUEST_PLACE, ANY)
    assert threads_of(NAMES[GUEST])["CPU 2/TCG"] == tuple(range(os.cpu_count()))
    guests.virsh("qemu", "destroy", NAMES[GUEST])
    guests.virsh("qemu", "start", NAMES[GUEST])


def test_guest_and_its_emulator_are_placed_apart(guests):
    before = seen(guests)
    host = open_host(guests.url("qemu"), ignore_command, io_domain="emulator", guest_domain=NAMES[GUEST])
    host.write(IO_PLACE, PlacementParams((), emulator=(0,), iothreads=((1, (0,)),)))
    host.write(GUEST_PLACE, PlacementParams(((1,),) * 3))
    threads = threads_of(NAMES[GUEST])
    assert {cpus for name, cpus in threads.items() if name.startswith("CPU ")} == {(1,)}
    assert {cpus for name, cpus in threads.items() if not name.startswith("CPU ")} == {(0,)}
    restore_elsewhere(
        guests.url("qemu"),
        host.context(),
        {
            IO_PLACE: PlacementParams((), emulator=(), iothreads=((1, ()),)),
            GUEST_PLACE: PlacementParams(((),) * 3),
        },
    )
    host.close()
    assert seen(guests) == before


def test_wrong_placement_is_refused_before_the_first_pin(opened):
    for wrong in (on(4095), PlacementParams(((0,),) * 6, emulator=(0,), iothreads=((1, (0,)),))):
        with pytest.raises(ParameterRefused):
            opened.write(GUEST_PLACE, wrong)


# A sweep that places both guests and waits to be killed.
SWEEP = """
import sys
from pathlib import Path
from scheduler.hosts.host_registry import open_host
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.split import GUEST, IO
from scheduler.run.lease import HostLease, LeaseScope
url, journal, io, guest = sys.argv[1:]
host = open_host(url, lambda *_: None, io_domain=io, guest_domain=guest)
slots = (PLACE_SLOTS[IO], PLACE_SLOTS[GUEST])
for slot in slots if host.guard is not None else ():
    host.guard.guard_slot(slot)
host.boot()
place = lambda cpu: PlacementParams(((cpu,),) * 3, emulator=(cpu,), iothreads=((1, (cpu,)),))
scope = LeaseScope((IO, GUEST, *slots))
with HostLease(host, Path(journal), "pins", url, None, scope) as lease:
    lease.apply({slots[0]: place(0), slots[1]: place(1)})
    print("changed", flush=True)
    sys.stdin.read()
"""


def kill_sweep(url, journal, guests):
    words = [sys.executable, "-c", SWEEP, url, str(journal), NAMES[IO], NAMES[GUEST]]
    with subprocess.Popen(words, cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sweep:
        assert sweep.stdout.readline() == "changed\n"
        assert set(threads_of(NAMES[GUEST]).values()) == {(1,)}
        sweep.kill()
    [record] = journal.glob("*.json")
    journal = UndoJournal(journal, record.stem)
    restore_from_record(journal.read(), journal, lambda undo: reopen_host(undo.host_url, undo.context, ignore_command))


def test_restore_after_a_kill_pins_as_found(guests, tmp_path):
    before = seen(guests)
    kill_sweep(guests.url("qemu"), tmp_path, guests)
    assert seen(guests) == before


def test_virsh_behind_a_guard_places_and_the_guard_of_a_killed_sweep_restores(guests, tmp_path):
    before = seen(guests)
    with far(tmp_path) as server:
        url = url_of(guests, server).replace("lxc+", "qemu+")
        kill_sweep(url, tmp_path / "journal", guests)
        assert seen(guests) == before
        assert not (tmp_path / "run/sweep").exists()
