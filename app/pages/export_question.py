"""Questions before an export: replace files, or export a split despite doubt."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.confirm_question import ConfirmQuestion, ask_question
from scheduler.translation import _

_MOST_NAMES = 8


def ask_to_replace(parent: QWidget, paths: Sequence[Path], replace: Callable[[], None]) -> QMessageBox:
    """Ask before an export replaces files; the dialog does not block.

    Args:
        parent: Widget that asks.
        paths: Files that exist already.
        replace: Called if the user agrees.
    """
    names = "\n".join(path.name for path in paths[:_MOST_NAMES]) + (
        "\n\N{HORIZONTAL ELLIPSIS}" if len(paths) > _MOST_NAMES else ""
    )
    question = ConfirmQuestion(
        title=_("Replace files"),
        text=_("Some files of this export already exist. Replace them?"),
        more=_("In {folder}:\n{names}").format(folder=paths[0].parent, names=names),
        yes=_("&Replace"),
        no=_("&Keep them"),
    )
    return ask_question(parent, question, replace)


def ask_despite_doubt(parent: QWidget, split: str, doubt: str, export: Callable[[], None]) -> QMessageBox:
    """Ask before exporting a split that the decision does not order; does not block.

    Args:
        parent: Widget that asks.
        split: Label of the split.
        doubt: Reason against setting the split.
        export: Called if the user agrees.
    """
    question = ConfirmQuestion(
        title=_("Export configuration"),
        text=doubt,
        more=_("Export a configuration of {split} anyway?").format(split=split),
        yes=_("&Export {split} anyway").format(split=split),
        no=_("&Cancel"),
    )
    return ask_question(parent, question, export)
