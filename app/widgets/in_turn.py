"""Work that is seen, a piece per tick: what is changed together is painted together, and that would take too long."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

from app.widgets.unveil import TICK_MS

_OVER = object()


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


class Making(InTurn):
    """Makes a page in pieces, then does what waits for it, a piece per tick.

    Args:
        pieces: Makes a piece at each `next`.
        parent: Qt's parent.
        now: True to make all of it at once.
    """

    def __init__(self, pieces: Iterator[None], parent: QObject | None = None, *, now: bool = True) -> None:
        super().__init__(parent)
        self._pieces: Iterator[None] | None = pieces
        self.want("", self._make_one)
        if now:
            self.finish()

    @property
    def made(self) -> bool:
        """True when all of the page is there."""
        return self._pieces is None

    def after(self, name: str, work: Callable[[], None]) -> None:
        """Run `work` when the page is there: now, or in place of earlier work of this name that waits for it."""
        if self.made and not self.busy:
            work()
        else:
            self._wanted.pop(name, None)  # it comes after what was wanted since
            self.want(name, work)

    def _make_one(self) -> None:
        if self._pieces is not None and next(self._pieces, _OVER) is _OVER:
            self._pieces = None
        if self._pieces is not None:
            self._wanted = {"": self._make_one, **self._wanted}
