"""Access of the user pool to a database, with a limit on every wait.

An abort ends a wait at once. A dead server is detected within 60 s. Neither libpq nor PyMySQL can be interrupted while
it waits, and both read a server's data until memory is full. So each call into a driver runs in a thread of its own
(`scheduler.waiting.call_in_thread`). Abandoning a call breaks the connection, which also ends that thread.
"""

import contextlib
import os
import resource
import socket
import stat
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path, PurePath
from typing import NamedTuple, TypeVar

from scheduler.databases.protocols import DatabaseAccess, Row, WorkloadSession
from scheduler.errors import DatabaseUnreachable, LoadError
from scheduler.model.databases import DATABASES, STANDARD_DATABASE
from scheduler.translation import _
from scheduler.waiting import call_in_thread

_Answer = TypeVar("_Answer")

BRIEF_S = 40.0
"""Time limit of a connection attempt, a catalogue query, or DomTune's lock, s.

The lock itself waits 5 s.
"""

COUNTED_S = 4.0
"""Time limit of a counter query, s; the server ends DomTune's after 2 s."""

_SILENT_S = 20.0  # seconds; a longer statement is normal, but from then on the server is checked
_ALIVE_S = 10.0  # seconds in which a living server accepts a connection, as for a user's connection
_MOST_MISSES = 2  # 20 s and twice 10 s
_MOST_BYTES = 400 << 20  # bytes of memory for one statement; DomTune's statements need a few per cent of that
_GOODBYE_S = 2.0


class DriverCalls:
    """Calls into a driver that are abandoned together with the connection.

    Args:
        params: Parameters of the connections.
        is_alive: Checks if the server accepts connections; None where every call has a limit.

    Attributes:
        lost: True after a call was abandoned; no further call is possible.
    """

    def __init__(self, params: Mapping[str, str], is_alive: Callable[[], bool] | None = None) -> None:
        self._server = server_end(params)
        self._is_alive = is_alive
        self._ours: set[int] = set()  # inode numbers of sockets
        self.lost = False

    def call(self, function: Callable[[], _Answer], limit_s: float = BRIEF_S, *, aborts: bool = True) -> _Answer:
        """Run a call into the driver.

        Args:
            function: The call.
            limit_s: Time limit, seconds. Without a limit (`inf`) the server is checked at intervals.
            aborts: False for calls that an abort must not stop, such as a rollback.

        Raises:
            DatabaseUnreachable: The server does not answer, or the connection was abandoned earlier.
            LoadError: The server sends more data than allowed.
        """
        if self.lost:
            raise DatabaseUnreachable(_("the connection to the database was given up"), hint=_("Start again."))
        if limit_s == inf:  # a statement on an open connection
            return call_in_thread(
                function, limit_s, _CallWatch(self._is_alive), partial(self._break_connections, None), aborts=aborts
            )
        before = frozenset(find_connections(self._server)) - self._ours
        try:
            found = call_in_thread(
                function, limit_s, _CallWatch(None), partial(self._break_connections, before), aborts=aborts
            )
        except TimeoutError as error:
            raise _silent_database_error(limit_s) from error
        self._ours = set(find_connections(self._server)) - before
        return found

    def close(self, function: Callable[[], object]) -> None:
        """Close a connection that was not abandoned; never raise.

        Args:
            function: Closes the connection.
        """
        if not self.lost:
            with contextlib.suppress(Exception):
                self.call(function, _GOODBYE_S, aborts=False)

    def _break_connections(self, others: frozenset[int] | None) -> None:
        """Break DomTune's connection, and one in progress, so that waiting calls fail.

        Args:
            others: Other connections at the start of the call; None where the call opens no connection.
        """
        self.lost = True
        for inode, number in find_connections(self._server).items():
            if inode in self._ours or (others is not None and inode not in others):
                with contextlib.suppress(OSError), _open_socket(number) as found:
                    found.shutdown(socket.SHUT_RDWR)


class AbortableDatabase:
    """A database whose calls can be abandoned.

    Args:
        open_inner: Creates the driver's own access, not connected.
    """

    def __init__(self, open_inner: Callable[[], DatabaseAccess]) -> None:
        self._open_inner = open_inner
        self._inner = open_inner()
        self._patience = DriverCalls(self.params, self._is_alive)

    @property
    def params(self) -> Mapping[str, str]:
        """Parameters of a user's connection, including the password."""
        return self._inner.params

    @property
    def name(self) -> str:
        """Name of the kind of database."""
        return self._inner.name

    def session(self) -> "AbortableSession":
        """Return a live session; raise DatabaseUnreachable."""
        return AbortableSession(self._patience, self._patience.call(self._inner.session))

    def lock(self, number: int) -> None:
        """Lock DomTune's tables of a size against other sweeps; raise DatabaseUnsuitable."""
        self._patience.call(lambda: self._inner.lock(number))

    def versions(self) -> dict[str, str]:
        """Return relevant versions and settings; raise DatabaseUnsuitable."""
        return self._patience.call(self._inner.versions)

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Translate the driver's errors in a `with` block; `doing` appears in the message."""
        return self._inner.translated(doing)

    def close(self) -> None:
        """Disconnect; never raise."""
        self._patience.close(self._inner.close)

    def _is_alive(self) -> bool:
        """Return True when the server accepts a connection, or refuses it, in time."""
        began_s = time.monotonic()
        other = self._open_inner()
        with contextlib.suppress(LoadError, TimeoutError):
            call_in_thread(other.session, _ALIVE_S)
            call_in_thread(other.close, _GOODBYE_S)
        return time.monotonic() - began_s < _ALIVE_S - 1


