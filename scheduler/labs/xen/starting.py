"""How the Xen lab starts: from a saved state where there is one, else by a boot that is saved for all later starts."""

import contextlib
from pathlib import Path

import msgspec

from scheduler.errors import HostError
from scheduler.labs.xen import folders, saving, states
from scheduler.labs.xen.booting import SILENT, Say, begin, boot, timed, wait_for
from scheduler.labs.xen.dom0 import Dom0
from scheduler.labs.xen.handing import write_plan
from scheduler.labs.xen.looking import database_answers
from scheduler.labs.xen.machine import Disks, Emulator, PortTaken
from scheduler.labs.xen.record import LabRecord, save
from scheduler.model.words import sentences

# Dom0 answers after 9 s on a quiet computer; a boot is fourteen times as long, and twelve minutes were seen.
_RESUME_S = 180


def start(record: LabRecord, say: Say, took_s: dict[str, float], *, fresh: bool) -> None:
    """Start the lab that the record wants; raises HostError.

    Every way ends in a lab from a saved state, unless none can be saved here: then in the one that was booted.
    """
    state = states.folder_of(Path(record.images), record.scheduler, record.guests)
    if not fresh and states.is_whole(state, record.guests) and _goes_on(record, state, say, took_s):
        return
    was_there = states.is_whole(state, record.guests)
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(HostError):  # without a folder for states: it is said below
            stack.enter_context(states.only_one(state))
        if not was_there and states.is_whole(state, record.guests) and _goes_on(record, state, say, took_s):
            return
        saved = _is_booted_and_saved(record, state, say, took_s)
    if saved and not _goes_on(record, state, say, took_s):
        say("booting once more, without saving it")
        _ready(_booted(record, Disks(Path(record.images), guests=record.guests), say, took_s))


def _goes_on(record: LabRecord, state: Path, say: Say, took_s: dict[str, float]) -> bool:
    """Go on from a saved state; one from which the lab does not come up is dropped, and nothing runs then."""
    say("going on from a saved state; seconds, more when the computer is busy")
    machine = Emulator(folders.running())
    try:
        with timed(took_s, "resumed"):
            _resume(msgspec.structs.replace(record, saved_state=str(state)), state, say)
    except PortTaken:
        raise
    except HostError as error:
        say(f"{state} is dropped: {error}")
        machine.end()
        states.drop(state)
        return False
    say(f"everything answers after {took_s['resumed']:.0f} s")
    return True


def _resume(record: LabRecord, state: Path, say: Say) -> None:
    folder = folders.running()
    machine, dom0 = Emulator(folder), Dom0(folder)
    with states.held(state):
        record = begin(record, states.saved(state, record.guests), say, saving.WAITS)
        saving.load(folder, state / states.MEMORY)
    wait_for(machine, dom0.wakes, _RESUME_S, "Dom0 does not answer by ssh")
    wait_for(machine, lambda: database_answers(record), _RESUME_S, SILENT)
    dom0.wake_guests(record.guests)
    _ready(record)


def _is_booted_and_saved(record: LabRecord, state: Path, say: Say, took_s: dict[str, float]) -> bool:
    """Boot the lab; True when it is a saved state then and nothing runs, False when it could not be saved and runs."""
    with contextlib.ExitStack() as stack:
        try:
            disks = stack.enter_context(states.draft(state, record.guests))
        except HostError as error:
            say(sentences(f"{error}; every start will be a boot", error.hint))
            disks = None
        record = _booted(record, disks or Disks(Path(record.images), guests=record.guests), say, took_s)
        if disks is not None and _is_saved(disks, state, say, took_s):
            return True
    _ready(record)
    return False


def _booted(record: LabRecord, disks: Disks, say: Say, took_s: dict[str, float]) -> LabRecord:
    record = begin(record, disks, say)
    boot(record, say, took_s)
    return record


def _is_saved(disks: Disks, state: Path, say: Say, took_s: dict[str, float]) -> bool:
    """Save what runs and end it; where that fails, it goes on as if nothing had been."""
    machine = Emulator(folders.running())
    try:
        with timed(took_s, "saved"):
            saving.save(machine.folder, disks.folder / states.MEMORY)
            states.publish(disks, state)
    except HostError as error:
        say(f"{error}; the lab goes on as it was booted, and the next start will be a boot, too")
        saving.go_on(machine.folder)
        return False
    say(f"saved in {took_s['saved']:.1f} s, for this start and every later one")
    machine.end()
    return True


def _ready(record: LabRecord) -> None:
    folder = folders.running()
    if record.guests > 1:
        write_plan(folder, record)
    save(folder, msgspec.structs.replace(record, ready=True))
