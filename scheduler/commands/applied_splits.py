"""Applied splits, read from the records of `domtune apply`."""

import time

import msgspec

from scheduler import places
from scheduler.commands.pending_restores import error_item, restore_item
from scheduler.errors import JournalError
from scheduler.hosts.host_registry import is_obsolete
from scheduler.model.command_answers import RestoreItem
from scheduler.model.lock_owner import LockOwner
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.urls import redact_url
from scheduler.run.journal import UndoJournal
from scheduler.run.record_folder import host_ids, list_pending_records
from scheduler.translation import _


def list_applied_hosts() -> tuple[RestoreItem, ...]:
    """Return a row for each host with an applied split; change nothing.

    Raises:
        JournalUnreadable: The folder of records cannot be read.
    """
    items = (find_applied_split(host_id) for host_id in host_ids(list_pending_records(places.applied_dir())))
    return tuple(item for item in items if item is not None)


def find_applied_split(host_id: str) -> RestoreItem | None:
    """Return the applied split of a host; None without one. Change nothing.

    A record that cannot be used is a row with the state `corrupt` and the error.
    """
    try:
        undo = UndoJournal(places.applied_dir(), host_id).read()
    except JournalError as error:
        return error_item(error, "corrupt", host_id)
    if undo is None or is_obsolete(undo.host_url, undo.context):
        return None
    item = restore_item(
        undo,
        "applied",
        _("'domtune revert {redact_url}' restores these values").format(redact_url=redact_url(undo.host_url)),
    )
    return msgspec.structs.replace(item, by=LockOwner.APPLY)


def applied_words(item: RestoreItem) -> str:
    """Return the applied split of a host as a sentence without its full stop."""
    if item.state != "applied":
        return _("DomTune cannot check for an applied split: {item}").format(item=item.text)
    return _("a split is applied{since_words}; it counts as the original settings").format(
        since_words=since_words(item.armed_unix_s)
    )


def revert_hint(item: RestoreItem) -> str:
    """Return the command that reverts an applied split, as a sentence."""
    return (
        _("'domtune revert {redact_url}' reverts it.").format(redact_url=redact_url(item.host))
        if item.state == "applied"
        else ""
    )


def applied_line(item: RestoreItem) -> str:
    """Return a host and its applied split as a line."""
    name = redact_url(item.host) or item.host_id or _("applied splits")
    return f"{name}: {join_sentences(applied_words(item), revert_hint(item))}"


def since_words(armed_unix_s: float) -> str:
    """Return a time as ` since 2026-11-23 13:40`; empty when no calendar has the time.

    Args:
        armed_unix_s: Time, seconds since 1970.
    """
    try:
        return time.strftime(" since %Y-%m-%d %H:%M", time.localtime(armed_unix_s))
    except (OverflowError, ValueError, OSError):  # a record may contain any number
        return ""
