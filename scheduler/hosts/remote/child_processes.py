"""Child processes with a time limit that can be ended from another thread."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence

from scheduler.children import abandon, close_pipes
from scheduler.hosts.remote.answer_errors import no_answer_error, output_too_long_error
from scheduler.hosts.remote.child_io import OutputTooLong, exchange_data
from scheduler.hosts.remote.shell import CommandResult

_NO_PROGRAM = 127  # what a shell answers when there is no such program
_CANNOT_RUN = 126
_ENDING_S = 2.0


class ChildProcesses:
    """The running commands of one shell.

    Args:
        where: The host as people name it.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()

    def run(self, argv: Sequence[str], timeout_s: float, stdin: str, env: Mapping[str, str]) -> CommandResult:
        """Run one command in a process group of its own.

        Raises:
            HostUnreachable: It takes too long.
            HostNotUsable: It says too much.
        """
        try:
            child = self._start_child(argv, env)
        except OSError as error:
            code = _NO_PROGRAM if isinstance(error, FileNotFoundError) else _CANNOT_RUN
            return CommandResult(code, "", f"{argv[0]}: {error.strerror}")
        try:
            out, err = exchange_data(child, stdin.encode(), timeout_s)
        except TimeoutError as error:
            raise no_answer_error(self._where, argv, timeout_s) from error
        except OutputTooLong as error:
            raise output_too_long_error(self._where, argv) from error
        finally:
            with self._lock:
                self._running.discard(child)
            _terminate_child(child)
        return CommandResult(_exit_code(child.returncode), out, err)

    def end_all(self) -> None:
        """End every running command; its `run` then answers with the signal's code."""
        with self._lock:
            for child in self._running:
                _kill_group(child)

    def _start_child(self, argv: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        with self._lock:
            child = subprocess.Popen(
                list(argv), stdin=pipe, stdout=pipe, stderr=pipe, env=dict(env), start_new_session=True
            )
            self._running.add(child)
        return child


def _exit_code(returncode: int) -> int:
    return returncode if returncode >= 0 else 128 - returncode  # as a shell says that a signal ended it


def _terminate_child(child: subprocess.Popen[bytes]) -> None:
    """Leave no pipe behind, whatever ended the wait, and no process that we may end."""
    if child.poll() is None:
        _kill_group(child)
        try:
            child.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            abandon(child)
    close_pipes(child)


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return  # its number may be somebody else's by now
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # sudo is root's, and takes no signal from an account of its own: its command may go on.
        with contextlib.suppress(PermissionError):
            child.kill()
