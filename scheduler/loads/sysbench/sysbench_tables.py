"""Tables of sysbench: its own, in a database of ours, one per number and size.

Tables of sysbench anywhere else are somebody's own: neither read nor written.
"""

from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.tables.table_set import TableSet

FORMAT = "1"
"""Raised when tables made by an older version must not be used again."""


def sysbench_schema(tables: int, size: int) -> str:
    """Return the database's name for so many tables of that size."""
    return f"domtune_sysbench_{tables}x{size}"


def sysbench_table_set(tables: int, size: int) -> TableSet:
    """Return the tables of a number and size; sysbench makes them."""
    names = tuple(f"sbtest{number}" for number in range(1, tables + 1))
    return TableSet(
        schema=sysbench_schema(tables, size),
        form={"format": FORMAT},
        # The collation stays the server's own: sysbench sorts its texts.
        begin=("CREATE DATABASE IF NOT EXISTS {schema} CHARACTER SET latin1", *TABLE_DIALECTS["mariadb"].begin[1:]),
        names=names,
        settle_restored=names,
    )
