"""What studies are called in the window."""

from PySide6.QtCore import QCoreApplication

from scheduler.model.studies import CAPACITY, OVERHEAD, SCALE_UP


def _tr(text: str) -> str:
    return QCoreApplication.translate("study_words", text)


def rates_title(study: str) -> str:
    """Return the heading of the plot of a study's rates."""
    if study == CAPACITY:
        return _tr("Throughput over users")
    if study == SCALE_UP:
        return _tr("Throughput over vCPUs")
    return _tr("Throughput per side") if study == OVERHEAD else _tr("Throughput per split")
