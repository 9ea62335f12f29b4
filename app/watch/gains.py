"""Whether following is worth a thought, by what watching came to."""

from PySide6.QtCore import QCoreApplication

from app.words import percent
from scheduler.model.watching import Outlook, Watched

_WORTH = frozenset({Outlook.LITTLE, Outlook.TRIAL})


def _tr(text: str) -> str:
    return QCoreApplication.translate("watch", text)


def why_not_followed(answer: Watched) -> str:
    """Return why that load is not worth following; empty where it may be."""
    if answer.outlook in _WORTH:
        return ""
    gain = answer.following_gain_frac
    if answer.outlook is Outlook.STATIC and gain is not None:
        words = _tr("One split does: following would gain {gain} more (estimate).")
        return words.format(gain=percent(max(0.0, gain)))
    if answer.outlook is Outlook.STATIC:
        return _tr("By weights nobody can tell what following would gain: it depends on what others want.")
    if answer.outlook is Outlook.NOTHING:
        return _tr("There is nothing to follow: what is set decided nothing.")
    return _tr("What following would gain cannot be told from what was seen.")
