"""Start and end of the Xen lab."""

import contextlib
import shutil
import threading
import time
from pathlib import Path

import msgspec

from labs.xen import folders, recipe
from labs.xen.boot_steps import Say, measure_time, require_room
from labs.xen.dom0 import LabDom0
from labs.xen.emulator import LabEmulator
from labs.xen.lab_record import LabRecord, hold_lab, load_record
from labs.xen.lab_start import start_recorded_lab
from labs.xen.lab_status import read_status_locked
from scheduler.errors import HostBusy, HostNotUsable, HostUnreachable
from scheduler.model.lab import LabState, LabStatus

_SETTLED_S = 120
_OFF_S = 60  # from Dom0's "power off" to the end of the emulator


def start_lab(scheduler: str, say: Say, *, fresh: bool = False, guests: int = 1, cpus: int = 1) -> LabStatus:
    """Start the lab; return when all of it answers. Build the images first if needed.

    Args:
        scheduler: credit2, credit or rtds.
        say: Called with every step.
        fresh: Boot even if there is a saved state, and replace the state.
        guests: 2 for a second guest with its own database; a lab that runs with more guests is accepted.
        cpus: Number of CPUs of the machine, and of vCPUs of Dom0 and each guest.

    Raises:
        HostBusy: A lab runs with another scheduler, fewer guests or other CPUs, or another command changes it.
        HostNotUsable: It cannot be built or started; nothing is left running.
    """
    with hold_lab():
        if (found := _find_running(scheduler, guests, cpus, say)) is not None:
            return found
        took_s: dict[str, float] = {}
        with measure_time(took_s, "images"):
            images = recipe.provide_images(scheduler, say)
        require_room(guests)
        folders.running_dir().mkdir(parents=True)
        try:
            start_recorded_lab(
                LabRecord(scheduler=scheduler, images=str(images), guests=guests, cpus=cpus), say, took_s, fresh=fresh
            )
        except BaseException:
            _clean_up()
            raise
        folders.last_console_path().unlink(missing_ok=True)
        return msgspec.structs.replace(_wait_until_well(), took_s=took_s)


def stop_lab(say: Say) -> LabStatus:
    """End the lab, by a shutdown if possible, and remove its remains."""
    took_s: dict[str, float] = {}
    with hold_lab():
        machine = LabEmulator(folders.running_dir())
        if machine.pid():
            with measure_time(took_s, "down"):
                _shut_down_lab(machine, say)
        else:
            say("no emulator runs")
        _remove_folder(folders.running_dir())
        folders.last_console_path().unlink(missing_ok=True)
        return msgspec.structs.replace(read_status_locked(), took_s=took_s)


def _wait_until_well() -> LabStatus:
    """Look until the lab is well: on a busy computer one look may time out."""
    deadline_s = time.monotonic() + _SETTLED_S
    while (found := read_status_locked()).state is LabState.UNWELL and time.monotonic() < deadline_s:
        threading.Event().wait(5.0)
    return found


def _find_running(scheduler: str, guests: int, cpus: int, say: Say) -> LabStatus | None:
    """Return a running lab that fits, else None with no remains left; raises HostBusy."""
    found = read_status_locked()
    record = load_record(folders.running_dir())
    same_cpus = record is None or record.cpus == cpus
    enough = (guests == 1 or bool(found.second_database_url)) and same_cpus
    if found.state is LabState.UP and found.scheduler == scheduler and enough:
        say("it runs already")
        return found
    if found.state is LabState.UP:
        more = (f" --guests {guests}" if guests > 1 else "") + (f" --cpus {cpus}" if cpus > 1 else "")
        again = f"domtune lab xen up --scheduler {scheduler}{more}"
        text = f"the lab runs with {found.scheduler}; Xen takes another scheduler only when it boots"
        if found.scheduler == scheduler:
            text = "the lab runs with one guest; its emulator has no disk for another"
        if record is not None and not same_cpus:
            text = (
                f"the lab runs with {record.cpus} CPU{'' if record.cpus == 1 else 's'}, which only a start can change"
            )
        raise HostBusy(text, hint=f"domtune lab xen down && {again}")
    if found.state is LabState.UNWELL:
        raise HostBusy(f"a lab runs, but is not well: {found.text}", hint=found.hint)
    if found.state is LabState.CRASHED:
        say(f"removing the one before: {found.text}")
        if found.pid:
            LabEmulator(folders.running_dir()).end()
        _remove_folder(folders.running_dir())
    return None


def _shut_down_lab(machine: LabEmulator, say: Say) -> None:
    """Shut the lab down; if that fails, end it by monitor or process id."""
    if machine.has_panicked():
        say("the hypervisor or Dom0 has crashed, so a shutdown is not possible")
    else:
        say("lifting caps, shutting the guest down, then Dom0")
        with contextlib.suppress(HostUnreachable):
            LabDom0(machine.folder).shut_down()
            if machine.wait_end(_OFF_S):
                return
        say("it does not shut down")
    say(f"ended by {machine.end()}")


def _clean_up() -> None:
    """Remove everything of a failed start but its console."""
    machine = LabEmulator(folders.running_dir())
    if machine.pid():
        machine.end()
    with contextlib.suppress(OSError):
        machine.console.replace(folders.last_console_path())
    _remove_folder(machine.folder)


def _remove_folder(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise HostNotUsable(f"{folder} cannot be removed: {error}", hint="Remove it by hand.") from error
