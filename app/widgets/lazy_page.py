"""Pages created on first use, and early imports of their modules."""

import importlib
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

_PAUSE_MS = 200  # between two imports, so that user input comes first

Page = TypeVar("Page", bound=QWidget)


class LazyPage(Generic[Page]):
    """Page that is created on first use.

    Args:
        make: Imports the page's modules and returns the page.
        place: Inserts the page into the window.

    Attributes:
        page: The page; None before `provide` and after `drop`.
    """

    def __init__(self, make: Callable[[], Page], place: Callable[[Page], None]) -> None:
        self._make, self._place = make, place
        self.page: Page | None = None

    def provide(self) -> Page:
        """Return the page; create it on the first call."""
        if self.page is None:
            self.page = self._make()
            self._place(self.page)
        return self.page

    def drop(self) -> Page | None:
        """Release and return the page; the next `provide` creates another."""
        page, self.page = self.page, None
        return page


def import_later(names: Sequence[str], parent: QObject) -> QTimer:
    """Return a timer that imports one module at each timeout in the window's thread.

    The timer stops after the last module. A Qt class defined in another thread changes data that PySide reads without
    Python's lock. This crashed the window now and then (SignalManager::retrieveMetaObject, PySide 6.11).

    Args:
        names: Modules in the order of their import.
        parent: Qt's parent.
    """
    timer, left = QTimer(parent), list(names)
    timer.setInterval(_PAUSE_MS)

    def import_next() -> None:
        name = left.pop(0)
        if not left:
            timer.stop()
        importlib.import_module(name)

    timer.timeout.connect(import_next)
    return timer
