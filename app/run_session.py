"""One run as the window sees it: orders in, documents out, and the host put back whatever happens to the core."""

import logging

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.core_process import CommandRunner, CoreProcess, OneShotCommand
from scheduler.errors import SchedulerError
from scheduler.model.codec import AbortRun, BeginRun, PauseRun, ResumeRun, decode_document
from scheduler.model.command_answers import RestoreItem, RestoreResult
from scheduler.model.consent import NO_CONSENT, Consent
from scheduler.model.documents import (
    Document,
    RunStarted,
    RunState,
    RunStopped,
    StateChanged,
    TrialDone,
    TrialStarted,
)
from scheduler.model.host_properties import Severity
from scheduler.model.interrupted_run import build_run_stopped
from scheduler.model.spec import RunSpec

log = logging.getLogger(__name__)

SILENCE_MS = 15_000  # during a trial the core reports every second
FAR_SILENCE_MS = 120_000  # a command may wait for a lock, then for a starved host: longer than any of its limits
GRACE_MS = 10_000  # between two steps of the ladder: warned, asked to end, ended
ABORT_MS = 30_000  # users finish their statements, the host is put back, each step reported
RESTORE_S = 180.0
_MOST_STRANGE = 1_000  # lines that are no documents: a core of another version says some, one that is broken says more
_HERE = ("local:", "sim:", "fake:")  # hosts that answer at once


