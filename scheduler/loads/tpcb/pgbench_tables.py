"""Tables of the load tpcb: pgbench's own tables, in one DomTune schema per scale.

pgbench tables in any other schema belong to someone else. They are neither read nor written.
"""

from scheduler.loads.tables.table_dialects import TABLE_DIALECTS
from scheduler.loads.tables.table_set import TableSet

FORMAT = "1"
"""Format of the tables. Raise it when tables of an older version must not be used again."""

_ACCOUNTS, _BRANCHES, _TELLERS, _HISTORY = "pgbench_accounts", "pgbench_branches", "pgbench_tellers", "pgbench_history"


def pgbench_schema(scale: int) -> str:
    """Return the name of the schema for a scale."""
    return f"domtune_tpcb_{scale}"


def pgbench_table_set(scale: int) -> TableSet:
    """Return the tables of a scale; pgbench creates, fills and vacuums them."""
    return TableSet(
        schema=pgbench_schema(scale),
        form={"format": FORMAT, "scale": str(scale)},
        begin=TABLE_DIALECTS["postgresql"].begin,
        names=(_ACCOUNTS, _BRANCHES, _TELLERS, _HISTORY),
        restore=(f"TRUNCATE @.{_HISTORY}",),
        settle_restored=(_BRANCHES, _TELLERS, _ACCOUNTS),
        expected_rows={_ACCOUNTS: 100_000 * scale, _BRANCHES: scale, _TELLERS: 10 * scale},
    )
