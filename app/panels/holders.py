"""Who holds a host, or has left it changed, in the window's words."""

from PySide6.QtCore import QCoreApplication

from scheduler.model.holder import Holder


def _tr(text: str) -> str:
    return QCoreApplication.translate("holders", text)


def held_words(holder: Holder) -> str:
    """Return who holds a host, as a host's card says it."""
    match holder:
        case Holder.SWEEP:
            return _tr("A sweep holds it")
        case Holder.FOLLOW:
            return _tr("It is being followed")
        case Holder.APPLY:
            return _tr("A split is being set there")
        case Holder.RESTORE:
            return _tr("It is being restored")
        case _:
            return _tr("Another DomTune holds it")


def left_words(holder: Holder) -> str:
    """Return what has left a host changed, likewise."""
    if holder is Holder.FOLLOW:
        return _tr("Has settings from being followed, which broke off")
    return _tr("Has settings of a broken sweep")


def due_words(holder: Holder) -> str:
    """Return the banner's sentence for a host with a record, with places for its name and for when that began."""
    if holder is Holder.FOLLOW:
        return _tr("{host} still has settings from being followed, which began {when} and broke off.")
    return _tr("{host} still has settings from a sweep that began {when} and broke off.")
