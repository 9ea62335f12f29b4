"""Questions before typed input is discarded."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.confirm_question import ConfirmQuestion, ask_question
from scheduler.model.urls import redact_url


def _tr(text: str) -> str:
    return QCoreApplication.translate("wizard", text)


def ask_to_leave(parent: QWidget, leave: Callable[[], None]) -> QMessageBox:
    """Ask before the wizard is left; the dialog does not block.

    Args:
        parent: Widget that asks.
        leave: Called if the user agrees.
    """
    question = ConfirmQuestion(
        title=_tr("Discard"),
        text=_tr("Discard this sweep?"),
        more=_tr("Your entries will be lost. Save the plan to keep them."),
        yes=_tr("&Discard"),
        no=_tr("&Stay"),
    )
    return ask_question(parent, question, leave)


def ask_to_replace(parent: QWidget, host: str, begin: Callable[[], None]) -> QMessageBox:
    """Ask before another sweep replaces the current input; the dialog does not block.

    Args:
        parent: Widget that asks.
        host: Host of the current input.
        begin: Called if the user agrees.
    """
    question = ConfirmQuestion(
        title=_tr("Another sweep"),
        text=_tr("You have an unfinished plan for a sweep of {host}. Replace it with a new plan?").format(
            host=redact_url(host)
        ),
        more=_tr(
            "Replacing loses your entries. Choose New sweep to continue the old plan, or Save plan to "
            "keep it in a file."
        ),
        yes=_tr("&Replace"),
        no=_tr("&Keep my entries"),
    )
    return ask_question(parent, question, begin)
