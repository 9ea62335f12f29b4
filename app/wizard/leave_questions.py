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
        title=_tr("Leave"),
        text=_tr("Leave without this sweep?"),
        more=_tr("What you typed is lost. Save the plan to keep it."),
        yes=_tr("&Leave"),
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
        text=_tr("You have begun to describe a sweep of {host}. Describe another one instead?").format(
            host=redact_url(host)
        ),
        more=_tr("What you typed is lost then. New sweep goes on with it; Save plan keeps it for good."),
        yes=_tr("&Describe another"),
        no=_tr("&Keep what I typed"),
    )
    return ask_question(parent, question, begin)
