"""The embedded PostgreSQL server."""

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
# The kernel's words for what has nothing to do with the data, whichever file it was met with (errno(3)).
_ELSEWHERE = re.compile(
    "No space left|Disk quota|Too many open files|file descriptors|Cannot allocate memory|[Oo]ut of memory|"
    "Permission denied|Operation not permitted|Read-only file system|Input/output error|temporarily unavailable|"
    'lock file "postmaster.pid"'
)


def is_damage(said: str) -> bool:
    """Return whether what a server said as it ended means that its data are damaged."""
    return bool(_DAMAGED.search(said)) and not _ELSEWHERE.search(said)


DATABASE = "postgres"  # initdb makes it
# Fast shutdown, then immediate, then kill (PostgreSQL manual, "Shutting Down the Server").
_LADDER = ((signal.SIGINT, 20.0), (signal.SIGQUIT, 8.0), (signal.SIGKILL, 5.0))


def default_data_dir(binary: PostgresqlBinary, beside: str = "") -> Path:
    """Return where this server's data live: one folder per major version, since formats differ."""
    return places.cache_dir() / "postgres" / f"data-{binary.major}{'-' if beside else ''}{beside}"


class BuiltInPostgresql(BuiltInServer):
    """One server on 127.0.0.1.

    Args:
        binary: The server's programs.
        data_dir: Folder for its data, made on first use.
        cpus: CPUs that it is confined to; empty for all.
        settings: What it is started with beside what it always is.
    """

    product = "PostgreSQL"
    user = USER
    database = DATABASE
    # What the postmaster says of a process that did not end as it should (launch_backend.c, postmaster.c); it then ends
    # all others, whose clients only learn that "the connection was closed unexpectedly". Status 1 is an ordinary end.
    incident = re.compile(r"\bPANIC: |\bterminated by (signal|exception)\b|\bexited with exit code (?![01]\b)[0-9]")
    taken = re.compile("could not bind|could not create any TCP/IP")
    ladder = _LADDER
    # PostgreSQL 18.4 never ends by a fast shutdown that comes while it recovers from the loss of a process; what an
    # immediate one leaves to be recovered at the next start, that loss has left already.
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
        """Return whether what it said as it ended means that its data are damaged."""
        return is_damage(said)

    def url(self, address: tuple[str, int]) -> str:
        """Return its URL at an address of the relay's: without TLS, on which the caller's PGSSLMODE must not insist."""
        return f"{build_url(self.user, self.database, address)}?sslmode=disable"
