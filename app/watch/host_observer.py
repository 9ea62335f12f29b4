"""Observe one host for a page: ask whether it lets us in, show the dialogs that it wants, then run a command."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import CommandRunner
from app.display_texts import capitalise_first
from app.settings import Settings
from app.theme.theme import Theme
from app.watch.observation_run import ObservationRun
from app.wizard.command_query import CommandQuery
from app.wizard.host_entry import HostEntry
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import HostProbe

_PROBE_S = 180.0  # as the wizard's: XAPI may hold a login back for 120 s


class HasHostRequest(Protocol):
    """What a person wants of a host."""

    @property
    def url(self) -> str:
        """The host's URL."""
        ...

    @property
    def domains(self) -> Sequence[str]:
        """Words that name its domains."""
        ...

    @property
    def words(self) -> Sequence[str]:
        """What the core's command is to be told."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that its process gets beside ours: the one way for a password."""
        ...


Request = TypeVar("Request", bound=HasHostRequest)
Run = TypeVar("Run", bound=ObservationRun)


class HostObserver(QObject, Generic[Request, Run]):
    """Observes one host at a time. Derive from it, and begin in `_begin` what is done with a host that lets us in.

    Args:
        asked: A request without a host.
        theme: Of the dialogs that ask for a key or a password.
        settings: Remembers the host once it is used.
        runner: Starts the one-shot commands, and knows the hosts' passwords.
        parent: The widget that the dialogs belong to.

    Signals:
        looking: A host is asked whether it lets us in.
        choose: Names of domains, one of which has to be the guest.
        failed: A SchedulerError that says why nothing was begun, or why there is no answer; nothing follows.
        cancelled: The person ended it before anything was begun; nothing follows.

    Attributes:
        asked: What it was told last.
        run: The process that watches or follows; None when none does.
        entry: What a host may want first.
    """

    looking = Signal()
    choose = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(
        self, asked: Request, theme: Theme, settings: Settings, runner: CommandRunner, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.asked = asked
        self.run: Run | None = None
        self._settings, self._runner = settings, runner
        self._probe: CommandQuery[HostProbe] = CommandQuery(runner, HostProbe, _PROBE_S, self)
        self._probe.answered.connect(self._handle_probe)
        self._probe.failed.connect(self.failed)
        self.entry = HostEntry(theme, runner, parent)
        self.entry.again.connect(self._ask_again)
        self.entry.failed.connect(self.failed)

    @property
    def busy(self) -> bool:
        """True while a host is asked, or something runs there."""
        return self.run is not None or self._probe.busy

    def start(self, asked: Request) -> None:
        """Look whether the host lets us in; `_begin` follows, or `failed`."""
        if not self.busy:
            self.asked = asked
            self._probe_host()

    def stop(self) -> None:
        """End it now; what runs there ends in its own way."""
        if self._probe.busy:
            self._probe.cancel()
            self.cancelled.emit()
        elif self.run is not None:
            self.run.stop()

    def close(self) -> None:
        """Let go of whatever runs; a process that changed the host hears of it, and restores the host."""
        self._probe.cancel()
        if self.run is not None:
            self.run.let_go()
            self.run = None

    def _ask_again(self) -> None:
        if not self.busy:
            self._probe_host()

    def _probe_host(self) -> None:
        asked = self.asked
        self._probe.ask("probe", "--json", *asked.domains, "--", asked.url)
        self.looking.emit()

    def _handle_probe(self, answer: HostProbe) -> None:
        """Go on, with a host that somebody holds, too: the core says what it makes of that."""
        if answer.facts is not None or answer.busy:
            self._begin()
            return
        self.failed.emit(SchedulerError(capitalise_first(answer.error), hint=answer.hint))
        if answer.choices:
            self.choose.emit(answer.choices)
        self.entry.open_entry_dialog(self.asked.url, answer)

    def _environment(self) -> dict[str, str]:
        """Return what the core's process is to get beside our environment."""
        asked = self.asked
        return {**self._runner.secrets.environment(*asked.words), **asked.environment}

    def _start_run(self, make: Callable[[], Run], text: str) -> Run | None:
        """Start the process, and remember the host; None where it does not start, which `failed` then shows.

        Args:
            make: Starts it. Raises OSError.
            text: What is shown where it does not start, with `{why}`.
        """
        try:
            self.run = make()
        except OSError as error:
            hint = self.tr("Nothing was touched.")
            self.failed.emit(SchedulerError(text.format(why=error.strerror), hint=hint))
            return None
        self._settings.remember_host(self.asked.url)
        return self.run

    def _drop_run(self) -> Run | None:
        """Drop the process that ended; return it."""
        run, self.run = self.run, None
        if run is not None:
            run.deleteLater()
        return run

    def _begin(self) -> None:
        raise NotImplementedError
