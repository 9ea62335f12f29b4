"""How the lab is: from its record, its emulator, its Dom0 and its database."""

import contextlib

from scheduler.databases.postgresql import pg
from scheduler.errors import DatabaseUnreachable, HostNotUsable, HostUnreachable
from scheduler.labs.xen import folders, recipe
from scheduler.labs.xen.dom0 import Dom0, Dom0Look
from scheduler.labs.xen.handing import HOST_URL, database_urls, hint_of
from scheduler.labs.xen.machine import Emulator
from scheduler.labs.xen.record import LabRecord, is_held, load
from scheduler.model.lab import LabState, LabStatus

_END_IT = "End it with `domtune lab xen down`, then start it again."


def status() -> LabStatus:
    """Look at everything once; changes nothing."""
    if is_held():
        return LabStatus(state=LabState.BUSY, text="another `domtune lab` builds, starts or ends the lab just now")
    return status_inside()


def status_inside() -> LabStatus:
    """Look at everything once, as the command that holds the lab."""
    folder = folders.running()
    record = load(folder)
    machine = Emulator(folder)
    if record is None and not machine.pid():
        return _without_record()
    if record is None:
        return LabStatus(
            state=LabState.UNWELL, text="an emulator runs without a record", hint=_END_IT, pid=machine.pid()
        )
    if not machine.pid():
        return _of(record, LabState.CRASHED, f"the emulator has ended by itself; console: {tail(machine)}", _END_IT)
    if machine.has_panicked():
        return _of(record, LabState.CRASHED, f"the hypervisor or Dom0 has crashed: {tail(machine)}", _END_IT)
    return _of_running(record)


def _without_record() -> LabStatus:
    if folders.running().exists():
        text = "a start was broken off and has left files"
        return LabStatus(state=LabState.CRASHED, text=text, hint="Remove them with `domtune lab xen down`.")
    return LabStatus(state=LabState.DOWN, text="no Xen lab runs", hint="Start it with `domtune lab xen up`.")


def _of_running(record: LabRecord) -> LabStatus:
    try:
        look = Dom0(folders.running()).look()
    except (HostUnreachable, HostNotUsable) as error:
        return _of(record, LabState.UNWELL, f"the emulator runs, but {error}", "It may still be starting. " + _END_IT)
    if not record.ready:
        return _of(record, LabState.UNWELL, "its start was broken off", _END_IT, look)
    if not database_answers(record):
        text = f"Dom0 answers, but {'the guest' if record.guests == 1 else 'a guest'}'s PostgreSQL does not"
        return _of(record, LabState.UNWELL, text, "Has the guest been shut down, or starved by a cap?", look)
    since = "went on from a saved state" if record.saved_state else "was booted"
    what = "guest and PostgreSQL answer" if record.guests == 1 else "both guests and their PostgreSQL answer"
    text = f"Xen runs with {look.scheduler}; {what}; it {since}"
    return _of(record, LabState.UP, text, hint_of(folders.running(), record), look)


def database_answers(record: LabRecord) -> bool:
    """Ask each guest's PostgreSQL once, with 5 s for the connection and 10 s for the answer."""
    return all(_answers(url) for url in database_urls(record))


def _answers(url: str) -> bool:
    limits = {"connect_timeout": "5", "options": "-c statement_timeout=10000"}
    try:
        connection = pg.connect({**pg.parameters(url), **limits}, "domtune lab")
        with contextlib.closing(connection), connection.cursor() as cursor, pg.translated("asking the lab"):
            cursor.execute("SELECT 1")
            return cursor.fetchone() == (1,)
    except DatabaseUnreachable:
        return False


def tail(machine: Emulator) -> str:
    """Return the last lines of the console on one line; says so when there are none."""
    lines = [line.strip() for line in machine.console_end().splitlines() if line.strip(" *\n")]
    return " | ".join(lines[-6:]) or "nothing was printed"


def _of(record: LabRecord, state: LabState, text: str, hint: str, look: Dom0Look | None = None) -> LabStatus:
    folder = folders.running()
    pid = Emulator(folder).pid()
    first, *others = database_urls(record)
    stale = False
    with contextlib.suppress(HostNotUsable):
        stale = str(folders.images(recipe.fingerprint())) != record.images
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
