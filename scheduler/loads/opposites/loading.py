"""Filling the table, once: users change nothing in it."""

import logging
from importlib.metadata import version

from scheduler.databases.base import Session
from scheduler.errors import LoadError
from scheduler.loads.opposites.dialects import dialect_of
from scheduler.loads.opposites.tables import FORMAT, MARKER, NAME, OUR_TABLES, Held, Table
from scheduler.loads.ours import refuse_foreign_schema

log = logging.getLogger(__name__)

_BEGUN, _COMPLETE = "begun", "complete"


def refuse_foreign(session: Session, table: Table) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Only tables in a schema that carries our marker are ever written to, emptied or dropped.
    """
    refuse_foreign_schema(session, table.schema, marked=bool(_marker(session, table)))


def is_loaded(session: Session, table: Table) -> bool:
    """Return True when our complete table of this form is there, and holds what it was loaded with.

    All of it is read: it is in the server's memory afterwards, if it fits there.
    """
    if not session.tables(table.schema).issuperset(OUR_TABLES):
        return False
    if not {**_form(table), "state": _COMPLETE}.items() <= _marker(session, table).items():
        return False
    return held(session, table) == table.held()


def held(session: Session, table: Table) -> Held:
    """Return what the table holds now; it reads all of it."""
    [found] = session.rows(table.at(dialect_of(session.database).held(table)))
    return Held(*map(int, found))


def load(session: Session, table: Table) -> None:
    """Make the table anew; what an interrupted load left is dropped first. Raises LoadError."""
    refuse_foreign(session, table)
    log.info("loading the table of %s, %d rows", table.kind, table.rows)
    _make_table(session, table)
    session.load(table.at(f"@.{NAME}"), table.columns, table.csv())
    session.settle([table.at(f"@.{NAME}")])
    found, wanted = held(session, table), table.held()
    if found != wanted:
        hint = "Does another program write to it?"
        raise LoadError(f"the table of {table.kind} was loaded, but holds {found}, not {wanted}", hint=hint)
    session.execute(table.at(f"UPDATE @.{MARKER} SET value = %s WHERE name = %s"), _COMPLETE, "state")


def _make_table(session: Session, table: Table) -> None:
    """The marker is there as soon as the schema is, and says `begun` before anything is dropped."""
    dialect = dialect_of(session.database)
    with session.transaction():
        for statement in dialect.begin:
            session.execute(table.at(statement.format(schema=table.schema)))
    with session.transaction():
        session.execute(table.at(f"DELETE FROM @.{MARKER} WHERE name <> 'tool'"))
        for pair in {"version": version("domtune"), **_form(table), "state": _BEGUN}.items():
            session.execute(table.at(f"INSERT INTO @.{MARKER} VALUES (%s, %s)"), *pair)
    with session.transaction():
        session.execute(table.at(f"DROP TABLE IF EXISTS @.{NAME}"))
        session.execute(table.at(dialect.create(table)))


def _form(table: Table) -> dict[str, str]:
    """Return what the marker says of the data."""
    return {"format": FORMAT, "rows": str(table.rows)}


def _marker(session: Session, table: Table) -> dict[str, str]:
    """Return our marker; empty when the table of that name is not ours or not readable."""
    rows = session.seen(table.at(f"SELECT name, value FROM @.{MARKER}")) or []
    marker = {str(name): str(value) for name, value in rows}
    return marker if marker.get("tool") == "domtune" else {}
