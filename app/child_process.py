"""One child process of this program, its output by lines.

Never `QProcess`: its destructor kills the child, so a polite `quit()` of the window would leave the host
changed. A `subprocess.Popen` in a session of its own hears that its standard input closed and restores,
however the window ended; a Ctrl+C in the window's terminal does not reach it.
"""

import contextlib
import functools
import subprocess
import tempfile
from collections.abc import Mapping
from typing import IO

from PySide6.QtCore import QObject, QTimer, Signal

from app.pipes import LineReader
from scheduler.children import abandon, close_pipes, our_environment, python_module

_HELD_MS = 2_000  # how often it is asked whether a process has ended whose pipe has not: a child of its own may hold it
_POLL_MS = 20  # how often an ended pipe's process is asked whether it has ended, too
_TAIL_BYTES = 4_000


def core_command(*words: str) -> list[str]:
    """Return the command line of this program's core with these words."""
    return python_module("scheduler", *words)


class ChildProcess(QObject):
    """One child process with its output by lines.

    Args:
        words: Words for `python -m scheduler`.
        parent: Qt's parent.
        environment: Variables that it gets beside ours: the one way for a password, never in `words`.

    Signals:
        line: One line of its output.
        flooded: It said a line that is longer than any of ours; nothing more is read, and `ended` comes in time.
        ended: Its exit code (negative: the signal that ended it); always the last signal.
    """

    line = Signal(bytes)
    flooded = Signal()
    ended = Signal(int)

    def __init__(
        self, words: list[str], parent: QObject | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(parent)
        # A file, since a pipe that nobody reads would block the child.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._said = ""
        self._process = subprocess.Popen(
            core_command(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
            start_new_session=True,
            env={**our_environment(), **(environment or {})},
        )
        assert self._process.stdout is not None  # noqa: S101 - asked for above; for the type checker
        self._reader = LineReader(self._process.stdout, self.line.emit, self)
        self._reader.ended.connect(self._wait_for_exit)
        # Before its end, which a closed pipe may bring at once: whoever hears of that knows why.
        self._reader.flooded.connect(self.flooded)
        self._reader.flooded.connect(self._wait_for_exit)
        self._exit = QTimer(self)
        self._exit.setInterval(_POLL_MS)
        self._exit.timeout.connect(self._has_ended)
        self._held = QTimer(self)
        self._held.setInterval(_HELD_MS)
        self._held.timeout.connect(self._ask_for_end)
        self._held.start()
        # Whoever owned it may be deleted while it ends: then nothing of it is left open, and it is reaped.
        self.destroyed.connect(functools.partial(_release_process, self._process, self._errors))

    @property
    def pid(self) -> int:
        """Process id, for messages."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """True until its exit was seen."""
        return self._process.poll() is None

    @property
    def error_text(self) -> str:
        """The last lines of its standard error, once it has ended; empty when it said nothing."""
        return self._said

    def write(self, data: bytes) -> None:
        """Write to its standard input; a child that is gone is no error here, `ended` will tell."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(BrokenPipeError, OSError):
                self._process.stdin.write(data)

    def close_input(self) -> None:
        """Close its standard input: for a core the order to restore and end."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError, OSError):
                self._process.stdin.close()

    def terminate(self) -> None:
        """Ask it to end (SIGTERM)."""
        self._process.terminate()

    def kill(self) -> None:
        """End it (SIGKILL)."""
        self._process.kill()

    def let_go(self) -> None:
        """Stop listening; it goes on by itself and `ended` does not come."""
        self._exit.stop()
        self._held.stop()
        self._reader.close()
        self.close_input()
        self._errors.close()

    def _ask_for_end(self) -> None:
        if not self.running:
            self._held.stop()
            self._reader.finish()

    def _wait_for_exit(self) -> None:
        if not self._has_ended():
            self._exit.start()

    def _has_ended(self) -> bool:
        """Look once, and tell of the end when it is there: a second look may see what the first did not."""
        code = self._process.poll()
        if code is None:
            return False
        self._exit.stop()
        self._held.stop()
        if not self._errors.closed:
            self.close_input()
            with self._errors:
                self._said = _read_error_tail(self._errors)
            self.ended.emit(code)
        return True


def _release_process(process: subprocess.Popen[bytes], errors: IO[bytes], *_: object) -> None:
    close_pipes(process)
    errors.close()
    if process.poll() is None:
        abandon(process)


def _read_error_tail(errors: IO[bytes]) -> str:
    size = errors.seek(0, 2)
    errors.seek(max(0, size - _TAIL_BYTES))
    return errors.read().decode("utf-8", "replace").strip()
