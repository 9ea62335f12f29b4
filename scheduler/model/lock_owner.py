"""Owner of a host's lock, from lock files, undo records and answers."""

import enum

from scheduler.translation import _


class LockOwner(enum.StrEnum):
    """Work of a DomTune process on a host."""

    UNKNOWN = ""  # the process only reads, or an earlier version wrote its process id only
    SWEEP = "sweep"
    FOLLOW = "follow"
    APPLY = "apply"  # sets a split, or reverts it
    RESTORE = "restore"


def parse_lock_owner(word: str) -> LockOwner:
    """Return the owner for a word of a lock file; `UNKNOWN` for other versions' words."""
    return LockOwner(word) if word in set(LockOwner) else LockOwner.UNKNOWN


def describe_lock(holder: LockOwner) -> str:
    """Return a clause that another process holds a host."""
    return {
        LockOwner.SWEEP: _("another sweep holds this host"),
        LockOwner.FOLLOW: _("this host is being followed"),
        LockOwner.APPLY: _("a split is being set on this host"),
        LockOwner.RESTORE: _("this host is being restored"),
    }.get(holder, _("another DomTune process uses this host"))


def describe_busy_host(holder: LockOwner) -> str:
    """Return a clause that a process holds a host or left it changed.

    From outside the two cases look the same.
    """
    if holder is LockOwner.SWEEP:
        return _("a sweep uses this host, or was interrupted and left it changed")
    if holder is LockOwner.FOLLOW:
        return _("following is active on this host, or was interrupted and left it changed")
    return (
        _("{lock}, or left it changed").format(lock=describe_lock(holder))
        if holder is LockOwner.UNKNOWN
        else describe_lock(holder)
    )


def describe_change_origin(holder: LockOwner) -> str:
    """Return the origin of a changed host, as the subject of a clause."""
    return _("an interrupted follow") if holder is LockOwner.FOLLOW else _("an interrupted sweep")
