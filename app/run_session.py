"""One run in the window: orders to the core, documents from the core, and restore.

If the core dies, `domtune restore` restores the host from outside.
"""

import logging

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.core_process import CommandRunner, CoreProcess, OneShotCommand
from scheduler.background_runs import UNKNOWN_EXIT_CODE, AttachedProgram
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
from scheduler.model.host_kinds import is_near
from scheduler.model.host_properties import Severity
from scheduler.model.interrupted_run import build_run_stopped
from scheduler.model.spec import RunSpec
from scheduler.translation import _

log = logging.getLogger(__name__)

SILENCE_MS = 15_000  # the core reports every second during a trial
FAR_SILENCE_MS = 120_000  # longer than all time limits of a command, which may wait for a lock and a slow host
GRACE_MS = 10_000  # between the steps: warning, SIGTERM, SIGKILL
ABORT_MS = 30_000  # time to finish statements and restore the host; each step is reported
RESTORE_S = 180.0
_MOST_STRANGE = 1_000  # unreadable lines; a core of another version writes a few, a faulty core many


class RunSession(QObject):
    """Sweep in a core process of its own.

    Signals:
        document: Each `Document`, in order.
        notified: Level, text and hint of the window's own message about the run.
        detached: Answer to `detach`: empty, or the reason why the sweep cannot continue without a window.
        ended: `RunStopped`, emitted once as the last signal. The session builds the document if the core died without
            one. A restore from outside has then ended and has written the same document to the store.

    Args:
        runner: Starts the restore from outside.
        parent: Qt's parent.
    """

    document = Signal(object)
    notified = Signal(str, str, str)
    detached = Signal(str)
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
        self._trial = 0  # number of the latest trial, from 1; 0 before the first
        self._t_s = 0.0
        self.spec: RunSpec | None = None
        self.started: RunStarted | None = None
        self.stopped: RunStopped | None = None
        self.restore_report: RestoreResult | None = None
        self.state = RunState.PREPARING
        self.active = False

    @property
    def run_id(self) -> str:
        """Identifier of the run in the store; empty before the first document."""
        return self.started.run_id if self.started else ""

    @property
    def restored(self) -> bool:
        """True when the original settings of the host are restored."""
        return self.stopped is not None and self.stopped.restored

    @property
    def host_id(self) -> str:
        """Identity of the host; empty before the first document."""
        return self.started.facts.host_id if self.started else ""

    @property
    def waits_for_host(self) -> bool:
        """True when the run is over and a restore is pending."""
        return not self.active and self.stopped is not None and not (self.stopped.restored or self.stopped.busy)

    @property
    def core_pid(self) -> int:
        """Process id of the core; 0 before the start."""
        return self._core.pid if self._core else 0

    def begin(
        self, spec: RunSpec, secrets: dict[str, str] | None = None, continues: str = "", consent: Consent = NO_CONSENT
    ) -> None:
        """Start a core with a sweep.

        Args:
            spec: Plan of the sweep.
            secrets: Password by database URL.
            continues: Identifier of the run to continue; empty for a new run.
            consent: Consent of the user to run code of others.

        Raises:
            OSError: The core could not be started.
        """
        self._take_spec(spec)
        core = CoreProcess(self, self._runner.secrets.environment(spec.host_url))
        self._connect_core(core)
        core.order(BeginRun(spec, dict(secrets or {}), continues, consent, own_passwords=True))

    def attach(self, program: AttachedProgram) -> None:
        """Show and control a sweep that runs in the background; all its documents follow."""
        self._connect_core(CoreProcess(self, program=program))

    def detach(self) -> None:
        """Let the sweep continue without a window; `detached` follows, then call `let_go`."""
        if self._core is not None and self.active:
            self._core.detach()

    def let_go(self) -> None:
        """Disconnect from a detached sweep; no signal follows."""
        for timer in (self._silence, self._grace, self._aborting):
            timer.stop()
        self.active = False
        if self._core is not None:
            self._core.let_go()

    def _take_spec(self, spec: RunSpec) -> None:
        self.spec = spec
        here = is_near(spec.host_url)
        self._silence.setInterval(SILENCE_MS if here else FAR_SILENCE_MS)
        self._aborting.setInterval(ABORT_MS if here else FAR_SILENCE_MS)

    def _connect_core(self, core: CoreProcess) -> None:
        self._core = core
        self.active = True
        core.line.connect(self._handle_line)
        core.detached.connect(self.detached)
        core.flooded.connect(self._handle_flood)
        core.ended.connect(self._core_ended)

    def pause(self) -> None:
        """Restore the host and wait; the current trial is repeated after `resume`."""
        self._send_order(PauseRun())

    def resume(self) -> None:
        """Continue after a pause."""
        self._send_order(ResumeRun())

    def abort(self) -> None:
        """Restore the host and end the run; `ended` follows."""
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
        """Count an unreadable line; report the first line, end the core after too many."""
        self._strange += 1
        if self._strange == 1:
            log.warning("a line of the core was not understood: %s", why)
            text = _("An unreadable line of the measuring process was ignored: {why}.").format(why=why)
            self.notified.emit(Severity.WARNING.value, text, _("The measured trials are stored."))
        elif self._strange == _MOST_STRANGE:
            self._give_up(_("The measuring process sent {n} unreadable lines."))

    def _handle_flood(self) -> None:
        self._give_up(_("The measuring process sent an over-long line."))

    def _give_up(self, text: str) -> None:
        """End a faulty core step by step; the core or `domtune restore` restores the host."""
        log.error("the core is ended after %d lines that were not understood", self._strange)
        hint = _("DomTune ends it and restores the host.")
        self.notified.emit(Severity.ERROR.value, text.format(n=self._strange), hint)
        self._grace.setInterval(self._aborting.interval())  # maximum time of a restore
        self._terminate_or_kill()

    def _track_document(self, document: Document) -> None:
        """Update the session from a document; note that the core is alive."""
        self._grace.stop()
        self._t_s = max(self._t_s, document.t_s)
        match document:
            case RunStarted():
                self.started = document
                self._take_spec(self.spec or document.spec)
            case StateChanged(state=state):
                self.state = state
                self._silence.stop()
            case TrialStarted():
                self._trial = document.trial + 1
                self._silence.start()
            case TrialDone():
                self._trial = max(self._trial, document.trial + 1)  # earlier results have no begin
                self._silence.stop()  # a change of the load may rebuild large tables
            case RunStopped():
                self.stopped = document
                self._silence.stop()
            case _ if self._silence.isActive():
                self._silence.start()
        if self._aborting.isActive():
            self._aborting.start()

    def _warn_of_silence(self) -> None:
        """Warn that the core does not report; this is the first step before its end."""
        text = _("The measuring process has not reported for {s} s.").format(s=self._silence.interval() // 1000)
        hint = _("If it stays silent, DomTune ends it and restores the host.")
        self.notified.emit(Severity.WARNING.value, text, hint)
        self._grace.start()

    def _warn_of_end(self) -> None:
        """Warn that a requested end is slow, with possible causes; then end the core."""
        text = _("The sweep was stopped, but the measuring process has not reported for {s} s.")
        hint = _(
            "It waits for the users' statements or for the host, which may be slow. If it stays silent, "
            "DomTune ends it and restores the host."
        )
        self.notified.emit(Severity.WARNING.value, text.format(s=self._aborting.interval() // 1000), hint)
        self._grace.start()

    def _terminate_or_kill(self) -> None:
        """Terminate the core; kill it on the next call.

        After any end of the core, `domtune restore` restores the host.
        """
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
            text = _("{n} lines of the measuring process were unreadable.").format(n=self._strange)
            self.notified.emit(Severity.WARNING.value, text, _("The measured trials are stored."))
        if self.stopped is not None and (self.stopped.restored or self.stopped.busy):
            self._finish_run()
            return
        if self.stopped is None:
            printed = self._core.error_text if self._core else ""
            text = _("The measuring process ended unexpectedly (exit code {code}).").format(code=code)
            if code == UNKNOWN_EXIT_CODE:  # another process started the core
                text = _("The measuring process ended unexpectedly.")
            log.error("%s %s", text, printed)
            hint = printed.rpartition("\n")[2] or _("DomTune is restoring the host.")
            self.notified.emit(Severity.ERROR.value, text, hint)
            # The measurement is over; the length of the restore is unknown.
            doing = StateChanged(t_s=self._t_s, state=RunState.RESTORING, text=_("restoring the host from outside"))
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
            text = _("The host could not be restored.")
            self.notified.emit(Severity.ERROR.value, text, _("The original settings are still saved. Use Restore now."))
        elif died:
            text = _("The measuring process ended unexpectedly.")
            hint = _("DomTune restored the host. The measured trials are kept.")
            if not word.restored_unix_s:
                hint = _("No settings of the sweep remained on the host. The measured trials are kept.")
            self.notified.emit(Severity.WARNING.value, text, hint)
        else:
            self.notified.emit(Severity.INFO.value, _("DomTune restored and verified the host."), "")
        self._finish_run()

    def take_run_stopped(self, word: RunStopped) -> None:
        """Take the final document of the run, or a later version after a restore."""
        self.stopped = word
        self.document.emit(word)

    def _build_run_stopped(self) -> RunStopped:
        """Return the run's final document after the restore from outside.

        The restore writes the same document to the store.
        """
        report = self.restore_report
        ours = [item for item in report.items if self._is_ours(item)] if report else []
        restored = report is not None and all(item.state == "restored" for item in ours)
        restored_unix_s = max((item.restored_unix_s for item in ours), default=0.0) if restored else 0.0
        if self.stopped is not None:
            return msgspec.structs.replace(self.stopped, restored=restored, restored_unix_s=restored_unix_s)
        return build_run_stopped(
            self.started, self._t_s, self._trial, restored=restored, restored_unix_s=restored_unix_s
        )

    def _is_ours(self, item: RestoreItem) -> bool:
        """Return True when an undo record may belong to this run's host.

        The restore banner handles the undo records of other hosts.
        """
        return self.started is None or item.host_id in ("", self.started.facts.host_id)

    def _finish_run(self) -> None:
        self.active = False
        self.state = RunState.CLOSED
        self.ended.emit(self.stopped)
