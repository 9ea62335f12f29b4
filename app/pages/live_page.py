"""Live page: a running sweep, or the replay of a stored one."""

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.background import BackgroundJob, BackgroundWorker
from app.display_texts import capitalise_first, first_line
from app.pages.live_plots import LivePlots
from app.pages.live_strip import LiveStrip
from app.pages.stop_dialog import StopDialog
from app.plots.run_board import RunBoard
from app.plots.stored_runs import read_documents
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.dialog_layout import show_dialog
from app.widgets.draw_queue import REST_MS
from app.widgets.message_bar import MessageBar
from app.widgets.simulated_ribbon import SimulatedRibbon
from scheduler.model.documents import Document, RunStarted, RunState, RunStopped, StateChanged
from scheduler.translation import _

_CHUNK = 3000  # documents per turn of the event loop, about 4 ms


class CanControlRun(Protocol):
    """Run that the page can show and control, such as `app.run_session.RunSession`."""

    document: SignalInstance
    notified: SignalInstance
    ended: SignalInstance

    def pause(self) -> None:
        """Restore the host, and wait."""
        ...

    def resume(self) -> None:
        """Continue after a pause."""
        ...

    def abort(self) -> None:
        """Restore the host, and end the run."""
        ...


class LivePage(QWidget):
    """Page of a running or replayed sweep.

    Signals:
        result_wanted: Id of the run whose result the user wants to see.
        continue_wanted: Id of the run that the user wants to continue.
        restore_wanted: The user wants to restore the run's host.

    Args:
        theme: Colours.
        background: Reads runs and writes pictures.
        parent: Qt's parent.
    """

    help_key = "live"

    result_wanted = Signal(str)
    continue_wanted = Signal(str)
    restore_wanted = Signal()

    def __init__(self, theme: Theme, background: BackgroundWorker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._background = theme, background
        self._session: CanControlRun | None = None
        self._replay: Sequence[Document] = ()
        self._job: BackgroundJob | None = None
        self.board = RunBoard()
        self.strip = LiveStrip(theme)
        self.ribbon = SimulatedRibbon(theme)
        self.message = MessageBar(theme)
        self.plots = LivePlots(theme, background)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        for part in (self.strip, self.ribbon, self.message):
            box.addWidget(part)
        around = QVBoxLayout()  # a splitter with margins of its own asks for too little space
        around.setContentsMargins(SPACE_M, SPACE_M, SPACE_M, SPACE_M)
        around.addWidget(self.plots)
        box.addLayout(around, 1)
        self.strip.pause_wanted.connect(self._pause_run)
        self.strip.resume_wanted.connect(self._resume_run)
        self.strip.stop_wanted.connect(self._ask_stop)
        self.strip.result_wanted.connect(lambda: self._emit_wish(self.result_wanted))
        self.strip.continue_wanted.connect(lambda: self._emit_wish(self.continue_wanted))
        self.strip.restore_wanted.connect(self.restore_wanted)
        self.strip.log_toggled.connect(self.plots.show_side)
        self._parts: tuple[Callable[[RunBoard], None], ...] = (self.strip.show_board, *self.plots.parts())
        self._drawn = [-1] * len(self._parts)
        self._turn = 0
        self._timer = QTimer(self)
        self._timer.setInterval(REST_MS)  # all parts 6 to 12 times a second: faster than documents arrive
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._redraw_next)
        self._feed = QTimer(self)
        self._feed.timeout.connect(self._feed_on)

    def attach(self, session: CanControlRun) -> None:
        """Show a run from now on; its documents may arrive immediately."""
        self._start_over(controls=True)
        self._session = session
        session.document.connect(self.take)
        session.notified.connect(self.message.say)
        session.ended.connect(self._mark_undrawn)

    def show_stored(self, run_id: str) -> None:
        """Read a stored run in the background, then replay it."""
        self._start_over(controls=False)
        self.plots.show_whole_run()
        self._job = self._background.submit(read_documents(run_id), self.replay, self.message.show_error)

    def replay(self, documents: Sequence[Document]) -> None:
        """Show documents, `_CHUNK` of them per turn of the event loop."""
        self._replay = documents
        self._feed.start(0)

    def take(self, document: Document) -> None:
        """Add one document; the page is drawn at the next tick."""
        if isinstance(document, RunStarted):
            self.ribbon.setVisible(document.facts.simulated)
            self.plots.prepare(document)
        if isinstance(document, RunStopped):
            self._show_reason(document)
        self.board.take(document)

    def redraw(self) -> None:
        """Draw all changed parts if the page is visible."""
        for part in range(len(self._parts)):
            self._redraw_part(part)

    def _redraw_next(self) -> None:
        """Draw the next part; all parts in one turn would take longer than 16 ms."""
        self._redraw_part(self._turn)
        self._turn = (self._turn + 1) % len(self._parts)
        if self.isVisible():
            self._timer.start()

    def _redraw_part(self, part: int) -> None:
        if self._drawn[part] != self.board.changes and self.isVisible():
            self._drawn[part] = self.board.changes
            self._parts[part](self.board)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw all changes since the page was last visible."""
        super().showEvent(event)
        self._timer.start()
        self.redraw()
        self.strip.take_focus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pause or resume with Space; a focused button keeps its own Space."""
        if event.key() == Qt.Key.Key_Space and self.strip.pause.isVisible():
            self.strip.pause.click()
            return
        super().keyPressEvent(event)

    def _start_over(self, *, controls: bool) -> None:
        self._detach_session()
        self._feed.stop()
        if self._job is not None:
            self._job.cancel()
        self.board, self._drawn = RunBoard(), [-1] * len(self._parts)
        self.message.clear()
        self.ribbon.hide()
        self.strip.progress.clear()
        self.strip.set_controls(controls)
        self.plots.clear()

    def _detach_session(self) -> None:
        if self._session is None:
            return
        self._session.document.disconnect(self.take)
        self._session.notified.disconnect(self.message.say)
        self._session.ended.disconnect(self._mark_undrawn)
        self._session = None

    def _feed_on(self) -> None:
        chunk, self._replay = self._replay[:_CHUNK], self._replay[_CHUNK:]
        for document in chunk:
            self.take(document)
        if not self._replay:
            self._feed.stop()
            if self.board.stopped is None:  # the page must not look like a running sweep
                text = _("the outcome of this run is not recorded yet")
                self.take(StateChanged(t_s=self.board.now_s, state=RunState.CLOSED, text=text))

    def _show_reason(self, stopped: RunStopped) -> None:
        """Show a reason of several lines in full; the strip has space for only one line."""
        why, details = first_line(stopped.reason)
        if details and not stopped.restored_unix_s:
            self.message.say(
                "warning" if stopped.restored or stopped.busy else "error", capitalise_first(why), "", details
            )

    def _mark_undrawn(self) -> None:
        """Mark all parts as changed, so that they are drawn again."""
        self._drawn = [-1] * len(self._parts)

    def _pause_run(self) -> None:
        if self._session is not None:
            self._session.pause()

    def _resume_run(self) -> None:
        if self._session is not None:
            self._session.resume()

    def _ask_stop(self) -> None:
        dialog = StopDialog(self._theme, self.board, self)
        dialog.accepted.connect(self._stop_run)
        show_dialog(dialog)

    def _stop_run(self) -> None:
        if self._session is not None:
            self.strip.ask_stop()
            self._session.abort()

    def _emit_wish(self, wish: SignalInstance) -> None:
        if self.board.run is not None:
            wish.emit(self.board.run.run_id)
