"""Tables of the load sysbench: sysbench's own tables, in a DomTune database.

There is one database per number and size of tables. sysbench tables in any other database belong to someone else.
They
are neither read nor written.
"""

from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.tables.table_set import TableSet

FORMAT = "1"
"""Format of the tables. Raise it when tables of an older version must not be used again."""


def sysbench_schema(tables: int, size: int) -> str:
    """Return the name of the database.

    Args:
        tables: Number of tables, >= 1.
        size: Rows per table, >= 1.
    """
    return f"domtune_sysbench_{tables}x{size}"


def sysbench_table_set(tables: int, size: int) -> TableSet:
    """Return the tables; sysbench creates and fills them.

    Args:
        tables: Number of tables, >= 1.
        size: Rows per table, >= 1.
    """
    names = tuple(f"sbtest{number}" for number in range(1, tables + 1))
    return TableSet(
        schema=sysbench_schema(tables, size),
        form={"format": FORMAT},
        # The collation is the server's default, because sysbench sorts its texts.
        begin=("CREATE DATABASE IF NOT EXISTS {schema} CHARACTER SET latin1", *TABLE_DIALECTS["mariadb"].begin[1:]),
        names=names,
        settle_restored=names,
    )
