"""The question before input is thrown away."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from app.widgets.question import Question, ask


def ask_to_leave(parent: QWidget, leave: Callable[[], None]) -> QMessageBox:
    """Ask whether what was typed may be lost; call `leave` if so. Nothing waits."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("wizard", text)

    question = Question(
        title=tr("Leave"),
        text=tr("Leave without this sweep?"),
        more=tr("What you typed is lost. Save the plan to keep it."),
        yes=tr("&Leave"),
        no=tr("&Stay"),
    )
    return ask(parent, question, leave)
