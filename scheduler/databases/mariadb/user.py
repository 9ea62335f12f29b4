"""One user's connection to MariaDB or MySQL, by the fastest installed driver."""

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import pymysql
from pymysql.constants import FIELD_TYPE

from scheduler.databases.mariadb import client
from scheduler.databases.mariadb.drivers import fast_driver
from scheduler.databases.mariadb.mariadb_errors import (
    OVERRUN,
    PLUGIN_LACKS,
    REPEATED,
    UNKNOWN_VARIABLE,
    is_slow,
    number_and_text,
    statement_error,
    unreachable_error,
)
from scheduler.databases.mariadb.tls import mysqlclient_arguments
from scheduler.databases.protocols import Row, TransactionSession, UserSession
from scheduler.errors import LoadError
from scheduler.translation import _

log = logging.getLogger(__name__)

_WHOLE = (FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.INT24)
_TYPES = 256  # a byte of the protocol
_BEGIN, _COMMIT, _ROLLBACK = b"BEGIN", b"COMMIT", b"ROLLBACK"


class _BaseUser:
    """Common part of both drivers' users.

    Args:
        connection: The driver's connection, in autocommit: every transaction is explicit.
        errors: Class of the driver's errors.
        query: Sends a statement and waits for its answer; None for the connection's own method.
    """

    def __init__(
        self,
        connection: Any,  # noqa: ANN401 - from one of two drivers
        errors: type[Exception],
        query: Callable[[bytes], object] | None = None,
    ) -> None:
        self.errors = errors
        self._connection = connection
        self._query = query or connection.query
        self._affected = connection.affected_rows

    def change(self, statement: bytes) -> int:
        """Run one statement as a transaction; return the number of rows changed.

        The transaction is then committed.
        """
        query = self._query
        query(_BEGIN)
        query(statement)
        count = self._affected()
        query(_COMMIT)
        return count

    def limit(self, limit_s: float) -> None:
        """Make the server end each statement after a time limit, seconds.

        MySQL's own limit ends only SELECTs.
        """
        try:
            self._query(b"SET SESSION max_statement_time = %d" % round(limit_s))
        except self.errors as error:
            if number_and_text(error)[0] != UNKNOWN_VARIABLE:
                raise
            self._query(b"SET SESSION max_execution_time = %d" % round(1000 * limit_s))

    def is_overrun(self, error: Exception) -> bool:
        """Return True when the server ended a statement at the limit; roll back."""
        if number_and_text(error)[0] not in OVERRUN:
            return False
        self._query(_ROLLBACK)
        return True

    def repeats(self, error: Exception) -> bool:
        """Return True when the server asks for a repeat; roll back.

        After a long lock wait, the server rolls back only the statement, so the transaction is rolled back here.
        """
        number, _ = number_and_text(error)
        if number not in REPEATED:
            return False
        self._query(_ROLLBACK)
        return True

    def told(self, doing: str, error: Exception) -> LoadError:
        """Return DomTune's error for an error of the driver."""
        return statement_error(doing, error)

    def close(self) -> None:
        """Disconnect; never raise."""
        with contextlib.suppress(Exception):
            self._connection.close()


class FastUser(_BaseUser):
    """One user's connection by mysqlclient, without its cursors."""

    def read_keys_only(self) -> None:
        """Leave all values but whole numbers unconverted.

        Python objects for the others cost 8 us per row of ten values.
        """
        self._connection.converter = {kind: int if kind in _WHOLE else bytes for kind in range(_TYPES)}

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query as a transaction; return its rows."""
        query = self._query
        query(_BEGIN)
        query(statement)
        found = self._connection.store_result().fetch_row(0)
        query(_COMMIT)
        return found


class PlainUser(_BaseUser):
    """One user's connection by PyMySQL."""

    def __init__(self, connection: client.Client, errors: type[Exception]) -> None:
        super().__init__(connection, errors)
        self._cursor: Any = connection.cursor()

    def read_keys_only(self) -> None:
        """Leave all values but whole numbers as text."""
        self._connection.decoders = dict.fromkeys(_WHOLE, int)

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query as a transaction; return its rows."""
        query, cursor = self._query, self._cursor
        query(_BEGIN)
        cursor.execute(statement)
        found = cursor.fetchall()
        query(_COMMIT)
        return found


class _TransactionUser(_BaseUser):
    """One user's connection, with several statements per transaction.

    The first statement begins the transaction, since autocommit is off.
    """

    def call(self, statement: bytes) -> Sequence[Row]:
        """Run one query as a whole transaction; return its rows."""
        found = self.rows(statement)
        self.commit()
        return found

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query of a transaction; return its rows."""
        raise NotImplementedError

    def change(self, statement: bytes) -> int:
        """Run one statement of a transaction; return the number of rows changed."""
        self._query(statement)
        return self._affected()

    def commit(self) -> None:
        """Commit the transaction."""
        self._query(_COMMIT)

    def undo(self) -> None:
        """Roll the transaction back."""
        self._query(_ROLLBACK)


