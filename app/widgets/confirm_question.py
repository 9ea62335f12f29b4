"""Question with two or three answers; the safe answer is the default."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.dialog_layout import show_dialog
from app.widgets.labels import tooltip_text


class ConfirmQuestion(NamedTuple):
    """Texts of a question: window title, question, consequence and the buttons.

    The button `other` is optional.
    """

    title: str
    text: str
    more: str
    yes: str
    no: str
    other: str = ""


def ask_question(
    parent: QWidget, question: ConfirmQuestion, then: Callable[[], None], otherwise: Callable[[], None] = lambda: None
) -> QMessageBox:
    """Show a question without blocking; call `then` after a yes.

    Args:
        parent: Window that asks.
        question: Texts of the question.
        then: Called after a yes. Escape counts as no.
        otherwise: Called after the third answer.
    """
    asking = QMessageBox(parent)
    asking.setWindowTitle(question.title)
    asking.setText(tooltip_text(question.text))  # the text contains names of hosts and files
    asking.setInformativeText(tooltip_text(question.more))
    yes = asking.addButton(question.yes, QMessageBox.ButtonRole.DestructiveRole)
    if question.other:
        asking.addButton(question.other, QMessageBox.ButtonRole.AcceptRole).clicked.connect(otherwise)
    no = asking.addButton(question.no, QMessageBox.ButtonRole.RejectRole)
    asking.setDefaultButton(no)
    asking.setEscapeButton(no)
    yes.clicked.connect(then)
    show_dialog(asking)
    return asking
