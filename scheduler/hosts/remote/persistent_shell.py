"""Sessions that are kept for the next command: starting one costs the host an sshd and a login shell.

On a starved Dom0 that is more than most commands cost. In each session a `sh` reads commands by the line.
"""

import contextlib
import os
import re
import selectors
import shlex
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

from scheduler.children import close_pipes
from scheduler.hosts.remote.answer_errors import broken_connection_error, no_answer_error, output_too_long_error
from scheduler.hosts.remote.child_io import OutputBuffer, OutputTooLong
from scheduler.hosts.remote.command_wrapping import extract_answer, new_mark, wrap_line
from scheduler.hosts.remote.shell import CommandResult

_LOOP = 'while IFS= read -r line; do eval "$line"; done'
_MOST_IDLE = 2  # a heartbeat and a command; more at once get a session each, as without this
_LONGEST_LINE = 16_384  # bytes as they are sent: well below what a pipe takes without waiting
_PIECE_BYTES = 65_536
_TAIL_BYTES = 80


class ShellSession:
    """One shell on the host, for one thread at a time; only `kill` may be called from another.

    Args:
        command: ssh's command line, without what runs on the host.
        env: Its environment.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(
            [*command, f"exec sh -c {shlex.quote(_LOOP)}"],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=dict(env),
            bufsize=0,
            start_new_session=True,
        )

    def is_alive(self, end_s: float) -> bool:
        """Return True when the shell answers, False when the session has ended. Raises TimeoutError."""
        mark = new_mark()
        out, _ = self._send_line(f"echo {mark} 0; echo {mark}. >&2", mark, end_s)
        return f"{mark} 0\n" in out

    def run(self, argv: Sequence[str], end_s: float) -> CommandResult | None:
        """Run one command; None when the session broke: whether it ran is then unknown.

        Args:
            argv: Program and arguments, as data.
            end_s: When its time is over (`time.monotonic`).

        Raises:
            TimeoutError: No answer in time; the session is of no use any more.
            TooMuch: Likewise, for an answer that is too long.
        """
        mark = new_mark()
        out, err = self._send_line(wrap_line(argv, mark), mark, end_s)
        return extract_answer(out, err.rpartition(f"{mark}.\n")[0], mark)

    def kill(self) -> None:
        """End it: whoever waits for an answer gets none."""
        self._child.kill()

    def close(self) -> None:
        """End it and leave nothing behind; what runs in it ends as far as the host's sshd ends it."""
        self._child.kill()
        self._child.wait()
        close_pipes(self._child)

    def _send_line(self, line: str, mark: str, end_s: float) -> tuple[str, str]:
        """Send one line; return what came until both ends were marked, or until the session ended."""
        child = self._child
        if child.stdin is None or child.stdout is None or child.stderr is None:
            raise AssertionError("asked for above")
        with contextlib.suppress(BrokenPipeError):
            os.write(child.stdin.fileno(), os.fsencode(line + "\n"))
        wanted = {child.stdout: rf"{mark} \d+\n$".encode(), child.stderr: rf"{mark}\.\n$".encode()}
        brought = {child.stdout: OutputBuffer(), child.stderr: OutputBuffer()}
        with selectors.DefaultSelector() as selector:
            for pipe in wanted:
                selector.register(pipe, selectors.EVENT_READ)
            while selector.get_map():
                left_s = end_s - time.monotonic()
                ready = selector.select(left_s) if left_s > 0 else []
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    pipe = child.stdout if key.fileobj is child.stdout else child.stderr
                    piece = os.read(key.fd, _PIECE_BYTES)
                    brought[pipe].add(piece)
                    if not piece or re.search(wanted[pipe], brought[pipe].tail(_TAIL_BYTES)):
                        selector.unregister(pipe)
        return brought[child.stdout].text, brought[child.stderr].text


class ShellSessionPool:
    """The sessions of one host; its methods may be called from several threads at once.

    Args:
        where: The host as people name it.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._lock = threading.Lock()
        self._idle: list[ShellSession] = []
        self._busy: set[ShellSession] = set()

    def run(
        self, command: Sequence[str], env: Mapping[str, str], argv: Sequence[str], timeout_s: float
    ) -> CommandResult | None:
        """Run one command in a session that lives, or in a new one; None when it cannot be run in this way.

        Args:
            command: ssh's command line for a new session.
            env: Its environment.
            argv: Program and arguments, as data.
            timeout_s: Time for all of it.

        Raises:
            HostUnreachable: No answer in time, or the session broke. Whether the command ran is then unknown.
            HostNotUsable: It says too much.
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
        """End all; a `run` under way raises HostUnreachable."""
        with self._lock:
            idle, self._idle = self._idle, []
            for session in self._busy:
                session.kill()
            self._busy.clear()
        for session in idle:
            session.close()

    def _find_live_session(self, command: Sequence[str], env: Mapping[str, str], end_s: float) -> ShellSession | None:
        """Return a session that has just answered; None when not even a new one does."""
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
