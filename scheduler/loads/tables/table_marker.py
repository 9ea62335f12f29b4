"""Marker of a schema that DomTune made: only marked schemas are ever written to, emptied or dropped.

The marker also says which rows the tables hold, and whether the load of these rows was completed.
"""

from collections.abc import Mapping

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.tables.table_set import MARKER, TableSet

BEGUN, COMPLETE = "begun", "complete"


def read_marker(session: WorkloadSession, tables: TableSet) -> dict[str, str]:
    """Return the entries of our marker; empty where the marker is missing, not readable or not ours."""
    rows = session.seen(tables.at(f"SELECT name, value FROM @.{MARKER}")) or []
    marker = {str(name): str(value) for name, value in rows}
    return marker if marker.get("tool") == "domtune" else {}


def refuse_foreign_tables(session: WorkloadSession, tables: TableSet) -> None:
    """Refuse a schema of our name that we did not make, or cannot make; writes nothing.

    Raises:
        DatabaseUnsuitable: The schema holds tables without our marker, or this user may not create the schema.
    """
    name, found = tables.schema, session.tables(tables.schema)
    if found and not read_marker(session, tables):
        some = ", ".join(sorted(found)[:5])
        raise DatabaseUnsuitable(
            f"the database has a schema {name} that DomTune did not make (it holds {some}); nothing was changed",
            hint="Rename that schema, or name another database.",
        )
    if not found and not session.may_create(name):
        raise DatabaseUnsuitable(
            f"the user may not create the schema {name} in this database",
            hint="GRANT CREATE ON DATABASE to this user, or name another database.",
        )


def is_complete(session: WorkloadSession, tables: TableSet) -> bool:
    """Return True when all tables are there and the marker says that rows of this form were loaded completely."""
    if not session.tables(tables.schema).issuperset({*tables.names, MARKER}):
        return False
    return {**tables.form, "state": COMPLETE}.items() <= read_marker(session, tables).items()


def begin_tables(session: WorkloadSession, tables: TableSet, versions: Mapping[str, str]) -> None:
    """Make empty tables; drop the tables of an earlier or interrupted load first.

    The marker is there as soon as the schema is, and says `begun` before anything is dropped.

    Args:
        session: On the database.
        tables: The tables.
        versions: Further marker entries: versions of the programs that make the rows.

    Raises:
        DatabaseUnsuitable: The schema is not ours.
    """
    refuse_foreign_tables(session, tables)
    with session.transaction():
        run_statements(session, tables, *(each.format(schema=tables.schema) for each in tables.begin))
    with session.transaction():
        run_statements(session, tables, f"DELETE FROM @.{MARKER} WHERE name <> 'tool'")
        _insert_entries(session, tables, {**versions, **tables.form, "state": BEGUN})
    with session.transaction():
        run_statements(session, tables, *(f"DROP TABLE IF EXISTS @.{name}" for name in tables.names), *tables.create)


def store_in_marker(session: WorkloadSession, tables: TableSet, entries: Mapping[str, str]) -> None:
    """Add entries to the marker in one transaction."""
    with session.transaction():
        _insert_entries(session, tables, entries)


def set_marker_state(session: WorkloadSession, tables: TableSet, state: str) -> None:
    """Set the state of the tables: `COMPLETE` for tables to use again, `BEGUN` for tables to load again."""
    session.execute(tables.at(f"UPDATE @.{MARKER} SET value = %s WHERE name = %s"), state, "state")


def run_statements(session: WorkloadSession, tables: TableSet, *statements: str) -> None:
    """Execute statements one by one, with the schema in place of `@.`."""
    for statement in statements:
        session.execute(tables.at(statement))


def _insert_entries(session: WorkloadSession, tables: TableSet, entries: Mapping[str, str]) -> None:
    for name, value in entries.items():
        session.execute(tables.at(f"INSERT INTO @.{MARKER} VALUES (%s, %s)"), name, value)
