"""Questions before typed input is discarded."""

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.confirm_question import ConfirmQuestion, ask_question
from scheduler.model.urls import redact_url
from scheduler.translation import _


def ask_to_leave(parent: QWidget, leave: Callable[[], None]) -> QMessageBox:
    """Ask before the wizard is left; the dialog does not block.

    Args:
        parent: Widget that asks.
        leave: Called if the user agrees.
    """
    question = ConfirmQuestion(
        title=_("Discard"),
        text=_("Discard this sweep?"),
        more=_("Your entries will be lost. Save the plan to keep them."),
        yes=_("&Discard"),
        no=_("&Stay"),
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
        title=_("Another sweep"),
        text=_("You have an unfinished plan for a sweep of {host}. Replace it with a new plan?").format(
            host=redact_url(host)
        ),
        more=_(
            "Replacing loses your entries. Choose New sweep to continue the old plan, or Save plan to "
            "keep it in a file."
        ),
        yes=_("&Replace"),
        no=_("&Keep my entries"),
    )
    return ask_question(parent, question, begin)
