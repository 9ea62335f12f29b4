"""The pool's own connections: one per database, kept open, holding the right to use our tables there."""

import contextlib
import importlib.metadata
from collections.abc import Mapping

import psycopg2

from scheduler.databases.postgresql import pg
from scheduler.databases.postgresql.session import PostgresqlSession
from scheduler.errors import DatabaseUnsuitable
from scheduler.model.databases import IO_METHOD
from scheduler.model.numbers import whole

_LOCK_CLASS = 0x444F4D54  # "DOMT": the first half of our advisory locks
_LONG_LOCK_WAIT = f"{pg.LOCK_WAIT_S}s"
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
        self.params: Mapping[str, str] = pg.parameters(url, password)
        self._connection: pg.Connection | None = None
        self._locks: set[int] = set()

    def connection(self) -> pg.Connection:
        """Return a live connection in autocommit; raises DatabaseUnreachable."""
        if self._connection is None or not _answers(self._connection):
            self.close()
            self._connection = pg.connect(self.params, "domtune")
            self._connection.autocommit = True
            _set_up(self._connection)
            for number in self._locks:
                self._take(number)
        return self._connection

    def session(self) -> PostgresqlSession:
        """Return a live session; raises DatabaseUnreachable."""
        return PostgresqlSession(self.connection(), self.params)

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Turn psycopg2's errors inside the block into ours."""
        return pg.translated(doing)

    def lock(self, number: int) -> None:
        """Keep other sweeps away from our tables of that size; raises DatabaseUnsuitable."""
        self.connection()
        if number not in self._locks:
            self._take(number)
            self._locks.add(number)

    def versions(self) -> dict[str, str]:
        """Return versions and settings that matter; refuses what cannot be used. Raises DatabaseUnsuitable."""
        connection = self.connection()
        with pg.translated("asking the server for its version"):
            settings = ", ".join(f"current_setting('{name}')" for name in _SHOWN)
            version, number, standby, read_only, encoding, io_method, *values = pg.one(
                connection,
                "SELECT current_setting('server_version'), current_setting('server_version_num')::int,"
                " pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on',"
                f" current_setting('server_encoding'), current_setting('{IO_METHOD}', true), {settings}",
            )
            shown = dict(zip(_SHOWN, map(str, values), strict=True))
            if (version_number := whole(str(number))) is None:
                raise ValueError(f"server_version_num is {number!r}")
            pg.refuse_unsuitable(version_number, in_recovery=bool(standby), read_only=bool(read_only))
        return {
            "postgresql": str(version),
            "psycopg2": importlib.metadata.version("psycopg2-binary"),
            "libpq": str(psycopg2.extensions.libpq_version()),
            "server_encoding": str(encoding),
            **({IO_METHOD: str(io_method)} if io_method else {}),  # versions before 18 have none
            **shown,
        }

    def close(self) -> None:
        """Disconnect; never raises."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(psycopg2.Error):
                connection.close()

    def _take(self, number: int) -> None:
        try:
            with self.connection().cursor() as cursor:
                cursor.execute("SET lock_timeout = %s", (_LOCK_WAIT,))
                cursor.execute("SELECT pg_advisory_lock(%s, %s)", (_LOCK_CLASS, number))
                cursor.execute("SET lock_timeout = %s", (_LONG_LOCK_WAIT,))
        except psycopg2.errors.LockNotAvailable as error:
            raise DatabaseUnsuitable(
                f"another sweep is using {pg.place(self.params)}",
                hint="Wait until it has ended, or name another database.",
            ) from error


def _set_up(connection: pg.Connection) -> None:
    """Have the server end what waits too long for a lock, and what goes on for nobody."""
    with pg.translated("setting up the connection"), connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = %s", (_LONG_LOCK_WAIT,))
        if connection.server_version >= _LOOKS_SINCE:
            # Else a backend that waits, or computes, does not notice that we have gone.
            cursor.execute("SET client_connection_check_interval = '2s'")


def _answers(connection: pg.Connection) -> bool:
    try:
        return pg.one(connection, "SELECT 1") == (1,)
    except Exception:  # noqa: BLE001 - whatever it answers: a new connection is made, and says what is wrong
        return False
