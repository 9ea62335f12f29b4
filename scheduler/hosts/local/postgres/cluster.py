"""The server's data folder: made on first use, looked at before each start, kept aside when broken.

Layout of the folder (mode 0700, owned by the server's account)::

    cluster/       PostgreSQL's own
    password       of the superuser `domtune`, mode 0600
    server.log     of the last start; server.log.old of the one before
"""

import os
import secrets
import select
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from scheduler.errors import HostBusy, HostNotUsable
from scheduler.hosts.local.postgres import spawn
from scheduler.hosts.local.postgres.account import Account, barrier
from scheduler.hosts.local.postgres.binaries import ServerBinary

USER = "domtune"
_INITDB_TIMEOUT_S = 120.0

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "'127.0.0.1'",
    "unix_socket_directories": "''",  # only TCP: every byte shall pass the relay
    "password_encryption": "'scram-sha-256'",
    "max_connections": "150",  # 64 users at most, twice, and our own
    "shared_buffers": "'128MB'",  # the default; 40 MB of data at 100,000 tuples are cache-resident
    # As a server in service has them; a commit is on disk when it is reported.
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
    # A checkpoint falls into few visits: by time every 15 minutes, by volume every 2 GB of log.
    "checkpoint_timeout": "'15min'",
    "max_wal_size": "'2GB'",
    # Nobody replicates this server; less log per update.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # One-row statements gain nothing from these, and they would run on the contended CPU.
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "timezone": "'UTC'",
    "log_timezone": "'UTC'",
    "logging_collector": "off",
    "log_checkpoints": "on",  # to find them in the figures
}


class Cluster:
    """One data folder.

    Args:
        folder: Where it is or will be.
        binary: The server it is for.
        account: Who runs the server.
    """

    def __init__(self, folder: Path, binary: ServerBinary, account: Account) -> None:
        self.folder = folder
        self.data = folder / "cluster"
        self.log = folder / "server.log"
        self._binary = binary
        self._account = account

    @property
    def password(self) -> str:
        """The superuser's password."""
        return (self.folder / "password").read_text("ascii").strip()

    def problem(self) -> str:
        """Return why the data cannot be used, empty when there is none or no data yet."""
        if not self.data.exists():
            return ""
        try:
            major = (self.data / "PG_VERSION").read_text("ascii").strip()
            control = (self.data / "global" / "pg_control").stat().st_size
        except OSError as error:
            return f"incomplete: {error.strerror} ({error.filename})"
        if major != str(self._binary.major):
            return f"made by PostgreSQL {major}, the server is {self._binary.version}"
        if self.data.stat().st_uid != self._account.uid:
            return f"owned by user id {self.data.stat().st_uid}, the server runs as {self._account.name}"
        if not control or not (self.folder / "password").exists():
            return "incomplete: no control file or no password"
        return ""

    def set_aside(self) -> Path:
        """Move the data out of the way, never delete it; return where it is now."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        kept = self.folder / f"cluster.broken-{stamp}-{secrets.token_hex(2)}"
        self.data.rename(kept)
        return kept

    def refuse_if_in_use(self, wait_s: float) -> None:
        """Wait for a server that is going away; raises HostBusy when one stays."""
        deadline_s = time.monotonic() + wait_s
        while (pid := self.running_pid()) is not None:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                raise HostBusy(
                    f"the embedded database's folder {self.data} is in use by a server (process {pid})",
                    hint="Does another sweep run, with other settings? Else end that process.",
                )
            _wait_for_end(pid, min(left_s, 1.0))

    def running_pid(self) -> int | None:
        """Return the process id of a server that works in this folder, None when there is none."""
        pid = self._status(0)
        if not pid.isdigit() or int(pid) == os.getpid():
            return None
        try:
            # The postmaster's working directory is its data folder: tells it from a reused process id.
            return int(pid) if Path(f"/proc/{pid}/cwd").readlink() == self.data.resolve() else None
        except OSError:
            return None

    def ready_pid(self) -> int | None:
        """Return the process id of the server once it accepts connections."""
        return int(self._status(0)) if self._status(7) == "ready" else None

    def _status(self, line: int) -> str:
        """Return one line of postmaster.pid (0: process id; 7: state), empty when absent."""
        try:
            lines = (self.data / "postmaster.pid").read_text("utf-8").splitlines()
        except OSError:
            return ""
        return lines[line].strip() if len(lines) > line else ""

    def make_folder(self) -> None:
        """Make the folder; raises HostNotUsable when the server's account cannot get there."""
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self._account.own(self.folder)
        except OSError as error:
            raise HostNotUsable(f"the database's folder {self.folder} cannot be made: {error}") from error
        closed = barrier(self.folder, self._account)
        if closed is not None:
            raise HostNotUsable(
                f"the account {self._account.name}, which runs PostgreSQL, cannot enter {closed}",
                hint="Set DOMTUNE_HOME to a folder that every account can enter (mode 0755), or unset it.",
            )

    def create(self) -> None:
        """Run initdb into a temporary folder and move it into place; raises HostNotUsable."""
        self._keep_password(secrets.token_urlsafe(24))
        temporary = self.folder / "cluster.new"
        shutil.rmtree(temporary, ignore_errors=True)  # an earlier attempt that was cut off
        program = [str(self._binary.bin_dir / "initdb"), "--pgdata", str(temporary), "--username", USER]
        program += ["--pwfile", str(self.folder / "password"), "--auth", "scram-sha-256"]
        program += ["--encoding", "UTF8", "--no-locale", "--no-instructions"]
        try:
            done = spawn.run(spawn.command(self._account, (), program), self.folder, _INITDB_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HostNotUsable(f"the embedded database could not be set up: {error}") from error
        if done.returncode:
            shutil.rmtree(temporary, ignore_errors=True)
            said = "\n".join(done.stdout.strip().splitlines()[-5:])
            raise HostNotUsable(
                f"the embedded database could not be set up in {self.folder} (status {done.returncode}):\n{said}",
                hint="Is the disk full? It needs about 100 MB, and up to 2 GB during long sweeps.",
            )
        with (temporary / "postgresql.conf").open("a", encoding="ascii") as file:
            file.write("\ninclude = 'domtune.conf'\n")
        temporary.rename(self.data)

    def configure(self, port: int) -> None:
        """Write our settings, with the port; raises HostNotUsable."""
        lines = [f"{name} = {value}" for name, value in {**SETTINGS, "port": str(port)}.items()]
        target = self.data / "domtune.conf"
        try:
            target.write_text("\n".join(["# Written by DomTune at each start.", *lines, ""]), encoding="ascii")
            self._account.own(target)
            if self.log.exists():
                self.log.replace(self.log.with_suffix(".log.old"))
        except OSError as error:
            raise HostNotUsable(f"{target} cannot be written: {error}", hint="Is the disk full?") from error

    def _keep_password(self, password: str) -> None:
        path = self.folder / "password"
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(password + "\n")
        self._account.own(path)


def _wait_for_end(pid: int, timeout_s: float) -> None:
    """Wait until a process that is not our child has ended (pidfd_open(2))."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        select.select([handle], [], [], timeout_s)
    finally:
        os.close(handle)
