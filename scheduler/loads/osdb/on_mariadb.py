"""OSDB tables on MariaDB and MySQL, in the storage engine of the plan."""

from scheduler.loads.osdb.osdb_schema import ADD_FOREIGN_KEY, BACKUP, CREATE_TINY, RELATIONS, OsdbDialect
from scheduler.loads.tables.table_dialects import TABLE_DIALECTS, TEXT_OPTIONS

# Texts compare by their bytes, as on PostgreSQL: 'a' is not 'A'. `double` is DOUBLE, not OSDB's FLOAT of 4 bytes,
# because adding and subtracting a FLOAT can change the number.
_TABLE = f"""
    CREATE TABLE @.{{table}} (
        col_key     INT            NOT NULL PRIMARY KEY,
        col_int     INT            NOT NULL,
        col_signed  INT            NULL,
        col_float   FLOAT          NOT NULL,
        col_double  DOUBLE         NOT NULL,
        col_decim   DECIMAL(18, 2) NOT NULL,
        col_date    CHAR(20)       NOT NULL,
        col_code    CHAR(10)       NOT NULL,
        col_name    CHAR(20)       NOT NULL,
        col_address VARCHAR(80)    NOT NULL
    ) {TEXT_OPTIONS} ENGINE="""

_ENGINES = {"innodb": "InnoDB", "myisam": "MyISAM", "aria": "Aria TRANSACTIONAL=0"}
"""Engine of a plan to the engine of CREATE TABLE. Aria's own default would sync after each statement."""

# The primary key is part of CREATE TABLE, so InnoDB clusters the table by it. The keyword HASH means a B-tree in these
# engines.
_INDEXES = (
    "CREATE UNIQUE INDEX tenpct_key_code ON @.tenpct (col_key, col_code)",
    *(f"CREATE INDEX {relation}_code ON @.{relation} (col_code)" for relation in RELATIONS),
    "CREATE INDEX updates_int ON @.updates (col_int)",
)
_COPY = "INSERT INTO @.{target} SELECT * FROM @.{source} ORDER BY col_key"


def mariadb_dialect(engine: str) -> OsdbDialect:
    """Return the dialect for a storage engine: `innodb`, `myisam` or `aria`."""
    innodb = engine == "innodb"
    table = _TABLE + _ENGINES[engine]
    return OsdbDialect(
        table=table,
        tiny=f"{CREATE_TINY} ENGINE={_ENGINES[engine]}",
        finish=(
            *_INDEXES,
            *((ADD_FOREIGN_KEY,) if innodb else ()),
            table.replace("{table}", BACKUP),
            _COPY.format(target=BACKUP, source="updates"),
        ),
        # A referenced table can be truncated only without foreign key checks. The copied rows have the same keys.
        restore=(
            "SET SESSION foreign_key_checks = 0",
            "TRUNCATE TABLE @.updates",
            _COPY.format(target="updates", source=BACKUP),
            "SET SESSION foreign_key_checks = 1",
        ),
        engine=engine,
        settings=TABLE_DIALECTS["mariadb"].settings if innodb else (),
        shapes=_shape_sentences(engine, innodb=innodb),
        isolation="Isolation is READ COMMITTED, not level 0 (IR) and level 3 (OLTP), as on PostgreSQL, which has no "
        "level 0."
        if innodb
        else f"{_engine_title(engine)} has no transactions: BEGIN and COMMIT do nothing there, "
        "an update locks the table.",
    )


def _shape_sentences(engine: str, *, innodb: bool) -> str:
    common = "Dates are text, as in OSDB, and col_double has 8 bytes, not OSDB's 4; code indexes are B-trees"
    if innodb:
        return (
            f"{common}: InnoDB has no hash indexes. Its tables are clustered by their keys; hundred has an index on "
            "signed, which the foreign key needs."
        )
    return (
        f"{common}. {_engine_title(engine)} has no foreign keys and no clustered tables; rows lie in "
        "order of their keys."
    )


def _engine_title(engine: str) -> str:
    return _ENGINES[engine].partition(" ")[0]
