"""Start of the Xen lab: from a saved state, or by a boot that is then saved."""

import contextlib
from pathlib import Path

import msgspec

from labs.xen import folders, machine_state, saved_states
from labs.xen.boot_steps import SILENT, Say, boot_lab, measure_time, start_emulator, wait_until_ready
from labs.xen.dom0 import LabDom0
from labs.xen.emulator import LabDisks, LabEmulator, PortTaken
from labs.xen.lab_plans import write_plans
from labs.xen.lab_record import LabRecord, save_record
from labs.xen.lab_status import database_answers
from scheduler.errors import HostError
from scheduler.model.sentence_texts import join_sentences

# Dom0 answers after 9 s on a quiet computer; a boot is fourteen times as long, and twelve minutes were seen.
# Four emulated CPUs on two busy ones took 125 s, and once more than 180 s. A state that is dropped costs a boot.
_RESUME_S = 600


def start_recorded_lab(record: LabRecord, say: Say, took_s: dict[str, float], *, fresh: bool) -> None:
    """Start the lab of a record; raises HostError.

    The lab then runs from a saved state, or from its boot when no state can be saved here.

    Args:
        record: The lab.
        say: Called with every step.
        took_s: Gets the duration of each step, seconds.
        fresh: Boot even if there is a saved state.
    """
    state = saved_states.state_folder(Path(record.images), record.scheduler, record.guests, record.cpus)
    if not fresh and saved_states.is_complete(state, record.guests) and _resume_saved(record, state, say, took_s):
        return
    was_there = saved_states.is_complete(state, record.guests)
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(HostError):  # without a folder for states: reported below
            stack.enter_context(saved_states.hold_creation(state))
        if (
            not was_there
            and saved_states.is_complete(state, record.guests)
            and _resume_saved(record, state, say, took_s)
        ):
            return
        saved = _boot_and_save(record, state, say, took_s)
    if saved and not _resume_saved(record, state, say, took_s):
        say("booting once more, without saving it")
        _mark_ready(_boot_machine(record, LabDisks(Path(record.images), guests=record.guests), say, took_s))


def _resume_saved(record: LabRecord, state: Path, say: Say, took_s: dict[str, float]) -> bool:
    """Resume a saved state; drop a state that does not come up, with nothing running."""
    say("going on from a saved state; seconds, more when the computer is busy")
    machine = LabEmulator(folders.running_dir())
    try:
        with measure_time(took_s, "resumed"):
            _load_saved_state(msgspec.structs.replace(record, saved_state=str(state)), state, say)
    except PortTaken:
        raise
    except HostError as error:
        say(f"{state} is dropped: {error}")
        machine.end()
        saved_states.drop_state(state)
        return False
    say(f"everything answers after {took_s['resumed']:.0f} s")
    return True


def _load_saved_state(record: LabRecord, state: Path, say: Say) -> None:
    folder = folders.running_dir()
    machine, dom0 = LabEmulator(folder), LabDom0(folder)
    with saved_states.hold_state(state):
        record = start_emulator(record, saved_states.state_disks(state, record.guests), say, machine_state.WAITS)
        machine_state.load_machine(folder, state / saved_states.MEMORY)
    wait_until_ready(machine, dom0.set_clock, _RESUME_S, "Dom0 does not answer by ssh")
    wait_until_ready(machine, lambda: database_answers(record), _RESUME_S, SILENT)
    dom0.wake_guests(record.guests)
    _mark_ready(record)


def _boot_and_save(record: LabRecord, state: Path, say: Say, took_s: dict[str, float]) -> bool:
    """Boot the lab; True when it is now saved and stopped, False when it runs unsaved."""
    with contextlib.ExitStack() as stack:
        try:
            disks = stack.enter_context(saved_states.draft_state(state, record.guests))
        except HostError as error:
            say(join_sentences(f"{error}; every start will be a boot", error.hint))
            disks = None
        record = _boot_machine(record, disks or LabDisks(Path(record.images), guests=record.guests), say, took_s)
        if disks is not None and _save_state(disks, state, say, took_s):
            return True
    _mark_ready(record)
    return False


def _boot_machine(record: LabRecord, disks: LabDisks, say: Say, took_s: dict[str, float]) -> LabRecord:
    record = start_emulator(record, disks, say)
    boot_lab(record, say, took_s)
    return record


def _save_state(disks: LabDisks, state: Path, say: Say, took_s: dict[str, float]) -> bool:
    """Save the running lab and end it; if saving fails, let it run on."""
    machine = LabEmulator(folders.running_dir())
    try:
        with measure_time(took_s, "saved"):
            machine_state.save_machine(machine.folder, disks.folder / saved_states.MEMORY)
            saved_states.publish_state(disks, state)
    except HostError as error:
        say(f"{error}; the lab continues without a saved state, and the next start will be a boot, too")
        machine_state.resume_machine(machine.folder)
        return False
    say(f"saved in {took_s['saved']:.1f} s, for this start and every later one")
    machine.end()
    return True


def _mark_ready(record: LabRecord) -> None:
    folder = folders.running_dir()
    write_plans(folder, record)
    save_record(folder, msgspec.structs.replace(record, ready=True))
