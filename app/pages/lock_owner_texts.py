"""Texts for the process that uses a host, or that left the host changed."""

from PySide6.QtCore import QCoreApplication

from scheduler.model.lock_owner import LockOwner


def _tr(text: str) -> str:
    return QCoreApplication.translate("holders", text)


def lock_owner_words(holder: LockOwner) -> str:
    """Return the text of a host's card for the process that uses the host."""
    match holder:
        case LockOwner.SWEEP:
            return _tr("A sweep holds it")
        case LockOwner.FOLLOW:
            return _tr("It is being followed")
        case LockOwner.APPLY:
            return _tr("A split is being set there")
        case LockOwner.RESTORE:
            return _tr("It is being restored")
        case _:
            return _tr("Another DomTune holds it")


def changed_host_words(holder: LockOwner) -> str:
    """Return the text of a host's card for a host with a pending restore."""
    if holder is LockOwner.FOLLOW:
        return _tr("Has settings from being followed, which broke off")
    return _tr("Has settings of a broken sweep")


def pending_restore_words(holder: LockOwner) -> str:
    """Return the banner's sentence for a pending restore, with `{host}` and `{when}`."""
    if holder is LockOwner.FOLLOW:
        return _tr("{host} still has settings from being followed, which began {when} and broke off.")
    return _tr("{host} still has settings from a sweep that began {when} and broke off.")
