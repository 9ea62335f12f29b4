"""Filling the tables: COPY into tables without indexes, then indexes, CLUSTER, backup, VACUUM, CHECKPOINT."""

import io
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

import psycopg2

from scheduler.databases.postgresql import pg
from scheduler.databases.postgresql.copying import copy_in
from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.osdb import schema
from scheduler.loads.osdb.generator import Data

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

log = logging.getLogger(__name__)

_BEGUN, _COMPLETE = "begun", "complete"


class Chunks(io.RawIOBase):
    """A file that reads from an iterator of bytes, so that large relations need no large buffer."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "Buffer", /) -> int:
        """Fill `buffer` from the current chunk; 0 at the end."""
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        with memoryview(buffer) as target:
            size = min(len(target), len(self._rest))
            target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def refuse_foreign(connection: pg.Connection, tuples: int) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Only tables in a schema that carries our marker are ever written to, emptied or dropped.
    """
    name = schema.schema_of(tuples)
    found = _tables(connection, name)
    if found and (schema.MARKER not in found or not _marker(connection, tuples)):
        some = ", ".join(sorted(found)[:5])
        raise DatabaseUnsuitable(
            f"the database has a schema {name} that DomTune did not make (it holds {some}); nothing was changed",
            hint="Rename that schema, or name another database.",
        )
    if not found and not _may_create(connection, name):
        raise DatabaseUnsuitable(
            f"the user may not create the schema {name} in this database",
            hint="GRANT CREATE ON DATABASE to this user, or name another database.",
        )


def is_loaded(connection: pg.Connection, tuples: int) -> bool:
    """Return True when our complete data of this size and seed are there."""
    wanted = {"format": schema.FORMAT, "tuples": str(tuples), "seed": str(schema.SEED), "state": _COMPLETE}
    found = _tables(connection, schema.schema_of(tuples))
    if found.issuperset(schema.OUR_TABLES):
        marker = _marker(connection, tuples)
        return all(marker.get(name) == value for name, value in wanted.items())
    return False


def load(connection: pg.Connection, tuples: int, version: str) -> None:
    """Make the tables anew; what an interrupted load left is dropped first.

    Args:
        connection: In autocommit.
        tuples: Rows per relation.
        version: Version of this program, for the marker.
    """
    refuse_foreign(connection, tuples)
    _make_tables(connection, tuples, version)
    data = Data(tuples, schema.SEED)
    for relation in schema.RELATIONS:
        log.info("loading %s (%d rows)", relation, tuples)
        columns = ", ".join(f"col_{name}" for name in schema.COLUMNS)
        command = schema.for_size(f"COPY @.{relation} ({columns}) FROM STDIN (FORMAT csv)", tuples)
        with pg.transaction(connection) as cursor:
            copy_in(cursor, command, io.BufferedReader(Chunks(data.csv(relation)), 1 << 18))
    steps = (*schema.INDEXES, *schema.CLUSTER, schema.ADD_FOREIGN_KEY, schema.MAKE_BACKUP)
    run(connection, tuples, schema.FILL_TINY, *steps)
    settle(connection, tuples, (*schema.RELATIONS, schema.BACKUP))


def mark_complete(connection: pg.Connection, tuples: int) -> None:
    """Say that load and checks went through."""
    _mark(connection, tuples, "state", _COMPLETE)


def restore(connection: pg.Connection, tuples: int) -> None:
    """Bring `updates` back to what was loaded, clustered and vacuumed (AS3AP recovers before each test block)."""
    with pg.transaction(connection) as cursor:
        for statement in schema.RESTORE:
            cursor.execute(schema.for_size(statement, tuples))
    settle(connection, tuples, ("updates",))


def settle(connection: pg.Connection, tuples: int, tables: tuple[str, ...]) -> None:
    """Leave nothing for the measured time to do: VACUUM ANALYZE, and a checkpoint where we may."""
    names = ", ".join(f"@.{table}" for table in tables)
    run(connection, tuples, f"VACUUM (ANALYZE, FREEZE) {names}")
    try:
        run(connection, tuples, "CHECKPOINT")
    except psycopg2.errors.InsufficientPrivilege:
        log.info("no right to CHECKPOINT here; the server will make one when it likes")


def run(connection: pg.Connection, tuples: int, *statements: str) -> None:
    """Execute statements one by one, each committed by itself."""
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(schema.for_size(statement, tuples))


def _make_tables(connection: pg.Connection, tuples: int, version: str) -> None:
    """One transaction: the marker is there as soon as the schema is."""
    name = schema.schema_of(tuples)
    marker = {
        "tool": "domtune",
        "version": version,
        "format": schema.FORMAT,
        "tuples": str(tuples),
        "seed": str(schema.SEED),
        "state": _BEGUN,
    }
    with pg.transaction(connection) as cursor:
        cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
        for table in ("hundred", *schema.OUR_TABLES):  # hundred first: it refers to updates
            cursor.execute(f"DROP TABLE IF EXISTS {name}.{table}")
        cursor.execute(schema.for_size(schema.CREATE_MARKER, tuples))
        cursor.execute(schema.for_size(schema.CREATE_TINY, tuples))
        for relation in schema.RELATIONS:
            cursor.execute(schema.for_size(schema.TABLE.format(table=relation), tuples))
        for key, value in marker.items():
            cursor.execute(schema.for_size("INSERT INTO @.domtune_marker VALUES (%s, %s)", tuples), (key, value))


def _mark(connection: pg.Connection, tuples: int, name: str, value: str) -> None:
    with connection.cursor() as cursor:
        statement = "UPDATE @.domtune_marker SET value = %s WHERE name = %s"
        cursor.execute(schema.for_size(statement, tuples), (value, name))


def _tables(connection: pg.Connection, name: str) -> set[str]:
    with connection.cursor() as cursor:
        # pg_class and not information_schema: the latter hides what we have no right to.
        cursor.execute(
            "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
            " WHERE nspname = %s AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')",
            (name,),
        )
        return {row[0] for row in cursor.fetchall()}


def _marker(connection: pg.Connection, tuples: int) -> dict[str, str]:
    """Return our marker; empty when the table of that name is not ours or not readable."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(schema.for_size("SELECT name, value FROM @.domtune_marker", tuples))
            marker = {str(name): str(value) for name, value in cursor.fetchall()}
    except (psycopg2.errors.UndefinedColumn, psycopg2.errors.UndefinedTable, psycopg2.errors.InsufficientPrivilege):
        return {}
    return marker if marker.get("tool") == "domtune" else {}


def _may_create(connection: pg.Connection, name: str) -> bool:
    query = (
        "SELECT CASE WHEN to_regnamespace(%s) IS NULL THEN has_database_privilege(current_database(), 'CREATE')"
        " ELSE has_schema_privilege(%s, 'CREATE') END"
    )
    return bool(pg.one(connection, query, name, name)[0])
