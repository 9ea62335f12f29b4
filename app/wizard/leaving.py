"""The question before input is thrown away."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMessageBox, QWidget


def ask_to_leave(parent: QWidget, leave: Callable[[], None]) -> QMessageBox:
    """Ask whether what was typed may be lost; call `leave` if so. Nothing waits."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("wizard", text)

    asking = QMessageBox(parent)
    asking.setIcon(QMessageBox.Icon.Question)
    asking.setWindowTitle(tr("Leave"))
    asking.setText(tr("Leave without this sweep?"))
    asking.setInformativeText(tr("What you typed is lost. Save the plan to keep it."))
    yes = asking.addButton(tr("&Leave"), QMessageBox.ButtonRole.DestructiveRole)
    no = asking.addButton(tr("&Stay"), QMessageBox.ButtonRole.RejectRole)
    asking.setDefaultButton(no)
    asking.setEscapeButton(no)
    yes.clicked.connect(leave)
    asking.finished.connect(asking.deleteLater)
    asking.open()
    return asking
