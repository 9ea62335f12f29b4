"""Texts for the process that uses a host, or that left the host changed."""

from PySide6.QtCore import QCoreApplication

from scheduler.model.lock_owner import LockOwner


def _tr(text: str) -> str:
    return QCoreApplication.translate("holders", text)


def lock_owner_words(holder: LockOwner) -> str:
    """Return the text of a host's card for the process that uses the host."""
    match holder:
        case LockOwner.SWEEP:
            return _tr("A sweep uses this host")
        case LockOwner.FOLLOW:
            return _tr("Following is active")
        case LockOwner.APPLY:
            return _tr("A split is being applied")
        case LockOwner.RESTORE:
            return _tr("The host is being restored")
        case _:
            return _tr("Another DomTune uses this host")


def changed_host_words(holder: LockOwner) -> str:
    """Return the text of a host's card for a host with a pending restore."""
    if holder is LockOwner.FOLLOW:
        return _tr("Has settings from following, which was interrupted")
    return _tr("Has settings of an interrupted sweep")


def pending_restore_words(holder: LockOwner) -> str:
    """Return the banner's sentence for a pending restore, with `{host}` and `{when}`."""
    if holder is LockOwner.FOLLOW:
        return _tr("{host} still has settings from following, which began {when} and was interrupted.")
    return _tr("{host} still has settings from a sweep that began {when} and was interrupted.")
