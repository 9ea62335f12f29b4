"""Controller of the page that watches and follows: creates the page on demand.

A window that closes asks the user. It ends the observation and restores the host, or lets the observation continue.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.pages.window_frame import WindowFrame
from app.widgets.confirm_question import ConfirmQuestion, ask_question
from app.widgets.lazy_page import LazyPage
from scheduler.background_runs import AttachedProgram
from scheduler.model.command_answers import RestoreResult
from scheduler.model.observation_documents import FollowDone, WatchResult
from scheduler.model.run_end import end_of_observation
from scheduler.model.urls import redact_url
from scheduler.translation import _

if TYPE_CHECKING:
    from app.observe.observation_request import ObservationRequest
    from app.observe.observe_page import ObservePage


class ObserveController(QObject):
    """Owner of the page that watches and follows.

    Args:
        window: Window that shows the page.

    Signals:
        shown: The window must show the page.
        sweep_wanted: URL of the host that the user wants to sweep.
        applied: A split was applied to a host.
        kept: An observation has ended, and is a run in the store.
        ended: RunEnd of an observation that had begun.
    """

    shown = Signal()
    sweep_wanted = Signal(str)
    applied = Signal()
    kept = Signal()
    ended = Signal(object)

    def __init__(self, window: WindowFrame) -> None:
        super().__init__(window)
        self._window = window
        self._closing = False
        self._lazy = LazyPage(self._make_page, window.add_page)

    def open(self, asked: "ObservationRequest | None" = None) -> None:
        """Show the page; prepare a request if one is given."""
        page = self._lazy.provide()
        self.shown.emit()
        page.offer(asked)

    def watch(self, url: str) -> None:
        """Show the page, ready to watch a host."""
        page = self._lazy.provide()
        self.shown.emit()
        page.offer_host(url)

    def follow(self) -> None:
        """Show the page, ready to follow."""
        page = self._lazy.provide()
        self.shown.emit()
        page.offer_host("", follows=True)

    def show_stored(self, run_id: str) -> None:
        """Show a stored observation."""
        page = self._lazy.provide()
        self.shown.emit()
        page.show_stored(run_id)

    def attach(self, program: AttachedProgram) -> bool:
        """Show an observation of the background; return False while a host is observed."""
        page = self._lazy.provide()
        if page.observer.busy:
            return False
        page.attach(program)
        self.shown.emit()
        return True

    @property
    def page(self) -> "ObservePage | None":
        """The page; None until it is needed."""
        return self._lazy.page

    def _make_page(self) -> "ObservePage":
        from app.observe.observe_page import ObservePage

        window = self._window
        page = ObservePage(window.theme, window.settings, window.runner, window.background)
        page.sweep_wanted.connect(self.sweep_wanted)
        page.applied.connect(self.applied)
        page.restore_wanted.connect(window.banner.restore)
        for signal in (page.observer.answered, page.observer.ended):
            signal.connect(self._report_end)
        for signal in (page.observer.answered, page.observer.ended, page.observer.failed):
            signal.connect(self._handle_end)
        page.observer.detached.connect(self._close_detached)
        window.banner.news.connect(self._take_news)
        return page

    def _handle_end(self) -> None:
        """Close the window if requested; otherwise report the end on the current page."""
        if self.page is None:
            return
        self.kept.emit()
        if self._closing:
            self._window.close()
        elif self._window.page is not self.page:  # observing may have taken days
            asked = self.page.observer.asked
            followed, watched = _("Following {host} has ended."), _("Watching {host} has ended.")
            text = (followed if asked.follows else watched).format(host=redact_url(asked.url))
            self._window.message.say("info", text, _("Open Watch to see the result."))

    def _report_end(self, last: WatchResult | FollowDone) -> None:
        if self.page is not None:
            self.ended.emit(end_of_observation(self.page.observer.asked.url, last))

    def _take_news(self, news: RestoreResult) -> None:
        began = self.page.observer.terms if self.page is not None else None
        if self.page is not None and began is not None:
            due = {item.host_id for item in news.items if item.state != "restored"}
            if began.host_id not in due:
                self.page.put_back()

    def may_close(self, *, asked: bool = False) -> bool:
        """Return True when the window may close now.

        While a host is observed, the user is asked first. With `asked`, only a followed host has a question.
        """
        page = self.page
        if page is None:
            return True
        observer = page.observer
        if observer.following:
            if not self._closing:
                ask_question(self._window, self._follow_question(), self._stop_and_close, self._detach)
            return False
        if asked or observer.run is None or observer.asked.follows:
            observer.close()
            return True
        ask_question(self._window, self._watch_question(), self._end_and_close, self._detach)
        return False

    def _watch_question(self) -> ConfirmQuestion:
        return ConfirmQuestion(
            title=_("A host is being watched"),
            text=_("{host} is being watched.").format(host=self._host),
            more=_(
                "Stop: the result so far is kept on Home. Nothing was written to the host.\n\n"
                "Background: DomTune continues to watch without a window and keeps the result. "
                "DomTune shows it again when you open the window."
            ),
            yes=_("Stop watching"),
            other=_("Go on in the background"),
            no=_("Cancel"),
        )

    def _follow_question(self) -> ConfirmQuestion:
        return ConfirmQuestion(
            title=_("A host is being followed"),
            text=_("{host} is being followed.").format(host=self._host),
            more=_(
                "Stop: DomTune restores the host and keeps the result.\n\n"
                "Background: DomTune continues to follow without a window and restores the host at the end. "
                "DomTune shows it again when you open the window."
            ),
            yes=_("Stop and restore"),
            other=_("Go on in the background"),
            no=_("Cancel"),
        )

    @property
    def _host(self) -> str:
        return redact_url(self.page.observer.asked.url) if self.page is not None else ""

    def _detach(self) -> None:
        page = self.page
        if page is None or page.observer.run is None:  # the observation ended while the question was open
            self._window.close()
        else:
            page.observer.detach()

    def _close_detached(self, error: str) -> None:
        """Close the window if the observation continues without a window."""
        if error:
            text = _("The observation cannot continue in the background: {why}").format(why=error)
            self._window.message.say("error", text, _("It continues while this window is open."))
        elif self.page is not None:
            self.page.observer.release()
            self._window.close()

    def _end_and_close(self) -> None:
        if self.page is not None:
            self.page.observer.close()
        self._window.close()

    def _stop_and_close(self) -> None:
        page = self.page
        if page is None or not page.observer.following:  # following ended while the question was open
            self._window.close()
            return
        self._closing = True
        text = _("Restoring the host, then closing\N{HORIZONTAL ELLIPSIS}")
        self._window.message.say("info", text)
        page.stop()
