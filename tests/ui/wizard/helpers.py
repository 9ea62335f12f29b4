"""Hands and eyes of the wizard's tests."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit

from app.wizard.wizard import Wizard

LIMIT_MS = 30_000


def type_into(qtbot, edit: QLineEdit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClick(edit, Qt.Key.Key_Delete)
    qtbot.keyClicks(edit, text)


def press(qtbot, wizard: Wizard, key: Qt.Key) -> None:
    qtbot.keyClick(QApplication.focusWidget() or wizard, key)


def click(qtbot, button: QAbstractButton) -> None:
    place = QPoint(10, button.height() // 2)  # a check box takes no clicks far from its words
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=place)


def known(qtbot, wizard: Wizard) -> None:
    qtbot.waitUntil(lambda: wizard.state.facts is not None, timeout=LIMIT_MS)


def page_texts(wizard: Wizard) -> str:
    return " ".join(part.text() for part in wizard.page.findChildren(QLabel) if part.isVisible())
