"""Relay as a child process, which ends with this process."""

import json
import mmap
import os
import signal
from pathlib import PurePath

import msgspec

from scheduler.children import PIPE, ChildProgram, python_environment, python_module
from scheduler.databases import spawn
from scheduler.errors import HostNotUsable
from scheduler.hosts.local import relay
from scheduler.private_folders import PrivateFolder
from scheduler.translation import _

_START_S = 20.0  # seconds for an interpreter's start on a busy machine
_END_S = 2.0
_LOOPBACK = "127.0.0.1"
_MOST_NAME_CHARS = 40  # with the folder's path, below the 107 bytes of a socket's path (unix(7))


class RelayBytes(msgspec.Struct, frozen=True):
    """Bytes relayed since the start of the relay.

    Attributes:
        from_clients: Bytes received from the clients.
        to_clients: Bytes sent to the clients.
        to_server: Bytes sent to the server.
        from_server: Bytes received from the server.
    """

    from_clients: int = 0
    to_clients: int = 0
    to_server: int = 0
    from_server: int = 0


class RelayProcess:
    """A relay to one server.

    Args:
        host: Address of the server, or the path of its Unix socket.
        port: TCP port of the server; 0 for a Unix socket.
    """

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._process: ChildProgram | None = None
        self._shared: mmap.mmap | None = None
        self._folder: PrivateFolder | None = None
        self._socket = ""
        self.port = 0

    @property
    def address(self) -> tuple[str, int]:
        """Address for the clients: host and port, or the path of a Unix socket and 0."""
        return (self._socket, 0) if self._socket else (_LOOPBACK, self.port)

    @property
    def pid(self) -> int:
        """Process id of the relay; 0 when not running."""
        return self._process.pid if self._process is not None and self._process.poll() is None else 0

    def start(self) -> None:
        """Start the relay and wait until it listens; raise HostNotUsable."""
        memory = os.memfd_create("domtune-relay")
        try:
            os.ftruncate(memory, relay.COUNTERS_BYTES)
            self._shared = mmap.mmap(memory, relay.COUNTERS_BYTES)
            host, port = self._server
            program = python_module(relay.__name__, str(memory), host, str(port), *self._private_socket())
            words = spawn.build_command(None, (), program, signal.SIGKILL)  # the relay has no state to save
            self._process = ChildProgram(words, python_environment(), outputs=(PIPE, None), passed=(memory,))
        except OSError as error:
            raise HostNotUsable(_("the relay cannot be started: {error}").format(error=error)) from error
        finally:
            os.close(memory)
        port = _read_port(self._process)
        self.port = port or 0
        if port is None:
            self.stop()
            raise HostNotUsable(
                _("the relay did not listen within {start_s:g} s").format(start_s=_START_S),
                hint=_("Its messages are on the standard error of the core, in DomTune's log."),
            )

    def _private_socket(self) -> tuple[str, ...]:
        """Return the path of a private Unix socket to listen on; empty for TCP.

        Only this account may connect, as to the server's own socket.
        """
        path, port = self._server
        if port:
            return ()
        self._folder = PrivateFolder("relay")
        # The server's own name for the socket: libpq finds a socket by its name.
        self._socket = str(self._folder.path / PurePath(path).name[-_MOST_NAME_CHARS:])
        return (self._socket,)

    def passed(self) -> RelayBytes:
        """Return the relay's byte counters."""
        if self._shared is None:
            return RelayBytes()
        return RelayBytes(*memoryview(self._shared).cast("Q"))

    def stop(self) -> None:
        """Stop the relay; never raise, may be called twice.

        The order is a request, SIGTERM and SIGKILL. The counters remain.
        """
        process, self._process = self._process, None
        if self._folder is not None:
            self._folder.close()
            self._folder, self._socket = None, ""
        if process is None:
            return
        process.end(_END_S, _END_S, _END_S)
        process.close_pipes()


def _read_port(process: ChildProgram) -> int | None:
    """Return the relay's port, 0 for a Unix socket; None without an answer."""
    try:
        line = process.read_line(_START_S)
    except OSError:
        return None
    return int(json.loads(line)["port"]) if line else None
