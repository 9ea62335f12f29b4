"""A question with two answers, of which the careful one is the default; nothing waits for it."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.dialog_layout import show_dialog
from app.widgets.labels import tooltip_text


class ConfirmQuestion(NamedTuple):
    """Its words: the window's title, the question, what follows from it, and both buttons."""

    title: str
    text: str
    more: str
    yes: str
    no: str


def ask_question(parent: QWidget, question: ConfirmQuestion, then: Callable[[], None]) -> QMessageBox:
    """Show it; call `then` when the answer is yes. Escape means no."""
    asking = QMessageBox(parent)
    asking.setWindowTitle(question.title)
    asking.setText(tooltip_text(question.text))  # names of hosts and files stand in it
    asking.setInformativeText(tooltip_text(question.more))
    yes = asking.addButton(question.yes, QMessageBox.ButtonRole.DestructiveRole)
    no = asking.addButton(question.no, QMessageBox.ButtonRole.RejectRole)
    asking.setDefaultButton(no)
    asking.setEscapeButton(no)
    yes.clicked.connect(then)
    show_dialog(asking)
    return asking
