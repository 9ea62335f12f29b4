"""Access of the user pool: one open connection per database, with DomTune's lock."""

import contextlib
import importlib.metadata
import re
from collections.abc import Generator, Mapping
from typing import NamedTuple

import pymysql

from scheduler.databases import pooler_detection
from scheduler.databases.mariadb import client, drivers
from scheduler.databases.mariadb.mariadb_session import MariadbSession
from scheduler.errors import DatabaseUnsuitable
from scheduler.model.databases import POOLER
from scheduler.model.number_parsing import parse_whole_number
from scheduler.translation import _

_OFF = frozenset({"", "OFF", "0", "FALSE", "NO"})


class _RefusedSetting(NamedTuple):
    """A setting that stops every load.

    Attributes:
        names: Names of the setting in the various versions.
        allowed: Harmless values, in capitals.
        reason: The consequence, a whole clause.
        hint: The remedy; `{name}` is replaced by the setting.
    """

    names: tuple[str, ...]
    allowed: frozenset[str]
    reason: str
    hint: str


_READ_ONLY = _("Name the primary, or run SET GLOBAL {name} = OFF there if this server may be written to.")
_REFUSALS = (
    _RefusedSetting(
        ("super_read_only", "read_only", "innodb_read_only"), _OFF, _("the server accepts no changes"), _READ_ONLY
    ),
    _RefusedSetting(
        ("transaction_read_only", "tx_read_only"),
        _OFF,
        _("transactions of this server are read-only by default"),
        _READ_ONLY,
    ),
    # Explicit locks and CREATE TABLE ... SELECT are errors otherwise (Percona XtraDB Cluster, "Strict mode"). MASTER
    # allows only the locks.
    _RefusedSetting(
        ("pxc_strict_mode",),
        frozenset({"DISABLED", "PERMISSIVE"}),
        _("the cluster forbids locks that DomTune needs"),
        _("Name a server outside the cluster, or run SET GLOBAL {name} = PERMISSIVE for the time of the sweep."),
    ),
)


def refuse_settings(settings: Mapping[str, str]) -> None:
    """Refuse a server with a setting that stops every load.

    `innodb_force_primary_key` and `sql_require_primary_key` are allowed: all tables of DomTune have a primary key.

    Args:
        settings: Session variables, values by lower-case name.

    Raises:
        DatabaseUnsuitable: A setting stops every load; the message names the setting.
    """
    for refusal in _REFUSALS:
        for name in refusal.names:
            value = settings.get(name, "")
            if value and value.upper() not in refusal.allowed:
                raise DatabaseUnsuitable(
                    _("{reason}: {name} is {value}").format(reason=refusal.reason, name=name, value=value),
                    hint=refusal.hint.format(name=name),
                )


_LOCK_WAIT_S = 5.0  # seconds; connections of a killed sweep may need this time to end
_SHOWN = (
    "innodb_flush_log_at_trx_commit",
    "innodb_doublewrite",
    "innodb_buffer_pool_size",
    "innodb_flush_method",
    "log_bin",
    "sync_binlog",
    "binlog_format",
    "innodb_adaptive_hash_index",
    "query_cache_type",
    "character_set_server",
    "max_connections",
)
_VERSION = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})\.")
# MariaDB's user tables and MySQL's dictionary have their present form since then; the tested versions are newer.
MINIMUM = {"MariaDB": (10, 4), "MySQL": (8, 0)}


