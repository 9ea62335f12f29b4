"""Asks a host whether it lets us in, then watches it: the page's hands, without anything of how it looks."""

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import CommandRunner
from app.display_texts import capitalise_first
from app.settings import Settings
from app.theme.theme import Theme
from app.watch.core_run import CoreRun
from app.watch.host_access import HostAccess
from app.watch.watch_request import WatchRequest
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import WatchResult, WatchStarted, WatchWindow, decode_observation_line

_GRACE_MS = 30_000  # a look that is under way at a slow host is waited for; then it is ended


class WatchRun(CoreRun):
    """Begins at once; never blocks.

    Args:
        words: What `domtune watch` is to be told.
        environment: Variables that the process gets beside ours: the one way for a password.
        parent: Qt's parent.

    Raises:
        OSError: The process could not be started.

    Signals:
        began: `WatchStarted`.
        window: `WatchWindow`, each.
        answered: `Watched`; nothing follows.
        failed: A SchedulerError that says why there is no answer; nothing follows.
    """

    began = Signal(object)
    window = Signal(object)
    answered = Signal(object)
    failed = Signal(object)

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str] | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(["watch", "--json", "--windows", *words], environment, parent, _GRACE_MS)
        self._answer: WatchResult | None = None
        self._child.close_input()

    def stop(self) -> None:
        """Ask it to end; its answer, from what was seen so far, follows."""
        if self._child.running:
            self._child.terminate()
            self._limit.start()

    def let_go(self) -> None:
        """Ask it to end and stop listening: neither `answered` nor `failed` follows."""
        self._let_go(end=True)

    def _take(self, line: bytes) -> None:
        try:
            told = decode_observation_line(line)
        except msgspec.MsgspecError:
            return  # what is missing then shows at the end
        match told:
            case WatchStarted():
                self.began.emit(told)
            case WatchWindow():
                self.window.emit(told)
            case WatchResult():
                self._answer = told
            case _:
                pass

    def _end(self, code: int) -> None:
        if self._answer is not None:
            self.answered.emit(self._answer)
            return
        text = self.tr("Watching ended with exit code {code} and no answer.").format(code=code)
        failed = SchedulerError(text, hint=self.tr("Try again."))
        if self._child.error_text:
            failed.add_note(self._child.error_text)
        self.failed.emit(failed)


class HostWatcher(HostAccess):
    """One host at a time.

    Args:
        theme: Of the dialogs that ask for a key or a password.
        settings: Remembers the host once it is watched.
        runner: Starts the one-shot commands, and knows the hosts' passwords.
        parent: The widget that the dialogs belong to.

    Signals, beside those of `HostAccess`:
        watching: It lets us in; counters are being read.
        began: `WatchStarted`.
        window: `WatchWindow`, each.
        answered: `Watched`, which holds no error; nothing follows.

    Attributes:
        asked: What it was told last.
        run: The process that watches; None when none does.
    """

    watching = Signal()
    began = Signal(object)
    window = Signal(object)
    answered = Signal(object)

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, parent: QWidget) -> None:
        super().__init__(theme, settings, runner, parent)
        self.asked = WatchRequest("", "")
        self.run: WatchRun | None = None

    @property
    def busy(self) -> bool:
        """True while a host is asked, or watched."""
        return self.run is not None or self._probe.busy

    def start(self, asked: WatchRequest) -> None:
        """Look whether the host lets us in, then watch it."""
        if not self.busy:
            self.asked = asked
            self._probe_host()

    def stop(self) -> None:
        """End it now; what was seen so far is told."""
        if not self._cancel_probe() and self.run is not None:
            self.run.stop()

    def close(self) -> None:
        """Let go of whatever runs: nothing was changed that would have to be put back."""
        self._probe.cancel()
        if self.run is not None:
            self.run.let_go()
            self.run = None

    def _wanted(self) -> WatchRequest:
        return self.asked

    def _begin(self) -> None:
        try:
            self.run = run = WatchRun(self.asked.words, self._environment(), self)
        except OSError as error:
            self._fail_to_start(self.tr("The watching process could not be started: {why}"), error)
            return
        self._settings.remember_host(self.asked.url)
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

    def _drop_run(self) -> None:
        if self.run is not None:
            self.run.deleteLater()
            self.run = None
