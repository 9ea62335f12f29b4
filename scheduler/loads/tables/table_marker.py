"""Marker of a schema that DomTune made. DomTune writes only to marked schemas.

Only marked schemas are emptied or dropped. The marker also records the form of the rows, and whether they were loaded
completely.
"""

from collections.abc import Mapping

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.tables.table_set import MARKER, TableSet
from scheduler.translation import _

BEGUN, COMPLETE = "begun", "complete"


def read_marker(session: WorkloadSession, tables: TableSet) -> dict[str, str]:
    """Return the entries of our marker; empty if it is missing, unreadable or foreign.

    Args:
        session: Session on the database.
        tables: Tables of the load.
    """
    rows = session.seen(tables.at(f"SELECT name, value FROM @.{MARKER}")) or []
    marker = {str(name): str(value) for name, value in rows}
    return marker if marker.get("tool") == "domtune" else {}


def refuse_foreign_tables(session: WorkloadSession, tables: TableSet) -> None:
    """Refuse a schema that DomTune did not make or cannot make; write nothing.

    Args:
        session: Session on the database.
        tables: Tables of the load.

    Raises:
        DatabaseUnsuitable: The schema has tables without our marker, or this user may not create the schema.
    """
    name, found = tables.schema, session.tables(tables.schema)
    if found and not read_marker(session, tables):
        some = ", ".join(sorted(found)[:5])
        raise DatabaseUnsuitable(
            _(
                "the database has a schema {name} that DomTune did not create (it has {some}); nothing was changed"
            ).format(name=name, some=some),
            hint=_("Rename that schema, or name another database."),
        )
    if not found and not session.may_create(name):
        raise DatabaseUnsuitable(
            _("the user may not create the schema {name} in this database").format(name=name),
            hint=_("GRANT CREATE ON DATABASE to this user, or name another database."),
        )


def is_complete(session: WorkloadSession, tables: TableSet) -> bool:
    """Return True when all tables exist and rows of this form were loaded completely.

    Args:
        session: Session on the database.
        tables: Tables of the load.
    """
    if not session.tables(tables.schema).issuperset({*tables.names, MARKER}):
        return False
    return {**tables.form, "state": COMPLETE}.items() <= read_marker(session, tables).items()


def begin_tables(session: WorkloadSession, tables: TableSet, versions: Mapping[str, str]) -> None:
    """Create empty tables; drop the tables of an earlier or interrupted load first.

    The marker is created together with the schema. Its state is `begun` before any table is dropped.

    Args:
        session: Session on the database.
        tables: Tables of the load.
        versions: Program to version, of programs that make the rows. They become entries of the marker.

    Raises:
        DatabaseUnsuitable: DomTune did not make the schema, or cannot make it.
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
    """Add entries to the marker in one transaction.

    Args:
        session: Session on the database.
        tables: Tables of the load.
        entries: Name to value of each entry.
    """
    with session.transaction():
        _insert_entries(session, tables, entries)


def set_marker_state(session: WorkloadSession, tables: TableSet, state: str) -> None:
    """Set the state of the tables in the marker.

    Args:
        session: Session on the database.
        tables: Tables of the load.
        state: `COMPLETE` to use the tables again, `BEGUN` to load them again.
    """
    session.execute(tables.at(f"UPDATE @.{MARKER} SET value = %s WHERE name = %s"), state, "state")


def run_statements(session: WorkloadSession, tables: TableSet, *statements: str) -> None:
    """Execute statements one by one, with the schema in place of `@.`.

    Args:
        session: Session on the database.
        tables: Tables of the load.
        *statements: SQL statements, with `@.` for the schema.
    """
    for statement in statements:
        session.execute(tables.at(statement))


def _insert_entries(session: WorkloadSession, tables: TableSet, entries: Mapping[str, str]) -> None:
    for name, value in entries.items():
        session.execute(tables.at(f"INSERT INTO @.{MARKER} VALUES (%s, %s)"), name, value)
