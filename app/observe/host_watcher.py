"""Access check and watch process for the watch page, without widgets."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.core_process import CommandRunner
from app.display_texts import capitalise_first
from app.observe.host_observer import HostObserver
from app.observe.observation_run import WatchRun
from app.observe.watch_request import WatchRequest
from app.settings import Settings
from app.theme.theme import Theme
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import WatchResult


class HostWatcher(HostObserver[WatchRequest, WatchRun]):
    """Watcher of one host at a time.

    Args:
        theme: Theme of the dialogs for keys and passwords.
        settings: Settings that remember watched hosts.
        runner: Starts one-shot commands and holds the hosts' passwords.
        parent: Parent of the dialogs.

    Signals (in addition to those of `HostObserver`):
        watching: Access is granted; DomTune reads the counters.
        began: `WatchStarted`.
        window: Each `WatchWindow`.
        answered: `WatchResult` without an error; the last signal.
    """

    watching = Signal()
    began = Signal(object)
    window = Signal(object)
    answered = Signal(object)

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, parent: QWidget) -> None:
        super().__init__(WatchRequest("", ""), theme, settings, runner, parent)

    def _begin(self) -> None:
        text = self.tr("The watching process could not be started: {why}")
        run = self._start_run(lambda: WatchRun(self.asked.words, self._environment(), self), text)
        if run is None:
            return
        run.began.connect(self.began)
        run.window.connect(self.window)
        run.answered.connect(self._handle_answer)
        run.failed.connect(self._handle_failure)
        self.watching.emit()

    def _handle_answer(self, answer: WatchResult) -> None:
        if answer.error:
            self._handle_failure(SchedulerError(capitalise_first(answer.error), hint=answer.hint))
            return
        self._drop_run()
        self.answered.emit(answer)

    def _handle_failure(self, error: SchedulerError) -> None:
        self._drop_run()
        self.failed.emit(error)
