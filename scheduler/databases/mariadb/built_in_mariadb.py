"""Built-in MariaDB server: one process with threads."""

import re
import signal
from collections.abc import Sequence
from pathlib import Path

from scheduler import places
from scheduler.databases.account import server_account
from scheduler.databases.built_in_server import BuiltInServer
from scheduler.databases.mariadb.client import build_url
from scheduler.databases.mariadb.mariadb_binaries import MariadbBinary, refuse_out_of_reach
from scheduler.databases.mariadb.mariadb_data import INCIDENT, USER, MariadbData

_DAMAGED = re.compile(
    r"""\bcorrupt(ed|ion)?\b | \bInnoDB:\ (Missing\ FILE_CHECKPOINT|Invalid\ (flags|log|page|header|redo)
    | Header\ page | The\ log\ file\ is | Cannot\ (open|read)\ first\ page | Tablespace\ id\ in
    | Upgrade\ after\ a\ crash | Unsupported\ redo\ log | .*\bdoublewrite\b.*\bfailed
    | File\ .*ibdata1.*\bsize\b | Log\ file\ .*\bsize\b)
    | \bAssertion\ failure\ in\ file\b | Can't\ open\ and\ lock\ privilege\ tables | Could\ not\ open\ mysql\.plugin
    | Table\ '(mysql\.|\./mysql/)[^']*'\ (doesn't\ exist|is\ marked\ as\ crashed) | Can't\ find\ file:\ '\./mysql/
    | \bAria\ (engine|recovery|control|Log)\b.*\b(failed|initiali[sz]ed|aborted|wrong|Bad) | aria_log_control
    | Unknown/unsupported\ storage\ engine:\ InnoDB | Incorrect\ information\ in\ file:\ '\./mysql/
    """,
    re.VERBOSE,
)
# The kernel's messages for causes outside of the data, for any file (errno(3)).
_ELSEWHERE = re.compile(
    "No space left|Disk quota|Disk is full|Too many open files|Cannot allocate memory|[Oo]ut of memory|"
    "Permission denied|Operation not permitted|Read-only file system|Input/output error|temporarily unavailable|"
    r"Unable to lock|must be writable|error number (5|11|12|13|24|28|30)\b|Errcode: (5|11|12|13|24|28|30)\b|"
    "Address already in use|Cannot allocate|Can't lock aria control file"
)


def is_damage(said: str) -> bool:
    """Return True when a server's last output means damaged data."""
    return bool(_DAMAGED.search(said)) and not _ELSEWHERE.search(said)


# An ordinary stop writes all pages to disk; after a kill, the next start recovers them.
_LADDER = ((signal.SIGTERM, 20.0), (signal.SIGKILL, 5.0))


def default_data_dir(binary: MariadbBinary, beside: str = "") -> Path:
    """Return the data folder of a server: one per series.

    A newer series changes the data permanently.

    Args:
        binary: Programs of the server.
        beside: Suffix for the data of a second server.
    """
    return places.cache_dir() / "mariadb" / f"data-{binary.series}{'-' if beside else ''}{beside}"


class BuiltInMariadb(BuiltInServer):
    """Built-in MariaDB server on 127.0.0.1.

    Args:
        binary: Programs of the server.
        data_dir: Data folder of the server, created on first use.
        cpus: CPUs for the server; empty for all.
    """

    product = "MariaDB"
    user = USER
    database = "mysql"  # always exists; the loads' tables are in databases of their own
    incident = INCIDENT
    taken = re.compile("Bind on TCP/IP port|Address already in use")
    ladder = _LADDER
    brief = _LADDER[1:]
    # SIGTERM and SIGQUIT would first write all pages, which takes long under a CPU quota of a few per cent.
    death_signal = signal.SIGKILL

    def __init__(self, binary: MariadbBinary, data_dir: Path, cpus: Sequence[int] = ()) -> None:
        self._binary = binary
        super().__init__(MariadbData(data_dir, binary, server_account("MariaDB", "mysql")), binary.version, cpus)

    def reachable_data(self) -> MariadbData:
        """Return the data folder if its account can run the server.

        Raises:
            HostNotUsable: The account cannot run the server.
        """
        refuse_out_of_reach(self._binary, self._data.account)
        return MariadbData(self._data.folder, self._binary, self._data.account)

    def is_damage(self, said: str) -> bool:
        """Return True when the server's last output means damaged data."""
        return is_damage(said)

    def url(self, address: tuple[str, int]) -> str:
        """Return the URL of the server at an address of the relay."""
        return build_url(self.user, self.database, address)
