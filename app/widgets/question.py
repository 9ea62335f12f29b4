"""A question with two answers, of which the careful one is the default; nothing waits for it."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.dialog import bring_up
from app.widgets.text import tip


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
    asking.setText(tip(question.text))  # names of hosts and files stand in it
    asking.setInformativeText(tip(question.more))
    yes = asking.addButton(question.yes, QMessageBox.ButtonRole.DestructiveRole)
    no = asking.addButton(question.no, QMessageBox.ButtonRole.RejectRole)
    asking.setDefaultButton(no)
    asking.setEscapeButton(no)
    yes.clicked.connect(then)
    bring_up(asking)
    return asking
