"""`domtune restore --forget HOST`: a record that cannot be put back is kept aside, on purpose and in so many words."""

from collections.abc import Iterator
from pathlib import Path

from scheduler import places
from scheduler.commands.aftermath import tell_forgotten
from scheduler.commands.probe_word import facts_of
from scheduler.commands.restoring import item_of
from scheduler.errors import JournalError, SchedulerError, SpecError
from scheduler.hosts.registry import standing_here
from scheduler.model.probe import Forgotten, ForgottenRecord
from scheduler.model.urls import shown
from scheduler.run.journal import HostLock, Journal, armed
from scheduler.run.records import host_ids, keep_aside

_LOCAL = "local"


def found(host: str) -> Forgotten:
    """Return what would be forgotten; touches nothing.

    Args:
        host: The host's id, or its URL.

    Raises:
        SpecError: There is no record of such a host.
        JournalError: The records cannot be looked at.
    """
    host_id = _host_id(host)
    records = [_look(journal, path) for journal in _journals(host_id) for path in _forgettable(journal)]
    if not records:
        hint = "'domtune revert' takes an applied split back; its record is whole."
        raise SpecError("host", f"no record of {shown(host)} is to be forgotten", hint=hint)
    return Forgotten(host_id=host_id, records=tuple(records), standing=_standing(host_id))


def forget(host_id: str) -> Forgotten:
    """Keep all records of a host aside that are in the way; raises HostBusy, JournalError."""
    with HostLock(places.journal_dir(), host_id):
        records = [
            ForgottenRecord(
                kept_as=str(keep_aside(path)),
                text=look.text,
                armed_unix_s=look.armed_unix_s,
                would_write=look.would_write,
            )
            for journal in _journals(host_id)
            for path in _forgettable(journal)
            for look in [_look(journal, path)]
        ]
        if any(Path(record.kept_as).parent == places.journal_dir() for record in records):
            tell_forgotten(host_id)
    return Forgotten(host_id=host_id, records=tuple(records), standing=_standing(host_id), done=True)


def _journals(host_id: str) -> Iterator[Journal]:
    return (Journal(folder, host_id) for folder in (places.journal_dir(), places.applied_dir(), places.kept_dir()))


def _forgettable(journal: Journal) -> list[Path]:
    """Return what cannot be put back; of a sweep's records, where all are whole, these: its host may be gone."""
    files = journal.files()
    broken = [path for path in files if path != journal.path or not _is_whole(journal)]
    return broken or (files if journal.path.parent == places.journal_dir() else [])


def _is_whole(journal: Journal) -> bool:
    try:
        return journal.record() is not None
    except JournalError:
        return False


def _look(journal: Journal, path: Path) -> ForgottenRecord:
    if path != journal.path:
        return ForgottenRecord(kept_as="", text=f"{path}: an earlier version of DomTune found it damaged")
    try:
        undo = journal.record()
    except JournalError as error:
        return ForgottenRecord(kept_as="", text=str(error))
    if undo is None:
        return ForgottenRecord(kept_as="", text=f"{path}: gone meanwhile")
    item = item_of(undo, "", "")
    text = f"{path}: whole; 'domtune restore' restores what it says"
    return ForgottenRecord(kept_as="", text=text, armed_unix_s=item.armed_unix_s, would_write=item.would_write)


def _host_id(host: str) -> str:
    """Return the id of the host that is meant: its own, or that of the record with its URL, or of the host itself."""
    folders = (places.journal_dir(), places.applied_dir(), places.kept_dir())
    known = host_ids([path for folder in folders for path in armed(folder)])
    if host in known:
        return host
    named = [host_id for host_id in known if host in {_url(journal) for journal in _journals(host_id)}]
    if len(named) == 1:
        return named[0]
    try:
        host_id = facts_of(host).host_id if ":" in host else ""
    except SchedulerError:
        host_id = ""
    if host_id in known:
        return host_id
    hint = f"Hosts with records: {', '.join(known)}." if known else f"There is none in {folders[0]}."
    raise SpecError("host", f"there is no record of {shown(host)}", hint=hint)


def _url(journal: Journal) -> str:
    try:
        undo = journal.record()
    except JournalError:
        return ""
    return undo.host_url if undo else ""


def _standing(host_id: str) -> tuple[str, ...]:
    return standing_here() if host_id.startswith(f"{_LOCAL}-") else ()
