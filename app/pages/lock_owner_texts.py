"""Texts for the process that uses a host, or that left the host changed."""

from scheduler.model.lock_owner import LockOwner
from scheduler.translation import _


def lock_owner_words(holder: LockOwner) -> str:
    """Return the text of a host's card for the process that uses the host."""
    match holder:
        case LockOwner.SWEEP:
            return _("A sweep uses this host")
        case LockOwner.FOLLOW:
            return _("Following is active")
        case LockOwner.APPLY:
            return _("A split is being applied")
        case LockOwner.RESTORE:
            return _("The host is being restored")
        case _:
            return _("Another DomTune uses this host")


def changed_host_words(holder: LockOwner) -> str:
    """Return the text of a host's card for a host with a pending restore."""
    if holder is LockOwner.FOLLOW:
        return _("Has settings from following, which was interrupted")
    return _("Has settings of an interrupted sweep")


def pending_restore_words(holder: LockOwner) -> str:
    """Return the banner's sentence for a pending restore, with `{host}` and `{when}`."""
    if holder is LockOwner.FOLLOW:
        return _("{host} still has settings from following, which began {when} and was interrupted.")
    return _("{host} still has settings from a sweep that began {when} and was interrupted.")
