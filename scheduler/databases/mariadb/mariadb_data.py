"""Data folder of MariaDB, and the settings of its server."""

import errno
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from scheduler.databases import safe_open
from scheduler.databases.account import ServerAccount
from scheduler.databases.data_folder import DataFolder
from scheduler.databases.loopback_ports import LOOPBACK
from scheduler.databases.mariadb.mariadb_binaries import MariadbBinary
from scheduler.databases.server_log import ServerLog
from scheduler.files import path_exists, read_regular
from scheduler.translation import _

USER = "domtune"

# Messages after a signal, or after InnoDB has given up (signal_handler.cc, ut0dbg.cc).
INCIDENT = re.compile(r"\bgot (signal|exception) [0-9]|\bInnoDB: Assertion failure\b")
_READY = "ready for connections"  # from mysqld.cc; the server then accepts clients
_STDIN = "/dev/stdin"

_HEAD = "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;"
_FILES = ("system_tables.sql", "performance_tables.sql", "system_tables_data.sql", "maria_add_gis_sp_bootstrap.sql")
_PREFIXES = ("mariadb_", "mysql_", "")  # from version 11 on, before, and for some files in both
_MOST_BYTES = 4_000_000  # all files together need a tenth

SETTINGS: Mapping[str, str] = {
    "bind-address": LOOPBACK,
    "socket": "",  # only TCP: every byte must pass the relay
    "skip-name-resolve": "ON",
    "max-connections": "550",  # at most 256 users, twice, and DomTune's own
    # InnoDB uses no page cache: data beyond this size are read from disk. 40 MB of data at 100,000 tuples fit.
    "innodb-buffer-pool-size": "256M",
    # As in production, and as by default; a commit is on disk when it is reported.
    "innodb-flush-log-at-trx-commit": "1",
    "innodb-doublewrite": "ON",
    # When the log is full, all clients wait for page writes. With the default of 96 MB, 32 users of order entry filled
    # the log in 15 s. Then 10.11.19 did not answer for 35 s, longer than a user waits. With 256 MB the wait was 1 s.
    "innodb-log-file-size": "512M",
    # This server has no replicas.
    "skip-log-bin": "",
    # The server's own statistics would run on the shared CPU.
    "performance-schema": "OFF",
    # Each start is the same, and ends in bounded time.
    "innodb-buffer-pool-load-at-startup": "OFF",
    "innodb-buffer-pool-dump-at-shutdown": "OFF",
    "default-time-zone": "+00:00",
    "local-infile": "OFF",
}

# The users are set before any login: the server reads this file before it accepts the first client (mysqld.cc). A new
# data folder has superusers without a password. `mariadb.sys` is locked, and its views need it.
_FIRST = (
    "CREATE OR REPLACE USER '{user}'@'{host}' IDENTIFIED BY '{password}';",
    "GRANT ALL PRIVILEGES ON *.* TO '{user}'@'{host}' WITH GRANT OPTION;",
    "DELETE FROM mysql.global_priv WHERE User NOT IN ('{user}', 'mariadb.sys');",
    "DELETE FROM mysql.proxies_priv;",
    "FLUSH PRIVILEGES;",
)


class MariadbData(DataFolder):
    """Data folder of one MariaDB server.

    Args:
        folder: Path of the folder, which may not exist yet.
        binary: Programs of the server.
        account: Account of the server.
    """

    name = "data"
    pid_file = "server.pid"
    needs = _("about 600 MB, and more with large tables")

    def __init__(self, folder: Path, binary: MariadbBinary, account: ServerAccount) -> None:
        super().__init__(folder, account)
        self._binary = binary

    def find_flaw(self) -> str:
        """Return the reason why the server's files are unusable; empty for none.

        Raises:
            OSError: A file is missing.
        """
        with safe_open.open_folder(self.data) as data:
            size_bytes = safe_open.read_size_bytes(data, "ibdata1")
        with safe_open.open_folder(self.data, "mysql") as inside:
            size_bytes = min(size_bytes, safe_open.read_size_bytes(inside, "global_priv.frm"))
        return "" if size_bytes else _("incomplete: an empty system table")

    def plan_setup(self, target: Path) -> tuple[Sequence[str], str]:
        """Return the server's command for a new folder, and the statements to read.

        The result equals that of mariadb-install-db, without help texts and reporting views. That script needs a
        program (my_print_defaults) that is not part of the server's package.
        """
        words = [str(self._binary.server), "--no-defaults", "--bootstrap", f"--basedir={self._binary.base}"]
        words += [
            f"--datadir={target}",
            f"--tmpdir={target}",
            "--log-warnings=0",
            "--max-allowed-packet=8M",
            "--net-buffer-length=16K",
        ]
        return words, "\n".join([_HEAD, *map(self._read_statements, _FILES)])

    def _read_statements(self, name: str) -> str:
        for prefix in _PREFIXES:
            path = self._binary.tables / f"{prefix}{name}"
            if path_exists(path):
                return read_regular(path, _MOST_BYTES).decode("utf-8")
        raise FileNotFoundError(errno.ENOENT, _("the server's own statements lack"), f"{self._binary.tables}/*{name}")

    def startup_input(self) -> str:
        """Return the statements that set the users; raise OSError without a password."""
        return "".join(f"{line.format(user=USER, host=LOOPBACK, password=self.password)}\n" for line in _FIRST)

    def command(self, port: int) -> list[str]:
        """Return the server's command line.

        `--no-defaults` comes first, otherwise the server would read /etc/mysql.
        """
        # In a shared folder, a starting server would remove temporary files of another server (mysqld.cc).
        places = {name: str(self.data) for name in ("datadir", "tmpdir")}
        places |= {"basedir": str(self._binary.base), "pid-file": self.pid_file}
        settings = {**places, **SETTINGS, "port": str(port), "init-file": _STDIN}
        words = [f"--{name}={value}" if value or name == "socket" else f"--{name}" for name, value in settings.items()]
        return [str(self._binary.server), "--no-defaults", *words]

    def is_ready(self, pid: int) -> bool:
        """Return True when the new log reports that the server accepts connections."""
        return self.status(0) == str(pid) and ServerLog(self.log, INCIDENT).says(_READY)
