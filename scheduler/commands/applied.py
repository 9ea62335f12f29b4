"""Which splits are applied: the records of `domtune apply`, looked at and left where they are."""

import time

import msgspec

from scheduler import places
from scheduler.commands.restoring import blank, item_of
from scheduler.errors import JournalError
from scheduler.hosts.registry import outlived_here
from scheduler.model.holder import Holder
from scheduler.model.probe import RestoreItem
from scheduler.model.urls import shown
from scheduler.model.words import sentences
from scheduler.run.journal import Journal
from scheduler.run.records import armed, host_ids


def applied_hosts() -> tuple[RestoreItem, ...]:
    """Return a row for each host with an applied split; touches nothing. Raises JournalUnreadable."""
    items = (applied_to(host_id) for host_id in host_ids(armed(places.applied_dir())))
    return tuple(item for item in items if item is not None)


def applied_to(host_id: str) -> RestoreItem | None:
    """Return what `revert` would put back on a host, None where nothing is applied; touches nothing.

    A record that cannot be used is a row with its trouble, state `corrupt`.
    """
    try:
        undo = Journal(places.applied_dir(), host_id).read()
    except JournalError as error:
        return blank(error, "corrupt", host_id)
    if undo is None or outlived_here(undo.host_url, undo.context):
        return None
    item = item_of(undo, "applied", f"'domtune revert {shown(undo.host_url)}' puts these back")
    return msgspec.structs.replace(item, by=Holder.APPLY)


def applied_words(item: RestoreItem) -> str:
    """Return what is applied to a host as one sentence without its full stop."""
    if item.state != "applied":
        return f"whether a split is applied cannot be told: {item.text}"
    return f"a split is applied{since(item.armed_unix_s)}; it counts as the original settings"


def revert_hint(item: RestoreItem) -> str:
    """Return what takes an applied split back, as a sentence."""
    return f"'domtune revert {shown(item.host)}' takes it back." if item.state == "applied" else ""


def applied_line(item: RestoreItem) -> str:
    """Return the host and what is applied to it as a line."""
    name = shown(item.host) or item.host_id or "applied splits"
    return f"{name}: {sentences(applied_words(item), revert_hint(item))}"


def since(armed_unix_s: float) -> str:
    """Return ` since 2026-11-23 13:40`, empty for a number that no calendar has."""
    try:
        return time.strftime(" since %Y-%m-%d %H:%M", time.localtime(armed_unix_s))
    except (OverflowError, ValueError, OSError):  # a record may hold any number
        return ""
