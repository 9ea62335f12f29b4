"""Stage for pictures of the window: the running application and its pages."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from app.main_window import MainWindow

_DEADLINE_MS = 30_000
_QUIET_MS = 400  # time for hover states and animations to end

Page = Callable[["Stage"], "QWidget"]
PAGES: dict[str, Page] = {}


def page(name: str) -> Callable[[Page], Page]:
    """Register a page under the name of its picture."""

    def register(make: Page) -> Page:
        PAGES[name] = make
        return make

    return register


def visible_texts(shown: "QWidget") -> list[str]:
    """Return the texts of all visible labels, buttons and fields of a widget, in the order of the widgets."""
    from PySide6.QtWidgets import QWidget

    found = []
    for widget in [shown, *shown.findChildren(QWidget)]:
        if not widget.isVisibleTo(shown):
            continue
        for name in ("windowTitle", "title", "text", "currentText", "placeholderText"):
            read = getattr(widget, name, None)
            if callable(read) and isinstance(text := read(), str) and text:
                found.append(text)
    return found


class Stage:
    """Running application, for functions that show a page.

    Args:
        app: The application.
        window: The main window.
    """

    def __init__(self, app: "QApplication", window: "MainWindow") -> None:
        self.app = app
        self.window = window

    @property
    def run_id(self) -> str:
        """The completed sweep with the most points."""
        rows = [
            row for row in self.window.home.list.source.rows if not row.unfinished and row.newest.answer is not None
        ]
        return max(rows, key=lambda row: sum(map(len, row.newest.answer.curves.values()))).run_id

    def wait(self, condition: Callable[[], object]) -> None:
        """Run the event loop until the condition holds.

        Raises:
            TimeoutError: The condition does not hold within 30 s.
        """
        from PySide6.QtCore import QEventLoop, QTimer

        loop = QEventLoop()
        look = QTimer()
        look.setInterval(20)
        look.timeout.connect(lambda: condition() and loop.exit(0))
        look.start()
        QTimer.singleShot(_DEADLINE_MS, loop, lambda: loop.exit(1))
        if not condition() and loop.exec() != 0:
            raise TimeoutError("the page did not come about within 30 s")

    def settle(self, for_ms: int = _QUIET_MS) -> None:
        """Run the event loop for a while.

        Args:
            for_ms: Duration, milliseconds.
        """
        from PySide6.QtCore import QEventLoop, QTimer

        loop = QEventLoop()
        QTimer.singleShot(for_ms, loop.quit)
        loop.exec()
