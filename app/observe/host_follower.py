"""Access check and follow process for the follow page, without widgets."""

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import CommandRunner
from app.display_texts import capitalise_first
from app.observe.follow_request import FollowRequest
from app.observe.host_observer import HostObserver
from app.observe.observation_run import FollowRun
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.command_query import CommandQuery
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import RestoreResult
from scheduler.model.observation_documents import (
    FollowDone,
    FollowEnd,
    FollowLine,
    FollowMove,
    FollowStarted,
    ObservationWindow,
)

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


class HostFollower(HostObserver[FollowRequest, FollowRun]):
    """Follower of one host at a time.

    Args:
        theme: Theme of the dialogs for keys and passwords.
        settings: Settings that remember used hosts.
        runner: Starts one-shot commands and holds the hosts' passwords.
        parent: Parent of the dialogs.

    Signals (in addition to those of `HostObserver`):
        asking: `FollowStarted`; the process waits for `agree` or `stop`.
        told: Each line except the first and the last.
        rescuing: SchedulerError: the process died, and `domtune restore` restores the host; `ended` follows.
        ended: `FollowDone` after a consent; the last signal.

    Attributes:
        began: First line of the process; None before.
    """

    asking = Signal(object)
    told = Signal(object)
    rescuing = Signal(object)
    ended = Signal(object)

    def __init__(self, theme: Theme, settings: Settings, runner: CommandRunner, parent: QWidget) -> None:
        super().__init__(FollowRequest("", ""), theme, settings, runner, parent)
        self.began: FollowStarted | None = None
        self._sum = FollowDone()  # summary for a process that dies
        self._rescue = OutsideRestore(runner, self)
        self._rescue.done.connect(self._finish_restore)

    @property
    def following(self) -> bool:
        """True while DomTune may change the host."""
        return self.run is not None and self.run.agreed

    def agree(self) -> None:
        """Start to follow."""
        if self.run is not None:
            self._sum = FollowDone(host=self.asked.url)
            self.run.agree()

    def _begin(self) -> None:
        text = self.tr("The following process could not be started: {why}")
        run = self._start_run(lambda: FollowRun(self.asked.words, self._environment(), self), text)
        if run is None:
            return
        self.began = None
        run.asking.connect(self._ask_agreement)
        run.told.connect(self._take)
        run.ended.connect(self._handle_end)
        run.died.connect(self._handle_crash)

    def _ask_agreement(self, began: FollowStarted) -> None:
        self.began = began
        self.asking.emit(began)

    def _take(self, line: FollowLine) -> None:
        match line:
            case ObservationWindow():
                self._sum = msgspec.structs.replace(self._sum, t_s=line.t_s)
            case FollowMove(io_used_frac=used) if used is not None:  # else a change of the comparison period
                self._sum = msgspec.structs.replace(self._sum, moves=self._sum.moves + 1)
            case _:
                pass
        self.told.emit(line)

    def _handle_end(self, done: FollowDone) -> None:
        run = self._drop_run()
        if run is not None and run.agreed:
            self.ended.emit(done)
        elif done.end is FollowEnd.DECLINED:
            self.cancelled.emit()
        else:
            self.failed.emit(SchedulerError(capitalise_first(done.error), hint=done.hint))

    def _handle_crash(self, error: SchedulerError) -> None:
        if not self.following or self.began is None:
            self._drop_run()
            self.failed.emit(error)
            return
        self._sum = msgspec.structs.replace(self._sum, end=FollowEnd.FAILED, reason=str(error))
        self.rescuing.emit(error)
        self._rescue.put_back(self.asked.url, self.began.host_id)

    def _finish_restore(self, restored: bool, why: str) -> None:  # noqa: FBT001 - a signal's
        self._drop_run()
        hint = self.tr("Its own settings are kept; use Restore now.")
        done = msgspec.structs.replace(self._sum, restored=restored, error=why, hint="" if restored else hint)
        self.ended.emit(done)
