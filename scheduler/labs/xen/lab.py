"""Starting and ending the Xen lab."""

import contextlib
import shutil
import time
from collections.abc import Callable, Generator
from pathlib import Path

import msgspec
import psutil

from scheduler.errors import HostBusy, HostNotUsable, HostUnreachable
from scheduler.labs.xen import folders, ports, recipe
from scheduler.labs.xen.dom0 import Dom0, write_ssh_files
from scheduler.labs.xen.looking import database_answers, status_inside, tail
from scheduler.labs.xen.machine import Machine, command, until
from scheduler.labs.xen.record import LabRecord, alone, save
from scheduler.model.lab import LabState, LabStatus

Say = Callable[[str], None]

_MEMORY_MB = 2_500  # the machine's 2048, the emulator's translations and itself; 2.3 GB were seen
_DISK_MB = 1_000  # for what a run writes; the images are only read
_BOOT_S = 900  # three minutes were seen with 5 processes waiting for 2 CPUs, more than eight with 15
_DATABASE_S = 600
_OFF_S = 60  # from Dom0's "power off" to the end of the emulator


def up(scheduler: str, say: Say) -> LabStatus:
    """Start the lab, with images built now if need be; returns when everything in it answers.

    Args:
        scheduler: One of `machine.SCHEDULERS`.
        say: Told what is being done.

    Raises:
        HostBusy: One runs already with another scheduler, or another command is at it.
        HostNotUsable: It cannot be built or started; nothing is left running.
    """
    with alone():
        if (found := _running(scheduler, say)) is not None:
            return found
        took_s: dict[str, float] = {}
        with _timed(took_s, "images"):
            images = recipe.provide(scheduler, say)
        _check_room()
        folders.running().mkdir(parents=True)
        record = LabRecord(
            scheduler=scheduler, ports=_ports(say), images=str(images), started_unix_s=round(time.time(), 3)
        )
        try:
            _boot(record, say, took_s)
        except BaseException:
            _give_up()
            raise
        folders.last_console().unlink(missing_ok=True)
        return msgspec.structs.replace(status_inside(), took_s=took_s)


def down(say: Say) -> LabStatus:
    """End the lab, gently if it can be, and remove what it left; fine when there is none. Raises HostError."""
    took_s: dict[str, float] = {}
    with alone():
        machine = Machine(folders.running())
        if machine.pid():
            with _timed(took_s, "down"):
                _end(machine, say)
        else:
            say("no emulator runs")
        _remove(folders.running())
        folders.last_console().unlink(missing_ok=True)
        return msgspec.structs.replace(status_inside(), took_s=took_s)


def _running(scheduler: str, say: Say) -> LabStatus | None:
    """Return the lab that runs and will do, else None with nothing left of it; raises HostBusy."""
    found = status_inside()
    if found.state is LabState.UP and found.scheduler == scheduler:
        say("it runs already")
        return found
    if found.state is LabState.UP:
        text = f"the lab runs with {found.scheduler}; Xen takes another scheduler only when it boots"
        raise HostBusy(text, hint=f"domtune lab xen down && domtune lab xen up --scheduler {scheduler}")
    if found.state is LabState.UNWELL:
        raise HostBusy(f"a lab runs, but is not well: {found.text}", hint=found.hint)
    if found.state is LabState.CRASHED:
        say(f"removing the one before: {found.text}")
        if found.pid:
            Machine(folders.running()).end()
        _remove(folders.running())
    return None


def _check_room() -> None:
    free_mb = psutil.virtual_memory().available // 2**20
    if free_mb < _MEMORY_MB:
        raise HostNotUsable(f"the lab needs {_MEMORY_MB} MB of memory, {free_mb} MB are available")
    free_mb = shutil.disk_usage(folders.base()).free // 2**20
    if free_mb < _DISK_MB:
        raise HostNotUsable(
            f"a running lab may write {_DISK_MB} MB to {folders.base()}, {free_mb} MB are free",
            hint="Free some, or set DOMTUNE_HOME to a folder on another disk.",
        )


