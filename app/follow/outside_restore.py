"""Putting a host back from outside, once the process that followed it is gone without a word."""

from PySide6.QtCore import QObject, QTimer, Signal

from app.core_process import CommandRunner
from app.wizard.command_query import CommandQuery
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import RestoreResult

_RESTORE_S = 180.0
_AGAIN_MS = 2_000  # while the keeper of this computer is at it
_MOST = 60


class OutsideRestore(QObject):
    """Asks `domtune restore` for one host, again while somebody else is putting it back.

    Args:
        runner: Starts it.
        parent: Qt's parent.

    Signals:
        done: Whether the original settings are restored, and why not.
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
        """Put this host back; `done` follows."""
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
