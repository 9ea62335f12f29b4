"""Controller of the watch page: creates the page on demand.

Closing the window stops watching.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.pages.window_frame import WindowFrame
from app.widgets.confirm_question import ConfirmQuestion, ask_question
from app.widgets.lazy_page import LazyPage
from scheduler.model.urls import redact_url

if TYPE_CHECKING:
    from app.observe.watch_page import WatchPage


class WatchController(QObject):
    """Owner of the watch page.

    Args:
        window: Window that shows the page.

    Signals:
        shown: The window must show the page.
        sweep_wanted: URL of the host that the user wants to sweep.
        follow_wanted: `WatchRequest` of the watched host, and the named split.
        applied: A split was applied to a host.
    """

    shown = Signal()
    sweep_wanted = Signal(str)
    follow_wanted = Signal(object, str)
    applied = Signal()

    def __init__(self, window: WindowFrame) -> None:
        super().__init__(window)
        self._window = window
        self._lazy = LazyPage(self._make_page, window.add_page)

    def open(self, url: str = "") -> None:
        """Show the page; prepare to watch a host if its URL is given."""
        page = self._lazy.provide()
        self.shown.emit()
        page.offer(url)

    @property
    def page(self) -> "WatchPage | None":
        """The page; None until it is needed."""
        return self._lazy.page

    def _make_page(self) -> "WatchPage":
        from app.observe.watch_page import WatchPage

        window = self._window
        page = WatchPage(window.theme, window.settings, window.runner, window.background)
        page.sweep_wanted.connect(self.sweep_wanted)
        page.follow_wanted.connect(self.follow_wanted)
        page.applied.connect(self.applied)
        page.watcher.answered.connect(self._announce_end)
        page.watcher.failed.connect(self._announce_end)
        return page

    def _announce_end(self) -> None:
        """Report the end on the current page, because watching may have taken days."""
        if self.page is not None and self._window.page is not self.page:
            text = self.tr("{host} is not watched any more.").format(host=redact_url(self.page.watcher.asked.url))
            self._window.message.say("info", text, self.tr("What came of it stands under Watch."))

    def may_close(self, *, asked: bool = False) -> bool:
        """Return True when the window may close now.

        While a host is watched, the user is asked first, unless `asked` is True.
        """
        page = self.page
        if page is None:
            return True
        if asked or page.watcher.run is None:
            page.watcher.close()
            return True
        question = ConfirmQuestion(
            title=self.tr("A host is being watched"),
            text=self.tr("{host} is being watched.").format(host=redact_url(page.watcher.asked.url)),
            more=self.tr("Closing ends that, and what was seen is lost. Nothing was written to the host."),
            yes=self.tr("Stop watching and close"),
            no=self.tr("Go on watching"),
        )
        ask_question(self._window, question, self._end_and_close)
        return False

    def _end_and_close(self) -> None:
        if self.page is not None:
            self.page.watcher.close()
        self._window.close()
