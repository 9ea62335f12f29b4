"""Queue of drawing steps that keeps each turn of the event loop below 16 ms."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

REST_MS = 14  # between two steps, so that the first is painted before the second is drawn

Draw = Callable[[], None]


class DrawQueue(QObject):
    """Queue that runs the first step at once and one more in each later turn.

    Args:
        parent: Qt's parent.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: list[Draw] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REST_MS)
        self._timer.timeout.connect(self._draw_next)

    def add(self, *parts: Draw) -> None:
        """Add steps in order; skip a step that is already in the queue."""
        self._waiting += [part for part in parts if part not in self._waiting]
        if not self._timer.isActive():
            self._draw_next()

    def clear(self) -> None:
        """Remove all steps from the queue."""
        self._waiting = []

    def _draw_next(self) -> None:
        if self._waiting:
            self._waiting.pop(0)()
            self._timer.start()
