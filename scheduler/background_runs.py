"""Runs that continue without a window, and their sockets.

A run gets a socket when the user lets the run continue in the background. The socket is in a folder that only the
user's account can enter. The path of a Unix socket has at most 107 bytes, so both sides go through a descriptor of the
folder.
"""

import contextlib
import os
import select
import signal
import socket
import struct
from collections.abc import Generator
from pathlib import Path
from typing import IO

from scheduler import places
from scheduler.files import make_private_folder, refuse_foreign
from scheduler.translation import _

_PEER = struct.Struct("iII")  # process, user, group: SO_PEERCRED in unix(7)
_CONNECT_S = 1.0
_SUFFIX = ".sock"

SWEEP, WATCH, FOLLOW = "sweep", "watch", "follow"
"""Kinds of runs."""

UNKNOWN_EXIT_CODE = -1000
"""Exit code of a process that another process started."""


def socket_folder() -> Path:
    """Return the folder of the sockets, which may not exist yet."""
    return places.state_dir() / "background"


def listen_for_windows(kind: str) -> tuple[socket.socket, Path]:
    """Return a listening socket of this process, and its path.

    Args:
        kind: Kind of the run: `sweep`, `watch` or `follow`.

    Raises:
        OSError: The socket cannot be created.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise OSError(_("this system has no local sockets"))
    path = socket_folder() / f"{kind}-{os.getpid()}{_SUFFIX}"
    make_private_folder(path.parent)
    path.unlink(missing_ok=True)
    made = socket.socket(socket.AF_UNIX)
    try:
        with short_socket_path(path) as short:
            made.bind(short)
        path.chmod(0o600)
        made.listen()
    except OSError:
        made.close()
        raise
    return made, path


def attach_background_runs() -> list["AttachedProgram"]:
    """Connect to all runs in the background; remove sockets of ended runs."""
    found: list[AttachedProgram] = []
    try:
        folder = socket_folder()
        refuse_foreign(folder.lstat(), folder)
        paths = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX and path.is_socket())
    except OSError:  # no run was ever detached, or the folder is not ours
        return []
    for path in paths:
        try:
            found.append(AttachedProgram(path.stem.partition("-")[0], _connect_to(path)))
        except (ConnectionRefusedError, ProcessLookupError):  # its process was killed
            path.unlink(missing_ok=True)
        except OSError:  # another user's process, or no answer in time
            continue
    return found


def _connect_to(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(_CONNECT_S)
    try:
        with short_socket_path(path) as short:
            made.connect(short)
    except OSError:
        made.close()
        raise
    return made


@contextlib.contextmanager
def short_socket_path(path: Path) -> Generator[str]:
    """Yield another path of a socket that is short enough for the system.

    Raises:
        OSError: The folder of the socket cannot be opened.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


class AttachedProgram:
    """Process of a background run, controlled through its socket.

    It has the methods of `ChildProgram`.

    Args:
        kind: Kind of the run.
        connection: Connection to the process.

    Raises:
        ProcessLookupError: The process has ended.
        OSError: The process cannot be identified.

    Attributes:
        kind: Kind of the run.
        pid: Id of the process.
        stdout: Lines of the process, from the first one.
    """

    def __init__(self, kind: str, connection: socket.socket) -> None:
        self.kind = kind
        self._socket = connection
        try:
            answer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
            self.pid: int = _PEER.unpack(answer)[0]
            self._process = os.pidfd_open(self.pid)
            if self.poll() is not None:  # a child of the process may still have the socket
                raise ProcessLookupError(self.pid)
        except OSError:
            connection.close()
            raise
        connection.settimeout(0)
        self.stdout: IO[bytes] | None = os.fdopen(os.dup(connection.fileno()), "rb", buffering=0)

    def poll(self) -> int | None:
        """Return `UNKNOWN_EXIT_CODE` when the process has ended, and None before."""
        if self._process >= 0 and not select.select([self._process], [], [], 0)[0]:
            return None
        self.abandon()
        return UNKNOWN_EXIT_CODE

    def write(self, data: bytes) -> bool:
        """Send an order; return False if the process cannot take it."""
        try:
            return self._socket.send(data) == len(data)
        except OSError:
            return False

    def close_input(self) -> None:
        """Disconnect; the run continues."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def close_pipes(self) -> None:
        """Disconnect and close the output, with any unread data."""
        self.close_input()
        if self.stdout is not None:
            with contextlib.suppress(OSError):
                self.stdout.close()

    def terminate(self) -> None:
        """Ask the process to end (SIGTERM), which restores the host."""
        self._send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the process (SIGKILL)."""
        self._send_signal(signal.SIGKILL)

    def abandon(self) -> None:
        """Close the handle of the process, which continues."""
        if self._process >= 0:
            os.close(self._process)
            self._process = -1

    def _send_signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self._process, number)
