"""Putting hosts back from outside: after a crash, at the next start, or by hand. Needs only the journal."""

import logging
from collections.abc import Callable, Mapping
from urllib.parse import unquote

import msgspec

from scheduler import places
from scheduler.errors import HostBusy, JournalCorrupt, SchedulerError
from scheduler.hosts.base import Host
from scheduler.hosts.registry import reopen_host
from scheduler.model.params import SchedParams
from scheduler.model.probe import Restored, RestoreItem
from scheduler.model.split import DomainId
from scheduler.run.journal import HostLock, Journal, Undo, armed
from scheduler.run.lease import restore

log = logging.getLogger(__name__)

Act = Callable[[Undo, Journal], RestoreItem]


def reopen(undo: Undo) -> Host:
    """Open the host of an undo record as another process left it."""
    return reopen_host(undo.host_url, undo.context, _log_line)


def restore_all() -> Restored:
    """Put back every host with an armed journal; one failure does not stop the others."""
    items = _each(_put_back)
    return Restored(clean=all(item.state == "restored" for item in items), items=items)


def list_armed() -> Restored:
    """Return what `restore_all` would do; touches nothing (a damaged record is kept aside)."""
    items = _each(lambda undo, _: _item(undo, "armed", "settings from a sweep that did not end are still there"))
    return Restored(clean=all(item.state == "running" for item in items), items=items)


def _each(act: Act) -> tuple[RestoreItem, ...]:
    folder = places.journal_dir()
    items = (_one(unquote(path.stem), act) for path in armed(folder))
    return tuple(item for item in items if item is not None)


def _one(host_id: str, act: Act) -> RestoreItem | None:
    """Look at one record with its host's lock held, so that no sweep writes at the same time."""
    folder = places.journal_dir()
    blank = RestoreItem(host="", host_id=host_id, armed_unix_s=0.0, state="failed")
    undo = None
    try:
        with HostLock(folder, host_id):
            journal = Journal(folder, host_id)
            undo = journal.read()
            return None if undo is None else act(undo, journal)
    except HostBusy as error:
        return msgspec.structs.replace(blank, state="running", text=str(error))
    except JournalCorrupt as error:
        return msgspec.structs.replace(blank, state="corrupt", text=f"{error} {error.hint}")
    except SchedulerError as error:
        text = f"{error} {error.hint}".strip()
        return msgspec.structs.replace(blank, text=text) if undo is None else _item(undo, "failed", text)


def _put_back(undo: Undo, journal: Journal) -> RestoreItem:
    restore(undo, journal, reopen)
    return _item(undo, "restored", "every original was written and read back")


def _item(undo: Undo, state: str, text: str) -> RestoreItem:
    return RestoreItem(
        host=undo.host_url,
        host_id=undo.host_id,
        armed_unix_s=undo.armed_unix_s,
        state=state,
        text=text,
        would_write=_words(undo.originals),
    )


def _words(originals: Mapping[DomainId, SchedParams | None]) -> dict[str, str]:
    return {domain: "not there" if params is None else params.words for domain, params in originals.items()}


def _log_line(command: str, answer: str) -> None:
    log.info("%s %s", command, answer)
