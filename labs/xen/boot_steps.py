"""Steps of booting the Xen lab: room, ports, emulator, Dom0, guest, database."""

import contextlib
import shutil
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import msgspec
import psutil

from labs.xen import folders, ports
from labs.xen.dom0 import LabDom0, write_ssh_files
from labs.xen.emulator import MEMORY_MB, SECOND_MB, LabDisks, LabEmulator, PortTaken, emulator_command
from labs.xen.lab_record import LabRecord, save_record
from labs.xen.lab_status import console_tail, database_answers
from scheduler.errors import HostNotUsable
from scheduler.waiting import wait_until

Say = Callable[[str], None]

_BESIDE_MB = 452  # for the emulator and its translations, besides the machine's own memory; 2.3 GB in all were seen
_DISK_MB = 1_000  # for what a run writes; the images are only read
_BOOT_S = 900  # three minutes were seen with 5 processes waiting for 2 CPUs, more than eight with 15
_DATABASE_S = 600
SILENT = "a guest's PostgreSQL does not answer"
_PORT_TRIES = 3  # labs that are started at the same moment choose the same ports


def require_room(guests: int = 1) -> None:
    """Refuse to start without enough memory or disk; raises HostNotUsable."""
    free_mb = psutil.virtual_memory().available // 2**20
    need_mb = MEMORY_MB + SECOND_MB * (guests - 1) + _BESIDE_MB
    if free_mb < need_mb:
        raise HostNotUsable(f"the lab needs {need_mb} MB of memory, {free_mb} MB are available")
    free_mb = shutil.disk_usage(folders.lab_dir()).free // 2**20
    if free_mb < _DISK_MB:
        raise HostNotUsable(
            f"a running lab may write {_DISK_MB} MB to {folders.lab_dir()}, {free_mb} MB are free",
            hint="Free some, or set DOMTUNE_HOME to a folder on another disk.",
        )


def start_emulator(record: LabRecord, disks: LabDisks, say: Say, more: Sequence[str] = ()) -> LabRecord:
    """Start the emulator on free ports; return the record with them; raises HostError.

    Args:
        record: The record so far.
        disks: Of Dom0 and guests.
        say: Called when a port is taken.
        more: Further words for the emulator.
    """
    folder, images, left = folders.running_dir(), Path(record.images), _PORT_TRIES
    while True:
        record = msgspec.structs.replace(
            record, ports=_choose_ports(record.guests, say), started_unix_s=round(time.time(), 3)
        )
        write_ssh_files(folder, images, record.ports)
        save_record(folder, record)
        try:
            command = emulator_command(images, folder, record.scheduler, record.ports, disks, record.cpus)
            LabEmulator(folder).start([*command, *more])
        except PortTaken:
            left -= 1
            if not left:
                raise
            say("another program took one of the ports; choosing other ports")
        else:
            return record


def boot_lab(record: LabRecord, say: Say, took_s: dict[str, float]) -> None:
    """Wait for Dom0, start the guest, wait for the database; raises HostError.

    Args:
        record: The lab.
        say: Called with every step.
        took_s: Gets the duration of each step, seconds.
    """
    folder = folders.running_dir()
    machine, dom0 = LabEmulator(folder), LabDom0(folder)
    say("booting Xen and Dom0 under emulation; one to three minutes, more when the computer is busy")
    with measure_time(took_s, "dom0"):
        wait_until_ready(machine, dom0.answers, _BOOT_S, "Dom0 does not answer by ssh")
    _check_scheduler(record, dom0)
    what = "the guest" if record.guests == 1 else "both guests"
    say(f"Dom0 answers after {took_s['dom0']:.0f} s; starting {what}")
    with measure_time(took_s, "guest"):
        dom0.begin_guests(record.guests, record.cpus)
    say(f"{what} started in {took_s['guest']:.0f} s; waiting for PostgreSQL there")
    with measure_time(took_s, "postgresql"):
        wait_until_ready(machine, lambda: database_answers(record), _DATABASE_S, SILENT)
    say(f"PostgreSQL answers after {took_s['postgresql']:.0f} s")


def _choose_ports(guests: int, say: Say) -> dict[str, int]:
    wanted = ports.wanted_ports(guests)
    try:
        chosen = ports.choose_ports(wanted)
    except OSError as error:
        raise HostNotUsable(str(error)) from error
    for name, port in chosen.items():
        if port != wanted[name]:
            say(f"port {wanted[name]} is taken; {name} gets {port}")
    return chosen


def wait_until_ready(machine: LabEmulator, fine: Callable[[], bool], limit_s: float, problem: str) -> None:
    """Wait until a check passes.

    Args:
        machine: The emulator.
        fine: The check.
        limit_s: Seconds to wait at most.
        problem: Text of the error.

    Raises:
        HostNotUsable: The limit was reached or the emulator has ended; with the end of the console.
    """
    over = wait_until(lambda: fine() or not machine.pid() or machine.has_panicked(), limit_s, every_s=1.0)
    if not machine.pid() or machine.has_panicked():
        problem = "the hypervisor or Dom0 has crashed" if machine.pid() else "the emulator has ended unexpectedly"
    elif over:
        return
    else:
        problem += f" within {limit_s:.0f} s"
    raise HostNotUsable(
        f"the lab did not start: {problem}; console: {console_tail(machine)}",
        hint=f"The whole console is in {folders.last_console_path()}.",
    )


def _check_scheduler(record: LabRecord, dom0: LabDom0) -> None:
    """Check the running scheduler: Xen replaces an unknown one without a message."""
    if (runs := dom0.look().scheduler) != record.scheduler:
        raise HostNotUsable(f"Xen was started with scheduler {record.scheduler}, but runs {runs}")


@contextlib.contextmanager
def measure_time(took_s: dict[str, float], step: str) -> Generator[None, None, None]:
    """Record the duration of a step, in seconds.

    Args:
        took_s: Gets the duration.
        step: Name of the step.
    """
    begin_s = time.monotonic()
    yield
    took_s[step] = round(time.monotonic() - begin_s, 1)
