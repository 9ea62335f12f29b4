"""Tables of a load as data: columns, keys, copies, indexes, SQL statements."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.loads.tables.consistency_condition import ConsistencyCondition
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS, TableDialect

MARKER = "domtune_marker"
COPY = "_loaded"
"""Suffix of the name of a table's copy."""

_BETWEEN_COLUMNS = re.compile(r", (?!\d)")  # a digit follows the comma inside `decimal(12, 2)`


class DatabaseTable(msgspec.Struct, frozen=True):
    """One table, without its rows.

    Attributes:
        name: Name of the table.
        columns: Columns with their types in the order of the rows, separated by `, `. A column is NOT NULL unless its
            type ends with NULL. `{moment}` and `{numbered}` are types of `TableDialect`.
        key: Columns of the primary key. Empty for a table without one.
        number: Column that numbers the rows of a table without a key, on databases that need a key.
    """

    name: str
    columns: str
    key: str = ""
    number: str = ""

    @property
    def column_names(self) -> list[str]:
        """Names of the columns, in order."""
        return [column.split()[0] for column in _BETWEEN_COLUMNS.split(self.columns)]

    def create_statement(self, dialect: TableDialect, *, copy: bool = False) -> str:
        """Return the statement that creates the table, or its empty copy.

        Args:
            dialect: Dialect of the database.
            copy: True for the copy, in which the server assigns no numbers.
        """
        numbered = "bigint" if copy else dialect.numbered
        columns = self.columns.format(moment=dialect.moment, numbered=numbered)
        known = [text if text.endswith("NULL") else f"{text} NOT NULL" for text in _BETWEEN_COLUMNS.split(columns)]
        if dialect.keys_first and self.key:
            known.append(f"PRIMARY KEY ({self.key})")
        elif dialect.keys_first and self.number:
            known.append(f"{self.number} {dialect.numbered} PRIMARY KEY")
        name = self.name + COPY if copy else self.name
        return f"CREATE TABLE @.{name} ({', '.join(known)}) {dialect.options}".rstrip()


class TableSet(msgspec.Struct, frozen=True, kw_only=True):
    """Tables of one load on one database; in every statement, `@.` means their schema.

    Attributes:
        schema: Name of the schema (on MariaDB: the database). Nothing else is in it.
        form: Marker entries that loaded rows must have to be used again: format, seed, size.
        begin: Statements that make the `{schema}` with its marker (`TableDialect.begin`).
        names: All tables but the marker, copies included, in the order in which they can be dropped.
        create: Statements that create the tables.
        columns: Table to the columns of the rows that are loaded into it.
        delimiter: Character between two values of a loaded row.
        finish: Statements after all rows: copies, keys, indexes.
        settle_loaded: Tables that are settled once, after the load.
        restore: Statements that restore the rows that transactions changed. Empty if transactions change nothing.
        settle_restored: Tables that are settled after each restore.
        expected_rows: Table to its number of rows after each restore.
        conditions: Conditions that hold between any two transactions.
    """

    schema: str
    form: Mapping[str, str]
    begin: tuple[str, ...]
    names: tuple[str, ...]
    create: tuple[str, ...] = ()
    columns: Mapping[str, Sequence[str]] = {}
    delimiter: str = ","
    finish: tuple[str, ...] = ()
    settle_loaded: tuple[str, ...] = ()
    restore: tuple[str, ...] = ()
    settle_restored: tuple[str, ...] = ()
    expected_rows: Mapping[str, int] = {}
    conditions: tuple[ConsistencyCondition, ...] = ()

    def at(self, statement: str) -> str:
        """Return a statement with the schema in place of `@.`."""
        return statement.replace("@.", f"{self.schema}.")


class TableDesign(msgspec.Struct, frozen=True, kw_only=True):
    """Tables with keys, copies and indexes, before a database is chosen.

    Attributes:
        schema: Name of the schema.
        tables: The tables, in the order in which they are created, loaded and dropped.
        form: Marker entries that loaded rows must have to be used again.
        changed: Names of the tables that transactions change. Each gets a copy, from which it is restored.
        indexes: Statements after rows, copies and keys.
        restart: Statements after the rows were restored.
        delimiter: Character between two values of a loaded row.
        expected_rows: Table to its number of rows after each restore.
        conditions: Conditions that hold between any two transactions.
    """

    schema: str
    tables: tuple[DatabaseTable, ...]
    form: Mapping[str, str]
    changed: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    restart: tuple[str, ...] = ()
    delimiter: str = ","
    expected_rows: Mapping[str, int] = {}
    conditions: tuple[ConsistencyCondition, ...] = ()

    def on(self, database: str) -> TableSet:
        """Return the table set for a kind of database (`scheduler/model/databases.py`)."""
        dialect, names = TABLE_DIALECTS[database], tuple(table.name for table in self.tables)
        copied = [table for name in self.changed for table in self.tables if table.name == name]
        return TableSet(
            schema=self.schema,
            form=self.form,
            begin=dialect.begin,
            names=(*names, *(f"{name}{COPY}" for name in self.changed)),
            create=(
                *(table.create_statement(dialect) for table in self.tables),
                *(table.create_statement(dialect, copy=True) for table in copied),
            ),
            columns={table.name: table.column_names for table in self.tables},
            delimiter=self.delimiter,
            finish=self._finish_statements(dialect),
            settle_loaded=() if self.changed else names,
            restore=self._restore_statements(),
            settle_restored=names if self.changed else (),
            expected_rows=self.expected_rows,
            conditions=self.conditions,
        )

    def _finish_statements(self, dialect: TableDialect) -> tuple[str, ...]:
        """Return the statements after all rows: copies, missing keys, indexes."""
        copies = [f"INSERT INTO @.{name}{COPY} SELECT * FROM @.{name}" for name in self.changed]
        keyed = [table for table in self.tables if table.key and not dialect.keys_first]
        keys = [f"ALTER TABLE @.{table.name} ADD PRIMARY KEY ({table.key})" for table in keyed]
        return (*copies, *keys, *self.indexes)

    def _restore_statements(self) -> tuple[str, ...]:
        empty = [f"TRUNCATE TABLE @.{name}" for name in self.changed]
        return (*empty, *(f"INSERT INTO @.{name} SELECT * FROM @.{name}{COPY}" for name in self.changed), *self.restart)
