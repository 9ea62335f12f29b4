"""OSDB tables on PostgreSQL: hashed codes, relations clustered by key, as in OSDB."""

from scheduler.loads.osdb.osdb_schema import ADD_FOREIGN_KEY, RELATIONS, OsdbDialect
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS

_TABLE = """
    CREATE TABLE @.{table} (
        col_key     integer          NOT NULL,
        col_int     integer          NOT NULL,
        col_signed  integer,
        col_float   real             NOT NULL,
        col_double  double precision NOT NULL,
        col_decim   numeric(18, 2)   NOT NULL,
        col_date    char(20)         NOT NULL,
        col_code    char(10)         NOT NULL,
        col_name    char(20)         NOT NULL,
        col_address varchar(80)      NOT NULL
    )"""

# The indexes that OSDB's multi-user part has after its single-user part: on PostgreSQL clustered key indexes and hashed
# codes. As there, hundred.signed has no index.
_INDEXES = (
    *(f"CREATE UNIQUE INDEX {relation}_key ON @.{relation} (col_key)" for relation in RELATIONS),
    "CREATE UNIQUE INDEX tenpct_key_code ON @.tenpct (col_key, col_code)",
    *(f"CREATE INDEX {relation}_code_h ON @.{relation} USING hash (col_code)" for relation in RELATIONS),
    "CREATE INDEX updates_int ON @.updates (col_int)",
)

POSTGRESQL = OsdbDialect(
    table=_TABLE,
    finish=(
        *_INDEXES,
        # Without it, a publication of all tables makes every update an error.
        "ALTER TABLE @.updates REPLICA IDENTITY USING INDEX updates_key",
        *(f"CLUSTER @.{relation} USING {relation}_key" for relation in RELATIONS),
        ADD_FOREIGN_KEY,
        "CREATE TABLE @.updates_backup AS SELECT * FROM @.updates ORDER BY col_key",
    ),
    # A referenced table cannot be truncated. CLUSTER is needed although the copy is in key order: the server extends a
    # table by several pages at once and does not fill the last pages in order. CLUSTER also builds compact indexes.
    restore=(
        "ALTER TABLE @.hundred DROP CONSTRAINT IF EXISTS hundred_signed_fk",
        "TRUNCATE @.updates",
        "INSERT INTO @.updates SELECT * FROM @.updates_backup",
        "CLUSTER @.updates USING updates_key",
        ADD_FOREIGN_KEY,
    ),
    settings=TABLE_DIALECTS["postgresql"].settings,
    shapes="Dates are text, as in OSDB; code indexes are hash indexes, key indexes are clustered.",
    isolation="Isolation is READ COMMITTED, not level 0 (IR) and level 3 (OLTP): PostgreSQL has no level 0.",
)
