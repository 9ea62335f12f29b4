"""Data folder of PostgreSQL (a "cluster"), and the settings of its server."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from scheduler.databases import safe_open
from scheduler.databases.account import ServerAccount
from scheduler.databases.data_folder import DataFolder
from scheduler.databases.postgresql.postgresql_binaries import PostgresqlBinary
from scheduler.translation import _

USER = "domtune"
_VERSION_CHARS = 20

# Configuration files in the data folder have no effect, since the folder belongs to another account. Older versions of
# DomTune wrote one there.
_FILES: Mapping[str, str] = {"config_file": "/dev/null"}

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # only TCP: every byte must pass the relay
    "password_encryption": "scram-sha-256",
    "max_connections": "550",  # at most 256 users, twice, and DomTune's own
    "shared_buffers": "128MB",  # the default; 40 MB of data at 100,000 tuples stay in memory
    # As in production; a commit is on disk when it is reported.
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
    # A checkpoint affects few trials: by time every 15 minutes, by volume every 2 GB of log.
    "checkpoint_timeout": "15min",
    "max_wal_size": "2GB",
    # This server has no replicas; this also reduces the log per update.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # One-row statements gain nothing from these, which would run on the shared CPU.
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
    "log_checkpoints": "on",  # for finding them in the results
}


class PostgresqlCluster(DataFolder):
    """Data folder of one PostgreSQL server.

    Args:
        folder: Path of the folder, which may not exist yet.
        binary: Programs of the server.
        account: Account of the server.
        settings: Settings in addition to `SETTINGS`.
    """

    name = "cluster"
    pid_file = "postmaster.pid"
    needs = _("about 100 MB, and up to 2 GB during long sweeps")

    def __init__(
        self, folder: Path, binary: PostgresqlBinary, account: ServerAccount, settings: Mapping[str, str] = {}
    ) -> None:
        super().__init__(folder, account)
        self._binary, self._settings = binary, settings

    def find_flaw(self) -> str:
        """Return the reason why the server's files are unusable; empty for none.

        Raises:
            OSError: A file is missing.
        """
        with safe_open.open_folder(self.data) as data:
            major = safe_open.read_short_text(data, "PG_VERSION").strip()[:_VERSION_CHARS]
        if major != str(self._binary.major):
            return _("made by PostgreSQL {major!r}, the server is {version}").format(
                major=major, version=self._binary.version
            )
        with safe_open.open_folder(self.data, "global") as inside:
            return "" if safe_open.read_size_bytes(inside, "pg_control") else _("incomplete: an empty control file")

    def plan_setup(self, target: Path) -> tuple[Sequence[str], str]:
        """Return the command of initdb, and the password for its standard input."""
        program = [str(self._binary.bin_dir / "initdb"), "--pgdata", str(target), "--username", USER]
        program += ["--pwfile", "/dev/stdin", "--auth", "scram-sha-256"]
        return [*program, "--encoding", "UTF8", "--no-locale", "--no-instructions"], f"{self.password}\n"

    def command(self, port: int) -> list[str]:
        """Return the server's command line."""
        of_start = {"hba_file": str(self.data / "pg_hba.conf"), "port": str(port)}
        settings = {**_FILES, **SETTINGS, **self._settings, **of_start}
        pairs = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [str(self._binary.bin_dir / "postgres"), "-D", str(self.data), *pairs]

    def is_ready(self, pid: int) -> bool:
        """Return True when the server's file reports `ready` (miscinit.c, line 8)."""
        return self.status(7) == "ready" and self.status(0) == str(pid)
