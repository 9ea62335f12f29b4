"""Shows the parts of a page one after another: what is painted together would keep the window's thread too long."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

# Less than a frame: the eye sees the parts come at once, yet each is painted by itself. It counts from the end of the
# tick before: a timer that goes on by itself is due again when painting took long, and adds its work to that turn.
TICK_MS = 12


class Unveil(QObject):
    """Covers parts of a page, so that they are laid out but not painted, and uncovers them in their order.

    Args:
        parts: Top to bottom.
        parent: Qt's parent.
    """

    def __init__(self, parts: Sequence[QWidget], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._parts = tuple(parts)
        self._covered: list[QWidget] = []
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)

    @property
    def covered(self) -> bool:
        """True while a part is covered."""
        return bool(self._covered)

    def cover(self) -> None:
        """Cover all parts until `begin` or `uncover`."""
        self._timer.stop()
        self._covered = list(self._parts)
        for part in self._parts:
            part.setUpdatesEnabled(False)

    def begin(self) -> None:
        """Uncover one part per tick from now on."""
        self._timer.start()

    def uncover(self, part: QWidget) -> None:
        """Uncover one part now."""
        if part in self._covered:
            self._covered.remove(part)
            part.setUpdatesEnabled(True)

    def _next(self) -> None:
        if self._covered:
            self.uncover(self._covered[0])
        if self._covered:
            self._timer.start()
