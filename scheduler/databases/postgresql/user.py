"""One user's connection to PostgreSQL."""

import contextlib
from collections.abc import Mapping, Sequence

import psycopg2
from psycopg2 import errorcodes

from scheduler.databases.postgresql import pg_client
from scheduler.databases.protocols import Row
from scheduler.errors import LoadError
from scheduler.translation import _

_REPEAT = (errorcodes.SERIALIZATION_FAILURE, errorcodes.DEADLOCK_DETECTED)


class PostgresqlUser:
    """One user's PostgreSQL connection, with one statement per transaction.

    Args:
        connection: Connection without autocommit: psycopg2 sends BEGIN before the first statement.
    """

    errors = psycopg2.Error

    def __init__(self, connection: pg_client.Connection) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._execute, self._fetchall = self._cursor.execute, self._cursor.fetchall
        self._commit = connection.commit

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query as a transaction; return its rows."""
        self._execute(statement)
        found = self._fetchall()
        self._commit()
        return found

    def change(self, statement: bytes) -> int:
        """Run one statement as a transaction; return the number of rows changed.

        The transaction is then committed.
        """
        self._execute(statement)
        self._commit()
        return self._cursor.rowcount

    def read_keys_only(self) -> None:
        """Change nothing: psycopg2 converts values in C, and has no cheaper form."""

    def limit(self, limit_s: float) -> None:
        """Make the server end each statement after a time limit, seconds."""
        self.change(b"SET statement_timeout = %d" % round(1000 * limit_s))

    def is_overrun(self, error: Exception) -> bool:
        """Return True when the server ended a statement at the limit; roll back."""
        if not isinstance(error, psycopg2.Error) or error.pgcode != errorcodes.QUERY_CANCELED:
            return False
        self._connection.rollback()
        return True

    def repeats(self, error: Exception) -> bool:
        """Return True when the server asks for a repeat; roll back."""
        if not isinstance(error, psycopg2.Error) or error.pgcode not in _REPEAT:
            return False
        self._connection.rollback()
        return True

    def told(self, doing: str, error: Exception) -> LoadError:
        """Return DomTune's error for an error of psycopg2."""
        return (
            pg_client.statement_error(doing, error)
            if isinstance(error, psycopg2.Error)
            else LoadError(f"{doing}: {error}")
        )

    def close(self) -> None:
        """Disconnect; never raise."""
        with contextlib.suppress(psycopg2.Error):
            self._connection.close()


class PostgresqlTransactions(PostgresqlUser):
    """One user's PostgreSQL connection, with several statements per transaction.

    Args:
        connection: Connection in autocommit: BEGIN is sent with the first statement, and `call` needs none.
    """

    def __init__(self, connection: pg_client.Connection) -> None:
        super().__init__(connection)
        self._open = False

    def call(self, statement: bytes) -> Sequence[Row]:
        """Run one query as a whole transaction, in one round trip; return its rows."""
        self._execute(statement)
        return self._fetchall()

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query of a transaction; return its rows."""
        self._run_statement(statement)
        return self._fetchall()

    def change(self, statement: bytes) -> int:
        """Run one statement of a transaction; return the number of rows changed."""
        self._run_statement(statement)
        return self._cursor.rowcount

    def commit(self) -> None:
        """Commit the transaction."""
        self._open = False
        self._execute(b"COMMIT")

    def undo(self) -> None:
        """Roll the transaction back."""
        self._open = False
        self._execute(b"ROLLBACK")

    def repeats(self, error: Exception) -> bool:
        """Return True when the server asks for a repeat; roll back."""
        if not isinstance(error, psycopg2.Error) or error.pgcode not in _REPEAT:
            return False
        if self._open:
            self.undo()
        return True

    def _run_statement(self, statement: bytes) -> None:
        if self._open:
            self._execute(statement)
            return
        self._open = True  # also after a failure: the server has begun a transaction that needs a rollback
        self._execute(b"BEGIN;" + statement)


def connect(params: Mapping[str, str], application: str, tries: int) -> PostgresqlUser:
    """Connect one user; raise DatabaseUnreachable.

    Args:
        params: Parameters of the connection.
        application: Name of the connection for the server.
        tries: Number of attempts for a slow server, >= 1.
    """
    connection = pg_client.connect(params, application, tries=tries)
    with pg_client.translate_errors(_("starting a user")), connection.cursor() as cursor:
        cursor.execute("SET default_transaction_isolation = 'read committed'")
        connection.commit()
    return PostgresqlUser(connection)


def connect_transactions(
    params: Mapping[str, str], application: str, tries: int, isolation: str
) -> PostgresqlTransactions:
    """Connect one user with transactions of several statements.

    Args:
        params: Parameters of the connection.
        application: Name of the connection for the server.
        tries: Number of attempts for a slow server, >= 1.
        isolation: Isolation level in SQL, for example `READ COMMITTED`.

    Raises:
        DatabaseUnreachable: The connection failed.
    """
    connection = pg_client.connect(params, application, tries=tries)
    connection.autocommit = True
    with pg_client.translate_errors(_("starting a user")), connection.cursor() as cursor:
        cursor.execute(f"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {isolation}")
    return PostgresqlTransactions(connection)
