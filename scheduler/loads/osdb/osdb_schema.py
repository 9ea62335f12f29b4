"""Names and columns of the OSDB tables, in one schema per database size.

`on_postgresql.py` and `on_mariadb.py` have one `OsdbDialect` each, with the statements that differ.
"""

from typing import NamedTuple

import msgspec

SEED = 20020327
"""Seed of the data. The users' keys depend on the sweep's seed instead."""

FORMAT = "2"
"""Format of the data. Raise it when data of an older version must not be used again."""

RELATIONS = ("uniques", "hundred", "tenpct", "updates")
TINY, BACKUP = "tiny", "updates_backup"

COLUMNS = ("key", "int", "signed", "float", "double", "decim", "date", "code", "name", "address")
"""Columns without their prefix `col_`. Half of these names are reserved words in some database."""

CREATE_TINY = "CREATE TABLE @.tiny (col_key integer NOT NULL PRIMARY KEY)"
FILL_TINY = "INSERT INTO @.tiny VALUES (0)"

ADD_FOREIGN_KEY = """
    ALTER TABLE @.hundred ADD CONSTRAINT hundred_signed_fk FOREIGN KEY (col_signed) REFERENCES @.updates (col_key)"""

SELECT_ONE = "SELECT col_key, col_code, col_date, col_signed, col_name FROM @.updates WHERE col_key = {key}"
UPDATE_ONE = "UPDATE @.updates SET col_signed = col_signed + 1 WHERE col_key = {key}"


class OsdbDialect(msgspec.Struct, frozen=True, kw_only=True):
    """Statements that differ between databases.

    In each statement, `@.` means the schema of a size and `{table}` a relation.

    Attributes:
        table: Creates one relation, without its rows.
        tiny: Creates the table of one row, without the row.
        finish: Statements for indexes, row order and copies, after the rows.
        restore: Statements that restore the rows of `updates` from its copy.
        settings: Server settings that decide how durable a commit is, and how much is cached.
        shapes: Sentences on the differences of indexes and columns from OSDB.
        isolation: Sentence on the difference of isolation from OSDB.
        engine: Storage engine of the tables. Empty if the database has only one.
    """

    table: str
    tiny: str = CREATE_TINY
    finish: tuple[str, ...]
    restore: tuple[str, ...]
    settings: tuple[str, ...]
    shapes: str
    isolation: str
    engine: str = ""


class OsdbTables(NamedTuple):
    """Tables of a load.

    Attributes:
        tuples: Rows per relation.
        own: Kind of the load that has its own tables. Empty for the tables that the OSDB loads share.
    """

    tuples: int
    own: str = ""

    @property
    def schema(self) -> str:
        """Name of the schema of the tables."""
        return osdb_schema_name(self.tuples) + (f"_{self.own.replace('-', '_')}" if self.own else "")

    def at(self, statement: str) -> str:
        """Return a statement with the schema in place of `@.`."""
        return statement.replace("@.", f"{self.schema}.")


def osdb_schema_name(tuples: int) -> str:
    """Return the name of the shared schema for a database size."""
    return f"domtune_osdb_{tuples}"


def qualify_statement(statement: str, tuples: int, own: str = "") -> str:
    """Return a statement with the schema of a database size in place of `@.`.

    Args:
        statement: SQL statement, with `@.` for the schema.
        tuples: Rows per relation.
        own: Kind of the load that has its own tables. Empty for the shared tables.
    """
    return OsdbTables(tuples, own).at(statement)


STATEMENTS = {"osdb-ir": SELECT_ONE, "osdb-oltp": UPDATE_ONE}


def osdb_statement(kind: str, tuples: int, key: str, own: str = "") -> str:
    """Return the SQL statement of an OSDB load.

    Args:
        kind: Load kind.
        tuples: Rows per relation.
        key: Placeholder for the key: `%d` or `:key`.
        own: Kind of the load that has its own tables. Empty for the shared tables.
    """
    return qualify_statement(STATEMENTS[kind].format(key=key), tuples, own)
