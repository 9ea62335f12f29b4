"""The tables of sysbench: its own, in a database of ours, one per number and size, with a mark that says so."""

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.table_ownership import refuse_foreign_schema

FORMAT = "1"
"""Raised when tables made by an older version must not be used again."""

BEGUN, COMPLETE = "begun", "complete"
MARKER = "domtune_marker"


def sysbench_schema(tables: int, size: int) -> str:
    """Return the database's name for so many tables of that size."""
    return f"domtune_sysbench_{tables}x{size}"


def sysbench_table_names(tables: int) -> tuple[str, ...]:
    """Return the names that sysbench gives its tables."""
    return tuple(f"sbtest{number}" for number in range(1, tables + 1))


def refuse_foreign_tables(session: WorkloadSession, schema: str) -> None:
    """Refuse a database of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Tables of sysbench anywhere else are somebody's own: neither read nor written.
    """
    refuse_foreign_schema(session, schema, marked=read_marker(session, schema).get("tool") == "domtune")


def read_marker(session: WorkloadSession, schema: str) -> dict[str, str]:
    """Return our marker; empty when there is none, or one that is not ours."""
    rows = session.seen(f"SELECT name, value FROM {schema}.{MARKER}")  # noqa: S608 - a name of ours
    return {str(name): str(value) for name, value in rows or ()}


def create_database(session: WorkloadSession, schema: str, tables: int, versions: dict[str, str]) -> None:
    """Make the database with its marker, without tables of earlier ones."""
    refuse_foreign_tables(session, schema)
    session.execute(f"CREATE DATABASE IF NOT EXISTS {schema} CHARACTER SET latin1")
    # One statement, for no crash to part the table from the row that says whose it is.
    session.execute(
        f"CREATE TABLE IF NOT EXISTS {schema}.{MARKER} (name VARCHAR(40) PRIMARY KEY, value VARCHAR(100) NOT NULL)"
        " ENGINE=InnoDB SELECT 'tool' AS name, 'domtune' AS value"
    )
    for pair in {"format": FORMAT, "state": BEGUN, **versions}.items():
        session.execute(f"REPLACE INTO {schema}.{MARKER} VALUES (%s, %s)", *pair)  # noqa: S608 - of ours
    for table in sysbench_table_names(tables):
        session.execute(f"DROP TABLE IF EXISTS {schema}.{table}")


def mark_complete(session: WorkloadSession, schema: str) -> None:
    """Say that the tables are filled."""
    session.execute(f"UPDATE {schema}.{MARKER} SET value = %s WHERE name = 'state'", COMPLETE)  # noqa: S608 - of ours


def is_complete(session: WorkloadSession, schema: str, tables: int) -> bool:
    """Return True when complete tables of ours are there."""
    if not session.tables(schema).issuperset({*sysbench_table_names(tables), MARKER}):
        return False
    wanted = {"tool": "domtune", "format": FORMAT, "state": COMPLETE}
    return wanted.items() <= read_marker(session, schema).items()
