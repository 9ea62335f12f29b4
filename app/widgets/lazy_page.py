"""Make a page when it is first needed, and import the modules of pages before that."""

import importlib
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

_PAUSE_MS = 200  # between two imports, so that whatever the person does comes first

Page = TypeVar("Page", bound=QWidget)


class LazyPage(Generic[Page]):
    """A page that is made when it is first needed.

    Args:
        make: Returns a page; imports its modules.
        place: Puts a page into its place.

    Attributes:
        page: None until it is needed, and after `drop`.
    """

    def __init__(self, make: Callable[[], Page], place: Callable[[Page], None]) -> None:
        self._make, self._place = make, place
        self.page: Page | None = None

    def provide(self) -> Page:
        """Return the page."""
        if self.page is None:
            self.page = self._make()
            self._place(self.page)
        return self.page

    def drop(self) -> Page | None:
        """Return the page for the last time; the next `provide` makes another."""
        page, self.page = self.page, None
        return page


def import_later(names: Sequence[str], parent: QObject) -> QTimer:
    """Return a timer that imports a module at each timeout, in the window's thread, and stops after the last.

    A class of Qt that is defined in another thread changes what PySide reads without Python's lock, which crashed the
    window now and then (SignalManager::retrieveMetaObject, PySide 6.11).

    Args:
        names: Modules, in the order in which they are imported.
        parent: Qt's parent.
    """
    timer, left = QTimer(parent), list(names)
    timer.setInterval(_PAUSE_MS)

    def import_next() -> None:
        importlib.import_module(left.pop(0))
        if not left:
            timer.stop()

    timer.timeout.connect(import_next)
    return timer
