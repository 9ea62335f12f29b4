"""Status of the lab: from its record, emulator, Dom0 and database."""

import contextlib

from labs.xen import folders, recipe
from labs.xen.dom0 import Dom0Look, LabDom0
from labs.xen.emulator import LabEmulator
from labs.xen.lab_plans import HOST_URL, database_urls, suggest_plan
from labs.xen.lab_record import LabRecord, is_lab_held, load_record
from scheduler.databases.postgresql import pg_client
from scheduler.errors import DatabaseUnreachable, HostNotUsable, HostUnreachable
from scheduler.model.lab import LabState, LabStatus

_END_IT = "End it with `domtune lab xen down`, then start it again."


def read_status() -> LabStatus:
    """Read the status of every part once; change nothing."""
    if is_lab_held():
        return LabStatus(state=LabState.BUSY, text="another `domtune lab` builds, starts or ends the lab just now")
    return read_status_locked()


def read_status_locked() -> LabStatus:
    """Read the status of every part once, as the command that holds the lock."""
    folder = folders.running_dir()
    record = load_record(folder)
    machine = LabEmulator(folder)
    if record is None and not machine.pid():
        return _status_without_record()
    if record is None:
        return LabStatus(
            state=LabState.UNWELL, text="an emulator runs without a record", hint=_END_IT, pid=machine.pid()
        )
    if not machine.pid():
        return _build_status(
            record, LabState.CRASHED, f"the emulator has ended unexpectedly; console: {console_tail(machine)}", _END_IT
        )
    if machine.has_panicked():
        return _build_status(
            record, LabState.CRASHED, f"the hypervisor or Dom0 has crashed: {console_tail(machine)}", _END_IT
        )
    return _status_of_running(record)


def _status_without_record() -> LabStatus:
    if folders.running_dir().exists():
        text = "a start was interrupted and has left files"
        return LabStatus(state=LabState.CRASHED, text=text, hint="Remove them with `domtune lab xen down`.")
    return LabStatus(state=LabState.DOWN, text="no Xen lab runs", hint="Start it with `domtune lab xen up`.")


def _status_of_running(record: LabRecord) -> LabStatus:
    try:
        look = LabDom0(folders.running_dir()).look()
    except (HostUnreachable, HostNotUsable) as error:
        return _build_status(
            record, LabState.UNWELL, f"the emulator runs, but {error}", "It may still be starting. " + _END_IT
        )
    if not record.ready:
        return _build_status(record, LabState.UNWELL, "its start was interrupted", _END_IT, look)
    if not database_answers(record):
        text = f"Dom0 answers, but {'the guest' if record.guests == 1 else 'a guest'}'s PostgreSQL does not"
        return _build_status(record, LabState.UNWELL, text, "Has the guest been shut down, or starved by a cap?", look)
    since = "continued from a saved state" if record.saved_state else "was booted"
    what = "guest and PostgreSQL answer" if record.guests == 1 else "both guests and their PostgreSQL answer"
    text = f"Xen runs with {look.scheduler}; {what}; it {since}"
    return _build_status(record, LabState.UP, text, suggest_plan(folders.running_dir(), record), look)


def database_answers(record: LabRecord) -> bool:
    """Query each guest's PostgreSQL once: 5 s for the connection, 10 s for the answer."""
    return all(_is_answering(url) for url in database_urls(record))


def _is_answering(url: str) -> bool:
    limits = {"connect_timeout": "5", "options": "-c statement_timeout=10000"}
    try:
        connection = pg_client.connect({**pg_client.parse_parameters(url), **limits}, "domtune lab")
        with (
            contextlib.closing(connection),
            connection.cursor() as cursor,
            pg_client.translate_errors("asking the lab"),
        ):
            cursor.execute("SELECT 1")
            return cursor.fetchone() == (1,)
    except DatabaseUnreachable:
        return False


def console_tail(machine: LabEmulator) -> str:
    """Return the last lines of the console on one line, or that there are none."""
    lines = [line.strip() for line in machine.console_end().splitlines() if line.strip(" *\n")]
    return " | ".join(lines[-6:]) or "nothing was printed"


def _build_status(record: LabRecord, state: LabState, text: str, hint: str, look: Dom0Look | None = None) -> LabStatus:
    folder = folders.running_dir()
    pid = LabEmulator(folder).pid()
    first, *others = database_urls(record)
    stale = False
    with contextlib.suppress(HostNotUsable):
        stale = str(folders.images_dir(recipe.recipe_fingerprint())) != record.images
    return LabStatus(
        state=state,
        text=text,
        hint=hint,
        scheduler=look.scheduler if look else "",
        domains=look.domains if look else (),
        uptime_s=round(record.age_s, 1) if pid else 0.0,
        ports=record.ports,
        postgresql=state is LabState.UP,
        host_url=HOST_URL,
        database_url=first,
        second_database_url=others[0] if others else "",
        ssh_config=str(folder / "ssh_config"),
        console=str(folder / "console.log"),
        images=record.images,
        saved_state=record.saved_state,
        stale=stale,
        pid=pid,
    )
