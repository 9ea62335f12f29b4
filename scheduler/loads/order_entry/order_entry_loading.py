"""Filling the tables: rows into tables without secondary indexes, then indexes and copies; and back to the copies."""

import logging

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.order_entry import generator, order_entry_schema
from scheduler.loads.order_entry.order_entry_schema import OrderEntryDialect
from scheduler.loads.order_entry.size import (
    CHANGED,
    COPY,
    DISTRICTS,
    FORMAT,
    MARKER,
    OUR_TABLES,
    TABLES,
    OrderEntrySize,
)
from scheduler.loads.table_ownership import refuse_foreign_schema

log = logging.getLogger(__name__)

_BEGUN, _COMPLETE = "begun", "complete"


def refuse_foreign_tables(session: WorkloadSession, size: OrderEntrySize) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Only tables in a schema that carries our marker are ever written to, emptied or dropped.
    """
    refuse_foreign_schema(session, size.schema, marked=bool(_read_marker(session, size)))


def is_loaded(session: WorkloadSession, size: OrderEntrySize) -> bool:
    """Return True when our complete data of this size and form are there."""
    if not session.tables(size.schema).issuperset(OUR_TABLES):
        return False
    return {**_data_format(size), "state": _COMPLETE}.items() <= _read_marker(session, size).items()


def load_tables(session: WorkloadSession, dialect: OrderEntryDialect, size: OrderEntrySize, version: str) -> None:
    """Make the tables anew; what an interrupted load left is dropped first.

    Args:
        session: On the database.
        dialect: Its own.
        size: How many rows.
        version: Version of this program, for the marker.
    """
    refuse_foreign_tables(session, size)
    _make_tables(session, dialect, size, version)
    for table in TABLES:
        log.info("loading %s of order entry, %d warehouses", table, size.warehouses)
        session.load(
            size.named(f"@.{table}"), order_entry_schema.column_names(table), generator.table_rows(size, table)
        )
    run_statements(session, size, *(f"INSERT INTO @.{table}{COPY} SELECT * FROM @.{table}" for table in CHANGED))
    run_statements(session, size, *order_entry_schema.index_statements(dialect))


def mark_complete(session: WorkloadSession, size: OrderEntrySize) -> None:
    """Say that load and checks went through."""
    statement = f"UPDATE @.{MARKER} SET value = %s WHERE name = %s"
    session.execute(size.named(statement), _COMPLETE, "state")


def restore_tables(session: WorkloadSession, size: OrderEntrySize) -> None:
    """Bring what transactions changed back to what was loaded."""
    with session.transaction():
        run_statements(session, size, *(f"TRUNCATE TABLE @.{table}" for table in CHANGED))
        run_statements(session, size, *(f"INSERT INTO @.{table} SELECT * FROM @.{table}{COPY}" for table in CHANGED))
    session.settle([size.named(f"@.{table}") for table in TABLES])


def row_count_flaws(session: WorkloadSession, size: OrderEntrySize) -> list[str]:
    """Return which tables of a known number of rows have another one, a sentence each."""
    per_district = size.warehouses * DISTRICTS * size.customers
    wanted = {
        "item": size.items,
        "stock": size.warehouses * size.items,
        **dict.fromkeys(("customer", "orders", "history"), per_district),
    }
    found = {table: int(session.rows(size.named(f"SELECT count(*) FROM @.{table}"))[0][0]) for table in wanted}
    return [f"{table} has {found[table]} rows, not {rows}" for table, rows in wanted.items() if found[table] != rows]


def run_statements(session: WorkloadSession, size: OrderEntrySize, *statements: str) -> None:
    """Execute statements one by one."""
    for statement in statements:
        session.execute(size.named(statement))


def _make_tables(session: WorkloadSession, dialect: OrderEntryDialect, size: OrderEntrySize, version: str) -> None:
    """The marker is there as soon as the schema is, and says `begun` before anything is dropped."""
    with session.transaction():
        run_statements(session, size, *(each.format(schema=size.schema) for each in dialect.begin))
    marker = {"version": version, **_data_format(size), "state": _BEGUN}
    with session.transaction():
        run_statements(session, size, f"DELETE FROM @.{MARKER} WHERE name <> 'tool'")
        for name, value in marker.items():
            session.execute(size.named(f"INSERT INTO @.{MARKER} VALUES (%s, %s)"), name, value)
    with session.transaction():
        run_statements(session, size, *(f"DROP TABLE IF EXISTS @.{table}" for table in OUR_TABLES if table != MARKER))
        run_statements(session, size, *order_entry_schema.create_statements(dialect))


def _data_format(size: OrderEntrySize) -> dict[str, str]:
    """Return what the marker says of the data."""
    numbers = {"warehouses": size.warehouses, "customers": size.customers, "items": size.items}
    return {"format": FORMAT, "seed": str(generator.SEED), **{name: str(value) for name, value in numbers.items()}}


def _read_marker(session: WorkloadSession, size: OrderEntrySize) -> dict[str, str]:
    """Return our marker; empty when the table of that name is not ours or not readable."""
    rows = session.seen(size.named(f"SELECT name, value FROM @.{MARKER}")) or []
    marker = {str(name): str(value) for name, value in rows}
    return marker if marker.get("tool") == "domtune" else {}
