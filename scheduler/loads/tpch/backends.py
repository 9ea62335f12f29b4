"""Process or thread of the database server that serves a user, found in /proc.

The folder is unknown if the server runs on another computer or its processes are not readable. A server in a
container
has its own process ids (pid_namespaces(7)). /proc/PID/status lists the ids of a process in all namespaces (proc(5),
NSpid).
"""

import contextlib
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from scheduler.databases.protocols import UserSession
from scheduler.errors import SpecError
from scheduler.translation import _

_PROC = Path("/proc")
_MANY = 10_000_000  # no process has a higher number (proc(5), pid_max)
_NAMES = re.compile(r"^NSpid:((?:\s+[0-9]{1,8})+)$", re.MULTILINE)


def find_backend(user: UserSession, database: str) -> tuple[Path | None, Sequence[Path]]:
    """Return the /proc folders of the user's back end and of the I/O workers.

    The back end is None if it is unknown. Unknown I/O workers are missing from the list.

    Args:
        user: The user's connection.
        database: Kind of database: `postgresql` or `mariadb`.

    Raises:
        SpecError: The load does not run on this kind of database.
    """
    if database not in _FOLDERS:
        raise SpecError(
            "load.database",
            _("tpch does not run on {database}").format(database=database),
            hint=_("Take another database."),
        )
    return _FOLDERS[database](user)


def read_kernel_file(path: Path) -> str:
    """Return the text of a kernel file; empty if the file is gone or not readable."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def postgresql_backend(pid: int, port: int) -> Path | None:
    """Return the /proc folder of a PostgreSQL back end; None if unknown.

    The title of the process contains the client's port, which is unique on that server.

    Args:
        pid: Process id in the server's own namespace.
        port: TCP port of the client.
    """
    return next((each for each in _folders_of_pid(pid) if f"({port})" in _postgresql_title(each)), None)


def postgresql_io_worker(pid: int, beside: Path) -> Path | None:
    """Return the /proc folder of a PostgreSQL process; None if unknown.

    Args:
        pid: Process id in the server's own namespace.
        beside: /proc folder of a back end of the same server, in the same namespace.
    """
    return next(
        (
            each
            for each in _folders_of_pid(pid)
            if _postgresql_title(each) and _pid_namespace(each) == _pid_namespace(beside)
        ),
        None,
    )


def _folders_of_pid(pid: int) -> Iterator[Path]:
    """Yield the process with that id here, then processes with that id in a container."""
    if not 0 < pid < _MANY:
        return
    yield _PROC / str(pid)
    for folder in _PROC.iterdir():
        names = _NAMES.search(read_kernel_file(folder / "status")) if folder.name.isdecimal() else None
        if names is not None and len(numbers := names[1].split()) > 1 and numbers[-1] == str(pid):
            yield folder


def _postgresql_title(folder: Path) -> str:
    """Return the title of a PostgreSQL process; empty for any other process."""
    title = read_kernel_file(folder / "cmdline")
    return title if title.startswith("postgres:") else ""


def _pid_namespace(folder: Path) -> str:
    """Return the pid namespace of a process; empty if it is not readable."""
    with contextlib.suppress(OSError):
        return str((folder / "ns" / "pid").readlink())
    return ""


def _postgresql_folders(user: UserSession) -> tuple[Path | None, Sequence[Path]]:
    [(pid, port)] = user.rows(b"SELECT pg_backend_pid(), coalesce(inet_client_port(), 0)")
    folder = postgresql_backend(pid, port)
    if folder is None:
        return None, ()
    rows = user.rows(b"SELECT pid FROM pg_stat_activity WHERE backend_type = 'io worker' ORDER BY pid")
    found = [postgresql_io_worker(worker, folder) for [worker] in rows if worker is not None]
    return folder, tuple(each for each in found if each is not None)


def _mariadb_folders(user: UserSession) -> tuple[Path | None, Sequence[Path]]:
    return _mariadb_thread(user), ()


def _mariadb_thread(user: UserSession) -> Path | None:
    """Return the /proc folder of the connection's thread; None if unknown.

    The folder is known if each connection has its own thread and the server runs on this computer.
    """
    columns = b"SELECT column_name FROM information_schema.columns WHERE table_schema = 'information_schema'"
    if not user.rows(columns + b" AND table_name = 'PROCESSLIST' AND column_name = 'TID'"):
        return None  # MySQL
    asked = b"SELECT tid, @@hostname, @@thread_handling FROM information_schema.processlist WHERE id = connection_id()"
    [(tid, host, handling)] = user.rows(asked)
    task = _PROC / str(tid)  # a thread has a folder there, although listings of /proc do not show it
    leader = re.search(r"^Tgid:\s*([0-9]{1,10})$", read_kernel_file(task / "status"), re.MULTILINE)
    if (
        leader is None
        or _plain_text(handling) != "one-thread-per-connection"
        or _plain_text(host) != socket.gethostname()
    ):
        return None
    name = read_kernel_file(_PROC / leader[1] / "cmdline").split("\0")[0]
    return _PROC / leader[1] / "task" / str(tid) if Path(name).name in {"mariadbd", "mysqld"} else None


def _plain_text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


_FOLDERS: Mapping[str, Callable[[UserSession], tuple[Path | None, Sequence[Path]]]] = {
    "postgresql": _postgresql_folders,
    "mariadb": _mariadb_folders,
}
"""Kind of database to the function that finds a user's back end and the I/O workers."""
