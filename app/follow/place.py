"""The page's place in the window: made when it is first needed; a window that closes gives the host back first."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.panels.frame import FOLLOW, Frame
from app.watch.asked import Asked as Watched
from app.widgets.question import Question, ask
from scheduler.model.probe import Restored
from scheduler.model.urls import shown

if TYPE_CHECKING:
    from app.follow.asked import Asked
    from app.follow.follow_page import FollowPage


class FollowPlace(QObject):
    """Holds the page.

    Args:
        window: The window that shows it.

    Signals:
        shown: The page is to be shown.

    Attributes:
        page: None until it was first needed.
    """

    shown = Signal()

    def __init__(self, window: Frame) -> None:
        super().__init__(window)
        self._window = window
        self._closing = False
        self.page: FollowPage | None = None

    def open(self, asked: "Asked | None" = None) -> None:
        """Show the page; with what is to be followed, if that is given."""
        if self.page is None:
            from app.follow.follow_page import FollowPage

            window = self._window
            self.page = FollowPage(window.theme, window.settings, window.runner, window.background, now=False)
            self.page.restore_wanted.connect(window.banner.restore)
            self.page.follower.ended.connect(self._ended)
            self.page.follower.failed.connect(self._ended)
            window.banner.news.connect(self._hear)
            window.add_page(self.page)
            window.rail.button(FOLLOW).show()
        self.shown.emit()
        self.page.offer(asked)

    def open_watched(self, watched: Watched, static: str) -> None:
        """Show the page with what was watched, and the split that watching named to compare with."""
        from app.follow.asked import Asked

        asked = Asked(
            url=watched.url,
            span=watched.span,
            static=static,
            io=watched.io,
            guest=watched.guest,
            database=watched.database,
            password=watched.password,
        )
        self.open(asked)

    def _ended(self) -> None:
        """Close, where that was asked for; else tell a person who is elsewhere: it may have taken days."""
        if self.page is None:
            return
        if self._closing:
            self._window.close()
        elif self._window.page is not self.page:
            text = self.tr("{host} is not followed any more.").format(host=shown(self.page.follower.asked.url))
            self._window.message.say("info", text, self.tr("How it ended stands under Follow."))

    def _hear(self, news: Restored) -> None:
        began = self.page.follower.began if self.page is not None else None
        if self.page is not None and began is not None:
            due = {item.host_id for item in news.items if item.state != "restored"}
            if began.host_id not in due:
                self.page.put_back()

    def may_close(self) -> bool:
        """Return whether the window may close now; while a host is followed the person is asked first."""
        page = self.page
        if page is None:
            return True
        if not page.follower.following:
            page.follower.close()
            return True
        if self._closing:
            return False
        question = Question(
            title=self.tr("A host is being followed"),
            text=self.tr("{host} is being followed.").format(host=shown(page.follower.asked.url)),
            more=self.tr("Closing ends that, and first restores the host."),
            yes=self.tr("Stop, give back and close"),
            no=self.tr("Go on following"),
        )
        ask(self._window, question, self._end)
        return False

    def _end(self) -> None:
        page = self.page
        if page is None or not page.follower.following:  # it ended while the question stood there
            self._window.close()
            return
        self._closing = True
        text = self.tr("Giving the host back, then closing\N{HORIZONTAL ELLIPSIS}")
        self._window.message.say("info", text)
        page.give_back()
