"""The tables of tpcb: pgbench's own, in a schema of ours, one per size, with a mark that says so."""

from scheduler.databases.protocols import WorkloadSession
from scheduler.loads.table_ownership import refuse_foreign_schema

FORMAT = "1"
"""Raised when tables made by an older version must not be used again."""

BEGUN, COMPLETE = "begun", "complete"
MARKER = "domtune_marker"
ACCOUNTS, BRANCHES, TELLERS, HISTORY = "pgbench_accounts", "pgbench_branches", "pgbench_tellers", "pgbench_history"
TABLES = (ACCOUNTS, BRANCHES, TELLERS, HISTORY)
ROWS_PER_SCALE = {ACCOUNTS: 100_000, BRANCHES: 1, TELLERS: 10}


def pgbench_schema(scale: int) -> str:
    """Return the schema's name for a size."""
    return f"domtune_tpcb_{scale}"


def table_names(scale: int) -> dict[str, str]:
    """Return what stands in a statement for each of our tables: its short name, without `pgbench_`, to the whole."""
    return {table.removeprefix("pgbench_"): f"{pgbench_schema(scale)}.{table}" for table in (*TABLES, MARKER)}


def refuse_foreign_tables(session: WorkloadSession, scale: int) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Tables of pgbench anywhere else are somebody's own: neither read nor written.
    """
    ours = read_marker(session, scale).get("tool") == "domtune"
    refuse_foreign_schema(session, pgbench_schema(scale), marked=ours)


def read_marker(session: WorkloadSession, scale: int) -> dict[str, str]:
    """Return our marker; empty when there is none, or one that is not ours."""
    rows = session.seen(f"SELECT name, value FROM {pgbench_schema(scale)}.{MARKER}")  # noqa: S608 - a name of ours
    return {str(name): str(value) for name, value in rows or ()}


def create_schema(session: WorkloadSession, scale: int, versions: dict[str, str]) -> None:
    """Make the schema with its marker, without tables of earlier ones; in one transaction."""
    refuse_foreign_tables(session, scale)
    marked = {"tool": "domtune", "format": FORMAT, "scale": str(scale), "state": BEGUN, **versions}
    schema = pgbench_schema(scale)
    with session.transaction():
        session.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        for table in (*TABLES, MARKER):
            session.execute(f"DROP TABLE IF EXISTS {schema}.{table}")
        session.execute(f"CREATE TABLE {schema}.{MARKER} (name text PRIMARY KEY, value text NOT NULL)")
        for pair in marked.items():
            session.execute(f"INSERT INTO {schema}.{MARKER} VALUES (%s, %s)", *pair)  # noqa: S608 - a name of ours


def mark_complete(session: WorkloadSession, scale: int) -> None:
    """Say that the tables are filled."""
    statement = f"UPDATE {pgbench_schema(scale)}.{MARKER} SET value = %s WHERE name = 'state'"  # noqa: S608 - of ours
    session.execute(statement, COMPLETE)


def is_complete(session: WorkloadSession, scale: int) -> bool:
    """Return True when complete tables of ours of this size are there."""
    if not session.tables(pgbench_schema(scale)).issuperset({*TABLES, MARKER}):
        return False
    wanted = {"tool": "domtune", "format": FORMAT, "scale": str(scale), "state": COMPLETE}
    return wanted.items() <= read_marker(session, scale).items()
