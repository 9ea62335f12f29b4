"""MariaDB's data folder, and the settings that its server is started with."""

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

USER = "domtune"

# What it says when a signal has hit it, or InnoDB has given up (signal_handler.cc, ut0dbg.cc).
INCIDENT = re.compile(r"\bgot (signal|exception) [0-9]|\bInnoDB: Assertion failure\b")
_READY = "ready for connections"  # mysqld.cc; its clients are accepted from then on
_STDIN = "/dev/stdin"

_HEAD = "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;"
_FILES = ("system_tables.sql", "performance_tables.sql", "system_tables_data.sql", "maria_add_gis_sp_bootstrap.sql")
_PREFIXES = ("mariadb_", "mysql_", "")  # from version 11 on, before, and of some in both
_MOST_BYTES = 4_000_000  # all together have a tenth of it

SETTINGS: Mapping[str, str] = {
    "bind-address": LOOPBACK,
    "socket": "",  # only TCP: every byte shall pass the relay
    "skip-name-resolve": "ON",
    "max-connections": "150",  # 64 users at most, twice, and our own
    # InnoDB has no page cache below it: what does not fit is read from the disk. 40 MB of data at 100,000 tuples fit.
    "innodb-buffer-pool-size": "256M",
    # As a server in service has them, and as their defaults are; a commit is on disk when it is reported.
    "innodb-flush-log-at-trx-commit": "1",
    "innodb-doublewrite": "ON",
    # When the log is full everybody waits for pages to be written: of the default, 96 MB, 32 users of order entry wrote
    # in 15 s what made 10.11.19 answer nobody for 35 s, more than a user waits; of 256 MB there was a second of it.
    "innodb-log-file-size": "512M",
    # Nobody replicates this server.
    "skip-log-bin": "",
    # What it counts about itself would run on the contended CPU.
    "performance-schema": "OFF",
    # Each start begins alike, and ends in bounded time.
    "innodb-buffer-pool-load-at-startup": "OFF",
    "innodb-buffer-pool-dump-at-shutdown": "OFF",
    "default-time-zone": "+00:00",
    "local-infile": "OFF",
}

# Who may log in is said before anybody can: this file is read before the first client is accepted (mysqld.cc). What
# stands there from the beginning are superusers without a password; `mariadb.sys` is locked, and its views need it.
_FIRST = (
    "CREATE OR REPLACE USER '{user}'@'{host}' IDENTIFIED BY '{password}';",
    "GRANT ALL PRIVILEGES ON *.* TO '{user}'@'{host}' WITH GRANT OPTION;",
    "DELETE FROM mysql.global_priv WHERE User NOT IN ('{user}', 'mariadb.sys');",
    "DELETE FROM mysql.proxies_priv;",
    "FLUSH PRIVILEGES;",
)


class MariadbData(DataFolder):
    """One data folder.

    Args:
        folder: Where it is or will be.
        binary: The server it is for.
        account: Who runs the server.
    """

    name = "data"
    pid_file = "server.pid"
    needs = "about 600 MB, and more with large tables"

    def __init__(self, folder: Path, binary: MariadbBinary, account: ServerAccount) -> None:
        super().__init__(folder, account)
        self._binary = binary

    def find_flaw(self) -> str:
        """Return what of the server's files cannot be used; raises OSError where they lack."""
        with safe_open.open_folder(self.data) as data:
            size_bytes = safe_open.read_size_bytes(data, "ibdata1")
        with safe_open.open_folder(self.data, "mysql") as inside:
            size_bytes = min(size_bytes, safe_open.read_size_bytes(inside, "global_priv.frm"))
        return "" if size_bytes else "incomplete: an empty system table"

    def plan_setup(self, target: Path) -> tuple[Sequence[str], str]:
        """Return the server's words for a new folder, and the statements that it reads.

        What mariadb-install-db does, without help texts and reporting views. That script asks a program
        (my_print_defaults) which the server's package does not bring.
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
        raise FileNotFoundError(errno.ENOENT, "the server's own statements lack", f"{self._binary.tables}/*{name}")

    def startup_input(self) -> str:
        """Return who may log in; raises OSError when the password is not kept any more."""
        return "".join(f"{line.format(user=USER, host=LOOPBACK, password=self.password)}\n" for line in _FIRST)

    def command(self, port: int) -> list[str]:
        """Return the server's command line; `--no-defaults` comes first, or it would read /etc/mysql."""
        # Where temporary files of others are, too, a server that starts would remove another one's (mysqld.cc).
        places = {name: str(self.data) for name in ("datadir", "tmpdir")}
        places |= {"basedir": str(self._binary.base), "pid-file": self.pid_file}
        settings = {**places, **SETTINGS, "port": str(port), "init-file": _STDIN}
        words = [f"--{name}={value}" if value or name == "socket" else f"--{name}" for name, value in settings.items()]
        return [str(self._binary.server), "--no-defaults", *words]

    def is_ready(self, pid: int) -> bool:
        """Return whether that server accepts connections: it says so in the log, which was begun for it."""
        return self.status(0) == str(pid) and ServerLog(self.log, INCIDENT).says(_READY)
