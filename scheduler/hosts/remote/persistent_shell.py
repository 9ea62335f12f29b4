"""Sessions kept for the next command, since a new session is costly for the host.

A new session needs an sshd and a login shell. On a starved Dom0 that costs more than most commands. In each session a
`sh` reads commands line by line.
"""

import os
import re
import shlex
import threading
import time
from collections.abc import Mapping, Sequence

from scheduler.children import PIPE, ChildProgram, OutputTooLong
from scheduler.hosts.remote.answer_errors import broken_connection_error, no_answer_error, output_too_long_error
from scheduler.hosts.remote.command_wrapping import extract_answer, new_mark, wrap_line
from scheduler.hosts.remote.shell import CommandResult

_LOOP = 'while IFS= read -r line; do eval "$line"; done'
_MOST_IDLE = 2  # a heartbeat and a command; further commands at the same time get new sessions
_LONGEST_LINE = 16_384  # bytes as sent: well below the capacity of a pipe


class ShellSession:
    """One shell on the host, for one thread; other threads may only call `kill`.

    Args:
        command: Command line of ssh, without the remote command.
        env: Environment of ssh.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        words = [*command, f"exec sh -c {shlex.quote(_LOOP)}"]
        self._child = ChildProgram(words, env, outputs=(PIPE, PIPE))

    def is_alive(self, end_s: float) -> bool:
        """Return True when the shell answers, False when the session has ended.

        Raises:
            TimeoutError: The shell does not answer in time.
        """
        mark = new_mark()
        out, _ = self._send_line(f"echo {mark} 0; echo {mark}. >&2", mark, end_s)
        return f"{mark} 0\n" in out

    def run(self, argv: Sequence[str], end_s: float) -> CommandResult | None:
        """Run one command; None when the session broke and the command may have run.

        Args:
            argv: Program and arguments.
            end_s: Deadline (`time.monotonic`).

        Raises:
            TimeoutError: No answer in time; close the session.
            OutputTooLong: The answer exceeds the limit; close the session.
        """
        mark = new_mark()
        out, err = self._send_line(wrap_line(argv, mark), mark, end_s)
        return extract_answer(out, err.rpartition(f"{mark}.\n")[0], mark)

    def kill(self) -> None:
        """End the session: a caller that waits for an answer gets none."""
        self._child.kill()

    def close(self) -> None:
        """End the session and close its pipes.

        A running command ends as far as the host's sshd ends it.
        """
        self._child.kill_and_close()

    def _send_line(self, line: str, mark: str, end_s: float) -> tuple[str, str]:
        """Send one line; return both outputs up to their end marks or the session's end."""
        self._child.write(os.fsencode(line + "\n"))  # a session that has ended gives no answer
        ends = (re.compile(rf"{mark} \d+\n$".encode()), re.compile(rf"{mark}\.\n$".encode()))
        return self._child.read_outputs(end_s, ends)


class ShellSessionPool:
    """The sessions of one host; several threads may call its methods at once.

    Args:
        where: The host, for messages.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._idle: list[ShellSession] = []
        self._busy: set[ShellSession] = set()

    def run(
        self, command: Sequence[str], env: Mapping[str, str], argv: Sequence[str], timeout_s: float
    ) -> CommandResult | None:
        """Run one command in a living session; None when no session can run the command.

        Args:
            command: Command line of ssh for a new session.
            env: Environment of ssh.
            argv: Program and arguments.
            timeout_s: Seconds for the whole step.

        Raises:
            HostUnreachable: No answer in time, or the session broke. The command may have run.
            HostNotUsable: The output exceeds the limit.
        """
        if len(os.fsencode(shlex.join(argv))) > _LONGEST_LINE:
            return None
        end_s = time.monotonic() + timeout_s
        try:
            session = self._find_live_session(command, env, end_s)
            answer = None if session is None else self._run_in_session(session, argv, end_s)
        except TimeoutError as error:
            raise no_answer_error(self._where, argv, timeout_s) from error
        except OutputTooLong as error:
            raise output_too_long_error(self._where, argv) from error
        if session is not None and answer is None:
            raise broken_connection_error(self._where, argv)
        return answer

    def end_all(self) -> None:
        """End all sessions; a `run` in progress raises HostUnreachable."""
        with self._lock:
            idle, self._idle = self._idle, []
            for session in self._busy:
                session.kill()
            self._busy.clear()
        for session in idle:
            session.close()

    def _find_live_session(self, command: Sequence[str], env: Mapping[str, str], end_s: float) -> ShellSession | None:
        """Return a session that has just answered; None when even a new session does not."""
        while True:
            session, new = self._take_session(command, env)
            lives = False
            try:
                lives = session.is_alive(end_s)
            finally:
                if not lives:
                    self._close_session(session)
            if lives:
                return session
            if new:
                return None

    def _run_in_session(self, session: ShellSession, argv: Sequence[str], end_s: float) -> CommandResult | None:
        answer = None
        try:
            answer = session.run(argv, end_s)
        finally:
            with self._lock:
                kept = answer is not None and session in self._busy and len(self._idle) < _MOST_IDLE
                if kept:
                    self._busy.discard(session)
                    self._idle.append(session)
            if not kept:
                self._close_session(session)
        return answer

    def _take_session(self, command: Sequence[str], env: Mapping[str, str]) -> tuple[ShellSession, bool]:
        with self._lock:
            new = not self._idle
            session = ShellSession(command, env) if new else self._idle.pop()
            self._busy.add(session)
        return session, new

    def _close_session(self, session: ShellSession) -> None:
        with self._lock:
            self._busy.discard(session)
        session.close()
