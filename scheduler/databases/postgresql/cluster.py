"""The server's data folder: made on first use, looked at before each start, kept aside when broken.

Layout of the folder, which is ours and which the server's account may only pass through::

    cluster/       PostgreSQL's own, mode 0700, the only thing that belongs to the server's account
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

from scheduler.databases import looking, spawn
from scheduler.databases.account import Account
from scheduler.databases.postgresql.binaries import ServerBinary
from scheduler.databases.shelter import Shelter
from scheduler.errors import HostBusy, HostNotUsable

USER = "domtune"
_INITDB_TIMEOUT_S = 120.0
_TEMPORARY = "cluster.new"
_VERSION_CHARS = 20

# What a file in the data folder says is not asked: it belongs to another account. Older versions had one of ours there.
_FILES: Mapping[str, str] = {"config_file": "/dev/null"}

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # only TCP: every byte shall pass the relay
    "password_encryption": "scram-sha-256",
    "max_connections": "150",  # 64 users at most, twice, and our own
    "shared_buffers": "128MB",  # the default; 40 MB of data at 100,000 tuples are cache-resident
    # As a server in service has them; a commit is on disk when it is reported.
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
    # A checkpoint falls into few visits: by time every 15 minutes, by volume every 2 GB of log.
    "checkpoint_timeout": "15min",
    "max_wal_size": "2GB",
    # Nobody replicates this server; less log per update.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # One-row statements gain nothing from these, and they would run on the contended CPU.
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
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
        self._shelter = Shelter(folder, account)

    @property
    def password(self) -> str:
        """The superuser's password; raises OSError when it is not kept any more."""
        return self._shelter.password

    def problem(self) -> str:
        """Return why the data cannot be used, empty when there is none or no data yet."""
        if not os.path.lexists(self.data):
            return ""
        try:
            with looking.opened(self.data) as data:
                major = looking.short_text(data, "PG_VERSION").strip()[:_VERSION_CHARS]
                owner = os.fstat(data).st_uid
            with looking.opened(self.data, "global") as inside:
                control = looking.size_bytes(inside, "pg_control")
        except OSError as error:
            return f"incomplete: {error.strerror} ({error.filename})"
        if major != str(self._binary.major):
            return f"made by PostgreSQL {major!r}, the server is {self._binary.version}"
        if owner != self._account.uid:
            return f"owned by user id {owner}, the server runs as {self._account.name}"
        return "" if control and self._has_password() else "incomplete: no control file or no password"

    def _has_password(self) -> bool:
        try:
            return bool(self.password)
        except OSError:
            return False

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
        if not (pid.isascii() and pid.isdigit() and len(pid) < 12) or int(pid) == os.getpid():
            return None
        try:
            # The postmaster's working directory is its data folder: tells it from a reused process id.
            return int(pid) if Path(f"/proc/{pid}/cwd").readlink() == self.data.resolve() else None
        except OSError:
            return None

    def ready_pid(self) -> int | None:
        """Return the process id of the server once it accepts connections."""
        pid = self._status(0)
        return int(pid) if self._status(7) == "ready" and pid.isascii() and pid.isdigit() else None

    def _status(self, line: int) -> str:
        """Return one line of postmaster.pid (0: process id; 7: state), empty when absent."""
        try:
            with looking.opened(self.data) as data:
                lines = looking.short_text(data, "postmaster.pid").splitlines()
        except OSError:
            return ""
        return lines[line].strip() if len(lines) > line else ""

    def make_folder(self) -> None:
        """Make the folder; raises HostNotUsable when the server's account cannot get there."""
        self._shelter.make()

    def create(self) -> None:
        """Run initdb into a temporary folder and move it into place; raises HostNotUsable."""
        password = secrets.token_urlsafe(24)
        shutil.rmtree(self.folder / _TEMPORARY, ignore_errors=True)  # an earlier attempt that was cut off
        try:
            self._shelter.keep_password(password)
            temporary = self._shelter.make_data(_TEMPORARY)
            program = [str(self._binary.bin_dir / "initdb"), "--pgdata", str(temporary), "--username", USER]
            program += ["--pwfile", "/dev/stdin", "--auth", "scram-sha-256"]
            program += ["--encoding", "UTF8", "--no-locale", "--no-instructions"]
            words = spawn.command(self._account, (), program)
            done = spawn.run(words, self.folder, _INITDB_TIMEOUT_S, password + "\n", self._account)
        except (OSError, subprocess.TimeoutExpired) as error:
            hint = "Is the disk full?" if isinstance(error, OSError) else ""
            raise HostNotUsable(f"the embedded database could not be set up: {error}", hint=hint) from error
        if done.returncode:
            shutil.rmtree(temporary, ignore_errors=True)
            said = "\n".join(done.stdout.strip().splitlines()[-5:])
            raise HostNotUsable(
                f"the embedded database could not be set up in {self.folder} (status {done.returncode}):\n{said}",
                hint="Is the disk full? It needs about 100 MB, and up to 2 GB during long sweeps.",
            )
        temporary.rename(self.data)

    def command(self, port: int) -> list[str]:
        """Return the server's command line with all of its settings; files in the data folder count for none."""
        settings = {**_FILES, **SETTINGS, "hba_file": str(self.data / "pg_hba.conf"), "port": str(port)}
        pairs = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [str(self._binary.bin_dir / "postgres"), "-D", str(self.data), *pairs]

    def begin_log(self) -> int:
        """Put the last start's log aside; return a descriptor of the new one. Raises HostNotUsable."""
        try:
            return self._shelter.begin_log()
        except OSError as error:
            raise HostNotUsable(f"{self.log} cannot be written: {error}", hint="Is the disk full?") from error


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
