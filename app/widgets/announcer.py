"""Says to a screen reader what happened where the keyboard is not: a state changed, a sweep ended, a banner came."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


class Announcer(QObject):
    """One for each widget that has something to say; it says nothing twice in a row.

    Args:
        widget: For which it speaks.

    Signals:
        said: The words, whether somebody listens or not.
    """

    said = Signal(str)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._last = ""

    def say(self, words: str) -> None:
        """Say it, unless that was the last that was said."""
        if not words or words == self._last:
            return
        self._last = words
        self.said.emit(words)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._widget, words))

    def forget(self) -> None:
        """Say the same again when it comes again."""
        self._last = ""
