"""Draw several parts one after another, so that no turn of the event loop takes longer than 16 ms."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

REST_MS = 14  # between two parts, so that one is painted before the next is drawn

Draw = Callable[[], None]


class DrawQueue(QObject):
    """Draws the first part now and the others later, one per turn of the event loop.

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
        """Draw these parts, in their order; a part that waits already is drawn once."""
        self._waiting += [part for part in parts if part not in self._waiting]
        if not self._timer.isActive():
            self._draw_next()

    def clear(self) -> None:
        """Draw nothing of what waits."""
        self._waiting = []

    def _draw_next(self) -> None:
        if self._waiting:
            self._waiting.pop(0)()
            self._timer.start()
