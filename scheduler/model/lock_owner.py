"""Who holds a host, or left it changed: noted in its lock, known from its undo record, and told by what answers."""

import enum


class LockOwner(enum.StrEnum):
    """What a process of DomTune's does with a host."""

    UNKNOWN = ""  # it only looks, or an earlier version noted its process and no more
    SWEEP = "sweep"
    FOLLOW = "follow"
    APPLY = "apply"  # sets a split, or takes it back
    RESTORE = "restore"


def parse_lock_owner(word: str) -> LockOwner:
    """Return what a word of a lock means; `UNKNOWN` for one of another version."""
    return LockOwner(word) if word in set(LockOwner) else LockOwner.UNKNOWN


def describe_lock(holder: LockOwner) -> str:
    """Return that somebody else holds a host, as a clause."""
    return {
        LockOwner.SWEEP: "another sweep holds this host",
        LockOwner.FOLLOW: "this host is being followed",
        LockOwner.APPLY: "a split is being set on this host",
        LockOwner.RESTORE: "this host is being restored",
    }.get(holder, "another DomTune holds this host")


def describe_busy_host(holder: LockOwner) -> str:
    """Return that somebody holds a host, or left it changed, as a clause: from outside the two look alike."""
    if holder is LockOwner.SWEEP:
        return "a sweep holds this host, or left it changed"
    if holder is LockOwner.FOLLOW:
        return "this host is being followed, or that broke off and left it changed"
    return f"{describe_lock(holder)}, or left it changed" if holder is LockOwner.UNKNOWN else describe_lock(holder)


def describe_change_origin(holder: LockOwner) -> str:
    """Return what left a host changed, as the subject of a clause."""
    return "following that broke off" if holder is LockOwner.FOLLOW else "a broken sweep"
