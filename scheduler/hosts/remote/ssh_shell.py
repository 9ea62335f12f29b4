"""Commands on a remote host by the system's OpenSSH, over one connection per host."""

import logging
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from scheduler.children import PIPE, ChildProgram
from scheduler.errors import HostNotUsable, HostUnreachable
from scheduler.hosts.remote.answer_errors import broken_connection_error
from scheduler.hosts.remote.askpass import asking_environment, quiet_environment
from scheduler.hosts.remote.child_processes import ChildProcesses
from scheduler.hosts.remote.command_wrapping import extract_answer, new_mark, wrap_command
from scheduler.hosts.remote.host_keys import read_ssh_settings
from scheduler.hosts.remote.line_stream import LineStream
from scheduler.hosts.remote.persistent_shell import ShellSessionPool
from scheduler.hosts.remote.shell import TIMEOUT_S, CommandResult
from scheduler.hosts.remote.ssh_errors import connect_error
from scheduler.hosts.remote.ssh_options import NOT_SENT, known_hosts_of, master_options, session_options
from scheduler.hosts.remote.ssh_url import SshTarget
from scheduler.private_folders import PrivateFolder
from scheduler.translation import _

log = logging.getLogger(__name__)

_MOST_COMPLAINTS_BYTES = 65_536
_LOGIN_S = 40.0  # seconds; a busy Dom0 takes long to start a session
_ENDING_S = 2.0


class SshShell:
    """Remote host reached by ssh.

    Connects for the first command, and again after a broken connection.

    Args:
        target: The host.
        scheme: Scheme of the host's URL, for messages.
        secret: Password or passphrase; empty for keys or the agent. Never part of an argument.
    """

    def __init__(self, target: SshTarget, scheme: str = "ssh", secret: str = "") -> None:
        self._target = target
        self._scheme = scheme
        self._secret = secret
        self._children = ChildProcesses(target.where)
        self._kept = ShellSessionPool(target.where)
        self._lock = threading.Lock()
        self._given_up = False
        self._folder: Path | None = None
        self._private: PrivateFolder | None = None
        self._master: ChildProgram | None = None

    @property
    def where(self) -> str:
        return self._target.where

    def run(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S, stdin: str = "") -> CommandResult:
        socket = self._ensure_connected()
        if not stdin:
            command = ["ssh", "-T", *session_options(socket), *self._target.argv]
            answer = self._kept.run(command, quiet_environment(), argv, timeout_s)
            if answer is not None:
                return answer
        return self._run_once(socket, argv, timeout_s, stdin)

    def _run_once(self, socket: Path, argv: Sequence[str], timeout_s: float, stdin: str) -> CommandResult:
        """Run a command in a session of its own.

        Here the input can end, and the text of a login shell that runs no commands is read.
        """
        mark = new_mark()
        brought = self._run_in_new_session(socket, argv, mark, timeout_s, stdin)
        if NOT_SENT in brought.err:  # the connection broke earlier, and ssh has not ended yet
            self._drop_connection(socket)
            brought = self._run_in_new_session(self._ensure_connected(), argv, mark, timeout_s, stdin)
        answer = extract_answer(brought.out, brought.err, mark)
        if answer is not None:
            return answer
        if brought.out.strip() and brought.code != 255 and self._is_connected():
            raise HostNotUsable(
                _("{where}: the login shell does not run commands. It printed: {answer}").format(
                    where=self.where, answer=brought.said[:200]
                ),
                hint=_("DomTune needs an account with an ordinary shell."),
            )
        raise broken_connection_error(self.where, argv)

    def stream(self, argv: Sequence[str]) -> LineStream:
        """Start a command over the same connection.

        The lines include the text of the login shell.
        """
        socket = self._ensure_connected()
        # After our end closes, sshd closes the command's output: the command ends at its next line.
        command = ["ssh", "-T", *session_options(socket), *self._target.argv, wrap_command(argv, new_mark())]
        return LineStream(command, quiet_environment())

    def close(self) -> None:
        self._children.end_all()
        self._kept.end_all()
        if not self._lock.acquire(blocking=False):  # another thread is opening a connection
            self._given_up = True
            master = self._master
            if master is not None:
                master.kill()
            self._lock.acquire()
        try:
            self._close_connection()
        finally:
            self._lock.release()

    def _run_in_new_session(
        self, socket: Path, argv: Sequence[str], mark: str, timeout_s: float, stdin: str
    ) -> CommandResult:
        command = ["ssh", "-T", *session_options(socket), *self._target.argv, wrap_command(argv, mark)]
        return self._children.run(command, timeout_s, stdin, quiet_environment())

    def _drop_connection(self, socket: Path) -> None:
        """Drop a broken connection, unless another thread has already opened a new one."""
        with self._lock:
            if self._folder == socket.parent:
                self._close_connection()

    def _ensure_connected(self) -> Path:
        """Return the control socket of a working connection; raise HostError."""
        with self._lock:
            if not self._given_up and (self._folder is None or not self._is_connected()):
                self._close_connection()
                self._open_connection()
            folder = self._folder
        if folder is None:
            raise HostUnreachable(_("{where}: the connection was closed").format(where=self.where))
        return folder / "s"

    def _is_connected(self) -> bool:
        return self._master is not None and self._master.poll() is None

    def _open_connection(self) -> None:
        """Start the connection, which ends when this process closes its input or dies."""
        self._private = PrivateFolder("ssh")
        self._folder = folder = self._private.path
        settings = read_ssh_settings(self._target)
        options = master_options(folder / "s", known_hosts_of(settings), may_ask=bool(self._secret))
        names = {self._target.host, settings.get("hostname", "")}
        environment = asking_environment(folder, self._secret, names) if self._secret else quiet_environment()
        mark = new_mark()
        hold = f"exec sh -c 'echo {mark}; exec cat >/dev/null'"
        complaints = folder / "err"
        with complaints.open("wb") as err:
            command = ["ssh", "-T", *options, *self._target.argv, hold]
            self._master = ChildProgram(command, environment, outputs=(PIPE, err))
        if not _wait_for_mark(self._master, mark):
            late = self._is_connected()
            self._end_master()
            said = _read_complaints(complaints)
            self._close_connection()
            raise connect_error(
                self._target,
                said or (_("no session within {login_s:g} s").format(login_s=_LOGIN_S) if late else ""),
                self._scheme,
            )

    def _close_connection(self) -> None:
        self._end_master()
        if self._private is not None:
            self._private.close()
        self._folder = self._private = None

    def _end_master(self) -> None:
        master, self._master = self._master, None
        if master is None:
            return
        master.close_pipes()
        master.wait_for(_ENDING_S)
        master.kill_and_close()


def _read_complaints(complaints: Path) -> str:
    """Return ssh's messages; empty after a cleanup of temporary files."""
    try:
        with complaints.open("rb") as file:
            return file.read(_MOST_COMPLAINTS_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return ""


def _wait_for_mark(master: ChildProgram, mark: str) -> bool:
    """Wait until a session prints the mark, after any text of the login shell.

    Returns False at the session's end, after the time limit, or after too much text.
    """
    try:
        out, _ = master.read_outputs(time.monotonic() + _LOGIN_S, (re.compile(mark.encode()), None))
    except OSError:
        return False
    return mark in out
