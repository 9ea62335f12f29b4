"""Observation of one host for a page: access check, login dialogs and command."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import CommandRunner
from app.display_texts import capitalise_first
from app.observe.observation_run import ObservationRun
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.command_query import CommandQuery
from app.wizard.host_entry import HostEntry
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import HostProbe

_PROBE_S = 180.0  # as in the wizard: XAPI may delay a login for 120 s


class HasHostRequest(Protocol):
    """User's request for a host."""

    @property
    def url(self) -> str:
        """URL of the host."""
        ...

    @property
    def domains(self) -> Sequence[str]:
        """Command-line options that name the domains."""
        ...

    @property
    def words(self) -> Sequence[str]:
        """Arguments of the core's command."""
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """Additional environment variables, the only way to pass a password."""
        ...


Request = TypeVar("Request", bound=HasHostRequest)
Run = TypeVar("Run", bound=ObservationRun)


class HostObserver(QObject, Generic[Request, Run]):
    """Base for observing one host at a time; subclasses start a process in `_begin`.

    Args:
        asked: Request without a host.
        theme: Theme of the dialogs for keys and passwords.
        settings: Settings that remember used hosts.
        runner: Starts one-shot commands and holds the hosts' passwords.
        parent: Parent of the dialogs.

    Signals:
        looking: The access check of a host has begun.
        choose: Names of domains, of which the user must choose the guest.
        failed: SchedulerError with the reason why nothing began or no result exists; the last signal.
        cancelled: The user stopped before anything began; the last signal.

    Attributes:
        asked: Latest request.
        run: Process that watches or follows; None when none runs.
        entry: Dialogs for keys and passwords.
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
        """True while a host is checked or observed."""
        return self.run is not None or self._probe.busy

    def start(self, asked: Request) -> None:
        """Check access to the host, then call `_begin` or emit `failed`."""
        if not self.busy:
            self.asked = asked
            self._probe_host()

    def stop(self) -> None:
        """Stop the check or the process; a process ends in its own way."""
        if self._probe.busy:
            self._probe.cancel()
            self.cancelled.emit()
        elif self.run is not None:
            self.run.stop()

    def close(self) -> None:
        """Release the process; a process that changed the host restores the host."""
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
        """Begin, also with a busy host, which the core handles."""
        if answer.facts is not None or answer.busy:
            self._begin()
            return
        self.failed.emit(SchedulerError(capitalise_first(answer.error), hint=answer.hint))
        if answer.choices:
            self.choose.emit(answer.choices)
        self.entry.open_entry_dialog(self.asked.url, answer)

    def _environment(self) -> dict[str, str]:
        """Return the additional environment variables of the core's process."""
        asked = self.asked
        return {**self._runner.secrets.environment(*asked.words), **asked.environment}

    def _start_run(self, make: Callable[[], Run], text: str) -> Run | None:
        """Start the process and remember the host; return None on failure.

        A failure also emits `failed`.

        Args:
            make: Starts the process. Raises OSError.
            text: Message for a failed start, with `{why}`.
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
        """Release the finished process and return it."""
        run, self.run = self.run, None
        if run is not None:
            run.deleteLater()
        return run

    def _begin(self) -> None:
        raise NotImplementedError
