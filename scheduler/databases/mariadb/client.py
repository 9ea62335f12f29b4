"""Connections to MariaDB and MySQL with time limits and uniform sessions."""

import contextlib
import logging
import socket
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

import pymysql
from pymysql.connections import Connection

from scheduler.databases.loopback_ports import LOOPBACK
from scheduler.databases.mariadb.login_security import CarefulConnection, is_trusted, login_limits
from scheduler.databases.mariadb.mariadb_errors import is_slow, statement_error, unreachable_error
from scheduler.databases.mariadb.tls import pymysql_arguments, tls_parameters
from scheduler.databases.unreadable_answers import OWN_ERRORS, misread_error, unreadable_error
from scheduler.model.mariadb_urls import parse_server_url
from scheduler.translation import _

log = logging.getLogger(__name__)

Client: TypeAlias = "Connection[Any]"  # generic in its stubs only

CONNECT_S = 10
# A dead network is detected within about 15 s; the kernel's own limits are minutes (tcp(7)).
_LIMITS = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 5),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 15_000),
)

SETUP = (
    "SET NAMES latin1 COLLATE latin1_bin",
    # Bad rows are errors with every engine. No engine replaces the requested one. No setting of the server (ANSI
    # quotes, padded texts) changes the meaning of a statement.
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    # The server's defaults are 50 s for rows, after which a waiting user would count as stuck, and a day for tables.
    "SET SESSION innodb_lock_wait_timeout = 5, lock_wait_timeout = 60, time_zone = '+00:00', foreign_key_checks = 1,"
    " unique_checks = 1, sql_safe_updates = 0, sql_auto_is_null = 0, sql_select_limit = 18446744073709551615",
)
"""First statements of every session, which override the server's defaults."""


def parse_parameters(url: str, password: str = "") -> dict[str, str]:
    """Return the parameters of a connection for a URL.

    Args:
        url: `mariadb://USER@HOST:PORT/NAME`, without a password; `ssl-mode` and `ssl-ca` may follow. For a Unix socket,
            `mariadb://USER@/NAME?socket=PATH`, the host is the path, and the port is 0.
        password: Password to send; empty for none.

    Raises:
        SpecError: The URL is not valid.
    """
    found = parse_server_url(url, "load.database")
    # The C drivers use the socket for `localhost` with any port: no byte would pass the relay.
    host = LOOPBACK if found.host == "localhost" else found.host
    secret = {"password": password} if password else {}
    server = {"host": host, "port": str(found.port), "user": found.user, "dbname": found.database}
    return {**server, **tls_parameters(found), **secret}


def build_url(user: str, name: str, address: tuple[str, int], query: str = "") -> str:
    """Return the URL of a database.

    Args:
        user: Name of the user.
        name: Name of the database.
        address: Host and port, or the path of a Unix socket and 0.
        query: Encryption options of the URL; unused for a socket.
    """
    host, port = address
    if not port:
        return f"mariadb://{quote(user, safe='')}@/{quote(name, safe='')}?socket={quote(host)}"
    shown = f"[{host}]" if ":" in host else host
    return f"mariadb://{quote(user, safe='')}@{shown}:{port}/{quote(name, safe='')}{query}"


def describe_place(params: Mapping[str, str]) -> str:
    """Return the target of a connection, for people, without a secret.

    The form is `user@host:port/name` or `user@/path/of/socket`.
    """
    if params["port"] == "0":
        return f"{params['user']}@{params['host']}"
    return f"{params['user']}@{params['host']}:{params['port']}/{params['dbname']}"


def connect(params: Mapping[str, str], tries: int = 1, setup: Sequence[str] = SETUP) -> Client:
    """Connect by PyMySQL in autocommit; raise DatabaseUnreachable.

    Args:
        params: Parameters from `parse_parameters`.
        tries: Number of attempts for a slow server, >= 1; any other failure ends the attempts.
        setup: First statements of the session.
    """
    for left in reversed(range(tries)):
        try:
            return _open_connection(params, setup)
        except OWN_ERRORS:
            raise
        except Exception as error:
            if not isinstance(error, (OSError, pymysql.MySQLError, RuntimeError)):  # the last: a missing package
                raise unreadable_error(describe_place(params), error) from error
            if not (left and is_slow(error)):
                raise unreachable_error(error, describe_place(params)) from error
            log.info("%s does not answer within its time limit; trying again", describe_place(params))
    raise ValueError(_("{tries} tries").format(tries=tries))


def _open_connection(params: Mapping[str, str], setup: Sequence[str]) -> Client:
    tls = pymysql_arguments(params)
    wire = _open_wire(params["host"], int(params["port"]))
    try:
        for level, option, value in _LIMITS if wire.family != socket.AF_UNIX else ():
            wire.setsockopt(level, option, value)
        wire.recv(1, socket.MSG_PEEK)  # the greeting; from then on the server is only slow
        wire.settimeout(None)
        connection = CarefulConnection(
            host=params["host"],
            port=int(params["port"]),
            user=params["user"],
            password=params.get("password", ""),
            database=params["dbname"] or None,
            charset="latin1",
            autocommit=True,
            local_infile=False,  # otherwise a server could request any local file
            **tls,
            **login_limits(trusted=is_trusted(params)),
            defer_connect=True,
        )
        if wire.family == socket.AF_UNIX and is_trusted(params):
            connection.trust_socket()
        connection.connect(wire)
    except BaseException:
        wire.close()
        raise
    try:
        set_up(connection, setup)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_wire(host: str, port: int) -> socket.socket:
    """Return a connection to a host and port, or to a Unix socket's path and 0.

    Raises:
        OSError: The connection failed.
    """
    if port:
        return socket.create_connection((host, port), CONNECT_S)
    wire = socket.socket(socket.AF_UNIX)
    try:
        wire.settimeout(CONNECT_S)
        wire.connect(host)
    except BaseException:
        wire.close()
        raise
    return wire


def set_up(connection: Client, setup: Sequence[str] = SETUP) -> None:
    """Run the first statements of a session; raise PyMySQL's errors.

    Args:
        connection: The connection.
        setup: The statements.
    """
    with connection.cursor() as cursor:
        for statement in setup:
            cursor.execute(statement)


@contextlib.contextmanager
def translate_errors(doing: str) -> Generator[None, None, None]:
    """Translate PyMySQL's errors in a `with` block.

    The new errors are LoadError, DatabaseUnreachable and DatabaseUnsuitable.

    Args:
        doing: The activity, for the message, for example `loading the tables`.
    """
    try:
        yield
    except pymysql.MySQLError as error:
        raise statement_error(doing, error) from error
    except OWN_ERRORS:
        raise
    except Exception as error:
        raise misread_error(doing, error) from error
