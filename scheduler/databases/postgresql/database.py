"""Access of the user pool: one open connection per database, with DomTune's lock."""

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
from scheduler.translation import _

_LOCK_CLASS = 0x444F4D54  # "DOMT": the first half of DomTune's advisory locks
_LONG_LOCK_WAIT = f"{pg_client.LOCK_WAIT_S}s"
_LOOKS_SINCE = 140_000  # server_version_num
_LOCK_WAIT = "5s"  # connections of a killed sweep may need this time to end
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
    """One PostgreSQL database, connected on first use.

    Args:
        url: URL of the database, without a password.
        password: Password; empty for none.
    """

    name = "postgresql"

    def __init__(self, url: str, password: str) -> None:
        # A user's process receives the password with its first order, not in its environment.
        self.params: Mapping[str, str] = pg_client.parse_parameters(url, password)
        self._connection: pg_client.Connection | None = None
        self._locks: set[int] = set()
        self._pooler = ""

    def connection(self) -> pg_client.Connection:
        """Return a live connection in autocommit; raise DatabaseUnreachable."""
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
        """Return a live session; raise DatabaseUnreachable."""
        return PostgresqlSession(self.connection(), self.params)

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Translate psycopg2's errors in a `with` block."""
        return pg_client.translate_errors(doing)

    def lock(self, number: int) -> None:
        """Lock DomTune's tables of a size against other sweeps; raise DatabaseUnsuitable."""
        self.connection()
        if number not in self._locks:
            self._take_lock(number)
            self._locks.add(number)

    def versions(self) -> dict[str, str]:
        """Return relevant versions and settings; raise DatabaseUnsuitable.

        The error names an unusable version or setting.
        """
        connection = self.connection()
        with pg_client.translate_errors(_("asking the server for its version")):
            settings = ", ".join(f"current_setting('{name}')" for name in _SHOWN)
            version, number, standby, read_only, encoding, io_method, *values = pg_client.fetch_one(
                connection,
                "SELECT current_setting('server_version'), current_setting('server_version_num')::int,"
                " pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on',"
                f" current_setting('server_encoding'), current_setting('{IO_METHOD}', true), {settings}",
            )
            shown = dict(zip(_SHOWN, map(str, values), strict=True))
            if (version_number := parse_whole_number(str(number))) is None:
                raise ValueError(_("server_version_num is {number!r}").format(number=number))
            pg_client.refuse_unsuitable(version_number, in_recovery=bool(standby), read_only=bool(read_only))
        return {
            "postgresql": str(version),
            "psycopg2": importlib.metadata.version("psycopg2-binary"),
            "libpq": str(psycopg2.extensions.libpq_version()),
            "server_encoding": str(encoding),
            **({IO_METHOD: str(io_method)} if io_method else {}),  # missing before version 18
            **({POOLER: self._pooler} if self._pooler else {}),
            **shown,
        }

    def close(self) -> None:
        """Disconnect; never raise."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(psycopg2.Error):
                if self._locks and self._pooler:  # a pooler may keep the server's connection
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
                _("another sweep is using {place}").format(place=pg_client.describe_place(self.params)),
                hint=_("Wait until it has ended, or name another database."),
            ) from error


def find_pooler(connection: pg_client.Connection, params: Mapping[str, str]) -> str:
    """Return the mode of a connection pooler in between; empty for none.

    Args:
        connection: A connection in autocommit without session settings, which could stay on the pooler's connections.
        params: Parameters of a second connection.

    Raises:
        DatabaseUnsuitable: The pooler does not keep a session.
    """

    @contextlib.contextmanager
    def other() -> Generator[pooler_detection.ProcessIdReader]:
        second = pg_client.connect(params, "domtune")
        with contextlib.closing(second):
            yield lambda: _read_process(second)[0]  # the first statement begins a transaction
            second.rollback()

    with pg_client.translate_errors(_("looking for a connection pooler")):
        first, server = _read_process(connection)
        announced, where = connection.get_backend_pid(), pg_client.describe_place(params)
        return pooler_detection.find_pooler(
            announced, first, lambda: _read_process(connection)[0], other, where, server
        )


def _read_process(connection: pg_client.Connection) -> tuple[int | None, str]:
    """Return the process that serves a connection now, and the server's address."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), coalesce(host(inet_server_addr()) || ':' || inet_server_port(), '')")
        row = cursor.fetchone() if cursor.description else None
    return (parse_whole_number(str(row[0])), str(row[1])) if row else (None, "")


def _set_up(connection: pg_client.Connection) -> None:
    """Set limits for lock waits, and for statements whose client is gone."""
    with pg_client.translate_errors(_("setting up the connection")), connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = %s", (_LONG_LOCK_WAIT,))
        if connection.server_version >= _LOOKS_SINCE:
            # Otherwise a backend that waits or computes does not notice that its client is gone.
            cursor.execute("SET client_connection_check_interval = '2s'")


def _is_answering(connection: pg_client.Connection) -> bool:
    try:
        return pg_client.fetch_one(connection, "SELECT 1") == (1,)
    except Exception:  # noqa: BLE001 - after any error, a new connection reports the cause
        return False
