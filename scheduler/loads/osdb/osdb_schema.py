"""Names and shapes of the tables; everything lies in a schema of its own, one per database size.

What differs from database to database is in `on_postgresql.py` and `on_mariadb.py`, one `Dialect` each.
"""

from typing import NamedTuple

import msgspec

SEED = 20020327
"""Seed of the data; users' keys follow the sweep's seed instead."""

FORMAT = "2"
"""Raised when data made by an older version must not be used again."""

RELATIONS = ("uniques", "hundred", "tenpct", "updates")
TINY, BACKUP = "tiny", "updates_backup"

COLUMNS = ("key", "int", "signed", "float", "double", "decim", "date", "code", "name", "address")
"""Without their prefix `col_`: half of them are reserved words somewhere."""

CREATE_TINY = "CREATE TABLE @.tiny (col_key integer NOT NULL PRIMARY KEY)"
FILL_TINY = "INSERT INTO @.tiny VALUES (0)"

ADD_FOREIGN_KEY = """
    ALTER TABLE @.hundred ADD CONSTRAINT hundred_signed_fk FOREIGN KEY (col_signed) REFERENCES @.updates (col_key)"""

SELECT_ONE = "SELECT col_key, col_code, col_date, col_signed, col_name FROM @.updates WHERE col_key = {key}"
UPDATE_ONE = "UPDATE @.updates SET col_signed = col_signed + 1 WHERE col_key = {key}"


class OsdbDialect(msgspec.Struct, frozen=True, kw_only=True):
    """The statements that differ; `@.` stands for the schema of a size, `{table}` for a relation.

    Attributes:
        table: Makes one relation, without its rows.
        tiny: Makes the table of one row, likewise.
        finish: Indexes, order and copies, after the rows.
        restore: Bring `updates` back to what its copy holds.
        engine: Storage engine that the tables are in; empty where the database has one only.
        settings: What of the server's settings decides how durable a commit is, and how much is cached.
        shapes: How indexes and columns differ from OSDB's, sentences.
        isolation: How isolation does, likewise.
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
    """Which tables a load works on.

    Attributes:
        tuples: Rows per relation.
        own: Kind of the load that has them to itself; empty for those that the osdb loads share.
    """

    tuples: int
    own: str = ""

    @property
    def schema(self) -> str:
        """Name of the schema that they lie in."""
        return osdb_schema_name(self.tuples) + (f"_{self.own.replace('-', '_')}" if self.own else "")

    def at(self, statement: str) -> str:
        """Return a statement with its `@` replaced by the schema."""
        return statement.replace("@.", f"{self.schema}.")


def osdb_schema_name(tuples: int) -> str:
    """Return the shared schema's name for a database size."""
    return f"domtune_osdb_{tuples}"


def qualify_statement(statement: str, tuples: int, own: str = "") -> str:
    """Return a statement with its `@` replaced by the schema of that size, or by the one that a kind has to itself."""
    return OsdbTables(tuples, own).at(statement)


STATEMENTS = {"osdb-ir": SELECT_ONE, "osdb-oltp": UPDATE_ONE}


def osdb_statement(kind: str, tuples: int, key: str, own: str = "") -> str:
    """Return the one statement of an osdb load; `key` is what stands for the key (`%d`, `:key`)."""
    return qualify_statement(STATEMENTS[kind].format(key=key), tuples, own)
