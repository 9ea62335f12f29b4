"""Who holds a host, or left it changed: noted in its lock, known from its undo record, and told by what answers."""

import enum


class Holder(enum.StrEnum):
    """What a process of DomTune's does with a host."""

    UNKNOWN = ""  # it only looks, or an earlier version noted its process and no more
    SWEEP = "sweep"
    FOLLOW = "follow"
    APPLY = "apply"  # sets a split, or takes it back
    RESTORE = "restore"


def holder_of(word: str) -> Holder:
    """Return what a word of a lock means; `UNKNOWN` for one of another version."""
    return Holder(word) if word in set(Holder) else Holder.UNKNOWN


def holds_words(holder: Holder) -> str:
    """Return that somebody else holds a host, as a clause."""
    return {
        Holder.SWEEP: "another sweep holds this host",
        Holder.FOLLOW: "this host is being followed",
        Holder.APPLY: "a split is being set on this host",
        Holder.RESTORE: "this host is being restored",
    }.get(holder, "another DomTune holds this host")


def busy_words(holder: Holder) -> str:
    """Return that somebody holds a host, or left it changed, as a clause: from outside the two look alike."""
    if holder is Holder.SWEEP:
        return "a sweep holds this host, or left it changed"
    if holder is Holder.FOLLOW:
        return "this host is being followed, or that broke off and left it changed"
    return f"{holds_words(holder)}, or left it changed" if holder is Holder.UNKNOWN else holds_words(holder)


def left_words(holder: Holder) -> str:
    """Return what left a host changed, as the subject of a clause."""
    return "following that broke off" if holder is Holder.FOLLOW else "a broken sweep"
