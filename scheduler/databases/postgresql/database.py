"""The pool's own connections: one per database, kept open, holding the right to use our tables there."""

import contextlib
import importlib.metadata
from collections.abc import Generator, Mapping

import psycopg2

from scheduler.databases import pooler_detection
from scheduler.databases.postgresql import pg_client
from scheduler.databases.postgresql.postgresql_session import PostgresqlSession
from scheduler.errors import DatabaseUnsuitable
from scheduler.model.databases import IO_METHOD, POOLER
from scheduler.model.number_parsing import parse_whole_number

_LOCK_CLASS = 0x444F4D54  # "DOMT": the first half of our advisory locks
_LONG_LOCK_WAIT = f"{pg_client.LOCK_WAIT_S}s"
_LOOKS_SINCE = 140_000  # server_version_num
_LOCK_WAIT = "5s"  # what a killed predecessor's connections may need to end
_SHOWN = (
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "shared_buffers",
    "max_wal_size",
    "checkpoint_timeout",
    "autovacuum",
    "jit",
)


class PostgresqlDatabase:
    """One database, connected when first used.

    Args:
        url: Its URL, without a password.
        password: Empty for none.
    """

    name = "postgresql"

    def __init__(self, url: str, password: str) -> None:
        # A user's environment holds no password: it is given this one with its first order.
        self.params: Mapping[str, str] = pg_client.parse_parameters(url, password)
        self._connection: pg_client.Connection | None = None
        self._locks: set[int] = set()
        self._pooler = ""

    def connection(self) -> pg_client.Connection:
        """Return a live connection in autocommit; raises DatabaseUnreachable."""
        if self._connection is None or not _is_answering(self._connection):
            self.close()
            self._connection = pg_client.connect(self.params, "domtune")
            self._connection.autocommit = True
            try:
                self._pooler = find_pooler(self._connection, self.params)
            except BaseException:
                self.close()
                raise
            _set_up(self._connection)
            for number in self._locks:
                self._take_lock(number)
        return self._connection

    def session(self) -> PostgresqlSession:
        """Return a live session; raises DatabaseUnreachable."""
        return PostgresqlSession(self.connection(), self.params)

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Turn psycopg2's errors inside the block into ours."""
        return pg_client.translate_errors(doing)

    def lock(self, number: int) -> None:
        """Keep other sweeps away from our tables of that size; raises DatabaseUnsuitable."""
        self.connection()
        if number not in self._locks:
            self._take_lock(number)
            self._locks.add(number)

    def versions(self) -> dict[str, str]:
        """Return versions and settings that matter; refuses what cannot be used. Raises DatabaseUnsuitable."""
        connection = self.connection()
        with pg_client.translate_errors("asking the server for its version"):
            settings = ", ".join(f"current_setting('{name}')" for name in _SHOWN)
            version, number, standby, read_only, encoding, io_method, *values = pg_client.fetch_one(
                connection,
                "SELECT current_setting('server_version'), current_setting('server_version_num')::int,"
                " pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on',"
                f" current_setting('server_encoding'), current_setting('{IO_METHOD}', true), {settings}",
            )
            shown = dict(zip(_SHOWN, map(str, values), strict=True))
            if (version_number := parse_whole_number(str(number))) is None:
                raise ValueError(f"server_version_num is {number!r}")
            pg_client.refuse_unsuitable(version_number, in_recovery=bool(standby), read_only=bool(read_only))
        return {
            "postgresql": str(version),
            "psycopg2": importlib.metadata.version("psycopg2-binary"),
            "libpq": str(psycopg2.extensions.libpq_version()),
            "server_encoding": str(encoding),
            **({IO_METHOD: str(io_method)} if io_method else {}),  # versions before 18 have none
            **({POOLER: self._pooler} if self._pooler else {}),
            **shown,
        }

    def close(self) -> None:
        """Disconnect; never raises."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(psycopg2.Error):
                if self._locks and self._pooler:  # which may keep the server's connection
                    pg_client.fetch_one(connection, "SELECT pg_advisory_unlock_all()")
                connection.close()

    def _take_lock(self, number: int) -> None:
        try:
            with self.connection().cursor() as cursor:
                cursor.execute("SET lock_timeout = %s", (_LOCK_WAIT,))
                cursor.execute("SELECT pg_advisory_lock(%s, %s)", (_LOCK_CLASS, number))
                cursor.execute("SET lock_timeout = %s", (_LONG_LOCK_WAIT,))
        except psycopg2.errors.LockNotAvailable as error:
            raise DatabaseUnsuitable(
                f"another sweep is using {pg_client.describe_place(self.params)}",
                hint="Wait until it has ended, or name another database.",
            ) from error


def find_pooler(connection: pg_client.Connection, params: Mapping[str, str]) -> str:
    """Return the mode of a connection pooler in between, empty where none is; raises DatabaseUnsuitable.

    Args:
        connection: In autocommit, not set up yet: nothing of it may stay on the pooler's connections.
        params: Parameters of a second connection.
    """

    @contextlib.contextmanager
    def other() -> Generator[pooler_detection.ProcessIdReader]:
        second = pg_client.connect(params, "domtune")
        with contextlib.closing(second):
            yield lambda: _read_process(second)[0]  # its first statement begins a transaction
            second.rollback()

    with pg_client.translate_errors("looking for a connection pooler"):
        first, server = _read_process(connection)
        announced, where = connection.get_backend_pid(), pg_client.describe_place(params)
        return pooler_detection.find_pooler(
            announced, first, lambda: _read_process(connection)[0], other, where, server
        )


def _read_process(connection: pg_client.Connection) -> tuple[int | None, str]:
    """Return the number of the process that serves a connection now, and the address at which the server listens."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), coalesce(host(inet_server_addr()) || ':' || inet_server_port(), '')")
        row = cursor.fetchone() if cursor.description else None
    return (parse_whole_number(str(row[0])), str(row[1])) if row else (None, "")


def _set_up(connection: pg_client.Connection) -> None:
    """Have the server end what waits too long for a lock, and what goes on for nobody."""
    with pg_client.translate_errors("setting up the connection"), connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = %s", (_LONG_LOCK_WAIT,))
        if connection.server_version >= _LOOKS_SINCE:
            # Else a backend that waits, or computes, does not notice that we have gone.
            cursor.execute("SET client_connection_check_interval = '2s'")


def _is_answering(connection: pg_client.Connection) -> bool:
    try:
        return pg_client.fetch_one(connection, "SELECT 1") == (1,)
    except Exception:  # noqa: BLE001 - whatever it answers: a new connection is made, and says what is wrong
        return False