def _ports(say: Say) -> dict[str, int]:
    try:
        chosen = ports.choose()
    except OSError as error:
        raise HostNotUsable(str(error)) from error
    for name, port in chosen.items():
        if port != ports.WANTED[name]:
            say(f"port {ports.WANTED[name]} is taken; {name} gets {port}")
    return chosen


def _boot(record: LabRecord, say: Say, took_s: dict[str, float]) -> None:
    """Start emulator, Dom0, guest and database, one after the other; raises HostError."""
    folder, images = folders.running(), Path(record.images)
    machine, dom0 = Machine(folder), Dom0(folder)
    write_ssh_files(folder, images, record.ports)
    save(folder, record)
    machine.start(command(images, folder, record.scheduler, record.ports))
    say("booting Xen and Dom0 under emulation; one to three minutes, more when the computer is busy")
    with _timed(took_s, "dom0"):
        _wait(machine, dom0.answers, _BOOT_S, "Dom0 does not answer by ssh")
    _check_scheduler(record, dom0)
    say(f"Dom0 answers after {took_s['dom0']:.0f} s; starting the guest")
    with _timed(took_s, "guest"):
        dom0.begin_guest()
    say(f"the guest was started in {took_s['guest']:.0f} s; waiting for its PostgreSQL")
    with _timed(took_s, "postgresql"):
        _wait(machine, lambda: database_answers(record), _DATABASE_S, "the guest's PostgreSQL does not answer")
    say(f"PostgreSQL answers after {took_s['postgresql']:.0f} s")
    save(folder, msgspec.structs.replace(record, ready=True))


def _wait(machine: Machine, fine: Callable[[], bool], limit_s: float, problem: str) -> None:
    """Wait until it is fine; raises HostNotUsable with the console's end at the limit or when all has ended."""
    over = until(lambda: fine() or not machine.pid() or machine.has_panicked(), limit_s, every_s=1.0)
    if not machine.pid() or machine.has_panicked():
        problem = "the hypervisor or Dom0 has crashed" if machine.pid() else "the emulator has ended by itself"
    elif over:
        return
    else:
        problem += f" within {limit_s:.0f} s"
    raise HostNotUsable(
        f"the lab did not start: {problem}; console: {tail(machine)}",
        hint=f"The whole console is in {folders.last_console()}.",
    )


def _check_scheduler(record: LabRecord, dom0: Dom0) -> None:
    """Xen takes another scheduler without a word when it has not the one it was told."""
    if (runs := dom0.look().scheduler) != record.scheduler:
        raise HostNotUsable(f"Xen was told to schedule with {record.scheduler}, but runs with {runs}")


def _end(machine: Machine, say: Say) -> None:
    """Shut the lab down; by the emulator's monitor, then its process id, where that does not work."""
    if machine.has_panicked():
        say("the hypervisor or Dom0 has crashed, nothing to shut down")
    else:
        say("lifting caps, shutting the guest down, then Dom0")
        with contextlib.suppress(HostUnreachable):
            Dom0(machine.folder).shut_down()
            if machine.wait_end(_OFF_S):
                return
        say("it does not shut down")
    say(f"ended by {machine.end()}")


def _give_up() -> None:
    """Leave nothing of a start that failed but its console."""
    machine = Machine(folders.running())
    if machine.pid():
        machine.end()
    with contextlib.suppress(OSError):
        machine.console.replace(folders.last_console())
    _remove(machine.folder)


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise HostNotUsable(f"{folder} cannot be removed: {error}", hint="Remove it by hand.") from error


@contextlib.contextmanager
def _timed(took_s: dict[str, float], step: str) -> Generator[None, None, None]:
    begin_s = time.monotonic()
    yield
    took_s[step] = round(time.monotonic() - begin_s, 1)