class RunSession(QObject):
    """One sweep in a core of its own.

    Signals:
        document: One `Document`, in order.
        said: Level, text, hint: what the window itself has to say about the run.
        ended: Always the last signal, once: the `RunStopped`, made here when the core ended without one. The outside
            restore, if one was due, is done by then; it tells the store what we tell here.

    Args:
        runner: Starts the outside restore.
        parent: Qt's parent.
    """

    document = Signal(object)
    said = Signal(str, str, str)
    ended = Signal(object)

    def __init__(self, runner: CommandRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._core: CoreProcess | None = None
        self._restore: OneShotCommand | None = None
        self._silence = self._make_timer(SILENCE_MS, self._warn_of_silence)
        self._grace = self._make_timer(GRACE_MS, self._terminate_or_kill)
        self._aborting = self._make_timer(ABORT_MS, self._warn_of_end)
        self._was_terminated = False
        self._strange = 0
        self._trial = 0  # the latest that began, from 1
        self._t_s = 0.0
        self.spec: RunSpec | None = None
        self.started: RunStarted | None = None
        self.stopped: RunStopped | None = None
        self.restore_report: RestoreResult | None = None
        self.state = RunState.PREPARING
        self.active = False

    @property
    def run_id(self) -> str:
        """The run's id in the store; empty before the first document."""
        return self.started.run_id if self.started else ""

    @property
    def restored(self) -> bool:
        """True when the host is known to be as it was found."""
        return self.stopped is not None and self.stopped.restored

    @property
    def host_id(self) -> str:
        """The host's identity; empty before the first document."""
        return self.started.facts.host_id if self.started else ""

    @property
    def waits_for_host(self) -> bool:
        """True when the run is over and its host was left changed: somebody will put it back."""
        return not self.active and self.stopped is not None and not (self.stopped.restored or self.stopped.busy)

    @property
    def core_pid(self) -> int:
        """Process id of the core; 0 before the beginning."""
        return self._core.pid if self._core else 0

    def begin(
        self, spec: RunSpec, secrets: dict[str, str] | None = None, continues: str = "", consent: Consent = NO_CONSENT
    ) -> None:
        """Start a core and tell it what to do.

        Args:
            spec: The sweep.
            secrets: Database URL to password.
            continues: Id of a stored run to go on with; empty for a new one.
            consent: What the person agreed to.

        Raises:
            OSError: It cannot be started.
        """
        self.spec = spec
        here = spec.host_url.startswith(_HERE)
        self._silence.setInterval(SILENCE_MS if here else FAR_SILENCE_MS)
        self._aborting.setInterval(ABORT_MS if here else FAR_SILENCE_MS)
        self._core = CoreProcess(self, self._runner.secrets.environment(spec.host_url))
        self.active = True
        self._core.line.connect(self._handle_line)
        self._core.flooded.connect(self._handle_flood)
        self._core.ended.connect(self._core_ended)
        self._core.order(BeginRun(spec, dict(secrets or {}), continues, consent, own_passwords=True))

    def pause(self) -> None:
        """Give the host back and wait; the trial is repeated after `resume`."""
        self._send_order(PauseRun())

    def resume(self) -> None:
        """Go on."""
        self._send_order(ResumeRun())

    def abort(self) -> None:
        """Put the host back and end; `ended` follows."""
        self._send_order(AbortRun())
        if self.active:
            self._aborting.start()

    def _send_order(self, order: PauseRun | ResumeRun | AbortRun) -> None:
        if self._core is not None and self.active:
            self._core.order(order)

    def _make_timer(self, after_ms: int, then: object) -> QTimer:
        made = QTimer(self)
        made.setSingleShot(True)
        made.setInterval(after_ms)
        made.timeout.connect(then)
        return made

    def _handle_line(self, line: bytes) -> None:
        try:
            document = decode_document(line)
        except msgspec.MsgspecError as error:
            self._count_unreadable_line(str(error))
            return
        self._track_document(document)
        self.document.emit(document)

    def _count_unreadable_line(self, why: str) -> None:
        """Count a line that is no document; tell of the first, and end a core that says little else."""
        self._strange += 1
        if self._strange == 1:
            log.warning("a line of the core was not understood: %s", why)
            text = self.tr("A line of the measuring process was not understood and is left out: {why}.").format(why=why)
            self.said.emit(Severity.WARNING.value, text, self.tr("What was measured is stored all the same."))
        elif self._strange == _MOST_STRANGE:
            self._give_up(self.tr("The measuring process says what cannot be understood, {n} lines of it."))

    def _handle_flood(self) -> None:
        self._give_up(self.tr("The measuring process says a line without an end."))

    def _give_up(self, text: str) -> None:
        """End a core that is out of its mind, by the ladder; the host is put back by it or from outside."""
        log.error("the core is ended after %d lines that were not understood", self._strange)
        hint = self.tr("It is ended, and the host is restored.")
        self.said.emit(Severity.ERROR.value, text.format(n=self._strange), hint)
        self._grace.setInterval(self._aborting.interval())  # as long as putting a host back may take
        self._terminate_or_kill()

    def _track_document(self, document: Document) -> None:
        """Note what the window needs to know itself, and that the core is alive."""
        self._grace.stop()
        self._t_s = max(self._t_s, document.t_s)
        match document:
            case RunStarted():
                self.started = document
            case StateChanged(state=state):
                self.state = state
                self._silence.stop()
            case TrialStarted():
                self._trial = document.trial + 1
                self._silence.start()
            case TrialDone():
                self._trial = max(self._trial, document.trial + 1)  # one of the run that is continued never begins
                self._silence.stop()  # a change of the load may take as long as its tables need
            case RunStopped():
                self.stopped = document
                self._silence.stop()
            case _ if self._silence.isActive():
                self._silence.start()
        if self._aborting.isActive():
            self._aborting.start()

    def _warn_of_silence(self) -> None:
        """First step of the ladder: the core is silent when it should not be."""
        text = self.tr("The measuring process has not reported for {s} s.").format(s=self._silence.interval() // 1000)
        hint = self.tr("If it stays silent it is ended, and the host is restored from outside.")
        self.said.emit(Severity.WARNING.value, text, hint)
        self._grace.start()

    def _warn_of_end(self) -> None:
        """Say what an end that was asked for may be waiting for; then as above."""
        text = self.tr("The sweep was stopped, and for {s} s the measuring process has said nothing more.")
        hint = self.tr(
            "It waits for the users' statements or for the host, and a starved one is slow. If it stays silent it is "
            "ended, and the host is restored from outside."
        )
        self.said.emit(Severity.WARNING.value, text.format(s=self._aborting.interval() // 1000), hint)
        self._grace.start()

    def _terminate_or_kill(self) -> None:
        """Ask it to end; then end it. A core that ended in any way is followed by the outside restore."""
        if self._core is None or not self._core.running:
            return
        if not self._was_terminated:
            self._was_terminated = True
            log.warning("core %d is silent: asked to end", self._core.pid)
            self._core.terminate()
            self._grace.start()
        else:
            log.warning("core %d did not end: killed", self._core.pid)
            self._core.kill()

    def _core_ended(self, code: int) -> None:
        for timer in (self._silence, self._grace, self._aborting):
            timer.stop()
        if self._strange > 1:
            text = self.tr("{n} lines of the measuring process were not understood.").format(n=self._strange)
            self.said.emit(Severity.WARNING.value, text, self.tr("What was measured is stored all the same."))
        if self.stopped is not None and (self.stopped.restored or self.stopped.busy):
            self._finish_run()
            return
        if self.stopped is None:
            said = self._core.error_text if self._core else ""
            text = self.tr("The measuring process ended unexpectedly (exit code {code}).").format(code=code)
            log.error("%s %s", text, said)
            hint = said.rpartition("\n")[2] or self.tr("The host is being restored from outside.")
            self.said.emit(Severity.ERROR.value, text, hint)
            # Nothing is measured any more, and until when putting back will take nobody knows.
            doing = StateChanged(t_s=self._t_s, state=RunState.RESTORING, text="restoring the host from outside")
            self.document.emit(doing)
        hosts = (self.spec.host_url,) if self.spec else ()
        self._restore = self._runner.run_once(["restore", "--json"], timeout_s=RESTORE_S, hosts=hosts)
        self._restore.finished.connect(self._restored_outside)

    def _restored_outside(self, output: bytes, code: int) -> None:
        del output
        try:
            self.restore_report = self._restore.read(RestoreResult) if self._restore else None
        except SchedulerError as error:
            log.warning("the outside restore gave no answer (exit code %d): %s", code, error)
        died = self.stopped is None
        word = self._build_run_stopped()
        self.take_run_stopped(word)
        if not word.restored:
            text = self.tr("The host could not be restored.")
            self.said.emit(Severity.ERROR.value, text, self.tr("Its own settings are kept; use Restore now."))
        elif died:
            text = self.tr("The measuring process ended unexpectedly.")
            hint = self.tr("The host was restored from outside. What was measured is kept.")
            if not word.put_back_unix_s:
                hint = self.tr("Nothing of it was left on the host. What was measured is kept.")
            self.said.emit(Severity.WARNING.value, text, hint)
        else:
            self.said.emit(Severity.INFO.value, self.tr("The host was restored from outside and verified."), "")
        self._finish_run()

    def take_run_stopped(self, word: RunStopped) -> None:
        """Take the run's last word, or a later one: somebody put its host back since."""
        self.stopped = word
        self.document.emit(word)

    def _build_run_stopped(self) -> RunStopped:
        """Return what the outside restore makes of the run's last word; it writes the same into the store."""
        report = self.restore_report
        ours = [item for item in report.items if self._is_ours(item)] if report else []
        restored = report is not None and all(item.state == "restored" for item in ours)
        put_back_unix_s = max((item.restored_unix_s for item in ours), default=0.0) if restored else 0.0
        if self.stopped is not None:
            return msgspec.structs.replace(self.stopped, restored=restored, put_back_unix_s=put_back_unix_s)
        return build_run_stopped(
            self.started, self._t_s, self._trial, restored=restored, put_back_unix_s=put_back_unix_s
        )

    def _is_ours(self, item: RestoreItem) -> bool:
        """Return whether a record may be of this run's host; those of others are the banner's affair."""
        return self.started is None or item.host_id in ("", self.started.facts.host_id)

    def _finish_run(self) -> None:
        self.active = False
        self.state = RunState.CLOSED
        self.ended.emit(self.stopped)