class MariadbDatabase:
    """One MariaDB or MySQL database, connected on first use.

    Args:
        url: URL of the database, without a password.
        password: Password; empty for none.
    """

    name = "mariadb"

    def __init__(self, url: str, password: str) -> None:
        # A user's process receives the password with its first order, not in its environment.
        self.params: Mapping[str, str] = client.parse_parameters(url, password)
        self._connection: client.Client | None = None
        self._locks: set[int] = set()
        self._pooler = ""

    def session(self) -> MariadbSession:
        """Return a live session; raise DatabaseUnreachable."""
        if self._connection is None or not _is_answering(self._connection):
            self.close()
            self._connection = client.connect(self.params, setup=())
            try:
                self._pooler = find_pooler(self._connection, self.params)
                with client.translate_errors(_("setting up the connection")):
                    client.set_up(self._connection)
            except BaseException:
                self.close()
                raise
            for number in self._locks:
                self._take_lock(number)
        return MariadbSession(self._connection, self.params)

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Translate PyMySQL's errors in a `with` block."""
        return client.translate_errors(doing)

    def lock(self, number: int) -> None:
        """Lock DomTune's tables of a size against other sweeps; raise DatabaseUnsuitable."""
        self.session()
        if number not in self._locks:
            self._take_lock(number)
            self._locks.add(number)

    def versions(self) -> dict[str, str]:
        """Return relevant versions and settings; raise DatabaseUnsuitable.

        The error names an unusable version or setting.
        """
        session = self.session()
        with client.translate_errors(_("asking the server for its version")):
            [[version]] = session.rows("SELECT version()")
            version = str(version)
            # Session values, which init_connect can change; global values for variables without a session value.
            found = {str(name).lower(): str(value) for name, value in session.rows("SHOW SESSION VARIABLES")}
            tls = {str(name): str(value) for name, value in session.rows("SHOW SESSION STATUS LIKE 'Ssl%'")}
            refuse_unsuitable(version, found)
        return {
            detect_product(version).lower(): version,
            "pymysql": importlib.metadata.version("pymysql"),
            "users' driver": drivers.users_driver(self.params),
            "affected rows": _("those that changed"),
            **({POOLER: self._pooler} if self._pooler else {}),
            "encryption": f"{tls.get('Ssl_version')}, {tls.get('Ssl_cipher')}" if tls.get("Ssl_cipher") else "none",
            **{name: found[name] for name in _SHOWN if name in found},
        }

    def close(self) -> None:
        """Disconnect; never raise."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(pymysql.MySQLError, OSError):
                if self._pooler:  # a pooler may keep the server's connection
                    for number in self._locks:
                        _fetch_first(connection, "SELECT release_lock(%s)", f"domtune/{number}")
                connection.close()

    def _take_lock(self, number: int) -> None:
        """Acquire the server's named lock, which ends with the connection.

        The name is valid for all databases of the server.
        """
        [[taken]] = self.session().rows("SELECT get_lock(%s, %s)", f"domtune/{number}", _LOCK_WAIT_S)
        if taken != 1:
            raise DatabaseUnsuitable(
                _("another sweep is using {place}").format(place=client.describe_place(self.params)),
                hint=_("Wait until it has ended, or name another database."),
            )


def find_pooler(connection: client.Client, params: Mapping[str, str]) -> str:
    """Return the mode of a connection pooler in between; empty for none.

    Args:
        connection: A connection without session settings, which could stay on the pooler's connections.
        params: Parameters of a second connection.

    Raises:
        DatabaseUnsuitable: The pooler does not keep a session.
    """

    @contextlib.contextmanager
    def other() -> Generator[pooler_detection.ProcessIdReader]:
        second = client.connect(params, setup=())
        with contextlib.closing(second):
            second.begin()
            yield lambda: _connection_id(second)
            second.rollback()

    with client.translate_errors(_("looking for a connection pooler")):
        announced = parse_whole_number(str(connection.thread_id()))  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType]
        first, where = _connection_id(connection), client.describe_place(params)
        return pooler_detection.find_pooler(announced, first, lambda: _connection_id(connection), other, where, "")


def _connection_id(connection: client.Client) -> int | None:
    # ProxySQL answers a bare `SELECT CONNECTION_ID()` itself.
    return parse_whole_number(str(_fetch_first(connection, "SELECT connection_id() + 0")))


def _fetch_first(connection: client.Client, query: str, *values: object) -> object:
    with connection.cursor() as cursor:
        cursor.execute(query, values or None)
        row = cursor.fetchone()
    return row[0] if row else None


def detect_product(version: str) -> str:
    """Return the product for a server's version text: `MariaDB` or `MySQL`."""
    return "MariaDB" if "mariadb" in version.lower() else "MySQL"


def refuse_unsuitable(version: str, settings: Mapping[str, str]) -> None:
    """Refuse a server that DomTune cannot use.

    Args:
        version: Version text of the server.
        settings: Session variables.

    Raises:
        DatabaseUnsuitable: The version or a setting is not usable.
    """
    product, match = detect_product(version), _VERSION.match(version)
    needed = MINIMUM[product]
    if match is None or (int(match[1]), int(match[2])) < needed:
        raise DatabaseUnsuitable(
            _("the server is {product} {version}, at least {needed}.{needed_2} is needed").format(
                product=product, version=version[:40], needed=needed[0], needed_2=needed[1]
            ),
            hint=_("Upgrade it, or leave the database to DomTune, which runs one that is installed."),
        )
    refuse_settings(settings)
    if settings.get("log_bin", "OFF") == "ON" and settings.get("binlog_format", "ROW") == "STATEMENT":
        raise DatabaseUnsuitable(
            _("the server keeps a binary log of statements, with which InnoDB takes no change at READ COMMITTED"),
            hint="SET GLOBAL binlog_format = 'ROW', or 'MIXED'.",
        )


def _is_answering(connection: client.Client) -> bool:
    try:
        connection.ping(reconnect=False)
    except Exception:  # noqa: BLE001 - after any error, a new connection reports the cause
        return False
    return True
