"""Work that is seen, a piece per tick: what is changed together is painted together, and that would take too long."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject

from app.widgets.tick import Tick

_OVER = object()

Work = Callable[[], Iterator[None] | None]  # what returns an iterator is a piece at each `next`


class InTurn(QObject):
    """Runs the pieces in the order in which they were first wanted; one wanted again meanwhile is run once.

    Args:
        parent: Qt's parent.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: dict[str, Work] = {}
        self._timer = Tick(self)
        self._timer.timeout.connect(self._next)

    @property
    def busy(self) -> bool:
        """True while a piece has not run."""
        return bool(self._wanted)

    def want(self, name: str, work: Work) -> None:
        """Run `work` soon, in place of earlier work of this name that has not run yet, or not all of it."""
        self._wanted[name] = work
        self._timer.begin()

    def clear(self) -> None:
        """Forget what has not run."""
        self._wanted = {}

    def finish(self) -> None:
        """Run all that is left now."""
        while self._wanted:
            self._next()

    def _next(self) -> None:
        if self._wanted:
            wanted, name = self._wanted, next(iter(self._wanted))
            rest = wanted.pop(name)()
            more = rest is not None and next(rest, _OVER) is not _OVER
            if more and self._wanted is wanted and name not in wanted:  # neither forgotten meanwhile nor begun anew
                self._wanted = {name: lambda: rest, **wanted}
        if self._wanted:
            self._timer.begin()


class Making(InTurn):
    """Makes a page in pieces, then does what waits for it, a piece per tick.

    Args:
        pieces: Makes a piece at each `next`.
        parent: Qt's parent.
        now: True to do all of it at once, and what waits for it when it is asked for.
    """

    def __init__(self, pieces: Iterator[None], parent: QObject | None = None, *, now: bool = True) -> None:
        super().__init__(parent)
        self._now = now
        self._pieces: Iterator[None] | None = pieces
        self.want("", self._make)
        if now:
            self.finish()

    @property
    def made(self) -> bool:
        """True when all of the page is there."""
        return self._pieces is None

    def after(self, name: str, work: Work) -> None:
        """Run `work` when the page is there: now, or in place of earlier work of this name that waits for it.

        What is a piece at each `next` begins at the next tick.
        """
        if self.made and not self.busy:
            rest = work()
            if rest is not None:
                self.want(name, lambda: rest)
        else:
            self._wanted.pop(name, None)  # it comes after what was wanted since
            self.want(name, work)
        if self._now:
            self.finish()

    def _make(self) -> Iterator[None]:
        if self._pieces is not None:
            yield from self._pieces
        self._pieces = None
