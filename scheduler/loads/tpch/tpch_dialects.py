"""What differs from database to database: how the tables are made, and how a user's connection is set up."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.loads.ownership_marker import CREATE_MARKED_SCHEMA
from scheduler.loads.tpch.tpch_schema import TpchTable


class TpchDialect(msgspec.Struct, frozen=True, kw_only=True):
    """The statements that differ; `@.` stands for the schema of a scale.

    Attributes:
        begin: Make the `{schema}` and the marker that says whose it is, where they are not there.
        form: What stands behind the columns of a table.
        keyed: True where a table is made with its key, since it lies in the key's order.
        user: What a user's connection says first.
        settings: What of the server's settings decides how fast a query is.
    """

    begin: tuple[str, ...]
    form: str = ""
    keyed: bool = False
    user: tuple[str, ...] = ()
    settings: tuple[str, ...]

    def create(self, table: TpchTable) -> str:
        """Return the statement that makes a table, without its rows."""
        columns = [f"{name} {kind} NOT NULL" for name, kind in table.columns.items()]
        key = [f"PRIMARY KEY ({table.key})"] if self.keyed else []
        return f"CREATE TABLE @.{table.name} ({', '.join([*columns, *key])}){self.form}"

    def finish(self, table: TpchTable) -> tuple[str, ...]:
        """Return the statements that make its key and its indexes, after the rows."""
        indexes = [
            f"CREATE INDEX {_index_name(table, columns)} ON @.{table.name} ({columns})" for columns in table.indexes
        ]
        key = [] if self.keyed else [f"ALTER TABLE @.{table.name} ADD PRIMARY KEY ({table.key})"]
        return (*key, *indexes)


def _index_name(table: TpchTable, columns: str) -> str:
    return f"{table.name}_{columns.replace(', ', '_')}"


_DIALECTS: Mapping[str, TpchDialect] = {
    "postgresql": TpchDialect(
        begin=CREATE_MARKED_SCHEMA["postgresql"],
        user=("SET work_mem = '64MB'",),
        settings=("shared_buffers", "jit"),
    ),
    "mariadb": TpchDialect(
        begin=CREATE_MARKED_SCHEMA["mariadb"],
        form=" CHARACTER SET latin1 COLLATE latin1_bin ENGINE=InnoDB",
        keyed=True,
        settings=("innodb_buffer_pool_size", "innodb_flush_method"),
    ),
}


def tpch_dialect(database: str) -> TpchDialect:
    """Return the dialect of a kind of database; raises SpecError where the queries do not run on it."""
    if database not in _DIALECTS:
        raise SpecError("load.database", f"tpch does not run on {database}", hint="Take another database.")
    return _DIALECTS[database]
