"""Observation of one host: access check, login dialogs, process and restore."""

from dataclasses import replace

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import CommandRunner
from app.display_texts import capitalise_first
from app.observe.observation_request import ObservationRequest
from app.observe.observation_run import ObservationRun
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.command_query import CommandQuery
from app.wizard.host_entry import HostEntry
from scheduler.background_runs import FOLLOW, AttachedProgram
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import HostProbe, RestoreResult
from scheduler.model.observation_documents import (
    FollowDone,
    FollowEnd,
    FollowMove,
    FollowStarted,
    ObservationLine,
    ObservationStarted,
    ObservationWindow,
    WatchResult,
)
from scheduler.translation import _

_PROBE_S = 180.0  # as in the wizard: XAPI may delay a login for 120 s
_RESTORE_S = 180.0
_AGAIN_MS = 2_000  # while the local guard restores the host
_MOST = 60


class OutsideRestore(QObject):
    """Restore of one host by `domtune restore`.

    The command is repeated while another process restores the host.

    Args:
        runner: Starts the command.
        parent: Qt's parent.

    Signals:
        done: True when the original settings are restored, and the reason otherwise.
    """

    done = Signal(bool, str)

    def __init__(self, runner: CommandRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._url = self._host_id = ""
        self._tries = 0
        self._question: CommandQuery[RestoreResult] = CommandQuery(runner, RestoreResult, _RESTORE_S, self)
        self._question.answered.connect(self._handle_answer)
        self._question.failed.connect(self._handle_failure)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_AGAIN_MS)
        self._again.timeout.connect(self._run_restore)

    def put_back(self, url: str, host_id: str) -> None:
        """Restore a host; `done` follows.

        Args:
            url: URL of the host.
            host_id: Identity of the host.
        """
        self._url, self._host_id, self._tries = url, host_id, 0
        self._run_restore()

    def _run_restore(self) -> None:
        self._tries += 1
        self._question.ask("restore", "--json", "--only", self._host_id, hosts=(self._url,))

    def _handle_answer(self, answer: RestoreResult) -> None:
        left = [item for item in answer.items if item.state != "restored"]
        if left and left[0].state == "running" and self._tries < _MOST:
            self._again.start()
        else:
            self.done.emit(not left, left[0].text if left else "")

    def _handle_failure(self, error: SchedulerError) -> None:
        self.done.emit(False, str(error))


