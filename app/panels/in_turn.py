"""Work that is seen, a piece per tick: what is changed together is painted together, and that would take too long."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.widgets.unveil import TICK_MS


class InTurn(QObject):
    """Runs the pieces in the order in which they were first wanted; one wanted again meanwhile is run once.

    Args:
        parent: Qt's parent.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: dict[str, Callable[[], None]] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)

    @property
    def busy(self) -> bool:
        """True while a piece has not run."""
        return bool(self._wanted)

    def want(self, name: str, work: Callable[[], None]) -> None:
        """Run `work` soon, in place of earlier work of this name that has not run yet."""
        self._wanted[name] = work
        if not self._timer.isActive():
            self._timer.start()

    def clear(self) -> None:
        """Forget what has not run."""
        self._wanted.clear()

    def finish(self) -> None:
        """Run all that is left now."""
        while self._wanted:
            self._next()

    def _next(self) -> None:
        if self._wanted:
            self._wanted.pop(next(iter(self._wanted)))()
        if self._wanted:
            self._timer.start()