class _CallWatch:
    """Watch of one call: its use of memory, and the server's life.

    Args:
        is_alive: Checks the server; None where the call has a limit of its own.
    """

    def __init__(self, is_alive: Callable[[], bool] | None) -> None:
        self._is_alive = is_alive
        self._before_bytes = read_used_bytes()
        self._misses, self._asked_s = 0, 0.0

    def __call__(self, waited_s: float) -> None:
        if read_used_bytes() - self._before_bytes > _MOST_BYTES:
            raise LoadError(
                _("the database sent more than {most_bytes} MB in answer to one statement").format(
                    most_bytes=_MOST_BYTES >> 20
                ),
                hint=_("Is it the server that you mean, and no other program at its address?"),
            )
        if self._is_alive is None or waited_s - self._asked_s < (0.0 if self._misses else _SILENT_S):
            return
        self._misses = 0 if self._is_alive() else self._misses + 1
        self._asked_s = waited_s
        if self._misses >= _MOST_MISSES:
            raise _silent_database_error(_SILENT_S + _MOST_MISSES * _ALIVE_S)


class AbortableSession:
    """A session whose calls can be abandoned.

    Args:
        patience: Runs the calls.
        inner: The driver's own session.
    """

    def __init__(self, patience: DriverCalls, inner: WorkloadSession) -> None:
        self._patience = patience
        self._call = partial(patience.call, limit_s=inf)
        self._inner = inner

    @property
    def database(self) -> str:
        """Name of the kind of database."""
        return self._inner.database

    @property
    def params(self) -> Mapping[str, str]:
        """Parameters of the connection, including the password."""
        return self._inner.params

    def execute(self, statement: str, *values: object) -> int:
        """Run a statement; return the number of rows affected."""
        return self._call(lambda: self._inner.execute(statement, *values))

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return the rows of a query."""
        return self._call(lambda: self._inner.rows(query, *values))

    def seen(self, query: str) -> list[Row] | None:
        """Return the rows of a query; None without the table, a column or the right."""
        return self._call(lambda: self._inner.seen(query))

    def load(self, table: str, columns: Sequence[str], chunks: Iterable[bytes], delimiter: str = ",") -> None:
        """Fill a table from CSV without quotes in one transaction."""
        self._call(lambda: self._inner.load(table, columns, chunks, delimiter))

    @contextlib.contextmanager
    def transaction(self) -> Generator[None, None, None]:
        """Run a block as one transaction."""
        block = self._inner.transaction()
        self._call(block.__enter__)
        try:
            yield
        except BaseException as error:
            if not self._patience.lost:
                undo = partial(block.__exit__, type(error), error, error.__traceback__)
                self._patience.call(undo, _GOODBYE_S, aborts=False)
            raise
        self._call(lambda: block.__exit__(None, None, None))

    def tables(self, schema: str) -> set[str]:
        """Return the names of all tables and views in a schema."""
        return self._patience.call(lambda: self._inner.tables(schema))

    def may_create(self, schema: str) -> bool:
        """Return True when this user may create the schema, or tables in it."""
        return self._patience.call(lambda: self._inner.may_create(schema))

    def settle(self, tables: Sequence[str]) -> None:
        """Complete all deferred work on the tables."""
        self._call(lambda: self._inner.settle(tables))


def read_used_bytes() -> int:
    """Return the memory that this process uses, bytes.

    Source: resident pages in /proc/self/statm (proc(5)).
    """
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()


class ServerEnd(NamedTuple):
    """Names of a server's end of a connection.

    Attributes:
        port: TCP port; 0 for a server with a Unix socket only.
        socket: File name of the Unix socket. The path may differ from the client's path because of links.
    """

    port: int
    socket: str


def server_end(params: Mapping[str, str]) -> ServerEnd:
    """Return the names of the server's end for connection parameters."""
    port = int(params.get("port", DATABASES[STANDARD_DATABASE].port))  # only libpq's parameters may lack a port
    return ServerEnd(port, f".s.PGSQL.{port}" if port else PurePath(params["host"]).name)


def find_connections(server: ServerEnd) -> dict[int, int]:
    """Return this process's connections to a server: descriptor by inode number.

    The search uses the open descriptors, since a driver does not expose the socket of a connection attempt.
    """
    found: dict[int, int] = {}
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError, ValueError):
            number = int(each.name)
            status = os.fstat(number)
            if stat.S_ISSOCK(status.st_mode) and _is_connected_to(number, server):
                found[status.st_ino] = number
    return found


def _is_connected_to(number: int, server: ServerEnd) -> bool:
    with _open_socket(number) as found:
        peer = found.getpeername()
    if found.family in (socket.AF_INET, socket.AF_INET6):
        return peer[1] == server.port
    return found.family == socket.AF_UNIX and PurePath(os.fsdecode(peer)).name == server.socket


def _open_socket(number: int) -> socket.socket:
    return socket.socket(fileno=os.dup(number))


def _silent_database_error(seconds: float) -> DatabaseUnreachable:
    return DatabaseUnreachable(
        _("the database has not answered for {seconds:g} s").format(seconds=seconds),
        hint=_("Does it still run? Its log may say more."),
    )
