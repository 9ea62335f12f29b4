"""Putting a host back from outside, once the process that followed it is gone without a word."""

from PySide6.QtCore import QObject, QTimer, Signal

from app.core_process import Runner
from app.wizard.question import Question
from scheduler.errors import SchedulerError
from scheduler.model.probe import Restored

_RESTORE_S = 180.0
_AGAIN_MS = 2_000  # while the keeper of this computer is at it
_MOST = 60


class Rescue(QObject):
    """Asks `domtune restore` for one host, again while somebody else is putting it back.

    Args:
        runner: Starts it.
        parent: Qt's parent.

    Signals:
        done: Whether the original settings are restored, and why not.
    """

    done = Signal(bool, str)

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._url = self._host_id = ""
        self._tries = 0
        self._question: Question[Restored] = Question(runner, Restored, _RESTORE_S, self)
        self._question.answered.connect(self._take)
        self._question.failed.connect(self._fail)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_AGAIN_MS)
        self._again.timeout.connect(self._ask)

    def put_back(self, url: str, host_id: str) -> None:
        """Put this host back; `done` follows."""
        self._url, self._host_id, self._tries = url, host_id, 0
        self._ask()

    def _ask(self) -> None:
        self._tries += 1
        self._question.ask("restore", "--json", "--only", self._host_id, hosts=(self._url,))

    def _take(self, answer: Restored) -> None:
        left = [item for item in answer.items if item.state != "restored"]
        if left and left[0].state == "running" and self._tries < _MOST:
            self._again.start()
        else:
            self.done.emit(not left, left[0].text if left else "")

    def _fail(self, error: SchedulerError) -> None:
        self.done.emit(False, str(error))
