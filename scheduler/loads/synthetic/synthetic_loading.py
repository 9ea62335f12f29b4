"""Filling the table, once: users change nothing in it."""

import logging
from importlib.metadata import version

from scheduler.databases.protocols import WorkloadSession
from scheduler.errors import LoadError
from scheduler.loads.synthetic.numbered_table import (
    FORMAT,
    MARKER,
    OUR_TABLES,
    TABLE_NAME,
    NumberedTable,
    TableContents,
)
from scheduler.loads.synthetic.synthetic_dialects import synthetic_dialect
from scheduler.loads.table_ownership import refuse_foreign_schema

log = logging.getLogger(__name__)

_BEGUN, _COMPLETE = "begun", "complete"


def refuse_foreign_table(session: WorkloadSession, table: NumberedTable) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Only tables in a schema that carries our marker are ever written to, emptied or dropped.
    """
    refuse_foreign_schema(session, table.schema, marked=bool(_read_marker(session, table)))


def is_loaded(session: WorkloadSession, table: NumberedTable) -> bool:
    """Return True when our complete table of this form is there, and holds what it was loaded with.

    All of it is read: it is in the server's memory afterwards, if it fits there.
    """
    if not session.tables(table.schema).issuperset(OUR_TABLES):
        return False
    if not {**_data_format(table), "state": _COMPLETE}.items() <= _read_marker(session, table).items():
        return False
    return read_contents(session, table) == table.held()


def read_contents(session: WorkloadSession, table: NumberedTable) -> TableContents:
    """Return what the table holds now; it reads all of it."""
    [found] = session.rows(table.at(synthetic_dialect(session.database).held(table)))
    return TableContents(*map(int, found))


def load_table(session: WorkloadSession, table: NumberedTable) -> None:
    """Make the table anew; what an interrupted load left is dropped first. Raises LoadError."""
    refuse_foreign_table(session, table)
    log.info("loading the table of %s, %d rows", table.kind, table.rows)
    _make_table(session, table)
    session.load(table.at(f"@.{TABLE_NAME}"), table.columns, table.csv())
    session.settle([table.at(f"@.{TABLE_NAME}")])
    found, wanted = read_contents(session, table), table.held()
    if found != wanted:
        hint = "Does another program write to it?"
        raise LoadError(f"the table of {table.kind} was loaded, but holds {found}, not {wanted}", hint=hint)
    session.execute(table.at(f"UPDATE @.{MARKER} SET value = %s WHERE name = %s"), _COMPLETE, "state")


def _make_table(session: WorkloadSession, table: NumberedTable) -> None:
    """The marker is there as soon as the schema is, and says `begun` before anything is dropped."""
    dialect = synthetic_dialect(session.database)
    with session.transaction():
        for statement in dialect.begin:
            session.execute(table.at(statement.format(schema=table.schema)))
    with session.transaction():
        session.execute(table.at(f"DELETE FROM @.{MARKER} WHERE name <> 'tool'"))
        for pair in {"version": version("domtune"), **_data_format(table), "state": _BEGUN}.items():
            session.execute(table.at(f"INSERT INTO @.{MARKER} VALUES (%s, %s)"), *pair)
    with session.transaction():
        session.execute(table.at(f"DROP TABLE IF EXISTS @.{TABLE_NAME}"))
        session.execute(table.at(dialect.create(table)))


def _data_format(table: NumberedTable) -> dict[str, str]:
    """Return what the marker says of the data."""
    return {"format": FORMAT, "rows": str(table.rows)}


def _read_marker(session: WorkloadSession, table: NumberedTable) -> dict[str, str]:
    """Return our marker; empty when the table of that name is not ours or not readable."""
    rows = session.seen(table.at(f"SELECT name, value FROM @.{MARKER}")) or []
    marker = {str(name): str(value) for name, value in rows}
    return marker if marker.get("tool") == "domtune" else {}
