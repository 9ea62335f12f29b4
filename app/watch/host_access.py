"""Whether a host lets us in: asked before it is watched or followed, with the dialogs that it may want first."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import CommandRunner
from app.display_texts import capitalise_first
from app.settings import Settings
from app.theme.theme import Theme
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


class HostAccess(QObject):
    """Derive from it, and say in `_begin` what is done with a host that lets us in.

    Args:
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
        entry: What a host may want first.
    """

    looking = Signal()
    choose = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, parent: QWidget) -> None:
        super().__init__(parent)
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
        return self._probe.busy

    def _ask_again(self) -> None:
        if not self.busy:
            self._probe_host()

    def _probe_host(self) -> None:
        """Ask the host; `_begin` follows, or `failed`."""
        asked = self._wanted()
        self._probe.ask("probe", "--json", *asked.domains, "--", asked.url)
        self.looking.emit()

    def _cancel_probe(self) -> bool:
        """End the question to the host; return whether there was one."""
        if not self._probe.busy:
            return False
        self._probe.cancel()
        self.cancelled.emit()
        return True

    def _handle_probe(self, answer: HostProbe) -> None:
        """Go on, with a host that somebody holds, too: the core says what it makes of that."""
        if answer.facts is not None or answer.busy:
            self._begin()
            return
        self.failed.emit(SchedulerError(capitalise_first(answer.error), hint=answer.hint))
        if answer.choices:
            self.choose.emit(answer.choices)
        self.entry.open_entry_dialog(self._wanted().url, answer)

    def _environment(self) -> dict[str, str]:
        """Return what the core's process is to get beside our environment."""
        asked = self._wanted()
        return {**self._runner.secrets.environment(*asked.words), **asked.environment}

    def _fail_to_start(self, text: str, error: OSError) -> None:
        said = SchedulerError(text.format(why=error.strerror), hint=self.tr("Nothing was touched."))
        self.failed.emit(said)

    def _wanted(self) -> HasHostRequest:
        raise NotImplementedError

    def _begin(self) -> None:
        raise NotImplementedError
