"""A command of the core in a process of its own, which is asked to end, and ended where it does not."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QTimer

from app.child_process import ChildProcess


class CoreRun(QObject):
    """Begins at once; never blocks. Derive from it, and take its lines in `_take` and its end in `_end`.

    Args:
        words: The command.
        environment: Variables that the process gets beside ours: the one way for a password.
        parent: Qt's parent.
        grace_ms: How long it may take to end once it was asked to.

    Raises:
        OSError: The process could not be started.
    """

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str] | None, parent: QObject | None, grace_ms: int
    ) -> None:
        super().__init__(parent)
        self._over = False
        self._child = ChildProcess([*words], self, environment)
        self._child.line.connect(self._take)
        self._child.ended.connect(self._handle_exit)
        self._limit = QTimer(self)
        self._limit.setSingleShot(True)
        self._limit.setInterval(grace_ms)
        self._limit.timeout.connect(self._kill_child)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._child.pid

    def _let_go(self, *, end: bool) -> None:
        """Stop listening, and ask it to end if that is wanted; nothing of it follows."""
        self._over = True
        self._limit.stop()
        if end and self._child.running:
            self._child.terminate()
        self._child.let_go()

    def _handle_exit(self, code: int) -> None:
        self._limit.stop()
        if not self._over:
            self._over = True
            self._end(code)

    def _kill_child(self) -> None:
        if self._child.running:
            self._child.kill()

    def _take(self, line: bytes) -> None:
        raise NotImplementedError

    def _end(self, code: int) -> None:
        raise NotImplementedError
