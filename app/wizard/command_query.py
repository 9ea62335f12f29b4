"""Question to a one-shot command; a new question drops the previous one."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from app.core_process import CommandRunner, OneShotCommand
from scheduler.errors import SchedulerError

Answer = TypeVar("Answer")


class CommandQuery(QObject, Generic[Answer]):
    """Question to a one-shot command; it never blocks.

    Args:
        runner: Starts the command.
        kind: Type of the answer.
        timeout_s: Time limit of the command, seconds.
        parent: Qt's parent.

    Signals:
        began: The command runs; `busy` is True.
        answered: The answer.
        failed: A SchedulerError with the reason for a missing answer.
        ended: No command runs any more; after `answered`, `failed` or `cancel`.
    """

    began = Signal()
    answered = Signal(object)
    failed = Signal(object)
    ended = Signal()

    def __init__(
        self, runner: CommandRunner, kind: type[Answer], timeout_s: float, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self._kind = kind
        self._timeout_s = timeout_s
        self._running: OneShotCommand | None = None
        self.words: tuple[str, ...] = ()

    @property
    def busy(self) -> bool:
        """True while a command runs."""
        return self._running is not None

    def ask(self, *words: str, stdin: bytes = b"", hosts: Sequence[str] = ()) -> None:
        """Start the command.

        Args:
            *words: Arguments of `domtune`.
            stdin: Standard input; secrets go here, never into the arguments.
            hosts: URLs of hosts whose passwords the command needs.
        """
        self._drop_running()
        self.words = words
        running = self._runner.run_once([*words], stdin, self._timeout_s, hosts)
        self._running = running
        running.finished.connect(self._take_answer)  # a lambda would outlive this object and still be called
        self.began.emit()

    def cancel(self) -> None:
        """End the command; neither `answered` nor `failed` follows."""
        if self.busy:
            self._drop_running()
            self.ended.emit()

    def _drop_running(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.finished.disconnect(self._take_answer)
            running.cancel()

    def _take_answer(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        try:
            answer = running.read(self._kind)
        except SchedulerError as error:
            self.failed.emit(error)
        else:
            self.answered.emit(answer)
        self.ended.emit()
