"""Search for an installed MariaDB server, the newest first.

No Python package contains one.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from scheduler.children import find_program, run_and_capture
from scheduler.databases.account import ServerAccount, find_barrier
from scheduler.errors import HostNotUsable
from scheduler.files import path_exists
from scheduler.translation import _

_SERVERS = ("mariadbd", "mysqld")  # today, and before 10.5
_TABLES = ("mariadb_system_tables.sql", "mysql_system_tables.sql")  # today, and before 11
_BESIDE = ("share/mysql", "share/mariadb", "share")  # of distributions, of tar archives
# MySQL's output is "Ver 8.0.36 for Linux": its data are created differently, so MySQL is used by URL.
_VERSION = re.compile(r"\bVer ([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,4})-MariaDB")


class MariadbBinary(msgspec.Struct, frozen=True):
    """One installed MariaDB server.

    Attributes:
        server: Program of the server.
        tables: Folder with the statements that fill a new data folder.
        version: Version, for example `10.11.6`.
        origin: Always `installed`.
    """

    server: Path
    tables: Path
    version: str
    origin: str = "installed"

    @property
    def base(self) -> Path:
        """Parent folder of the server's other files."""
        return self.server.parent.parent

    @property
    def series(self) -> str:
        """The series, which has a data folder of its own."""
        return self.version.rpartition(".")[0]


def find_server() -> MariadbBinary:
    """Return the newest installed server.

    Raises:
        HostNotUsable: No server is installed.
    """
    programs = dict.fromkeys(path.resolve() for path in _list_programs() if os.access(path, os.X_OK))
    found = sorted((binary for binary in map(_inspect_binary, programs) if binary), key=_version_key)
    if found:
        return found[-1]
    raise HostNotUsable(
        _("no MariaDB server is installed (mariadbd)"),
        hint=_("Install one (apt-get install mariadb-server-core), or name a database URL."),
    )


def refuse_out_of_reach(binary: MariadbBinary, account: ServerAccount) -> None:
    """Raise HostNotUsable when the account may not run the server.

    Args:
        binary: Programs of the server.
        account: Account of the server.
    """
    closed = find_barrier(binary.server.parent, account)
    if closed is not None:
        raise HostNotUsable(
            _("the account {account} cannot reach {server}: {closed} is closed to it").format(
                account=account.name, server=binary.server, closed=closed
            ),
            hint=_("Install MariaDB where every account can go (apt-get install mariadb-server-core)."),
        )


def _list_programs() -> Iterator[Path]:
    folders = [
        Path("/usr", place) for place in ("sbin", "libexec", "bin", "local/sbin", "local/bin", "local/mysql/bin")
    ]
    for pattern in ("*/bin", "*/sbin", "*/*/bin", "*/*/sbin"):
        folders += sorted(Path("/opt").glob(pattern))
    for name in _SERVERS:
        yield from (folder / name for folder in folders)
        on_path = find_program(name)
        if on_path:
            yield Path(on_path)


def _inspect_binary(server: Path) -> MariadbBinary | None:
    base = server.parent.parent
    tables = [base / place for place in _BESIDE if any(path_exists(base / place / name) for name in _TABLES)]
    if not tables:
        return None
    try:
        answer = run_and_capture([str(server), "--no-defaults", "--version"], 10).stdout
    except OSError:
        return None  # built for another machine
    match = _VERSION.search(answer)
    return MariadbBinary(server, tables[0], ".".join(match.groups())) if match else None


def _version_key(binary: MariadbBinary) -> tuple[int, ...]:
    return tuple(int(part) for part in binary.version.split("."))