class FastTransactions(_TransactionUser):
    """Transactions by mysqlclient, without its cursors."""

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query of a transaction; return its rows."""
        self._query(statement)
        return self._connection.store_result().fetch_row(0)


class PlainTransactions(_TransactionUser):
    """Transactions by PyMySQL."""

    def rows(self, statement: bytes) -> Sequence[Row]:
        """Run one query of a transaction; return its rows."""
        with self._connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()


def connect(params: Mapping[str, str], _application: str, tries: int) -> UserSession:
    """Connect one user; raise DatabaseUnreachable.

    Args:
        params: Parameters of the connection.
        _application: Ignored: the server shows no name of a connection.
        tries: Number of attempts for a slow server, >= 1.
    """
    connection, errors = _connect_fastest(params, tries)
    if errors is pymysql.MySQLError:
        return PlainUser(connection, errors)
    return FastUser(connection, errors, _bare_query(connection))


def connect_transactions(
    params: Mapping[str, str], _application: str, tries: int, isolation: str
) -> TransactionSession:
    """Connect one user with transactions of several statements.

    Args:
        params: Parameters of the connection.
        _application: Ignored: the server shows no name of a connection.
        tries: Number of attempts for a slow server, >= 1.
        isolation: Isolation level in SQL, for example `READ COMMITTED`.

    Raises:
        DatabaseUnreachable: The connection failed.
    """
    connection, errors = _connect_fastest(params, tries)
    plain = errors is pymysql.MySQLError
    user = (
        PlainTransactions(connection, errors)
        if plain
        else FastTransactions(connection, errors, _bare_query(connection))
    )
    with client.translate_errors(_("starting a user")):
        for statement in (f"SET SESSION TRANSACTION ISOLATION LEVEL {isolation}", "SET SESSION autocommit = 0"):
            user.change(statement.encode("ascii"))
    return user


def _connect_fastest(params: Mapping[str, str], tries: int) -> tuple[Any, type[Exception]]:
    """Return a connection by the fastest driver, and its class of errors.

    Raises:
        DatabaseUnreachable: The connection failed.
    """
    module = fast_driver(params)
    if module is None:
        return client.connect(params, tries), pymysql.MySQLError
    for left in reversed(range(tries)):
        try:
            return _by_mysqlclient(module, params), module.Error
        except module.Error as error:
            if number_and_text(error)[0] == PLUGIN_LACKS:  # a login of more than a hash, which PyMySQL restricts
                return client.connect(params, tries), pymysql.MySQLError
            if not (left and is_slow(error)):
                raise unreachable_error(error, client.describe_place(params)) from error
            log.info("%s does not answer within its time limit; trying again", client.describe_place(params))
    raise ValueError(_("{tries} tries").format(tries=tries))


def _bare_query(connection: Any) -> Callable[[bytes], object]:  # noqa: ANN401 - no types of its own
    """Return mysqlclient's bare function, without its method for arrays of bytes."""
    return partial(import_module("MySQLdb._mysql").connection.query, connection)


def _by_mysqlclient(module: Any, params: Mapping[str, str]) -> Any:  # noqa: ANN401 - no types of its own
    connection = module.connect(
        **_address_for_mysqlclient(params),
        user=params["user"],
        password=params.get("password", ""),
        database=params["dbname"],
        charset="latin1",
        autocommit=True,
        connect_timeout=client.CONNECT_S,
        local_infile=0,
        **mysqlclient_arguments(params),
    )
    for statement in client.SETUP:
        connection.query(statement.encode())
    return connection


def _address_for_mysqlclient(params: Mapping[str, str]) -> dict[str, Any]:
    host, port = params["host"], int(params["port"])
    return {"host": host, "port": port} if port else {"unix_socket": host}
