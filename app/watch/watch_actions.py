"""What may be done with what watching came to, and else why not."""

from PySide6.QtCore import QCoreApplication

from app.display_texts import format_percent, typeset_text
from scheduler.model.watch_documents import WatchOutlook, WatchResult

_WORTH = frozenset({WatchOutlook.LITTLE, WatchOutlook.TRIAL})


def _tr(text: str) -> str:
    return QCoreApplication.translate("watch", text)


def no_follow_reason(answer: WatchResult) -> str:
    """Return why that load is not worth following; empty where it may be."""
    if answer.outlook in _WORTH:
        return ""
    gain = answer.following_gain_frac
    if answer.outlook is WatchOutlook.STATIC and gain is not None:
        words = _tr("One split does: following would gain {gain} more (estimate).")
        return words.format(gain=format_percent(max(0.0, gain)))
    if answer.outlook is WatchOutlook.STATIC:
        return _tr("By weights nobody can tell what following would gain: it depends on what others want.")
    if answer.outlook is WatchOutlook.NOTHING:
        return _tr("There is nothing to follow: what is set decided nothing.")
    return _tr("What following would gain cannot be told from what was seen.")


def no_export_reason(answer: WatchResult) -> str:
    """Return why there can be no scripts for what watching came to; empty where there can."""
    if answer.simulated:
        return _tr("The machine was simulated: a configuration for a real host needs a real one.")
    if not answer.split:
        words = _tr("No split is named, so there is no configuration to export. {why}")
        return words.format(why=typeset_text(answer.headline)).strip()
    from scheduler.export import watched_split

    why = watched_split.watched_refusal(answer)
    return _tr("There can be no configuration: {why}").format(why=why) if why else ""
