"""Child processes with a time limit, which another thread can end."""

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

_NO_PROGRAM = 127  # the shell's code for a missing program
_CANNOT_RUN = 126
_ENDING_S = 2.0


class ChildProcesses:
    """The running commands of one shell.

    Args:
        where: The host, for messages.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()

    def run(self, argv: Sequence[str], timeout_s: float, stdin: str, env: Mapping[str, str]) -> CommandResult:
        """Run one command in a process group of its own.

        Args:
            argv: The command.
            timeout_s: Time limit, seconds.
            stdin: The whole input.
            env: Environment of the command.

        Raises:
            HostUnreachable: The command exceeds the time limit.
            HostNotUsable: The output exceeds the limit.
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
        """Kill every running command; each `run` then returns the signal's exit code."""
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
    return returncode if returncode >= 0 else 128 - returncode  # the shell's code for a signal


def _terminate_child(child: subprocess.Popen[bytes]) -> None:
    """End a child process and close its pipes, after any kind of wait.

    A process that may not be killed is abandoned.
    """
    if child.poll() is None:
        _kill_group(child)
        try:
            child.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            abandon(child)
    close_pipes(child)


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return  # the process id may have been reused
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # sudo runs as root and ignores signals of this account: its command may continue.
        with contextlib.suppress(PermissionError):
            child.kill()
