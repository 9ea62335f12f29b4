"""The pool's way into a database, with every wait bounded: an abort ends it at once, a dead server within 60 s.

Neither libpq nor PyMySQL can be interrupted while it waits, and both take what a server sends until memory is full. So
each call into a driver runs in a thread of its own (`scheduler.waiting.call_in_thread`). Whoever gives one up breaks
its
connection, which ends that thread, too.
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
from scheduler.waiting import call_in_thread

_Answer = TypeVar("_Answer")

BRIEF_S = 40.0
"""Time limit of connecting, of a look at the catalogue, and of our lock (which waits 5 s)."""

COUNTED_S = 4.0
"""Time limit of a look at a counter; the server ends ours after 2 s."""

_SILENT_S = 20.0  # a longer statement is nothing unusual; from then on the server is asked whether it lives
_ALIVE_S = 10.0  # what a living server needs to let somebody in, as a user's connection has
_MOST_MISSES = 2  # 20 s and twice 10 s
_MOST_BYTES = 400 << 20  # of memory that one statement may take; ours need a few per cent of that
_GOODBYE_S = 2.0


class DriverCalls:
    """Calls into a driver that are given up together with its connection.

    Args:
        params: What the connections are made with.
        is_alive: Asks whether the server still lets anybody in; None where every call has a limit.

    Attributes:
        lost: A call was given up; there will be no other.
    """

    def __init__(self, params: Mapping[str, str], is_alive: Callable[[], bool] | None = None) -> None:
        self._server = server_end(params)
        self._is_alive = is_alive
        self._ours: set[int] = set()  # numbers of sockets
        self.lost = False

    def call(self, function: Callable[[], _Answer], limit_s: float = BRIEF_S, *, aborts: bool = True) -> _Answer:
        """Run a call into the driver.

        Args:
            function: The call.
            limit_s: Seconds that it may take. Without a limit the server is asked now and then whether it lives.
            aborts: False on the way out.

        Raises:
            DatabaseUnreachable: The server does not answer, or the connection was given up before.
            LoadError: The server sends more than anybody asked for.
        """
        if self.lost:
            raise DatabaseUnreachable("the connection to the database was given up", hint="Start again.")
        if limit_s == inf:  # a statement on a connection that is there
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
        """Have a connection closed that was not given up; never raises.

        Args:
            function: Closes it.
        """
        if not self.lost:
            with contextlib.suppress(Exception):
                self.call(function, _GOODBYE_S, aborts=False)

    def _break_connections(self, others: frozenset[int] | None) -> None:
        """Break our connection, and one that is being made: whoever waits for it gets an error.

        Args:
            others: Connections of others that were there when the call began; None where the call makes none.
        """
        self.lost = True
        for inode, number in find_connections(self._server).items():
            if inode in self._ours or (others is not None and inode not in others):
                with contextlib.suppress(OSError), _open_socket(number) as found:
                    found.shutdown(socket.SHUT_RDWR)


class AbortableDatabase:
    """A database whose calls can be given up.

    Args:
        open_inner: Makes the driver's own way in, not connected.
    """

    def __init__(self, open_inner: Callable[[], DatabaseAccess]) -> None:
        self._open_inner = open_inner
        self._inner = open_inner()
        self._patience = DriverCalls(self.params, self._is_alive)

    @property
    def params(self) -> Mapping[str, str]:
        """Parameters that a user's process connects with, the password among them."""
        return self._inner.params

    @property
    def name(self) -> str:
        """Name of the kind of database."""
        return self._inner.name

    def session(self) -> "AbortableSession":
        """Return a live session; raises DatabaseUnreachable."""
        return AbortableSession(self._patience, self._patience.call(self._inner.session))

    def lock(self, number: int) -> None:
        """Keep other sweeps away from our tables of that size; raises DatabaseUnsuitable."""
        self._patience.call(lambda: self._inner.lock(number))

    def versions(self) -> dict[str, str]:
        """Return versions and settings that matter; raises DatabaseUnsuitable."""
        return self._patience.call(self._inner.versions)

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Turn the driver's errors inside the block into ours, with what was being done for the message."""
        return self._inner.translated(doing)

    def close(self) -> None:
        """Disconnect; never raises."""
        self._patience.close(self._inner.close)

    def _is_alive(self) -> bool:
        """Return whether the server lets somebody in within the time that users have, or says why it does not."""
        began_s = time.monotonic()
        other = self._open_inner()
        with contextlib.suppress(LoadError, TimeoutError):
            call_in_thread(other.session, _ALIVE_S)
            call_in_thread(other.close, _GOODBYE_S)
        return time.monotonic() - began_s < _ALIVE_S - 1


