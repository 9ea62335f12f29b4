"""Restore of hosts from outside a run, with the undo journal only.

A restore runs after a crash, at the next start, or by hand.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import msgspec

from scheduler import places
from scheduler.commands.orphaned_runs import close_orphaned_runs
from scheduler.errors import HostBusy, JournalCorrupt, JournalError, JournalUnreadable, SchedulerError
from scheduler.hosts.host_registry import is_obsolete, reopen_host
from scheduler.hosts.protocols import GUARD_TOKEN, Host
from scheduler.model.command_answers import RestoreItem, RestoreResult
from scheduler.model.lock_owner import LockOwner, parse_lock_owner
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.split import DomainId
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord, list_pending_records
from scheduler.run.lease import restore_from_record
from scheduler.run.record_folder import host_ids
from scheduler.run.undo_record import damaged_error, unseal_record
from scheduler.translation import _

log = logging.getLogger(__name__)

Act = Callable[[UndoRecord, UndoJournal], RestoreItem]

_LEFT = {
    LockOwner.SWEEP: _("settings of a sweep that did not end are still there"),
    LockOwner.FOLLOW: _("settings of following it, which did not end, are still there"),
}
_GUARDED = _("unless the guard on the host has restored them. 'domtune restore' checks the host and restores the rest")


def reopen_recorded_host(undo: UndoRecord) -> Host:
    """Open the host of an undo record that another process left changed."""
    return reopen_host(undo.host_url, undo.context, _log_line)


def restore_all(*, force: bool = False, only: str = "", copy: bytes = b"") -> RestoreResult:
    """Restore every host with a pending restore; continue after a failure.

    Args:
        force: True to overwrite values that another program has set on a followed host.
        only: Id of the only host to restore; empty for all hosts.
        copy: Text of that host's record, used when its file is missing or damaged; empty for none.
    """
    items = tuple(_for_each_host(partial(_restore_host, force=force), only, copy))
    reported = close_orphaned_runs({item.host_id: item.restored_unix_s for item in items if item.restored_unix_s})
    return RestoreResult(clean=all(item.state == "restored" for item in items), items=items, recorded_runs=reported)


def list_pending() -> RestoreResult:
    """Return the result that `restore_all` would have; change no host and no record."""
    items = tuple(_for_each_host(lambda undo, _: restore_item(undo, "armed", _pending_words(undo))))
    return RestoreResult(
        clean=all(item.state == "running" for item in items), items=items, recorded_runs=close_orphaned_runs({})
    )


def _pending_words(undo: UndoRecord) -> str:
    """Return the state of a host from its record.

    A guard on the host may have restored it since.
    """
    return f"{_LEFT[undo.by]}, {_GUARDED}" if GUARD_TOKEN in undo.context else _LEFT[undo.by]


def restore_item(undo: UndoRecord, state: str, text: str) -> RestoreItem:
    """Return a record as a part of the answers.

    Args:
        undo: The record.
        state: State of the host.
        text: Description of the state.
    """
    return RestoreItem(
        host=undo.host_url,
        host_id=undo.host_id,
        armed_unix_s=undo.armed_unix_s,
        state=state,
        text=text,
        would_write=_params_words(undo.originals),
        by=undo.by,
    )


def error_item(error: SchedulerError, state: str = "failed", host_id: str = "") -> RestoreItem:
    """Return an error as an answer for a host of which at most the id is known.

    Args:
        error: The error.
        state: State of the host.
        host_id: The host's identity; empty when unknown.
    """
    by = parse_lock_owner(error.holder) if isinstance(error, HostBusy) else LockOwner.UNKNOWN
    text = join_sentences(str(error), error.hint)
    return RestoreItem(host="", host_id=host_id, armed_unix_s=0.0, state=state, text=text, by=by)


def _for_each_host(act: Act, only: str = "", copy: bytes = b"") -> Iterator[RestoreItem]:
    folder = places.journal_dir()
    try:
        hosts = host_ids(list_pending_records(folder))
    except JournalError as error:  # the changed hosts are unknown
        yield error_item(error)
        return
    if only:
        hosts = [only] if only in hosts or copy else []
    for host_id in hosts:
        yield from _items_of_host(host_id, act, copy)


def _items_of_host(host_id: str, act: Act, copy: bytes) -> Iterator[RestoreItem]:
    """Yield the answers for a host's records while its lock is held."""
    journal = UndoJournal(places.journal_dir(), host_id)
    try:
        with HostLock(places.journal_dir(), host_id, LockOwner.RESTORE):
            item = _handle_record(journal, host_id, act, copy)
            if item is not None:
                yield item
            for path in journal.aside():
                yield error_item(
                    damaged_error(path, _("an earlier version of DomTune found it damaged")), "corrupt", host_id
                )
    except HostBusy as error:
        yield _add_record(error_item(error, "running", host_id), journal)
    except SchedulerError as error:
        yield error_item(error, host_id=host_id)


def _add_record(item: RestoreItem, journal: UndoJournal) -> RestoreItem:
    """Add the host and time of a record that another process holds, if readable."""
    try:
        undo = journal.record()
    except SchedulerError:
        return item
    if undo is None:
        return item
    return msgspec.structs.replace(item, host=undo.host_url, armed_unix_s=undo.armed_unix_s)


def _record_or_copy(journal: UndoJournal, copy: bytes) -> UndoRecord | None:
    """Return the record of a host, or its copy when the file is missing or damaged.

    Raises:
        JournalError: Neither can be read.
    """
    try:
        undo = journal.record()
    except (JournalCorrupt, JournalUnreadable) as error:
        if not copy:
            raise
        log.warning("%s; the copy is used", error)
        undo = None
    return unseal_record(copy, journal.path) if undo is None and copy else undo


def _handle_record(journal: UndoJournal, host_id: str, act: Act, copy: bytes) -> RestoreItem | None:
    undo = None
    try:
        undo = _record_or_copy(journal, copy)
        return None if undo is None else act(undo, journal)
    except JournalCorrupt as error:
        return error_item(error, "corrupt", host_id)
    except SchedulerError as error:
        failed = error_item(error, host_id=host_id)
    except Exception as error:
        log.warning("a bug kept host %s from being restored", host_id, exc_info=True)
        text = _("a bug: {error}; details are in {log_path}. The record is kept.").format(
            error=type(error).__name__, log_path=places.log_path()
        )
        failed = error_item(SchedulerError(text), host_id=host_id)
    return failed if undo is None else restore_item(undo, failed.state, failed.text)


def _restore_host(undo: UndoRecord, journal: UndoJournal, *, force: bool) -> RestoreItem:
    restore_from_record(undo, journal, reopen_recorded_host, force=force)
    text = _("every original was written and read back")
    if is_obsolete(undo.host_url, undo.context):
        text = _("this computer was restarted since, which undid all changes")
    return msgspec.structs.replace(restore_item(undo, "restored", text), restored_unix_s=time.time())


def _params_words(originals: Mapping[DomainId, SchedParams | None]) -> dict[str, str]:
    return {domain: _("not there") if params is None else params.words for domain, params in originals.items()}


def _log_line(command: str, answer: str) -> None:
    log.info("%s %s", command, answer)
