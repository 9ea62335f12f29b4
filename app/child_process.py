"""Child process of this program, with its output as lines.

`QProcess` is not used: its destructor kills the child, and then closing the window would leave the host changed. A
`ChildProgram` in a session of its own restores the host when its standard input closes, however the window ended. A
Ctrl+C in the window's terminal does not reach such a child.
"""

import functools
import tempfile
from collections.abc import Mapping
from typing import IO

from PySide6.QtCore import QObject, QTimer, Signal

from app.pipes import LineReader
from scheduler.background_runs import AttachedProgram
from scheduler.children import PIPE, ChildProgram, our_environment, python_module
from scheduler.model.codec import DetachRun, decode_detached, encode_line

_HELD_MS = 2_000  # interval of checks for an exit while the pipe is open: a grandchild may hold the pipe
_POLL_MS = 20  # interval of checks for an exit after the pipe has closed
_TAIL_BYTES = 4_000


def core_command(*words: str) -> list[str]:
    """Return the command line of this program's core."""
    return python_module("scheduler", *words)


class ChildProcess(QObject):
    """Child process whose output arrives as lines.

    Args:
        words: Arguments of `python -m scheduler`, never passwords; or a process that runs in the background.
        parent: Qt's parent.
        environment: Additional environment variables, the only way to pass a password.

    Signals:
        line: One line of the output.
        detached: Answer to `detach`: empty, or the reason why the process cannot continue without a window.
        flooded: A line was too long; reading has stopped, and `ended` follows later.
        ended: Exit code (negative: the number of a signal); always the last signal.
    """

    line = Signal(bytes)
    detached = Signal(str)
    flooded = Signal()
    ended = Signal(int)

    def __init__(
        self,
        words: list[str] | AttachedProgram,
        parent: QObject | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(parent)
        # A file, because a full pipe without a reader would block the child.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._said = ""
        self._process = words if isinstance(words, AttachedProgram) else self._start(words, environment or {})
        assert self._process.stdout is not None  # noqa: S101 - asked for; for the type checker
        self._reader = LineReader(self._process.stdout, self._take_line, self)
        self._reader.ended.connect(self._wait_for_exit)
        # Emit `flooded` before `ended`, which a closed pipe may cause at once: listeners then know the reason.
        self._reader.flooded.connect(self.flooded)
        self._reader.flooded.connect(self._wait_for_exit)
        self._exit = QTimer(self)
        self._exit.setInterval(_POLL_MS)
        self._exit.timeout.connect(self._has_ended)
        self._held = QTimer(self)
        self._held.setInterval(_HELD_MS)
        self._held.timeout.connect(self._ask_for_end)
        self._held.start()
        # The owner may be deleted before the child exits: close the pipes and reap the child then.
        self.destroyed.connect(functools.partial(_release_process, self._process, self._errors))

    def _start(self, words: list[str], environment: Mapping[str, str]) -> ChildProgram:
        return ChildProgram(core_command(*words), {**our_environment(), **environment}, outputs=(PIPE, self._errors))

    def _take_line(self, line: bytes) -> None:
        answer = decode_detached(line)
        if answer is None:
            self.line.emit(line)
        else:
            self.detached.emit(answer.error)

    @property
    def pid(self) -> int:
        """Process id, for messages."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """True until the exit is noticed."""
        return self._process.poll() is None

    @property
    def error_text(self) -> str:
        """The last lines of standard error after the exit; may be empty."""
        return self._said

    def write(self, data: bytes) -> None:
        """Write to standard input; ignore a child that has exited.

        `ended` reports the exit.
        """
        self._process.write(data)

    def detach(self) -> None:
        """Let the process continue without a window.

        `detached` follows. Then call `let_go`.
        """
        self.write(encode_line(DetachRun()))

    def close_input(self) -> None:
        """Close standard input, which makes a core restore the host and exit."""
        self._process.close_input()

    def terminate(self) -> None:
        """Ask the child to exit (SIGTERM)."""
        self._process.terminate()

    def kill(self) -> None:
        """Kill the child (SIGKILL)."""
        self._process.kill()

    def let_go(self) -> None:
        """Disconnect and let the child continue; `ended` does not follow."""
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
        """Check for the exit once and emit `ended` after an exit.

        A single check decides, because a second check may have another result.
        """
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


def _release_process(process: ChildProgram | AttachedProgram, errors: IO[bytes], *_: object) -> None:
    process.close_pipes()
    errors.close()
    if process.poll() is None:
        process.abandon()


def _read_error_tail(errors: IO[bytes]) -> str:
    size = errors.seek(0, 2)
    errors.seek(max(0, size - _TAIL_BYTES))
    return errors.read().decode("utf-8", "replace").strip()