class _CallWatch:
    """Looks after one call: at the memory that it takes, and whether the server still lives.

    Args:
        is_alive: Asks the server; None where the call has a limit of its own.
    """

    def __init__(self, is_alive: Callable[[], bool] | None) -> None:
        self._is_alive = is_alive
        self._before_bytes = read_used_bytes()
        self._misses, self._asked_s = 0, 0.0

    def __call__(self, waited_s: float) -> None:
        if read_used_bytes() - self._before_bytes > _MOST_BYTES:
            raise LoadError(
                f"the database sent more than {_MOST_BYTES >> 20} MB in answer to one statement",
                hint="Is it the server that you mean, and no other program at its address?",
            )
        if self._is_alive is None or waited_s - self._asked_s < (0.0 if self._misses else _SILENT_S):
            return
        self._misses = 0 if self._is_alive() else self._misses + 1
        self._asked_s = waited_s
        if self._misses >= _MOST_MISSES:
            raise _silent_database_error(_SILENT_S + _MOST_MISSES * _ALIVE_S)


class AbortableSession:
    """A session whose calls can be given up.

    Args:
        patience: Makes the calls.
        inner: The driver's own.
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
        """Parameters of the connection, the password among them."""
        return self._inner.params

    def execute(self, statement: str, *values: object) -> int:
        """Run a statement; return the rows that it touched."""
        return self._call(lambda: self._inner.execute(statement, *values))

    def rows(self, query: str, *values: object) -> list[Row]:
        """Return the rows of a query."""
        return self._call(lambda: self._inner.rows(query, *values))

    def seen(self, query: str) -> list[Row] | None:
        """Return the rows of a query; None where its table, a column, or the right to read it lacks."""
        return self._call(lambda: self._inner.seen(query))

    def load(self, table: str, columns: Sequence[str], chunks: Iterable[bytes], delimiter: str = ",") -> None:
        """Fill a table from CSV without quotes, one transaction."""
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
        """Return the names of all tables, views and the like in a schema."""
        return self._patience.call(lambda: self._inner.tables(schema))

    def may_create(self, schema: str) -> bool:
        """Return whether our user may make that schema, or tables in it."""
        return self._patience.call(lambda: self._inner.may_create(schema))

    def settle(self, tables: Sequence[str]) -> None:
        """Leave nothing for later to do."""
        self._call(lambda: self._inner.settle(tables))


def read_used_bytes() -> int:
    """Return the memory that this process uses (proc(5), statm: resident pages)."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()


class ServerEnd(NamedTuple):
    """How a server's end of a connection is called.

    Attributes:
        port: Its TCP port; 0 where it has a Unix socket only.
        socket: File name of its Unix socket: its path may be another one than the client's, by way of a link.
    """

    port: int
    socket: str


def server_end(params: Mapping[str, str]) -> ServerEnd:
    """Return what the server's ends of connections with these parameters are called."""
    port = int(params.get("port", DATABASES[STANDARD_DATABASE].port))  # only libpq's need not have one
    return ServerEnd(port, f".s.PGSQL.{port}" if port else PurePath(params["host"]).name)


def find_connections(server: ServerEnd) -> dict[int, int]:
    """Return this process's connections to a server: the number of each socket, and a descriptor of it.

    Found among the open descriptors, since a driver that still connects shows its socket to nobody.
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
        f"the database has not answered for {seconds:g} s", hint="Does it still run? Its log may say more."
    )
