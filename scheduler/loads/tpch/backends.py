"""Which process, or thread, of this computer serves a user: its folder in /proc.

Not known where the server is on another computer, or its processes may not be looked at. A server in a container has
process ids of its own (pid_namespaces(7)); /proc/PID/status tells what a process is called in each (proc(5), NSpid).
"""

import contextlib
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from scheduler.databases.protocols import UserSession
from scheduler.errors import SpecError

_PROC = Path("/proc")
_MANY = 10_000_000  # no process has a higher number (proc(5), pid_max)
_NAMES = re.compile(r"^NSpid:((?:\s+[0-9]{1,8})+)$", re.MULTILINE)


def find_backend(user: UserSession, database: str) -> tuple[Path | None, Sequence[Path]]:
    """Return the folder of what serves a user, and those of I/O workers that read for it, as far as they are known.

    Args:
        user: The user's connection.
        database: Name of the kind of database.

    Raises:
        SpecError: None of ours.
    """
    if database not in _FOLDERS:
        raise SpecError("load.database", f"tpch does not run on {database}", hint="Take another database.")
    return _FOLDERS[database](user)


def read_kernel_file(path: Path) -> str:
    """Return what a file of the kernel's says; nothing when it may not be read, or is gone."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def postgresql_backend(pid: int, port: int) -> Path | None:
    """Return the folder of PostgreSQL's back end that calls itself `pid` and serves a client's port.

    Its title has the port, which no other process of that server has.
    """
    return next((each for each in _folders_of_pid(pid) if f"({port})" in _postgresql_title(each)), None)


def postgresql_io_worker(pid: int, beside: Path) -> Path | None:
    """Return the folder of PostgreSQL's process that calls itself `pid` where one of its back ends does."""
    return next(
        (
            each
            for each in _folders_of_pid(pid)
            if _postgresql_title(each) and _pid_namespace(each) == _pid_namespace(beside)
        ),
        None,
    )


def _folders_of_pid(pid: int) -> Iterator[Path]:
    """Yield what has that number here, then what has it in a container."""
    if not 0 < pid < _MANY:
        return
    yield _PROC / str(pid)
    for folder in _PROC.iterdir():
        names = _NAMES.search(read_kernel_file(folder / "status")) if folder.name.isdecimal() else None
        if names is not None and len(numbers := names[1].split()) > 1 and numbers[-1] == str(pid):
            yield folder


def _postgresql_title(folder: Path) -> str:
    """Return the title of a process of PostgreSQL's; empty of any other's."""
    title = read_kernel_file(folder / "cmdline")
    return title if title.startswith("postgres:") else ""


def _pid_namespace(folder: Path) -> str:
    """Return which process ids it has and sees; empty when that may not be known."""
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
    """Return the folder of the connection's thread, where it has one of its own, in a server of this computer."""
    columns = b"SELECT column_name FROM information_schema.columns WHERE table_schema = 'information_schema'"
    if not user.rows(columns + b" AND table_name = 'PROCESSLIST' AND column_name = 'TID'"):
        return None  # MySQL
    asked = b"SELECT tid, @@hostname, @@thread_handling FROM information_schema.processlist WHERE id = connection_id()"
    [(tid, host, handling)] = user.rows(asked)
    task = _PROC / str(tid)  # a thread is found there, though no listing has it
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
"""Kind of database to what finds who serves a user of it."""
