"""Headings of studies in the window."""

from PySide6.QtCore import QCoreApplication

from scheduler.model.studies import find_study


def _tr(text: str) -> str:
    return QCoreApplication.translate("study_words", text)


def rates_title(study: str) -> str:
    """Return the heading of the plot of a study's rates."""
    return _tr(find_study(study).rates_title)
