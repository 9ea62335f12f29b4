"""Controller of the follow page: creates the page on demand.

A window that closes restores the followed host first.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.observe.watch_request import WatchRequest as Watched
from app.pages.window_frame import FOLLOW, WindowFrame
from app.widgets.confirm_question import ConfirmQuestion, ask_question
from app.widgets.lazy_page import LazyPage
from scheduler.model.command_answers import RestoreResult
from scheduler.model.urls import redact_url

if TYPE_CHECKING:
    from app.observe.follow_page import FollowPage
    from app.observe.follow_request import FollowRequest


class FollowController(QObject):
    """Owner of the follow page.

    Args:
        window: Window that shows the page.

    Signals:
        shown: The window must show the page.
    """

    shown = Signal()

    def __init__(self, window: WindowFrame) -> None:
        super().__init__(window)
        self._window = window
        self._closing = False
        self._lazy = LazyPage(self._make_page, window.add_page)

    def open(self, asked: "FollowRequest | None" = None) -> None:
        """Show the page; prepare a request if one is given."""
        page = self._lazy.provide()
        self.shown.emit()
        page.offer(asked)

    @property
    def page(self) -> "FollowPage | None":
        """The page; None until it is needed."""
        return self._lazy.page

    def _make_page(self) -> "FollowPage":
        from app.observe.follow_page import FollowPage

        window = self._window
        page = FollowPage(window.theme, window.settings, window.runner, window.background)
        page.restore_wanted.connect(window.banner.restore)
        page.follower.ended.connect(self._handle_end)
        page.follower.failed.connect(self._handle_end)
        window.banner.news.connect(self._take_news)
        window.rail.button(FOLLOW).show()
        return page

    def open_watched(self, watched: Watched, static: str) -> None:
        """Show the page for a watched host.

        Args:
            watched: Request of the watched host.
            static: Split that watching named, for comparison; empty for none.
        """
        from app.observe.follow_request import FollowRequest

        asked = FollowRequest(
            url=watched.url,
            span=watched.span,
            static=static,
            io=watched.io,
            guest=watched.guest,
            database=watched.database,
            password=watched.password,
        )
        self.open(asked)

    def _handle_end(self) -> None:
        """Close the window if requested; otherwise report the end on the current page."""
        if self.page is None:
            return
        if self._closing:
            self._window.close()
        elif self._window.page is not self.page:
            text = self.tr("{host} is not followed any more.").format(host=redact_url(self.page.follower.asked.url))
            self._window.message.say("info", text, self.tr("How it ended stands under Follow."))

    def _take_news(self, news: RestoreResult) -> None:
        began = self.page.follower.began if self.page is not None else None
        if self.page is not None and began is not None:
            due = {item.host_id for item in news.items if item.state != "restored"}
            if began.host_id not in due:
                self.page.put_back()

    def may_close(self) -> bool:
        """Return True when the window may close now.

        While a host is followed, the user is asked first.
        """
        page = self.page
        if page is None:
            return True
        if not page.follower.following:
            page.follower.close()
            return True
        if self._closing:
            return False
        question = ConfirmQuestion(
            title=self.tr("A host is being followed"),
            text=self.tr("{host} is being followed.").format(host=redact_url(page.follower.asked.url)),
            more=self.tr("Closing ends that, and first restores the host."),
            yes=self.tr("Stop, give back and close"),
            no=self.tr("Go on following"),
        )
        ask_question(self._window, question, self._end_and_close)
        return False

    def _end_and_close(self) -> None:
        page = self.page
        if page is None or not page.follower.following:  # following ended while the question was open
            self._window.close()
            return
        self._closing = True
        text = self.tr("Giving the host back, then closing\N{HORIZONTAL ELLIPSIS}")
        self._window.message.say("info", text)
        page.give_back()
