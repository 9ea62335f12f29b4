"""Connections to PostgreSQL with time limits, and translation of errors."""

import contextlib
import logging
import os
import re
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg2
import psycopg2.extensions
from psycopg2.extensions import make_dsn

from scheduler.databases.postgresql.login_security import limit_logins
from scheduler.databases.private_files import explain_ignored
from scheduler.databases.unreadable_answers import OWN_ERRORS, misread_error, unreadable_error
from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable, LoadError, SpecError
from scheduler.model.urls import refuse_password
from scheduler.translation import _

log = logging.getLogger(__name__)

Connection = psycopg2.extensions.connection

LOCK_WAIT_S = 60
"""Seconds that a statement of the user pool waits for another session's lock."""

NO_FILE = "/nonexistent"
"""Password file for libpq instead of ~/.pgpass: none.

DomTune chooses the password before it connects.
"""

_SOCKET = "/.s.PGSQL."  # followed by the port: libpq's name of a socket in its folder

MINIMUM_VERSION = 12
"""Oldest supported server version.

Hash indexes and CLUSTER are older in the form used here, but older versions are not tested.
"""

# A dead network is detected within about 15 s; the kernel's own limits are minutes (tcp(7)).
_LIMITS = {
    "connect_timeout": "10",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "5",
    "tcp_user_timeout": "15000",
}

HOW_TO_GIVE = _(
    "Give it in the window, or on standard input of check-database. If PGPASSWORD or ~/.pgpass has it, a plan needs "
    "--allow-password."
)
_SLOW = r"timeout expired|timed out"
# libpq has no error codes for failed connections, only messages (fe-connect.c, postinit.c, auth.c).
_CAUSES: tuple[tuple[str, str, str], ...] = (
    (r"no password supplied", _("it wants a password"), HOW_TO_GIVE),
    (
        r"authentication method requirement|weak",
        _("it asks for the password in clear text, or by an outdated method"),
        _(
            "DomTune gives it only over an encrypted connection to a server whose certificate was checked. Add "
            "?sslmode=verify-full to the URL, or have the server take scram-sha-256 (password_encryption, pg_hba.conf)."
        ),
    ),
    (r"password authentication failed", _("user or password is wrong"), _("Check both; passwords are never stored.")),
    (r'role "[^"]*" does not exist', _("there is no such user"), _("Create it, or name another in the URL.")),
    (
        r'database "[^"]*" does not exist',
        _("there is no such database"),
        _("Create it with createdb, or name another."),
    ),
    (
        r"no pg_hba\.conf entry",
        _("the server refuses logins from this computer"),
        _("Add a line for this computer to its pg_hba.conf."),
    ),
    (
        r"unsupported startup parameter",
        _("a connection pooler such as pgbouncer is there, and lets no settings pass that come with the login"),
        _("Name the server itself in the URL, not the pooler."),
    ),
    (r"Connection refused", _("no server listens there"), _("Is PostgreSQL running, and listening on this address?")),
    (_SLOW, _("no answer within 10 s"), _("Is the address right? Is a firewall in between?")),
    (r"could not translate host name", _("the name of the host is unknown"), _("Check its spelling.")),
    (
        r"starting up|shutting down|recovery mode",
        _("the server is starting or stopping"),
        _("Try again in a few seconds."),
    ),
    (
        r"closed the connection unexpectedly",
        _("it closed the connection"),
        _("Does it still run? Its log may say more."),
    ),
    (
        r"too many (clients|connections)|connection slots",
        _("it has no connection left"),
        _("Raise max_connections, or take fewer users."),
    ),
)


