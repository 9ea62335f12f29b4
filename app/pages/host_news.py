"""Distribution of undo records and ended runs to all parts of the window."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.background import BackgroundWorker
from app.pages.home_page import HomePage
from app.pages.restore_banner import PENDING_STATES, RestoreBanner
from app.plots.stored_runs import read_run_stopped
from app.run_session import RunSession
from scheduler.model.command_answers import RestoreResult
from scheduler.model.lock_owner import LockOwner

if TYPE_CHECKING:
    from app.pages.result_page import ResultPage


class HostNews(QObject):
    """Distributor of undo records, so that all parts of the window agree about a host.

    Args:
        banner: Asks the core whenever a record appears or disappears.
        home: Shows records on cards, list and bars.
        background: Reads the ends of runs from the store.
        parent: Qt's parent.
    """

    def __init__(self, banner: RestoreBanner, home: HomePage, background: BackgroundWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._banner, self._home, self._background = banner, home, background
        self._session: RunSession | None = None
        self._result: ResultPage | None = None
        self._due: frozenset[str] = frozenset()  # ids of hosts with a pending restore
        self._swept: frozenset[str] = frozenset()  # those hosts that a sweep may have left changed
        home.restore.connect(banner.restore)
        home.reverted.connect(banner.check)
        home.silent.connect(self._ask_of_silent)
        banner.news.connect(self._take_news)

    def follow(self, session: RunSession | None) -> None:
        """Notify this sweep when another process restores its host; None for no sweep."""
        self._session = session
        if session is not None:
            session.ended.connect(self._handle_sweep_end)

    def tell(self, result: "ResultPage") -> None:
        """Keep the result page's message about a pending restore up to date."""
        self._result = result
        result.host_changed.connect(self._banner.check)
        result.note_pending_restores(self._swept)

    def _handle_sweep_end(self) -> None:
        self._home.refresh()
        self._banner.check()
        if self._session is not None and self._session.spec is not None:
            self._home.hosts.look_at(self._session.spec.host_url)

    def _ask_of_silent(self, runs: frozenset[str]) -> None:
        """Let the core record the end of runs whose process died."""
        going = self._session.run_id if self._session is not None and self._session.active else ""
        if runs - {going}:
            self._banner.check(surely=True)

    def _take_news(self, answer: RestoreResult) -> None:
        left = [item for item in answer.items if item.state in PENDING_STATES]
        due = frozenset(item.host_id for item in left)
        self._swept = frozenset(item.host_id for item in left if item.by is not LockOwner.FOLLOW)
        self._home.take_news(answer)
        if answer.recorded_runs or due != self._due:
            self._home.refresh()
        self._due = due
        if self._result is not None:
            self._result.note_pending_restores(self._swept, answer.recorded_runs)
        session = self._session
        if session is not None and session.waits_for_host and session.host_id not in due:
            self._background.submit(read_run_stopped(session.run_id), session.take_run_stopped, lambda _: None)
