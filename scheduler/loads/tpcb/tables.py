"""The tables of tpcb: pgbench's own, in a schema of ours, one per size, with a mark that says so."""

import psycopg2
from psycopg2 import sql

from scheduler.databases.postgresql import pg
from scheduler.errors import DatabaseUnsuitable

FORMAT = "1"
"""Raised when tables made by an older version must not be used again."""

BEGUN, COMPLETE = "begun", "complete"
MARKER = "domtune_marker"
ACCOUNTS, BRANCHES, TELLERS, HISTORY = "pgbench_accounts", "pgbench_branches", "pgbench_tellers", "pgbench_history"
TABLES = (ACCOUNTS, BRANCHES, TELLERS, HISTORY)
ROWS_PER_SCALE = {ACCOUNTS: 100_000, BRANCHES: 1, TELLERS: 10}


def schema_of(scale: int) -> str:
    """Return the schema's name for a size."""
    return f"domtune_tpcb_{scale}"


def in_schema(text: str, scale: int, **names: str) -> sql.Composed:
    """Return a statement with `{schema}` and other names in it, quoted."""
    quoted = {name: sql.Identifier(value) for name, value in names.items()}
    return sql.SQL(text).format(schema=sql.Identifier(schema_of(scale)), **quoted)


def refuse_foreign(connection: pg.Connection, scale: int) -> None:
    """Refuse a schema of our name that we did not make; writes nothing. Raises DatabaseUnsuitable.

    Tables of pgbench anywhere else are somebody's own: neither read nor written.
    """
    name, found = schema_of(scale), tables(connection, scale)
    if found and marker(connection, scale).get("tool") != "domtune":
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


def tables(connection: pg.Connection, scale: int) -> set[str]:
    """Return the names of the tables in our schema, those included that we may not read."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
            " WHERE nspname = %s AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')",
            (schema_of(scale),),
        )
        return {row[0] for row in cursor.fetchall()}


def marker(connection: pg.Connection, scale: int) -> dict[str, str]:
    """Return our marker; empty when there is none, or one that is not ours."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(in_schema("SELECT name, value FROM {schema}.{marker}", scale, marker=MARKER))
            return {str(name): str(value) for name, value in cursor.fetchall()}
    except (psycopg2.errors.UndefinedColumn, psycopg2.errors.UndefinedTable, psycopg2.errors.InsufficientPrivilege):
        return {}


def begin(connection: pg.Connection, scale: int, versions: dict[str, str]) -> None:
    """Make the schema with its marker, without tables of earlier ones; in one transaction."""
    refuse_foreign(connection, scale)
    marked = {"tool": "domtune", "format": FORMAT, "scale": str(scale), "state": BEGUN, **versions}
    with pg.transaction(connection) as cursor:
        cursor.execute(in_schema("CREATE SCHEMA IF NOT EXISTS {schema}", scale))
        for table in (*TABLES, MARKER):
            cursor.execute(in_schema("DROP TABLE IF EXISTS {schema}.{table}", scale, table=table))
        make = "CREATE TABLE {schema}.{marker} (name text PRIMARY KEY, value text NOT NULL)"
        cursor.execute(in_schema(make, scale, marker=MARKER))
        for pair in marked.items():
            cursor.execute(in_schema("INSERT INTO {schema}.{marker} VALUES (%s, %s)", scale, marker=MARKER), pair)


def mark_complete(connection: pg.Connection, scale: int) -> None:
    """Say that the tables are filled."""
    with connection.cursor() as cursor:
        statement = in_schema("UPDATE {schema}.{marker} SET value = %s WHERE name = 'state'", scale, marker=MARKER)
        cursor.execute(statement, (COMPLETE,))


def is_complete(connection: pg.Connection, scale: int) -> bool:
    """Return True when complete tables of ours of this size are there."""
    if not tables(connection, scale).issuperset({*TABLES, MARKER}):
        return False
    wanted = {"tool": "domtune", "format": FORMAT, "scale": str(scale), "state": COMPLETE}
    return wanted.items() <= marker(connection, scale).items()


def _may_create(connection: pg.Connection, name: str) -> bool:
    query = (
        "SELECT CASE WHEN to_regnamespace(%s) IS NULL THEN has_database_privilege(current_database(), 'CREATE')"
        " ELSE has_schema_privilege(%s, 'CREATE') END"
    )
    return bool(pg.one(connection, query, name, name)[0])