def parse_parameters(url: str, password: str = "") -> dict[str, str]:
    """Return libpq's parameters for a URL.

    Args:
        url: `postgresql://USER@HOST:PORT/NAME`, without a password.
        password: Password, empty for none; libpq searches neither PGPASSWORD nor ~/.pgpass.

    Raises:
        SpecError: The URL is not valid.
    """
    if not url.startswith(("postgresql://", "postgres://")):
        raise SpecError("load.database", _("not a PostgreSQL URL"), hint=_("Write postgresql://USER@HOST:PORT/NAME."))
    refuse_password(url, "load.database")  # names the unreadable part; libpq's message may repeat a secret
    try:
        found: dict[str, Any] = psycopg2.extensions.parse_dsn(url)
    except (psycopg2.ProgrammingError, UnicodeError) as error:
        # The message may repeat the URL, with a password that should not be there.
        raise SpecError(
            "load.database", _("cannot be read as a URL"), hint="postgresql://USER@HOST:PORT/NAME"
        ) from error
    if not re.fullmatch("[0-9]{1,5}", port := str(found.get("port", "5432"))) or not 0 < int(port) < 65_536:
        raise SpecError("load.database", _("its port is not a number from 1 to 65535"), hint=_("PostgreSQL's is 5432."))
    named = {name: str(value) for name, value in found.items()}
    if named.get("sslrootcert", "/")[:1] != "/" and named["sslrootcert"] != "system":
        hint = _("Write its whole path, or 'system'.")
        raise SpecError("load.database", _("its sslrootcert is not the whole path of a file"), hint=hint)
    return {**_LIMITS, **named, **limit_logins(named), "passfile": NO_FILE, "password": password}


def build_url(user: str, name: str, address: tuple[str, int]) -> str:
    """Return the URL of a database.

    Args:
        user: Name of the user.
        name: Name of the database.
        address: Host and port, or the path of a Unix socket and 0.
    """
    host, port = address
    who, database = quote(user, safe=""), quote(name, safe="")
    if port:
        return f"postgresql://{who}@{host}:{port}/{database}"
    folder, _, number = host.rpartition(_SOCKET)
    return f"postgresql://{who}@/{database}?host={quote(folder, safe='')}&port={number}"


def socket_path(folder: str, port: int) -> str:
    """Return the path of the Unix socket that libpq uses in a folder.

    Args:
        folder: The folder.
        port: The number in the socket's name.
    """
    return f"{folder}{_SOCKET}{port}"


def describe_place(params: Mapping[str, str]) -> str:
    """Return the target of a connection, `user@host:port/name`, without a secret."""
    host, port = params.get("host", "localhost"), params.get("port", "5432")
    user, name = params.get("user", ""), params.get("dbname", params.get("user", ""))
    return f"{user}{'@' if user else ''}{host}:{port}/{name}"


def connect(params: Mapping[str, str], application: str, *, tries: int = 1) -> Connection:
    """Connect; raise DatabaseUnreachable with cause and advice.

    Args:
        params: Parameters of libpq.
        application: Name of the connection for the server.
        tries: Number of attempts for a slow server, >= 1; any other failure ends the attempts.
    """
    dsn = make_dsn(**{**params, "application_name": application})
    for left in reversed(range(tries)):
        try:
            return psycopg2.connect(dsn)
        except OWN_ERRORS:
            raise
        except Exception as error:
            if not isinstance(error, psycopg2.Error):
                raise unreadable_error(describe_place(params), error) from error
            if not (left and re.search(_SLOW, str(error), re.IGNORECASE)):
                raise unreachable_error(str(error), params) from error
            log.info("%s does not answer within its time limit; trying again", describe_place(params))
    raise ValueError(_("{tries} tries").format(tries=tries))


def password_file_path() -> Path:
    """Return the path of the user's own password file.

    Source: PostgreSQL's manual, "The Password File".
    """
    named = os.environ.get("PGPASSFILE", "")
    return Path(named) if named else Path.home() / ".pgpass"


def unreachable_error(message: str, params: Mapping[str, str]) -> DatabaseUnreachable:
    """Return the error for libpq's message about a failed connection.

    Args:
        message: libpq's message.
        params: Parameters of the connection.
    """
    for pattern, cause, hint in _CAUSES:
        if re.search(pattern, message, re.IGNORECASE):
            ignored = explain_ignored(password_file_path()) if hint == HOW_TO_GIVE else ""
            return DatabaseUnreachable(
                _("no connection to {place}: {cause}").format(place=describe_place(params), cause=cause),
                hint=f"{hint} {ignored}".strip(),
            )
    said = " ".join(message.split())  # libpq's sentences have line breaks
    return DatabaseUnreachable(
        _("no connection to {place}: {answer}").format(
            place=describe_place(params), answer=said or _("no reason given")
        )
    )


