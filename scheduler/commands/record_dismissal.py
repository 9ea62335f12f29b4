"""`domtune restore --forget HOST`: dismiss a record that cannot be restored.

A dismissed record is quarantined, not deleted.
"""

from collections.abc import Iterator
from pathlib import Path

from scheduler import places
from scheduler.commands.orphaned_runs import close_dismissed_runs
from scheduler.commands.pending_restores import restore_item
from scheduler.commands.probe_command import read_host_properties
from scheduler.errors import JournalError, SchedulerError, SpecError
from scheduler.hosts.host_registry import existing_cgroups
from scheduler.model.command_answers import DismissedRecord, DismissResult
from scheduler.model.urls import redact_url
from scheduler.run.journal import HostLock, UndoJournal, list_pending_records
from scheduler.run.record_folder import host_ids, quarantine_record
from scheduler.translation import _

_LOCAL = "local"


def list_dismissable(host: str) -> DismissResult:
    """Return the records that would be dismissed; change nothing.

    Args:
        host: The host's id, or its URL.

    Raises:
        SpecError: There is no record of such a host.
        JournalError: The records cannot be read.
    """
    host_id = _find_host_id(host)
    records = [
        _describe_record(journal, path) for journal in _host_journals(host_id) for path in _dismissable_files(journal)
    ]
    if not records:
        hint = _("The record of the applied split is intact: run 'domtune revert'.")
        raise SpecError(
            "host", _("no record of {redact_url} is to be forgotten").format(redact_url=redact_url(host)), hint=hint
        )
    return DismissResult(host_id=host_id, records=tuple(records), standing=_existing_groups(host_id))


def dismiss_records(host_id: str) -> DismissResult:
    """Quarantine all records of a host that can be dismissed.

    Raises:
        HostBusy: Another process holds the host.
        JournalError: A record cannot be renamed.
    """
    with HostLock(places.journal_dir(), host_id):
        records = [
            DismissedRecord(
                kept_as=str(quarantine_record(path)),
                text=look.text,
                armed_unix_s=look.armed_unix_s,
                would_write=look.would_write,
            )
            for journal in _host_journals(host_id)
            for path in _dismissable_files(journal)
            for look in [_describe_record(journal, path)]
        ]
        if any(Path(record.kept_as).parent == places.journal_dir() for record in records):
            close_dismissed_runs(host_id)
    return DismissResult(host_id=host_id, records=tuple(records), standing=_existing_groups(host_id), done=True)


def _host_journals(host_id: str) -> Iterator[UndoJournal]:
    return (UndoJournal(folder, host_id) for folder in (places.journal_dir(), places.applied_dir()))


def _dismissable_files(journal: UndoJournal) -> list[Path]:
    """Return the records that cannot be restored.

    When all records are intact, return those of a sweep, because the host may no longer exist.
    """
    files = journal.files()
    broken = [path for path in files if path != journal.path or not _is_whole(journal)]
    return broken or (files if journal.path.parent == places.journal_dir() else [])


def _is_whole(journal: UndoJournal) -> bool:
    try:
        return journal.record() is not None
    except JournalError:
        return False


def _describe_record(journal: UndoJournal, path: Path) -> DismissedRecord:
    if path != journal.path:
        return DismissedRecord(
            kept_as="", text=_("{path}: an earlier version of DomTune found it damaged").format(path=path)
        )
    try:
        undo = journal.record()
    except JournalError as error:
        return DismissedRecord(kept_as="", text=str(error))
    if undo is None:
        return DismissedRecord(kept_as="", text=_("{path}: gone meanwhile").format(path=path))
    item = restore_item(undo, "", "")
    text = _("{path}: complete; 'domtune restore' restores these settings").format(path=path)
    return DismissedRecord(kept_as="", text=text, armed_unix_s=item.armed_unix_s, would_write=item.would_write)


def _find_host_id(host: str) -> str:
    """Return the id of a host that is named by its id or its URL.

    A URL is looked up in the records first, then by opening the host.
    """
    folders = (places.journal_dir(), places.applied_dir())
    known = host_ids([path for folder in folders for path in list_pending_records(folder)])
    if host in known:
        return host
    named = [host_id for host_id in known if host in {_record_url(journal) for journal in _host_journals(host_id)}]
    if len(named) == 1:
        return named[0]
    try:
        host_id = read_host_properties(host).host_id if ":" in host else ""
    except SchedulerError:
        host_id = ""
    if host_id in known:
        return host_id
    hint = (
        _("Hosts with records: {known}.").format(known=", ".join(known))
        if known
        else _("There is none in {folders}.").format(folders=folders[0])
    )
    raise SpecError("host", _("there is no record of {redact_url}").format(redact_url=redact_url(host)), hint=hint)


def _record_url(journal: UndoJournal) -> str:
    try:
        undo = journal.record()
    except JournalError:
        return ""
    return undo.host_url if undo else ""


def _existing_groups(host_id: str) -> tuple[str, ...]:
    return existing_cgroups() if host_id.startswith(f"{_LOCAL}-") else ()
