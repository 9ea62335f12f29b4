"""Sliders, spin boxes, combo boxes and tabs that ignore the mouse wheel.

Qt's own inputs change their value when the wheel turns over them, even without focus. All inputs of the window come
from this module.
"""

from typing import cast

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QSlider, QSpinBox, QTabBar


class StillSlider(QSlider):
    """Slider that moves by drag, click and keys, never by the wheel."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page."""
        event.ignore()


class StillSpinBox(QSpinBox):
    """Integer spin box that changes by buttons and keys, never by the wheel."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page."""
        event.ignore()


class StillComboBox(QComboBox):
    """Combo box without wheel and without completion of typed text.

    Qt's completer appends the rest of a known entry while a person types: `xen1` becomes `xen10.example.org`.
    """

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page."""
        event.ignore()

    def setEditable(self, editable: bool) -> None:  # noqa: FBT001 - Qt's signature
        """Allow or forbid typing; remove the completer."""
        super().setEditable(editable)
        self._remove_completer()

    def setLineEdit(self, edit: QLineEdit) -> None:
        """Set the line edit; remove the completer."""
        super().setLineEdit(edit)
        self._remove_completer()

    def _remove_completer(self) -> None:
        if edit := self.lineEdit():
            edit.setCompleter(cast("QCompleter", None))  # the stubs do not know that None removes it


class StillTabBar(QTabBar):
    """Tab bar that changes by click and keys, never by the wheel."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page."""
        event.ignore()