@contextlib.contextmanager
def translate_errors(doing: str) -> Generator[None, None, None]:
    """Translate psycopg2's errors in a `with` block.

    The new errors are LoadError, DatabaseUnreachable and DatabaseUnsuitable.

    Args:
        doing: The activity, for the message, for example `loading the tables`.
    """
    try:
        yield
    except psycopg2.Error as error:
        raise statement_error(doing, error) from error
    except OWN_ERRORS:
        raise
    except Exception as error:
        raise misread_error(doing, error) from error


def statement_error(doing: str, error: psycopg2.Error) -> LoadError:
    """Return the error for a failed statement, with the server's message.

    Args:
        doing: The activity, for the message.
        error: Error of psycopg2.
    """
    said = server_message(error)
    state = error.pgcode or ""
    if state == "53100":  # disk_full
        return LoadError(
            _("{doing}: the database's disk is full ({answer})").format(doing=doing, answer=said),
            hint=_("Free some space there."),
        )
    if state in ("42501", "25006"):  # insufficient_privilege, read_only_sql_transaction
        return DatabaseUnsuitable(f"{doing}: {said}", hint=_("The user needs CREATE on the database, not read-only."))
    if state == "55P03":  # lock_not_available
        hint = (
            "Another session holds the lock. To find it: SELECT pid, usename, state, query FROM pg_stat_activity "
            "WHERE pid = ANY (SELECT unnest(pg_blocking_pids(pid)) FROM pg_locks WHERE NOT granted) "
            "while the query waits."
        )
        return LoadError(
            _("{doing}: a lock on DomTune's tables was not free within {lock_wait_s} s").format(
                doing=doing, lock_wait_s=LOCK_WAIT_S
            ),
            hint=hint,
        )
    if not state or state.startswith(("08", "57P")):  # connection gone; server shut down
        return DatabaseUnreachable(
            _("{doing}: the connection broke ({answer})").format(doing=doing, answer=said),
            hint=_("Does the database still run?"),
        )
    return LoadError(f"{doing}: {said} (SQLSTATE {state})")


def server_message(error: psycopg2.Error) -> str:
    """Return the server's message on one line."""
    said = error.diag.message_primary or str(error).strip() or type(error).__name__
    return " ".join(said.split())


def refuse_unsuitable(version_num: int, *, in_recovery: bool, read_only: bool) -> None:
    """Refuse a server that DomTune cannot use; raise DatabaseUnsuitable.

    Args:
        version_num: `server_version_num`, for example 180004.
        in_recovery: True for a standby.
        read_only: True when transactions are read-only by default.
    """
    if version_num < MINIMUM_VERSION * 10_000:
        raise DatabaseUnsuitable(
            _("the server is PostgreSQL {version_num}, at least {minimum_version} is needed").format(
                version_num=version_num // 10000, minimum_version=MINIMUM_VERSION
            ),
            hint=_("Upgrade it, or leave the database to DomTune, which brings one."),
        )
    if in_recovery:
        hint = _("Name the primary. If this server shall be it, end its recovery with SELECT pg_promote().")
        raise DatabaseUnsuitable(_("the server is a standby: pg_is_in_recovery() is true"), hint=hint)
    if read_only:
        raise DatabaseUnsuitable(
            _("transactions of this user are read-only by default: default_transaction_read_only is on"),
            hint=_(
                "Name the primary. If this server may be written to, set it to off for the user (ALTER ROLE), the "
                "database (ALTER DATABASE) or the server (ALTER SYSTEM)."
            ),
        )


@contextlib.contextmanager
def run_transaction(connection: Connection) -> Generator[psycopg2.extensions.cursor, None, None]:
    """Run a `with` block as one transaction on an autocommit connection."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        try:
            yield cursor
        except BaseException:
            if not connection.closed:
                cursor.execute("ROLLBACK")
            raise
        cursor.execute("COMMIT")


def fetch_one(connection: Connection, query: str, *arguments: object) -> tuple[Any, ...]:
    """Return the single row of a query; raise LoadError without a row.

    Args:
        connection: The connection.
        query: The query.
        *arguments: Values for the placeholders.
    """
    with connection.cursor() as cursor:
        cursor.execute(query, arguments or None)
        row = cursor.fetchone()
    if row is None:
        raise LoadError(_("no row came back for: {query}").format(query=query))
    return row
