"""Built-in PostgreSQL server."""

import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from scheduler import places
from scheduler.databases import spawn
from scheduler.databases.account import server_account
from scheduler.databases.built_in_server import BuiltInServer
from scheduler.databases.postgresql.pg_client import build_url
from scheduler.databases.postgresql.postgresql_binaries import PostgresqlBinary, make_usable
from scheduler.databases.postgresql.postgresql_cluster import USER, PostgresqlCluster

_DAMAGED = re.compile(
    r"""\bPANIC:
    | invalid\ (primary\ |secondary\ )?checkpoint | could\ not\ (locate|read|find)\ (a\ valid\ |the\ |required\ )*
      (checkpoint|redo)
    | pg_control | PG_CONTROL | control\ file | incompatible\ with\ (the\ )?server
    | not\ a\ valid\ data\ directory | required\ WAL\ directory | relation\ mapping\ file
    | could\ not\ access\ status\ of\ transaction | invalid\ (page|magic\ number|data\ in\ file|record\ length)
    | could\ not\ (open|read|access|stat)\ (file\ "(?!/)[^"]*/|directory\ "(?!/))[^"]*":
      \ (No\ such\ file|Not\ a\ directory|Is\ a\ directory)
    | could\ not\ (open|read)\ file\ "[^"]*/(pg_control|PG_VERSION|pg_hba\.conf)":\ No\ such\ file
    | could\ not\ load\ [^ ]*pg_hba\.conf""",
    re.VERBOSE,
)
# The kernel's messages for causes outside of the data, for any file (errno(3)).
_ELSEWHERE = re.compile(
    "No space left|Disk quota|Too many open files|file descriptors|Cannot allocate memory|[Oo]ut of memory|"
    "Permission denied|Operation not permitted|Read-only file system|Input/output error|temporarily unavailable|"
    'lock file "postmaster.pid"'
)


def is_damage(said: str) -> bool:
    """Return True when a server's last output means damaged data."""
    return bool(_DAMAGED.search(said)) and not _ELSEWHERE.search(said)


DATABASE = "postgres"  # initdb creates this database
# Fast shutdown, then immediate, then kill (PostgreSQL manual, "Shutting Down the Server").
_LADDER = ((signal.SIGINT, 20.0), (signal.SIGQUIT, 8.0), (signal.SIGKILL, 5.0))


def default_data_dir(binary: PostgresqlBinary, beside: str = "") -> Path:
    """Return the data folder of a server: one per major version, since formats differ.

    Args:
        binary: Programs of the server.
        beside: Suffix for the data of a second server.
    """
    return places.cache_dir() / "postgres" / f"data-{binary.major}{'-' if beside else ''}{beside}"


class BuiltInPostgresql(BuiltInServer):
    """Built-in PostgreSQL server on 127.0.0.1.

    Args:
        binary: Programs of the server.
        data_dir: Data folder of the server, created on first use.
        cpus: CPUs for the server; empty for all.
        settings: Settings in addition to the fixed ones.
    """

    product = "PostgreSQL"
    user = USER
    database = DATABASE
    # Messages of the postmaster after an abnormal end of a process (launch_backend.c, postmaster.c). The postmaster
    # then ends all other processes, whose clients see only "the connection was closed unexpectedly". Status 1 is
    # normal.
    incident = re.compile(r"\bPANIC: |\bterminated by (signal|exception)\b|\bexited with exit code (?![01]\b)[0-9]")
    taken = re.compile("could not bind|could not create any TCP/IP")
    ladder = _LADDER
    # PostgreSQL 18.4 never ends on a fast shutdown during recovery from the loss of a process. An immediate shutdown
    # leaves no more for recovery than that loss has left already.
    brief = _LADDER[1:]
    death_signal = spawn.DEATH_SIGNAL

    def __init__(
        self, binary: PostgresqlBinary, data_dir: Path, cpus: Sequence[int] = (), settings: Mapping[str, str] = {}
    ) -> None:
        self._binary, self._settings = binary, settings
        super().__init__(PostgresqlCluster(data_dir, binary, server_account(), settings), binary.version, cpus)

    def reachable_data(self) -> PostgresqlCluster:
        """Return the data folder with programs that the server's account can run."""
        account = self._data.account
        self._binary = make_usable(self._binary, account)
        return PostgresqlCluster(self._data.folder, self._binary, account, self._settings)

    def is_damage(self, said: str) -> bool:
        """Return True when the server's last output means damaged data."""
        return is_damage(said)

    def url(self, address: tuple[str, int]) -> str:
        """Return the URL of the server at an address of the relay, without TLS.

        The URL overrides the caller's PGSSLMODE.
        """
        return f"{build_url(self.user, self.database, address)}?sslmode=disable"
