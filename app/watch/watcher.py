"""Asks a host whether it lets us in, then watches it: the page's hands, without anything of how it looks."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import Runner
from app.settings import Settings
from app.theme.theme import Theme
from app.watch.asked import Asked
from app.watch.watch_run import WatchRun
from app.wizard.host_entry import HostEntry
from app.wizard.question import Question
from app.words import capital
from scheduler.errors import SchedulerError
from scheduler.model.probe import Probe
from scheduler.model.watching import Watched

_PROBE_S = 180.0  # as the wizard's: XAPI may hold a login back for 120 s


class Watcher(QObject):
    """One host at a time.

    Args:
        theme: Of the dialogs that ask for a key or a password.
        settings: Remembers the host once it is watched.
        runner: Starts the one-shot commands, and knows the hosts' passwords.
        parent: The widget that the dialogs belong to.

    Signals:
        looking: A host is asked whether it lets us in.
        watching: It does; counters are being read.
        began: `WatchBegan`.
        window: `WatchWindow`, each.
        answered: `Watched`, which holds no error; nothing follows.
        choose: Names of domains, one of which has to be the guest.
        failed: A SchedulerError that says why there is no answer; nothing follows.
        cancelled: The person ended it before anything was watched; nothing follows.

    Attributes:
        asked: What it was told last.
        run: The process that watches; None when none does.
        entry: What a host may want first.
    """

    looking = Signal()
    watching = Signal()
    began = Signal(object)
    window = Signal(object)
    answered = Signal(object)
    choose = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(self, theme: Theme, settings: Settings, runner: Runner, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings, self._runner = settings, runner
        self.asked = Asked("", "")
        self.run: WatchRun | None = None
        self._probe: Question[Probe] = Question(runner, Probe, _PROBE_S, self)
        self._probe.answered.connect(self._probed)
        self._probe.failed.connect(self.failed)
        self.entry = HostEntry(theme, runner, parent)
        self.entry.again.connect(lambda: self.start(self.asked))
        self.entry.failed.connect(self.failed)

    @property
    def busy(self) -> bool:
        """True while a host is asked, or watched."""
        return self.run is not None or self._probe.busy

    def start(self, asked: Asked) -> None:
        """Look whether the host lets us in, then watch it."""
        if not self.busy:
            self.asked = asked
            self._probe.ask("probe", "--json", *asked.domains, "--", asked.url)
            self.looking.emit()

    def stop(self) -> None:
        """End it now; what was seen so far is told."""
        if self._probe.busy:
            self._probe.cancel()
            self.cancelled.emit()
        elif self.run is not None:
            self.run.stop()

    def close(self) -> None:
        """Let go of whatever runs: nothing was changed that would have to be put back."""
        self._probe.cancel()
        if self.run is not None:
            self.run.let_go()
            self.run = None

    def _probed(self, answer: Probe) -> None:
        """Watch; a host that a sweep holds, too."""
        if answer.facts is not None or answer.busy:
            self._begin()
            return
        self.failed.emit(SchedulerError(capital(answer.error), hint=answer.hint))
        if answer.choices:
            self.choose.emit(answer.choices)
        self.entry.meet(self.asked.url, answer)

    def _begin(self) -> None:
        words = self.asked.words
        environment = {**self._runner.secrets.environment(*words), **self.asked.environment}
        try:
            self.run = run = WatchRun(words, environment, self)
        except OSError as error:
            text = self.tr("The watching process could not be started: {why}").format(why=error.strerror)
            self.failed.emit(SchedulerError(text, hint=self.tr("Nothing was touched.")))
            return
        self._settings.remember_host(self.asked.url)
        run.began.connect(self.began)
        run.window.connect(self.window)
        run.answered.connect(self._answered)
        run.failed.connect(self._failed)
        self.watching.emit()

    def _answered(self, answer: Watched) -> None:
        if answer.error:
            self._failed(SchedulerError(capital(answer.error), hint=answer.hint))
            return
        self._forget()
        self.answered.emit(answer)

    def _failed(self, error: SchedulerError) -> None:
        self._forget()
        self.failed.emit(error)

    def _forget(self) -> None:
        if self.run is not None:
            self.run.deleteLater()
            self.run = None
