"""The embedded PostgreSQL server's life: started, watched, stopped; never outlives us."""

import contextlib
import logging
import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from scheduler import places
from scheduler.databases import spawn
from scheduler.databases.account import server_account
from scheduler.databases.postgresql.binaries import ServerBinary, usable_by
from scheduler.databases.postgresql.cluster import USER, Cluster
from scheduler.databases.postgresql.damage import is_damage
from scheduler.databases.postgresql.pg import reached
from scheduler.databases.postgresql.server_log import ServerLog
from scheduler.errors import HostNotUsable

log = logging.getLogger(__name__)

_LOOPBACK = "127.0.0.1"
DATABASE = "postgres"  # initdb makes it
_START_TIMEOUT_S = 60.0  # crash recovery of up to 2 GB of log included
_LEAVING_S = 10.0  # an earlier server that dies with its parent
_LOOK_S = 0.02
# Fast shutdown, then immediate, then kill (PostgreSQL manual, "Shutting Down the Server").
_LADDER = ((signal.SIGINT, 20.0), (signal.SIGQUIT, 8.0), (signal.SIGKILL, 5.0))


def default_data_dir(binary: ServerBinary) -> Path:
    """Return where this server's data live: one folder per major version, since formats differ."""
    return places.cache_dir() / "postgres" / f"data-{binary.major}"


class EmbeddedServer:
    """One server on 127.0.0.1.

    Args:
        binary: The server's programs.
        data_dir: Folder for its data, made on first use.
        cpus: CPUs that it is confined to; empty for all.

    Attributes:
        port: Port on 127.0.0.1, kept from start to start while it is free.
        user: Its superuser.
        database: A database that is always there.
        notices: What `start` had to do that a person should know, one sentence each.
    """

    ours = True

    def __init__(self, binary: ServerBinary, data_dir: Path, cpus: Sequence[int] = ()) -> None:
        self._account = server_account()
        self._binary = binary
        self._folder = data_dir
        self._cpus = tuple(cpus)
        self._cluster = Cluster(data_dir, binary, self._account)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.user = USER
        self.database = DATABASE
        self.notices: list[str] = []

    @property
    def version(self) -> str:
        """The server's version, for example `18.1`."""
        return self._binary.version

    @property
    def title(self) -> str:
        """What people call it."""
        return f"PostgreSQL {self.version}"

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        return _LOOPBACK, self.port

    @property
    def password(self) -> str:
        """Password of `user`; never in a command line or log."""
        return self._cluster.password

    @property
    def pid(self) -> int:
        """Process id of the postmaster; 0 when it does not run."""
        return self._process.pid if self._process is not None and self._process.poll() is None else 0

    def start(self) -> None:
        """Start it and wait until it accepts connections.

        Call it from a thread that lives as long as the process: the server dies with that thread.

        Raises:
            HostBusy: The data folder is in use by a live server.
            HostNotUsable: It does not start; the message ends with the last lines of its log.
        """
        if self.pid:
            return
        self._cluster.make_folder()
        self._binary = usable_by(self._binary, self._account)
        self._cluster = Cluster(self._folder, self._binary, self._account)
        self._cluster.refuse_if_in_use(_LEAVING_S)
        problem = self._cluster.problem()
        if problem:
            self._renew(problem)
        fresh = not self._cluster.data.exists()
        if fresh:
            self._cluster.create()
        failure = self._launch()
        if failure and not fresh and is_damage(failure):
            self._renew(failure.splitlines()[0])
            self._cluster.create()
            failure = self._launch()
        if failure:
            raise HostNotUsable(
                f"the embedded PostgreSQL {self.version} did not start: {failure}",
                hint="The disk is full: free some space." if _is_disk_full(failure) else f"Log: {self._cluster.log}",
            )

    def stop(self) -> None:
        """Stop it: fast, then immediately, then killed; bounded, never raises, may be called twice."""
        process, self._process = self._process, None
        if process is None:
            return
        # PostgreSQL 18.4 never ends by a fast shutdown that comes while it recovers from the loss of a process; what an
        # immediate one leaves to be recovered at the next start, that loss has left already.
        ladder = _LADDER[1:] if self._log.incident() else _LADDER
        for signal_number, patience_s in ladder:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal_number)
            try:
                process.wait(patience_s)
            except subprocess.TimeoutExpired:
                log.warning("the embedded PostgreSQL (process %d) ignored %s", process.pid, signal_number.name)
            else:
                return

    def url(self, address: tuple[str, int]) -> str:
        """Return its URL at an address of the relay's: without TLS, on which the caller's PGSSLMODE must not insist."""
        return f"{reached(self.user, self.database, address)}?sslmode=disable"

    def trouble(self) -> str:
        """Return what the log says when this server, or a process of it, ended unasked; empty when none did.

        To be asked before `stop`, which ends them all. Bounded, without the password.
        """
        if self._process is None:  # what the folder's log says is of another start, or of another program's server
            return ""
        said, status = self._log.incident(), self._process.poll()
        if status is not None:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            return self._told(f"ended ({how})", said or self._log.tail())
        return self._told("lost a process and began anew", said) if said else ""

    def _told(self, what: str, said: str) -> str:
        """Return both without the password; where that is not known any more, only where the log is."""
        secret = ""
        with contextlib.suppress(OSError):
            secret = self.password
        shown = said.replace(secret, "***") if secret else str(self._cluster.log)
        return f"{self.title} {what}; its log:\n{shown}"

    @property
    def _log(self) -> ServerLog:
        return ServerLog(self._cluster.log)

    def _renew(self, why: str) -> None:
        kept = self._cluster.set_aside()
        self.notices.append(f"The embedded database's data could not be used ({why}); they were kept as {kept}.")
        log.warning("data folder kept aside as %s: %s", kept, why)

    def _launch(self) -> str:
        """Start on a free port, again when another program took that port meanwhile; return why it failed."""
        failure = ""
        for _ in range(3):
            self.port = _free_port(self.port)
            failure = self._launch_once()
            if "could not bind" not in failure and "could not create any TCP/IP" not in failure:
                break
        return failure

    def _launch_once(self) -> str:
        words = spawn.command(self._account, self._cpus, self._cluster.command(self.port))
        try:
            with os.fdopen(self._cluster.begin_log(), "ab") as output:
                self._process = process = spawn.start(words, self._folder, output)
        except OSError as error:
            return str(error)
        deadline_s = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline_s:
            if self._cluster.ready_pid() == process.pid:
                return ""
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(_LOOK_S)
                self._process = None
                return f"it ended with status {status}\n{self._log.tail()}"
        self.stop()
        return f"it was not ready within {_START_TIMEOUT_S:g} s\n{self._log.tail()}"


def _free_port(wanted: int) -> int:
    """Return that port if it is free, else another one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        with contextlib.suppress(OSError):
            probe.bind((_LOOPBACK, wanted))
            return probe.getsockname()[1]
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        return probe.getsockname()[1]


def _is_disk_full(text: str) -> bool:
    return "No space left" in text or "Disk quota" in text