class HostObserver(QObject):
    """Observer of one host at a time.

    Args:
        theme: Theme of the dialogs for keys and passwords.
        settings: Settings that remember used hosts.
        runner: Starts one-shot commands and holds the hosts' passwords.
        parent: Parent of the dialogs.

    Signals:
        looking: The access check of a host has begun.
        reading: Access is granted; the process reads the first counters.
        choose: Names of domains, of which the user must choose the guest.
        asking: `FollowStarted`; the process waits for `agree` or `stop`.
        began: `ObservationStarted` of watching, or of following in the background.
        line_received: Each line except the first and the last.
        detached: Answer to `detach`: empty, or the reason why the process cannot continue without a window.
        answered: `WatchResult` without an error; the last signal.
        rescuing: SchedulerError: the process died, and `domtune restore` restores the host; `ended` follows.
        ended: `FollowDone` after a consent; the last signal.
        failed: SchedulerError with the reason why nothing began or no result exists; the last signal.
        cancelled: The user stopped before anything began; the last signal.

    Attributes:
        asked: Latest request.
        run: Process that observes; None when none runs.
        entry: Dialogs for keys and passwords.
        terms: First line of a process that follows; None before.
    """

    looking = Signal()
    reading = Signal()
    choose = Signal(object)
    asking = Signal(object)
    began = Signal(object)
    line_received = Signal(object)
    detached = Signal(str)
    answered = Signal(object)
    rescuing = Signal(object)
    ended = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, parent: QWidget) -> None:
        super().__init__(parent)
        self.asked = ObservationRequest("", "")
        self.run: ObservationRun | None = None
        self.terms: FollowStarted | None = None
        self._sum = FollowDone()  # summary for a process that dies
        self._settings, self._runner = settings, runner
        self._probe: CommandQuery[HostProbe] = CommandQuery(runner, HostProbe, _PROBE_S, self)
        self._probe.answered.connect(self._handle_probe)
        self._probe.failed.connect(self.failed)
        self._rescue = OutsideRestore(runner, self)
        self._rescue.done.connect(self._finish_restore)
        self.entry = HostEntry(theme, runner, parent)
        self.entry.again.connect(self._ask_again)
        self.entry.failed.connect(self.failed)

    @property
    def busy(self) -> bool:
        """True while a host is checked or observed."""
        return self.run is not None or self._probe.busy

    @property
    def following(self) -> bool:
        """True while DomTune may change the host."""
        return self.run is not None and self.run.agreed

    def start(self, asked: ObservationRequest) -> None:
        """Check access to the host, then observe the host or emit `failed`."""
        if not self.busy:
            self.asked = asked
            self._probe_host()

    def attach(self, program: AttachedProgram) -> None:
        """Show and control a process that runs in the background; all its lines follow."""
        self.asked = ObservationRequest("", "", follows=program.kind == FOLLOW)
        self._connect_run(ObservationRun(self.asked, {}, self, program))

    def detach(self) -> None:
        """Let the process continue without a window.

        `detached` follows. Then call `release`.
        """
        if self.run is not None:
            self.run.detach()

    def release(self) -> None:
        """Disconnect from a detached process."""
        if self.run is not None:
            self.run.release()
            self.run = None

    def agree(self) -> None:
        """Start to follow."""
        if self.run is not None:
            self._sum = FollowDone(host=self.asked.url)
            self.run.agree()

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

    def _begin(self) -> None:
        """Start the process and remember the host; a failed start emits `failed`."""
        asked = self.asked
        try:
            run = ObservationRun(asked, {**self._runner.secrets.environment(*asked.words), **asked.environment}, self)
        except OSError as error:
            text = _("The observing process could not start: {why}").format(why=error.strerror)
            self.failed.emit(SchedulerError(text, hint=_("Nothing was changed.")))
            return
        self._settings.remember_host(asked.url)
        self._connect_run(run)
        self.reading.emit()

    def _connect_run(self, run: ObservationRun) -> None:
        self.run, self.terms = run, None
        run.began.connect(self._handle_start)
        run.line_received.connect(self._take)
        run.detached.connect(self.detached)
        run.ended.connect(self._handle_end)
        run.died.connect(self._handle_crash)

    def _handle_start(self, began: ObservationStarted) -> None:
        if not self.asked.url:  # a process of the background
            self.asked = replace(self.asked, url=began.host)
        if isinstance(began, FollowStarted):
            self.terms = began
            (self.began if self.following else self.asking).emit(began)
        else:
            self.began.emit(began)

    def _take(self, line: ObservationLine) -> None:
        match line:
            case ObservationWindow():
                self._sum = msgspec.structs.replace(self._sum, t_s=line.t_s)
            case FollowMove(io_used_frac=used) if used is not None:  # else a change of the comparison period
                self._sum = msgspec.structs.replace(self._sum, moves=self._sum.moves + 1)
            case _:
                pass
        self.line_received.emit(line)

    def _handle_end(self, last: WatchResult | FollowDone) -> None:
        run = self._drop_run()
        if isinstance(last, FollowDone) and run is not None and run.agreed:
            self.ended.emit(last)
        elif isinstance(last, FollowDone) and last.end is FollowEnd.DECLINED:
            self.cancelled.emit()
        elif isinstance(last, WatchResult) and not last.error:
            self.answered.emit(last)
        else:
            self.failed.emit(SchedulerError(capitalise_first(last.error), hint=last.hint))

    def _handle_crash(self, error: SchedulerError) -> None:
        if not self.following or self.terms is None:
            self._drop_run()
            self.failed.emit(error)
            return
        self._sum = msgspec.structs.replace(self._sum, end=FollowEnd.FAILED, reason=str(error))
        self.rescuing.emit(error)
        self._rescue.put_back(self.asked.url, self.terms.host_id)

    def _finish_restore(self, restored: bool, why: str) -> None:  # noqa: FBT001 - a signal's
        self._drop_run()
        hint = _("The original settings are still saved. Use Restore now.")
        done = msgspec.structs.replace(self._sum, restored=restored, error=why, hint="" if restored else hint)
        self.ended.emit(done)

    def _drop_run(self) -> ObservationRun | None:
        """Release the finished process and return it."""
        run, self.run = self.run, None
        if run is not None:
            run.deleteLater()
        return run
