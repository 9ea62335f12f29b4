"""Filling the tables: rows into tables without secondary indexes, then indexes, order and copies."""

import logging

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.osdb import osdb_schema
from scheduler.loads.osdb.generator import OsdbData
from scheduler.loads.osdb.osdb_schema import OsdbDialect, OsdbTables
from scheduler.loads.table_ownership import refuse_foreign_schema

log = logging.getLogger(__name__)

_BEGUN, _COMPLETE = "begun", "complete"


def refuse_foreign_tables(session: WorkloadSession, tables: OsdbTables) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Only tables in a schema that carries our marker are ever written to, emptied or dropped.
    """
    refuse_foreign_schema(session, tables.schema, marked=bool(_read_marker(session, tables)))


def refuse_missing_engine(session: WorkloadSession, dialect: OsdbDialect) -> None:
    """Refuse a server without the storage engine that is asked for; raises DatabaseUnsuitable."""
    if not dialect.engine:
        return
    engines = session.rows("SELECT engine FROM information_schema.engines WHERE support IN ('YES', 'DEFAULT')")
    names = sorted(str(row[0]) for row in engines)
    if dialect.engine not in map(str.lower, names):
        raise DatabaseUnsuitable(
            f"the server has no storage engine {dialect.engine} (it has {', '.join(names)})",
            hint="Name another engine, or another database.",
        )


def is_loaded(session: WorkloadSession, dialect: OsdbDialect, tables: OsdbTables) -> bool:
    """Return True when our complete data of this size, seed and form are there."""
    wanted = {**_data_format(dialect, tables), "state": _COMPLETE}
    if session.tables(tables.schema).issuperset(osdb_schema.OUR_TABLES):
        marker = _read_marker(session, tables)
        return all(marker.get(name) == value for name, value in wanted.items())
    return False


def load_tables(session: WorkloadSession, dialect: OsdbDialect, tables: OsdbTables, version: str) -> None:
    """Make the tables anew; what an interrupted load left is dropped first.

    Args:
        session: On the database.
        dialect: Its own.
        tables: Which.
        version: Version of this program, for the marker.
    """
    refuse_foreign_tables(session, tables)
    _make_tables(session, dialect, tables, version)
    data = OsdbData(tables.tuples, osdb_schema.SEED)
    columns = [f"col_{name}" for name in osdb_schema.COLUMNS]
    for relation in osdb_schema.RELATIONS:
        log.info("loading %s (%d rows)", relation, tables.tuples)
        session.load(tables.at(f"@.{relation}"), columns, data.csv(relation))
    run_statements(session, tables, osdb_schema.FILL_TINY, *dialect.finish)
    settle_tables(session, tables, (*osdb_schema.RELATIONS, osdb_schema.BACKUP))


def mark_complete(session: WorkloadSession, tables: OsdbTables) -> None:
    """Say that load and checks went through."""
    statement = "UPDATE @.domtune_marker SET value = %s WHERE name = %s"
    session.execute(tables.at(statement), _COMPLETE, "state")


def restore_updates(session: WorkloadSession, dialect: OsdbDialect, tables: OsdbTables) -> None:
    """Bring `updates` back to what was loaded, in order (AS3AP recovers before each test block)."""
    with session.transaction():
        run_statements(session, tables, *dialect.restore)
    settle_tables(session, tables, ("updates",))


def settle_tables(session: WorkloadSession, tables: OsdbTables, names: tuple[str, ...]) -> None:
    """Leave nothing for the measured time to do."""
    session.settle([tables.at(f"@.{table}") for table in names])


def run_statements(session: WorkloadSession, tables: OsdbTables, *statements: str) -> None:
    """Execute statements one by one."""
    for statement in statements:
        session.execute(tables.at(statement))


def _make_tables(session: WorkloadSession, dialect: OsdbDialect, tables: OsdbTables, version: str) -> None:
    """The marker is there as soon as the schema is, and says `begun` before anything is dropped."""
    with session.transaction():
        run_statements(session, tables, *(each.format(schema=tables.schema) for each in dialect.begin))
    marker = {"version": version, **_data_format(dialect, tables), "state": _BEGUN}
    with session.transaction():
        run_statements(session, tables, "DELETE FROM @.domtune_marker WHERE name <> 'tool'")
        for name, value in marker.items():
            session.execute(tables.at("INSERT INTO @.domtune_marker VALUES (%s, %s)"), name, value)
    others = [table for table in osdb_schema.OUR_TABLES if table != osdb_schema.MARKER]
    with session.transaction():
        # hundred first: it refers to updates
        run_statements(session, tables, *(f"DROP TABLE IF EXISTS @.{table}" for table in ("hundred", *others)))
        run_statements(
            session, tables, dialect.tiny, *(dialect.table.format(table=name) for name in osdb_schema.RELATIONS)
        )


def _data_format(dialect: OsdbDialect, tables: OsdbTables) -> dict[str, str]:
    """Return what the marker says of the data."""
    engine = {"engine": dialect.engine} if dialect.engine else {}
    return {"format": osdb_schema.FORMAT, "tuples": str(tables.tuples), "seed": str(osdb_schema.SEED), **engine}


def _read_marker(session: WorkloadSession, tables: OsdbTables) -> dict[str, str]:
    """Return our marker; empty when the table of that name is not ours or not readable."""
    rows = session.seen(tables.at("SELECT name, value FROM @.domtune_marker")) or []
    marker = {str(name): str(value) for name, value in rows}
    return marker if marker.get("tool") == "domtune" else {}
