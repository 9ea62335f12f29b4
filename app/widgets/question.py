"""A question with two answers, of which the careful one is the default; nothing waits for it."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.dialog import bring_up


class Question(NamedTuple):
    """Its words: the window's title, the question, what follows from it, and both buttons."""

    title: str
    text: str
    more: str
    yes: str
    no: str


def ask(parent: QWidget, question: Question, then: Callable[[], None]) -> QMessageBox:
    """Show it; call `then` when the answer is yes. Escape means no."""
    asking = QMessageBox(parent)
    asking.setWindowTitle(question.title)
    asking.setText(question.text)
    asking.setInformativeText(question.more)
    yes = asking.addButton(question.yes, QMessageBox.ButtonRole.DestructiveRole)
    no = asking.addButton(question.no, QMessageBox.ButtonRole.RejectRole)
    asking.setDefaultButton(no)
    asking.setEscapeButton(no)
    yes.clicked.connect(then)
    bring_up(asking)
    return asking
