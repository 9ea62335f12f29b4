"""Ask before an export replaces files that the person did not name, or sets a split that no decision orders."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.confirm_question import ConfirmQuestion, ask_question

_MOST_NAMES = 8


def _tr(text: str) -> str:
    return QCoreApplication.translate("exports", text)


def ask_to_replace(parent: QWidget, paths: Sequence[Path], replace: Callable[[], None]) -> QMessageBox:
    """Name the files and ask whether they may be replaced; call `replace` if so. Nothing waits."""
    names = "\n".join(path.name for path in paths[:_MOST_NAMES]) + (
        "\n\N{HORIZONTAL ELLIPSIS}" if len(paths) > _MOST_NAMES else ""
    )
    question = ConfirmQuestion(
        title=_tr("Replace files"),
        text=_tr("This export also writes files that are there already. Replace them?"),
        more=_tr("In {folder}:\n{names}").format(folder=paths[0].parent, names=names),
        yes=_tr("&Replace"),
        no=_tr("&Keep them"),
    )
    return ask_question(parent, question, replace)


def ask_despite_doubt(parent: QWidget, split: str, doubt: str, export: Callable[[], None]) -> QMessageBox:
    """Ask for a choice before the configuration of a split that the decision does not order; call `export` if so.

    Args:
        parent: The widget that asks.
        split: The split's label.
        doubt: Reason not to set it.
        export: Goes on with the export; nothing waits for the answer.
    """
    question = ConfirmQuestion(
        title=_tr("Export configuration"),
        text=doubt,
        more=_tr("Export a configuration of {split} all the same?").format(split=split),
        yes=_tr("&Export {split} all the same").format(split=split),
        no=_tr("&Cancel"),
    )
    return ask_question(parent, question, export)
