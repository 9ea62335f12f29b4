"""Sliders, spin boxes, combo boxes and tabs that leave the mouse wheel to the page around them.

Qt's own inputs change their value when the wheel turns over them, even without the focus. Every input of the window
comes from this module.
"""

from typing import cast

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QSlider, QSpinBox, QTabBar


class StillSlider(QSlider):
    """Move by drag, click and keys, never by the wheel."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page."""
        event.ignore()


class StillSpinBox(QSpinBox):
    """Change an integer by buttons and keys, never by the wheel."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page."""
        event.ignore()


class StillComboBox(QComboBox):
    """Choose by click and keys, never by the wheel; an editable combo box never completes the typed text.

    Qt's completer appends the rest of a known entry while a person types: `xen1` becomes `xen10.example.org`.
    """

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page."""
        event.ignore()

    def setEditable(self, editable: bool) -> None:  # noqa: FBT001 - Qt's signature
        """Allow typing, without a completer."""
        super().setEditable(editable)
        self._remove_completer()

    def setLineEdit(self, edit: QLineEdit) -> None:
        """Type into another line, without a completer."""
        super().setLineEdit(edit)
        self._remove_completer()

    def _remove_completer(self) -> None:
        if edit := self.lineEdit():
            edit.setCompleter(cast("QCompleter", None))  # the stubs do not know that None removes it


class StillTabBar(QTabBar):
    """Change tabs by click and keys, never by the wheel."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page."""
        event.ignore()
