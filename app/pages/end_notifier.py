"""Notification of the desktop at the end of a run, unless the window is active."""

import logging

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.background import BackgroundWorker
from app.run_session import RunSession
from scheduler.desktop_notification import notify_desktop
from scheduler.model.documents import RunStopped
from scheduler.model.run_end import SWEEP_END, RunEnd

log = logging.getLogger(__name__)


class EndNotifier(QObject):
    """Notifier that reports the end of a run unless the window is active.

    Without a session bus or a notification service, nothing is shown.

    Args:
        window: The window.
        background: Sends the notification, since a bus may answer late.
    """

    def __init__(self, window: QWidget, background: BackgroundWorker) -> None:
        super().__init__(window)
        self._window, self._background = window, background

    def follow(self, session: RunSession) -> None:
        """Report the end of a sweep."""

        def report(stopped: RunStopped | None) -> None:
            if stopped is not None and session.spec is not None:
                url, restored = session.spec.host_url, stopped.restored
                end = RunEnd(SWEEP_END, url, stopped.outcome, restored, stopped.reason, busy=stopped.busy)
                self.report(end)

        session.ended.connect(report)

    def report(self, end: RunEnd) -> None:
        """Show a notification about the end of a run, unless the window is active."""
        if not self._window.isActiveWindow():
            text = end.text
            self._background.submit(lambda _: notify_desktop(text), lambda _: None, _log_failure)


def _log_failure(error: Exception) -> None:
    log.info("no notification of the end: %s", error)
