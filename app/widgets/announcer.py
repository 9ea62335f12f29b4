"""Announcements for screen readers.

An announcement reports an event away from the keyboard focus: a changed state, an ended sweep, a new banner.
"""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


class Announcer(QObject):
    """Announce texts for one widget; skip a text that repeats the last one.

    Args:
        widget: The widget that the announcements belong to.

    Signals:
        announced: The announced text, with or without an active screen reader.
    """

    announced = Signal(str)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._last = ""

    def say(self, words: str) -> None:
        """Announce a text, unless it is empty or repeats the last announcement."""
        if not words or words == self._last:
            return
        self._last = words
        self.announced.emit(words)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._widget, words))

    def forget(self) -> None:
        """Clear the last announcement, so that the same text can be announced again."""
        self._last = ""
