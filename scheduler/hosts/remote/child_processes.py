"""Child processes with a time limit, which another thread can end."""

import threading
from collections.abc import Mapping, Sequence

from scheduler.children import PIPE, ChildProgram, OutputTooLong, open_input
from scheduler.hosts.remote.answer_errors import no_answer_error, output_too_long_error
from scheduler.hosts.remote.shell import CommandResult

_NO_PROGRAM = 127  # the shell's code for a missing program
_CANNOT_RUN = 126


class ChildProcesses:
    """The running commands of one shell.

    Args:
        where: The host, for messages.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._running: set[ChildProgram] = set()

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
            child = self._start_child(argv, stdin, env)
        except OSError as error:
            code = _NO_PROGRAM if isinstance(error, FileNotFoundError) else _CANNOT_RUN
            return CommandResult(code, "", f"{argv[0]}: {error.strerror}")
        try:
            out, err = child.read_to_exit(timeout_s)
        except TimeoutError as error:
            raise no_answer_error(self._where, argv, timeout_s) from error
        except OutputTooLong as error:
            raise output_too_long_error(self._where, argv) from error
        finally:
            with self._lock:
                self._running.discard(child)
            child.kill_and_close()
        return CommandResult(_exit_code(child.returncode), out, err)

    def end_all(self) -> None:
        """Kill every running command; each `run` then returns the signal's exit code."""
        with self._lock:
            for child in self._running:
                child.kill_group()

    def _start_child(self, argv: Sequence[str], text: str, env: Mapping[str, str]) -> ChildProgram:
        with open_input(text) as stdin, self._lock:
            child = ChildProgram(argv, env, stdin=stdin, outputs=(PIPE, PIPE))
            self._running.add(child)
        return child


def _exit_code(returncode: int) -> int:
    return returncode if returncode >= 0 else 128 - returncode  # the shell's code for a signal
