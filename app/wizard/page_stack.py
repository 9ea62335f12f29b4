"""The wizard's pages, made one after another, a piece per tick: all of one take several frames' time."""

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.widgets.in_turn import Making
from app.widgets.unveil import Unveil
from app.wizard.wizard_page import WizardPage, make_scrolled_page


class PageStack(QStackedWidget):
    """Shows one page; those that are not all there are not in `made`.

    Args:
        makers: Each returns a page, with nothing in it but its head.
        parent: Qt's parent.

    Signals:
        ready: Index of a page that is all there now.

    Attributes:
        first: Index of the page that somebody waits for; it is made before the others.
        made: Index to the page.
    """

    ready = Signal(int)

    def __init__(self, makers: Sequence[Callable[[], WizardPage]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._makers = makers
        self._pages: list[WizardPage] = []
        self._veils: dict[int, Unveil] = {}
        self.first = 0
        self.made: dict[int, WizardPage] = {}
        self.making: Making | None = None

    def begin(self, *, now: bool) -> None:
        """Make the pages: all of them now, or a piece per tick."""
        self.making = Making(self._make(), self, now=now)

    @property
    def all(self) -> list[WizardPage]:
        """All pages in their order; what is not there yet is made now."""
        self.finish()
        return self._pages

    def finish(self) -> None:
        """Make now what is not there yet."""
        if self.making is not None:
            self.making.finish()

    def show_page(self, index: int) -> None:
        """Show a page that is made; for the first time, part by part."""
        veil = self._veils.pop(index, None)
        if veil is not None and self.isVisible():
            veil.cover()
            veil.begin()
        self.setCurrentIndex(index)

    def fill(self) -> None:
        """Show the form's text on what is made; the others show it when they are."""
        for page in self.made.values():
            page.fill()

    def put_away(self) -> list[QWidget]:
        """Make and show no more; return the pages as they stand in here."""
        if self.making is not None:
            self.making.clear()
        return [part for index in range(self.count()) if (part := self.widget(index)) is not None]

    def _make(self) -> Iterator[None]:
        """Put every page in its place first: what comes into another parent later is restyled, all of it."""
        for make in self._makers:
            self._pages.append(make())
            self.addWidget(make_scrolled_page(self._pages[-1]))
            yield
        while len(self.made) < len(self._pages):
            left = [index for index in range(len(self._pages)) if index not in self.made]
            index = self.first if self.first in left else left[0]
            page = self._pages[index]
            yield from page.make()
            page.fill()
            yield
            page.refresh()  # what is hidden by it is not laid out when the page is shown
            yield
            page.settle(self.size())
            yield
            self._veils[index] = Unveil(page.parts, page)
            self.made[index] = page
            self.ready.emit(index)
            yield
